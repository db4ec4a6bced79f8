//! Launching a kernel on the CPU device: checks, division of the work into chunks, and running them.
//!
//! [`prepare`] checks everything that can be known before a launch, so that what is submitted can only fail in the
//! kernel itself. The work is divided by `grid`; each chunk runs its groups one after another on one worker, in the
//! way and with the instruction set that were chosen here.

mod aspects;
mod checked;
mod circle;
mod grid;
mod interpreted;
mod isa;

use std::cell::RefCell;
use std::sync::Arc;

use syclone_kernel_ast::interp::{Arg, Global};
use syclone_kernel_ast::types::Type;
use syclone_runtime::{Access, Device, Error, Isa, KernelWork, Name, Result, Worker};

use self::checked::Checks;
use self::grid::Grid;
use self::interpreted::Interpreted;
use super::arena::Arena;
use super::group_cx::GroupMemory;
use super::kernel::{Form, Kernel, KernelMeta};
use super::message::{Output, Printed};
use super::ways::{self, Way};
use crate::api::{Launch, LaunchShape};
use crate::kernel::param::ParamKind;
use crate::kernel::{ParamTuple, Reduction};
use crate::types::compared::take_faults;

impl<const D: usize, K: Kernel<D>> Launch<D> for K {
    type Params = K::Params;

    fn name(&self) -> Name {
        Name::Borrowed(self.meta().name)
    }

    fn parameter_name(&self, position: usize) -> Option<&'static str> {
        self.meta().parameter(position)
    }

    unsafe fn params(&self) -> K::Params {
        // SAFETY: the caller's promise.
        unsafe { Kernel::params(self) }
    }

    fn text(&self) -> String {
        self.bound().tree.to_string()
    }

    fn prepare(self, device: &Device, shape: LaunchShape<D>) -> Result<Box<dyn KernelWork>> {
        Ok(Box::new(prepare(device, shape, self)?))
    }

    unsafe fn launch_on(
        self,
        queue: &syclone_runtime::Queue,
        shape: LaunchShape<D>,
        accesses: &mut [Option<Access>],
    ) -> Result<()> {
        let work = prepare(queue.device(), shape, self)?;
        // SAFETY: the caller's promise.
        unsafe { queue.launch(work, accesses) }
    }
}

/// The work of a launch.
///
/// # Errors
/// What the device or the kernel cannot do of the shape: the error names the kernel, the limit and the value.
pub fn prepare<const D: usize, K: Kernel<D>>(
    device: &Device,
    shape: LaunchShape<D>,
    kernel: K,
) -> Result<impl KernelWork + 'static> {
    let meta = kernel.meta();
    let local = work_group_size(&meta, K::Form::GROUPS, &shape)?;
    if let Some(local) = local {
        device.check_nd_range(&Name::Borrowed(meta.name), &shape.global, &local)?;
    }
    let total = item_count(&meta, &shape)?;
    let sub_group_size = sub_group_size(device, &meta, shape.sub_group_size)?;
    // SAFETY: used by this launch.
    let params = unsafe { Kernel::params(&kernel) };
    check_local_memory(device, &meta, params)?;
    let checks = Checks::of(device);
    let way = if checks.is_some() { Way::Interpreter } else { choose_way(&meta, K::Form::GROUPS)? };
    circle::check(&kernel, &meta)?;
    aspects::check(device, &kernel, &meta)?;
    let params = params.with_faults();
    let mut reduces = false;
    params.each(&mut |_, info| reduces |= info.kind == ParamKind::Reducer);
    let interpreted = match way {
        Way::Interpreter => Some(Interpreted::new(device, &kernel, &meta, params)?),
        _ => None,
    };
    let mut grid = Grid::new(shape.global, local, total, device.info().compute_units, reduces);
    if way == Way::Interpreter {
        grid = grid.in_one_chunk();
    }
    let mut reductions = Vec::new();
    // The interpreter runs one chunk, and combines into its first partial result.
    let params = if reduces { params.with_chunks(grid.chunks().max(1), &mut reductions) } else { params };
    let isa = device.info().isa;
    let printed = Printed::here();
    Ok(LaunchWork { kernel, interpreted, meta, params, grid, sub_group_size, way, isa, reductions, checks, printed })
}

