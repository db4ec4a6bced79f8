use crate::abi::tests::{one_group, with_memory};
use crate::abi::{GroupCx, at, at_mut};
use crate::kernel::place::{ARRAY_FAULT, Indexable, parameter_fault};
use crate::kernel::{GroupMut, ItemMut, LocalAccessor, Oob, Place, ScatterMut, View, deref};
use crate::types::Vector;

/// Elements between guards that nothing may touch.
struct Guarded<const N: usize> {
    cells: Vec<u32>,
}

const GUARD: u32 = 0xDEAD_BEEF;
const BAND: usize = 64;

impl<const N: usize> Guarded<N> {
    fn new() -> Self {
        let mut cells = vec![GUARD; BAND];
        cells.extend((0..N as u32).map(|i| i + 1));
        cells.extend([GUARD; BAND]);
        Guarded { cells }
    }

    fn ptr(&mut self) -> *mut u32 {
        self.cells[BAND..].as_mut_ptr()
    }

    fn values(&self) -> &[u32] {
        let (low, rest) = self.cells.split_at(BAND);
        let (values, high) = rest.split_at(N);
        assert!(low.iter().chain(high).all(|&guard| guard == GUARD), "a guard was overwritten");
        values
    }
}

/// Reads through a handle; the value and the faults.
fn read<C: Indexable<I, Elem = u32>, I>(handle: &C, index: I) -> (u32, u32) {
    let mut oob = Oob::in_a_test();
    // SAFETY: the handle is valid and its memory lives in the test.
    let value = unsafe { at(handle, index) }.get(&mut oob);
    (value, oob.bits())
}

#[test]
fn reads_outside_give_zero_and_writes_outside_are_dropped_and_both_are_reported() {
    let mut memory = Guarded::<12>::new();
    // SAFETY: `memory` lives through the test.
    let mut x = unsafe { ScatterMut::from_raw(memory.ptr(), [12], None) };
    x.0.fault = parameter_fault(3);
    assert_eq!(read(&x, 11), (12, 0));
    for outside in [12, 13, 1012, usize::MAX, usize::MAX / 4 + 1, 1 << 62] {
        assert_eq!(read(&x, outside), (0, 8));
        let mut oob = Oob::in_a_test();
        // SAFETY: as in `read`.
        unsafe { at_mut(&x, outside) }.set(7, &mut oob);
        assert_eq!(oob.bits(), 8);
    }
    let mut oob = Oob::in_a_test();
    // SAFETY: as in `read`.
    unsafe { at_mut(&x, 4) }.set(70, &mut oob);
    assert_eq!(oob.bits(), 0);
    assert_eq!(memory.values(), [1, 2, 3, 4, 70, 6, 7, 8, 9, 10, 11, 12]);
}

#[test]
fn every_dimension_is_checked_on_its_own() {
    let mut memory = Guarded::<12>::new();
    // SAFETY: `memory` lives through the test.
    let (plane, space) =
        unsafe { (View::from_raw(memory.ptr(), [3, 4], None), View::from_raw(memory.ptr(), [2, 3, 2], None)) };
    let plane = crate::kernel::KernelParam::with_fault(plane, 2);
    let space = crate::kernel::KernelParam::with_fault(space, 4);
    for i in 0..5 {
        for j in 0..6 {
            let inside = i < 3 && j < 4;
            let expected = if inside { (i as u32 * 4 + j as u32 + 1, 0) } else { (0, 2) };
            assert_eq!(read(&plane, [i, j]), expected, "[{i}, {j}]");
            for k in 0..3 {
                let inside = i < 2 && j < 3 && k < 2;
                let expected = if inside { ((i * 3 + j) as u32 * 2 + k as u32 + 1, 0) } else { (0, 4) };
                assert_eq!(read(&space, [i, j, k]), expected, "[{i}, {j}, {k}]");
            }
        }
    }
    assert_eq!((plane.len(), plane.extent(0), plane.extent(1), space.len()), (12, 3, 4, 12));
}

#[test]
fn pitched_rows_skip_their_padding() {
    let mut memory = Guarded::<12>::new();
    // SAFETY: two rows of three elements, four apart, are inside `memory`.
    let view = unsafe { View::from_raw(memory.ptr(), [2, 3], None).with_pitch(6) };
    assert_eq!([[0, 0], [0, 2], [1, 0], [1, 2]].map(|at| read(&view, at).0), [1, 3, 7, 9]);
    assert_eq!(read(&crate::kernel::KernelParam::with_fault(view, 1), [0, 3]), (0, 1));
}

