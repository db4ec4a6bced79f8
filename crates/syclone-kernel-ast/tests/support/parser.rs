//! Kernel texts to bound functions: a small stand-in for the macro's front end.
//!
//! Here are the tokens, the scopes and the function as a whole; `parser/` has a file for each kind of its parts.

mod exprs;
mod flow;
mod patterns;
mod types;

use std::sync::Arc;

use syclone_kernel_ast::bound::{BoundFunction, ConstValue};
use syclone_kernel_ast::tree::*;
use syclone_kernel_ast::types::{BindFn, Type};

use super::Names;
use super::lexer::{Token, lex};
use types::role;

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
        comparisons: Vec::new(),
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
}
