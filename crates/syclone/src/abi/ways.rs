//! The ways in which the CPU device can run a kernel, and the choice between them.
//!
//! All ways give the same results; tests run every kernel in each. The choice is the region form where there is one,
//! else lock-step; `SYCLONE_CPU_WAY` or [`with_way`] override it.

use std::cell::Cell;
use std::sync::OnceLock;

use syclone_runtime::{Error, Result};

/// A way to run a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Item loops between barriers: the fast native form.
    Regions,
    /// One future an item, polled in lock-step.
    LockStep,
    /// The interpreter of the kernel tree.
    Interpreter,
}

impl Way {
    /// All ways.
    pub const ALL: [Way; 3] = [Way::Regions, Way::LockStep, Way::Interpreter];

    /// The name that `SYCLONE_CPU_WAY` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Way::Regions => "regions",
            Way::LockStep => "lock-step",
            Way::Interpreter => "interpreter",
        }
    }

    fn from_env() -> Result<Option<Way>> {
        static CHOICE: OnceLock<Result<Option<Way>>> = OnceLock::new();
        CHOICE
            .get_or_init(|| {
                let Some(value) = syclone_runtime::environment::variable("SYCLONE_CPU_WAY") else { return Ok(None) };
                match Way::ALL.into_iter().find(|way| way.name() == value) {
                    Some(way) => Ok(Some(way)),
                    None => Err(Error::InvalidEnvironment {
                        variable: "SYCLONE_CPU_WAY",
                        value,
                        expected: format!("a way to run kernels ({})", Way::ALL.map(Way::name).join(", ")),
                    }),
                }
            })
            .clone()
    }
}

thread_local! {
    static FORCED: Cell<Option<Way>> = const { Cell::new(None) };
}

/// Runs `f`, in which every launch that this thread submits runs in this way.
pub fn with_way<R>(way: Way, f: impl FnOnce() -> R) -> R {
    struct Restore(Option<Way>);
    impl Drop for Restore {
        fn drop(&mut self) {
            FORCED.set(self.0);
        }
    }
    let _restore = Restore(FORCED.replace(Some(way)));
    f()
}

/// An error when `SYCLONE_CPU_WAY` holds what is no way. Queues ask when they are made, so that the first launch is not
/// where it comes out.
pub fn check_environment() -> Result<()> {
    Way::from_env().map(drop)
}

/// What has been asked for, if anything.
pub(crate) fn asked() -> Result<Option<Way>> {
    match FORCED.get() {
        Some(way) => Ok(Some(way)),
        None => Way::from_env(),
    }
}
