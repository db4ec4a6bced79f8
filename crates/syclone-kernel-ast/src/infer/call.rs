//! Calls: device functions, the language's functions and the methods of every type.

use std::borrow::Cow;

use super::{ExprKey, InferErrorKind, Inference, MethodCall, Pending, Result, Target, key};
use crate::bound::instance_name;
use crate::numeric::{Part, signature};
use crate::tree::{CalleeId, ConstId, Expr, ExprKind, SpanId, TypeId};
use crate::types::{BindFn, Type};

impl Inference<'_> {
    /// A call of a device function by path.
    pub(super) fn call(&mut self, expr: &Expr, callee: CalleeId, args: &[Expr]) -> Result<Type> {
        let Some(&function) = self.bound.callees.get(callee.0 as usize) else {
            return Err(self.error(expr.span, InferErrorKind::Internal("a callee outside the table".into())));
        };
        let (params, ret) = self.target(key(expr), expr.span, function)?;
        self.arity(&params, args.len(), key(expr), expr.span)?;
        args.iter().zip(&params).try_for_each(|(arg, param)| self.expect(arg, param))?;
        Ok(ret)
    }

    /// Notes that the expression calls a device function, and gives its signature.
    fn target(&mut self, expr: ExprKey, span: SpanId, function: BindFn) -> Result<(Vec<Type>, Type)> {
        let bound = function();
        let mut types = Vec::new();
        let ids = bound.tree.params.iter().map(|param| param.ty).chain(bound.tree.ret);
        for id in ids {
            let Some(ty) = bound.types.get(id.0 as usize) else {
                let name = &bound.tree.name;
                return Err(
                    self.error(span, InferErrorKind::Internal(format!("`{name}` names a type outside its table")))
                );
            };
            types.push(self.table.instantiate(ty));
        }
        let ret = if bound.tree.ret.is_some() { types.pop() } else { None };
        let position = self.targets.len();
        self.targets.insert(expr, Target { function, bound, span, position });
        Ok((types, ret.unwrap_or(Type::Unit)))
    }

    fn arity(&self, params: &[Type], found: usize, expr: ExprKey, span: SpanId) -> Result<()> {
        if params.len() == found {
            return Ok(());
        }
        let name = self.targets.get(&expr).map_or_else(String::new, |target| target.bound.tree.name.clone());
        Err(self.error(span, InferErrorKind::Arguments { name, expected: params.len(), found }))
    }

    /// A function that every device has.
    pub(super) fn builtin(&mut self, name: &str, types: &[TypeId], args: &[Expr], span: SpanId) -> Result<Type> {
        let own = types.first().map(|ty| self.named_type(*ty)).transpose()?;
        let last = name.rsplit("::").next().unwrap_or(name);
        match (last, own) {
            ("local", Some(ty)) if args.is_empty() => Ok(Type::Local(Box::new(ty))),
            ("fence", _) => {
                args.iter().try_for_each(|arg| self.expr(arg).map(|_| ()))?;
                Ok(Type::Unit)
            }
            ("new" | "from_array", own) => {
                let vector = self.vector_of(args, span)?;
                if let Some(own) = own {
                    self.unify(&vector, &own, span)?;
                }
                Ok(vector)
            }
            ("splat", own) => {
                let elem = self.arguments(name, args, 1, span)?.remove(0);
                let vector = own.unwrap_or_else(|| self.table.fresh());
                self.splat(vector, elem, span)
            }
            ("from", Some(own)) if self.is_vector_or_open(&own) => self.vector_from(name, own, args, span),
            ("from_bits", Some(own)) => {
                let bits = self.arguments(name, args, 1, span)?.remove(0);
                self.pending.push(Pending::Bits { own: own.clone(), bits, span });
                self.work_off()?;
                Ok(own)
            }
            ("zeroed" | "default", Some(own)) if args.is_empty() => Ok(own),
            // Conversions: the argument has its own type.
            ("from" | "from_scalar" | "from_f32" | "from_f64", Some(own)) => {
                let from = self.arguments(name, args, 1, span)?.remove(0);
                match last {
                    "from_f32" => self.unify(&from, &Type::F32, span)?,
                    "from_f64" => self.unify(&from, &Type::F64, span)?,
                    _ => {}
                }
                Ok(own)
            }
            (_, own) => {
                let types = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>>>()?;
                if let (Some(own), Some(first)) = (&own, types.first()) {
                    self.unify(first, own, span)?;
                }
                // `max(6, 4)` has its literals' type, which what surrounds it may still choose.
                if let ("min" | "max", None, [left, right]) = (last, &own, &types[..])
                    && self.literal_kind(left).is_some()
                    && self.literal_kind(right).is_some()
                {
                    self.unify(left, right, span)?;
                    return Ok(left.clone());
                }
                self.numeric(last, types, span)
            }
        }
    }

    fn is_vector_or_open(&self, ty: &Type) -> bool {
        matches!(self.table.shallow(ty), Type::Vector(..) | Type::Var(_))
    }

    /// `Vector::from(x)` of an array, of a vector or of one scalar for all lanes.
    fn vector_from(&mut self, name: &str, own: Type, args: &[Expr], span: SpanId) -> Result<Type> {
        let from = self.arguments(name, args, 1, span)?.remove(0);
        match self.table.shallow(&from) {
            Type::Array(elem, len) => {
                let vector = self.lanes_of_array(elem, len, span)?;
                self.unify(&vector, &own, span)?;
            }
            Type::Vector(..) => self.unify(&from, &own, span)?,
            _ => return self.splat(own, from, span),
        }
        Ok(own)
    }

    /// A vector all of whose lanes are `elem`.
    fn splat(&mut self, vector: Type, elem: Type, span: SpanId) -> Result<Type> {
        self.pending.push(Pending::Vector { vector: vector.clone(), elem, span });
        self.work_off()?;
        Ok(vector)
    }

    fn arguments(&mut self, name: &str, args: &[Expr], expected: usize, span: SpanId) -> Result<Vec<Type>> {
        if args.len() != expected {
            let name = name.to_owned();
            return Err(self.error(span, InferErrorKind::Arguments { name, expected, found: args.len() }));
        }
        args.iter().map(|arg| self.expr(arg)).collect()
    }

    /// `Vector::new([a, b, …])`
    fn vector_of(&mut self, args: &[Expr], span: SpanId) -> Result<Type> {
        let array = self.arguments("new", args, 1, span)?.remove(0);
        match self.known(&array, span, "vector's lanes")? {
            Type::Array(elem, len) => self.lanes_of_array(elem, len, span),
            ty => Err(self.error(span, InferErrorKind::NoOperation { ty, operation: "lanes".into() })),
        }
    }

    pub(super) fn lanes_of_array(&self, elem: Box<Type>, len: usize, span: SpanId) -> Result<Type> {
        match u8::try_from(len) {
            Ok(lanes) => Ok(Type::Vector(elem, lanes)),
            Err(_) => Err(self.error(span, InferErrorKind::Internal(format!("a vector of {len} lanes")))),
        }
    }

    /// `receiver.name::<types, consts>(args)`
    pub(super) fn method(&mut self, expr: &Expr) -> Result<Type> {
        let ExprKind::Method { receiver, name, types, consts, args } = &expr.kind else {
            return Ok(Type::Infer);
        };
        let receiver = self.expr(receiver)?;
        self.method_of(expr, &receiver, name, types, consts, args)
    }

    fn method_of(
        &mut self,
        expr: &Expr,
        receiver: &Type,
        name: &str,
        types: &[TypeId],
        consts: &[ConstId],
        args: &[Expr],
    ) -> Result<Type> {
        self.work_off()?;
        if let Some(found) = self.method_of_literal(receiver, name, args, expr.span)? {
            return Ok(found);
        }
        let ty = self.behind_refs(receiver, expr.span, &format!("receiver of `{name}`"))?;
        let mut ty = self.table.resolve(&ty);
        if let Type::Spec(value) = &ty
            && name != "get"
        {
            ty = (**value).clone();
        }
        let candidates = self.user_methods(&ty, name, types, consts);
        if !candidates.is_empty() {
            return self.user_method(expr, &ty, name, candidates, args);
        }
        if let Some(found) = self.handle_method(&ty, name, consts, args, expr.span)? {
            return Ok(found);
        }
        if let Type::Vector(elem, lanes) = &ty
            && let Some(found) = self.vector_method(elem, *lanes, name, types, consts, args, expr.span)?
        {
            return Ok(found);
        }
        match (name, args) {
            ("clone", []) => return Ok(ty),
            ("convert", []) if ty.is_scalar() => {
                return match types.first() {
                    Some(ty) => self.named_type(*ty),
                    None => Ok(self.table.fresh()),
                };
            }
            _ => {}
        }
        let mut all = vec![ty];
        for arg in args {
            all.push(self.expr(arg)?);
        }
        self.numeric(name, all, expr.span)
    }

    /// A number's method that gives a number of the same type, where only literals have told the type so far. The native
    /// form's methods are traits', so the arguments and what surrounds the call may still choose it.
    fn method_of_literal(&mut self, receiver: &Type, name: &str, args: &[Expr], span: SpanId) -> Result<Option<Type>> {
        let default = match self.literal_kind(receiver) {
            Some(true) => Type::I32,
            Some(false) => Type::F64,
            None => return Ok(None),
        };
        let Some((params, Part::Same)) = signature(&default, name).filter(|(params, _)| params.len() == args.len())
        else {
            return Ok(None);
        };
        for (param, arg) in params.iter().zip(args) {
            let arg = self.expr(arg)?;
            let arg = self.value_behind(arg);
            let expected = param.of(receiver);
            self.unify(&arg, &expected, span)?;
        }
        Ok(Some(receiver.clone()))
    }

    /// The device methods of a type that a call by this name may mean.
    fn user_methods(&self, ty: &Type, name: &str, types: &[TypeId], consts: &[ConstId]) -> Vec<BindFn> {
        let is_instance = !types.is_empty() || !consts.is_empty();
        let name = if is_instance { Cow::Owned(instance_name(name, types, consts)) } else { Cow::Borrowed(name) };
        let bound = self.bound.methods.iter().filter(|method| method.name == name && method.ty == *ty);
        let bound: Vec<BindFn> = bound.map(|method| method.function).collect();
        if !bound.is_empty() {
            return bound;
        }
        let own = match ty {
            Type::Struct(ty) => ty.methods.as_slice(),
            Type::Enum(ty) => ty.methods.as_slice(),
            _ => &[],
        };
        own.iter().filter(|(own, _)| *own == name).map(|(_, function)| *function).collect()
    }

    /// A call of one of some device methods.
    fn user_method(
        &mut self,
        expr: &Expr,
        receiver: &Type,
        name: &str,
        candidates: Vec<BindFn>,
        args: &[Expr],
    ) -> Result<Type> {
        let args = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>>>()?;
        let call = MethodCall {
            expr: key(expr),
            span: expr.span,
            name: name.to_owned(),
            receiver: receiver.clone(),
            candidates,
            args,
            out: self.table.fresh(),
        };
        let out = call.out.clone();
        if !self.choose_method(&call)? {
            self.pending.push(Pending::Method(call));
        }
        Ok(self.table.shallow(&out))
    }

    /// Makes a call mean the only method that takes its arguments and gives its result, as rustc chooses among the
    /// instances of a trait. `false` while there are several.
    pub(super) fn choose_method(&mut self, call: &MethodCall) -> Result<bool> {
        let [first, ..] = call.candidates[..] else { return Ok(true) };
        let mut fitting = call.candidates.iter().copied().filter(|method| self.fits(call, *method));
        // The mismatch of the first is the error where none fits.
        let function = fitting.next().unwrap_or(first);
        if fitting.any(|other| !is_same(function, other)) {
            return Ok(false);
        }
        let (params, ret) = self.target(call.expr, call.span, function)?;
        self.arity(&params, call.args.len() + 1, call.expr, call.span)?;
        for (arg, param) in call.args.iter().zip(&params[1..]) {
            self.coerce(arg, param, call.span)?;
        }
        self.unify(&ret, &call.out, call.span)?;
        Ok(true)
    }

    /// Whether a method takes the arguments of a call and gives its result, as far as their types are known.
    fn fits(&self, call: &MethodCall, method: BindFn) -> bool {
        let bound = method();
        let may_become = |found: &Type, id: TypeId| {
            bound.types.get(id.0 as usize).is_some_and(|expected| self.table.may_become(found, expected))
        };
        let params = bound.tree.params.iter().skip(1);
        params.zip(&call.args).all(|(param, arg)| may_become(arg, param.ty))
            && bound.tree.ret.is_none_or(|ret| may_become(&call.out, ret))
    }

    /// A function of numbers: one of the primitive types' methods, lane by lane on vectors, or one that is lent.
    pub(super) fn numeric(&mut self, name: &str, args: Vec<Type>, span: SpanId) -> Result<Type> {
        let mut args: Vec<Type> = args.into_iter().map(|ty| self.value_behind(ty)).collect();
        self.work_off()?;
        // Bare literals take the type of the first argument that is no literal.
        let leader = args.iter().map(|ty| self.table.shallow(ty)).find(|ty| !matches!(ty, Type::Var(_)));
        let leader = match leader {
            Some(Type::Vector(elem, _)) => Some(self.table.shallow(&elem)),
            other => other,
        };
        let first = match args.first() {
            Some(first) => first.clone(),
            None => {
                return Err(self.error(span, InferErrorKind::NoMethod { ty: Type::Unit, name: name.to_owned() }));
            }
        };
        if let (Some(leader), Some(_)) = (&leader, self.literal_kind(&first)) {
            self.table.unify(&first, leader);
        }
        let receiver = self.known(&first, span, &format!("first argument of `{name}`"))?;
        let (elem, lanes) = match &receiver {
            Type::Vector(elem, lanes) => (self.known(elem, span, "vector's lanes")?, Some(*lanes)),
            ty => (ty.clone(), None),
        };
        if let Some((params, result)) = signature(&elem, name) {
            if params.len() + 1 != args.len() {
                let name = name.to_owned();
                return Err(
                    self.error(span, InferErrorKind::Arguments { name, expected: params.len(), found: args.len() - 1 })
                );
            }
            for (param, arg) in params.iter().zip(&args[1..]) {
                match self.table.shallow(arg) {
                    Type::Vector(arg, _) if lanes.is_some() => self.unify(&arg, &param.of(&elem), span)?,
                    arg => self.unify(&arg, &param.of(&elem), span)?,
                }
            }
            return Ok(lanewise(result.of(&elem), lanes));
        }
        for arg in &mut args {
            if let (Some(is_int), Some(leader)) = (self.literal_kind(arg), &leader)
                && is_int == leader.is_int()
            {
                self.table.unify(arg, leader);
            }
            self.table.default_var(arg);
            *arg = self.table.resolve(arg);
        }
        let found = self.builtins.result_type(name, &args);
        found.ok_or_else(|| self.error(span, InferErrorKind::NoMethod { ty: receiver, name: name.to_owned() }))
    }
}

/// Whether two functions are one. The tables of a caller may have it twice, and its addresses may differ.
fn is_same(left: BindFn, right: BindFn) -> bool {
    if left as usize == right as usize {
        return true;
    }
    let (left, right) = (left(), right());
    left.tree == right.tree && left.types == right.types && left.consts == right.consts
}

/// The result of a scalar function applied to each lane.
fn lanewise(result: Type, lanes: Option<u8>) -> Type {
    match (lanes, result) {
        (None, result) => result,
        (Some(lanes), Type::Tuple(parts)) => {
            Type::Tuple(parts.into_iter().map(|part| Type::Vector(Box::new(part), lanes)).collect())
        }
        (Some(lanes), result) => Type::Vector(Box::new(result), lanes),
    }
}
