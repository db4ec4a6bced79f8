//! Building the region tree from a normalised body.
//!
//! Here statements are collected into nodes; `decide.rs` says what each of them may become, and `split.rs` takes apart
//! those that do not stay whole.

mod decide;
mod search;
mod split;

pub(super) use search::stmt_returns;

use std::collections::{BTreeMap, BTreeSet};

use super::super::AnalysisError;
use super::super::sync::Roles;
use super::super::uses::{Uses, pattern_vars, root};
use super::super::variance::{Variance, Variances};
use super::storage::{assign_storage, each_body};
use super::*;
use search::{control_blocks, guarded, mentions, statements, stmt_prints};

/// Why a body cannot be split; the first is an error, the second asks for the lock-step form.
pub(super) enum Stop {
    Error(AnalysisError),
    LockStep { span: SpanId, reason: String },
}

pub(super) fn build(
    function: Function,
    roles: Roles,
    variances: Variances,
    strips: bool,
) -> Result<Verdict, AnalysisError> {
    let mut body = function.body.clone();
    if let Some(tail) = body.tail.take() {
        body.stmts.push(Stmt::Expr(*tail));
    }
    let collective = function.kind == FunctionKind::Collective;
    let mut builder = Builder::new(function, roles, variances);
    builder.strips = strips;
    builder.note_inner_assignments(&body.stmts);
    let Builder { scalars, inner_assigned, .. } = &mut builder;
    scalars.retain(|var| !inner_assigned.contains(var));
    let nodes = match builder.nodes(&body.stmts, Level::Group) {
        Ok(nodes) => nodes,
        Err(Stop::Error(error)) => return Err(error),
        Err(Stop::LockStep { span, reason }) => return Ok(Verdict::LockStep { span, reason }),
    };
    // A region that an item leaves early stores nothing for it, so no result either.
    let loses_result = builder.function.ret.is_some() && any_returns(&nodes);
    let plan = assign_storage(builder, nodes);
    if collective && (plan.needs_alive || loses_result) {
        return Ok(Verdict::LockStep {
            span: plan.function.vars[0].span,
            reason: "an early `return` that depends on the item, in a device function that synchronises".into(),
        });
    }
    Ok(Verdict::Split(Box::new(plan)))
}

/// Whether some item leaves a region early.
fn any_returns(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| {
        let mut found = matches!(node, Node::Items(Items { returns: true, .. }));
        each_body(node, &mut |body| found = found || any_returns(body));
        found
    })
}

/// The level that is being split.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Group,
    Strip,
}

pub(super) struct Builder {
    pub(super) function: Function,
    pub(super) roles: Roles,
    pub(super) variances: Variances,
    pub(super) scalars: BTreeSet<VarId>,
    pub(super) remat: Vec<Stmt>,
    pub(super) remat_vars: Vec<(VarId, usize)>,
    pub(super) deferred: Vec<VarId>,
    /// Variables that some statement inside a leaf assigns.
    inner_assigned: BTreeSet<VarId>,
    /// How often the body mentions each variable.
    mentions: BTreeMap<VarId, usize>,
    /// While a region is split into strips: the variables that live outside of it too.
    elsewhere: BTreeSet<VarId>,
    pub(super) next_id: usize,
    /// Whether regions may be split into strips.
    strips: bool,
}

impl Builder {
    fn new(function: Function, roles: Roles, variances: Variances) -> Self {
        let declared = Uses::of(&function.vars, &function.body.stmts).declared;
        let params: BTreeSet<VarId> = function.params.iter().map(|p| p.var).collect();
        let mut all = Uses::of(&function.vars, &function.body.stmts);
        if let Some(tail) = &function.body.tail {
            all.expr(&function.vars, tail);
        }
        let deferred: Vec<VarId> = all
            .assigned
            .iter()
            .copied()
            .filter(|v| !declared.contains(v) && !all.declared.contains(v) && !params.contains(v))
            .collect();
        let mentions = mentions(&statements(&function.body));
        let scalars = deferred.iter().copied().filter(|v| variances.var(*v).is_uniform()).collect();
        Self {
            function,
            roles,
            variances,
            scalars,
            remat: Vec::new(),
            remat_vars: Vec::new(),
            deferred,
            inner_assigned: BTreeSet::new(),
            mentions,
            elsewhere: BTreeSet::new(),
            next_id: 0,
            strips: true,
        }
    }

    /// A new variable, which is assigned once.
    fn fresh(&mut self, name: &str, span: SpanId, variance: Variance) -> VarId {
        let index = self.function.vars.len();
        self.function.vars.push(Variable { name: format!("{name}{index}"), mutable: false, span });
        self.variances.declare(variance);
        VarId(index as u32)
    }

