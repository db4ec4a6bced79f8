//! From typed trees to code.
//!
//! Every variable has a place in its function's frame; temporaries lie behind the variables and are given up at the end
//! of the statement that made them. Operands are evaluated left to right as Rust does: an operand that is a variable is
//! read in place unless something to its right could change it, in which case it is copied first.

mod call;
mod compare;
mod expr;
mod flow;
mod method;
mod pattern;
mod place;

use super::code::*;
use super::fault::Fault;
use crate::infer::{Program, TypedFunction};
use crate::tree::*;
use crate::types::Type;
use crate::value::Value;

/// Frames are kept to what a 32-bit offset reaches.
const MAX_FRAME: usize = 1 << 30;

type Result<T> = std::result::Result<T, Fault>;

fn internal<T>(what: impl Into<String>) -> Result<T> {
    Err(Fault::Internal(what.into()))
}

/// Compiles a program.
pub(super) fn compile(program: &Program) -> Result<Code> {
    let mut code = Code { comparisons: program.comparisons.clone(), ..Code::default() };
    let mut sites = 0u32;
    for typed in &program.functions {
        let mut function = Compiler::new(typed, program, &mut code)?.run()?;
        function.first_site = sites;
        sites = sites.saturating_add(function.instrs.len() as u32);
        code.functions.push(function);
    }
    if let Some(root) = program.functions.first() {
        let tree = root.tree();
        code.kind = Some(tree.kind);
        code.param_names = tree.params.iter().map(|param| variable_name(tree, param.var)).collect();
    }
    Ok(code)
}

fn variable_name(tree: &Function, var: VarId) -> String {
    tree.vars.get(var.0 as usize).map_or_else(String::new, |variable| variable.name.clone())
}

/// Where the variables lie in a frame, and the end of the last.
fn layout(types: &[Type]) -> Result<(Vec<At>, u32)> {
    let mut end = 0usize;
    let mut places = Vec::with_capacity(types.len());
    for ty in types {
        places.push(end as At);
        end = end.saturating_add(ty.size()).saturating_add(7) & !7;
        if end > MAX_FRAME {
            return Err(Fault::OutOfMemory { bytes: end });
        }
    }
    Ok((places, end as u32))
}

/// A loop or labelled block that is being compiled.
struct Jump {
    label: Option<String>,
    is_loop: bool,
    /// Where `break` puts its value.
    result: At,
    /// Where `continue` goes.
    again: Target,
    /// Jumps to the end, whose target is not known yet.
    breaks: Vec<Target>,
}

/// Where a value can be read and written.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// In the frame.
    Frame(At),
    /// At the address that lies in the frame, plus an offset.
    Memory(At, u32),
}

/// The compiler of one function.
struct Compiler<'a> {
    typed: &'a TypedFunction,
    program: &'a Program,
    code: &'a mut Code,
    out: FunctionCode,
    vars: Vec<At>,
    /// The first free byte of the frame.
    free: u32,
    span: Span,
    jumps: Vec<Jump>,
}

impl<'a> Compiler<'a> {
    fn new(typed: &'a TypedFunction, program: &'a Program, code: &'a mut Code) -> Result<Self> {
        let (vars, free) = layout(&typed.vars)?;
        Ok(Compiler {
            typed,
            program,
            code,
            out: FunctionCode {
                frame: free,
                name: typed.tree().name.clone(),
                file: typed.tree().file.clone(),
                ..FunctionCode::default()
            },
            vars,
            free,
            span: Span::default(),
            jumps: Vec::new(),
        })
    }

    fn run(mut self) -> Result<FunctionCode> {
        let tree = self.typed.tree();
        for param in &tree.params {
            self.out.params.push((self.var(param.var), self.typed.vars[param.var.0 as usize].clone()));
        }
        let ret = self.typed.ret.clone();
        let to = self.temp(&ret)?;
        self.block(&tree.body, to, &ret)?;
        self.emit(Instr::Return { from: to, len: ret.size() as u32 });
        Ok(self.out)
    }

