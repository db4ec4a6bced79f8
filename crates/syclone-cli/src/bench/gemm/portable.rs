//! The kernels as versions of the benchmark: how each is launched, and what it is counted to do.

#[cfg(test)]
mod tests;

use syclone::types::Float;
use syclone::{Buffer, Event, NdRange, Queue};

use syclone::kernel::LocalAccessor;

use super::access_count;
use super::kernels;
use super::reference::Reference;
use super::shape::{Inputs, Shape};
use super::verdict::judge;
use super::versions::work;
use crate::bench::measure::{Contender, Verdict};
use crate::bench::version::Version;
use crate::failure::Failure;
use crate::host::element::{Element, on_device};

/// The matrices in the device's memory.
pub struct Matrices<T: Float> {
    a: Buffer<T, 2>,
    b: Buffer<T, 2>,
    /// Written by every version in its turn; each run begins by poisoning it.
    c: Buffer<T, 2>,
}

impl<T: Float + Element> Matrices<T> {
    /// Copies of the inputs, and room for the output.
    pub fn new(inputs: &Inputs<T>) -> Result<Self, Failure> {
        let Shape { m, n, k } = inputs.shape;
        Ok(Matrices { a: on_device(&inputs.a, [m, k])?, b: on_device(&inputs.b, [k, n])?, c: Buffer::try_new([m, n])? })
    }
}

/// What every version shares.
pub struct Study<'a, T: Float> {
    /// The matrices on the host.
    pub inputs: &'a Inputs<T>,
    /// The matrices on the device.
    pub matrices: &'a Matrices<T>,
    /// What is right.
    pub reference: &'a Reference,
    /// Where kernels are submitted.
    pub queue: &'a Queue,
}

/// Submits one run that writes the product to the buffer.
type Submit<'a, T> = Box<dyn Fn(&Buffer<T, 2>) -> syclone::Result<Event> + 'a>;

/// Every portable version, in the order of the table.
pub fn versions<'a, T: Float + Element>(study: &'a Study<'a, T>, tiles: &[usize]) -> Result<Vec<Version<'a>>, Failure> {
    let mut versions = vec![study.range()?];
    for (idx, tile) in tiles.iter().enumerate() {
        // A tile that is named twice runs once.
        if !tiles[..idx].contains(tile) {
            versions.push(study.tiled(*tile)?);
        }
    }
    versions.push(study.register_tiled()?);
    versions.push(study.vectorised()?);
    versions.push(study.transposed_b()?);
    Ok(versions)
}