/// How many items a launch has, which must be a number that addresses can have.
fn item_count<const D: usize>(meta: &KernelMeta<D>, shape: &LaunchShape<D>) -> Result<usize> {
    if shape.global.contains(&0) {
        return Ok(0);
    }
    let total = shape.global.iter().try_fold(1usize, |all, &n| all.checked_mul(n));
    total.filter(|&n| n <= isize::MAX as usize).ok_or_else(|| Error::LaunchShape {
        kernel: Name::Borrowed(meta.name),
        problem: format!("a range of {:?} has more than {} items", shape.global, isize::MAX),
        advice: "launch fewer items".to_owned(),
    })
}

/// The size of a group, if there are groups.
fn work_group_size<const D: usize>(
    meta: &KernelMeta<D>,
    groups: bool,
    shape: &LaunchShape<D>,
) -> Result<Option<[usize; D]>> {
    let mismatch = |problem: String, advice: &str| {
        Err(Error::LaunchShape { kernel: Name::Borrowed(meta.name), problem, advice: advice.to_owned() })
    };
    match (groups, shape.local) {
        (false, Some(_)) if D > 0 => mismatch(
            "it takes an Item and has no work-groups, but the launch asks for some".into(),
            "launch it over a plain range, or let it take an NdItem",
        ),
        (true, None) => match meta.work_group_size {
            Some(size) => Ok(Some(size)),
            None => mismatch(
                "it takes an NdItem, but the launch has no work-group size".into(),
                "launch it over an NdRange, or declare `#[kernel(work_group_size(…))]`",
            ),
        },
        (true, Some(local)) => match meta.work_group_size {
            Some(required) if required != local => mismatch(
                format!("it is declared for work-groups of {required:?}, but the launch asks for {local:?}"),
                "launch it with the declared size",
            ),
            _ => Ok(Some(local)),
        },
        (false, _) => Ok(None),
    }
}

fn sub_group_size<const D: usize>(device: &Device, meta: &KernelMeta<D>, asked: Option<usize>) -> Result<usize> {
    let asked = asked.or(meta.sub_group_size).unwrap_or(device.info().default_sub_group_size);
    device.check_sub_group_size(&Name::Borrowed(meta.name), asked)?;
    Ok(asked)
}

fn check_local_memory<const D: usize>(device: &Device, meta: &KernelMeta<D>, params: impl ParamTuple) -> Result<()> {
    let mut asked = meta.local_bytes;
    params.each(&mut |_, info| asked = asked.saturating_add(info.local_bytes));
    let limit = device.info().local_memory_bytes;
    let largest_tile = match meta.work_group_size.unwrap_or([0; D])[..] {
        // Local memory of square groups grows with the square of their side.
        [rows, columns] if rows == columns && rows > 0 => {
            (1..rows).rev().find(|side| asked / (rows * columns) * side * side <= limit)
        }
        _ => None,
    };
    device.check_local_memory(&Name::Borrowed(meta.name), asked, largest_tile)
}

fn choose_way<const D: usize>(meta: &KernelMeta<D>, groups: bool) -> Result<Way> {
    let best = if meta.not_split.is_none() { Way::Regions } else { Way::LockStep };
    Ok(match ways::asked()? {
        // Without groups there is nothing to wait for: items in lock-step are items in loops.
        Some(Way::LockStep) if !groups => best,
        Some(Way::LockStep) if !meta.lock_step => {
            return Err(Error::LaunchShape {
                kernel: Name::Borrowed(meta.name),
                problem: "the lock-step way was asked for, and the kernel is compiled for regions only".into(),
                advice: "declare it `#[kernel(fallback)]` to have both".into(),
            });
        }
        Some(Way::Regions) | None => best,
        Some(way) => way,
    })
}

struct LaunchWork<const D: usize, K: Kernel<D>> {
    kernel: K,
    /// If that is the way.
    interpreted: Option<Interpreted>,
    meta: KernelMeta<D>,
    params: K::Params,
    grid: Grid<D>,
    sub_group_size: usize,
    way: Way,
    isa: Isa,
    reductions: Vec<Arc<dyn Reduction>>,
    /// On a checked device.
    checks: Option<Checks>,
    printed: Printed,
}

thread_local! {
    /// Storage that a worker keeps from chunk to chunk.
    static ARENA: RefCell<Arena> = const { RefCell::new(Arena::new()) };
}

impl<const D: usize, K: Kernel<D>> KernelWork for LaunchWork<D, K> {
    fn name(&self) -> Name {
        Name::Borrowed(self.meta.name)
    }

    fn chunks(&self) -> usize {
        self.grid.chunks()
    }

