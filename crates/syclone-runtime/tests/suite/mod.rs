//! What every device must do: written once, and run on each by a test program of its own (`on_cpu`, `on_dry_run`), whose
//! `device_with` makes a device for the tests.

mod barriers;
mod dependencies;
mod failure;
mod graphs;
mod handlers;
mod host;
mod launches;
mod lifetime;
mod order;
mod random;