    fn uses(&self, stmt: &Stmt) -> Uses {
        Uses::of(&self.function.vars, [stmt])
    }

    fn uniform(&self, variance: Variance, level: Level) -> bool {
        match level {
            Level::Group => variance.is_uniform(),
            Level::Strip => variance.is_uniform_in_row(),
        }
    }

    /// Collects what statements that stay whole on the group level assign.
    fn note_inner_assignments(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if self.splits(stmt, Level::Group) {
                let Stmt::Expr(expr) = stmt else { continue };
                let mut blocks: Vec<Vec<Stmt>> = Vec::new();
                control_blocks(expr, &mut |block| blocks.push(statements(block)));
                for block in &blocks {
                    self.note_inner_assignments(block);
                }
            } else if !self.is_plain_assignment(stmt) {
                self.inner_assigned.extend(self.uses(stmt).assigned);
            } else if let Stmt::Expr(Expr {
                kind: ExprKind::Assign(place, value) | ExprKind::AssignOp(_, place, value),
                ..
            }) = stmt
            {
                let var = root(place).expect("a plain assignment has a variable");
                if !self.variances.expr(value).is_uniform() {
                    self.inner_assigned.insert(var);
                }
            }
        }
    }

    fn is_plain_assignment(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Expr(Expr { kind: ExprKind::Assign(place, value) | ExprKind::AssignOp(_, place, value), .. }) => {
                matches!(place.kind, ExprKind::Var(_)) && Uses::of_expr(&self.function.vars, value).assigned.is_empty()
            }
            _ => false,
        }
    }

    pub(super) fn nodes(&mut self, stmts: &[Stmt], level: Level) -> Result<Vec<Node>, Stop> {
        let mut out = Vec::new();
        let mut pending: Vec<Stmt> = Vec::new();
        for stmt in stmts {
            if let Stmt::Let { init, .. } = stmt
                && self.roles.token(init).is_some()
            {
                continue; // a second name of a group token: the tokens are made where they are used
            }
            if self.splits(stmt, level) {
                self.split(stmt, level, &mut pending, &mut out)?;
            } else if self.is_scalar(stmt, level) {
                if let Stmt::Let { pattern, .. } = stmt {
                    pattern_vars(pattern, &mut |var| {
                        self.scalars.insert(var);
                    });
                }
                let (uses, before) = (self.uses(stmt), Uses::of(&self.function.vars, &pending));
                let depends = uses.mentioned.iter().any(|v| before.declared.contains(v) || before.assigned.contains(v))
                    || uses.assigned.iter().any(|v| before.mentioned.contains(v));
                if depends || guarded(stmt, &pending) {
                    self.flush(&mut pending, level, &mut out)?;
                }
                // Otherwise it runs before the region that is being collected, which cannot tell the difference.
                out.push(Node::Scalar(stmt.clone()));
            } else if self.is_remat(stmt, level) && !guarded(stmt, &pending) {
                let index = self.remat.len();
                if let Stmt::Let { pattern, .. } = stmt {
                    pattern_vars(pattern, &mut |var| self.remat_vars.push((var, index)));
                }
                self.remat.push(stmt.clone());
            } else {
                pending.push(stmt.clone());
            }
        }
        self.flush(&mut pending, level, &mut out)?;
        Ok(out)
    }

    /// Turns the collected statements into a region or piece.
    fn flush(&mut self, pending: &mut Vec<Stmt>, level: Level, out: &mut Vec<Node>) -> Result<(), Stop> {
        if pending.is_empty() {
            return Ok(());
        }
        let stmts = std::mem::take(pending);
        let returns = stmts.iter().any(stmt_returns);
        let id = self.next_id;
        self.next_id += 1;
        // A region that prints runs item by item, so that the lines come in the order of the items.
        let in_strips = level == Level::Group && !stmts.iter().any(stmt_prints);
        if in_strips && stmts.iter().any(|s| self.splits(s, Level::Strip)) {
            let here = mentions(&stmts);
            let all = self.function.vars.iter().enumerate().map(|(index, _)| VarId(index as u32));
            self.elsewhere =
                all.filter(|var| self.mentions.get(var).is_none_or(|all| here.get(var) != Some(all))).collect();
            let nodes = self.nodes(&stmts, Level::Strip)?;
            out.push(Node::Items(Items { id, body: ItemBody::Strips(nodes), returns, bound: None }));
            return Ok(());
        }
        let bound = self.bound(&stmts);
        out.push(Node::Items(Items { id, body: ItemBody::Straight(stmts), returns, bound }));
        Ok(())
    }
}
