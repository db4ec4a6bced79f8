//! Races between commands: two that use the same bytes, one of them writing, while nothing orders one after the other.
//!
//! Commands that name their memory are ordered by it. What can race is memory that reaches a kernel without a name (handles
//! made of raw pointers), and memory that has two names (two objects over the same bytes). So the commands of checked devices
//! get numbers in the order of their submission, every "follows" between them is noted, and so is what the host has waited for:
//! what it submits afterwards follows that, too. After a command has run, what it has touched is compared with what the
//! latest others have.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Report, ReportKind, SourceLocation};
use crate::Name;

/// The number of a command that nobody checks.
pub(crate) const UNCHECKED: u64 = 0;
/// How many commands are remembered.
const REMEMBERED: usize = 1024;

/// The next number.
static NEXT: AtomicU64 = AtomicU64::new(1);
static LOG: Mutex<Option<Log>> = Mutex::new(None);

/// Bytes that a command has used.
#[derive(Debug, Clone)]
pub struct Touch {
    /// Their addresses, as one range around them.
    pub addresses: Range<usize>,
    /// Which of these exactly; all, if nothing is said.
    pub exactly: Option<Cells>,
    /// Whether it wrote.
    pub writes: bool,
    /// The object that the command has named for them, if it has.
    pub object: Option<u64>,
    /// The parameter.
    pub parameter: Name,
    /// Where the kernel touches them first.
    pub location: SourceLocation,
}

/// A set of addresses, in cells of equal size.
#[derive(Debug, Clone)]
pub struct Cells {
    /// The first address of the first cell.
    pub first: usize,
    /// The number of bits by which the distance from that is shifted to the number of the cell.
    pub shift: u32,
    /// A bit for each cell.
    pub words: Vec<u64>,
}

impl Cells {
    fn contains(&self, address: usize) -> bool {
        let cell = address.wrapping_sub(self.first) >> self.shift;
        self.words.get(cell / 64).is_some_and(|word| word >> (cell % 64) & 1 == 1)
    }
}

impl Touch {
    /// How many bytes both have used.
    fn common_bytes(&self, other: &Touch) -> usize {
        let (a, b) = (&self.addresses, &other.addresses);
        let both = a.start.max(b.start)..a.end.min(b.end);
        if self.exactly.is_none() && other.exactly.is_none() {
            return both.len();
        }
        let used = |touch: &Touch, address| touch.exactly.as_ref().is_none_or(|cells| cells.contains(address));
        both.filter(|address| used(self, *address) && used(other, *address)).count()
    }
}

#[derive(Default)]
struct Log {
    /// Whom each command follows.
    follows: HashMap<u64, Vec<u64>>,
    /// For commands that the host has waited for, the first number that was given out after that.
    seen: HashMap<u64, u64>,
    /// The last command of each in-order queue.
    last: HashMap<usize, u64>,
    /// The queue of each command.
    queues: HashMap<u64, usize>,
    past: VecDeque<Past>,
    numbers: VecDeque<u64>,
}

struct Past {
    number: u64,
    name: Name,
    touches: Vec<Touch>,
}

