//! The region tree: how a kernel's body runs for a whole work-group on a CPU.
//!
//! The tree has two levels. On the *group level*, the body is split at barriers and group operations into regions;
//! each [`Items`] region runs for every item before the next node runs, and everything between regions (loops and
//! branches around barriers, uniform scalars) runs once for the group. On the *strip level*, a region may be split
//! again at loops that all items of a row run alike: a strip of adjacent items then runs the loop together, with the
//! items innermost, which is the order that vectorises.
//!
//! Both levels follow one rule: a construct may be taken out of the item loops only if it is uniform at that level.
//! Reordering items between two barriers is allowed because they may not communicate there.

mod build;
mod storage;

use super::AnalysisError;
use super::normalise::normalise;
use super::sync::{Roles, Token};
use super::uses::Uses;
use super::variance::Variances;
use crate::tree::*;

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// A local of the one leaf that mentions it, a parameter, or a group token.
    Inner,
    /// One value per group, or per strip when declared there.
    Scalar,
    /// Computed again in each leaf that uses it, by the `let` at this index of [`Plan::remat`].
    Remat(usize),
    /// An array with an element per item.
    PerItem,
    /// An array with an element per item of a strip.
    Lanes,
}

/// A node of the region tree.
#[derive(Clone, Debug)]
pub enum Node {
    /// Statements that every item runs before the next node begins.
    Items(Items),
    /// A uniform `let` or assignment, run once.
    Scalar(Stmt),
    /// A barrier.
    Barrier {
        /// Its place.
        span: SpanId,
    },
    /// A group or sub-group operation, or a call of a collective function.
    Collective(Collective),
    /// A uniform branch.
    If {
        /// The condition.
        cond: Expr,
        /// If true.
        then: Vec<Node>,
        /// If false.
        otherwise: Vec<Node>,
    },
    /// A uniform `match`.
    Match {
        /// The value looked at.
        scrutinee: Expr,
        /// The arms: pattern, guard, body.
        arms: Vec<(Pattern, Option<Expr>, Vec<Node>)>,
    },
    /// A block.
    Block {
        /// Its label.
        label: Option<String>,
        /// Its nodes.
        body: Vec<Node>,
    },
    /// A uniform `loop`.
    Loop {
        /// Its label.
        label: Option<String>,
        /// Its nodes.
        body: Vec<Node>,
    },
    /// A uniform `while`.
    While {
        /// Its label.
        label: Option<String>,
        /// The condition.
        cond: Expr,
        /// Its nodes.
        body: Vec<Node>,
    },
    /// A uniform `for`.
    For {
        /// Its label.
        label: Option<String>,
        /// The loop variable.
        pattern: Pattern,
        /// The range.
        range: ForRange,
        /// Its nodes.
        body: Vec<Node>,
    },
    /// A uniform `break`.
    Break(Option<String>),
    /// A uniform `continue`.
    Continue(Option<String>),
    /// A `return` that all items take.
    Return,
}

/// A region, or a piece of one.
#[derive(Clone, Debug)]
pub struct Items {
    /// Number of the region or piece, unique in the plan, in the order of emission.
    pub id: usize,
    /// What runs.
    pub body: ItemBody,
    /// Whether an item may `return` here.
    pub returns: bool,
    /// In one dimension: only items whose local id is below this do anything.
    pub bound: Option<Expr>,
}

/// The inside of a region.
#[derive(Clone, Debug)]
pub enum ItemBody {
    /// Statements, item by item.
    Straight(Vec<Stmt>),
    /// Nodes that a strip of items runs together; their `Items` are all straight.
    Strips(Vec<Node>),
}

/// A collective operation.
#[derive(Clone, Debug)]
pub struct Collective {
    /// The variable that takes the result.
    pub target: Option<VarId>,
    /// The declared type of the result.
    pub ty: Option<TypeId>,
    /// Whether the result is the same for all items of the group.
    pub uniform: bool,
    /// What is called.
    pub operation: Operation,
    /// The arguments.
    pub args: Vec<Argument>,
    /// Its place.
    pub span: SpanId,
}

