//! placeholder
pub mod types;
#[doc(hidden)]
pub mod abi;
pub mod kernel;
