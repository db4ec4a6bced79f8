//! Queues whose kernels print to a text.

use std::sync::{Arc, Mutex};

use syclone::prelude::*;

/// A queue and the text that its kernels print.
pub struct Printing {
    /// The queue.
    pub queue: Queue,
    /// What has been printed and not been taken.
    pub text: Arc<Mutex<String>>,
}

impl Printing {
    /// One on this device.
    pub fn on(device: &Device) -> Printing {
        let text = Arc::new(Mutex::new(String::new()));
        let sink = text.clone();
        let options = QueueOptions::new().on_print(move |more| sink.lock().expect("no panics").push_str(more));
        Printing { queue: options.build(device).expect("a queue"), text }
    }

    /// One on the rig's device.
    pub fn new() -> Printing {
        Printing::on(&super::device())
    }

    /// What a command group's kernel prints.
    pub fn run(&self, group: impl FnOnce(&Handler<'_>) -> Result<()>) -> String {
        super::run(&self.queue, group);
        std::mem::take(&mut *self.text.lock().expect("no panics"))
    }

    /// The error of a command group's kernel, and what it prints.
    pub fn fail(&self, group: impl FnOnce(&Handler<'_>) -> Result<()>) -> (Error, String) {
        let event = self.queue.submit(group).expect("the launch is valid");
        let error = event.wait().expect_err("the kernel must not end well");
        assert_eq!(self.queue.wait(), Err(error.clone()));
        (error, std::mem::take(&mut *self.text.lock().expect("no panics")))
    }
}
