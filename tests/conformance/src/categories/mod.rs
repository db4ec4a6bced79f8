//! The table of contents: SYCL-CTS's categories by the same names, and what stands for each here.

mod atomics;
mod commands;
mod devices;
mod failures;
mod groups;
mod kernels;
mod memory;
mod ranges;
mod reductions;
mod streams;
mod values;
mod vectors;

use syclone::prelude::*;

use crate::Test;

/// A category of SYCL-CTS.
pub struct Category {
    /// Its name.
    pub name: &'static str,
    /// What it is about here.
    pub about: &'static str,
    /// Its tests, or why there are none.
    pub content: Content,
}

/// What there is of a category.
pub enum Content {
    /// Tests.
    Tests(&'static [Test]),
    /// Nothing yet.
    Later {
        /// What it waits for.
        why: &'static str,
    },
    /// Nothing, ever.
    Never {
        /// Why.
        why: &'static str,
    },
}

impl Category {
    /// The category's tests.
    pub fn tests(&self) -> &'static [Test] {
        match self.content {
            Content::Tests(tests) => tests,
            _ => &[],
        }
    }
}

macro_rules! contents {
    ($($name:literal: $about:literal, $kind:ident($content:expr);)*) => {
        &[$(Category { name: $name, about: $about, content: contents!(@ $kind $content) }),*]
    };
    (@ tests $tests:expr) => { Content::Tests($tests) };
    (@ later $why:expr) => { Content::Later { why: $why } };
    (@ never $why:expr) => { Content::Never { why: $why } };
}

/// All categories, in SYCL-CTS's order.
pub const CATEGORIES: &[Category] = contents! {
    "accessor": "what a command declares about a buffer, and the order that follows", tests(memory::accessor::TESTS);
    "atomic_fence": "messages between work-items", tests(atomics::atomic_fence::TESTS);
    "atomic_ref": "atomic operations on global and local memory", tests(atomics::atomic_ref::TESTS);
    "bit_cast": "numbers as their bits, in kernels", tests(values::bit_cast::TESTS);
    "buffer": "memory that the runtime keeps in order", tests(memory::buffer::TESTS);
    "context": "memory across queues and devices; a context object does not exist", tests(devices::context::TESTS);
    "device": "what a device says of itself", tests(devices::device::TESTS);
    "device_selector": "devices by one string", tests(devices::device_selector::TESTS);
    "errors": "an error is a value, and names what was wrong", tests(failures::errors::TESTS);
    "event": "commands that can be waited for and followed", tests(commands::event::TESTS);
    "exceptions": "errors of running commands, and what they leave alone", tests(failures::exceptions::TESTS);
    "exclusive scan": "group, sub-group and joint exclusive scans", tests(groups::exclusive_scan::TESTS);
    "inclusive scan": "group, sub-group and joint inclusive scans", tests(groups::inclusive_scan::TESTS);
    "function objects": "the operators of reductions and scans", tests(groups::function_objects::TESTS);
    "group": "work-groups, their ids and their barrier", tests(ranges::group::TESTS);
    "group_functions": "broadcast, any, all, none, shifts, select, reduce", tests(groups::group_functions::TESTS);
    "handler": "command groups: copies, fills, dependencies", tests(commands::handler::TESTS);
    "hierarchical": "kernels written as nested loops over groups and items",
        never("SYCL 2020 itself deprecates them; barriers and group algorithms say the same.");
    "host_accessor": "the host's turn at memory", tests(memory::host_accessor::TESTS);
    "host_task": "closures with a place in the order", tests(commands::host_task::TESTS);
    "id": "indices, row by row", tests(ranges::id::TESTS);
    "interop": "native handles of the back end, peer access",
        later("It comes with the first back end that has native objects; the CPU device has none.");
    "invoke": "the forms of a launch", tests(kernels::invoke::TESTS);
    "item": "work-items of a plain range", tests(ranges::item::TESTS);
    "kernel": "what a kernel may be", tests(kernels::kernel::TESTS);
    "kernel_bundle": "building kernels at run time, and keeping what was built",
        later("It comes with the first back end that compiles at run time; the CPU's kernels are in the program.");
    "kernel_args": "what a kernel may be given", tests(kernels::kernel_args::TESTS);
    "local_accessor": "local memory, static and sized at the launch", tests(memory::local_accessor::TESTS);
    "marray": "arrays of numbers as values, `[T; N]`", tests(values::marray::TESTS);
    "math_builtin_api": "mathematical functions in kernels", tests(values::math_builtin_api::TESTS);
    "matrix": "matrix units (joint_matrix)",
        later("`MatrixFragment` does not exist yet; it comes with its aspect and its list of supported shapes.");
    "nd_item": "work-items in work-groups", tests(ranges::nd_item::TESTS);
    "nd_range": "index spaces that are cut into work-groups", tests(ranges::nd_range::TESTS);
    "optional kernel features": "what not every device has, and sizes that a kernel asks for",
        tests(kernels::optional_features::TESTS);
    "platform": "the back ends of this machine", tests(devices::platform::TESTS);
    "queue": "in and out of order, from any thread", tests(commands::queue::TESTS);
    "range": "index spaces of one to three dimensions", tests(ranges::range::TESTS);
    "reduction": "reductions over a whole launch", tests(reductions::reduction::TESTS);
    "sampler": "images and how they are read",
        never("Images and samplers are no part of the model: hardly anybody uses them, and few back ends have them.");
    "spec constants": "specialised arguments", tests(kernels::spec_constants::TESTS);
    "stream": "text from kernels, `kprintln!`, and their assertions", tests(streams::stream::TESTS);
    "sub_group": "sub-groups and their exchanges", tests(groups::sub_group::TESTS);
    "usm": "device, host and shared allocations", tests(memory::usm::TESTS);
    "vector_api": "lanes, conversions and relations of short vectors", tests(vectors::api::TESTS);
    "vector_constructors": "how short vectors are made", tests(vectors::constructors::TESTS);
    "vector_load_store": "short vectors in memory of scalars", tests(vectors::load_store::TESTS);
    "vector_operators": "arithmetic by lane", tests(vectors::operators::TESTS);
    "vector_swizzles": "lanes in another order", tests(vectors::swizzles::TESTS);
};

/// What a kernel leaves in a new buffer of `len` elements: `launch` launches it with that and one that holds `x`.
fn written<I: DeviceCopy, O: DeviceCopy>(
    queue: &Queue,
    x: &[I],
    len: usize,
    launch: impl FnOnce(&Handler<'_>, &Buffer<I>, &Buffer<O>) -> Result<()>,
) -> Result<Vec<O>> {
    let (x, out) = (Buffer::from_slice(x), Buffer::<O>::new(len));
    queue.submit(|h| launch(h, &x, &out))?;
    out.to_vec()
}
