//! The types of every expression and variable of a function, found again.
//!
//! rustc has checked the same tokens, so this is inference and no type check: unification over the subset's types, with
//! integer and float literals as variables that default to `i32` and `f64`, and operators on types that are not known
//! yet put off until they are. What rustc accepted has exactly one typing; anything else that turns up here is an
//! [`InferError`], never a panic.
//!
//! [`infer`] types a function and everything that it calls. Recursion among them is an error that names the cycle.

mod call;
mod error;
mod expr;
mod flow;
mod method;
mod operator;
mod pattern;
mod table;

use std::collections::HashMap;
use std::sync::Arc;

pub use error::{InferError, InferErrorKind};
pub(crate) use expr::lane_of;

use crate::bound::BoundFunction;
use crate::builtins::Builtins;
use crate::numeric::Part;
use crate::tree::{BinaryOp, Expr, Function, SpanId, TypeId, VarId};
use crate::types::comparison::composing;
use crate::types::{BindFn, Comparison, Type};
use table::Table;

/// Calls nested deeper than this are taken for a recursion whose functions do not compare equal.
const MAX_CALL_DEPTH: usize = 64;

/// A function and all that it calls, typed.
#[derive(Debug)]
pub struct Program {
    /// The root first; a function's callees come later or earlier, never twice.
    pub functions: Vec<TypedFunction>,
    /// How values are compared, as far as not their types know it, but a function that spells them.
    pub(crate) comparisons: Vec<(Type, Comparison)>,
    /// The positions of the device functions that comparisons of values call, by type and operator.
    compared: Vec<(Type, BinaryOp, usize)>,
}

impl Program {
    /// Whether a variable, an expression or a result of any function, or what it is made of, is of a type that passes the
    /// test.
    pub fn any_type(&self, test: &dyn Fn(&Type) -> bool) -> bool {
        self.functions.iter().any(|function| {
            let values = function.vars.iter().chain(function.exprs.values());
            values.chain([&function.ret]).any(|ty| ty.any(test))
        })
    }

    /// The position of the device function that is an operator of a type.
    pub(crate) fn comparison(&self, ty: &Type, op: BinaryOp) -> Option<usize> {
        let found = self.compared.iter().find(|(of, own, _)| of == ty && *own == op);
        found.map(|(_, _, position)| *position)
    }
}

/// A function with the type of each of its expressions.
#[derive(Debug)]
pub struct TypedFunction {
    /// The function.
    pub bound: Arc<BoundFunction>,
    /// Types of its variables, in the order of the tree's.
    pub vars: Vec<Type>,
    /// What it returns.
    pub ret: Type,
    exprs: HashMap<ExprKey, Type>,
    calls: HashMap<ExprKey, usize>,
    /// The comparisons of values.
    compared: Vec<(BinaryOp, Type, SpanId)>,
}

impl TypedFunction {
    /// The tree.
    pub fn tree(&self) -> &Function {
        &self.bound.tree
    }

    /// The type of an expression of this very tree; `Infer` for any other.
    pub fn type_of(&self, expr: &Expr) -> &Type {
        self.exprs.get(&key(expr)).unwrap_or(&Type::Infer)
    }

    /// The position in [`Program::functions`] of the device function that a call or method call means.
    /// `None` for a method of the language itself.
    pub fn callee(&self, expr: &Expr) -> Option<usize> {
        self.calls.get(&key(expr)).copied()
    }
}

/// An expression's identity: its address, which is stable because the tree is shared and never changed.
type ExprKey = usize;

fn key(expr: &Expr) -> ExprKey {
    std::ptr::from_ref(expr) as usize
}

/// Types a function and everything that it calls.
pub fn infer(function: &Arc<BoundFunction>, builtins: &dyn Builtins) -> Result<Program, InferError> {
    // Functions tell of comparisons that are calls of functions, which may tell of more.
    let mut known = Vec::new();
    loop {
        let mut walk = Walk::new(builtins, &known);
        walk.function(function).map_err(|error| *error)?;
        let compared = std::mem::take(&mut walk.compared);
        let functions: Vec<TypedFunction> = walk.functions.into_iter().flatten().collect();
        let comparisons: Vec<(Type, Comparison)> =
            functions.iter().flat_map(|typed| typed.bound.comparisons.iter().cloned()).collect();
        if of_devices(&comparisons) == of_devices(&known) {
            return Ok(Program { functions, comparisons, compared });
        }
        known = comparisons;
    }
}

