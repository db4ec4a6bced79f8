//! Regions: which bytes of an object a command uses, as rows of equal length at equal distances.
//!
//! A part of a matrix is no range of bytes: two halves side by side reach over each other's rows and share no byte.
//! The order of commands asks of two regions whether they share a byte, and takes the bytes of one out of another.
//! Both answers are exact for every two shapes: a byte that a failed command wrote and a later one overwrote is no
//! failure any more, whatever the rows of either. Rows of different pitches are the module `pitches`.

mod pitches;

use std::ops::Range;

/// Bytes of a memory object: `rows` rows of `row_bytes` bytes, each `pitch` bytes after the one before.
///
/// ```
/// use syclone_runtime::Region;
///
/// // The two halves of a matrix of 4 rows of 16 bytes.
/// let (left, right) = (Region::rows(0, 8, 4, 16), Region::rows(8, 8, 4, 16));
/// assert_eq!((left.bounds(), right.bounds()), (0..56, 8..64));
/// assert!(!left.overlaps(&right) && left.overlaps(&Region::range(12..17)));
/// assert_eq!(left.bytes(), 32);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Region {
    start: usize,
    row_bytes: usize,
    rows: usize,
    pitch: usize,
}

impl Region {
    /// A range of bytes: one row.
    pub const fn range(range: Range<usize>) -> Region {
        let bytes = range.end.saturating_sub(range.start);
        Region { start: range.start, row_bytes: bytes, rows: 1, pitch: bytes }
    }

    /// `rows` rows of `row_bytes` bytes, the first at `start`, each `pitch` bytes after the one before.
    ///
    /// Rows that touch or overlap are one range.
    pub const fn rows(start: usize, row_bytes: usize, rows: usize, pitch: usize) -> Region {
        if rows == 0 || row_bytes == 0 {
            return Region::range(start..start);
        }
        if rows == 1 || pitch <= row_bytes {
            let last = start.saturating_add(pitch.saturating_mul(rows - 1));
            return Region::range(start..last.saturating_add(row_bytes));
        }
        Region { start, row_bytes, rows, pitch }
    }

    /// From the first byte to the last.
    pub const fn bounds(&self) -> Range<usize> {
        let last = self.start.saturating_add(self.pitch.saturating_mul(self.rows - 1));
        self.start..last.saturating_add(self.row_bytes)
    }

    /// How many bytes there are.
    pub const fn bytes(&self) -> usize {
        self.row_bytes.saturating_mul(self.rows)
    }

    /// The bytes of one row.
    pub const fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// The bytes from the beginning of one row to the next.
    pub const fn pitch(&self) -> usize {
        self.pitch
    }

    /// Where the byte at `position` of all lies in the object, and how many follow it in its row, itself included.
    pub(crate) fn nth_byte(&self, position: usize) -> (usize, usize) {
        let (row, column) = (position / self.row_bytes, position % self.row_bytes);
        (self.start + row * self.pitch + column, self.row_bytes - column)
    }

    /// Whether there are no bytes.
    pub const fn is_empty(&self) -> bool {
        self.row_bytes == 0
    }

    /// Whether the bytes are one range.
    pub const fn is_range(&self) -> bool {
        self.rows == 1
    }

    /// Whether the two share a byte.
    pub fn overlaps(&self, other: &Region) -> bool {
        let (a, b) = (self.bounds(), other.bounds());
        let shared = a.start.max(b.start)..a.end.min(b.end);
        if shared.is_empty() {
            return false;
        }
        match (self.is_range(), other.is_range()) {
            (true, true) => true,
            (false, true) => self.meets(&shared),
            (true, false) => other.meets(&shared),
            (false, false) if self.pitch == other.pitch => {
                // How far the columns of the other begin after the own ones.
                let shift = (b.start % self.pitch + self.pitch - a.start % self.pitch) % self.pitch;
                shift < self.row_bytes || shift + other.row_bytes > self.pitch
            }
            (false, false) => self.meets_rows(other, &shared),
        }
    }

    /// Whether some row has a byte of `range`, which lies inside the bounds.
    fn meets(&self, range: &Range<usize>) -> bool {
        let column = (range.start - self.start) % self.pitch;
        column < self.row_bytes || column + range.len() > self.pitch
    }

