//! Planted mistakes with memory: unwritten, out of bounds, misaligned, and commands that nothing orders.

mod check_rig;

use check_rig::*;
use syclone::check::ReportKind::{CommandRace, InvalidValue, Misaligned, OutOfBounds, Unwritten};
use syclone::kernel::{ScatterMut as Scatter, View as Reads};
use syclone::prelude::*;

fn line(name: &str) -> u32 {
    line_of(include_str!("check_memory.rs"), name)
}

fn groups() -> NdRange<1> {
    NdRange::new([16], [8])
}

#[kernel]
fn wrong_index(item: NdItem<1>, x: ItemMut<u32>) {
    let tile = local::<[u32; 9]>();
    let i = item.local_id(0);
    tile[i] = x[item];
    item.barrier();
    x[item] = tile[i + 1]; // fault: wrong index
}

#[test]
fn local_memory_that_no_item_has_written() {
    let reports = reports(|h| h.parallel_for(groups(), wrong_index(numbers(16).read_write(h))));
    let report = expect_only(&reports, Unwritten, line("wrong index"), &ids([7]));
    // Once a group: what the group before has written is gone.
    assert_eq!(report.count, 2);
}

#[kernel]
fn first_group_only(item: NdItem<1>, x: ItemMut<u32>, tile: LocalAccessor<u16, 2>) {
    let i = item.local_id(0);
    if item.group_id(0) == 0 {
        tile[[1, i]] = 7;
    }
    item.barrier();
    x[item] = tile[[1, i]] as u32; // fault: first group
}

#[derive(Clone, Copy, DeviceCopy)]
struct Padded {
    flag: u8,
    number: u32,
}

#[kernel]
fn field_by_field(item: NdItem<1>, x: ItemMut<u32>) {
    let all = local::<[Padded; 8]>();
    let i = item.local_id(0);
    all[i].flag = 1;
    all[i].number = x[item];
    item.barrier();
    let other = all[7 - i];
    x[item] = other.number + other.flag as u32;
}

#[test]
fn padding_need_not_be_written() {
    expect_clean(&reports(|h| h.parallel_for(groups(), field_by_field(numbers(16).read_write(h)))));
}

#[derive(Clone, Copy, DeviceCopy)]
struct Nested {
    pairs: [Padded; 2],
    lanes: Vector<u16, 3>,
    last: u8,
}

#[kernel]
fn one_field_left_out(item: NdItem<1>, x: ItemMut<u32>) {
    let all = local::<[Padded; 8]>();
    let i = item.local_id(0);
    all[i].flag = 1;
    if i != 3 {
        all[i].number = x[item];
    }
    item.barrier();
    let other = all[7 - i]; // fault: field left out
    x[item] = other.number + other.flag as u32;
}

#[kernel]
fn nested_field_left_out(item: NdItem<1>, x: ItemMut<u32>, all: LocalAccessor<Nested>) {
    let i = item.local_id(0);
    all[i].pairs[0] = Padded { flag: 1, number: 2 };
    all[i].pairs[1].flag = 3;
    if i != 5 {
        all[i].pairs[1].number = 4;
    }
    all[i].lanes = Vector::new([5, 6, 7]);
    all[i].last = 8;
    item.barrier();
    let own = all[i]; // fault: nested field
    x[item] = own.pairs[1].number + own.lanes[2] as u32 + own.last as u32;
}

#[kernel]
fn odd_fields(item: Item<1>, y: ItemMut<Nested>) {
    y[item].pairs = [Padded { flag: 1, number: 2 }; 2];
    y[item].last = 3;
    if item.id(0) % 2 == 1 {
        y[item].lanes = Vector::new([1, 2, 3]);
    }
}

#[kernel]
fn copy_nested(item: Item<1>, x: View<Nested>, y: ItemMut<Nested>) {
    y[item] = x[item]; // fault: copy nested
}

