//! Planted mistakes in odd surroundings, each found at its line with the items that make it: helpers, generic kernels,
//! graphs, launches without events, inline kernels, parts of buffers. And correct kernels in the same surroundings, which
//! are silent.

mod check_rig;

use check_rig::*;
use syclone::check::ReportKind::*;
use syclone::prelude::*;

fn line(name: &str) -> u32 {
    line_of(include_str!("check_odd.rs"), name)
}

fn groups() -> NdRange<1> {
    NdRange::new([16], [8])
}

#[device_fn]
fn put<const N: usize>(tile: LocalAccessor<u32>, i: usize, v: u32) {
    tile[i % N] = v; // fault: helper race
}

#[kernel]
fn helper_race<const N: usize>(item: NdItem<1>, x: ItemMut<u32>, tile: LocalAccessor<u32>) {
    put::<N>(tile, item.local_id(0), x[item]);
    item.barrier();
    x[item] = tile[item.local_id(0) % N];
}

#[test]
fn a_race_inside_a_generic_helper() {
    let r = reports(|h| {
        h.parallel_for(groups(), helper_race::<4>(numbers(16).read_write(h), LocalAccessor::<u32>::new([8])))
    });
    expect_only(&r, DataRace, line("helper race"), &ids([4, 0]));
    let r = reports(|h| {
        h.parallel_for(groups(), helper_race::<8>(numbers(16).read_write(h), LocalAccessor::<u32>::new([8])))
    });
    expect_clean(&r);
}

#[device_fn]
trait Step: DeviceCopy {
    fn step(self, v: u8) -> u8;
}
#[derive(Clone, Copy, DeviceCopy)]
struct Add(u8);
#[derive(Clone, Copy, DeviceCopy)]
struct Mul {
    by: u8,
}
#[device_fn]
impl Step for Add {
    fn step(self, v: u8) -> u8 {
        v + self.0
    }
}
#[device_fn]
impl Step for Mul {
    fn step(self, v: u8) -> u8 {
        v * self.by // fault: trait mul
    }
}

#[kernel]
fn stepped<S: Step + DeviceCopy>(item: Item<1>, s: S, x: ItemMut<u8>) {
    x[item] = s.step(x[item]);
}

#[test]
fn overflow_in_a_trait_method() {
    let x = Buffer::from_vec(vec![1u8, 2, 100]);
    let r = reports(|h| h.parallel_for(3, stepped(Mul { by: 3 }, x.read_write(h))));
    expect_only(&r, Overflow, line("trait mul"), &ids([2]));
    let x = Buffer::from_vec(vec![1u8, 2, 100]);
    expect_clean(&reports(|h| h.parallel_for(3, stepped(Add(3), x.read_write(h)))));
}

#[kernel]
fn next(item: Item<1>, by: usize, x: View<u32>, y: ItemMut<u32>) {
    y[item] = x[item.id(0) + by]; // fault: next
}

#[kernel]
fn even(item: Item<1>, y: ItemMut<u32>) {
    if item.id(0) % 2 == 0 {
        y[item] = 1;
    }
}

#[kernel]
fn total(item: Item<1>, x: View<u32>, sum: Reducer<u32, Plus>) {
    sum.combine(x[item]);
}

#[kernel]
fn write_all(item: Item<1>, y: ItemMut<u32>) {
    y[item] = item.id(0) as u32;
}

#[test]
fn a_graph_whose_update_reads_out_of_bounds() {
    let queue = queue();
    let (x, y) = (numbers(8), numbers(8));
    let g = Graph::new(queue.device());
    let step = g.add(|h| h.parallel_for(8, next(0, x.read(h), y.write(h)))).unwrap();
    let g = g.instantiate().unwrap();
    for _ in 0..3 {
        queue.replay(&g).unwrap().wait().unwrap();
    }
    expect_clean(&queue.device().take_reports());
    g.update(&step, |h| h.parallel_for(8, next(2, x.read(h), y.write(h)))).unwrap();
    for _ in 0..3 {
        let _ = queue.replay(&g).unwrap().wait();
    }
    let r = queue.device().take_reports();
    let first: Vec<_> = r.iter().filter(|r| r.kind == OutOfBounds).collect();
    assert!(!first.is_empty() && first.iter().all(|r| r.line() == line("next") && r.items == ids([6])), "{r:?}");
}