    /// Calls `keep` with regions that together have the bytes of this one without those of `other`.
    pub(crate) fn without(&self, other: &Region, keep: &mut dyn FnMut(Region)) {
        let mut keep = |region: Region| {
            if !region.is_empty() {
                keep(region);
            }
        };
        if !self.overlaps(other) {
            return keep(*self);
        }
        let (own, cut) = (self.bounds(), other.bounds());
        match (self.is_range(), other.is_range()) {
            (true, true) => {
                keep(Region::range(own.start..cut.start));
                keep(Region::range(cut.end..own.end));
            }
            (true, false) => {
                // The rows that meet the range, the gaps between them, and what lies before and after.
                let Range { start: first, end } = other.rows_in(&own);
                let last = end - 1;
                let start = |row: usize| other.start + row * other.pitch;
                let gap = other.pitch - other.row_bytes;
                keep(Region::range(own.start..start(first)));
                keep(Region::rows(start(first) + other.row_bytes, gap, last - first, other.pitch));
                keep(Region::range(start(last) + other.row_bytes..own.end));
            }
            (false, true) => {
                let Range { start: first, end } = self.rows_in(&cut);
                let last = end - 1;
                let start = |row: usize| self.start + row * self.pitch;
                keep(Region::rows(self.start, self.row_bytes, first, self.pitch));
                keep(Region::range(start(first)..cut.start));
                keep(Region::range(cut.end..start(last) + self.row_bytes));
                keep(Region::rows(start(last + 1), self.row_bytes, self.rows - 1 - last, self.pitch));
            }
            (false, false) if self.pitch == other.pitch => self.without_rows(other, &mut keep),
            (false, false) => self.without_rows_of_other_pitch(other, &mut keep),
        }
    }

    /// Where the row below the last one begins; none if there is a single one, which says nothing of a distance.
    pub(crate) fn row_below(&self) -> Option<usize> {
        (!self.is_range()).then(|| self.start + self.rows * self.pitch)
    }

    /// The bytes of both as one region, if the other one begins where this one ends: on the right of it or below, or at any
    /// distance if both are a single row. They share no byte.
    pub(crate) fn continued_by(&self, other: &Region) -> Option<Region> {
        let same_pitch = self.pitch == other.pitch || self.is_range();
        if other.start == self.start + self.row_bytes && other.rows == self.rows && same_pitch {
            let row_bytes = self.row_bytes + other.row_bytes;
            return Some(Region::rows(self.start, row_bytes, self.rows, self.pitch.max(row_bytes)));
        }
        let pitch = match (self.is_range(), other.is_range()) {
            (true, true) => other.start.checked_sub(self.start)?,
            (true, false) => other.pitch,
            (false, _) => self.pitch,
        };
        let below = other.start == self.start + self.rows * pitch && (other.is_range() || other.pitch == pitch);
        (below && other.row_bytes == self.row_bytes)
            .then(|| Region::rows(self.start, self.row_bytes, self.rows + other.rows, pitch))
    }

    /// The bytes that both have.
    pub(crate) fn intersection(&self, other: &Region) -> Vec<Region> {
        let (mut shared, mut outside) = (vec![*self], Vec::new());
        self.without(other, &mut |piece| outside.push(piece));
        for taken in outside {
            let mut next = Vec::new();
            shared.iter().for_each(|region| region.without(&taken, &mut |piece| next.push(piece)));
            shared = next;
        }
        shared
    }

    /// The rows that have bytes of `range`, which begins before the last row ends and ends after the first begins.
    fn rows_in(&self, range: &Range<usize>) -> Range<usize> {
        let first = range.start.saturating_sub(self.start + self.row_bytes - 1).div_ceil(self.pitch);
        let last = ((range.end - 1 - self.start) / self.pitch).min(self.rows - 1);
        first..last + 1
    }

    /// [`Region::without`] for two regions of rows of one pitch that overlap: a rectangle without a rectangle.
    fn without_rows(&self, other: &Region, keep: &mut dyn FnMut(Region)) {
        let pitch = self.pitch;
        // Where the other begins, in whole rows and columns from the own beginning. Positions are below isize::MAX, the
        // largest that an object can have; anything else is refused before it comes here.
        let distance = other.start.wrapping_sub(self.start).cast_signed();
        let (mut row, mut column) =
            (distance.div_euclid(pitch.cast_signed()), distance.rem_euclid(pitch.cast_signed()));
        if column >= self.row_bytes.cast_signed() {
            // It begins right of the own columns and reaches them from the left in the next row.
            (row, column) = (row + 1, column - pitch.cast_signed());
        }
        let right = column + other.row_bytes.cast_signed();
        if let Ok(around @ 1..) = usize::try_from(right - pitch.cast_signed()) {
            // It reaches around the end of the own rows: what is before that end, and what is after it.
            let before = other.row_bytes - around;
            let rest = Region::rows(other.start + before, around, other.rows, pitch);
            let other = Region::rows(other.start, before, other.rows, pitch);
            return self.without(&other, &mut |piece| piece.without(&rest, keep));
        }
        let within = |position: isize, most: usize| usize::try_from(position).unwrap_or(0).min(most);
        let (top, bottom) = (within(row, self.rows), within(row + other.rows.cast_signed(), self.rows));
        let (left, right) = (within(column, self.row_bytes), within(right, self.row_bytes));
        let start = |row: usize| self.start + row * pitch;
        keep(Region::rows(self.start, self.row_bytes, top, pitch));
        keep(Region::rows(start(top), left, bottom - top, pitch));
        keep(Region::rows(start(top) + right, self.row_bytes - right, bottom - top, pitch));
        keep(Region::rows(start(bottom), self.row_bytes, self.rows - bottom, pitch));
    }
}

#[cfg(test)]
mod tests;