/// How many of the comparisons are device functions.
fn of_devices(comparisons: &[(Type, Comparison)]) -> usize {
    let is_device = |comparison: &Comparison| {
        let device = &comparison.device;
        [device.eq, device.lt, device.le, device.gt, device.ge].iter().any(Option::is_some)
    };
    comparisons.iter().filter(|(_, comparison)| is_device(comparison)).count()
}

/// The depth-first walk over called functions.
struct Walk<'a> {
    builtins: &'a dyn Builtins,
    /// In order of first visit; `None` while a function's callees are being visited.
    functions: Vec<Option<TypedFunction>>,
    finished: HashMap<usize, usize>,
    /// The functions being visited, outermost first: identity and name.
    active: Vec<(usize, String)>,
    /// What functions told of comparisons the last time.
    known: &'a [(Type, Comparison)],
    /// See [`Program`].
    compared: Vec<(Type, BinaryOp, usize)>,
}

impl<'a> Walk<'a> {
    fn new(builtins: &'a dyn Builtins, known: &'a [(Type, Comparison)]) -> Self {
        Walk {
            builtins,
            functions: Vec::new(),
            finished: HashMap::new(),
            active: Vec::new(),
            known,
            compared: Vec::new(),
        }
    }

    fn function(&mut self, bound: &Arc<BoundFunction>) -> Result<usize> {
        let position = self.functions.len();
        self.functions.push(None);
        let (mut typed, targets) = Inference::new(bound, self.builtins).run()?;
        // In order of the source, so that programs do not depend on the order of a hash table.
        let mut targets: Vec<(ExprKey, Target)> = targets.into_iter().collect();
        targets.sort_by_key(|(_, target)| target.position);
        for (expr, target) in targets {
            let callee = self.callee(&target, bound)?;
            typed.calls.insert(expr, callee);
        }
        for (op, ty, span) in &typed.compared {
            self.comparison(*op, ty, *span, bound)?;
        }
        self.functions[position] = Some(typed);
        Ok(position)
    }

    /// Visits the device functions that a comparison calls.
    fn comparison(&mut self, op: BinaryOp, ty: &Type, span: SpanId, caller: &BoundFunction) -> Result<()> {
        let mut found = Vec::new();
        composing(op, ty, self.known, &mut found);
        for (ty, op, function) in found {
            let target = Target { function, bound: function(), span, position: 0 };
            let position = self.callee(&target, caller)?;
            if self.compared.iter().all(|(of, own, _)| *of != ty || *own != op) {
                self.compared.push((ty, op, position));
            }
        }
        Ok(())
    }

    fn callee(&mut self, target: &Target, caller: &BoundFunction) -> Result<usize> {
        let identity = target.function as usize;
        if let Some(&position) = self.finished.get(&identity) {
            return Ok(position);
        }
        let start = self.active.iter().position(|(active, _)| *active == identity);
        if start.is_some() || self.active.len() >= MAX_CALL_DEPTH {
            let mut cycle: Vec<String> =
                self.active[start.unwrap_or(0)..].iter().map(|(_, name)| name.clone()).collect();
            cycle.push(target.bound.tree.name.clone());
            return Err(InferError::new(&caller.tree, target.span, InferErrorKind::Recursion { cycle }));
        }
        self.active.push((identity, target.bound.tree.name.clone()));
        let position = self.function(&target.bound)?;
        self.active.pop();
        self.finished.insert(identity, position);
        Ok(position)
    }
}

/// A device function that an expression calls.
struct Target {
    function: BindFn,
    bound: Arc<BoundFunction>,
    span: SpanId,
    position: usize,
}

/// What `break` and `continue` can mean inside a loop or a labelled block.
struct Jump {
    label: Option<String>,
    is_loop: bool,
    /// The type of the values that `break` gives; `None` before the first.
    value: Option<Type>,
}

/// An operator, or the like, on types that are not known yet.
enum Pending {
    Binary {
        op: BinaryOp,
        left: Type,
        right: Type,
        out: Type,
        span: SpanId,
    },
    /// `vector` is a vector of `elem`s.
    Vector {
        vector: Type,
        elem: Type,
        span: SpanId,
    },
    /// `bits` is the unsigned integer, or the vector of such, that a float `own` is made from.
    Bits {
        own: Type,
        bits: Type,
        span: SpanId,
    },
    /// A call of one of several device methods of one name.
    Method(MethodCall),
}

/// A call of which the types of its arguments and of its result have yet to say what it means.
struct MethodCall {
    expr: ExprKey,
    span: SpanId,
    name: String,
    receiver: Type,
    candidates: Vec<BindFn>,
    args: Vec<Type>,
    out: Type,
}

