//! What the macro learns of a kernel: what is uniform, where it is split, where each variable lives, what is refused.

mod support;

use support::bind;
use syclone_kernel_ast::analysis::normalise::normalise;
use syclone_kernel_ast::analysis::plan::{ItemBody, Node, Plan, Storage, Verdict, plan};
use syclone_kernel_ast::analysis::sync::Roles;
use syclone_kernel_ast::analysis::variance::{Variance, Variances};
use syclone_kernel_ast::tree::{Function, VarId};

fn tree(text: &str) -> Function {
    (*bind(text).tree).clone()
}

/// A kernel of one dimension with the usual parameters.
fn kernel(body: &str) -> Function {
    tree(&format!(
        "fn k(item: NdItem<1>, n: usize, x: View<u32>, tile: LocalAccessor<u32>, hist: AtomicView<u32>, out: ItemMut<u32>) {{\n{body}\n}}"
    ))
}

fn split(function: &Function) -> Plan {
    match plan(function) {
        Ok(Verdict::Split(plan)) => *plan,
        other => panic!("{other:?}"),
    }
}

fn reason(function: &Function) -> (u32, String) {
    match plan(function) {
        Ok(Verdict::LockStep { span, reason }) => (function.spans[span.0 as usize].line, reason),
        other => panic!("{other:?}"),
    }
}

fn refusal(function: &Function) -> (u32, String) {
    match plan(function) {
        Err(error) => (function.spans[error.span.0 as usize].line, error.message),
        other => panic!("{other:?}"),
    }
}

fn var(function: &Function, name: &str) -> VarId {
    let index = function.vars.iter().position(|var| var.name == name).unwrap_or_else(|| panic!("no {name}"));
    VarId(index as u32)
}

/// The variance of each named variable.
fn variances(function: &Function, names: &[&str]) -> Vec<Variance> {
    let function = normalise(function).expect("a body that can be taken apart");
    let roles = Roles::of(&function);
    let found = Variances::of(&function, &roles);
    names.iter().map(|name| found.var(var(&function, name))).collect()
}

/// The region tree in short: `i` a region, `s(…)` one that strips run, `v` a value of the group, `|` a barrier, `c` a
/// group operation.
fn outline(nodes: &[Node]) -> String {
    nodes.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn one(node: &Node) -> String {
    match node {
        Node::Items(items) => match &items.body {
            ItemBody::Straight(_) => "i".into(),
            ItemBody::Strips(nodes) => format!("s({})", outline(nodes)),
        },
        Node::Scalar(_) => "v".into(),
        Node::Barrier { .. } => "|".into(),
        Node::Collective(_) => "c".into(),
        Node::If { then, otherwise, .. } => format!("if({}; {})", outline(then), outline(otherwise)),
        Node::Match { arms, .. } => {
            format!("match({})", arms.iter().map(|arm| outline(&arm.2)).collect::<Vec<_>>().join("; "))
        }
        Node::Block { body, .. } => format!("block({})", outline(body)),
        Node::Loop { body, .. } => format!("loop({})", outline(body)),
        Node::While { body, .. } => format!("while({})", outline(body)),
        Node::For { body, .. } => format!("for({})", outline(body)),
        Node::Break(_) => "break".into(),
        Node::Continue(_) => "continue".into(),
        Node::Return => "return".into(),
    }
}

const UNIFORM: Variance = Variance::UNIFORM;
const X: Variance = Variance::X;

#[test]
fn ids_of_the_group_and_arguments_are_uniform_and_ids_of_the_item_are_not() {
    let function = kernel(
        "let a = item.group_id(0) * n + item.local_range(0);
         let b = item.local_id(0) + n;
         let c = x.len() + tile.len();
         let d = item.global_id(0);
         let g = item.group();
         let e = g.id(0);
         let f = item.sub_group().id();",
    );
    assert_eq!(
        variances(&function, &["a", "b", "c", "d", "e", "f"]),
        [UNIFORM, X, UNIFORM, X, UNIFORM, Variance::SUB_GROUP]
    );
}

#[test]
fn what_is_read_is_uniform_only_from_memory_that_nobody_writes_at_a_uniform_place() {
    let function = kernel(
        "let a = x[n];
         let b = x[item.local_id(0)];
         let c = tile[0];
         let d = hist.atomic(0).load();
         let e = out[item];",
    );
    let found = variances(&function, &["a", "b", "c", "d", "e"]);
    assert_eq!(found[0], UNIFORM);
    for variance in &found[1..] {
        assert!(!variance.is_uniform() && !variance.is_proven(), "{variance:?}");
    }
}

#[test]
fn what_a_varying_branch_or_loop_assigns_varies() {
    let function = kernel(
        "let me = item.local_id(0);
         let mut a = 0;
         let mut b = 0;
         let mut c = 0;
         let mut d = 0;
         if me > 3 { a = 1; }
         for k in 0..me { b += 1; }
         for k in 0..n {
             if k == me { break; }
             c += 1;
         }
         for k in 0..n { d += k; }",
    );
    assert_eq!(variances(&function, &["a", "b", "c", "d"]), [X, X, X, UNIFORM]);
}

#[test]
fn in_two_dimensions_a_row_has_its_own_values() {
    let function = tree(
        "fn k(item: NdItem<2>, n: usize, out: ItemMut<u32, 2>) {
            let (row, column) = (item.global_id(0), item.global_id(1));
            let a = row * n;
            let b = item.local_linear_id();
        }",
    );
    assert_eq!(
        variances(&function, &["row", "column", "a", "b"]),
        [Variance::OUTER, X, Variance::OUTER, Variance::OUTER.or(X)]
    );
    assert!(Variance::OUTER.is_uniform_in_row() && !X.is_uniform_in_row());
}

