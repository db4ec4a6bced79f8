//! Types, and the roles that they give to parameters.

use syclone_kernel_ast::tree::{ParamRole, TypeId};
use syclone_kernel_ast::types::{Op, Type};

use super::super::lexer::Token;
use super::Parser;

impl Parser<'_> {
    /// A type, entered in the table.
    pub(super) fn ty(&mut self) -> (Type, TypeId) {
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

    pub(super) fn size(&mut self) -> usize {
        match self.next() {
            Token::Int(value, _) => value as usize,
            Token::Ident(name) => {
                let value = self.names.consts.iter().find(|(known, _)| *known == name);
                value.and_then(|(_, value)| value.value.as_int()).expect("a const") as usize
            }
            _ => self.fail("a size"),
        }
    }

    pub(super) fn type_from(&mut self, start: usize) -> TypeId {
        let end = std::mem::replace(&mut self.at, start);
        let id = self.ty().1;
        assert_eq!(self.at, end);
        id
    }
}

pub(super) fn role(ty: &Type) -> ParamRole {
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