#[test]
fn a_field_that_nobody_wrote_of_a_struct_that_is_read_whole() {
    let found = reports(|h| h.parallel_for(groups(), one_field_left_out(numbers(16).read_write(h))));
    let report = expect_only(&found, Unwritten, line("field left out"), &ids([4]));
    assert_eq!(report.count, 2);
    assert!(report.message.contains("in field `number`"), "{report}");

    let all = LocalAccessor::<Nested>::new(8);
    let found = reports(|h| h.parallel_for(groups(), nested_field_left_out(numbers(16).write(h), all)));
    let report = expect_only(&found, Unwritten, line("nested field"), &ids([5]));
    assert!(report.message.contains("in field `pairs[1].number`"), "{report}");

    let queue = queue();
    let mut x = queue.alloc_device::<Nested>(4).unwrap();
    let mut y = queue.alloc_device::<Nested>(4).unwrap();
    queue.parallel_for(4, odd_fields(x.item_mut())).unwrap().wait().unwrap();
    queue.parallel_for(4, copy_nested(x.view(), y.item_mut())).unwrap().wait().unwrap();
    let report = expect_only(&queue.device().take_reports(), Unwritten, line("copy nested"), &ids([0]));
    assert_eq!((report.count, report.parameter.as_deref()), (2, Some("x")));
    assert!(report.message.contains("in field `lanes[0]`"), "{report}");
}

#[test]
fn local_memory_is_new_for_each_group() {
    let tile = LocalAccessor::<u16, 2>::new([2, 8]);
    let reports = reports(|h| h.parallel_for(groups(), first_group_only(numbers(16).write(h), tile)));
    expect_only(&reports, Unwritten, line("first group"), &ids([8]));
}

#[kernel]
fn count_in_nothing(item: NdItem<1>, out: GroupMut<u32>) {
    let count = local::<[u32; 1]>();
    count.atomic(0).fetch_add(1); // fault: count in nothing
    item.barrier();
    out[item.group()] = count[0];
}

#[kernel]
fn store_first(item: NdItem<1>, out: GroupMut<u32>) {
    let count = local::<[u32; 1]>();
    count.atomic(0).store(0);
    item.barrier();
    count.atomic(0).fetch_add(1);
    item.barrier();
    out[item.group()] = count[0];
}

#[kernel]
fn count_on_the_device(item: NdItem<1>, counts: AtomicView<u32>) {
    counts.atomic(item.group_id(0)).fetch_add(1); // fault: count on the device
}

#[test]
fn an_atomic_operation_that_reads_needs_a_value_and_leaves_one() {
    let found = reports(|h| h.parallel_for(groups(), count_in_nothing(numbers(2).write(h))));
    let report = expect_only(&found, Unwritten, line("count in nothing"), &ids([0]));
    // Once a group: the first item's operation has written.
    assert_eq!(report.count, 2);
    expect_clean(&reports(|h| h.parallel_for(groups(), store_first(numbers(2).write(h)))));

    let queue = queue();
    let mut counts = queue.alloc_device::<u32>(2).unwrap();
    queue.parallel_for(groups(), count_on_the_device(counts.atomic_view())).unwrap();
    queue.wait().unwrap();
    let report = expect_only(&queue.device().take_reports(), Unwritten, line("count on the device"), &ids([0]));
    assert_eq!(report.count, 2);
}

#[kernel]
fn add_to_nothing(item: Item<1>, y: ItemMut<u32>) {
    y[item] += 1; // fault: nothing
}

#[test]
fn a_write_access_that_reads() {
    let found = reports(|h| h.parallel_for(5, add_to_nothing(numbers(5).write(h))));
    let report = expect_only(&found, Unwritten, line("nothing"), &ids([0]));
    assert_eq!((report.parameter.as_deref(), report.count), (Some("y"), 5));
    assert!(report.notes[0].contains("read_write"), "{report}");
    expect_clean(&reports(|h| h.parallel_for(5, add_to_nothing(numbers(5).read_write(h)))));
    // A new buffer is documented to be zeros, so they are written.
    expect_clean(&reports(|h| h.parallel_for(5, add_to_nothing(Buffer::<u32>::new(5).read_write(h)))));
}

#[kernel]
fn even(item: Item<1>, y: ItemMut<u32>) {
    if item.id(0) % 2 == 0 {
        y[item] = 1;
    }
}

#[kernel]
fn copy(item: Item<1>, x: View<u32>, y: ItemMut<u32>) {
    y[item] = x[item]; // fault: copy
}

