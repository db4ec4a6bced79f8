//! The proc macros of syclone.
mod frontend;
