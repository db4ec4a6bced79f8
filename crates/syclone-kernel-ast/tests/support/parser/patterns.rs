//! Patterns, and the paths and constants in them and elsewhere.

use syclone_kernel_ast::bound::ConstValue;
use syclone_kernel_ast::tree::*;
use syclone_kernel_ast::types::{IntKind, Op, Order, Scope};
use syclone_kernel_ast::value::Value;

use super::super::lexer::Token;
use super::Parser;

impl Parser<'_> {
    pub(super) fn pattern(&mut self) -> Pattern {
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

    pub(super) fn one_pattern(&mut self) -> Pattern {
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

    pub(super) fn path(&mut self) -> String {
        let mut path = self.ident();
        while self.is("::") && matches!(self.tokens[self.at + 1].0, Token::Ident(_)) {
            self.at += 1;
            path = format!("{path}::{}", self.ident());
        }
        path
    }

    pub(super) fn constant(&mut self, path: &str) -> ConstId {
        if let Some(position) = self.tree.consts.iter().position(|known| known == path) {
            return ConstId(position as u32);
        }
        let own = self.names.consts.iter().find(|(name, _)| *name == path).map(|(_, value)| value.clone());
        let value = own.or_else(|| language_constant(path)).unwrap_or_else(|| panic!("unknown constant {path}"));
        self.tree.consts.push(path.into());
        self.consts.push(value);
        ConstId(self.consts.len() as u32 - 1)
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