#[test]
fn a_graph_that_reads_what_its_own_step_left_unwritten() {
    let queue = queue();
    let y = numbers(8);
    let mut x = queue.alloc_device::<u32>(8).unwrap();
    let (g, ()) = queue
        .record(|q| {
            q.parallel_for(8, even(x.item_mut()))?;
            q.submit(|h| h.parallel_for(8, next(0, x.view(), y.write(h)))).map(drop)
        })
        .unwrap();
    let g = g.instantiate().unwrap();
    queue.replay(&g).unwrap().wait().unwrap();
    expect_only(&queue.device().take_reports(), Unwritten, line("next"), &ids([1]));
}

#[test]
fn a_launch_without_an_event() {
    let queue = Queue::in_order(&{
        let d = Device::cpu_checked().unwrap();
        d.print_reports(false);
        d
    })
    .unwrap();
    let mut x = queue.alloc_device::<u32>(8).unwrap();
    let mut y = queue.alloc_device::<u32>(8).unwrap();
    queue.launch(8, even(x.item_mut())).unwrap();
    queue.launch(8, next(0, x.view(), y.item_mut())).unwrap();
    queue.launch(8, write_all(x.item_mut())).unwrap();
    queue.launch(8, next(1, x.view(), y.item_mut())).unwrap();
    let _ = queue.wait();
    let r = queue.device().take_reports();
    assert_eq!(r.len(), 2, "{r:?}");
    expect(&r, Unwritten, line("next"), &ids([1]));
    expect(&r, OutOfBounds, line("next"), &ids([7]));
}

#[test]
fn an_inline_kernel() {
    let (x, y) = (numbers(8), numbers(8));
    let shift = 31usize;
    let r = reports(|h| {
        let (x, y) = (x.read(h), y.write(h));
        h.parallel_for(
            8,
            syclone::kernel!(|item: Item<1>| {
                y[item] = 1u32 << (x[item] as usize + shift); // fault: inline shift
            }),
        )
    });
    expect_only(&r, ShiftTooFar, line("inline shift"), &ids([1]));
    // In debug builds the shift ends its launch, whose output holds no result.
    let (tile, y) = (LocalAccessor::<u32>::new([8]), numbers(8));
    let r = reports(|h| {
        let y = y.read_write(h);
        h.parallel_for(
            NdRange::new([8], [8]),
            syclone::kernel!(|item: NdItem<1>| {
                tile[item.local_id(0)] = y[item];
                y[item] = tile[item.local_id(0) ^ 1]; // fault: inline race
            }),
        )
    });
    expect(&r, DataRace, line("inline race"), &ids([1, 0]));
}

#[test]
fn parts_of_buffers_keep_apart_what_is_unwritten() {
    let queue = queue();
    let all = numbers(16);
    let (low, high, y) = (all.slice(..8).unwrap(), all.slice(8..).unwrap(), numbers(16));
    queue.submit(|h| h.parallel_for(8, even(low.write(h)))).unwrap();
    queue.submit(|h| h.parallel_for(8, next(0, high.read(h), y.slice(..8).unwrap().write(h)))).unwrap().wait().unwrap();
    expect_clean(&queue.device().take_reports());
    queue.submit(|h| h.parallel_for(16, next(0, all.read(h), y.write(h)))).unwrap().wait().unwrap();
    let r = queue.device().take_reports();
    assert_eq!(expect_only(&r, Unwritten, line("next"), &ids([1])).count, 4);
}

#[kernel]
fn fill_tile(item: Item<2>, tile: ItemMut<u32, 2>) {
    tile[item] = item.id(1) as u32;
}

#[kernel]
fn left_to_right(item: Item<2>, l: View<u32, 2>, r: ItemMut<u32, 2>) {
    r[item] = l[item]; // fault: left
}

