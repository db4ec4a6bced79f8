//! Plain Rust on the host: what the portable kernels are compared with and checked against.
//!
//! Nothing here uses syclone. The threads, the instruction sets and the inputs of the native versions are
//! therefore a second opinion, not the same code measured twice.

pub mod element;
pub mod random;
pub mod simd;
pub mod team;

#[cfg(test)]
mod tests;
