//! Errors: what goes wrong is a value that names the kernel, the limit and the number that broke it.
//!
//! What can be seen before a launch comes back from `submit`; what a kernel does wrong while it runs comes from its
//! event. Nothing panics, nothing hangs, and the device goes on.

use syclone::prelude::*;

#[kernel]
fn shift(item: Item<1>, x: View<u32>, y: ItemMut<u32>) {
    y[item] = x[item.id(0) + 1];
}

#[kernel]
fn copy(item: Item<1>, x: View<u32>, y: ItemMut<u32>) {
    y[item] = x[item];
}

#[kernel]
fn ratio(item: Item<1>, x: View<u32>, y: ItemMut<u32>) {
    y[item] = 100 / x[item];
}

#[kernel]
fn smooth(item: NdItem<1>, x: View<u32>, y: ItemMut<u32>) {
    let tile = local::<[u32; 64]>();
    tile[item.local_id(0)] = x[item];
    item.barrier();
    y[item] = tile[item.local_id(0)] + tile[0];
}

fn show(what: &str, error: &Error) {
    println!("{what}:\n  {}\n", error.to_string().replace('\n', "\n  "));
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    let (x, y, z) = (Buffer::from_vec((0..100).collect()), Buffer::<u32>::new(100), Buffer::<u32>::new(100));

    let error = queue.submit(|h| h.parallel_for(NdRange::new(100, 64), smooth(x.read(h), y.write(h)))).unwrap_err();
    show("a work-group size that does not divide the range", &error);
    assert!(matches!(error, Error::WorkGroupDoesNotDivide { global: 100, local: 64, .. }));

    let error = queue.submit(|h| h.parallel_for(100, copy(x.read(h), x.write(h)))).unwrap_err();
    show("one buffer read and written by one kernel", &error);
    assert!(matches!(error, Error::AccessConflict { .. }));

    let outside = queue.submit(|h| h.parallel_for(100, shift(x.read(h), y.write(h))))?;
    let dependent = queue.submit(|h| h.parallel_for(100, copy(y.read(h), z.write(h))))?;
    let error = outside.wait().unwrap_err();
    show("an index out of bounds", &error);
    assert!(matches!(&error, Error::OutOfBounds { kernel, parameter, .. } if kernel == "shift" && parameter == "x"));
    let error = dependent.wait().unwrap_err();
    show("a kernel that needed the result", &error);
    assert!(matches!(error.first_cause(), Error::OutOfBounds { .. }));

    let error = queue.submit(|h| h.parallel_for(100, ratio(x.read(h), z.write(h))))?.wait().unwrap_err();
    show("a division by zero", &error);
    assert!(matches!(error, Error::KernelPanic { .. }));

    // New contents take the failure away.
    y.copy_from_slice(&[7; 100])?;
    queue.submit(|h| h.parallel_for(100, copy(y.read(h), z.write(h))))?.wait()?;
    assert_eq!(z.to_vec()?, [7; 100]);
    println!("and the device goes on: {:?}", &z.host_read()?[..3]);
    Ok(())
}