    fn uses(&mut self, accesses: &[Access]) {
        if let Some(checks) = &mut self.checks {
            checks.uses(accesses);
        }
    }

    fn checks_itself(&self) -> bool {
        self.checks.is_some()
    }

    unsafe fn run(&self, chunk: usize, worker: &mut Worker) -> Result<()> {
        // SAFETY: the caller's promise.
        let ended = self.printed.during(chunk, || unsafe { self.run_chunk(chunk, worker) });
        ended.unwrap_or_else(|failed| Err(failed.error(self.name(), worker.device())))
    }

    fn rewind(&self, output: Option<&Output>) {
        self.printed.rewind(output);
        for reduction in &self.reductions {
            // SAFETY: a launch is rewound between its runs.
            unsafe { reduction.rewind() };
        }
    }

    fn finish(&self) -> Result<()> {
        self.printed.finish();
        if let Some(checks) = &self.checks {
            self.params.each(&mut |position, info| {
                if info.kind == ParamKind::Reducer {
                    checks.reduces(&self.name(), self.meta.parameter(position), &info);
                }
            });
        }
        for reduction in &self.reductions {
            // SAFETY: all chunks have ended.
            unsafe { reduction.finish() };
        }
        Ok(())
    }
}

impl<const D: usize, K: Kernel<D>> LaunchWork<D, K> {
    /// Runs the groups of a chunk.
    ///
    /// # Safety
    /// As for [`KernelWork::run`].
    unsafe fn run_chunk(&self, chunk: usize, worker: &mut Worker) -> Result<()> {
        if let Some(kernel) = &self.interpreted {
            // SAFETY: the caller's promise about the memory.
            return unsafe {
                let checks = self.checks.as_ref().map(|checks| (checks, worker.command()));
                let device = worker.device();
                interpreted::run(kernel, &self.meta, self.params, &self.grid, self.sub_group_size, checks, device)
            };
        }
        let (local, bytes) = worker.local_memory();
        ARENA.with_borrow_mut(|arena| {
            // SAFETY: the block is the worker's own, aligned to 64 bytes, and used by no other chunk meanwhile.
            let memory = unsafe { GroupMemory::with_arena(local, bytes, std::mem::take(arena)) };
            let lock_step = self.way == Way::LockStep;
            // SAFETY: the caller's promise about the memory, and the processor has the instruction set.
            unsafe {
                isa::run(
                    self.isa,
                    &self.kernel,
                    self.params,
                    &self.grid,
                    chunk,
                    self.sub_group_size,
                    lock_step,
                    &memory,
                )
            };
            let result = self.report(&memory, worker.device());
            *arena = memory.into_arena();
            result
        })
    }

    /// What went wrong in a chunk, as an error.
    fn report(&self, memory: &GroupMemory, device: &str) -> Result<()> {
        if let Some(divergence) = memory.take_divergence() {
            return Err(Error::Divergence {
                kernel: Name::Borrowed(self.meta.name),
                device: device.to_owned(),
                line: divergence.line,
                arrived: divergence.arrived,
                expected: divergence.expected,
            });
        }
        let faults = memory.take_faults() | take_faults();
        if faults == 0 {
            return Ok(());
        }
        // The first parameter whose bit is set; the last bits have none.
        let position = Some(faults.trailing_zeros() as usize).filter(|&position| position < 30);
        Err(outside(&self.meta, self.params, position, device, 1))
    }
}

/// The error of an access outside of the parameter at this position, or else of an array.
fn outside<const D: usize, P: ParamTuple>(
    meta: &KernelMeta<D>,
    params: P,
    position: Option<usize>,
    device: &str,
    count: u64,
) -> Error {
    let extents_at = |position: usize| {
        let dims = P::types().get(position).and_then(Type::dims).map_or(0, usize::from);
        match params.args().into_iter().nth(position) {
            Some(Arg::Global(Global { extents, .. }) | Arg::LocalAccessor { extents, .. }) => {
                extents[3 - dims..].to_vec()
            }
            _ => Vec::new(),
        }
    };
    let parameter = match position {
        Some(position) => meta.parameter(position).map_or(Name::Borrowed("a parameter"), Name::Borrowed),
        None => Name::Borrowed(ARRAY),
    };
    let (kernel, device) = (Name::Borrowed(meta.name), device.to_owned());
    Error::OutOfBounds { kernel, device, parameter, extents: position.map_or_else(Vec::new, extents_at), count }
}

/// What an index was out of where that is no parameter.
const ARRAY: &str = "a local or private array, or a vector";