#[test]
fn tiles_of_a_matrix_do_not_race() {
    let queue = queue();
    let m = Buffer::<u32, 2>::new([6, 8]);
    for row in (0..6).step_by(2) {
        for col in (0..8).step_by(2) {
            let t = m.slice(row..row + 2).unwrap().columns(col..col + 2).unwrap();
            queue.submit(|h| h.parallel_for([2, 2], fill_tile(t.write(h)))).unwrap();
        }
    }
    let (l, r) = (m.columns(..4).unwrap(), m.columns(4..).unwrap());
    queue.submit(|h| h.parallel_for([6, 4], left_to_right(l.read(h), r.write(h)))).unwrap();
    queue.wait().unwrap();
    expect_clean(&queue.device().take_reports());
}

#[test]
fn scoped_columns_do_not_race() {
    let queue = queue();
    let mut data = vec![0u32; 48];
    syclone::scope(|s| {
        let m = s.buffer_mut::<u32, 2>(&mut data, [6, 8])?;
        let (l, r) = (m.columns(..4)?, m.columns(4..)?);
        queue.submit(|h| h.parallel_for([6, 4], fill_tile(l.write(h))))?;
        queue.submit(|h| h.parallel_for([6, 4], fill_tile(r.write(h))))?;
        queue.submit(|h| h.parallel_for([6, 4], left_to_right(l.read(h), r.write(h))))?;
        queue.wait()
    })
    .unwrap();
    expect_clean(&queue.device().take_reports());
}

#[kernel]
fn alternate(item: Item<1>, from: usize, out: ScatterMut<u32>) {
    out[2 * item.id(0) + from] = 1; // fault: alternate
}

#[test]
fn commands_that_take_turns_in_raw_memory_share_no_byte() {
    let queue = queue();
    let mut memory = vec![0u32; 16];
    // SAFETY: the memory is there until the queue has ended.
    let raw = unsafe { syclone::kernel::ScatterMut::<u32>::from_raw(memory.as_mut_ptr(), [16], None) };
    // SAFETY: each item writes an element of its own.
    queue.submit(|h| unsafe { h.parallel_for_unchecked(8, alternate(0, raw)) }).unwrap();
    // SAFETY: each item writes an element of its own.
    queue.submit(|h| unsafe { h.parallel_for_unchecked(8, alternate(1, raw)) }).unwrap();
    queue.wait().unwrap();
    expect_clean(&queue.device().take_reports());
    // SAFETY: each item writes an element of its own.
    queue.submit(|h| unsafe { h.parallel_for_unchecked(8, alternate(0, raw)) }).unwrap();
    // SAFETY: each item writes an element of its own.
    queue.submit(|h| unsafe { h.parallel_for_unchecked(4, alternate(8, raw)) }).unwrap();
    queue.wait().unwrap();
    let report = expect_only(&queue.device().take_reports(), CommandRace, line("alternate"), &[]);
    assert!(report.message.contains(", 16 bytes of which"), "{report}");
    drop(memory);
}

#[test]
fn a_reduction_writes_its_result() {
    let queue = queue();
    let (x, y) = (numbers(8), numbers(1));
    let sum = Buffer::<u32>::new(1);
    queue.submit(|h| h.parallel_for(8, total(x.read(h), sum.reduce(h, Plus)))).unwrap();
    queue.submit(|h| h.parallel_for(1, next(0, sum.read(h), y.write(h)))).unwrap().wait().unwrap();
    expect_clean(&queue.device().take_reports());
    assert_eq!(y.to_vec().unwrap(), [28]);
}

