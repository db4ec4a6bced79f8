//! What can be seen from outside, compared with the model: order, endings, errors, and what is left over.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

use syclone_runtime::{AccessMode, DryRun, Error};

use crate::LONG;
use crate::machine::{Checked, Machine};
use crate::model::is_done;
use crate::program::{Part, WORDS};

impl Machine {
    /// For each node, whether it waits for a host access that is held.
    pub fn blocked(&self) -> Vec<bool> {
        let mut blocked: Vec<bool> = Vec::new();
        for node in &self.nodes {
            let is_blocked = node.held || node.follows.iter().any(|&earlier| blocked[earlier]);
            blocked.push(is_blocked);
        }
        blocked
    }

    /// Takes all turns, after which everything must have ended that no host access holds up.
    pub fn drain(&mut self) -> Checked {
        while self.devices.iter().filter_map(|device| device.dry.as_ref()).any(|dry| dry.run_until_idle() > 0) {}
        self.take_note()?;
        let blocked = self.blocked();
        for (node, blocked) in self.nodes.iter().zip(blocked) {
            if let Some(event) = &node.event {
                ensure!(is_done(event) != blocked, "'{}' is {:?}, blocked: {blocked}", node.name, event.status());
            }
        }
        Ok(())
    }

    /// Some steps, and what can be seen after each.
    pub fn step(&mut self, device: usize, times: usize) -> Checked {
        let device = device % self.devices.len();
        if !self.stepped {
            return Ok(());
        }
        for _ in 0..times {
            let dry = self.devices[device].dry.as_ref().expect("a stepped device");
            dry.step();
            self.take_note()?;
            self.check_order()?;
        }
        Ok(())
    }

    /// Whether a node has ended, as far as that can be seen.
    pub fn ended(&self, node: usize) -> Option<bool> {
        let node = &self.nodes[node];
        match (&node.event, node.device) {
            (Some(event), _) => Some(is_done(event)),
            (None, None) => Some(!node.held),
            (None, Some(_)) => None,
        }
    }

    pub fn check_order(&mut self) -> Checked {
        let ended: Vec<Option<bool>> = (0..self.nodes.len()).map(|node| self.ended(node)).collect();
        let mut ready = vec![0; self.devices.len()];
        let mut graphs = vec![false; self.devices.len()];
        for idx in 0..self.nodes.len() {
            let waits = self.nodes[idx].follows.iter().find(|&&earlier| ended[earlier] == Some(false)).copied();
            let node = &self.nodes[idx];
            if let (Some(true), Some(earlier)) = (ended[idx], waits) {
                return Err(format!("'{}' ended before '{}'", node.name, self.nodes[earlier].name));
            }
            let (Some(false), None, Some(device)) = (ended[idx], waits, node.device) else { continue };
            graphs[device] |= node.is_graph;
            if self.events_dropped {
                continue;
            }
            let needs = node.needs.clone();
            let is_doomed =
                needs.iter().try_fold(false, |any, &earlier| self.causes(earlier).map(|c| any | !c.is_empty()))?;
            let node = &self.nodes[idx];
            ensure!(node.needs_device && !is_doomed, "'{}' should have ended when its turn came", node.name);
            ready[device] += 1;
        }
        for (device, ready) in self.devices.iter().zip(ready).zip(graphs).filter(|(_, graphs)| !graphs).map(|(d, _)| d)
        {
            let pending = device.dry.as_ref().expect("a stepped device").pending();
            ensure!(self.events_dropped || pending == ready, "{pending} of {ready} ready commands are pending");
        }
        Ok(())
    }

    /// The possible first causes of the failure of a node that has ended; none if it succeeded.
    pub fn causes(&mut self, idx: usize) -> Checked<Vec<Error>> {
        if let Some(outcome) = &self.nodes[idx].outcome {
            return Ok(outcome.clone());
        }
        let mut inherited = Vec::new();
        for earlier in self.nodes[idx].needs.clone() {
            inherited.extend(self.causes(earlier)?);
        }
        self.nodes[idx].doomed = !inherited.is_empty();
        let node = &self.nodes[idx];
        let name = &node.name;
        let is_losable = node.needs_device && node.device.is_some_and(|device| self.devices[device].losable);
        let causes = match &node.event {
            Some(event) => {
                ensure!(is_done(event), "'{name}' is {:?}", event.status());
                match event.wait() {
                    Ok(()) => {
                        ensure!(inherited.is_empty() && node.own.is_empty(), "'{name}' did not fail");
                        Vec::new()
                    }
                    Err(Error::DependencyFailed { command, first }) => {
                        let is_known = command == *name && inherited.contains(&first);
                        ensure!(is_known, "'{name}' failed because of {first:?}, not one of {inherited:?}");
                        vec![(*first).clone()]
                    }
                    Err(error) => {
                        ensure!(inherited.is_empty(), "'{name}' failed with {error:?} in spite of {inherited:?}");
                        if !node.own.contains(&error) {
                            ensure!(is_losable, "'{name}' failed with {error:?}, not one of {:?}", node.own);
                            self.expect_loss(node.device.expect("a command"), &error)?;
                        }
                        vec![error]
                    }
                }
            }
            None if !inherited.is_empty() => inherited,
            None => node.own.clone(),
        };
        self.nodes[idx].outcome = Some(causes.clone());
        Ok(causes)
    }

