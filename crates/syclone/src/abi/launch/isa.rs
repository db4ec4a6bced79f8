//! One copy of a kernel for each instruction set: the kernel's own code is inlined into functions that enable it.

use syclone_runtime::Isa;

use super::grid::{Grid, Unit};
use crate::abi::group_cx::{GroupCx, GroupMemory};
use crate::abi::kernel::Kernel;

/// Runs a chunk with the instruction set.
///
/// # Safety
/// As for [`Kernel::group`], and the processor has the instruction set.
#[expect(clippy::too_many_arguments, reason = "a launch has this many parts")]
pub unsafe fn run<const D: usize, K: Kernel<D>>(
    isa: Isa,
    kernel: &K,
    params: K::Params,
    grid: &Grid<D>,
    chunk: usize,
    sub_group_size: usize,
    lock_step: bool,
    memory: &GroupMemory,
) {
    // The slow form is compiled once: what it costs is the waiting, not the arithmetic.
    if lock_step {
        // SAFETY: the caller's promise.
        return unsafe { groups::<D, K, true>(kernel, params, grid, chunk, sub_group_size, memory) };
    }
    // Debug builds are for stepping through: one copy, quick to compile.
    #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
    match isa {
        // SAFETY: the caller's promise.
        Isa::Avx512 => return unsafe { avx512(kernel, params, grid, chunk, sub_group_size, memory) },
        // SAFETY: the caller's promise.
        Isa::Avx2 => return unsafe { avx2(kernel, params, grid, chunk, sub_group_size, memory) },
        _ => {}
    }
    let _ = isa;
    // SAFETY: the caller's promise.
    unsafe { groups::<D, K, false>(kernel, params, grid, chunk, sub_group_size, memory) }
}

/// A copy of [`groups`] that may use these instructions.
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
macro_rules! copy_for {
    ($name:ident, $features:literal) => {
        #[target_feature(enable = $features)]
        unsafe fn $name<const D: usize, K: Kernel<D>>(
            kernel: &K,
            params: K::Params,
            grid: &Grid<D>,
            chunk: usize,
            sub_group_size: usize,
            memory: &GroupMemory,
        ) {
            // SAFETY: the caller's promise.
            unsafe { groups::<D, K, false>(kernel, params, grid, chunk, sub_group_size, memory) }
        }
    };
}

#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
copy_for!(avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt");
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
copy_for!(avx2, "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt");

#[inline(always)]
unsafe fn groups<const D: usize, K: Kernel<D>, const LOCK_STEP: bool>(
    kernel: &K,
    params: K::Params,
    grid: &Grid<D>,
    chunk: usize,
    sub_group_size: usize,
    memory: &GroupMemory,
) {
    let local = grid.local.unwrap_or([1; D]);
    grid.each_unit(
        chunk,
        #[inline(always)]
        |unit| {
            let group = match unit {
                // SAFETY: the memory outlives the group, and this worker runs one group at a time.
                Unit::Group(id, range) => unsafe { GroupCx::nd_range(id, range, local, sub_group_size, chunk, memory) },
                // SAFETY: as above.
                Unit::Box(offset, extents) => unsafe { GroupCx::range(offset, extents, grid.global, chunk, memory) },
            };
            // SAFETY: the caller's promise.
            unsafe {
                if LOCK_STEP {
                    kernel.group_lock_step(params, &group);
                } else {
                    kernel.group(params, &group);
                }
            }
            // Groups after a divergence would only repeat it.
            !memory.has_report()
        },
    );
}