#[test]
fn an_item_writes_its_own_element_and_none_where_there_is_none() {
    let mut memory = Guarded::<6>::new();
    with_memory(|worker| {
        // SAFETY: `memory` lives through the test.
        let mut out = unsafe { ItemMut::from_raw(memory.ptr(), [2, 3], None) };
        out.0.fault = 1;
        for gy in 0..2 {
            // SAFETY: one group at a time, inside `with_memory`.
            let group = unsafe { GroupCx::nd_range([gy, 0], [2, 1], [1, 4], 4, 0, worker) };
            let mut oob = Oob::in_a_test();
            for x in 0..4 {
                let item = group.nd_item([0, x]);
                // SAFETY: as in `read`.
                unsafe { at_mut(&out, item) }.set(100 + item.global_linear_id() as u32, &mut oob);
                // SAFETY: as in `read`.
                let back = unsafe { at(&out, &item) }.get(&mut oob);
                assert_eq!(back, if x < 3 { 100 + (gy * 4 + x) as u32 } else { 0 });
            }
            assert_eq!(oob.bits(), 1);
        }
    });
    assert_eq!(memory.values(), [100, 101, 102, 104, 105, 106]);
}

#[test]
fn a_group_writes_its_own_element_by_its_token_or_by_an_items() {
    let mut memory = Guarded::<3>::new();
    with_memory(|worker| {
        // SAFETY: `memory` lives through the test.
        let mut out = unsafe { GroupMut::from_raw(memory.ptr(), [3], None) };
        out.0.fault = 1;
        for id in 0..4 {
            // SAFETY: one group at a time, inside `with_memory`.
            let group = unsafe { GroupCx::nd_range([id], [4], [2], 4, 0, worker) };
            let mut oob = Oob::in_a_test();
            // SAFETY: as in `read`.
            unsafe { at_mut(&out, group.group()) }.set(id as u32 * 10, &mut oob);
            assert_eq!(oob.bits(), (id == 3) as u32);
            // SAFETY: as in `read`.
            let place = unsafe { at_mut(&out, group.nd_item([1])) };
            let old = place.get(&mut oob);
            place.set(old + 1, &mut oob);
        }
    });
    assert_eq!(memory.values(), [1, 11, 21]);
}

#[derive(Clone, Copy)]
struct Pair {
    _a: u8,
    b: [u32; 3],
}

#[test]
fn places_nest_through_arrays_vectors_and_fields() {
    let mut oob = Oob::in_a_test();
    let mut rows = [[0u32; 4]; 3];
    // SAFETY: `rows` is valid for writes.
    unsafe { at_mut(&raw mut rows, 2) }.at_mut(3).set(9, &mut oob);
    // SAFETY: `rows` is valid for writes.
    unsafe { at_mut(&raw mut rows, 0) }.set([1, 2, 3, 4], &mut oob);
    assert_eq!(rows, [[1, 2, 3, 4], [0; 4], [0, 0, 0, 9]]);

    let mut pairs = [Pair { _a: 0, b: [5, 6, 7] }; 2];
    let first = &raw mut pairs;
    // SAFETY: `pairs` is valid for writes; the projection is made only inside.
    let b = |i| unsafe { at_mut(first, i).field(|p: *mut Pair| &raw mut (*p).b) };
    b(1).at_mut(2).set(70, &mut oob);
    assert_eq!((b(1).at(2).get(&mut oob), b(0).at(0).get(&mut oob)), (70, 5));

    let mut vector = Vector::new([1.0f32, 2.0, 3.0, 4.0]);
    // SAFETY: `vector` is valid for writes.
    unsafe { at_mut(&raw mut vector, 1) }.set(20.0, &mut oob);
    assert_eq!(vector.to_array(), [1.0, 20.0, 3.0, 4.0]);

    let tuples = [(1u32, 2.5f32); 2];
    // SAFETY: `tuples` is valid for reads.
    let read = |i, oob: &mut Oob| unsafe { at(&raw const tuples, i) }.get(oob);
    assert_eq!(read(1, &mut oob), (1, 2.5));
    assert_eq!(oob.bits(), 0);

    assert_eq!(read(2, &mut oob), (0, 0.0));
    assert_eq!(oob.bits(), ARRAY_FAULT);
    for place in [b(2).at(0), b(0).at(3), b(usize::MAX).at(usize::MAX)] {
        let mut oob = Oob::in_a_test();
        assert_eq!(place.get(&mut oob), 0);
        place.set(1, &mut oob);
        assert_eq!((oob.bits(), place.as_ptr()), (ARRAY_FAULT, std::ptr::null_mut()));
    }
}