    /// The last looks: nothing is held up any more, so everything ends and can be compared.
    pub fn end(&mut self) -> Checked {
        for (token, node) in std::mem::take(&mut self.held) {
            drop(token);
            self.nodes[node].held = false;
        }
        if self.stepped {
            self.drain()?;
        }
        for node in self.live_events() {
            // On threads this waits; `causes` compares.
            let _ = self.nodes[node].event.as_ref().expect("a live event").wait();
            self.causes(node)?;
        }
        for queue in self.live_queues() {
            self.wait_queue(queue, false)?;
        }
        for position in 0..self.live_objects().len() {
            for start in 0..WORDS {
                let part = Part { object: position, start, len: 1, rows: 1, pitch: 1 };
                if let Some((token, node)) = self.host(part, AccessMode::Read, false)? {
                    drop(token);
                    self.nodes[node].held = false;
                }
            }
        }
        self.in_time(Machine::check_runs)?;
        self.in_time(|machine| machine.check_told())?;
        self.check_nothing_left()
    }

    /// Checks something that becomes true when the launches of dropped queues have ended, which nobody can wait for.
    fn in_time(&mut self, check: impl Fn(&mut Machine) -> Checked) -> Checked {
        let start = Instant::now();
        loop {
            let result = check(self);
            if result.is_ok() || self.stepped || start.elapsed() > LONG / 6 {
                return result;
            }
            std::thread::yield_now();
        }
    }

    /// Every kernel and host task ran as often as it should, and none that depended on a failure did.
    pub fn check_runs(&mut self) -> Checked {
        let mut expected: HashMap<u64, (usize, usize, bool)> = HashMap::new();
        for idx in 0..self.nodes.len() {
            self.causes(idx)?;
            let node = &self.nodes[idx];
            let is_losable = node.device.is_some_and(|device| self.devices[device].losable);
            for (tag, ran, is_sure) in &node.runs {
                let entry = expected.entry(*tag).or_insert((ran.load(Ordering::Relaxed), 0, true));
                entry.1 += usize::from(!node.doomed);
                entry.2 &= is_sure & !is_losable;
            }
        }
        for (tag, (ran, expected, is_sure)) in expected {
            ensure!(!is_sure || ran == expected, "command {tag} ran {ran} times instead of {expected}");
        }
        Ok(())
    }

    /// Each queue's handler was told every error, once.
    pub fn check_told(&self) -> Checked {
        for queue in &self.queues {
            let mut told = queue.told.lock().unwrap().clone();
            for &node in &queue.nodes {
                let error = self.nodes[node].event.as_ref().and_then(|event| event.wait().err());
                if let Some(error) = error {
                    let position = told.iter().position(|known| *known == error);
                    ensure!(position.is_some(), "the handler was not told {error:?}");
                    told.swap_remove(position.unwrap_or(0));
                }
                let launch = &self.nodes[node];
                if launch.launched && launch.outcome.as_ref().is_some_and(|causes| !causes.is_empty()) {
                    let position = told.iter().position(|known| launch.fails_with(known));
                    ensure!(position.is_some(), "the handler was not told of '{}'", launch.name);
                    told.swap_remove(position.unwrap_or(0));
                }
            }
            ensure!(self.events_dropped || told.is_empty(), "the handler was told {told:?} besides");
        }
        Ok(())
    }

    pub fn check_nothing_left(&mut self) -> Checked {
        for device in &self.devices {
            let pending = device.dry.as_ref().map_or(0, DryRun::pending);
            ensure!(pending == 0, "{pending} commands are left");
        }
        self.queues.clear();
        self.nodes.clear();
        self.graphs.clear();
        self.objects.clear();
        self.in_time(|machine| {
            machine.devices.iter().try_for_each(|device| {
                let in_use = device.device.memory_stats().in_use;
                ensure!(in_use == 0, "{in_use} bytes are left on {}", device.selector());
                Ok(())
            })
        })
    }
}
