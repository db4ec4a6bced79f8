//! Recognising what synchronises: barriers, group and sub-group operations, calls of collective functions.

use crate::tree::*;

/// Whose items take part in a collective operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token {
    /// The work-group.
    Group,
    /// The sub-group.
    SubGroup,
}

/// Collective methods of `Group` and `SubGroup`, apart from `barrier`: all items of the group must reach them.
pub const COLLECTIVES: &[&str] = &[
    "reduce",
    "inclusive_scan",
    "exclusive_scan",
    "inclusive_scan_init",
    "exclusive_scan_init",
    "broadcast",
    "any",
    "all",
    "none",
    "shift_left",
    "shift_right",
    "permute_xor",
    "select",
    "joint_reduce",
    "joint_inclusive_scan",
    "joint_exclusive_scan",
    "joint_any",
    "joint_all",
    "joint_none",
    "ballot",
    "shuffle",
    "shuffle_up",
    "shuffle_down",
    "shuffle_xor",
];

/// A synchronising operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyncKind {
    /// `barrier()` of the group or sub-group.
    Barrier(Token),
    /// A collective method.
    Collective(Token),
    /// A call that hands over the item by value.
    Call,
}

/// Which variables are items and group tokens.
#[derive(Clone, Debug)]
pub struct Roles {
    roles: Vec<Option<ParamRole>>,
    mutable: Vec<bool>,
    tokens: Vec<Option<Token>>,
    dims: u8,
}

impl Roles {
    /// Finds the tokens that a body binds with `let g = item.group();`.
    pub fn of(function: &Function) -> Self {
        let mut roles = vec![None; function.vars.len()];
        for param in &function.params {
            roles[param.var.0 as usize] = Some(param.role);
        }
        let dims = match function.kind {
            FunctionKind::Range { dims } | FunctionKind::NdRange { dims } => dims,
            _ => 3,
        };
        let mutable = function.vars.iter().map(|var| var.mutable).collect();
        let mut found = Self { roles, mutable, tokens: vec![None; function.vars.len()], dims };
        found.scan(&function.body);
        found
    }

