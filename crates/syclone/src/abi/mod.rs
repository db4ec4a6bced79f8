//! What macro output calls; no user names it.

pub mod alive;
pub mod arena;
pub mod group;
pub mod group_cx;
pub mod per_item;
pub mod sub_group;

#[cfg(test)]
mod tests;

pub use crate::kernel::place::{Oob, Place, at, at_mut, parameter_fault};
pub use crate::kernel::{LANES, deref};
pub use alive::{Alive, Flow};
pub use group_cx::{Divergence, GroupCx, GroupMemory};
pub use per_item::{GroupArg, PerItem, Uniform};
