//! Dividing an index space into chunks.
//!
//! A chunk is what a worker takes at a time: a run of work-groups, or of rows of a plain range. Plain ranges run in
//! boxes, which stand for groups: whole rows where rows are short, pieces of one row where they are long.
//!
//! Launches with reductions are divided without regard to the number of workers, so that their sums have the same
//! bits on every machine; others into a few chunks a worker, so that the last ones to finish are small.

/// Chunks for each worker: more balance better, fewer cost less.
const CHUNKS_PER_WORKER: usize = 8;
/// A chunk of fewer items than this is not worth handing to another worker.
const MIN_ITEMS: usize = 1024;
/// The longest piece of a row, so that per-item storage of a box stays in cache.
const MAX_PIECE: usize = 16 * 1024;
/// Side of the blocks of items in which groups are visited.
const BLOCK_ITEMS: usize = 128;
/// Chunks of a launch with reductions, at most: few, because a worker that jumps to another chunk starts the prefetchers
/// anew; more where each of them is long anyway.
const REDUCTION_CHUNKS: std::ops::RangeInclusive<usize> = 64..=1024;
/// Items of a long chunk of such a launch.
const LONG_REDUCTION: usize = 256 * 1024;
/// Items of a chunk of such a launch, at least.
const REDUCTION_ITEMS: usize = 16 * 1024;

/// How a launch is divided.
#[derive(Clone, Copy, Debug)]
pub struct Grid<const D: usize> {
    /// Items in each dimension.
    pub global: [usize; D],
    /// Items of a group in each dimension, if there are groups.
    pub local: Option<[usize; D]>,
    /// Items of a piece of a row; a multiple of 64, or a whole row.
    piece: usize,
    pieces: usize,
    /// Groups, or pieces of rows.
    units: usize,
    units_per_chunk: usize,
}

/// What runs at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit<const D: usize> {
    /// The group with this index, of so many.
    Group([usize; D], [usize; D]),
    /// The box with this first item and these extents.
    Box([usize; D], [usize; D]),
}

impl<const D: usize> Grid<D> {
    /// The division of `total` items, `total` being the product of `global`.
    pub fn new(global: [usize; D], local: Option<[usize; D]>, total: usize, workers: usize, reduces: bool) -> Self {
        let (parts, min_items) = if reduces {
            let long = total / LONG_REDUCTION;
            (long.clamp(*REDUCTION_CHUNKS.start(), *REDUCTION_CHUNKS.end()), REDUCTION_ITEMS)
        } else {
            (workers.max(1) * CHUNKS_PER_WORKER, MIN_ITEMS)
        };
        let row = global.last().copied().unwrap_or(1);
        let (piece, pieces, units, items) = match local {
            _ if total == 0 => (1, 1, 0, 1),
            Some(local) => {
                let group: usize = local.iter().product();
                (1, 1, total / group, group)
            }
            None => {
                let wanted = total.div_ceil(parts).clamp(min_items.min(MAX_PIECE), MAX_PIECE).next_multiple_of(64);
                let piece = if wanted < row { wanted } else { row };
                let pieces = row.div_ceil(piece);
                (piece, pieces, total / row * pieces, piece)
            }
        };
        let enough = min_items.div_ceil(items.max(1));
        // A few heavy groups are still spread over the workers: how heavy they are cannot be seen from outside.
        let enough = if local.is_some() && !reduces { enough.min(units.div_ceil(workers.max(1))) } else { enough };
        let units_per_chunk = units.div_ceil(parts).max(enough).max(1);
        Grid { global, local, piece, pieces, units, units_per_chunk }
    }

    /// The same division with everything in one chunk.
    pub fn in_one_chunk(self) -> Self {
        Grid { units_per_chunk: self.units.max(1), ..self }
    }

    /// The number of chunks; 0 if there are no items.
    pub fn chunks(&self) -> usize {
        self.units.div_ceil(self.units_per_chunk)
    }

