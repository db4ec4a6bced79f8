//! Tests of the values.

mod builtins;
mod device_copy;
mod math;
mod ops;
mod random;
mod scalar;
mod vector;