/// What a collective does.
#[derive(Clone, Debug)]
pub enum Operation {
    /// A method of the group or sub-group, with the types and constants of its turbofish.
    Method(Token, String),
    /// A collective device function.
    Call(CalleeId),
}

/// An argument of a collective.
#[derive(Clone, Debug)]
pub enum Argument {
    /// The item itself.
    Item,
    /// The same for all items.
    Uniform(Box<Expr>),
    /// Each item's own value, in this variable.
    PerItem(VarId),
}

/// The result of planning.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The normalised function, with the variables that planning added.
    pub function: Function,
    /// Its variables' roles.
    pub roles: Roles,
    /// The variances that the plan rests on.
    pub variances: Variances,
    /// The region tree.
    pub nodes: Vec<Node>,
    /// Where each variable lives.
    pub storage: Vec<Storage>,
    /// The cheap `let`s that are computed again where needed, in order.
    pub remat: Vec<Stmt>,
    /// Variables that are assigned before any `let` of theirs: results of control flow that was taken apart.
    pub deferred: Vec<VarId>,
    /// Whether items that returned must be remembered.
    pub needs_alive: bool,
    /// What each leaf mentions, by [`Items::id`].
    pub uses: Vec<Uses>,
    /// For a strips region, by [`Items::id`]: the variables held in lanes, and of these the ones that live across
    /// regions too.
    pub lanes: Vec<Vec<VarId>>,
}

/// Whether and how a body can be split.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It can.
    Split(Box<Plan>),
    /// Some barrier's control flow cannot be proven uniform: the lock-step form must run it.
    LockStep {
        /// The barrier or operation.
        span: SpanId,
        /// Why, for the user.
        reason: String,
    },
}

/// Plans a function's native version.
///
/// # Errors
/// What [`normalise`] refuses, and barriers and group operations in control flow that provably depends on the item.
pub fn plan(function: &Function) -> Result<Verdict, AnalysisError> {
    plan_with(function, true)
}

/// [`plan`] without strips: regions run item by item, as the source reads.
///
/// # Errors
/// As for [`plan`].
pub fn plan_item_by_item(function: &Function) -> Result<Verdict, AnalysisError> {
    let roles = Roles::of(function);
    if matches!(function.kind, FunctionKind::Range { .. } | FunctionKind::SingleTask)
        && !roles.block_syncs(&function.body)
    {
        return Ok(Verdict::Split(Box::new(in_one_piece(function, roles))));
    }
    plan_with(function, false)
}

/// The plan of a body that each item runs from its first statement to its last. Nothing needs to be known about it.
fn in_one_piece(function: &Function, roles: Roles) -> Plan {
    let mut function = function.clone();
    let mut stmts = std::mem::take(&mut function.body.stmts);
    stmts.extend(function.body.tail.take().map(|tail| Stmt::Expr(*tail)));
    let uses = Uses::of(&function.vars, &stmts);
    let returns = stmts.iter().any(build::stmt_returns);
    let items = Items { id: 0, body: ItemBody::Straight(stmts), returns, bound: None };
    Plan {
        storage: vec![Storage::Inner; function.vars.len()],
        variances: Variances::unknown(&function, &roles),
        nodes: vec![Node::Items(items)],
        remat: Vec::new(),
        deferred: Vec::new(),
        needs_alive: false,
        uses: vec![uses],
        lanes: vec![Vec::new()],
        function,
        roles,
    }
}

fn plan_with(function: &Function, strips: bool) -> Result<Verdict, AnalysisError> {
    let function = normalise(function)?;
    let roles = Roles::of(&function);
    let variances = Variances::of(&function, &roles);
    build::build(function, roles, variances, strips)
}