    /// Calls `f` with each unit of a chunk, in order, as long as it returns true.
    #[inline(always)]
    pub fn each_unit(&self, chunk: usize, mut f: impl FnMut(Unit<D>) -> bool) {
        let first = chunk * self.units_per_chunk;
        let end = self.units.min(first + self.units_per_chunk);
        match self.local {
            Some(local) => {
                let mut range = [1; D];
                for dim in 0..D {
                    range[dim] = self.global[dim] / local[dim];
                }
                for unit in first..end {
                    if !f(Unit::Group(self.blocked_position(unit, local, range), range)) {
                        return;
                    }
                }
            }
            None => self.boxes(first, end, &mut f),
        }
    }

    /// The group at a place in the order of visits: in the last two dimensions, block by block of about
    /// [`BLOCK_ITEMS`] squared, so that what neighbouring groups share is still in cache when the next one asks.
    #[inline(always)]
    fn blocked_position(&self, unit: usize, local: [usize; D], range: [usize; D]) -> [usize; D] {
        if D < 2 {
            return position(unit, range);
        }
        let (rows, columns) = (range[D - 2], range[D - 1]);
        let (plane, unit) = (unit / (rows * columns), unit % (rows * columns));
        let height = (BLOCK_ITEMS / local[D - 2]).max(1);
        let width = (BLOCK_ITEMS / local[D - 1]).max(1);
        // Bands of `height` rows; in a band, blocks of `width` columns; in a block, rows first.
        let band = unit / (height * columns);
        let band_height = height.min(rows - band * height);
        let in_band = unit - band * height * columns;
        let block = in_band / (band_height * width);
        let block_width = width.min(columns - block * width);
        let in_block = in_band - block * band_height * width;
        let mut at = [0; D];
        if D == 3 {
            at[0] = plane;
        }
        at[D - 2] = band * height + in_block / block_width;
        at[D - 1] = block * width + in_block % block_width;
        at
    }

    #[inline(always)]
    fn boxes(&self, first: usize, end: usize, f: &mut impl FnMut(Unit<D>) -> bool) {
        let mut unit = first;
        while unit < end {
            let mut offset = [0; D];
            let mut extents = [1; D];
            let taken = match D {
                0 => 1,
                _ if self.pieces > 1 || D == 1 => {
                    let start = unit % self.pieces * self.piece;
                    let mut rows = self.global;
                    rows[D - 1] = 1;
                    offset = position(unit / self.pieces, rows);
                    offset[D - 1] = start;
                    extents[D - 1] = self.piece.min(self.global[D - 1] - start);
                    1
                }
                _ => {
                    // Whole rows, up to the end of the plane.
                    let mut rows = self.global;
                    rows[D - 1] = 1;
                    offset = position(unit, rows);
                    let count = (end - unit).min(self.global[D - 2] - offset[D - 2]);
                    extents[D - 2] = count;
                    extents[D - 1] = self.global[D - 1];
                    count
                }
            };
            if !f(Unit::Box(offset, extents)) {
                return;
            }
            unit += taken;
        }
    }
}