#[test]
fn results_of_group_operations_are_uniform_where_all_items_get_the_same() {
    let function = kernel(
        "let g = item.group();
         let v = x[item];
         let a = g.reduce(v, Plus);
         let b = g.exclusive_scan(v, Plus);
         let c = g.any(v > 3);
         let d = item.sub_group().reduce(v, Plus);",
    );
    let found = variances(&function, &["a", "b", "c", "d"]);
    assert_eq!([found[0], found[2]], [UNIFORM; 2]);
    assert!(!found[1].is_uniform() && !found[3].is_uniform() && !found[3].is_proven());
}

#[test]
fn a_body_without_barriers_is_one_region() {
    let plan = split(&kernel("let v = x[item]; if v > 3 { out[item] = v; } else { out[item] = 1; }"));
    assert_eq!(outline(&plan.nodes), "i");
}

#[test]
fn barriers_split_and_their_control_flow_moves_outside() {
    let plan = split(&kernel(
        "tile[item.local_id(0)] = 1;
         item.barrier();
         for k in 0..n {
             tile[0] = 2;
             if k == 3 { break; }
             item.barrier();
         }
         out[item] = tile[0];",
    ));
    assert_eq!(outline(&plan.nodes), "i | for(i if(break; ) |) i");
}

#[test]
fn a_uniform_return_ends_the_group_and_another_is_remembered() {
    let plan = split(&kernel("if n == 0 { return; } item.barrier(); out[item] = 1;"));
    assert_eq!((outline(&plan.nodes).as_str(), plan.needs_alive), ("if(return; ) | i", false));
    let plan = split(&kernel("if x[item] == 0 { return; } item.barrier(); out[item] = 1;"));
    assert_eq!((outline(&plan.nodes).as_str(), plan.needs_alive), ("i | i", true));
    let plan = split(&kernel("if x[item] == 0 { return; } out[item] = 1;"));
    assert_eq!((outline(&plan.nodes).as_str(), plan.needs_alive), ("i", false));
}

#[test]
fn group_operations_stand_alone_wherever_they_were_written() {
    let plan = split(&kernel(
        "let g = item.group();
         let v = x[item];
         if g.any(v > 3) {
             out[item] = v + g.reduce(v, Plus) * 2;
         }",
    ));
    assert_eq!(outline(&plan.nodes), "i c if(i c i; )");
    let plan = split(&kernel(
        "let g = item.group();
         while g.any(x[item] > 3) {
             item.barrier();
         }",
    ));
    assert_eq!(outline(&plan.nodes), "loop(i c if(break; ) |)");
}

#[test]
fn jumps_in_values_become_statements_of_the_loop_that_is_taken_apart() {
    let plan = split(&kernel(
        "let mut sum = 0;
         for k in 0..n {
             let extra = if k == 2 { continue } else { k };
             item.barrier();
             sum += extra + match k { 5 => break, other => other };
         }
         out[item] = sum as u32;",
    ));
    assert_eq!(outline(&plan.nodes), "v for(if(continue; v) v | v match(break; v) v) i");
}

#[test]
fn a_strip_runs_loops_that_a_row_shares() {
    let range = |body: &str| {
        split(&tree(&format!("fn k(item: Item<2>, n: usize, x: View<u32, 2>, out: ItemMut<u32, 2>) {{\n{body}\n}}")))
    };
    let plan = range(
        "let mut sum = 0;
         for k in 0..n {
             sum += x[[item.id(0), k]] * x[[k, item.id(1)]];
         }
         out[item] = sum;",
    );
    assert_eq!(outline(&plan.nodes), "s(i for(i) i)");
    assert_eq!(plan.storage[var(&plan.function, "sum").0 as usize], Storage::Lanes);
    let plan = range(
        "let mut sum = 0;
         for k in 0..item.id(1) {
             sum += x[[item.id(0), k]];
         }
         out[item] = sum;",
    );
    assert_eq!(outline(&plan.nodes), "i", "items of a row would leave the loop at different times");
    let plan = range(
        "let mut sum = 0;
         for k in 0..n {
             let extra = if k == 3 { continue } else { 1 };
             sum += x[[item.id(0), k]] + extra;
         }
         out[item] = sum;",
    );
    assert_eq!(outline(&plan.nodes), "i", "a jump in a value stays where it is");
}