#[test]
fn a_copy_takes_along_what_nobody_has_written() {
    let queue = queue();
    let mut x = queue.alloc_device::<u32>(8).unwrap();
    let mut z = queue.alloc_device::<u32>(8).unwrap();
    let y = numbers(8);
    queue.parallel_for(8, even(x.item_mut())).unwrap();
    queue.copy(&x, &mut z).unwrap();
    queue.submit(|h| h.parallel_for(8, next(0, z.view(), y.write(h)))).unwrap().wait().unwrap();
    let report = expect_only(&queue.device().take_reports(), Unwritten, line("next"), &ids([1]));
    assert_eq!(report.count, 4);
    queue.parallel_for(8, write_all(x.item_mut())).unwrap();
    queue.copy(&x, &mut z).unwrap();
    queue.submit(|h| h.parallel_for(8, next(0, z.view(), y.write(h)))).unwrap().wait().unwrap();
    expect_clean(&queue.device().take_reports());
}

#[test]
fn columns_that_are_written_say_nothing_about_those_beside_them() {
    let queue = queue();
    let mut m = UsmDevice::<u32, 2>::new(queue.device(), [2, 4]).unwrap();
    let left = Buffer::<u32, 2>::new([2, 2]);
    let out = Buffer::<u32, 2>::new([2, 4]);
    queue.copy(&left, &mut m.columns_mut(..2).unwrap()).unwrap();
    queue.submit(|h| h.parallel_for([2, 4], left_to_right(m.view(), out.write(h)))).unwrap().wait().unwrap();
    let report = expect_only(&queue.device().take_reports(), Unwritten, line("left"), &[[0, 0, 2]]);
    assert_eq!(report.count, 4);
}

#[test]
fn a_fill_and_a_copy_of_a_part() {
    let queue = queue();
    let mut x = queue.alloc_device::<u32>(8).unwrap();
    let mut y = queue.alloc_device::<u32>(8).unwrap();
    queue.fill(&mut x.slice_mut(2..5).unwrap(), 7).unwrap();
    queue.copy_from_slice(&[1, 2], &mut x.slice_mut(5..7).unwrap()).unwrap();
    queue.parallel_for(8, next(0, x.view(), y.item_mut())).unwrap().wait().unwrap();
    let r = queue.device().take_reports();
    assert_eq!(expect_only(&r, Unwritten, line("next"), &ids([0])).count, 3);
}

#[derive(Clone, Copy, DeviceCopy)]
struct Pad {
    a: u8,
    b: u64,
    c: [u16; 3],
    d: F32x3,
    e: bool,
}

#[kernel]
fn fields(item: NdItem<1>, out: ItemMut<u64>) {
    let all = local::<[Pad; 8]>();
    let i = item.local_id(0);
    all[i].a = 1;
    all[i].b = 2;
    all[i].c[0] = 3;
    all[i].c[2] = 3;
    all[i].d = Vector::splat(1.0);
    all[i].e = true;
    item.barrier();
    out[item] = all[7 - i].b + all[i].c[2] as u64;
    let copy = all[i]; // fault: array field
    out[item] += copy.a as u64;
}

#[test]
fn an_array_element_of_a_field_left_out() {
    let r = reports(|h| h.parallel_for(groups(), fields(Buffer::<u64>::new(16).write(h))));
    let rep = expect_only(&r, Unwritten, line("array field"), &ids([0]));
    assert!(rep.message.contains("`c[1]`") || rep.message.contains("c[1]"), "{rep}");
}

#[device_fn]
fn meet(item: NdItem<1>) {
    item.barrier(); // fault: helper barrier
}

#[kernel(fallback)]
fn helper_barrier(item: NdItem<1>, x: ItemMut<u32>) {
    match x[item] {
        0..=2 => meet(item),
        _ => x[item] = 1,
    }
}

#[kernel(fallback)]
fn short_circuit(item: NdItem<1>, x: ItemMut<u32>) {
    if x[item] > 2 {
        let many = item.group().any(x[item] > 5); // fault: short circuit
        x[item] = many as u32;
    }
}

#[kernel(fallback)]
fn broken_loop(item: NdItem<1>, x: ItemMut<u32>) {
    for k in 0..8u32 {
        if k == x[item] {
            break;
        }
        item.sub_group().reduce(k, Plus); // fault: broken loop
    }
}