/// Inference of one function.
struct Inference<'a> {
    bound: &'a Arc<BoundFunction>,
    builtins: &'a dyn Builtins,
    table: Table,
    vars: Vec<Type>,
    ret: Type,
    exprs: HashMap<ExprKey, Type>,
    targets: HashMap<ExprKey, Target>,
    pending: Vec<Pending>,
    jumps: Vec<Jump>,
    compared: Vec<(BinaryOp, Type, SpanId)>,
    /// Whether control cannot come here, as rustc tracks it: a block that diverges has type `!`.
    diverges: bool,
}

/// Boxed inside: errors are rare, and results lie in the frames of a deep recursion.
type Result<T, E = Box<InferError>> = std::result::Result<T, E>;

impl<'a> Inference<'a> {
    fn new(bound: &'a Arc<BoundFunction>, builtins: &'a dyn Builtins) -> Self {
        Inference {
            bound,
            builtins,
            table: Table::default(),
            vars: Vec::new(),
            ret: Type::Unit,
            exprs: HashMap::new(),
            targets: HashMap::new(),
            pending: Vec::new(),
            jumps: Vec::new(),
            compared: Vec::new(),
            diverges: false,
        }
    }

    fn tree(&self) -> &'a Function {
        &self.bound.tree
    }

    fn run(mut self) -> Result<(TypedFunction, HashMap<ExprKey, Target>)> {
        let tree = self.tree();
        self.check_tables()?;
        self.vars = tree.vars.iter().map(|_| self.table.fresh()).collect();
        for param in &tree.params {
            let ty = self.named_type(param.ty)?;
            self.unify(&ty, &self.vars[param.var.0 as usize].clone(), SpanId(0))?;
        }
        if let Some(ret) = tree.ret {
            self.ret = self.named_type(ret)?;
        }
        let body = self.block(&tree.body)?;
        let ret = self.ret.clone();
        self.coerce(&body, &ret, SpanId(0))?;
        self.settle()?;

        let exprs = std::mem::take(&mut self.exprs);
        let exprs = exprs.into_iter().map(|(expr, ty)| (expr, self.table.resolve(&ty))).collect();
        let mut vars = Vec::new();
        for (variable, ty) in tree.vars.iter().zip(&self.vars) {
            // A variable that is bound but never given a value (after a diverging initialiser) has type `!`.
            let ty = match self.table.resolve(ty) {
                Type::Var(_) => Type::Never,
                ty => ty,
            };
            if self.table.has_vars(&ty) {
                return Err(self.error(
                    variable.span,
                    InferErrorKind::Ambiguous { what: format!("variable `{}`", variable.name) },
                ));
            }
            vars.push(ty);
        }
        let compared = std::mem::take(&mut self.compared).into_iter();
        let compared = compared.map(|(op, ty, span)| (op, self.compared_type(&ty), span)).collect();
        let (bound, calls) = (self.bound.clone(), HashMap::new());
        let typed = TypedFunction { bound, vars, ret: self.ret, exprs, calls, compared };
        Ok((typed, self.targets))
    }

    /// The tables of meanings must be as long as the tree's, and its variables must exist.
    fn check_tables(&self) -> Result<()> {
        let (tree, bound) = (self.tree(), self.bound);
        let tables = [
            ("types", tree.types.len(), bound.types.len()),
            ("consts", tree.consts.len(), bound.consts.len()),
            ("callees", tree.callees.len(), bound.callees.len()),
        ];
        for (table, expected, found) in tables {
            if expected != found {
                return Err(self.error(SpanId(0), InferErrorKind::Table { table, expected, found }));
            }
        }
        Ok(())
    }

    fn error(&self, span: SpanId, kind: InferErrorKind) -> Box<InferError> {
        InferError::new(self.tree(), span, kind)
    }

    /// A type of the table, with fresh variables for what is left to inference.
    fn named_type(&mut self, id: TypeId) -> Result<Type> {
        match self.bound.types.get(id.0 as usize) {
            Some(ty) => Ok(self.table.instantiate(ty)),
            None => Err(self.error(SpanId(0), InferErrorKind::Internal("a type outside the table".into()))),
        }
    }

    fn var(&self, var: VarId, span: SpanId) -> Result<Type> {
        let ty = self.vars.get(var.0 as usize);
        ty.cloned().ok_or_else(|| self.error(span, InferErrorKind::Internal("a variable outside the table".into())))
    }

    fn unify(&mut self, left: &Type, right: &Type, span: SpanId) -> Result<()> {
        if self.table.unify(left, right) {
            return Ok(());
        }
        let (expected, found) = (self.table.resolve(right), self.table.resolve(left));
        Err(self.error(span, InferErrorKind::Mismatch { expected, found }))
    }

    /// Makes a value's type fit where another is expected: `!` fits everywhere, `&mut` where `&` does.
    fn coerce(&mut self, found: &Type, expected: &Type, span: SpanId) -> Result<()> {
        let found = self.table.shallow(found);
        let expected = self.table.shallow(expected);
        match (&found, &expected) {
            (Type::Never, _) => Ok(()),
            (Type::Ref(found, true), Type::Ref(expected, false)) => self.unify(found, expected, span),
            _ => self.unify(&found, &expected, span),
        }
    }

    /// The type of a value that comes from one of two branches.
    fn join(&mut self, left: &Type, right: &Type, span: SpanId) -> Result<Type> {
        match (self.table.shallow(left), self.table.shallow(right)) {
            (Type::Never, right) => Ok(right),
            (left, Type::Never) => Ok(left),
            (left, right) => {
                self.unify(&right, &left, span)?;
                Ok(left)
            }
        }
    }

    /// Works on what was put off until nothing more can be told, then lets literals have their defaults.
    fn settle(&mut self) -> Result<()> {
        self.work_off()?;
        self.table.apply_defaults();
        self.work_off()?;
        for pending in std::mem::take(&mut self.pending) {
            match pending {
                // Operands that nothing else determines have one type.
                Pending::Binary { op, left, right, out, span } => {
                    self.unify(&right, &left, span)?;
                    if self.binary(op, &left, &right, &out, span)?.is_none() {
                        return Err(self
                            .error(span, InferErrorKind::Ambiguous { what: format!("operand of `{}`", op.symbol()) }));
                    }
                }
                Pending::Bits { span, .. } => {
                    return Err(
                        self.error(span, InferErrorKind::Ambiguous { what: "type whose bits are given".into() })
                    );
                }
                Pending::Vector { span, .. } => {
                    return Err(self.error(span, InferErrorKind::Ambiguous { what: "vector's number of lanes".into() }));
                }
                Pending::Method(call) => {
                    let (ty, name) = (call.receiver, call.name);
                    return Err(self.error(call.span, InferErrorKind::SeveralMethods { ty, name }));
                }
            }
        }
        Ok(())
    }

    /// Goes over what was put off until a round changes nothing.
    fn work_off(&mut self) -> Result<()> {
        loop {
            let before = self.pending.len();
            for pending in std::mem::take(&mut self.pending) {
                match &pending {
                    Pending::Binary { op, left, right, out, span } => {
                        if self.binary(*op, left, right, out, *span)?.is_none() {
                            self.pending.push(pending);
                        }
                    }
                    Pending::Vector { vector, elem, span } => match self.table.shallow(vector) {
                        Type::Vector(found, _) => self.unify(elem, &found, *span)?,
                        _ => self.pending.push(pending),
                    },
                    Pending::Bits { own, bits, span } => match self.bits_of(own) {
                        Some(expected) => self.unify(bits, &expected, *span)?,
                        None => self.pending.push(pending),
                    },
                    Pending::Method(call) => {
                        if !self.choose_method(call)? {
                            self.pending.push(pending);
                        }
                    }
                }
            }
            if self.pending.len() == before || self.pending.is_empty() {
                return Ok(());
            }
        }
    }

    /// The type of a float's bits, or of those of a vector's lanes; `None` while the float is not known.
    fn bits_of(&self, own: &Type) -> Option<Type> {
        match self.table.shallow(own) {
            Type::Var(_) => None,
            Type::Vector(elem, lanes) => Some(Type::Vector(Box::new(self.bits_of(&elem)?), lanes)),
            own => Some(Part::Unsigned.of(&own)),
        }
    }

    /// The type as far as it has to be known to go on: its outermost form.
    fn known(&mut self, ty: &Type, span: SpanId, what: &str) -> Result<Type> {
        let mut found = self.table.shallow(ty);
        if matches!(found, Type::Var(_)) {
            self.work_off()?;
            found = self.table.shallow(ty);
        }
        if matches!(found, Type::Var(_)) {
            self.table.default_var(&found);
            found = self.table.shallow(ty);
        }
        if matches!(found, Type::Var(_)) {
            return Err(self.error(span, InferErrorKind::Ambiguous { what: what.to_owned() }));
        }
        Ok(found)
    }

    /// The known type with its references taken off.
    fn behind_refs(&mut self, ty: &Type, span: SpanId, what: &str) -> Result<Type> {
        let mut ty = self.known(ty, span, what)?;
        while let Type::Ref(inner, _) = ty {
            ty = self.known(&inner, span, what)?;
        }
        Ok(ty)
    }
}
