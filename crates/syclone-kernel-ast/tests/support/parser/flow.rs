//! Statements and control flow.

use syclone_kernel_ast::tree::*;

use super::super::lexer::Token;
use super::Parser;

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Block {
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

    pub(super) fn condition(&mut self) -> Expr {
        let before = std::mem::replace(&mut self.no_struct, true);
        let expr = self.expr(0);
        self.no_struct = before;
        expr
    }

    pub(super) fn labelled(&mut self, label: Option<String>) -> ExprKind {
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

    pub(super) fn word(&mut self, word: &str) -> Expr {
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
}
