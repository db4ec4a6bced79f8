//! The algorithms of a work-group for items in lock-step: those of [`crate::abi::group`], one future an item.

use super::Cx;
use super::collectives::{Part, collectives};
use super::round::Operation;
use crate::abi::group as whole;
use crate::kernel::{SpanMutOf, SpanOf};
use crate::types::DeviceCopy;
use crate::types::ops::ReduceOp;

collectives!(in_group);
