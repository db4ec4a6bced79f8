//! The names that most programs need: `use syclone::prelude::*;`.
//!
//! `kernel` is the attribute here. The macro for closures has the same name and the same name space, so it is called by
//! its path, [`syclone::kernel!`](crate::kernel!).

pub use crate::api::{
    Buffer, ExecutableGraph, Graph, Handler, NdRange, Queue, QueueOptions, Range, UsmDevice, UsmHost, UsmShared, scope,
};
pub use crate::kernel::{
    AtomicInteger, AtomicScalar, AtomicView, Group, GroupMut, Item, ItemMut, Local, LocalAccessor, NdItem, Reducer,
    ScatterMut, Spec, SubGroup, View, fence, local, max, min,
};
pub use crate::types::ops::{
    BitAnd, BitOr, BitXor, LogicalAnd, LogicalOr, Maximum, Minimum, Multiplies, Plus, ReduceOp,
};
pub use crate::types::vector::alias::*;
pub use crate::types::{
    DeviceCopy, Float, Geometric, Integer, IntegerMath, Lanes, Math, Order, Scalar, Scope, Upsample, Vector, bf16, f16,
};
pub use crate::{kassert, kprint, kprintln};
pub use syclone_macros::{DeviceCopy, device_fn, kernel};
pub use syclone_runtime::{Aspect, Device, Error, Event, Result};