#[test]
fn what_a_command_before_has_left_unwritten() {
    let queue = queue();
    let (x, y) = (numbers(6), numbers(6));
    queue.submit(|h| h.parallel_for(6, even(x.write(h)))).unwrap();
    queue.submit(|h| h.parallel_for(6, copy(x.read(h), y.write(h)))).unwrap().wait().unwrap();
    let report = expect_only(&queue.device().take_reports(), Unwritten, line("copy"), &ids([1]));
    assert_eq!((report.parameter.as_deref(), report.count), (Some("x"), 3));
    // The host writes it, and all is well.
    x.copy_from_slice(&[5; 6]).unwrap();
    queue.submit(|h| h.parallel_for(6, copy(x.read(h), y.write(h)))).unwrap().wait().unwrap();
    expect_clean(&queue.device().take_reports());
    // So does a fill of what was left out.
    queue.submit(|h| h.parallel_for(6, even(x.write(h)))).unwrap();
    queue.submit(|h| h.fill(x.read_write(h), 9)).unwrap();
    queue.submit(|h| h.parallel_for(6, copy(x.read(h), y.write(h)))).unwrap().wait().unwrap();
    expect_clean(&queue.device().take_reports());
}

#[test]
fn device_memory_that_nobody_has_written() {
    let queue = queue();
    let mut x = queue.alloc_device::<u32>(4).unwrap();
    let mut y = queue.alloc_device::<u32>(4).unwrap();
    queue.parallel_for(4, copy(x.view(), y.item_mut())).unwrap().wait().unwrap();
    expect_only(&queue.device().take_reports(), Unwritten, line("copy"), &ids([0]));
    queue.copy_from_slice(&[1, 2, 3, 4], &mut x).unwrap();
    queue.parallel_for(4, copy(x.view(), y.item_mut())).unwrap().wait().unwrap();
    expect_clean(&queue.device().take_reports());
    let shared = queue.alloc_shared::<u32>(4).unwrap();
    queue.parallel_for(4, copy(shared.view(), y.item_mut())).unwrap().wait().unwrap();
    expect_clean(&queue.device().take_reports());
}

#[kernel]
fn next(item: Item<1>, x: View<u32>, y: ItemMut<u32>) {
    y[item] = x[item.id(0) + 1]; // fault: next
}

#[kernel]
fn scatter_far(item: Item<1>, y: ScatterMut<u32>) {
    y[item.id(0) * 2] = 1; // fault: scatter far
}

#[kernel]
fn beyond_tile(item: NdItem<1>, x: ItemMut<u32>) {
    let tile = local::<[u32; 8]>();
    tile[item.global_id(0)] = x[item]; // fault: beyond tile
}

#[kernel]
fn beyond_array(item: Item<1>, x: ItemMut<u32>) {
    let all = [1u32, 2, 3];
    x[item] = all[item.id(0)]; // fault: beyond array
}

#[kernel]
fn beyond_row(item: Item<2>, x: View<u32, 2>, y: ItemMut<u32, 2>) {
    y[item] = x[[item.id(0), item.id(1) + 1]]; // fault: beyond row
}

#[kernel]
fn beyond_bins(item: Item<1>, x: View<u32>, bins: AtomicView<u32>) {
    bins.atomic(x[item] as usize).fetch_add(1); // fault: beyond bins
}

#[kernel]
fn beyond_span(item: NdItem<1>, x: View<u32>, y: GroupMut<u32>) {
    let sum = item.group().joint_reduce(x.span(item.group_id(0) * 10, 10), Plus); // fault: beyond span
    y[item.group()] = sum;
}

#[test]
fn indices_out_of_bounds() {
    let found = reports(|h| h.parallel_for(5, next(numbers(5).read(h), numbers(5).write(h))));
    let report = expect_only(&found, OutOfBounds, line("next"), &ids([4]));
    assert_eq!(report.message, "item 4: index 5 is outside of `x`, which has 5 elements");
    let y = numbers(5);
    // SAFETY: each item writes another element.
    let found = reports(|h| unsafe { h.parallel_for_unchecked(4, scatter_far(y.scatter(h))) });
    expect_only(&found, OutOfBounds, line("scatter far"), &ids([3]));
    let found = reports(|h| h.parallel_for(groups(), beyond_tile(numbers(16).read_write(h))));
    assert_eq!(expect_only(&found, OutOfBounds, line("beyond tile"), &ids([8])).count, 8);
    let found = reports(|h| h.parallel_for(4, beyond_array(numbers(4).write(h))));
    assert_eq!(expect_only(&found, OutOfBounds, line("beyond array"), &ids([3])).parameter.as_deref(), Some("all"));
    let (x, y) = (Buffer::<u32, 2>::new([2, 3]), Buffer::<u32, 2>::new([2, 3]));
    let found = reports(|h| h.parallel_for([2, 3], beyond_row(x.read(h), y.write(h))));
    let report = expect_only(&found, OutOfBounds, line("beyond row"), &[[0, 0, 2]]);
    assert_eq!(report.message, "item [0, 2]: index [0, 3] is outside of `x`, which has [2, 3] elements");
    let found = reports(|h| h.parallel_for(5, beyond_bins(numbers(5).read(h), numbers(3).atomic(h))));
    expect_only(&found, OutOfBounds, line("beyond bins"), &ids([3]));
    let found = reports(|h| h.parallel_for(groups(), beyond_span(numbers(16).read(h), numbers(2).write(h))));
    expect_only(&found, OutOfBounds, line("beyond span"), &ids([8]));
}

