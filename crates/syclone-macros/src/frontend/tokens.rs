//! Where items, groups and sub-groups may stand: the token of one item must not come into another one's hands.
//!
//! An item's token is its right to its element of an `ItemMut`. The types have no constructor and cannot be stored, so what is
//! left is plain Rust code that gets hold of one: a method or an operator that a program implements for `Item` itself. So a
//! token is only indexed with, passed to a device function, given a second name, or asked what it knows. Handles to memory that
//! leave a kernel are worth nothing (see `Oob::new`); their methods are checked because others have no meaning on a device.

use super::lower::Lowerer;
use super::method::is_collective;
use crate::emit::is_builtin_method;
use syclone_kernel_ast::analysis::sync::each_child;
use syclone_kernel_ast::tree::*;

/// What an item knows.
const OF_ITEMS: [&str; 15] = [
    "barrier",
    "global_id",
    "global_linear_id",
    "global_range",
    "group",
    "group_id",
    "group_linear_id",
    "group_range",
    "id",
    "linear_id",
    "local_id",
    "local_linear_id",
    "local_range",
    "range",
    "sub_group",
];

/// What a group or a sub-group knows, apart from its algorithms.
const OF_GROUPS: [&str; 9] =
    ["count", "id", "linear_id", "local_id", "local_range", "max_size", "range", "size", "barrier"];

/// What handles to memory have.
const OF_HANDLES: [&str; 8] = ["atomic", "combine", "extent", "is_empty", "len", "load_vector", "span", "store_vector"];

/// Whether handles to memory have a method of this name.
pub fn is_of_handles(name: &str) -> bool {
    OF_HANDLES.contains(&name)
}

impl Lowerer {
    /// Checks that tokens stand only where no code but the device's gets hold of them.
    pub fn check_tokens(&mut self, body: &Block) {
        let mut wrong = Vec::new();
        self.tokens_in_block(body, &mut wrong);
        for (span, message) in wrong {
            self.error_at(self.spans[span.0 as usize], message);
        }
    }

    fn tokens_in_block(&self, block: &Block, wrong: &mut Vec<(SpanId, String)>) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pattern: Pattern::Tuple(..), init: Expr { kind: ExprKind::Tuple(parts), .. }, .. } => {
                    parts.iter().for_each(|part| self.tokens_in(part, wrong));
                }
                Stmt::Let { init: expr, .. } | Stmt::Expr(expr) => self.tokens_in(expr, wrong),
            }
        }
        if let Some(tail) = &block.tail {
            self.no_token(tail, wrong);
            self.tokens_in(tail, wrong);
        }
    }

    fn tokens_in(&self, expr: &Expr, wrong: &mut Vec<(SpanId, String)>) {
        match &expr.kind {
            ExprKind::Method { receiver, name, args, .. } => {
                let known = match (self.is_token_of_item(receiver), self.is_group(receiver)) {
                    (true, _) => OF_ITEMS.contains(&name.as_str()),
                    (_, true) => OF_GROUPS.contains(&name.as_str()) || is_collective(name),
                    _ => true,
                };
                if self.is_memory(receiver) && !OF_HANDLES.contains(&name.as_str()) {
                    wrong.push((expr.span, format!("memory has no method `{name}` in a kernel: index it, or write a device function that takes it")));
                }
                if !known {
                    wrong.push((expr.span, format!("items and groups have no method `{name}` in a kernel: write a device function, and pass the item to it")));
                }
                // A method of this name may be one that the program has for a type of its own, as plain Rust.
                if is_builtin_method(name) {
                    args.iter().for_each(|arg| self.no_token(arg, wrong));
                }
            }
            ExprKind::Index(..) | ExprKind::Call(..) | ExprKind::Builtin(..) | ExprKind::Ref(..) => {}
            ExprKind::If(cond, then, otherwise) => {
                self.tokens_in(cond, wrong);
                self.tokens_in_block(then, wrong);
                otherwise.iter().for_each(|block| self.tokens_in_block(block, wrong));
                return;
            }
            ExprKind::Block(_, block) | ExprKind::Loop(_, block) => return self.tokens_in_block(block, wrong),
            ExprKind::While(_, cond, block) => {
                self.tokens_in(cond, wrong);
                return self.tokens_in_block(block, wrong);
            }
            ExprKind::For { range, body, .. } => {
                self.tokens_in(&range.start, wrong);
                self.tokens_in(&range.end, wrong);
                return self.tokens_in_block(body, wrong);
            }
            _ => each_child(expr, &mut |child| self.no_token(child, wrong)),
        }
        each_child(expr, &mut |child| self.tokens_in(child, wrong));
    }

    /// An error if an expression is a token.
    fn no_token(&self, expr: &Expr, wrong: &mut Vec<(SpanId, String)>) {
        if self.is_token_of_item(expr) || self.is_group(expr) {
            wrong.push((
                expr.span,
                "an item or a group is no value: ask it for its id, index with it, or pass it to a device function"
                    .to_owned(),
            ));
        }
    }

    fn is_memory(&self, expr: &Expr) -> bool {
        let ExprKind::Var(var) = expr.kind else { return false };
        self.role(var).is_some_and(ParamRole::is_handle)
    }

    fn is_token_of_item(&self, expr: &Expr) -> bool {
        let ExprKind::Var(var) = expr.kind else { return false };
        matches!(self.role(var), Some(ParamRole::Item | ParamRole::NdItem | ParamRole::NdItemRef))
    }
}
