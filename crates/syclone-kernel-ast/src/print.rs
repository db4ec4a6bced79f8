//! The tree as readable text, close to the Rust it was parsed from.
//!
//! Parentheses are printed where the shape of the tree needs them, so the text shows what will be evaluated.

use std::fmt::{self, Write};

use crate::tree::*;

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer { function: self, out: f, indent: 0 }.function()
    }
}

/// How tightly an expression binds; higher is tighter.
type Level = u8;
const LOWEST: Level = 0;
const ASSIGN: Level = 1;
const CAST: Level = 12;
const UNARY: Level = 13;
const POSTFIX: Level = 14;
const ATOM: Level = 15;

fn binary_level(op: BinaryOp) -> Level {
    match op {
        BinaryOp::Or => 3,
        BinaryOp::And => 4,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 5,
        BinaryOp::BitOr => 6,
        BinaryOp::BitXor => 7,
        BinaryOp::BitAnd => 8,
        BinaryOp::Shl | BinaryOp::Shr => 9,
        BinaryOp::Add | BinaryOp::Sub => 10,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 11,
    }
}

fn level(kind: &ExprKind) -> Level {
    match kind {
        ExprKind::Assign(..) | ExprKind::AssignOp(..) => ASSIGN,
        ExprKind::Break(..) | ExprKind::Continue(_) | ExprKind::Return(_) => LOWEST,
        ExprKind::Binary(op, ..) => binary_level(*op),
        ExprKind::Cast(..) => CAST,
        ExprKind::Unary(..) | ExprKind::Ref(..) | ExprKind::Deref(_) => UNARY,
        ExprKind::Lit(Lit::Int(value, _)) if *value < 0 => UNARY,
        ExprKind::Index(..) | ExprKind::Field(..) | ExprKind::TupleField(..) | ExprKind::Method { .. } => POSTFIX,
        ExprKind::If(..)
        | ExprKind::Match(..)
        | ExprKind::Block(..)
        | ExprKind::Loop(..)
        | ExprKind::While(..)
        | ExprKind::For { .. } => LOWEST,
        _ => ATOM,
    }
}

/// Whether it stands as a statement without a semicolon.
fn is_block(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::If(..)
            | ExprKind::Match(..)
            | ExprKind::Block(..)
            | ExprKind::Loop(..)
            | ExprKind::While(..)
            | ExprKind::For { .. }
    )
}

struct Printer<'a, W> {
    function: &'a Function,
    out: &'a mut W,
    indent: usize,
}

