//! Calls of device functions, of the language's functions and of the methods of every type.

use super::expr::lanes_of;
use super::{Compiler, Fault, MAX_FRAME, Result, internal, layout};
use crate::interp::code::*;
use crate::numeric::signature;
use crate::tree::*;
use crate::types::Type;

impl Compiler<'_> {
    /// Calls the device function that an expression means, the receiver among the arguments.
    pub(super) fn call(&mut self, expr: &Expr, args: &[&Expr], to: At) -> Result<()> {
        let Some(position) = self.typed.callee(expr) else {
            return internal("a call without a callee");
        };
        let program = self.program;
        let Some(callee) = program.functions.get(position) else {
            return internal("a callee outside the program");
        };
        let (places, _) = layout(&callee.vars)?;
        let mut moves = Vec::new();
        for (number, (arg, param)) in args.iter().zip(&callee.tree().params).enumerate() {
            let ty = &callee.vars[param.var.0 as usize];
            let from = self.argument(arg, ty, &args[number + 1..])?;
            moves.push((from, places[param.var.0 as usize], ty.size() as u32));
        }
        self.at_line(expr.span);
        self.emit_call(position, moves, to);
        Ok(())
    }

    /// A call whose arguments are in the frame, each with its place in the callee's and its size.
    pub(super) fn emit_call(&mut self, position: usize, args: Vec<(At, At, u32)>, to: At) {
        let function = position as u32;
        if !self.out.calls.contains(&function) {
            self.out.calls.push(function);
        }
        self.emit(Instr::Call { function, args: args.into(), to });
    }

    /// An argument for a parameter: a method's receiver is borrowed or dereferenced as the parameter asks.
    fn argument(&mut self, arg: &Expr, param: &Type, later: &[&Expr]) -> Result<At> {
        let is_ref = matches!(self.type_of(arg), Type::Ref(..));
        if matches!(param, Type::Ref(..)) {
            if is_ref {
                return self.value(arg);
            }
            let (place, _) = self.behind(arg)?;
            return self.whole_address(place);
        }
        if let Type::Spec(_) = param {
            return self.value(arg);
        }
        self.stable(arg, later)
    }

    /// A function that every device has.
    pub(super) fn builtin(&mut self, expr: &Expr, name: &str, has_type: bool, args: &[Expr], to: At) -> Result<()> {
        let ty = self.type_of(expr);
        let last = name.rsplit("::").next().unwrap_or(name);
        match (last, args) {
            ("local", []) => {
                let Type::Local(inner) = &ty else {
                    return internal("local memory of another type");
                };
                let offset = self.code.local.place(inner, 1);
                let offset = offset.filter(|_| self.code.local.bytes <= MAX_FRAME).map(u32::try_from);
                let Some(Ok(offset)) = offset else {
                    return Err(Fault::OutOfMemory { bytes: self.code.local.bytes.max(inner.size()) });
                };
                self.emit(Instr::LocalAddress { to, offset });
                Ok(())
            }
            ("fence", [order, scope]) => {
                let order = self.stable(order, &[scope])?;
                let scope = self.operand(scope)?;
                self.at_line(expr.span);
                self.emit(Instr::Fence { order, scope });
                Ok(())
            }
            ("new" | "from_array", [lanes]) => self.value_to(lanes, to),
            ("splat", [lane]) => self.splat(lane, to, &ty),
            ("from_bits", [bits]) if has_type => {
                let from = self.operand(bits)?;
                self.copy(to, from, &ty);
                Ok(())
            }
            ("from", [value]) if has_type && matches!(ty, Type::Vector(..)) => match self.operand_type(value) {
                Type::Array(..) | Type::Vector(..) => {
                    let from = self.operand(value)?;
                    self.copy(to, from, &ty);
                    Ok(())
                }
                _ => self.splat(value, to, &ty),
            },
            ("zeroed" | "default", []) if has_type => {
                self.zero(to, ty.size());
                Ok(())
            }
            ("from" | "from_scalar" | "from_f32" | "from_f64", [value]) if has_type => {
                let from = self.operand(value)?;
                let from_type = self.operand_type(value);
                self.cast(1, to, &ty, from, &from_type);
                Ok(())
            }
            _ => {
                let args: Vec<&Expr> = args.iter().collect();
                self.numeric(last, &args, &ty, to, expr.span)
            }
        }
    }

    fn zero(&mut self, to: At, size: usize) {
        let mut at = to;
        let mut left = size;
        while left > 0 {
            let len = left.min(8);
            self.emit(Instr::Number { to: at, bits: 0, len: len as u8 });
            at += len as u32;
            left -= len;
        }
    }

    fn splat(&mut self, lane: &Expr, to: At, ty: &Type) -> Result<()> {
        let (elem, lanes) = lanes_of(ty);
        let from = self.operand(lane)?;
        let size = elem.size() as u32;
        for position in 0..u32::from(lanes) {
            self.copy(to + position * size, from, elem);
        }
        Ok(())
    }

    /// A method call.
    pub(super) fn method(&mut self, expr: &Expr, receiver: &Expr, name: &str, args: &[Expr], to: At) -> Result<()> {
        if self.typed.callee(expr).is_some() {
            let all: Vec<&Expr> = std::iter::once(receiver).chain(args).collect();
            return self.call(expr, &all, to);
        }
        let mut ty = self.type_of(receiver);
        loop {
            ty = match ty {
                Type::Ref(inner, _) => *inner,
                Type::Spec(inner) if name != "get" => *inner,
                _ => break,
            };
        }
        match &ty {
            Type::Item(dims) | Type::NdItem(dims) | Type::Group(dims) => {
                self.token_method(expr, receiver, &ty, *dims, name, args, to)
            }
            Type::SubGroup => self.token_method(expr, receiver, &ty, 1, name, args, to),
            Type::Reducer(..) => {
                let handle = self.operand(receiver)?;
                let [x] = args else {
                    return internal("the arguments of `combine`");
                };
                let from = self.operand(x)?;
                self.at_line(expr.span);
                self.emit(Instr::Combine { handle, from });
                Ok(())
            }
            Type::Spec(inner) => {
                let from = self.operand(receiver)?;
                self.copy(to, from, inner);
                Ok(())
            }
            Type::AtomicRef(elem) => self.atomic(expr, receiver, elem, name, args, to),
            Type::Vector(elem, lanes) if name != "clone" => {
                self.vector_method(expr, receiver, elem, *lanes, name, args, to)
            }
            _ if name == "clone" => {
                let from = self.operand(receiver)?;
                self.copy(to, from, &ty);
                Ok(())
            }
            _ if ty.is_scalar() && name == "convert" => {
                let from = self.operand(receiver)?;
                let result = self.type_of(expr);
                self.cast(1, to, &result, from, &ty);
                Ok(())
            }
            _ if ty.is_scalar() => {
                let all: Vec<&Expr> = std::iter::once(receiver).chain(args).collect();
                let result = self.type_of(expr);
                self.numeric(name, &all, &result, to, expr.span)
            }
            _ => self.memory_method(expr, receiver, name, args, to),
        }
    }

    /// A text for the host.
    pub(super) fn message(&mut self, kind: MessageKind, template: &str, operands: &[Expr], span: SpanId) -> Result<()> {
        let fails = kind == MessageKind::Assert;
        let (mut args, mut holds) = (operands, None);
        if let (true, [condition, rest @ ..]) = (fails, operands) {
            let condition = self.value(condition)?;
            holds = Some(self.emit(Instr::JumpIf { condition, target: 0 }));
            args = rest;
        }
        let later: Vec<&Expr> = args.iter().collect();
        let mut values = Vec::new();
        for (position, arg) in args.iter().enumerate() {
            let at = self.stable(arg, &later[position + 1..])?;
            let ty = self.operand_type(arg);
            values.push((at, self.type_at(&ty)));
        }
        self.at_line(span);
        let template = self.name_at(template);
        self.emit(Instr::Message { template, args: values.into(), fails });
        if let Some(holds) = holds {
            self.land(holds);
        }
        Ok(())
    }

    /// A function of numbers, here or lent.
    pub(super) fn numeric(&mut self, name: &str, args: &[&Expr], result: &Type, to: At, span: SpanId) -> Result<()> {
        let mut operands = Vec::new();
        for (position, arg) in args.iter().enumerate() {
            let at = self.stable(arg, &args[position + 1..])?;
            let ty = self.operand_type(arg);
            operands.push((at, self.type_at(&ty)));
        }
        self.at_line(span);
        let first = args.first().map_or(Type::Unit, |arg| self.operand_type(arg));
        let (elem, lanes) = lanes_of(&first);
        let known = signature(elem, name).is_some();
        let name = self.name_at(name);
        let args = operands.into();
        let instr = if known {
            Instr::Math { name, to, args, lanes }
        } else {
            Instr::Lent { name, to, args, ty: self.type_at(result) }
        };
        self.emit(instr);
        Ok(())
    }
}