#[test]
fn local_memory_is_indexed_like_what_it_holds() {
    with_memory(|memory| {
        let group = one_group(memory, 4, 4);
        let mut oob = Oob::in_a_test();
        let tile = group.local::<[[f32; 4]; 2]>();
        // SAFETY: local memory of the running group.
        unsafe {
            at_mut(&tile, 1).at_mut(3).set(2.5, &mut oob);
            assert_eq!(at(&tile, 1).get(&mut oob), [0.0, 0.0, 0.0, 2.5]);
            let whole: Place<[[f32; 4]; 2]> = deref(&tile);
            assert_eq!(whole.get(&mut oob), [[0.0; 4], [0.0, 0.0, 0.0, 2.5]]);
            let counter = group.local::<u64>();
            deref(&counter).set(8, &mut oob);
            assert_eq!(deref(&counter).get(&mut oob), 8);
            assert_eq!(oob.bits(), 0);
            assert_eq!(at(&tile, 2).at(0).get(&mut oob), 0.0);
            assert_eq!(oob.bits(), ARRAY_FAULT);
        }
        let grid = group.bind_local(&LocalAccessor::<u32, 2>::new([3, 5]).with_fault(1 << 9));
        for i in 0..4 {
            for j in 0..6 {
                let mut oob = Oob::in_a_test();
                // SAFETY: local memory of the running group.
                unsafe { at_mut(&grid, [i, j]) }.set((i * 5 + j) as u32, &mut oob);
                assert_eq!(oob.bits() == 0, i < 3 && j < 5);
            }
        }
        for i in 0..3 {
            for j in 0..5 {
                assert_eq!(read(&grid, [i, j]), ((i * 5 + j) as u32, 0));
            }
        }
    });
}

#[test]
fn vectors_read_and_write_adjacent_elements_and_lose_only_what_is_outside() {
    let mut memory = Guarded::<10>::new();
    // SAFETY: `memory` lives through the test.
    let x = unsafe { ScatterMut::from_raw(memory.ptr(), [10], None) };
    let x = crate::kernel::KernelParam::with_fault(x, 1);
    let mut oob = Oob::in_a_test();
    assert_eq!(x.load_vector::<4>(1, &mut oob).to_array(), [5, 6, 7, 8]);
    x.store_vector(0, Vector::new([10, 20, 30, 40]), &mut oob);
    assert_eq!(oob.bits(), 0);
    assert_eq!(x.load_vector::<4>(2, &mut oob).to_array(), [9, 10, 0, 0]);
    assert_eq!(oob.bits(), 1);
    for index in [2, 3, usize::MAX, usize::MAX / 4 + 1] {
        let mut oob = Oob::in_a_test();
        x.store_vector(index, Vector::new([1, 2, 3, 4]), &mut oob);
        assert_eq!(oob.bits(), 1);
    }
    assert_eq!(memory.values(), [10, 20, 30, 40, 5, 6, 7, 8, 1, 2]);
}

#[test]
fn local_accessors_read_and_write_vectors_too() {
    with_memory(|memory| {
        let group = one_group(memory, 1, 1);
        let row = group.bind_local(&LocalAccessor::<f32>::new(6).with_fault(4));
        let mut oob = Oob::in_a_test();
        row.store_vector(1, Vector::new([1.0, 2.0]), &mut oob);
        assert_eq!(row.load_vector::<4>(0, &mut oob).to_array(), [0.0, 0.0, 1.0, 2.0]);
        assert_eq!(oob.bits(), 0);
        assert_eq!(row.load_vector::<4>(1, &mut oob).to_array(), [0.0; 4]);
        assert_eq!(oob.bits(), 4);
    });
}

#[test]
fn literal_indices_and_elements_need_no_annotation() {
    let (x, rows) = ([1.5f32, 2.5], [[1u8, 2], [3, 4]]);
    // SAFETY: `x` and `rows` live through the test.
    unsafe {
        let view = View::from_raw(x.as_ptr(), [2], None);
        let sum = at(&raw const view, 0).get(&mut Oob::in_a_test()) + at(&raw const x, 1).get(&mut Oob::in_a_test());
        assert_eq!(sum, 4.0);
        let plane = View::<_, 2>::from_raw(rows.as_ptr().cast::<u8>(), [2, 2], None);
        assert_eq!(at(&raw const plane, [1, 0]).get(&mut Oob::in_a_test()), 3);
        assert_eq!(at(&raw const rows, 1).at(1).get(&mut Oob::in_a_test()), 4);
    }
}

#[test]
fn fault_bits_are_one_for_each_of_the_first_parameters_and_one_for_the_rest() {
    assert_eq!((0..30).map(parameter_fault).collect::<Vec<_>>(), (0..30).map(|i| 1 << i).collect::<Vec<_>>());
    assert_eq!([30, 31, 100].map(parameter_fault), [1 << 30; 3]);
}
