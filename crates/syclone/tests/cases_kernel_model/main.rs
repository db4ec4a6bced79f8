//! What other implementations of the programming model got wrong, with the right values; each in every way to run it.

#[path = "../rig/mod.rs"]
mod rig;

mod bounds;
mod commands;
mod empty;
mod groups;
mod memory;
