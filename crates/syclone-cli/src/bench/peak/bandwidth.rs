//! The memory ceiling: the best of three loops over arrays that no cache holds.
//!
//! A plain triad reads the line that it is about to overwrite, which its count of bytes leaves out; streaming stores
//! do not, and a read-only sum has none. Which is fastest depends on the machine, and the ceiling is whatever is.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::host::element::{Element, filled};
use crate::host::simd::versions;
use crate::host::team::Team;

/// Elements of one array: three of them are 192 MiB.
const LEN: usize = 1 << 24;
/// The ceiling is the best of these.
const ATTEMPTS: usize = 5;
/// No further attempt begins after this, however slow the machine or the build is.
const TIME_BUDGET: Duration = Duration::from_secs(1);
/// Elements of one piece; a multiple of every vector's length.
const PIECE: usize = 1 << 16;

versions! {
    /// `c = b + s · d`, element by element: the loop that STREAM calls triad.
    pub fn triad<T: Element, const FUSED: bool>(c: &mut [T], a: &[T], b: &[T], scalar: T) {
        for ((c, a), b) in c.iter_mut().zip(a).zip(b) {
            *c = b.mul_add_if::<FUSED>(scalar, *a);
        }
    }
}

versions! {
    /// The sum of the elements, in 64 partial sums and what is left over.
    pub fn sum<T: Element, const FUSED: bool>(a: &[T]) -> f64 {
        let mut lanes = [T::default(); 64];
        let one = T::nearest(1.0);
        let blocks = a.chunks_exact(64);
        let rest: f64 = blocks.remainder().iter().map(|value| value.wide()).sum();
        for block in blocks {
            for (lane, value) in lanes.iter_mut().zip(block) {
                *lane = value.mul_add_if::<false>(one, *lane);
            }
        }
        lanes.iter().map(|lane| lane.wide()).sum::<f64>() + rest
    }
}

/// GB/s of all members together.
pub fn gbs(team: &mut Team) -> Result<f64, Failure> {
    let what = "measuring the memory bandwidth";
    let a = filled(LEN, 1.0f32, what)?;
    let b = filled(LEN, 2.0f32, what)?;
    let mut c = filled(LEN, 0.0f32, what)?;
    let array = size_of_val(a.as_slice()) as f64;
    let read = |idx: usize, len: usize| (&a[idx * PIECE..][..len], &b[idx * PIECE..][..len]);
    let mut best = 0.0f64;
    let mut attempt = |bytes: f64, run: &mut dyn FnMut()| {
        let began = Instant::now();
        run();
        let seconds = began.elapsed().as_secs_f64();
        if seconds > 0.0 {
            best = best.max(bytes / seconds / 1e9);
        }
    };
    let began = Instant::now();
    for number in 0..ATTEMPTS {
        if number > 0 && began.elapsed() > TIME_BUDGET {
            break;
        }
        attempt(3.0 * array, &mut || {
            team.for_each_piece(&mut c, PIECE, &|idx, c| {
                let (a, b) = read(idx, c.len());
                triad(c, a, b, 0.5);
            });
        });
        attempt(3.0 * array, &mut || {
            team.for_each_piece(&mut c, PIECE, &|idx, c| {
                let (a, b) = read(idx, c.len());
                streaming_triad(c, a, b, 0.5);
            });
        });
        attempt(array, &mut || {
            // Pieces of one array at a time: the mutable one is only handed out, not written.
            team.for_each_piece(&mut c, PIECE, &|_, c| {
                black_box(sum(c));
            });
        });
    }
    black_box(&c);
    Ok(best)
}

/// The triad with stores that go past the caches, where the processor has them.
#[cfg(target_arch = "x86_64")]
pub(super) fn streaming_triad(c: &mut [f32], a: &[f32], b: &[f32], scalar: f32) {
    use std::arch::x86_64::{_mm_add_ps, _mm_loadu_ps, _mm_mul_ps, _mm_set1_ps, _mm_sfence, _mm_stream_ps};

    let len = c.len().min(a.len()).min(b.len());
    // Streaming stores need 16-byte alignment: what lies before and after is done plainly.
    let head = c.as_ptr().align_offset(16).min(len);
    let body = (len - head) / 4 * 4;
    triad(&mut c[..head], &a[..head], &b[..head], scalar);
    // SAFETY: SSE is part of x86-64. Every access is at `head + 4·i + 0..4` below `head + body`, which is inside the
    // three slices, and the store's address is aligned by the choice of `head`.
    unsafe {
        let scalars = _mm_set1_ps(scalar);
        for idx in (head..head + body).step_by(4) {
            let product = _mm_mul_ps(_mm_loadu_ps(b.as_ptr().add(idx)), scalars);
            _mm_stream_ps(c.as_mut_ptr().add(idx), _mm_add_ps(_mm_loadu_ps(a.as_ptr().add(idx)), product));
        }
        // Other threads may read the piece only when it has arrived.
        _mm_sfence();
    }
    let rest = head + body..len;
    triad(&mut c[rest.clone()], &a[rest.clone()], &b[rest], scalar);
}

/// Elsewhere there is only the plain loop.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn streaming_triad(c: &mut [f32], a: &[f32], b: &[f32], scalar: f32) {
    triad(c, a, b, scalar);
}
