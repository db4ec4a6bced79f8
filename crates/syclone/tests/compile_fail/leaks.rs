//! What a kernel holds cannot leave it: neither the item's token nor a handle to memory reaches code of the host.
use std::cell::Cell;
use std::sync::Mutex;

use syclone::prelude::*;

static VIEW: Mutex<Option<View<i32>>> = Mutex::new(None);

trait Leak {
    fn leak(&self);
}

impl Leak for View<i32> {
    fn leak(&self) {
        *VIEW.lock().unwrap() = Some(*self);
    }
}

#[kernel]
fn leaks_a_view(item: Item<1>, x: View<i32>, y: ItemMut<i32>) {
    x.leak();
    y[item] = 0;
}

thread_local! {
    static LAST: Cell<Option<Item<1>>> = const { Cell::new(None) };
}

trait Other {
    fn other(&self) -> Item<1>;
}

impl Other for Item<1> {
    fn other(&self) -> Item<1> {
        LAST.replace(Some(*self)).unwrap_or(*self)
    }
}

#[kernel]
fn writes_for_another_item(item: Item<1>, y: ItemMut<i32>) {
    let other = item.other();
    y[other] = 1;
}

#[derive(Clone, Copy, DeviceCopy)]
struct Anywhere(usize);

impl syclone::kernel::Position<1> for Anywhere {
    fn position(self) -> [usize; 1] {
        [self.0]
    }
}

impl syclone::kernel::ItemToken<1> for Anywhere {}
impl syclone::kernel::IndexableMut<Anywhere> for View<i32> {}

#[derive(Clone, Copy)]
struct Wrapped(ScatterMut<i32>);

impl syclone::kernel::SafeParam for Wrapped {}

fn host_reads(x: &Buffer<i32>, y: &Buffer<i32>, queue: &Queue) {
    let mut kept = None;
    let _ = queue.submit(|h| {
        let kernel = leaks_a_view(x.read(h), y.write(h));
        kept = Some(syclone::Launch::params(&kernel));
        h.parallel_for(4, kernel)
    });
}

fn takes_a_handle(x: &Buffer<i32>, queue: &Queue) {
    let _ = queue.submit(|h| {
        let view: View<i32> = syclone::kernel::KernelArg::into_param(x.read(h));
        drop(view);
        Ok(())
    });
}

fn steals<S: syclone::CopySource<i32>>(source: S, h: &Handler<'_>) {
    let _ = source.source(h, Default::default());
}

fn main() {}
