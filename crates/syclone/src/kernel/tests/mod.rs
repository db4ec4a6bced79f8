//! Tests of handles and places, and of what kernels do with them.

mod atomics;
mod items;
mod params;
mod places;
mod reducers;