    fn var(&self, var: VarId) -> At {
        self.vars.get(var.0 as usize).copied().unwrap_or(0)
    }

    fn emit(&mut self, instr: Instr) -> Target {
        self.out.instrs.push(instr);
        self.out.spans.push(self.span);
        self.here() - 1
    }

    fn here(&self) -> Target {
        self.out.instrs.len() as Target
    }

    /// Makes a jump that was emitted before its target was known go here.
    fn land(&mut self, jump: Target) {
        let here = self.here();
        if let Some(
            Instr::Jump { target }
            | Instr::JumpIf { target, .. }
            | Instr::JumpUnless { target, .. }
            | Instr::RangeNext { done: target, .. },
        ) = self.out.instrs.get_mut(jump as usize)
        {
            *target = here;
        }
    }

    fn at_line(&mut self, span: SpanId) {
        if let Some(span) = self.typed.tree().spans.get(span.0 as usize) {
            self.span = *span;
        }
    }

    fn temp(&mut self, ty: &Type) -> Result<At> {
        self.temp_bytes(ty.size())
    }

    fn temp_bytes(&mut self, size: usize) -> Result<At> {
        let at = self.free;
        let end = (at as usize).saturating_add(size).saturating_add(7) & !7;
        if end > MAX_FRAME {
            return Err(Fault::OutOfMemory { bytes: end });
        }
        self.free = end as u32;
        self.out.frame = self.out.frame.max(self.free);
        Ok(at)
    }

    fn type_at(&mut self, ty: &Type) -> TypeAt {
        let found = self.code.types.iter().position(|known| known == ty);
        found.unwrap_or_else(|| {
            self.code.types.push(ty.clone());
            self.code.types.len() - 1
        }) as TypeAt
    }

    fn name_at(&mut self, name: &str) -> NameAt {
        let found = self.code.names.iter().position(|known| known == name);
        found.unwrap_or_else(|| {
            self.code.names.push(name.to_owned());
            self.code.names.len() - 1
        }) as NameAt
    }

    fn copy(&mut self, to: At, from: At, ty: &Type) {
        let len = ty.size() as u32;
        if to != from && len > 0 {
            self.emit(Instr::Copy { to, from, len });
        }
    }

    fn constant(&mut self, to: At, value: &Value) {
        let bytes = value.to_bytes();
        if bytes.is_empty() {
            return;
        }
        if bytes.len() <= 8 {
            let mut raw = [0; 8];
            raw[..bytes.len()].copy_from_slice(&bytes);
            self.emit(Instr::Number { to, bits: u64::from_le_bytes(raw), len: bytes.len() as u8 });
            return;
        }
        let start = self.code.bytes.len() as u32;
        self.code.bytes.extend_from_slice(&bytes);
        self.emit(Instr::Bytes { to, start, len: bytes.len() as u32 });
    }

    fn type_of(&self, expr: &Expr) -> Type {
        self.typed.type_of(expr).clone()
    }

    fn block(&mut self, block: &Block, to: At, ty: &Type) -> Result<()> {
        for stmt in &block.stmts {
            let mark = self.free;
            match stmt {
                Stmt::Let { pattern, init, span, .. } => {
                    self.at_line(*span);
                    if let Pattern::Bind { var, sub: None } = pattern {
                        self.value_to(init, self.var(*var))?;
                    } else {
                        let value = self.value(init)?;
                        let init_type = self.type_of(init);
                        self.bind(pattern, value, &init_type)?;
                    }
                }
                Stmt::Expr(expr) => {
                    self.value(expr)?;
                }
            }
            self.free = mark;
        }
        if let Some(tail) = &block.tail {
            let mark = self.free;
            if *ty == Type::Unit {
                self.value(tail)?;
            } else {
                self.value_to(tail, to)?;
            }
            self.free = mark;
        }
        Ok(())
    }
}
