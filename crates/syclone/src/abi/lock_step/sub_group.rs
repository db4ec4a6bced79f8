//! The algorithms of sub-groups for items in lock-step: those of [`crate::abi::sub_group`], one future an item.
//!
//! Only the items of one sub-group have to come to the same place; other sub-groups may be elsewhere.

use super::Cx;
use super::collectives::{Part, collectives};
use super::round::Operation;
use crate::abi::sub_group as whole;
use crate::kernel::{SpanMutOf, SpanOf};
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

// The exchanges by the names of shuffles.
pub use self::{permute_xor as shuffle_xor, select as shuffle, shift_left as shuffle_down, shift_right as shuffle_up};

collectives!(in_sub_group);
collectives!(in_sub_group vote ballot Ballot u32;);
