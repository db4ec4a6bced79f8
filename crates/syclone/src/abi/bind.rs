//! Binding a tree to the types, constants and functions of one instance.

use std::sync::Arc;

use syclone_kernel_ast::bound::{BoundFunction, BoundMethod, ConstValue};
use syclone_kernel_ast::encode::decode;
use syclone_kernel_ast::types::{BindFn, Type};

/// The device methods of a type through a trait: how to get the type, and how to get the methods.
pub type MethodSource = (fn() -> Type, fn() -> Vec<(&'static str, BindFn)>);

/// Makes a bound function of what macro output has: arrays, which compile faster than the `vec!` of each table.
pub fn bind<const T: usize, const C: usize, const F: usize, const M: usize>(
    text: &str,
    types: [Type; T],
    consts: [ConstValue; C],
    callees: [BindFn; F],
    methods: [MethodSource; M],
) -> Arc<BoundFunction> {
    bind_tables(text, types.into(), consts.into(), callees.into(), methods.into())
}

fn bind_tables(
    text: &str,
    types: Vec<Type>,
    consts: Vec<ConstValue>,
    callees: Vec<BindFn>,
    methods: Vec<MethodSource>,
) -> Arc<BoundFunction> {
    let tree = decode(text).expect("the macro of the same version has encoded the tree");
    let methods = methods
        .into_iter()
        .flat_map(|(ty, list)| list().into_iter().map(move |(name, function)| BoundMethod { ty: ty(), name, function }))
        .collect();
    Arc::new(BoundFunction { tree: Arc::new(tree), types, consts, callees, methods })
}