#[test]
fn divergence_in_odd_flow() {
    let g = || NdRange::new([8], [8]).sub_group_size(4);
    let r = reports(|h| h.parallel_for(g(), helper_barrier(numbers(8).read_write(h))));
    expect_only(&r, Divergence, line("helper barrier"), &ids([0, 3]));
    let r = reports(|h| h.parallel_for(g(), short_circuit(numbers(8).read_write(h))));
    expect_only(&r, Divergence, line("short circuit"), &ids([3, 0]));
    let r = reports(|h| h.parallel_for(g(), broken_loop(numbers(8).read_write(h))));
    expect_only(&r, SubGroupDivergence, line("broken loop"), &ids([1, 0]));
}

#[kernel]
fn scopes(item: NdItem<1>, wide: bool, a: AtomicView<u32>) {
    let at = a.atomic(item.global_id(0) % 2);
    if wide {
        at.scope(Scope::Device).fetch_max(1);
    } else {
        at.scope(Scope::WorkItem).fetch_max(1); // fault: scopes
    }
}

#[kernel]
fn local_scope(item: NdItem<1>, out: ItemMut<u32>) {
    let c = local::<[u32; 1]>();
    if item.local_id(0) == 0 {
        c[0] = 0;
    }
    item.barrier();
    c.atomic(0).scope(Scope::SubGroup).fetch_add(1); // fault: local scope
    item.barrier();
    out[item] = c[0];
}

#[test]
fn atomics_of_the_wrong_scope() {
    let r = reports(|h| h.parallel_for(groups(), scopes(false, numbers(2).atomic(h))));
    expect_only(&r, DataRace, line("scopes"), &ids([2, 0]));
    expect_clean(&reports(|h| h.parallel_for(groups(), scopes(true, numbers(2).atomic(h)))));
    let r = reports(|h| h.parallel_for(groups().sub_group_size(4), local_scope(numbers(16).write(h))));
    expect_only(&r, DataRace, line("local scope"), &ids([4, 0]));
    expect_clean(&reports(|h| h.parallel_for(groups().sub_group_size(8), local_scope(numbers(16).write(h)))));
}

#[kernel]
fn compound(item: Item<1>, which: u32, x: ItemMut<i32>, y: ItemMut<u8>) {
    match which {
        0 => x[item] -= i32::MIN,                       // fault: minus
        1 => x[item] <<= 33 - item.id(0) as u32,        // fault: compound shift
        2 => x[item] %= item.id(0) as i32 - 1,          // fault: compound rem
        3 => y[item] = (x[item] as f32 * 100.0) as u8,  // 200 fits
        4 => x[item] = [1, 2, 3][x[item] as usize + 1], // fault: array index
        5 => x[item] = (x[item] + 2147483640).abs_diff(0) as i32,
        6 => y[item] = u8::MAX - y[item],
        7 => x[item] = x[item].wrapping_shl(40),
        8 => x[item] = x[item].wrapping_div(if x[item] == 0 { 1 } else { x[item] }),
        9 => x[item] = (-x[item]).rem_euclid(3),
        10 => y[item] = y[item].saturating_sub(100),
        _ => x[item] = (x[item] as i64 * i32::MAX as i64 / 4) as i32 >> 31,
    }
}

#[test]
fn arithmetic_in_match_arms() {
    let run = |which| {
        let (x, y) = (Buffer::from_vec(vec![0i32, 1, 2]), Buffer::from_vec(vec![0u8; 3]));
        reports(|h| h.parallel_for(3, compound(which, x.read_write(h), y.read_write(h))))
    };
    expect_only(&run(0), Overflow, line("minus"), &ids([0]));
    expect_only(&run(1), ShiftTooFar, line("compound shift"), &ids([0]));
    expect_only(&run(2), DivisionByZero, line("compound rem"), &ids([1]));
    expect_clean(&run(3));
    expect_only(&run(4), OutOfBounds, line("array index"), &ids([2]));
    for which in [5, 6, 7, 8, 9, 10, 11] {
        expect_clean(&run(which));
    }
}

