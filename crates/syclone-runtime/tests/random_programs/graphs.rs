//! Command graphs in the model: what their commands do, one after another.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use syclone_runtime::{Command, DryRun, Error, FaultKind, Graph};

use crate::machine::{Checked, Machine};
use crate::model::{Fate, ModelGraph, Step};
use crate::program::{WORDS, Work};
use crate::work::{Kind, Mask, Resolved};

impl Machine {
    pub fn new_graph(&mut self, device: usize, in_order: bool, steps: &[(Work, Vec<usize>)]) -> Checked {
        let device = device % self.devices.len();
        let graph = Graph::new(&self.devices[device].device, in_order);
        let mut recorded: Vec<Step> = Vec::new();
        for (work, after) in steps {
            let Some(resolved) = self.resolve(work, self.depth()) else { continue };
            let after: Vec<usize> =
                if recorded.is_empty() { Vec::new() } else { after.iter().map(|idx| idx % recorded.len()).collect() };
            let mut command = resolved.command(self.handles(&resolved), true);
            for &earlier in &after {
                command = command.after(&recorded[earlier].2);
            }
            if let Some(event) = self.record(device, &resolved, || graph.record(command))? {
                recorded.push((resolved, after, event));
            }
        }
        let executable = graph.instantiate().map_err(|error| format!("instantiate gave {error:?}"))?;
        ensure!(executable.len() == recorded.len(), "{} commands in the graph", executable.len());
        let (steps, family) = (recorded.clone(), self.last_replays.len());
        self.last_replays.push(None);
        self.graphs.push(ModelGraph { recording: Rc::new(graph), recorded, family, executable, device, steps });
        Ok(())
    }

    /// One more executable graph of the same recording.
    pub fn instantiate(&mut self, graph: usize) -> Checked {
        let Some(graph) = self.graphs.get(graph % self.graphs.len().max(1)) else { return Ok(()) };
        let executable = graph.recording.instantiate().map_err(|error| format!("instantiate gave {error:?}"))?;
        let (recording, recorded) = (Rc::clone(&graph.recording), graph.recorded.clone());
        let (family, device, steps) = (graph.family, graph.device, recorded.clone());
        self.graphs.push(ModelGraph { recording, recorded, family, executable, device, steps });
        Ok(())
    }

    /// Records or updates, and checks what that gives.
    pub fn record<T>(
        &mut self,
        device: usize,
        resolved: &Resolved,
        call: impl FnOnce() -> syclone_runtime::Result<T>,
    ) -> Checked<Option<T>> {
        let result = call();
        if resolved.conflicts_with_itself() {
            ensure!(matches!(&result, Err(Error::AccessConflict { .. })), "recording a conflict worked");
            return Ok(None);
        }
        if let Err(error @ Error::DeviceLost { .. }) = &result {
            self.expect_loss(device, error)?;
            return Ok(None);
        }
        match (self.devices[device].admit(&resolved.name, resolved.kind, true), result) {
            (Ok(_), Ok(value)) => Ok(Some(value)),
            (Err(expected), Err(error)) if expected == error => Ok(None),
            (expected, result) => Err(format!("recording gave {:?}, not {:?}", result.err(), expected.err())),
        }
    }

    pub fn update_graph(&mut self, graph: usize, step: usize, work: &Work) -> Checked {
        if self.graphs.is_empty() {
            return Ok(());
        }
        let graph = graph % self.graphs.len();
        if self.graphs[graph].steps.is_empty() {
            return Ok(());
        }
        let step = step % self.graphs[graph].steps.len();
        let Some(resolved) = self.resolve(work, self.depth()) else { return Ok(()) };
        let command = resolved.command(self.handles(&resolved), true);
        let executable = self.graphs[graph].executable.clone();
        let event = self.graphs[graph].steps[step].2.clone();
        let device = self.graphs[graph].device;
        if self.record(device, &resolved, || executable.update(&event, command))?.is_some() {
            self.graphs[graph].steps[step].0 = resolved;
        }
        Ok(())
    }

