//! Deciding where each variable lives, from the leaves that mention it.

use std::collections::{BTreeMap, BTreeSet};

use super::super::uses::Uses;
use super::build::Builder;
use super::*;

/// A place in the plan: the region (or node on the group level), the piece inside it, and whether a loop of the
/// strip surrounds the piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    region: usize,
    piece: usize,
    looped: bool,
}

struct Collect<'b> {
    builder: &'b Builder,
    mentions: BTreeMap<VarId, BTreeSet<Position>>,
    uses: Vec<Uses>,
    strips: Vec<(usize, Vec<usize>)>,
    returns: Vec<usize>,
    next_group: usize,
}

pub(super) fn assign_storage(builder: Builder, nodes: Vec<Node>) -> Plan {
    let mut collect = Collect {
        builder: &builder,
        mentions: BTreeMap::new(),
        uses: vec![Uses::default(); builder.next_id],
        strips: Vec::new(),
        returns: Vec::new(),
        // Positions of nodes on the group level are numbered after all regions.
        next_group: builder.next_id,
    };
    collect.group(&nodes);
    let Collect { mentions, uses, strips, returns, next_group, .. } = collect;
    let mut storage = vec![Storage::Inner; builder.function.vars.len()];
    let mut lanes = vec![Vec::new(); builder.next_id];
    let params: BTreeSet<VarId> = builder.function.params.iter().map(|p| p.var).collect();
    // Leaves mention these, or only each other do.
    for (var, index) in &builder.remat_vars {
        storage[var.0 as usize] = Storage::Remat(*index);
    }
    for (var, positions) in &mentions {
        let slot = &mut storage[var.0 as usize];
        if let Storage::Remat(_) = slot {
            continue;
        }
        if builder.scalars.contains(var) {
            *slot = Storage::Scalar;
        } else if params.contains(var) || builder.roles.role(*var).is_some() || builder.roles.is_token(*var) {
            *slot = Storage::Inner;
        } else {
            let regions: BTreeSet<usize> = positions.iter().map(|p| p.region).collect();
            if regions.len() > 1 {
                *slot = Storage::PerItem;
            }
            for (region, _) in &strips {
                let here: Vec<&Position> = positions.iter().filter(|p| p.region == *region).collect();
                let crosses = here.len() > 1 || here.iter().any(|p| p.looped && regions.len() > 1);
                if crosses {
                    lanes[*region].push(*var);
                    if regions.len() == 1 {
                        *slot = Storage::Lanes;
                    }
                }
            }
        }
    }
    let leaves: usize = next_group - builder.next_id + builder.next_id - strips.len();
    let needs_alive = !returns.is_empty() && leaves > 1;
    Plan {
        function: builder.function,
        roles: builder.roles,
        variances: builder.variances,
        nodes,
        storage,
        remat: builder.remat,
        deferred: builder.deferred,
        needs_alive,
        uses,
        lanes,
    }
}

impl Collect<'_> {
    fn note(&mut self, uses: &Uses, position: Position) {
        for var in &uses.mentioned {
            self.mentions.entry(*var).or_default().insert(position);
        }
    }

    /// A node's own expressions on the group level.
    fn group_uses(&mut self, uses: &Uses) {
        let position = Position { region: self.next_group, piece: 0, looped: false };
        self.next_group += 1;
        self.note(uses, position);
    }

    fn group(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Items(items) => {
                    if items.returns {
                        self.returns.push(items.id);
                    }
                    match &items.body {
                        ItemBody::Straight(stmts) => {
                            let uses = self.leaf_uses(stmts);
                            self.note(&uses, Position { region: items.id, piece: 0, looped: false });
                            self.uses[items.id] = uses;
                        }
                        ItemBody::Strips(nodes) => {
                            let mut pieces = Vec::new();
                            self.strip(nodes, items.id, false, &mut pieces);
                            self.strips.push((items.id, pieces));
                        }
                    }
                }
                Node::Collective(collective) => {
                    let mut uses = Uses::default();
                    for arg in &collective.args {
                        match arg {
                            Argument::Uniform(e) => uses.expr(&self.builder.function.vars, e),
                            Argument::PerItem(var) => {
                                uses.mentioned.insert(*var);
                            }
                            Argument::Item => {}
                        }
                    }
                    uses.mentioned.extend(collective.target);
                    self.group_uses(&uses);
                }
                _ => {
                    let uses = self.own_uses(node);
                    self.group_uses(&uses);
                    let mut inner: Vec<&[Node]> = Vec::new();
                    each_body(node, &mut |body| inner.push(body));
                    for body in inner {
                        self.group(body);
                    }
                }
            }
        }
    }

    fn strip(&mut self, nodes: &[Node], region: usize, looped: bool, pieces: &mut Vec<usize>) {
        for node in nodes {
            if let Node::Items(items) = node {
                let ItemBody::Straight(stmts) = &items.body else { unreachable!("pieces are straight") };
                if items.returns {
                    self.returns.push(items.id);
                }
                let uses = self.leaf_uses(stmts);
                self.note(&uses, Position { region, piece: items.id, looped });
                self.uses[items.id] = uses.clone();
                let all = &mut self.uses[region];
                all.declared.extend(&uses.declared);
                all.mentioned.extend(&uses.mentioned);
                all.assigned.extend(&uses.assigned);
                pieces.push(items.id);
                continue;
            }
            let uses = self.own_uses(node);
            let position = Position { region, piece: self.next_group, looped };
            self.next_group += 1;
            self.note(&uses, position);
            self.uses[region].mentioned.extend(&uses.mentioned);
            let looped = looped || matches!(node, Node::For { .. } | Node::While { .. } | Node::Loop { .. });
            let mut inner: Vec<&[Node]> = Vec::new();
            each_body(node, &mut |body| inner.push(body));
            for body in inner {
                self.strip(body, region, looped, pieces);
            }
        }
    }

    /// What a leaf mentions, with what the cheap `let`s it computes again mention.
    fn leaf_uses(&self, stmts: &[Stmt]) -> Uses {
        Uses::of(&self.builder.function.vars, stmts)
    }

    /// What a node other than a leaf mentions itself.
    fn own_uses(&self, node: &Node) -> Uses {
        let vars = &self.builder.function.vars;
        let mut uses = Uses::default();
        match node {
            Node::Scalar(stmt) => uses.stmt(vars, stmt),
            Node::If { cond, .. } | Node::While { cond, .. } => uses.expr(vars, cond),
            Node::Match { scrutinee, arms } => {
                uses.expr(vars, scrutinee);
                arms.iter().filter_map(|(_, guard, _)| guard.as_ref()).for_each(|guard| uses.expr(vars, guard));
            }
            Node::For { range, .. } => {
                uses.expr(vars, &range.start);
                uses.expr(vars, &range.end);
                for adaptor in &range.adaptors {
                    if let RangeAdaptor::StepBy(step) = adaptor {
                        uses.expr(vars, step);
                    }
                }
            }
            _ => {}
        }
        uses
    }
}

/// Calls `f` on each list of nodes inside a node.
pub(super) fn each_body<'n>(node: &'n Node, f: &mut dyn FnMut(&'n [Node])) {
    match node {
        Node::If { then, otherwise, .. } => {
            f(then);
            f(otherwise);
        }
        Node::Match { arms, .. } => arms.iter().for_each(|(_, _, body)| f(body)),
        Node::Block { body, .. } | Node::Loop { body, .. } | Node::While { body, .. } | Node::For { body, .. } => {
            f(body)
        }
        _ => {}
    }
}