/// The row-major position of a linear index.
#[inline(always)]
fn position<const D: usize>(mut linear: usize, extents: [usize; D]) -> [usize; D] {
    let mut at = [0; D];
    for dim in (0..D).rev() {
        at[dim] = linear % extents[dim];
        linear /= extents[dim];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every item exactly once, whatever the shape.
    fn covers<const D: usize>(global: [usize; D], workers: usize, reduces: bool) {
        let total = global.iter().product();
        let grid = Grid::new(global, None, total, workers, reduces);
        let mut seen = vec![0u8; total];
        for chunk in 0..grid.chunks() {
            grid.each_unit(chunk, |unit| {
                let Unit::Box(offset, extents) = unit else { panic!("no groups were asked for") };
                let size: usize = extents.iter().product();
                for item in 0..size {
                    let at = position(item, extents);
                    let linear = (0..D).fold(0, |all, dim| all * global[dim] + offset[dim] + at[dim]);
                    seen[linear] += 1;
                }
                true
            });
        }
        assert!(seen.iter().all(|&n| n == 1), "{global:?} with {workers} workers");
    }

    #[test]
    fn every_item_of_flat_tall_and_prime_ranges_runs_once() {
        for workers in [1, 2, 7] {
            for reduces in [false, true] {
                covers([1_000_003], workers, reduces);
                covers([65536, 1], workers, reduces);
                covers([1, 65536], workers, reduces);
                covers([256, 5], workers, reduces);
                covers([1, 1, 65536], workers, reduces);
                covers([7, 11, 13], workers, reduces);
                covers([3, 40_000], workers, reduces);
                covers([1], workers, reduces);
            }
        }
    }

    #[test]
    fn blocks_visit_every_group_once() {
        fn visits<const D: usize>(groups: [usize; D], local: [usize; D]) {
            let mut global = groups;
            for dim in 0..D {
                global[dim] *= local[dim];
            }
            let grid = Grid::new(global, Some(local), global.iter().product(), 2, false);
            let mut seen = vec![0u8; groups.iter().product()];
            for chunk in 0..grid.chunks() {
                grid.each_unit(chunk, |unit| {
                    let Unit::Group(at, range) = unit else { panic!("groups were asked for") };
                    assert_eq!(range, groups);
                    seen[(0..D).fold(0, |all, dim| all * groups[dim] + at[dim])] += 1;
                    true
                });
            }
            assert!(seen.iter().all(|&n| n == 1), "{groups:?} of {local:?}");
        }
        visits([64, 64], [16, 16]);
        visits([13, 17], [16, 16]);
        visits([5, 3], [64, 8]);
        visits([1, 100], [1, 256]);
        visits([100, 1], [256, 1]);
        visits([3, 9, 11], [2, 32, 8]);
        visits([1000], [16]);
    }

    #[test]
    fn a_launch_without_items_has_no_chunks() {
        assert_eq!(Grid::new([0usize, 5], None, 0, 2, false).chunks(), 0);
        assert_eq!(Grid::new([0usize], Some([16]), 0, 2, false).chunks(), 0);
    }

    /// As many boxes, and not much more for the worker that does most, if each takes a chunk in its turn.
    #[test]
    fn a_prime_number_of_items_is_divided_as_well_as_a_round_one_is() {
        let division = |n: usize, workers, reduces| {
            let grid = Grid::new([n], None, n, workers, reduces);
            let (mut boxes, mut largest) = (0usize, 0usize);
            for chunk in 0..grid.chunks() {
                let mut items = 0;
                grid.each_unit(chunk, |unit| {
                    let Unit::Box(_, [len]) = unit else { panic!("no groups were asked for") };
                    (boxes, items) = (boxes + 1, items + len);
                    true
                });
                largest = largest.max(items);
            }
            (boxes, grid.chunks().div_ceil(workers) * largest)
        };
        for (prime, round) in [(1_000_003, 1_000_000), (99_991, 100_000), (16_777_259, 1 << 24), (1009, 1000)] {
            for (workers, reduces) in [1, 2, 7, 64].into_iter().flat_map(|n| [(n, false), (n, true)]) {
                let (one, other) = (division(prime, workers, reduces), division(round, workers, reduces));
                let text = format!("{prime} items for {workers} workers: {one:?}, not {other:?}");
                assert!(one.0.abs_diff(other.0) <= 1, "boxes of {text}");
                assert!(one.1 <= other.1 + other.1 / 4 + 64, "the most of {text}");
            }
        }
    }

    #[test]
    fn the_division_of_a_reduction_does_not_depend_on_the_workers() {
        let chunks = |workers| Grid::new([1 << 24], None, 1 << 24, workers, true).chunks();
        assert_eq!(chunks(1), chunks(64));
    }
}