    pub fn replay(&mut self, graph: usize, queue: usize, after: &[usize]) -> Checked {
        if self.graphs.is_empty() {
            return Ok(());
        }
        let graph = graph % self.graphs.len();
        let device = self.graphs[graph].device;
        let queues = self.live_queues();
        let queues: Vec<usize> = queues.into_iter().filter(|&queue| self.queues[queue].device == device).collect();
        let Some(&queue) = queues.get(queue % queues.len().max(1)) else { return Ok(()) };
        let after = self.after(after);
        let mut command = Command::replay(&self.graphs[graph].executable);
        for &earlier in &after {
            command = command.after(self.nodes[earlier].event.as_ref().expect("a live event"));
        }
        let is_lost = self.devices[device].dry.as_ref().is_some_and(DryRun::is_lost);
        let result = self.queues[queue].queue.as_ref().expect("a live queue").submit(command);
        if let Err(error @ Error::DeviceLost { .. }) = &result {
            return self.expect_loss(device, error);
        }
        ensure!(!is_lost, "a lost device took a replay");
        let mut fate = Fate::Fine;
        if self.devices[device].dry.is_some() {
            if self.devices[device].happens(FaultKind::Launch) {
                let is_refusal = matches!(&result, Err(Error::LaunchFailed { command, .. }) if command == "graph");
                ensure!(is_refusal, "a refused replay gave {result:?}");
                return Ok(());
            }
            fate = self.devices[device].fate(false);
        }
        let event = result.map_err(|error| format!("a replay gave {error:?}"))?;

        // The graph's commands, one after another. A word that is written here has a value, and whether that failed.
        let device = self.graphs[graph].device;
        let mut inside: HashMap<(usize, usize), (u64, bool)> = HashMap::new();
        let mut uses: BTreeMap<usize, (Mask, Mask)> = BTreeMap::new();
        let mut failed: Vec<bool> = Vec::new();
        let mut own: Vec<Error> = Vec::new();
        let mut runs = Vec::new();
        for (step, after, _) in &self.graphs[graph].steps {
            let mut fails = after.iter().any(|&earlier| failed[earlier]);
            for used in &step.uses {
                for word in used.words() {
                    let written = inside.get(&(used.object, word));
                    fails |= used.mode.reads() && written.is_some_and(|&(_, failed)| failed);
                }
                let (reads, writes) = uses.entry(used.object).or_default();
                *reads |= if used.mode.reads() { used.mask() & !*writes } else { 0 };
                *writes |= if used.mode.writes() { used.mask() } else { 0 };
            }
            let is_sure = matches!(fate, Fate::Fine);
            if matches!(step.kind, Kind::Kernel | Kind::HostTask) && !(fails && is_sure) {
                // A command that fails in its place may keep it from running, or not.
                runs.push((step.tag, Arc::clone(&step.ran), is_sure));
            }
            if !fails && let Some(error) = step.own_error(self.devices[device].selector()) {
                own.push(error);
                fails = true;
            }
            let outputs = step.outputs(|object, word| match inside.get(&(object, word)) {
                Some(&(value, _)) => value,
                None => self.objects[object].cells[word].value,
            });
            for (object, word, value) in outputs {
                inside.insert((object, word), (value, fails));
            }
            failed.push(fails);
        }
        // Which command meets the replay's fate is the device's choice.
        let on_device = self.graphs[graph].steps.iter().filter(|(step, ..)| step.needs_device());
        if let Fate::Fails(reason) = fate {
            let device = &self.devices[device];
            own.extend(on_device.clone().map(|(step, ..)| device.execution_failed(&step.name, reason)));
        }
        let needs_device = on_device.count() > 0;
        let mut outputs = Vec::new();
        for (&object, &(_, writes)) in &uses {
            for word in (0..WORDS).filter(|word| writes & 1 << word != 0) {
                let unchanged = self.objects[object].cells[word].value;
                outputs.push((object, word, inside.get(&(object, word)).map_or(unchanged, |&(value, _)| value)));
            }
        }
        let mut node = self.node("graph".into(), uses);
        node.is_graph = true;
        node.runs = runs;
        node.needs_device = needs_device;
        node.own = own;
        let family = self.graphs[graph].family;
        node.follows.extend(self.last_replays[family]);
        let idx = self.queue_node(queue, node, &after, Some(event));
        self.last_replays[family] = Some(idx);
        self.write(idx, outputs);
        Ok(())
    }
}
