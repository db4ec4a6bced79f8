//! What the host waits for: events, queues, and its turn with an object.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use syclone_runtime::{AccessMode, DryRun, Error, HostAccessToken};

use crate::machine::{Checked, Machine};
use crate::model::Cell;
use crate::program::Part;
use crate::work::mix;

impl Machine {
    /// Takes all turns, unless somebody else does so during the wait. First of all: what host tasks submit comes before
    /// what waits.
    fn settle_before_waiting(&mut self, meanwhile: bool) -> Checked {
        if self.stepped && !meanwhile { self.drain() } else { Ok(()) }
    }

    /// Calls something that waits, with somebody to take the devices' turns if that was asked for.
    pub fn waiting<T>(&mut self, meanwhile: bool, call: impl FnOnce(&Machine) -> T) -> Checked<T> {
        if !self.stepped {
            return Ok(call(self));
        }
        if !meanwhile {
            return Ok(call(self));
        }
        let stop = AtomicBool::new(false);
        let dry: Vec<DryRun> = self.devices.iter().filter_map(|device| device.dry.clone()).collect();
        Ok(std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    if !dry.iter().any(DryRun::step) {
                        std::thread::yield_now();
                    }
                }
            });
            let result = call(self);
            stop.store(true, Ordering::Relaxed);
            result
        }))
    }

    /// A host access, which reads what its mode reads and writes what it writes.
    pub fn host(&mut self, part: Part, mode: AccessMode, meanwhile: bool) -> Checked<Option<(HostAccessToken, usize)>> {
        self.settle_before_waiting(meanwhile)?;
        let Some(used) = self.resolve_part(Part { rows: 1, ..part }, mode) else { return Ok(None) };
        let words = self.objects[used.object].handle.clone().expect("a live object");
        let mask = used.mask();
        let masks = (if mode.reads() { mask } else { 0 }, if mode.writes() { mask } else { 0 });
        let mut node = self.node("host access".into(), BTreeMap::from([(used.object, masks)]));
        let blocked = self.blocked();
        let is_endless = node.follows.iter().any(|&earlier| blocked[earlier]);
        let range = used.start * 8..(used.start + used.len) * 8;
        let result = self.waiting(meanwhile, |_| words.0.wait_for_host_range(mode, range))?;
        if is_endless {
            ensure!(matches!(result, Err(Error::WaitWouldDeadlock { .. })), "an endless wait gave {result:?}");
            return Ok(None);
        }
        let mut inherited = Vec::new();
        for earlier in node.needs.clone() {
            inherited.extend(self.causes(earlier)?);
        }
        let idx = self.nodes.len();
        match result {
            Ok(token) => {
                ensure!(inherited.is_empty(), "a host access succeeded in spite of {inherited:?}");
                node.held = true;
                node.outcome = Some(Vec::new());
                self.nodes.push(node);
                for word in used.words() {
                    let found = words.get(word);
                    let cell = self.objects[used.object].cells[word];
                    if mode.reads() {
                        ensure!(found == cell.value, "word {word} of object {} is {found:#x}", used.object);
                    }
                    if mode.writes() {
                        self.tags += 1;
                        let value = mix(if mode.reads() { found } else { 0 }, self.tags);
                        words.set(word, value);
                        self.objects[used.object].cells[word] = Cell { value, writer: Some(idx) };
                    }
                }
                Ok(Some((token, idx)))
            }
            Err(Error::DependencyFailed { command, first }) => {
                let is_known = command == "host access" && inherited.contains(&first);
                ensure!(is_known, "a host access failed because of {first:?}, not one of {inherited:?}");
                node.outcome = Some(vec![(*first).clone()]);
                self.nodes.push(node);
                if mode.writes() {
                    let outputs = used.words().map(|word| (used.object, word, 0)).collect();
                    self.write(idx, outputs);
                }
                Ok(None)
            }
            Err(error) => Err(format!("a host access gave {error:?}")),
        }
    }

    pub fn wait_event(&mut self, event: usize, meanwhile: bool) -> Checked {
        self.settle_before_waiting(meanwhile)?;
        let live = self.live_events();
        let Some(&idx) = live.get(event % live.len().max(1)) else { return Ok(()) };
        let event = self.nodes[idx].event.clone().expect("a live event");
        let is_endless = self.blocked()[idx];
        let result = self.waiting(meanwhile, |_| event.wait())?;
        if is_endless {
            let name = &self.nodes[idx].name;
            let is_refused = matches!(&result, Err(Error::WaitWouldDeadlock { command }) if command == name);
            ensure!(is_refused, "an endless wait gave {result:?}");
            return Ok(());
        }
        self.causes(idx)?;
        Ok(())
    }

    pub fn wait_queue(&mut self, queue: usize, meanwhile: bool) -> Checked {
        self.settle_before_waiting(meanwhile)?;
        let blocked = self.blocked();
        let is_endless = self.queues[queue].nodes.iter().any(|&node| blocked[node]);
        let result =
            self.waiting(meanwhile, |machine| machine.queues[queue].queue.as_ref().expect("a live queue").wait())?;
        if is_endless {
            ensure!(matches!(result, Err(Error::WaitWouldDeadlock { .. })), "an endless wait gave {result:?}");
            return Ok(());
        }
        let mut errors = Vec::new();
        let (mut any, mut by_launch) = (false, false);
        for node in std::mem::take(&mut self.queues[queue].unreported) {
            any |= !self.causes(node)?.is_empty();
            by_launch |= result.as_ref().is_err_and(|error| self.nodes[node].fails_with(error));
            errors.extend(self.nodes[node].event.as_ref().and_then(|event| event.wait().err()));
        }
        let is_known = match &result {
            Ok(()) => !any,
            Err(error) => any && (self.events_dropped || by_launch || errors.contains(error)),
        };
        ensure!(is_known, "the queue's wait gave {result:?} after {errors:?}");
        Ok(())
    }
}
