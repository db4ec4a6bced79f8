//! Runs of adjacent elements, which joint group algorithms read and write: [`Span`] and [`SpanMut`].

use super::local::{Local, LocalAccessor};
use super::place::ARRAY_FAULT;
use super::scatter::ScatterMut;
use super::view::View;
use crate::types::DeviceCopy;

/// Adjacent elements of global or local memory, to be read by a joint group algorithm.
#[derive(Debug)]
pub struct Span<T>(RawSpan<T>);

/// Adjacent elements that a joint group algorithm also writes.
#[derive(Debug)]
pub struct SpanMut<T>(RawSpan<T>);

/// The elements of a span that exist, and what to report.
///
/// Invariant: the `len` elements at `ptr` are initialised and valid for reads, and for writes if the span came
/// from a [`SpanMut`], while the kernel runs.
#[derive(Debug)]
#[doc(hidden)]
pub struct RawSpan<T> {
    pub(crate) ptr: *mut T,
    pub(crate) len: usize,
    /// The fault bit to raise for elements beyond the end.
    pub(crate) bit: u32,
    /// Faults met in making the span: it asked for more than there is.
    pub(crate) fault: u32,
}

macro_rules! copies {
    ($($name:ident)*) => {$(
        impl<T> Clone for $name<T> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}
    )*};
}

copies!(Span SpanMut RawSpan);

impl<T> RawSpan<T> {
    #[inline(always)]
    fn part(self, start: usize, len: usize) -> Self {
        let start_inside = start.min(self.len);
        let len_inside = len.min(self.len - start_inside);
        let complete = start <= self.len && len_inside == len;
        RawSpan {
            ptr: self.ptr.wrapping_add(start_inside),
            len: len_inside,
            bit: self.bit,
            fault: self.fault | if complete { 0 } else { self.bit },
        }
    }
}

macro_rules! spans {
    ($($name:ident)*) => {$(
        impl<T: DeviceCopy> $name<T> {
            /// The `len` elements at `ptr`; the callers see to the invariant of [`RawSpan`].
            #[inline(always)]
            pub(crate) fn whole(ptr: *mut T, len: usize, bit: u32) -> Self {
                $name(RawSpan { ptr, len, bit, fault: 0 })
            }

            /// `len` elements from `start` of this span. Elements that do not exist are left out and reported.
            #[inline(always)]
            #[must_use]
            pub fn span(self, start: usize, len: usize) -> Self {
                $name(self.0.part(start, len))
            }

            /// The number of elements.
            #[inline(always)]
            pub fn len(&self) -> usize {
                self.0.len
            }

            /// Whether there are no elements.
            #[inline(always)]
            pub fn is_empty(&self) -> bool {
                self.0.len == 0
            }
        }
    )*};
}

spans!(Span SpanMut);

/// What a joint group algorithm can read: a span, or the whole of a view, a local array or a local accessor.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no span of `{T}`",
    note = "pass a one-dimensional View, ScatterMut, LocalAccessor or local array, or a part of one: `x.span(start, len)`"
)]
pub trait SpanOf<T>: Copy + 'static {
    /// The elements.
    #[doc(hidden)]
    fn raw_span(&self) -> RawSpan<T>;
}

/// What a joint group algorithm can write.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no writable span of `{T}`",
    note = "write to a ScatterMut, a LocalAccessor or a local array, or to a part of one: `x.span(start, len)`"
)]
///
/// # Safety
/// The elements may be written.
pub unsafe trait SpanMutOf<T>: SpanOf<T> {}

impl<T: DeviceCopy> SpanOf<T> for Span<T> {
    #[inline(always)]
    fn raw_span(&self) -> RawSpan<T> {
        self.0
    }
}

impl<T: DeviceCopy> SpanOf<T> for SpanMut<T> {
    #[inline(always)]
    fn raw_span(&self) -> RawSpan<T> {
        self.0
    }
}

// SAFETY: made of memory that may be written.
unsafe impl<T: DeviceCopy> SpanMutOf<T> for SpanMut<T> {}

impl<T: DeviceCopy> SpanOf<T> for View<T, 1> {
    #[inline(always)]
    fn raw_span(&self) -> RawSpan<T> {
        Span::whole(self.0.ptr, self.0.extents[0], self.0.fault).0
    }
}

impl<T: DeviceCopy> SpanOf<T> for ScatterMut<T, 1> {
    #[inline(always)]
    fn raw_span(&self) -> RawSpan<T> {
        Span::whole(self.0.ptr, self.0.extents[0], self.0.fault).0
    }
}

// SAFETY: made of memory that may be written.
unsafe impl<T: DeviceCopy> SpanMutOf<T> for ScatterMut<T, 1> {}

impl<T: DeviceCopy> SpanOf<T> for LocalAccessor<T, 1> {
    #[inline(always)]
    fn raw_span(&self) -> RawSpan<T> {
        Span::whole(self.as_ptr(), self.len(), self.fault()).0
    }
}

// SAFETY: made of memory that may be written.
unsafe impl<T: DeviceCopy> SpanMutOf<T> for LocalAccessor<T, 1> {}

impl<T: DeviceCopy, const N: usize> SpanOf<T> for Local<[T; N]> {
    #[inline(always)]
    fn raw_span(&self) -> RawSpan<T> {
        Span::whole(self.as_ptr().cast(), N, ARRAY_FAULT).0
    }
}

// SAFETY: made of memory that may be written.
unsafe impl<T: DeviceCopy, const N: usize> SpanMutOf<T> for Local<[T; N]> {}
