//! With the feature `tracing`: commands as spans and events of that crate.

mod common;

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use syclone_runtime::{Command, Device, Queue};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use common::{failing, kernel};

/// Keeps what it is told as lines of text.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl Lines {
    fn push(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }

    fn with(&self, text: &str) -> Vec<String> {
        self.0.lock().unwrap().iter().filter(|line| line.contains(text)).cloned().collect()
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "syclone"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut fields = Fields(format!("span {id} {}", span.metadata().level()));
        span.record(&mut fields);
        self.push(fields.0);
        Id::from_u64(id)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(format!("event {}", event.metadata().level()));
        event.record(&mut fields);
        self.push(fields.0);
    }

    fn enter(&self, id: &Id) {
        self.push(format!("enter {} on {}", id.into_u64(), std::thread::current().name().unwrap_or("?")));
    }

    fn exit(&self, id: &Id) {
        self.push(format!("exit {}", id.into_u64()));
    }
}

#[test]
fn commands_are_spans_on_their_workers_and_their_ends_are_events() {
    let lines = Lines::default();
    tracing::subscriber::set_global_default(lines.clone()).unwrap();
    let device = Device::cpu_with_threads(1).unwrap();
    let queue = Queue::new(&device).unwrap();
    queue.submit(kernel("works", 3, Vec::new(), |_, _| Ok(()))).unwrap().wait().unwrap();
    assert!(queue.submit(failing("breaks", Vec::new())).unwrap().wait().is_err());
    queue.submit(Command::empty("nothing")).unwrap().wait().unwrap();
    let _ = queue.wait();

    let spans = lines.with("name=\"works\" queue=");
    assert_eq!(spans.len(), 2, "a span and an event: {spans:?}");
    assert!(
        spans[0].starts_with("span ") && spans[0].contains(" INFO ") && spans[0].contains(" worker=0"),
        "{spans:?}"
    );
    let id = spans[0].split(' ').nth(1).unwrap();
    assert_eq!(lines.with(&format!("enter {id} on syclone-cpu-0")).len(), 1);
    assert_eq!(lines.with(&format!("exit {id}")).len(), 1);
    assert!(spans[1].starts_with("event DEBUG") && spans[1].contains("command complete"), "{spans:?}");
    let failed = lines.with("command failed");
    assert!(failed.len() == 1 && failed[0].starts_with("event WARN"), "{failed:?}");
    assert!(failed[0].contains("name=\"breaks\"") && failed[0].contains("error="), "{failed:?}");
    assert!(lines.with("name=\"nothing\"").iter().all(|line| line.starts_with("event DEBUG")));

    // An error that nobody asked for is an event as well, and not a line on stderr.
    drop(queue.submit(failing("forgotten", Vec::new())).unwrap());
    drop(queue);
    let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while lines.with("never asked for").is_empty() && std::time::Instant::now() < until {
        std::thread::yield_now();
    }
    let lost = lines.with("never asked for");
    assert!(lost.len() == 1 && lost[0].starts_with("event ERROR") && lost[0].contains("forgotten"), "{lost:?}");
}
