//! Kernel texts to bound functions: a small stand-in for the macro's front end.

use std::sync::Arc;

use syclone_kernel_ast::bound::{BoundFunction, ConstValue};
use syclone_kernel_ast::tree::*;
use syclone_kernel_ast::types::{BindFn, IntKind, Op, Order, Scope, Type};
use syclone_kernel_ast::value::Value;

use super::Names;
use super::lexer::{Token, lex};

/// Functions that are the language's own.
const BUILTINS: [&str; 4] = ["local", "fence", "min", "max"];

pub fn parse(text: &str, names: &Names) -> BoundFunction {
    let mut parser = Parser {
        tokens: lex(text),
        at: 0,
        names,
        tree: Function {
            name: String::new(),
            file: "kernel.rs".into(),
            kind: FunctionKind::SingleTask,
            params: Vec::new(),
            ret: None,
            vars: Vec::new(),
            body: Block::default(),
            types: Vec::new(),
            consts: Vec::new(),
            callees: Vec::new(),
            spans: Vec::new(),
        },
        types: Vec::new(),
        consts: Vec::new(),
        callees: Vec::new(),
        scopes: vec![Vec::new()],
        no_struct: false,
    };
    parser.function();
    BoundFunction {
        tree: Arc::new(parser.tree),
        types: parser.types,
        consts: parser.consts,
        callees: parser.callees,
        methods: names.methods.clone(),
    }
}