impl<'a, T: Float + Element> Study<'a, T> {
    fn version(
        &'a self,
        name: impl Into<String>,
        elements: u64,
        submit: Submit<'a, T>,
    ) -> Result<Version<'a>, Failure> {
        let output = &self.matrices.c;
        let product = Product { queue: self.queue, reference: self.reference, output, submit };
        Ok(Version::new(name, work(self.inputs, elements), product))
    }

    fn range(&'a self) -> Result<Version<'a>, Failure> {
        let shape = self.inputs.shape;
        let submit: Submit<'a, T> = Box::new(move |c| {
            self.queue.submit(|h| {
                let (a, b) = (self.matrices.a.read(h), self.matrices.b.read(h));
                h.parallel_for([shape.m, shape.n], kernels::range(a, b, c.write(h)))
            })
        });
        let mut version = self.version("range", access_count::one_element_each(shape), submit)?;
        version.note = Some("global memory, one work-item an element".to_owned());
        Ok(version)
    }

    fn tiled(&'a self, tile: usize) -> Result<Version<'a>, Failure> {
        let shape = self.inputs.shape;
        let groups = [shape.m.div_ceil(tile), shape.n.div_ceil(tile)];
        let launch = NdRange::new(groups.map(|count| count * tile), [tile, tile]);
        let submit: Submit<'a, T> = Box::new(move |c| {
            self.queue.submit(|h| {
                let (a, b, c) = (self.matrices.a.read(h), self.matrices.b.read(h), c.write(h));
                match tile {
                    4 => h.parallel_for(launch, kernels::tiled::<T, 4>(a, b, c)),
                    8 => h.parallel_for(launch, kernels::tiled::<T, 8>(a, b, c)),
                    16 => h.parallel_for(launch, kernels::tiled::<T, 16>(a, b, c)),
                    32 => h.parallel_for(launch, kernels::tiled::<T, 32>(a, b, c)),
                    64 => h.parallel_for(launch, kernels::tiled::<T, 64>(a, b, c)),
                    _ => {
                        let local = || LocalAccessor::new([tile, tile]);
                        h.parallel_for(launch, kernels::tiled_at_launch(local(), local(), a, b, c))
                    }
                }
            })
        });
        let mut version = self.version(format!("tiled-{tile}"), access_count::blocked(shape, tile, tile), submit)?;
        version.tile = Some(tile);
        version.local_bytes = Some(2 * tile * tile * T::DTYPE.bytes());
        version.groups = Some(groups[0] * groups[1]);
        Ok(version)
    }

    fn register_tiled(&'a self) -> Result<Version<'a>, Failure> {
        use kernels::{BLOCK_COLUMNS, BLOCK_ROWS, DEPTH, GROUP, ITEM_ROWS};
        let shape = self.inputs.shape;
        let groups = [shape.m.div_ceil(BLOCK_ROWS), shape.n.div_ceil(BLOCK_COLUMNS)];
        let launch = NdRange::new([groups[0] * GROUP[0], groups[1] * GROUP[1]], GROUP);
        let submit: Submit<'a, T> = Box::new(move |c| {
            self.queue.submit(|h| {
                let (a, b, c) = (self.matrices.a.read(h), self.matrices.b.read(h), c.scatter(h));
                // SAFETY: the sub-tiles of different items do not overlap, so each element of C has one writer.
                unsafe { h.parallel_for_unchecked(launch, kernels::register_tiled(a, b, c)) }
            })
        });
        let count = access_count::blocked(shape, BLOCK_ROWS, BLOCK_COLUMNS);
        let mut version = self.version("register-tiled", count, submit)?;
        version.local_bytes = Some(DEPTH * (BLOCK_ROWS + BLOCK_COLUMNS) * T::DTYPE.bytes());
        version.groups = Some(groups[0] * groups[1]);
        version.note =
            Some(format!("{ITEM_ROWS} elements a work-item in registers, {BLOCK_ROWS} × {BLOCK_COLUMNS} a group"));
        Ok(version)
    }

    fn vectorised(&'a self) -> Result<Version<'a>, Failure> {
        use kernels::{LANES, VECTOR_ROWS};
        let shape = self.inputs.shape;
        let submit: Submit<'a, T> = Box::new(move |c| {
            let (b, c) = (self.matrices.b.reshape(shape.k * shape.n)?, c.reshape(shape.m * shape.n)?);
            self.queue.submit(|h| {
                let launch = [shape.m.div_ceil(VECTOR_ROWS), shape.n.div_ceil(LANES)];
                let (a, b, c) = (self.matrices.a.read(h), b.read(h), c.scatter(h));
                // SAFETY: each item writes vectors of its own rows and strip, so each element of C has one writer.
                unsafe { h.parallel_for_unchecked(launch, kernels::vectorised(shape.n, a, b, c)) }
            })
        });
        let mut version = self.version("vectorised", access_count::blocked(shape, VECTOR_ROWS, LANES), submit)?;
        version.note = Some(format!("{VECTOR_ROWS} vectors of {LANES} elements a work-item, from global memory"));
        Ok(version)
    }

    fn transposed_b(&'a self) -> Result<Version<'a>, Failure> {
        use kernels::TRANSPOSE_TILE;
        let shape = self.inputs.shape;
        let transposed = Buffer::<T, 2>::try_new([shape.n, shape.k])?;
        let padded = [shape.n, shape.k].map(|extent| extent.next_multiple_of(TRANSPOSE_TILE));
        let turn = NdRange::new(padded, [TRANSPOSE_TILE, TRANSPOSE_TILE]);
        let submit: Submit<'a, T> = Box::new(move |c| {
            self.queue
                .submit(|h| h.parallel_for(turn, kernels::transpose(self.matrices.b.read(h), transposed.write(h))))?;
            self.queue.submit(|h| {
                let (a, b) = (self.matrices.a.read(h), transposed.read(h));
                h.parallel_for([shape.m, shape.n], kernels::transposed_b(a, b, c.write(h)))
            })
        });
        let count = access_count::one_element_each(shape) + access_count::transposition(shape);
        let mut version = self.version("transposed-b", count, submit)?;
        version.note = Some("B is transposed first; the time and the bytes of that are counted".to_owned());
        Ok(version)
    }
}

/// A product that a kernel computes.
struct Product<'a, T: Float> {
    queue: &'a Queue,
    reference: &'a Reference,
    output: &'a Buffer<T, 2>,
    submit: Submit<'a, T>,
}

impl<T: Float + Element> Contender for Product<'_, T> {
    fn poison(&mut self) -> Result<(), Failure> {
        Ok(self.queue.fill(self.output, T::POISON)?.wait()?)
    }

    fn run(&mut self) -> Result<(), Failure> {
        Ok((self.submit)(self.output)?.wait()?)
    }

    fn verify(&mut self) -> Result<Verdict, Failure> {
        Ok(judge(&self.output.host_read()?, &self.reference.elements))
    }
}
