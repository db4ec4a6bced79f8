//! What a kernel's body is written with: items, global and local memory, atomics, reducers and group algorithms.
//!
//! - [`item`] — where a work-item is: [`Item`], [`NdItem`], [`Group`], [`SubGroup`].
//! - Global memory, by who may touch what: [`View`] reads anything, [`ItemMut`] and [`GroupMut`] give each item or
//!   group its own element, [`AtomicView`] shares elements atomically, [`ScatterMut`] promises nothing.
//! - Local memory: [`Local`] and [`LocalAccessor`].
//! - [`min`], [`max`], [`local()`] and [`fence`], which kernels call by these names.
//! - [`Reducer`] and [`Spec`], and plain values of any [`DeviceCopy`](crate::types::DeviceCopy) type.
//!
//! Indexing is checked: reading out of bounds gives zero, writing there is dropped, and both are reported by the
//! launch's event ([`place`] has the mechanism). The methods whose calls the macro replaces, such as barriers and
//! group algorithms, are declared in [`group`] with their meanings.

pub mod atomic;
pub mod functions;
pub mod group;
pub mod item;
pub mod param;
pub mod place;
pub mod print;

mod dimension;
mod group_mut;
mod item_mut;
mod local;
mod memory;
mod reducer;
mod scatter;
mod span;
mod spec;
mod vector_access;
mod vector_index;
mod view;

#[cfg(test)]
mod tests;

pub use atomic::{AtomicInteger, AtomicRef, AtomicScalar, AtomicView, fence};
pub use functions::{max, min};
pub use group_mut::GroupMut;
pub use item::{Group, Item, NdItem, SubGroup};
pub use item_mut::ItemMut;
pub use local::{Local, LocalAccessor, deref, local};
pub use memory::{Coordinates, GroupToken, ItemToken, Position};
pub use param::{KernelArg, KernelArgs, KernelParam, ParamInfo, ParamTuple, PlainValue, SafeParam, SafeParams};
pub use place::{Indexable, IndexableMut, Inline, Oob, Place};
pub use reducer::{ChunkReducer, LANES, Reducer, Reduction};
pub use scatter::ScatterMut;
pub use span::{RawSpan, Span, SpanMut, SpanMutOf, SpanOf};
pub use spec::Spec;
pub use view::View;