#[test]
fn a_variable_lives_where_its_uses_are() {
    let plan = split(&kernel(
        "let me = item.local_id(0);
         let inner = x[me] + 1;
         let mut across = inner * 2;
         let group = n * 2;
         tile[me] = across;
         item.barrier();
         across += tile[group];
         let total = item.group().reduce(across, Plus);
         out[item] = across + total;",
    ));
    let storage = |name: &str| plan.storage[var(&plan.function, name).0 as usize];
    assert!(matches!(storage("me"), Storage::Remat(_)), "{:?}", storage("me"));
    assert_eq!(storage("inner"), Storage::Inner);
    assert_eq!(storage("across"), Storage::PerItem);
    assert_eq!(storage("group"), Storage::Scalar);
    assert_eq!(storage("total"), Storage::Scalar);
}

#[test]
fn a_uniform_variable_that_items_assign_is_each_items_own() {
    let plan = split(&kernel(
        "let mut bound = 0;
         for k in 0..n { bound += k; }
         for k in 0..bound {
             item.barrier();
         }",
    ));
    assert_eq!(plan.storage[var(&plan.function, "bound").0 as usize], Storage::PerItem);
    assert_eq!(outline(&plan.nodes), "i for(|)");
}

#[test]
fn nothing_is_computed_before_the_return_that_guards_it() {
    let guarded = |value: &str| {
        let plan = split(&kernel(&format!(
            "if x[item] == 0 {{ return; }}\nlet a = {value};\nitem.barrier();\nout[item] = a as u32;"
        )));
        (outline(&plan.nodes), plan.storage[var(&plan.function, "a").0 as usize])
    };
    assert_eq!(guarded("n * 2"), ("v i | i".into(), Storage::Scalar));
    assert_eq!(guarded("100 / n"), ("i v | i".into(), Storage::Scalar));
    assert_eq!(guarded("item.local_id(0) - 1"), ("i | i".into(), Storage::PerItem));
}

#[test]
fn a_variable_that_a_loop_binds_and_items_change_is_copied() {
    let plan = split(&kernel(
        "for mut k in 0..n {
             k += item.local_id(0);
             tile[k] = 1;
             item.barrier();
             tile[k] = 2;
         }",
    ));
    assert_eq!(outline(&plan.nodes), "for(i | i)");
    assert_eq!(plan.storage[var(&plan.function, "k").0 as usize], Storage::PerItem);
}

#[test]
fn a_barrier_that_provably_not_all_items_reach_is_refused() {
    let (line, message) = refusal(&kernel("if item.local_id(0) > 3 {\nitem.barrier();\n}"));
    assert_eq!(line, 3);
    assert!(
        message.starts_with("a barrier stands in control flow that depends on the work-item (an `if`)\n"),
        "{message}"
    );
    let (_, message) = refusal(&kernel("for k in 0..item.local_id(0) {\nlet v = item.group().reduce(k, Plus);\n}"));
    assert!(message.starts_with("a group operation stands in control flow"), "{message}");
    let (line, message) = refusal(&kernel("let v = n > 3 &&\nitem.group().any(n > 2);"));
    assert_eq!(line, 3);
    assert!(message.contains("right operand of `&&` or `||`"), "{message}");
    let (_, message) = refusal(&kernel("let v = loop {\nitem.barrier();\nbreak 3;\n};"));
    assert!(message.contains("a loop or labelled block that is used as a value"), "{message}");
    let (_, message) = refusal(&kernel("tile[item.group().reduce(n, Plus)] = 3;"));
    assert!(message.contains("in the place of an assignment"), "{message}");
}

#[test]
fn a_barrier_that_all_items_may_or_may_not_reach_runs_in_lock_step() {
    let (line, reason_) = reason(&kernel("if x[item] > 3 {\nitem.barrier();\n}"));
    assert_eq!((line, reason_.as_str()), (3, "an `if` around it is not proven the same for all items of the group"));
    let (_, reason_) = reason(&kernel("while tile[0] > 3 {\nitem.barrier();\n}"));
    assert_eq!(reason_, "a `while` around it is not proven the same for all items of the group");
    let (_, reason_) = reason(&kernel("let sg = item.sub_group();\nif sg.id() == 0 {\nlet v = sg.reduce(n, Plus);\n}"));
    assert_eq!(reason_, "an `if` around it is not proven the same for all items of the group");
}

#[test]
fn a_collective_function_that_items_leave_early_runs_in_lock_step() {
    let early = tree("device fn f(item: NdItem<1>, x: u32) -> u32 {\nif x > 3 { return 1; }\n2\n}");
    let (_, reason_) = reason(&early);
    assert!(reason_.contains("an early `return`"), "{reason_}");
}