struct Parser<'a> {
    tokens: Vec<(Token, u32)>,
    at: usize,
    names: &'a Names,
    tree: Function,
    types: Vec<Type>,
    consts: Vec<ConstValue>,
    callees: Vec<BindFn>,
    scopes: Vec<Vec<(String, VarId)>>,
    no_struct: bool,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn next(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        self.at += 1;
        token
    }

    fn is(&self, punct: &str) -> bool {
        matches!(self.peek(), Token::Punct(found) if *found == punct)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Ident(found) if found == word)
    }

    fn eat(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        self.at += usize::from(found);
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn fail(&self, expected: &str) -> ! {
        panic!("line {}: {expected} expected, found {:?}", self.tokens[self.at].1, self.peek())
    }

    fn want(&mut self, punct: &str) {
        // `>>` closes two lists of types.
        if punct == ">" && self.is(">>") {
            self.tokens[self.at].0 = Token::Punct(">");
            return;
        }
        if !self.eat(punct) {
            self.fail(punct);
        }
    }

    fn ident(&mut self) -> String {
        match self.next() {
            Token::Ident(name) => name,
            _ => {
                self.at -= 1;
                self.fail("identifier")
            }
        }
    }

    fn span(&mut self) -> SpanId {
        let line = self.tokens[self.at].1;
        let span = Span { line, column: 0 };
        if self.tree.spans.last() != Some(&span) {
            self.tree.spans.push(span);
        }
        SpanId(self.tree.spans.len() as u32 - 1)
    }

    fn declare(&mut self, name: &str, mutable: bool) -> VarId {
        let span = self.span();
        let var = VarId(self.tree.vars.len() as u32);
        self.tree.vars.push(Variable { name: name.into(), mutable, span });
        self.scopes.last_mut().unwrap().push((name.into(), var));
        var
    }

    fn find(&self, name: &str) -> Option<VarId> {
        let all = self.scopes.iter().rev().flat_map(|scope| scope.iter().rev());
        all.into_iter().find(|(known, _)| known == name).map(|(_, var)| *var)
    }

    fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Vec::new());
        let result = work(self);
        self.scopes.pop();
        result
    }

    fn function(&mut self) {
        let device = self.eat_word("device");
        assert!(self.eat_word("fn"), "a function");
        self.tree.name = self.ident();
        self.want("(");
        while !self.eat(")") {
            let mutable = self.eat_word("mut");
            let name = self.ident();
            let var = self.declare(&name, mutable);
            self.want(":");
            let (ty, id) = self.ty();
            self.tree.params.push(Param { var, ty: id, role: role(&ty) });
            self.eat(",");
        }
        if self.eat("->") {
            self.tree.ret = Some(self.ty().1);
        }
        let first = self.tree.params.first().map(|param| self.types[param.ty.0 as usize].clone());
        self.tree.kind = match first {
            Some(Type::NdItem(_)) if device => FunctionKind::Collective,
            _ if device => FunctionKind::Device,
            Some(Type::Item(dims)) => FunctionKind::Range { dims },
            Some(Type::NdItem(dims)) => FunctionKind::NdRange { dims },
            _ => FunctionKind::SingleTask,
        };
        self.tree.body = self.block();
        if *self.peek() != Token::End {
            self.fail("the end");
        }
    }

    /// A type, entered in the table.
    fn ty(&mut self) -> (Type, TypeId) {
        let start = self.at;
        let ty = self.bare_type();
        let text: Vec<String> = self.tokens[start..self.at].iter().map(|(token, _)| spell(token)).collect();
        let text = text.join("").replace(',', ", ").replace("&mut", "&mut ").replace(';', "; ");
        let known = self.types.iter().zip(&self.tree.types).position(|known| *known.0 == ty && *known.1 == text);
        let position = known.unwrap_or_else(|| {
            self.types.push(ty.clone());
            self.tree.types.push(text);
            self.types.len() - 1
        });
        (ty, TypeId(position as u32))
    }

    fn bare_type(&mut self) -> Type {
        if self.eat("_") {
            return Type::Infer;
        }
        if self.eat("&") {
            let mutable = self.eat_word("mut");
            return Type::Ref(Box::new(self.bare_type()), mutable);
        }
        if self.eat("(") {
            let mut parts = Vec::new();
            while !self.eat(")") {
                parts.push(self.bare_type());
                self.eat(",");
            }
            return if parts.is_empty() { Type::Unit } else { Type::Tuple(parts) };
        }
        if self.eat("[") {
            let elem = self.bare_type();
            self.want(";");
            let len = self.size();
            self.want("]");
            return Type::Array(Box::new(elem), len);
        }
        let name = self.ident();
        if let Some((_, ty)) = self.names.types.iter().find(|(known, _)| *known == name) {
            return ty.clone();
        }
        if let Some(ty) = Type::from_name(&name) {
            return ty;
        }
        if name == "SubGroup" {
            return Type::SubGroup;
        }
        self.want("<");
        let ty = match name.as_str() {
            "Item" => Type::Item(self.size() as u8),
            "NdItem" => Type::NdItem(self.size() as u8),
            "Group" => Type::Group(self.size() as u8),
            _ => {
                let elem = Box::new(self.bare_type());
                let op = if name == "Reducer" {
                    self.want(",");
                    Op::from_name(&self.ident())
                } else {
                    None
                };
                let dims = if self.eat(",") { self.size() as u8 } else { 1 };
                match name.as_str() {
                    "Vector" => Type::Vector(elem, dims),
                    "View" => Type::View(elem, dims),
                    "ItemMut" => Type::ItemMut(elem, dims),
                    "GroupMut" => Type::GroupMut(elem, dims),
                    "ScatterMut" => Type::ScatterMut(elem, dims),
                    "AtomicView" => Type::AtomicView(elem, dims),
                    "LocalAccessor" => Type::LocalAccessor(elem, dims),
                    "Local" => Type::Local(elem),
                    "Spec" => Type::Spec(elem),
                    "Reducer" => Type::Reducer(elem, op.expect("an operator")),
                    _ => panic!("unknown type {name}"),
                }
            }
        };
        self.want(">");
        ty
    }

    fn size(&mut self) -> usize {
        match self.next() {
            Token::Int(value, _) => value as usize,
            Token::Ident(name) => {
                let value = self.names.consts.iter().find(|(known, _)| *known == name);
                value.and_then(|(_, value)| value.value.as_int()).expect("a const") as usize
            }
            _ => self.fail("a size"),
        }
    }

    fn block(&mut self) -> Block {
        self.want("{");
        let no_struct = std::mem::replace(&mut self.no_struct, false);
        let block = self.scoped(Self::statements);
        self.no_struct = no_struct;
        block
    }

    fn statements(&mut self) -> Block {
        let mut block = Block::default();
        while !self.eat("}") {
            if self.eat(";") {
                continue;
            }
            let span = self.span();
            if self.eat_word("let") {
                let start = self.at;
                // The initialiser does not see the new variables: parse the pattern after it.
                while !self.is("=") && !self.is(":") {
                    self.at += 1;
                }
                let ty = self.eat(":").then(|| self.ty().1);
                self.want("=");
                let init = self.expr(0);
                let end = self.at;
                self.at = start;
                let pattern = self.pattern();
                self.at = end;
                self.want(";");
                block.stmts.push(Stmt::Let { pattern, ty, init, span });
                continue;
            }
            let block_like = self.is("{")
                || matches!(self.peek(), Token::Label(_))
                || ["if", "match", "loop", "while", "for"].iter().any(|word| self.is_word(word));
            let expr = if block_like { self.primary() } else { self.expr(0) };
            if self.eat("}") {
                block.tail = Some(Box::new(expr));
                return block;
            }
            if !self.eat(";") && !block_like {
                self.fail("`;`");
            }
            block.stmts.push(Stmt::Expr(expr));
        }
        block
    }

    fn pattern(&mut self) -> Pattern {
        let span = self.span();
        let first = self.one_pattern();
        if !self.is("|") {
            return first;
        }
        let mut all = vec![first];
        while self.eat("|") {
            all.push(self.one_pattern());
        }
        Pattern::Or(all, span)
    }

    fn one_pattern(&mut self) -> Pattern {
        let span = self.span();
        if self.eat("_") {
            return Pattern::Wild(span);
        }
        if self.eat("(") {
            let mut parts = Vec::new();
            let mut tuple = false;
            while !self.eat(")") {
                parts.push(self.pattern());
                tuple |= self.eat(",");
            }
            return if parts.len() == 1 && !tuple { parts.remove(0) } else { Pattern::Tuple(parts, span) };
        }
        if let Token::Ident(name) = self.peek().clone()
            && name.starts_with(char::is_lowercase)
            && !["true", "false"].contains(&name.as_str())
            && self.tokens[self.at + 1].0 != Token::Punct("::")
        {
            let mutable = self.eat_word("mut");
            let name = self.ident();
            // Alternatives of one pattern bind the same variable.
            let known = self
                .scopes
                .last()
                .unwrap()
                .iter()
                .find(|(known, _)| *known == name && self.in_or())
                .map(|(_, var)| *var);
            let var = known.unwrap_or_else(|| self.declare(&name, mutable));
            let sub = self.eat("@").then(|| Box::new(self.one_pattern()));
            return Pattern::Bind { var, sub };
        }
        let lo = if self.is("..=") || self.is("..") { None } else { Some(Box::new(self.pattern_end())) };
        let inclusive = self.is("..=");
        if self.eat("..=") || self.eat("..") {
            let ends = self.is("=>") || self.is(",") || self.is(")") || self.is("|") || self.is_word("if");
            let hi = if ends { None } else { Some(Box::new(self.pattern_end())) };
            return Pattern::Range { lo, hi, inclusive, span };
        }
        *lo.expect("a pattern")
    }

    /// Whether the pattern is a later alternative: a `|` comes right before the enclosing part.
    fn in_or(&self) -> bool {
        let line_start = self.at.saturating_sub(6);
        self.tokens[line_start..self.at].iter().any(|(token, _)| *token == Token::Punct("|"))
    }

    fn pattern_end(&mut self) -> Pattern {
        let span = self.span();
        let negative = self.eat("-");
        match self.next() {
            Token::Int(value, suffix) => Pattern::Lit(Lit::Int(if negative { -value } else { value }, suffix), span),
            Token::Float(digits, suffix) => {
                let sign = if negative { "-" } else { "" };
                Pattern::Lit(Lit::Float(format!("{sign}{digits}"), suffix), span)
            }
            Token::Ident(word) if word == "true" || word == "false" => Pattern::Lit(Lit::Bool(word == "true"), span),
            Token::Ident(_) => {
                self.at -= 1;
                let path = self.path();
                Pattern::Const(self.constant(&path), span)
            }
            _ => self.fail("a pattern"),
        }
    }

    fn path(&mut self) -> String {
        let mut path = self.ident();
        while self.is("::") && matches!(self.tokens[self.at + 1].0, Token::Ident(_)) {
            self.at += 1;
            path = format!("{path}::{}", self.ident());
        }
        path
    }

    fn constant(&mut self, path: &str) -> ConstId {
        if let Some(position) = self.tree.consts.iter().position(|known| known == path) {
            return ConstId(position as u32);
        }
        let own = self.names.consts.iter().find(|(name, _)| *name == path).map(|(_, value)| value.clone());
        let value = own.or_else(|| language_constant(path)).unwrap_or_else(|| panic!("unknown constant {path}"));
        self.tree.consts.push(path.into());
        self.consts.push(value);
        ConstId(self.consts.len() as u32 - 1)
    }

    fn condition(&mut self) -> Expr {
        let before = std::mem::replace(&mut self.no_struct, true);
        let expr = self.expr(0);
        self.no_struct = before;
        expr
    }

    /// An expression whose operators bind at least so tightly.
    fn expr(&mut self, level: u8) -> Expr {
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
    fn inner(&mut self) -> Expr {
        let before = std::mem::replace(&mut self.no_struct, false);
        let expr = self.expr(0);
        self.no_struct = before;
        expr
    }

    fn arguments(&mut self) -> Vec<Expr> {
        self.want("(");
        let mut args = Vec::new();
        while !self.eat(")") {
            args.push(self.inner());
            self.eat(",");
        }
        args
    }

    fn primary(&mut self) -> Expr {
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

    fn labelled(&mut self, label: Option<String>) -> ExprKind {
        if self.eat_word("loop") {
            ExprKind::Loop(label, self.block())
        } else if self.eat_word("while") {
            let condition = self.condition();
            ExprKind::While(label, Box::new(condition), self.block())
        } else if self.eat_word("for") {
            self.for_loop(label)
        } else {
            ExprKind::Block(label, self.block())
        }
    }

    fn for_loop(&mut self, label: Option<String>) -> ExprKind {
        let pattern_at = self.at;
        self.eat_word("mut");
        self.at += 1;
        assert!(self.eat_word("in"), "`in`");
        let before = std::mem::replace(&mut self.no_struct, true);
        let group = self.is("(");
        // A range in parentheses has adaptors; anything else in parentheses is an operand.
        let grouped = group && self.has_adaptors();
        if grouped {
            self.at += 1;
        }
        let start = self.expr(3);
        let inclusive = self.is("..=");
        self.at += 1;
        let end = self.expr(3);
        let mut adaptors = Vec::new();
        if grouped {
            self.want(")");
            while self.eat(".") {
                let name = self.ident();
                let mut args = self.arguments();
                adaptors.push(if name == "rev" {
                    RangeAdaptor::Rev
                } else {
                    RangeAdaptor::StepBy(Box::new(args.remove(0)))
                });
            }
        }
        self.no_struct = before;
        let end_at = self.at;
        let range = ForRange { start: Box::new(start), end: Box::new(end), inclusive, adaptors };
        self.scoped(|parser| {
            parser.at = pattern_at;
            let pattern = parser.one_pattern();
            parser.at = end_at;
            ExprKind::For { label, pattern, range, body: parser.block() }
        })
    }

    fn has_adaptors(&self) -> bool {
        let mut depth = 0;
        for (position, (token, _)) in self.tokens[self.at..].iter().enumerate() {
            match token {
                Token::Punct("(") => depth += 1,
                Token::Punct(")") => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return self.tokens[self.at + position + 1].0 == Token::Punct(".");
            }
        }
        false
    }

    fn word(&mut self, word: &str) -> Expr {
        let span = self.span();
        let kind = match word {
            "true" | "false" => {
                self.at += 1;
                ExprKind::Lit(Lit::Bool(word == "true"))
            }
            "if" => {
                self.at += 1;
                let condition = self.condition();
                let then = self.block();
                let otherwise = self.eat_word("else").then(|| {
                    if self.is_word("if") {
                        Block { stmts: Vec::new(), tail: Some(Box::new(self.word("if"))) }
                    } else {
                        self.block()
                    }
                });
                ExprKind::If(Box::new(condition), then, otherwise)
            }
            "match" => self.match_arms(),
            "loop" | "while" | "for" => self.labelled(None),
            "break" | "continue" => {
                self.at += 1;
                let label = match self.peek().clone() {
                    Token::Label(label) => {
                        self.at += 1;
                        Some(label)
                    }
                    _ => None,
                };
                if word == "break" { ExprKind::Break(label, self.jump_value()) } else { ExprKind::Continue(label) }
            }
            "return" => {
                self.at += 1;
                ExprKind::Return(self.jump_value())
            }
            _ => self.name(),
        };
        Expr { kind, span }
    }

    fn jump_value(&mut self) -> Option<Box<Expr>> {
        let ends = self.is(";") || self.is("}") || self.is(",") || self.is(")");
        (!ends).then(|| Box::new(self.expr(0)))
    }

    fn match_arms(&mut self) -> ExprKind {
        self.at += 1;
        let value = self.condition();
        self.want("{");
        let mut arms = Vec::new();
        while !self.eat("}") {
            let arm = self.scoped(|parser| {
                let pattern = parser.pattern();
                let guard = parser.eat_word("if").then(|| parser.inner());
                parser.want("=>");
                Arm { pattern, guard, body: parser.inner() }
            });
            arms.push(arm);
            self.eat(",");
        }
        ExprKind::Match(Box::new(value), arms)
    }

    /// A variable, constant, call or struct literal.
    fn name(&mut self) -> ExprKind {
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

    fn type_from(&mut self, start: usize) -> TypeId {
        let end = std::mem::replace(&mut self.at, start);
        let id = self.ty().1;
        assert_eq!(self.at, end);
        id
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

fn role(ty: &Type) -> ParamRole {
    match ty {
        Type::Item(_) => ParamRole::Item,
        Type::NdItem(_) => ParamRole::NdItem,
        Type::Group(_) => ParamRole::Group,
        Type::SubGroup => ParamRole::SubGroup,
        Type::View(..) => ParamRole::View,
        Type::ItemMut(..) => ParamRole::ItemMut,
        Type::GroupMut(..) => ParamRole::GroupMut,
        Type::ScatterMut(..) => ParamRole::ScatterMut,
        Type::AtomicView(..) => ParamRole::AtomicView,
        Type::Local(_) => ParamRole::Local,
        Type::LocalAccessor(..) => ParamRole::LocalAccessor,
        Type::Reducer(..) => ParamRole::Reducer,
        Type::Spec(_) => ParamRole::Spec,
        Type::Ref(inner, _) if matches!(**inner, Type::NdItem(_)) => ParamRole::NdItemRef,
        Type::Ref(_, mutable) => ParamRole::Reference { mutable: *mutable },
        _ => ParamRole::Value,
    }
}

fn language_constant(path: &str) -> Option<ConstValue> {
    if let Some(op) = Op::from_name(path) {
        return Some(Value::Op(op).into());
    }
    Some(match path {
        "Order::Relaxed" => Value::Order(Order::Relaxed).into(),
        "Order::SeqCst" => Value::Order(Order::SeqCst).into(),
        "Scope::Device" => Value::Scope(Scope::Device).into(),
        "Scope::WorkGroup" => Value::Scope(Scope::WorkGroup).into(),
        "f32::MAX" => Value::F32(f32::MAX).into(),
        "f32::INFINITY" => Value::F32(f32::INFINITY).into(),
        "f32::NEG_INFINITY" => Value::F32(f32::NEG_INFINITY).into(),
        "f32::NAN" => Value::F32(f32::NAN).into(),
        _ => {
            let (ty, name) = path.split_once("::")?;
            let kind = IntKind::from_name(ty)?;
            match name {
                "MAX" => Value::Int(kind, kind.max_value()).into(),
                "MIN" => Value::Int(kind, kind.min_value()).into(),
                _ => return None,
            }
        }
    })
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

fn spell(token: &Token) -> String {
    match token {
        Token::Ident(text) => text.clone(),
        Token::Label(text) => format!("'{text}"),
        Token::Int(value, suffix) => format!("{value}{suffix}"),
        Token::Float(digits, suffix) => format!("{digits}{suffix}"),
        Token::Punct(text) => (*text).into(),
        Token::End => String::new(),
    }
}