fn log<R>(f: impl FnOnce(&mut Log) -> R) -> R {
    f(LOG.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

/// Whether there ever was a checked command.
#[inline]
pub(crate) fn any() -> bool {
    NEXT.load(Ordering::Relaxed) > 1
}

/// A number for a command that is being submitted to a checked device.
pub(crate) fn submitted(queue: usize, in_order: bool) -> u64 {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    log(|log| {
        log.numbers.push_back(number);
        log.queues.insert(number, queue);
        if in_order && let Some(previous) = log.last.insert(queue, number) {
            log.follows.entry(number).or_default().push(previous);
        }
        if log.numbers.len() > REMEMBERED
            && let Some(oldest) = log.numbers.pop_front()
        {
            log.follows.remove(&oldest);
            log.seen.remove(&oldest);
            if let Some(queue) = log.queues.remove(&oldest)
                && log.last.get(&queue) == Some(&oldest)
            {
                log.last.remove(&queue);
            }
            log.past.retain(|past| past.number != oldest);
        }
    });
    number
}

/// A number for the start of a command that is made of others: it follows whom the command follows.
pub(crate) fn start_of_part(number: u64) -> u64 {
    if number == UNCHECKED {
        return UNCHECKED;
    }
    let start = submitted(0, false);
    log(|log| {
        let earlier = log.follows.get(&number).cloned().unwrap_or_default();
        log.follows.insert(start, earlier);
    });
    start
}

/// A command follows another one.
#[inline]
pub(crate) fn follows(later: u64, earlier: u64) {
    if later != UNCHECKED && earlier != UNCHECKED {
        log(|log| log.follows.entry(later).or_default().push(earlier));
    }
}

/// The host knows that a command has ended.
#[inline]
pub(crate) fn seen(number: u64) {
    if number != UNCHECKED {
        let next = NEXT.load(Ordering::Relaxed);
        log(|log| {
            log.seen.entry(number).or_insert(next);
        });
    }
}

/// The first number that no command has yet.
pub(crate) fn next_number() -> u64 {
    NEXT.load(Ordering::Relaxed)
}

/// The host knows that the commands of a queue with numbers below this one have ended. Other threads may have submitted more
/// while it waited.
pub(crate) fn seen_queue(queue: usize, below: u64) {
    let next = NEXT.load(Ordering::Relaxed);
    log(|log| {
        let Log { queues, seen, .. } = log;
        for number in queues.iter().filter(|(number, of)| **of == queue && **number < below).map(|(number, _)| *number)
        {
            seen.entry(number).or_insert(next);
        }
    });
}

/// An object's memory is gone. All who used it have ended, and whoever finds other memory at its addresses comes later.
pub(crate) fn gone(object: u64) {
    if any() {
        log(|log| {
            for past in &mut log.past {
                past.touches.retain(|touch| touch.object != Some(object));
            }
        });
    }
}

/// A command has run and touched this. Gives a report for each other command that it races with.
pub(crate) fn ran(number: u64, name: &Name, touches: Vec<Touch>) -> Vec<Report> {
    if number == UNCHECKED {
        return Vec::new();
    }
    log(|log| {
        let mut reports = Vec::new();
        for past in log.past.iter().filter(|past| past.number != number) {
            // The quickest question first.
            let mut pairs = meetings(&touches, &past.touches).peekable();
            if pairs.peek().is_none() || log.ordered(past.number, number) || log.ordered(number, past.number) {
                continue;
            }
            let common = pairs.map(|(now, before)| (now, before, now.common_bytes(before)));
            if let Some((now, before, bytes)) = common.into_iter().find(|(.., bytes)| *bytes > 0) {
                reports.push(explain(name, now, past, before, bytes));
            }
        }
        log.past.push_back(Past { number, name: name.clone(), touches });
        reports
    })
}

/// Pairs of touches that conflict, if both are all of their ranges, and have no name in common.
fn meetings<'a>(now: &'a [Touch], before: &'a [Touch]) -> impl Iterator<Item = (&'a Touch, &'a Touch)> {
    let conflict = |a: &Touch, b: &Touch| {
        (a.writes || b.writes)
            && crate::hazard::overlap(&a.addresses, &b.addresses)
            && (a.object.is_none() || a.object != b.object)
    };
    now.iter().flat_map(move |a| before.iter().filter(move |b| conflict(a, b)).map(move |b| (a, b)))
}

impl Log {
    /// Whether the command `later` surely began after `earlier` had ended.
    fn ordered(&self, earlier: u64, later: u64) -> bool {
        let seen = self.seen.get(&earlier).copied().unwrap_or(u64::MAX);
        let mut open = vec![later];
        let mut known = HashSet::new();
        while let Some(number) = open.pop() {
            if number == earlier || seen <= number {
                return true;
            }
            if known.insert(number) {
                open.extend(self.follows.get(&number).into_iter().flatten());
                // What the host had seen before it submitted this one.
                open.extend(self.seen.iter().filter(|(_, next)| **next <= number).map(|(seen, _)| *seen));
            }
        }
        false
    }
}

fn explain(name: &Name, now: &Touch, past: &Past, before: &Touch, bytes: usize) -> Report {
    let does = |touch: &Touch| if touch.writes { "writes" } else { "reads" };
    let message = format!(
        "'{name}' {} `{}`, {bytes} bytes of which '{}' {} as `{}`, and nothing orders the two commands",
        does(now),
        now.parameter,
        past.name,
        does(before),
        before.parameter
    );
    let mut report = Report::new(ReportKind::CommandRace, name.clone(), message);
    report.location = now.location.clone();
    report.parameter = Some(now.parameter.to_string());
    report.other = Some((before.location.clone(), format!("'{}' {} it", past.name, does(before))));
    report.notes.push(
        "let one follow the other (`depends_on`, an in-order queue, or a wait between), or reach the memory through one \
         buffer or allocation, whose users are ordered"
            .to_owned(),
    );
    report
}

#[cfg(test)]
mod tests;
