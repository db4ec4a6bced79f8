use super::*;
use crate::command::Work;
use crate::node::Payload;
use crate::{Name, scheduler};

fn node() -> Arc<Node> {
    let payload = Payload { work: Work::Empty, accesses: Vec::new(), queue: None, graph: None };
    Node::new(Name::Borrowed("node"), 1, payload, false)
}

fn end(node: &Arc<Node>) {
    scheduler::complete(node, Ok(()));
}

/// A window with so many commands, which have not ended.
fn filled(count: usize) -> (Window, Vec<Arc<Node>>) {
    let mut window = Window::default();
    let nodes: Vec<Arc<Node>> = (0..count).map(|_| node()).collect();
    for (number, node) in nodes.iter().enumerate() {
        assert_eq!(window.next(), number as u64);
        assert!(window.push(node).iter().all(Option::is_none), "nothing has ended");
        assert_eq!(node.sequence.load(Ordering::Relaxed), number as u64);
    }
    (window, nodes)
}

#[test]
fn the_last_command_that_has_not_ended_is_found_whatever_order_they_end_in() {
    let (mut window, nodes) = filled(100);
    let last = |window: &Window, target| {
        window.last_unfinished_below(target).map(|node| node.sequence.load(Ordering::Relaxed))
    };
    assert_eq!(last(&window, 100), Some(99));
    assert_eq!(last(&window, 40), Some(39));
    assert_eq!(last(&window, 0), None);
    nodes[30..].iter().for_each(end);
    assert_eq!((last(&window, 100), last(&window, 10)), (Some(29), Some(9)));
    end(&nodes[29]);
    nodes[..7].iter().for_each(end);
    assert_eq!((last(&window, 100), last(&window, 8), last(&window, 7)), (Some(28), Some(7), None));
    assert_eq!(window.next(), 100);
    nodes[7..29].iter().for_each(end);
    assert_eq!(last(&window, 100), None);
    window.sweep();
    assert!(window.is_empty());
    assert_eq!(window.next(), 100);
}

#[test]
fn a_window_stays_short_while_commands_end_in_turn_and_gives_back_what_it_takes_out() {
    let mut window = Window::default();
    let mut retired = 0;
    for _ in 0..1000 {
        let node = node();
        retired += window.push(&node).iter().flatten().count();
        end(&node);
        assert!(window.iter().count() <= Window::LATEST + 1);
    }
    assert_eq!(retired, 1000 - window.iter().count());
}

#[test]
fn what_ended_behind_a_command_that_has_not_is_let_go() {
    let mut window = Window::default();
    let first = node();
    window.push(&first);
    for _ in 0..10_000 {
        let node = node();
        window.push(&node);
        end(&node);
        assert!(window.iter().count() <= 3 * Window::SWEEP);
    }
    assert!(window.last_unfinished_below(u64::MAX).is_some_and(|last| Arc::ptr_eq(&last, &first)));
    window.sweep();
    assert_eq!(window.iter().count(), 1);
}

#[test]
fn what_ends_while_nobody_submits_is_let_go_without_looking_at_everything_each_time() {
    let (mut window, nodes) = filled(1000);
    // From the end, so that the oldest command stays the longest.
    for (count, node) in nodes.iter().rev().enumerate() {
        end(node);
        if Window::is_due(count as u64) {
            window.tidy();
            let left = 1000 - (count + 1);
            assert!(window.iter().count() <= 2 * left + 2 * Window::SWEEP, "{} for {left}", window.iter().count());
        }
    }
    window.tidy();
    assert!(window.is_empty());
}

#[test]
fn a_sweep_is_due_once_for_so_many_commands() {
    let due = (0..1000).filter(|&sequence| Window::is_due(sequence)).count();
    assert_eq!(due, 1000 / Window::SWEEP);
}
