//! What a kernel holds cannot leave it, and what it is given cannot be forged: neither an item's token nor a handle to memory
//! comes into other hands.
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
    fn other(&self) -> usize;
}

impl Other for Item<1> {
    fn other(&self) -> usize {
        LAST.replace(Some(*self)).map_or(0, |last| last.id(0))
    }
}

#[kernel]
fn leaks_its_item(item: Item<1>, y: ItemMut<usize>) {
    y[item] = item.other();
}

#[derive(Clone, Copy, DeviceCopy)]
struct Taker(usize);

impl std::ops::Add<Taker> for syclone::kernel::Group<1> {
    type Output = usize;

    fn add(self, taker: Taker) -> usize {
        taker.0 + self.id(0)
    }
}

#[kernel]
fn leaks_its_group(item: NdItem<1>, taker: Taker, y: ItemMut<usize>) {
    y[item] = item.group() + taker;
}

#[kernel]
fn leaks_its_group_by_another_name(item: NdItem<1>, taker: Taker, y: ItemMut<usize>) {
    let group = if taker.0 == 0 { item.group() } else { item.group() };
    y[item] = group + taker;
}

#[kernel]
fn leaks_one_of_two(item: NdItem<1>, taker: Taker, y: ItemMut<usize>) {
    let (group, by) = (item.group(), taker);
    y[item] = group + by;
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
impl syclone::kernel::SpanMutOf<Anywhere> for View<Anywhere> {}

#[derive(Clone, Copy)]
struct Wrapped(ScatterMut<i32>);

impl syclone::kernel::SafeParam for Wrapped {}

fn steals<S: syclone::CopySource<i32>>(source: S, h: &Handler<'_>) {
    let _ = source.source(h, Default::default());
}

fn main() {}
