//! The interpreter as a way to run a launch.

use std::sync::Arc;

use syclone_kernel_ast::bound::BoundFunction;
use syclone_kernel_ast::interp::{self, Fault, Launch, NoObserver};
use syclone_runtime::{Device, Error, Name, Result};

use super::checked::Checks;
use super::grid::Grid;
use super::outside;
use crate::abi::kernel::{Kernel, KernelMeta};
use crate::kernel::ParamTuple;
use crate::types::builtins::MathBuiltins;

/// A kernel as the interpreter runs it, for any number of runs.
pub struct Interpreted {
    function: Arc<BoundFunction>,
    code: interp::Kernel,
}

impl Interpreted {
    /// Types and compiles a kernel's tree.
    ///
    /// # Errors
    /// [`Error::BuildFailed`] if rustc knows something of the kernel's types that the tree does not say, such as an operator
    /// of the program's own.
    pub fn new<const D: usize, K: Kernel<D>>(
        device: &Device,
        kernel: &K,
        meta: &KernelMeta<D>,
        params: K::Params,
    ) -> Result<Self> {
        let function = kernel.bound();
        let code = interp::Kernel::new(&function, &MathBuiltins).map_err(|fault| match fault {
            Fault::Untyped(log) => Error::BuildFailed {
                kernel: Name::Borrowed(meta.name),
                device: device.info().selector.clone(),
                log: log.to_string(),
            },
            fault => error(meta, params, fault, &device.info().selector),
        })?;
        Ok(Interpreted { function, code })
    }
}

/// Interprets a whole launch on `device`, with checks if it is the command with this number on a checked device.
///
/// # Safety
/// As for [`Kernel::group`].
pub unsafe fn run<const D: usize>(
    kernel: &Interpreted,
    meta: &KernelMeta<D>,
    params: impl ParamTuple,
    grid: &Grid<D>,
    sub_group_size: usize,
    checks: Option<(&Checks, u64)>,
    device: &str,
) -> Result<()> {
    let launch = Launch {
        function: Arc::clone(&kernel.function),
        args: params.args(),
        global: in_three(grid.global),
        local: in_three(grid.local.unwrap_or([1; D])),
        sub_group_size,
        overflow_checks: cfg!(debug_assertions),
    };
    // SAFETY: the arguments are the launch's own, whose memory is alive and ordered by the caller's promise.
    let result = unsafe {
        match checks {
            Some((checks, command)) => checks.run(&Name::Borrowed(meta.name), command, &kernel.code, &launch),
            None => kernel.code.run(&launch, &MathBuiltins, &mut NoObserver),
        }
    };
    result.map_err(|fault| error(meta, params, fault, device))
}

/// Missing dimensions are 1 in front.
fn in_three<const D: usize>(extents: [usize; D]) -> [usize; 3] {
    let mut all = [1; 3];
    all[3 - D..].copy_from_slice(&extents);
    all
}

fn error<const D: usize>(meta: &KernelMeta<D>, params: impl ParamTuple, fault: Fault, device: &str) -> Error {
    let kernel = Name::Borrowed(meta.name);
    match fault {
        Fault::OutOfBounds(faults) => {
            // As native code, which knows only what was touched, and not when: the first parameter by position. The
            // interpreter counts the item as one.
            let first = faults.iter().filter_map(|fault| fault.position).min();
            let position = first.map(|position| position - usize::from(D > 0));
            outside(meta, params, position, device, faults.len() as u64)
        }
        Fault::Divergence { line, arrived, expected, .. } => {
            Error::Divergence { kernel, device: device.to_owned(), line, arrived, expected }
        }
        Fault::Assertion { message, file, line, item } => {
            let item = item.as_slice().to_vec();
            Error::AssertionFailed { kernel, device: device.into(), message, item, file: file.into(), line }
        }
        fault => Error::KernelPanic { kernel, device: device.to_owned(), message: fault.to_string() },
    }
}
