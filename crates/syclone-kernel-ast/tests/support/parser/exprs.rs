//! Operators, operands and calls.

use syclone_kernel_ast::tree::*;
use syclone_kernel_ast::types::{IntKind, Type};
use syclone_kernel_ast::value::Value;

use super::super::Names;
use super::super::lexer::Token;
use super::Parser;

/// Functions that are the language's own.
const BUILTINS: [&str; 4] = ["local", "fence", "min", "max"];

impl Parser<'_> {
    /// An expression whose operators bind at least so tightly.
    pub(super) fn expr(&mut self, level: u8) -> Expr {
        let mut left = self.unary();
        loop {
            let span = self.span();
            if level <= 12 && self.eat_word("as") {
                let ty = self.ty().1;
                left = Expr { kind: ExprKind::Cast(Box::new(left), ty), span };
                continue;
            }
            let Token::Punct(punct) = *self.peek() else {
                return left;
            };
            if level == 0 {
                if self.eat("=") {
                    let value = self.expr(0);
                    return Expr { kind: ExprKind::Assign(Box::new(left), Box::new(value)), span };
                }
                let op = punct.strip_suffix('=').and_then(operator).filter(|op| binary_level(*op) > 5);
                if let Some(op) = op {
                    self.at += 1;
                    let value = self.expr(0);
                    return Expr { kind: ExprKind::AssignOp(op, Box::new(left), Box::new(value)), span };
                }
            }
            let Some(op) = operator(punct) else {
                return left;
            };
            if binary_level(op) < level.max(1) {
                return left;
            }
            self.at += 1;
            let right = self.expr(binary_level(op) + 1);
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
    }

    fn unary(&mut self) -> Expr {
        let span = self.span();
        let kind = if self.eat("-") {
            ExprKind::Unary(UnaryOp::Neg, Box::new(self.unary()))
        } else if self.eat("!") {
            ExprKind::Unary(UnaryOp::Not, Box::new(self.unary()))
        } else if self.eat("*") {
            ExprKind::Deref(Box::new(self.unary()))
        } else if self.eat("&") {
            let mutable = self.eat_word("mut");
            ExprKind::Ref(mutable, Box::new(self.unary()))
        } else {
            let primary = self.primary();
            return self.postfix(primary);
        };
        Expr { kind, span }
    }

    fn postfix(&mut self, mut expr: Expr) -> Expr {
        loop {
            let span = self.span();
            let kind = if self.eat("[") {
                let index = self.inner();
                self.want("]");
                ExprKind::Index(Box::new(expr), Box::new(index))
            } else if self.eat(".") {
                match self.next() {
                    Token::Int(position, _) => ExprKind::TupleField(Box::new(expr), position as u32),
                    Token::Ident(name) if self.is("(") || self.is("::") => {
                        let (mut types, mut consts) = (Vec::new(), Vec::new());
                        if self.eat("::") {
                            self.turbofish(&mut types, &mut consts);
                        }
                        let args = self.arguments();
                        ExprKind::Method { receiver: Box::new(expr), name, types, consts, args }
                    }
                    Token::Ident(name) => ExprKind::Field(Box::new(expr), name),
                    _ => self.fail("a field"),
                }
            } else {
                return expr;
            };
            expr = Expr { kind, span };
        }
    }

    fn turbofish(&mut self, types: &mut Vec<TypeId>, consts: &mut Vec<ConstId>) {
        self.want("<");
        while !self.is(">") {
            if let Token::Int(value, _) = *self.peek() {
                self.at += 1;
                self.tree.consts.push(value.to_string());
                self.consts.push(Value::Int(IntKind::Usize, value).into());
                consts.push(ConstId(self.consts.len() as u32 - 1));
            } else {
                types.push(self.ty().1);
            }
            self.eat(",");
        }
        self.want(">");
    }

    /// An expression in brackets of some kind, where struct literals are allowed again.
    pub(super) fn inner(&mut self) -> Expr {
        let before = std::mem::replace(&mut self.no_struct, false);
        let expr = self.expr(0);
        self.no_struct = before;
        expr
    }

    pub(super) fn arguments(&mut self) -> Vec<Expr> {
        self.want("(");
        let mut args = Vec::new();
        while !self.eat(")") {
            args.push(self.inner());
            self.eat(",");
        }
        args
    }

    pub(super) fn primary(&mut self) -> Expr {
        let span = self.span();
        let kind = match self.peek().clone() {
            Token::Int(value, suffix) => {
                self.at += 1;
                ExprKind::Lit(Lit::Int(value, suffix))
            }
            Token::Float(digits, suffix) => {
                self.at += 1;
                ExprKind::Lit(Lit::Float(digits, suffix))
            }
            Token::Label(label) => {
                self.at += 1;
                self.want(":");
                self.labelled(Some(label))
            }
            Token::Punct("(") => return self.parenthesis(),
            Token::Punct("[") => self.array(),
            Token::Punct("{") => self.labelled(None),
            Token::Ident(word) => return self.word(&word),
            _ => self.fail("an expression"),
        };
        Expr { kind, span }
    }

    fn parenthesis(&mut self) -> Expr {
        let span = self.span();
        self.want("(");
        let mut parts = Vec::new();
        let mut tuple = self.is(")");
        while !self.eat(")") {
            parts.push(self.inner());
            tuple |= self.eat(",");
        }
        if tuple { Expr { kind: ExprKind::Tuple(parts), span } } else { parts.remove(0) }
    }

    fn array(&mut self) -> ExprKind {
        self.want("[");
        let mut parts = Vec::new();
        while !self.eat("]") {
            parts.push(self.inner());
            if self.eat(";") {
                let count = self.inner();
                self.want("]");
                return ExprKind::Repeat(Box::new(parts.remove(0)), Box::new(count));
            }
            self.eat(",");
        }
        ExprKind::Array(parts)
    }

    /// A variable, constant, call or struct literal.
    pub(super) fn name(&mut self) -> ExprKind {
        if let Token::Ident(name) = self.peek().clone()
            && self.tokens[self.at + 1].0 != Token::Punct("::")
            && let Some(var) = self.find(&name)
        {
            self.at += 1;
            return ExprKind::Var(var);
        }
        let start = self.at;
        let path = self.path();
        let mut types = Vec::new();
        let mut consts = Vec::new();
        if self.is("::") {
            self.at += 1;
            self.turbofish(&mut types, &mut consts);
        }
        let named_type = self.names.types.iter().any(|(name, _)| *name == path);
        if named_type && self.is("(") {
            let id = self.type_from(start);
            return ExprKind::TupleStruct(id, self.arguments());
        }
        if named_type && self.is("{") && !self.no_struct {
            let id = self.type_from(start);
            return ExprKind::Struct(id, self.fields());
        }
        if !self.is("(") {
            return ExprKind::Const(self.constant(&path));
        }
        let args = self.arguments();
        if BUILTINS.contains(&path.as_str()) {
            return ExprKind::Builtin(path, types, args);
        }
        if let Some((base, name)) = path.rsplit_once("::")
            && let Some(ty) = builtin_base(base, self.names)
        {
            self.types.push(ty);
            self.tree.types.push(base.into());
            let own = TypeId(self.types.len() as u32 - 1);
            return ExprKind::Builtin(name.into(), vec![own], args);
        }
        let callee = self.names.callees.iter().find(|(name, _)| *name == path);
        let (_, function) = callee.unwrap_or_else(|| panic!("unknown function {path}"));
        self.callees.push(*function);
        self.tree.callees.push(path);
        ExprKind::Call(CalleeId(self.callees.len() as u32 - 1), args)
    }

    fn fields(&mut self) -> Vec<(String, Expr)> {
        self.want("{");
        let mut fields = Vec::new();
        while !self.eat("}") {
            let at = self.at;
            let name = self.ident();
            if !self.eat(":") {
                self.at = at;
            }
            fields.push((name, self.inner()));
            self.eat(",");
        }
        fields
    }
}

/// The type before `::` of one of the language's functions.
fn builtin_base(base: &str, names: &Names) -> Option<Type> {
    match names.types.iter().find(|(name, _)| *name == base) {
        Some((_, ty @ Type::Vector(..))) => Some(ty.clone()),
        _ if base == "Vector" => Some(Type::Infer),
        _ => Type::from_name(base),
    }
}

fn operator(punct: &str) -> Option<BinaryOp> {
    BinaryOp::ALL.into_iter().find(|op| op.symbol() == punct)
}

fn binary_level(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 3,
        BinaryOp::And => 4,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 5,
        BinaryOp::BitOr => 6,
        BinaryOp::BitXor => 7,
        BinaryOp::BitAnd => 8,
        BinaryOp::Shl | BinaryOp::Shr => 9,
        BinaryOp::Add | BinaryOp::Sub => 10,
        _ => 11,
    }
}