#[kernel]
fn from_odd_places(item: Item<1>, x: View<u32>, y: ItemMut<u32>) {
    y[item] = x[item]; // fault: odd
}

#[test]
fn memory_at_an_odd_address() {
    let bytes = [0u32; 4];
    // One byte into it there is room for three more.
    let odd = bytes.as_ptr().wrapping_byte_add(1);
    // SAFETY: the memory is there, but its address is not aligned: that is what is to be found.
    let x = unsafe { Reads::<u32>::from_raw(odd, [3], None) };
    let reports = reports(|h| h.parallel_for(3, from_odd_places(x, numbers(3).write(h))));
    let report = expect_only(&reports, Misaligned, line("odd"), &ids([0]));
    assert_eq!(report.parameter.as_deref(), Some("x"));
}

#[kernel]
fn reads_flags(item: Item<1>, x: View<bool>, y: ItemMut<u32>) {
    y[item] = if x[item] { 1 } else { 0 }; // fault: no flag
}

#[derive(Clone, Copy, PartialEq, DeviceCopy)]
#[repr(u8)]
enum Light {
    Off,
    On = 5,
}

#[kernel]
fn reads_lights(item: Item<1>, x: View<Light>, y: ItemMut<u32>) {
    let on = x[item] == Light::On; // fault: no light
    y[item] = if on { 1 } else { 0 };
}

#[test]
fn bytes_that_are_no_value_of_the_type_that_reads_them() {
    // Item 2 meets a byte that no flag has; and so does item 1 one that no variant has.
    let bytes = [1u8, 0, 2, 1, 5, 1];
    // SAFETY: the memory is there; that its bytes are no flags is what is to be found, and the interpreter tests them.
    let flags = unsafe { Reads::<bool>::from_raw(bytes.as_ptr().cast(), [4], None) };
    let found = reports(|h| h.parallel_for(4, reads_flags(flags, numbers(4).write(h))));
    let report = expect_only(&found, InvalidValue, line("no flag"), &ids([2]));
    assert_eq!(report.message, "item 2: the bytes that are read are no value of bool");
    // SAFETY: as above.
    let lights = unsafe { Reads::<Light>::from_raw(bytes[4..].as_ptr().cast(), [2], None) };
    let found = reports(|h| h.parallel_for(2, reads_lights(lights, numbers(2).write(h))));
    let report = expect_only(&found, InvalidValue, line("no light"), &ids([1]));
    assert_eq!(report.message, "item 1: the bytes that are read are no value of Light");
    // What is a value is none of its business.
    // SAFETY: as above, and these bytes are flags.
    let flags = unsafe { Reads::<bool>::from_raw(bytes.as_ptr().cast(), [2], None) };
    expect_clean(&reports(|h| h.parallel_for(2, reads_flags(flags, numbers(2).write(h)))));
}

#[kernel]
fn produce(item: Item<1>, out: ScatterMut<u32>) {
    out[item.id(0)] = 1; // fault: produce
}

#[kernel]
fn consume(item: Item<1>, x: View<u32>, out: ItemMut<u32>) {
    out[item] = x[item]; // fault: consume
}

/// A handle to memory that no command names.
fn raw(memory: &mut [u32]) -> Scatter<u32> {
    // SAFETY: the tests keep the memory until their queues have ended, and run one item at a time.
    unsafe { Scatter::from_raw(memory.as_mut_ptr(), [memory.len()], None) }
}