    fn scan(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pattern: Pattern::Bind { var, sub: None }, init, .. } => {
                    if let Some(token) = self.token(init) {
                        self.tokens[var.0 as usize] = Some(token);
                    } else if let ExprKind::Var(source) = init.kind {
                        // A handle stays a handle when it is given a second name; a copy of a value is a variable of its own.
                        let role = self.role(source);
                        let is_value =
                            matches!(role, Some(ParamRole::Value | ParamRole::Reference { .. } | ParamRole::Spec));
                        if !is_value && !self.mutable[var.0 as usize] {
                            self.roles[var.0 as usize] = role;
                        }
                    } else if matches!(&init.kind, ExprKind::Builtin(name, ..) if name == "local") {
                        self.roles[var.0 as usize] = Some(ParamRole::Local);
                    }
                    each_block(init, &mut |b| self.scan(b));
                }
                Stmt::Let {
                    pattern: Pattern::Tuple(patterns, _),
                    init: Expr { kind: ExprKind::Tuple(parts), .. },
                    ..
                } => {
                    for (pattern, part) in patterns.iter().zip(parts) {
                        if let (Pattern::Bind { var, sub: None }, Some(token)) = (pattern, self.token(part)) {
                            self.tokens[var.0 as usize] = Some(token);
                        }
                        each_block(part, &mut |b| self.scan(b));
                    }
                }
                Stmt::Let { init: e, .. } | Stmt::Expr(e) => each_block(e, &mut |b| self.scan(b)),
            }
        }
        if let Some(tail) = &block.tail {
            each_block(tail, &mut |b| self.scan(b));
        }
    }

    /// The role of a variable that is a parameter, a second name of one, or local memory.
    pub fn role(&self, var: VarId) -> Option<ParamRole> {
        self.roles.get(var.0 as usize).copied().flatten()
    }

    /// The number of dimensions of the kernel's range; 3 where a device function cannot know.
    pub fn dims(&self) -> u8 {
        self.dims
    }

    /// Whether a variable is a second name of a group or sub-group.
    pub fn is_token(&self, var: VarId) -> bool {
        self.tokens.get(var.0 as usize).is_some_and(Option::is_some)
    }

    /// The token that an expression is, if it is one.
    pub fn token(&self, expr: &Expr) -> Option<Token> {
        match &expr.kind {
            ExprKind::Var(var) => self.tokens.get(var.0 as usize).copied().flatten(),
            ExprKind::Method { receiver, name, .. } if self.is_item(receiver) => match name.as_str() {
                "group" => Some(Token::Group),
                "sub_group" => Some(Token::SubGroup),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether an expression is the `NdItem` itself.
    pub fn is_item(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Var(var) if matches!(self.role(var), Some(ParamRole::NdItem)))
    }

    /// Whether an expression is an item, of a range or of an nd-range.
    pub fn is_any_item(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Var(var) if matches!(self.role(var), Some(ParamRole::Item | ParamRole::NdItem)))
    }

    /// What an expression synchronises itself, its operands apart.
    pub fn sync(&self, expr: &Expr) -> Option<SyncKind> {
        match &expr.kind {
            ExprKind::Method { receiver, name, .. } => {
                let token = match self.token(receiver) {
                    Some(token) => token,
                    None if self.is_item(receiver) && name == "barrier" => Token::Group,
                    None => return None,
                };
                if name == "barrier" {
                    Some(SyncKind::Barrier(token))
                } else if COLLECTIVES.contains(&name.as_str()) {
                    Some(SyncKind::Collective(token))
                } else {
                    None
                }
            }
            ExprKind::Call(_, args) if args.iter().any(|arg| self.is_item(arg)) => Some(SyncKind::Call),
            _ => None,
        }
    }

    /// Whether anything inside an expression synchronises.
    pub fn contains_sync(&self, expr: &Expr) -> bool {
        self.find_sync(expr).is_some()
    }

    /// The first synchronising operation inside an expression.
    pub fn find_sync<'e>(&self, expr: &'e Expr) -> Option<(&'e Expr, SyncKind)> {
        if let Some(kind) = self.sync(expr) {
            return Some((expr, kind));
        }
        let mut found = None;
        each_child(expr, &mut |child| {
            if found.is_none() {
                found = self.find_sync(child);
            }
        });
        found
    }

    /// Whether a block contains a synchronising operation.
    pub fn block_syncs(&self, block: &Block) -> bool {
        block.stmts.iter().any(|stmt| self.stmt_syncs(stmt))
            || block.tail.as_ref().is_some_and(|tail| self.contains_sync(tail))
    }

    /// Whether a statement contains a synchronising operation.
    pub fn stmt_syncs(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Let { init: e, .. } | Stmt::Expr(e) => self.contains_sync(e),
        }
    }
}

/// Whether a group operation gives every item of the group the same value.
pub fn is_uniform_result(name: &str) -> bool {
    matches!(
        name,
        "reduce" | "broadcast" | "any" | "all" | "none" | "joint_reduce" | "joint_any" | "joint_all" | "joint_none"
    )
}

/// Whether the last argument of a group operation is the operator that combines values.
pub fn takes_operator(name: &str) -> bool {
    matches!(
        name,
        "reduce"
            | "inclusive_scan"
            | "exclusive_scan"
            | "inclusive_scan_init"
            | "exclusive_scan_init"
            | "joint_reduce"
            | "joint_inclusive_scan"
            | "joint_exclusive_scan"
    )
}

