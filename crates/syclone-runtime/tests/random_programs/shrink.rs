//! Makes a failing program smaller, so that a person can read it.

use std::time::{Duration, Instant};

use crate::program::{Op, Program, Work};

/// How long it may take.
const BUDGET: Duration = Duration::from_secs(30);

/// The smallest program found that still fails.
pub fn shrink(program: &Program, fails: impl Fn(&Program) -> bool) -> Program {
    let end = Instant::now() + BUDGET;
    let mut smallest = program.clone();
    loop {
        let before = size(&smallest);
        leave_out_operations(&mut smallest, &fails, end);
        simplify_operations(&mut smallest, &fails, end);
        if size(&smallest) == before || Instant::now() >= end {
            return smallest;
        }
    }
}

/// Something that each simplification makes smaller.
fn size(program: &Program) -> usize {
    program.ops.iter().map(|op| 1 + format!("{op:?}").len()).sum()
}

/// Leaves out runs of operations, long ones first.
fn leave_out_operations(program: &mut Program, fails: &impl Fn(&Program) -> bool, end: Instant) {
    let mut len = program.ops.len().div_ceil(2);
    while len > 0 {
        let mut start = 0;
        while start < program.ops.len() && Instant::now() < end {
            let mut candidate = program.clone();
            candidate.ops.drain(start..(start + len).min(program.ops.len()));
            if fails(&candidate) {
                *program = candidate;
            } else {
                start += len;
            }
        }
        len /= 2;
    }
}

/// Leaves out parts of single operations.
fn simplify_operations(program: &mut Program, fails: &impl Fn(&Program) -> bool, end: Instant) {
    for position in 0..program.ops.len() {
        let mut tried = 0;
        while let Some(simpler) = simpler(&program.ops[position]).into_iter().nth(tried) {
            if Instant::now() >= end {
                return;
            }
            let mut candidate = program.clone();
            candidate.ops[position] = simpler;
            if fails(&candidate) {
                *program = candidate;
                tried = 0;
            } else {
                tried += 1;
            }
        }
    }
}

/// Operations that are a little less than this one.
fn simpler(op: &Op) -> Vec<Op> {
    let mut simpler = Vec::new();
    match op {
        Op::Submit { queue, work, after } => {
            for after in without_one(after) {
                simpler.push(Op::Submit { queue: *queue, work: work.clone(), after });
            }
            for work in simpler_work(work) {
                simpler.push(Op::Submit { queue: *queue, work, after: after.clone() });
            }
        }
        Op::Launch { queue, uses, effect } => {
            for uses in without_one(uses) {
                simpler.push(Op::Launch { queue: *queue, uses, effect: *effect });
            }
        }
        Op::NewGraph { device, in_order, steps } => {
            for steps in without_one(steps) {
                simpler.push(Op::NewGraph { device: *device, in_order: *in_order, steps });
            }
            for (position, (work, _)) in steps.iter().enumerate() {
                for work in simpler_work(work) {
                    let mut steps = steps.clone();
                    steps[position].0 = work;
                    simpler.push(Op::NewGraph { device: *device, in_order: *in_order, steps });
                }
            }
        }
        Op::Replay { graph, queue, after } => {
            for after in without_one(after) {
                simpler.push(Op::Replay { graph: *graph, queue: *queue, after });
            }
        }
        Op::Step { device, times } if *times > 1 => simpler.push(Op::Step { device: *device, times: times - 1 }),
        _ => {}
    }
    simpler
}

fn simpler_work(work: &Work) -> Vec<Work> {
    match work {
        Work::Kernel { uses, effect } => without_one(uses).map(|uses| Work::Kernel { uses, effect: *effect }).collect(),
        Work::HostTask { uses, effect, then } => {
            let task = |uses, then| Work::HostTask { uses, effect: *effect, then };
            let mut simpler: Vec<Work> = without_one(then).map(|then| task(uses.clone(), then)).collect();
            simpler.extend(without_one(uses).map(|uses| task(uses, then.clone())));
            for (position, inner) in then.iter().enumerate() {
                for work in simpler_work(&inner.work) {
                    let mut then = then.clone();
                    then[position].work = work;
                    simpler.push(task(uses.clone(), then));
                }
            }
            simpler
        }
        Work::Copy { .. } | Work::Fill { .. } | Work::Empty => Vec::new(),
    }
}

/// The list without each of its entries in turn.
fn without_one<T: Clone>(list: &[T]) -> impl Iterator<Item = Vec<T>> {
    (0..list.len()).map(|left_out| {
        let mut list = list.to_vec();
        list.remove(left_out);
        list
    })
}
