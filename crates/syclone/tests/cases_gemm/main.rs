//! What other implementations got wrong in matrix products, with the right values: layouts, precision, sizes of zero and
//! one, small integers. The kernels are written here, in ways that users write them.

#[path = "../rig/mod.rs"]
mod rig;

mod integers;
mod layouts;
mod precision;
mod products;
mod sizes;