/// Calls `f` on every expression directly inside `expr`, in the order of evaluation, statements of blocks included.
pub fn each_child<'e>(expr: &'e Expr, f: &mut dyn FnMut(&'e Expr)) {
    fn block<'e>(b: &'e Block, f: &mut dyn FnMut(&'e Expr)) {
        for stmt in &b.stmts {
            match stmt {
                Stmt::Let { init: e, .. } | Stmt::Expr(e) => f(e),
            }
        }
        if let Some(tail) = &b.tail {
            f(tail);
        }
    }
    match &expr.kind {
        ExprKind::Lit(_) | ExprKind::Var(_) | ExprKind::Const(_) | ExprKind::Continue(_) => {}
        ExprKind::Unary(_, a)
        | ExprKind::Cast(a, _)
        | ExprKind::Field(a, _)
        | ExprKind::TupleField(a, _)
        | ExprKind::Ref(_, a)
        | ExprKind::Deref(a) => f(a),
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) | ExprKind::Repeat(a, b) => {
            f(a);
            f(b);
        }
        ExprKind::Assign(place, value) | ExprKind::AssignOp(_, place, value) => {
            f(value);
            f(place);
        }
        ExprKind::Tuple(items)
        | ExprKind::Array(items)
        | ExprKind::TupleStruct(_, items)
        | ExprKind::Call(_, items)
        | ExprKind::Builtin(_, _, items)
        | ExprKind::Message(_, _, items) => items.iter().for_each(f),
        ExprKind::Struct(_, fields) => fields.iter().for_each(|(_, e)| f(e)),
        ExprKind::Method { receiver, args, .. } => {
            f(receiver);
            args.iter().for_each(f);
        }
        ExprKind::If(cond, then, otherwise) => {
            f(cond);
            block(then, f);
            if let Some(otherwise) = otherwise {
                block(otherwise, f);
            }
        }
        ExprKind::Match(scrutinee, arms) => {
            f(scrutinee);
            for arm in arms {
                if let Some(guard) = &arm.guard {
                    f(guard);
                }
                f(&arm.body);
            }
        }
        ExprKind::Block(_, b) | ExprKind::Loop(_, b) => block(b, f),
        ExprKind::While(_, cond, b) => {
            f(cond);
            block(b, f);
        }
        ExprKind::For { range, body, .. } => {
            f(&range.start);
            f(&range.end);
            for adaptor in &range.adaptors {
                if let RangeAdaptor::StepBy(step) = adaptor {
                    f(step);
                }
            }
            block(body, f);
        }
        ExprKind::Break(_, value) | ExprKind::Return(value) => {
            if let Some(value) = value {
                f(value);
            }
        }
    }
}

/// Whether something inside an expression sends the host a text.
pub fn has_message(expr: &Expr) -> bool {
    let mut found = matches!(expr.kind, ExprKind::Message(..));
    each_child(expr, &mut |child| found = found || has_message(child));
    found
}

/// Whether something inside an expression prints.
pub fn prints(expr: &Expr) -> bool {
    let mut found = matches!(expr.kind, ExprKind::Message(MessageKind::Print, ..));
    each_child(expr, &mut |child| found = found || prints(child));
    found
}

/// Whether an expression has a `break` or `continue` that leaves it.
pub fn leaves(expr: &Expr) -> bool {
    fn search(expr: &Expr, inside_loop: bool, labels: &mut Vec<String>) -> bool {
        let (label, is_loop) = match &expr.kind {
            ExprKind::Break(label, _) | ExprKind::Continue(label) => {
                return match label {
                    Some(label) => !labels.contains(label),
                    None => !inside_loop,
                };
            }
            ExprKind::Loop(label, _) | ExprKind::While(label, ..) | ExprKind::For { label, .. } => {
                (label.clone(), true)
            }
            ExprKind::Block(label, _) => (label.clone(), false),
            _ => (None, false),
        };
        let pushed = label.is_some();
        labels.extend(label);
        let mut found = false;
        each_child(expr, &mut |child| found = found || search(child, inside_loop || is_loop, labels));
        if pushed {
            labels.pop();
        }
        found
    }
    search(expr, false, &mut Vec::new())
}

/// Calls `f` on every block anywhere inside `expr`, outermost first; the blocks' own contents are `f`'s business.
fn each_block(expr: &Expr, f: &mut dyn FnMut(&Block)) {
    match &expr.kind {
        ExprKind::If(cond, then, otherwise) => {
            each_block(cond, f);
            f(then);
            if let Some(otherwise) = otherwise {
                f(otherwise);
            }
        }
        ExprKind::Block(_, b) | ExprKind::Loop(_, b) => f(b),
        ExprKind::While(_, cond, b) => {
            each_block(cond, f);
            f(b);
        }
        ExprKind::For { body, .. } => f(body),
        _ => each_child(expr, &mut |child| each_block(child, f)),
    }
}