impl<W: Write> Printer<'_, W> {
    fn function(&mut self) -> fmt::Result {
        let function = self.function;
        let attribute = match function.kind {
            FunctionKind::Range { dims } => format!("#[kernel] // range, {dims}-d"),
            FunctionKind::NdRange { dims } => format!("#[kernel] // nd_range, {dims}-d"),
            FunctionKind::SingleTask => "#[kernel] // single_task".to_owned(),
            FunctionKind::Device => "#[device_fn]".to_owned(),
            FunctionKind::Collective => "#[device_fn] // collective".to_owned(),
        };
        write!(self.out, "{attribute}\nfn {}(", function.name)?;
        for (position, param) in function.params.iter().enumerate() {
            let comma = if position > 0 { ", " } else { "" };
            write!(self.out, "{comma}")?;
            self.declare(param.var)?;
            write!(self.out, ": ")?;
            self.ty(param.ty)?;
        }
        write!(self.out, ") ")?;
        if let Some(ret) = function.ret {
            write!(self.out, "-> ")?;
            self.ty(ret)?;
            write!(self.out, " ")?;
        }
        self.block(&function.body)?;
        writeln!(self.out)
    }

    fn table(&mut self, table: &[String], index: u32) -> fmt::Result {
        match table.get(index as usize) {
            Some(text) => write!(self.out, "{text}"),
            None => write!(self.out, "<{index}?>"),
        }
    }

    fn ty(&mut self, id: TypeId) -> fmt::Result {
        let function = self.function;
        self.table(&function.types, id.0)
    }

    fn constant(&mut self, id: ConstId) -> fmt::Result {
        let function = self.function;
        self.table(&function.consts, id.0)
    }

    fn var(&mut self, var: VarId) -> fmt::Result {
        match self.function.vars.get(var.0 as usize) {
            Some(variable) => write!(self.out, "{}", variable.name),
            None => write!(self.out, "<var {}?>", var.0),
        }
    }

    fn declare(&mut self, var: VarId) -> fmt::Result {
        if self.function.vars.get(var.0 as usize).is_some_and(|variable| variable.mutable) {
            write!(self.out, "mut ")?;
        }
        self.var(var)
    }

    fn line(&mut self) -> fmt::Result {
        write!(self.out, "\n{:width$}", "", width = self.indent * 4)
    }

    fn block(&mut self, block: &Block) -> fmt::Result {
        if block.stmts.is_empty() && block.tail.is_none() {
            return write!(self.out, "{{}}");
        }
        write!(self.out, "{{")?;
        self.indent += 1;
        for stmt in &block.stmts {
            self.line()?;
            match stmt {
                Stmt::Let { pattern, ty, init, .. } => {
                    write!(self.out, "let ")?;
                    self.pattern(pattern)?;
                    if let Some(ty) = ty {
                        write!(self.out, ": ")?;
                        self.ty(*ty)?;
                    }
                    write!(self.out, " = ")?;
                    self.expr(init, LOWEST)?;
                    write!(self.out, ";")?;
                }
                Stmt::Expr(expr) => {
                    self.expr(expr, LOWEST)?;
                    if !is_block(&expr.kind) {
                        write!(self.out, ";")?;
                    }
                }
            }
        }
        if let Some(tail) = &block.tail {
            self.line()?;
            self.expr(tail, LOWEST)?;
        }
        self.indent -= 1;
        self.line()?;
        write!(self.out, "}}")
    }

    fn separated<T>(
        &mut self,
        items: &[T],
        separator: &str,
        mut print: impl FnMut(&mut Self, &T) -> fmt::Result,
    ) -> fmt::Result {
        for (position, item) in items.iter().enumerate() {
            if position > 0 {
                write!(self.out, "{separator}")?;
            }
            print(self, item)?;
        }
        Ok(())
    }

    fn list(&mut self, open: &str, parts: &[Expr], close: &str) -> fmt::Result {
        write!(self.out, "{open}")?;
        self.separated(parts, ", ", |printer, part| printer.expr(part, LOWEST))?;
        write!(self.out, "{close}")
    }

    fn pattern(&mut self, pattern: &Pattern) -> fmt::Result {
        match pattern {
            Pattern::Wild(_) => write!(self.out, "_"),
            Pattern::Bind { var, sub } => {
                self.declare(*var)?;
                match sub {
                    Some(sub) => {
                        let group = matches!(**sub, Pattern::Or(..));
                        write!(self.out, " @ {}", if group { "(" } else { "" })?;
                        self.pattern(sub)?;
                        write!(self.out, "{}", if group { ")" } else { "" })
                    }
                    None => Ok(()),
                }
            }
            Pattern::Tuple(parts, _) => {
                write!(self.out, "(")?;
                self.separated(parts, ", ", Self::pattern)?;
                write!(self.out, "{})", if parts.len() == 1 { "," } else { "" })
            }
            Pattern::Lit(lit, _) => self.literal(lit),
            Pattern::Const(id, _) => self.constant(*id),
            Pattern::Range { lo, hi, inclusive, .. } => {
                if let Some(lo) = lo {
                    self.pattern(lo)?;
                }
                write!(self.out, "{}", if *inclusive { "..=" } else { ".." })?;
                match hi {
                    Some(hi) => self.pattern(hi),
                    None => Ok(()),
                }
            }
            Pattern::Or(parts, _) => self.separated(parts, " | ", Self::pattern),
        }
    }

    fn literal(&mut self, lit: &Lit) -> fmt::Result {
        match lit {
            Lit::Int(value, suffix) => write!(self.out, "{value}{suffix}"),
            Lit::Float(digits, suffix) => write!(self.out, "{digits}{suffix}"),
            Lit::Bool(value) => write!(self.out, "{value}"),
        }
    }

    fn label(&mut self, label: &Option<String>) -> fmt::Result {
        match label {
            Some(label) => write!(self.out, "'{label}: "),
            None => Ok(()),
        }
    }

    /// Types and then constants of a turbofish, if there are any.
    fn turbofish(&mut self, types: &[TypeId], consts: &[ConstId]) -> fmt::Result {
        if types.is_empty() && consts.is_empty() {
            return Ok(());
        }
        write!(self.out, "::<")?;
        self.separated(types, ", ", |printer, ty| printer.ty(*ty))?;
        write!(self.out, "{}", if types.is_empty() || consts.is_empty() { "" } else { ", " })?;
        self.separated(consts, ", ", |printer, id| printer.constant(*id))?;
        write!(self.out, ">")
    }

    fn expr(&mut self, expr: &Expr, outer: Level) -> fmt::Result {
        // A block-like expression needs parentheses only as an operand.
        let group = level(&expr.kind) < outer;
        write!(self.out, "{}", if group { "(" } else { "" })?;
        self.bare(&expr.kind)?;
        write!(self.out, "{}", if group { ")" } else { "" })
    }

    fn bare(&mut self, kind: &ExprKind) -> fmt::Result {
        match kind {
            ExprKind::Lit(lit) => self.literal(lit),
            ExprKind::Var(var) => self.var(*var),
            ExprKind::Const(id) => self.constant(*id),
            ExprKind::Unary(op, value) => {
                write!(self.out, "{}", if *op == UnaryOp::Neg { "-" } else { "!" })?;
                self.expr(value, UNARY)
            }
            ExprKind::Binary(op, left, right) => {
                let own = binary_level(*op);
                // Comparisons do not chain, so both of their sides bind tighter.
                let left_level = if own == 5 { own + 1 } else { own };
                self.expr(left, left_level)?;
                write!(self.out, " {} ", op.symbol())?;
                self.expr(right, own + 1)
            }
            ExprKind::Assign(place, value) => {
                self.expr(place, UNARY)?;
                write!(self.out, " = ")?;
                self.expr(value, LOWEST)
            }
            ExprKind::AssignOp(op, place, value) => {
                self.expr(place, UNARY)?;
                write!(self.out, " {}= ", op.symbol())?;
                self.expr(value, LOWEST)
            }
            ExprKind::Cast(value, ty) => {
                self.expr(value, CAST)?;
                write!(self.out, " as ")?;
                self.ty(*ty)
            }
            ExprKind::Index(base, index) => {
                self.expr(base, POSTFIX)?;
                write!(self.out, "[")?;
                self.expr(index, LOWEST)?;
                write!(self.out, "]")
            }
            ExprKind::Field(base, name) => {
                self.expr(base, POSTFIX)?;
                write!(self.out, ".{name}")
            }
            ExprKind::TupleField(base, position) => {
                self.expr(base, POSTFIX)?;
                write!(self.out, ".{position}")
            }
            ExprKind::Tuple(parts) => self.list("(", parts, if parts.len() == 1 { ",)" } else { ")" }),
            ExprKind::Array(parts) => self.list("[", parts, "]"),
            ExprKind::Repeat(value, count) => {
                write!(self.out, "[")?;
                self.expr(value, LOWEST)?;
                write!(self.out, "; ")?;
                self.expr(count, LOWEST)?;
                write!(self.out, "]")
            }
            ExprKind::Struct(ty, fields) => {
                self.ty(*ty)?;
                write!(self.out, " {{ ")?;
                self.separated(fields, ", ", |printer, (name, value)| {
                    write!(printer.out, "{name}: ")?;
                    printer.expr(value, LOWEST)
                })?;
                write!(self.out, " }}")
            }
            ExprKind::TupleStruct(ty, parts) => {
                self.ty(*ty)?;
                self.list("(", parts, ")")
            }
            ExprKind::Call(callee, args) => {
                let function = self.function;
                self.table(&function.callees, callee.0)?;
                self.list("(", args, ")")
            }
            ExprKind::Builtin(name, types, args) => {
                write!(self.out, "{name}")?;
                self.turbofish(types, &[])?;
                self.list("(", args, ")")
            }
            ExprKind::Message(kind, template, operands) => {
                let (condition, args) =
                    operands.split_at(usize::from(*kind == MessageKind::Assert).min(operands.len()));
                write!(self.out, "{}", if condition.is_empty() { "kprint!(" } else { "kassert!(" })?;
                for condition in condition {
                    self.expr(condition, LOWEST)?;
                    write!(self.out, ", ")?;
                }
                write!(self.out, "{template:?}")?;
                for arg in args {
                    write!(self.out, ", ")?;
                    self.expr(arg, LOWEST)?;
                }
                write!(self.out, ")")
            }
            ExprKind::Method { receiver, name, types, consts, args } => {
                self.expr(receiver, POSTFIX)?;
                write!(self.out, ".{name}")?;
                self.turbofish(types, consts)?;
                self.list("(", args, ")")
            }
            ExprKind::Ref(mutable, value) => {
                write!(self.out, "{}", if *mutable { "&mut " } else { "&" })?;
                self.expr(value, UNARY)
            }
            ExprKind::Deref(value) => {
                write!(self.out, "*")?;
                self.expr(value, UNARY)
            }
            _ => self.control(kind),
        }
    }

    fn control(&mut self, kind: &ExprKind) -> fmt::Result {
        match kind {
            ExprKind::If(condition, then, otherwise) => {
                write!(self.out, "if ")?;
                self.expr(condition, LOWEST)?;
                write!(self.out, " ")?;
                self.block(then)?;
                let Some(otherwise) = otherwise else {
                    return Ok(());
                };
                write!(self.out, " else ")?;
                match &otherwise.tail {
                    Some(tail) if otherwise.stmts.is_empty() && matches!(tail.kind, ExprKind::If(..)) => {
                        self.bare(&tail.kind)
                    }
                    _ => self.block(otherwise),
                }
            }
            ExprKind::Match(value, arms) => {
                write!(self.out, "match ")?;
                self.expr(value, LOWEST)?;
                write!(self.out, " {{")?;
                self.indent += 1;
                for arm in arms {
                    self.line()?;
                    self.pattern(&arm.pattern)?;
                    if let Some(guard) = &arm.guard {
                        write!(self.out, " if ")?;
                        self.expr(guard, LOWEST)?;
                    }
                    write!(self.out, " => ")?;
                    self.expr(&arm.body, LOWEST)?;
                    write!(self.out, ",")?;
                }
                self.indent -= 1;
                self.line()?;
                write!(self.out, "}}")
            }
            ExprKind::Block(label, block) => {
                self.label(label)?;
                self.block(block)
            }
            ExprKind::Loop(label, body) => {
                self.label(label)?;
                write!(self.out, "loop ")?;
                self.block(body)
            }
            ExprKind::While(label, condition, body) => {
                self.label(label)?;
                write!(self.out, "while ")?;
                self.expr(condition, LOWEST)?;
                write!(self.out, " ")?;
                self.block(body)
            }
            ExprKind::For { label, pattern, range, body } => {
                self.label(label)?;
                write!(self.out, "for ")?;
                self.pattern(pattern)?;
                write!(self.out, " in ")?;
                self.range(range)?;
                write!(self.out, " ")?;
                self.block(body)
            }
            ExprKind::Break(label, value) => self.jump("break", label.as_deref(), value.as_deref()),
            ExprKind::Continue(label) => self.jump("continue", label.as_deref(), None),
            ExprKind::Return(value) => self.jump("return", None, value.as_deref()),
            _ => Ok(()),
        }
    }

    fn jump(&mut self, word: &str, label: Option<&str>, value: Option<&Expr>) -> fmt::Result {
        write!(self.out, "{word}")?;
        if let Some(label) = label {
            write!(self.out, " '{label}")?;
        }
        match value {
            Some(value) => {
                write!(self.out, " ")?;
                self.expr(value, LOWEST)
            }
            None => Ok(()),
        }
    }

    fn range(&mut self, range: &ForRange) -> fmt::Result {
        let plain = range.adaptors.is_empty();
        write!(self.out, "{}", if plain { "" } else { "(" })?;
        self.expr(&range.start, 3)?;
        write!(self.out, "{}", if range.inclusive { "..=" } else { ".." })?;
        self.expr(&range.end, 3)?;
        write!(self.out, "{}", if plain { "" } else { ")" })?;
        for adaptor in &range.adaptors {
            match adaptor {
                RangeAdaptor::Rev => write!(self.out, ".rev()")?,
                RangeAdaptor::StepBy(step) => {
                    write!(self.out, ".step_by(")?;
                    self.expr(step, LOWEST)?;
                    write!(self.out, ")")?;
                }
            }
        }
        Ok(())
    }
}
