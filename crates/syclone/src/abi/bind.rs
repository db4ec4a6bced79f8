//! Binding a tree to the types, constants and functions of one instance.

use std::sync::Arc;

use syclone_kernel_ast::bound::{BoundFunction, BoundMethod, ConstValue};
use syclone_kernel_ast::encode::decode;
use syclone_kernel_ast::types::{BindFn, Comparison, Type};

use super::instance::Instance;
use super::site::Find;
use super::tree_type::TreeType;
use crate::types::DeviceCopy;

/// How to get the device methods of a type.
pub type MethodSource = fn() -> Vec<BoundMethod>;

/// How to get the comparison of a type that a function spells.
pub type ComparisonSource = fn() -> Option<(Type, Comparison)>;

/// What a tree's numbers stand for in one instance.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    types: Vec<Type>,
    consts: Vec<ConstValue>,
    callees: Vec<BindFn>,
    methods: Vec<MethodSource>,
    found: Vec<BoundMethod>,
    comparisons: Vec<ComparisonSource>,
}

impl Tables {
    /// Tables of what macro output has: arrays, which compile faster than the `vec!` of each table.
    pub fn new<const T: usize, const C: usize, const F: usize, const M: usize>(
        types: [Type; T],
        consts: [ConstValue; C],
        callees: [BindFn; F],
        methods: [MethodSource; M],
    ) -> Self {
        let (types, consts, callees, methods) = (types.into(), consts.into(), callees.into(), methods.into());
        Tables { types, consts, callees, methods, found: Vec::new(), comparisons: Vec::new() }
    }

    /// The tables with the comparisons of types that the function spells.
    #[must_use]
    pub fn with_comparisons<const N: usize>(mut self, of_types: [ComparisonSource; N]) -> Self {
        self.comparisons = of_types.into();
        self
    }

    /// The tables with methods that were [found](super::site) where they are called.
    #[must_use]
    pub fn with_methods(mut self, found: Vec<BoundMethod>) -> Self {
        self.found = found;
        self
    }
}

/// A method's name, and how it is found.
pub type Finder<T, I> = (&'static str, Find<T, I>);

/// The methods of a type that are found by names of built-in ones.
pub fn found<T: DeviceCopy>(finders: &[Finder<T, ()>]) -> Vec<BoundMethod> {
    found_of(&T::zeroed(), finders)
}

/// The methods of a value's type that are found.
pub fn found_of<T: DeviceCopy, I>(value: &T, finders: &[Finder<T, I>]) -> Vec<BoundMethod> {
    let found = finders.iter().filter_map(|(name, find)| {
        let function = find(value, Instance::new())?;
        Some(BoundMethod { ty: T::tree_type(), name, function })
    });
    found.collect()
}

/// Makes a bound function of a tree's text and its tables.
pub fn bind(text: &str, tables: Tables) -> Arc<BoundFunction> {
    let Tables { types, consts, callees, methods, found, comparisons } = tables;
    let tree = decode(text).expect("the macro of the same version has encoded the tree");
    let methods = found.into_iter().chain(methods.into_iter().flat_map(|source| source())).collect();
    let comparisons = comparisons.into_iter().filter_map(|of_type| of_type()).collect();
    Arc::new(BoundFunction { tree: Arc::new(tree), types, consts, callees, methods, comparisons })
}

/// [`bind`] for a kernel, whose own parameters need not be in the tables: the item, if it has one, and then `params`.
pub fn bind_kernel(text: &str, tables: Tables, item: Option<Type>, params: Vec<Type>) -> Arc<BoundFunction> {
    let mut bound = bind(text, tables);
    let function = Arc::make_mut(&mut bound);
    // Where the tables are left out, the parameters are all there is.
    function.types.resize(function.tree.types.len(), Type::Infer);
    for (param, ty) in function.tree.params.iter().zip(item.into_iter().chain(params)) {
        function.types[param.ty.0 as usize] = ty;
    }
    bound
}
