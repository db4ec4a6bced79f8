//! Conformance: SYCL-CTS's categories, in our own words, run on every device.
//!
//! | module | its one job |
//! | --- | --- |
//! | [`categories`] | the table of contents, and the tests of each category |
//! | [`devices`] | on which devices they run |
//! | [`page`] | `docs/conformance.md`, generated from a run |
//!
//! A test is a function of a queue. Its expected values come from a plain loop or a formula on the host. On a checked
//! device it runs on a device of its own, which must have nothing to report at the end, unless it is about mistakes.

pub mod categories;
pub mod devices;
pub mod page;

use std::panic::{AssertUnwindSafe, catch_unwind};

use syclone::prelude::*;

/// One behaviour that every device must have.
#[derive(Clone, Copy)]
pub struct Test {
    /// A sentence, with `_` for spaces.
    pub name: &'static str,
    /// What the device must have; without it the test does not apply.
    pub needs: &'static [Aspect],
    /// Whether its kernels are mistaken on purpose, so that a checked device reports them.
    pub mistaken: bool,
    /// Panics or returns an error if the behaviour is another one.
    pub run: fn(&Queue) -> Result<()>,
}

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it must.
    Passed,
    /// The device lacks the aspect.
    DoesNotApply(Aspect),
    /// Otherwise, with what was said.
    Failed(String),
}

impl Test {
    /// Runs the test on the device that `selector` selects.
    pub fn run_on(&self, device: &Device) -> Outcome {
        if let Some(&missing) = self.needs.iter().find(|&&aspect| !device.has(aspect)) {
            return Outcome::DoesNotApply(missing);
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let own = if device.is_checked() { Device::cpu_checked()? } else { device.clone() };
            let queue = Queue::new(&own)?;
            (self.run)(&queue)?;
            // What a test expects to fail, it has waited for itself; errors of commands may come again here.
            let _ = queue.wait();
            Ok::<_, Error>(if own.is_checked() && !self.mistaken { syclone::check::unclean(&own, false) } else { None })
        }));
        match outcome {
            Ok(Ok(None)) => Outcome::Passed,
            Ok(Ok(Some(reports))) => Outcome::Failed(reports),
            Ok(Err(error)) => Outcome::Failed(error.to_string()),
            Err(panic) => Outcome::Failed(
                panic
                    .downcast_ref::<String>()
                    .cloned()
                    .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
                    .unwrap_or_else(|| "a panic without words".to_owned()),
            ),
        }
    }

    /// The name as a sentence.
    pub fn sentence(&self) -> String {
        self.name.replace('_', " ")
    }
}

/// Declares the tests of a category, as functions of a queue and as the list `TESTS`.
///
/// `fn name(queue) { … }`, with `needs Fp64;` in front for what not every device has, or `#[mistaken]` for kernels that
/// are wrong on purpose.
#[macro_export]
macro_rules! tests {
    ($($(needs $($aspect:ident),+;)? $(#[$mark:ident])? fn $name:ident($queue:ident) $body:block)*) => {
        /// The tests of this category.
        pub const TESTS: &[$crate::Test] = &[$($crate::Test {
            name: stringify!($name),
            needs: &[$($(::syclone::prelude::Aspect::$aspect),+)?],
            mistaken: $crate::tests!(@ $($mark)?),
            run: $name,
        }),*];

        $(fn $name($queue: &::syclone::prelude::Queue) -> ::syclone::prelude::Result<()> {
            let _: &::syclone::prelude::Queue = $queue;
            $body
            #[allow(unreachable_code)]
            Ok(())
        })*
    };
    (@ mistaken) => { true };
    (@) => { false };
}
