//! What macro output calls, and how the CPU device launches what it makes; no user names it.
//!
//! - [`kernel`]: what a kernel is. [`mod@launch`]: checking and dividing a launch, and running its chunks; [`ways`]: in
//!   which of three ways.
//! - For item loops: [`group_cx`] (the running group), [`per_item`], [`mod@strips`] and [`alive`]; [`group`] and
//!   [`sub_group`] have the collective operations, `algorithms` what both share, and `joint` those over spans of memory.
//! - [`lock_step`] runs items as futures, for barriers that are not proven uniform.
//! - [`message`]: what kernels print and assert.
//! - [`names`]: whether names that kernels call are the library's; [`plain`]: whether what they do to values is.
//! - [`mod@bind`], [`site`], [`instance`], [`of_type`], [`tree_type`] and [`capture`] tie macro output to the kernel tree
//!   and to the host API.

mod algorithms;
pub mod alive;
pub mod arena;
pub mod bind;
pub mod capture;
pub mod element;
pub mod group;
pub mod group_cx;
pub mod instance;
mod joint;
pub mod kernel;
pub mod launch;
pub mod lock_step;
pub mod message;
pub mod names;
pub mod of_type;
pub mod per_item;
pub mod plain;
pub mod site;
pub mod strips;
pub mod sub_group;
pub mod tree_type;
pub mod ways;

#[cfg(test)]
pub(crate) mod tests;

pub use crate::kernel::group::only_in_kernels;
pub use crate::kernel::place::{Oob, Place, at, at_mut, parameter_fault};
pub use crate::kernel::{KernelArg, PlainValue};
pub use crate::kernel::{LANES, deref};
pub use crate::types::called_at::CalledAt;
pub use crate::types::device_copy::DeviceConst;
pub use alive::{Alive, Flow};
pub use bind::{Tables, bind, found, found_of};
pub use capture::{Capture, Captured, Take, TakeNumber, TakeReference, Variable, captured_at_mut};
pub use element::Element;
pub use group_cx::{Divergence, GroupCx, GroupMemory};
pub use instance::{Instance, OobOf, constant};
pub use kernel::{
    Kernel, KernelCall, KernelCode, KernelMeta, Named, NdRangeForm, NoCode, RangeForm, Same, SingleTaskForm,
    inline_kernel, no_form, no_methods,
};
pub use of_type::{DeviceFunction, OfType};
pub use per_item::{GroupArg, PerItem, Uniform};
pub use site::{Captures, NoSite, Site, any};
pub use strips::{Lanes, all_hold, blocks, loop_end, part_inside, step, strips};
pub use syclone_kernel_ast::bound::{BoundFunction, BoundMethod};
pub use syclone_kernel_ast::types::{BindFn, Type};
pub use tree_type::{TreeType, arg, role};
