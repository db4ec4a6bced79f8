use std::sync::Arc;

use crate::kernel::param::ParamKind;
use crate::kernel::{
    GroupMut, ItemMut, KernelArg, KernelParam, LocalAccessor, ParamInfo, ParamTuple, Reducer, Reduction, SafeParams,
    ScatterMut, Spec, View,
};
use crate::types::ops::Plus;

fn infos(params: &impl ParamTuple) -> Vec<ParamInfo> {
    let mut all = Vec::new();
    params.each(&mut |position, info| {
        assert_eq!(position, all.len());
        all.push(info);
    });
    all
}

#[test]
fn the_launcher_learns_of_each_parameter_what_it_needs() {
    let mut x = [0f32; 24];
    let x = x.as_mut_ptr();
    // SAFETY: no kernel uses these handles.
    let params = unsafe {
        (
            2.5f32,
            View::from_raw(x, [24], Some(5)),
            ItemMut::from_raw(x, [4, 6], Some(6)),
            GroupMut::from_raw(x, [2, 3, 4], None),
            ScatterMut::from_raw(x, [24], Some(7)),
            LocalAccessor::<f64, 2>::new([3, 5]),
            Reducer::<f32, Plus>::from_raw(x, true, Some(8)),
            Spec::new(3usize),
        )
    };
    let all = infos(&params);
    let kinds: Vec<_> = all.iter().map(|info| info.kind).collect();
    assert_eq!(
        kinds,
        [
            ParamKind::Value,
            ParamKind::View,
            ParamKind::ItemMut,
            ParamKind::GroupMut,
            ParamKind::ScatterMut,
            ParamKind::LocalAccessor,
            ParamKind::Reducer,
            ParamKind::Spec
        ]
    );
    let commands: Vec<_> = all.iter().map(|info| info.command).collect();
    assert_eq!(commands, [None, Some(5), Some(6), None, Some(7), None, Some(8), None]);
    let covers: Vec<_> = all.iter().filter_map(|info| info.covers).collect();
    assert_eq!(covers, [[1, 4, 6], [2, 3, 4]]);
    assert_eq!(all.iter().map(|info| info.local_bytes).sum::<usize>(), 120);
    let unsafe_ones: Vec<_> = all.iter().filter(|info| !info.safe).map(|info| info.kind).collect();
    assert_eq!(unsafe_ones, [ParamKind::ScatterMut]);

    let with_faults = params.with_faults();
    assert_eq!((with_faults.1.0.fault, with_faults.4.0.fault, with_faults.5.fault()), (2, 16, 32));
    let mut reductions: Vec<Arc<dyn Reduction>> = Vec::new();
    let _ = params.with_chunks(3, &mut reductions);
    assert_eq!(reductions.len(), 1);
}

#[test]
fn local_memory_that_cannot_be_counted_is_more_than_any_limit() {
    let info = |extents| LocalAccessor::<f64, 3>::new(extents).info().local_bytes;
    assert_eq!(info([2, 3, 4]), 192);
    assert_eq!(info([usize::MAX, 2, 1]), usize::MAX);
    assert_eq!(info([1 << 32, 1 << 29, 1]), usize::MAX);
    assert_eq!(info([usize::MAX, 0, 1]), 0);
}

#[test]
fn plain_values_are_passed_for_themselves_and_for_specialised_arguments() {
    fn pass<P>(arg: impl KernelArg<P>) -> P {
        // SAFETY: a plain value reaches no memory.
        unsafe { arg.into_param() }
    }
    assert_eq!(pass::<u32>(7), 7);
    assert_eq!(pass::<Spec<u32>>(7).get(), 7);
    assert_eq!(pass::<[f32; 2]>([1.0, 2.0]), [1.0, 2.0]);
}

#[test]
fn tuples_of_none_to_sixteen_parameters_are_parameters() {
    fn safe<P: SafeParams>(params: P) -> usize {
        infos(&params).len()
    }
    assert_eq!(safe(()), 0);
    assert_eq!(safe((1u8, 2u8, 3u8, 4u8, 5u8, 6u8, 7u8, 8u8, 9u8, 1u8, 2u8, 3u8, 4u8, 5u8, 6u8, 7u8)), 16);
}

#[test]
fn the_interpreter_gets_the_same_memory_and_values() {
    use syclone_kernel_ast::interp::Arg;
    let mut x = [1u32; 12];
    // SAFETY: no kernel uses these handles.
    let (view, reducer) = unsafe {
        (
            View::from_raw(x.as_ptr(), [2, 4], None).with_pitch(6),
            Reducer::<u32, Plus>::from_raw(&raw mut x[3], true, None),
        )
    };
    let mut reductions: Vec<Arc<dyn Reduction>> = Vec::new();
    let params = (view, 2.5f32, LocalAccessor::<f64, 2>::new([3, 5]), reducer).with_chunks(1, &mut reductions);
    let args = params.args();
    match &args[0] {
        Arg::Global(global) => {
            assert_eq!((global.ptr.cast_const().cast(), global.extents, global.pitch), (x.as_ptr(), [1, 2, 4], 6));
            assert_eq!(global.elem.to_string(), "u32");
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(&args[1], Arg::Value(value) if *value == syclone_kernel_ast::value::Value::F32(2.5)));
    assert!(matches!(&args[2], Arg::LocalAccessor { extents: [1, 3, 5], .. }));
    match &args[3] {
        // SAFETY: the slot is the reduction's own, which lives and is used by nothing else.
        Arg::Reducer { slot, .. } => unsafe { *slot.0.cast::<u32>() = 41 },
        other => panic!("{other:?}"),
    }
    // SAFETY: no chunk runs; once.
    unsafe { reductions[0].finish() };
    assert_eq!(x[3], 42);
}