#[kernel]
fn scan(item: NdItem<1>, x: ItemMut<u32>, a: LocalAccessor<u32>, b: LocalAccessor<u32>) {
    let (i, n) = (item.local_id(0), item.local_range(0));
    a[i] = x[item];
    item.barrier();
    let mut step = 1;
    let mut flip = false;
    while step < n {
        if flip {
            a[i] = b[i] + if i >= step { b[i - step] } else { 0 };
        } else {
            b[i] = a[i] + if i >= step { a[i - step] } else { 0 };
        }
        item.barrier();
        flip = !flip;
        step *= 2;
    }
    x[item] = if flip { b[i] } else { a[i] };
}

#[kernel]
fn transpose(item: NdItem<2>, x: View<u8, 2>, y: ScatterMut<u8, 2>) {
    let t = local::<[[u8; 5]; 4]>();
    t[item.local_id(0)][item.local_id(1)] = x[[item.global_id(0), item.global_id(1)]];
    item.barrier();
    let (r, c) = (item.group_id(1) * 4 + item.local_id(0), item.group_id(0) * 4 + item.local_id(1));
    y[[r, c]] = t[item.local_id(1)][item.local_id(0)];
}

#[kernel]
fn histogram(item: NdItem<1>, x: View<u32>, bins: AtomicView<u32>) {
    let own = local::<[u32; 4]>();
    let i = item.local_id(0);
    if i < 4 {
        own.atomic(i).store(0);
    }
    item.barrier();
    own.atomic(x[item] as usize % 4).fetch_add(1);
    item.barrier();
    if i < 4 {
        bins.atomic(i).fetch_add(own[i]);
    }
}

#[kernel]
fn tree(item: NdItem<1>, x: View<f32>, out: GroupMut<f32>) {
    let t = local::<[f32; 8]>();
    let i = item.local_id(0);
    t[i] = x[item];
    let mut half = 4usize;
    while half > 0 {
        item.barrier();
        if i < half {
            t[i] += t[i + half];
        }
        half /= 2;
    }
    if i == 0 {
        out[item] = t[0];
    }
}

#[kernel]
fn shuffles(item: NdItem<1>, x: ItemMut<u32>) {
    let sg = item.sub_group();
    let mut v = x[item];
    for k in 0..2u32 {
        v += sg.shuffle_xor(v, 1 << k);
    }
    x[item] = sg.broadcast(v, 0) + sg.exclusive_scan(1, Plus);
}

#[kernel]
fn spin_free_ticket(item: NdItem<1>, t: AtomicView<u32>, out: ScatterMut<u32>) {
    let mine = t.atomic(0).order(Order::AcqRel).fetch_add(1);
    out[mine as usize] = item.global_id(0) as u32;
}

#[test]
fn correct_kernels_are_silent() {
    let t = || LocalAccessor::<u32>::new([8]);
    expect_clean(&reports(|h| h.parallel_for(groups(), scan(numbers(16).read_write(h), t(), t()))));
    let (x, y) = (Buffer::<u8, 2>::new([8, 12]), Buffer::<u8, 2>::new([12, 8]));
    // SAFETY: each item writes an element of its own.
    expect_clean(&reports(|h| unsafe {
        h.parallel_for_unchecked(NdRange::new([8, 12], [4, 4]), transpose(x.read(h), y.scatter(h)))
    }));
    expect_clean(&reports(|h| {
        h.parallel_for(groups(), histogram(numbers(16).read(h), Buffer::<u32>::new(4).atomic(h)))
    }));
    expect_clean(&reports(|h| {
        h.parallel_for(groups(), tree(Buffer::<f32>::new(16).read(h), Buffer::<f32>::new(2).write(h)))
    }));
    expect_clean(&reports(|h| h.parallel_for(groups().sub_group_size(4), shuffles(numbers(16).read_write(h)))));
    // SAFETY: each item writes an element of its own.
    expect_clean(&reports(|h| unsafe {
        h.parallel_for_unchecked(groups(), spin_free_ticket(Buffer::<u32>::new(1).atomic(h), numbers(16).scatter(h)))
    }));
}
