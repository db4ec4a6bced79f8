//! Rows of different pitches: whether they meet, and what is left of one without the other.
//!
//! Seen from the rows of one pitch, rows of another one begin at columns that advance by a constant, modulo the pitch.
//! Whether any of them meets a window of columns is a question that Euclid's algorithm answers without looking at each
//! row. To take bytes out, both are divided into rows of a common pitch where these are few, and otherwise one row after
//! the other loses its bytes.

use std::ops::Range;

use super::Region;

impl Region {
    /// Whether rows share a byte with rows of another pitch; `shared` is where the bounds of both meet.
    pub(super) fn meets_rows(&self, other: &Region, shared: &Range<usize>) -> bool {
        let rows = self.rows_in(shared);
        if rows.is_empty() {
            return false;
        }
        // A row meets the other's rows if its last byte, in their columns, is less than `window` bytes after a row's
        // first. A row that reaches over the other's bounds meets its first or last row, and so do those in between if
        // the other's rows are thought to go on beyond them.
        let window = self.row_bytes + other.row_bytes - 1;
        let last_byte = self.start + rows.start * self.pitch + self.row_bytes - 1;
        let column = if last_byte >= other.start {
            (last_byte - other.start) % other.pitch
        } else {
            (other.pitch - (other.start - last_byte) % other.pitch) % other.pitch
        };
        if column < window || window >= other.pitch {
            return true;
        }
        let (pitch, column) = (other.pitch as u128, column as u128);
        let target = pitch - column..=pitch - column + window as u128 - 1;
        let first = first_multiple_in(self.pitch as u128 % pitch, pitch, *target.start(), *target.end());
        first.is_some_and(|steps| steps < rows.len() as u128)
    }

    /// [`Region::without`] for two regions of rows of different pitches that overlap.
    pub(super) fn without_rows_of_other_pitch(&self, other: &Region, keep: &mut dyn FnMut(Region)) {
        let step = greatest_common_divisor(self.pitch, other.pitch);
        // How many regions of a common pitch each of them is.
        let (own, others) = ((other.pitch / step).min(self.rows), (self.pitch / step).min(other.rows));
        if own.saturating_mul(others) >= self.rows {
            return self.without_row_by_row(other, keep);
        }
        for part in self.every_nth_row(own) {
            let mut left = vec![part];
            for taken in other.every_nth_row(others) {
                let mut next = Vec::new();
                left.iter().for_each(|region| region.without(&taken, &mut |piece| next.push(piece)));
                left = next;
            }
            left.into_iter().for_each(&mut *keep);
        }
    }

    fn without_row_by_row(&self, other: &Region, keep: &mut dyn FnMut(Region)) {
        let rows = |rows: Range<usize>| {
            Region::rows(self.start + rows.start * self.pitch, self.row_bytes, rows.len(), self.pitch)
        };
        // Rows that lose nothing stay together.
        let mut whole = 0;
        for row in self.rows_in(&other.bounds()) {
            let single = rows(row..row + 1);
            if single.overlaps(other) {
                if whole < row {
                    keep(rows(whole..row));
                }
                single.without(other, keep);
                whole = row + 1;
            }
        }
        if whole < self.rows {
            keep(rows(whole..self.rows));
        }
    }

    /// The rows 0, n, 2n, …, then 1, n + 1, …: n regions that together are this one.
    fn every_nth_row(self, n: usize) -> impl Iterator<Item = Region> {
        let rows = move |first: usize| (self.rows - first).div_ceil(n);
        let region = move |first: usize| {
            Region::rows(self.start + first * self.pitch, self.row_bytes, rows(first), self.pitch.saturating_mul(n))
        };
        (0..n).map(region)
    }
}

/// The smallest n for which `n * step`, modulo `modulus`, is from `low` to `high`, which are below the modulus.
fn first_multiple_in(step: u128, modulus: u128, low: u128, high: u128) -> Option<u128> {
    if low == 0 {
        return Some(0);
    }
    if step == 0 {
        return None;
    }
    if 2 * step > modulus {
        // Backwards in smaller steps.
        return first_multiple_in(modulus - step, modulus, modulus - high, modulus - low);
    }
    let count = low.div_ceil(step);
    if count * step <= high {
        return Some(count);
    }
    // No multiple of the step lies in between: it takes some rounds of the modulus, and the least of them that brings a
    // multiple there is the same question with the step as the modulus.
    let rounds = first_multiple_in(modulus % step, step, step - high % step, step - low % step)?;
    Some((low + modulus * rounds).div_ceil(step))
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
