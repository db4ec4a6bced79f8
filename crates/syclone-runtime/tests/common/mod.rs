//! What the tests share: kernels made of closures, and typed looks at untyped memory.

// Each test file is a crate of its own and uses a part of this.
#![allow(dead_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use syclone_runtime::{Access, AccessMode, Command, Device, Error, KernelWork, MemoryObject, Name, Result, Worker};

/// A kernel whose chunks call a closure.
pub struct Chunks<F> {
    name: Name,
    chunks: usize,
    body: F,
}

impl<F: Fn(usize, &mut Worker) -> Result<()> + Send + Sync> Chunks<F> {
    pub fn new(name: &'static str, chunks: usize, body: F) -> Chunks<F> {
        Chunks { name: Name::Borrowed(name), chunks, body }
    }
}

impl<F: Fn(usize, &mut Worker) -> Result<()> + Send + Sync> KernelWork for Chunks<F> {
    fn name(&self) -> Name {
        self.name.clone()
    }

    fn chunks(&self) -> usize {
        self.chunks
    }

    unsafe fn run(&self, chunk: usize, worker: &mut Worker) -> Result<()> {
        (self.body)(chunk, worker)
    }
}

/// A launch of `chunks` calls of `body`, with accesses.
pub fn kernel(
    name: &'static str,
    chunks: usize,
    accesses: Vec<Access>,
    body: impl Fn(usize, &mut Worker) -> Result<()> + Send + Sync + 'static,
) -> Command {
    let work = Chunks::new(name, chunks, body);
    // SAFETY: the tests' bodies touch memory through `Words` of objects that their accesses name.
    unsafe { Command::kernel(Box::new(work), accesses) }
}

/// A launch of one call of `body`, which does not fail.
pub fn calls(name: &'static str, accesses: Vec<Access>, body: impl Fn() + Send + Sync + 'static) -> Command {
    kernel(name, 1, accesses, move |_, _| {
        body();
        Ok(())
    })
}

/// An object seen as 64-bit words. Loads and stores are atomic, so that a broken order gives wrong values, not undefined ones.
#[derive(Clone)]
pub struct Words(pub Arc<MemoryObject>);

impl Words {
    pub fn new(device: &Device, len: usize) -> Words {
        Words(MemoryObject::allocate(device, len * 8).unwrap())
    }

    pub fn len(&self) -> usize {
        self.0.bytes() / 8
    }

    fn word(&self, idx: usize) -> &AtomicU64 {
        assert!(idx < self.len());
        // SAFETY: inside the object, aligned to 8, alive as long as `self`; only atomics and ordered copies touch it.
        unsafe { AtomicU64::from_ptr(self.0.ptr().cast::<u64>().add(idx)) }
    }

    pub fn get(&self, idx: usize) -> u64 {
        self.word(idx).load(Ordering::Relaxed)
    }

    pub fn set(&self, idx: usize, value: u64) {
        self.word(idx).store(value, Ordering::Relaxed);
    }

    pub fn read(&self) -> Access {
        Access::whole(&self.0, AccessMode::Read, "in")
    }

    pub fn write(&self) -> Access {
        Access::whole(&self.0, AccessMode::Write, "out")
    }

    pub fn read_write(&self) -> Access {
        Access::whole(&self.0, AccessMode::ReadWrite, "inout")
    }

    /// The words, once every writer has ended.
    pub fn host(&self) -> Result<Vec<u64>> {
        let _token = self.0.wait_for_host(AccessMode::Read)?;
        Ok((0..self.len()).map(|idx| self.get(idx)).collect())
    }

    /// Sets the words from the host.
    pub fn host_set(&self, values: &[u64]) {
        let _token = self.0.wait_for_host(AccessMode::Write).unwrap();
        values.iter().enumerate().for_each(|(idx, &value)| self.set(idx, value));
    }
}

/// A command that fails with an ordinary error.
pub fn failing(name: &'static str, accesses: Vec<Access>) -> Command {
    kernel(name, 1, accesses, move |_, _| Err(out_of_bounds(name)))
}

pub fn out_of_bounds(name: &'static str) -> Error {
    let (device, extents) = ("cpu:0".to_owned(), vec![1]);
    Error::OutOfBounds { kernel: name.into(), device, parameter: "x".into(), extents, count: 1 }
}

/// Whether `error` says that `command` did not run because `first` failed.
pub fn is_dependency_failure(error: &Error, command: &str, first: &str) -> bool {
    match error {
        Error::DependencyFailed { command: named, first: cause } => {
            named == command && matches!(&**cause, Error::OutOfBounds { kernel, .. } if kernel == first)
        }
        _ => false,
    }
}