fn raw_view(memory: &[u32]) -> Reads<u32> {
    // SAFETY: as above.
    unsafe { Reads::from_raw(memory.as_ptr(), [memory.len()], None) }
}

#[test]
fn two_kernels_on_raw_memory_without_an_order() {
    let queue = queue();
    let mut memory = vec![0u32; 8];
    let out = numbers(8);
    let (writer, reader) = (raw(&mut memory), raw_view(&memory));
    // SAFETY: each item writes its own element.
    queue.submit(|h| unsafe { h.parallel_for_unchecked(8, produce(writer)) }).unwrap();
    queue.submit(|h| h.parallel_for(8, consume(reader, out.write(h)))).unwrap();
    queue.wait().unwrap();
    let report = expect_only(&queue.device().take_reports(), CommandRace, line("consume"), &[]);
    assert_eq!(report.kernel, "consume");
    assert_eq!(report.other.as_ref().map(|(place, _)| place.line), Some(line("produce")));
    assert!(report.message.contains("32 bytes of which 'produce' writes"), "{report}");
    drop(memory);
}

/// Also if the first has ended before the second is submitted, which nobody has waited for.
#[test]
fn two_writers_of_memory_with_two_names() {
    let queue = queue();
    let mut data = vec![0u32; 8];
    // SAFETY: none: two exclusive slices of the same elements, which is the mistake to be found.
    let again = unsafe { std::slice::from_raw_parts_mut(data.as_mut_ptr().add(4), 4) };
    syclone::scope(|scope| {
        let all = scope.buffer_mut(&mut data, 8)?;
        let upper = scope.buffer_mut(again, 4)?;
        // SAFETY: each item writes its own element.
        let first = queue.submit(|h| unsafe { h.parallel_for_unchecked(8, produce(all.scatter(h))) })?;
        // Not a wait of the program, which would order the two.
        while !first.has_ended() {
            std::thread::yield_now();
        }
        // SAFETY: as above.
        queue.submit(|h| unsafe { h.parallel_for_unchecked(4, produce(upper.scatter(h))) })?;
        queue.wait()
    })
    .unwrap();
    let report = expect_only(&queue.device().take_reports(), CommandRace, line("produce"), &[]);
    assert!(report.message.contains("16 bytes"), "{report}");
}

#[test]
fn whatever_orders_two_commands_keeps_them_apart() {
    let queue = queue();
    let mut memory = vec![0u32; 8];
    let out = numbers(8);
    let (writer, reader) = (raw(&mut memory), raw_view(&memory));
    let write = |queue: &Queue| {
        // SAFETY: each item writes its own element.
        queue.submit(|h| unsafe { h.parallel_for_unchecked(8, produce(writer)) }).unwrap()
    };
    // An event, a wait on the host, a host task between.
    let first = write(&queue);
    let read = queue
        .submit(|h| {
            h.depends_on(&first);
            h.parallel_for(8, consume(reader, out.write(h)))
        })
        .unwrap();
    read.wait().unwrap();
    write(&queue).wait().unwrap();
    let second = write(&queue);
    let task = queue
        .submit(|h| {
            h.depends_on(&second);
            h.host_task(|_| {})
        })
        .unwrap();
    queue
        .submit(|h| {
            h.depends_on(&task);
            h.parallel_for(8, consume(reader, out.write(h)))
        })
        .unwrap();
    queue.wait().unwrap();
    let in_order = QueueOptions::new().in_order(true).build(queue.device()).unwrap();
    write(&in_order);
    write(&in_order);
    in_order.wait().unwrap();
    expect_clean(&queue.device().take_reports());
    drop(memory);
}

#[kernel]
fn writes(item: Item<1>, y: ItemMut<u32>) {
    y[item] = 1;
}

/// Nobody waits for the commands, so only the end of the first memory orders them.
#[test]
fn memory_that_takes_the_place_of_other_memory_is_another_one() {
    let queue = queue();
    for _ in 0..20 {
        let mut x = queue.alloc_device::<u32>(1000).unwrap();
        queue.parallel_for(1000, writes(x.item_mut())).unwrap();
        drop(queue.download(&x).unwrap());
        drop(x);
        while queue.device().memory_stats().in_use > 0 {
            std::thread::yield_now();
        }
    }
    queue.wait().unwrap();
    expect_clean(&queue.device().take_reports());
}
