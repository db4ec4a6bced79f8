//! How many bytes each version asks global memory for, counted from its loops.
//!
//! This is what the source says, whatever the caches make of it: it is why tiles help. The guarded edges of a tile
//! are not read, so they are not counted.

use super::shape::Shape;

/// Elements that one element a work-item (or a step of the plain loop) reads and writes: a row of A and a column of B
/// for each element of C.
pub fn one_element_each(shape: Shape) -> u64 {
    let (m, n, k) = wide(shape);
    2 * m * n * k + m * n
}

/// Elements of the i-k-j order: an element of A, then a row of B, and a row of C read and written.
pub fn row_by_row(shape: Shape) -> u64 {
    let (m, n, k) = wide(shape);
    m * n + m * k * (1 + 3 * n)
}

/// Elements of a version whose groups compute blocks of `rows` × `columns`: a block row of A and a block column of B
/// for each block of C.
pub fn blocked(shape: Shape, rows: usize, columns: usize) -> u64 {
    let (m, n, k) = wide(shape);
    let block_rows = shape.m.div_ceil(rows) as u64;
    let block_columns = shape.n.div_ceil(columns) as u64;
    m * k * block_columns + k * n * block_rows + m * n
}

/// Elements of transposing B: each is read once and written once.
pub fn transposition(shape: Shape) -> u64 {
    let (_, n, k) = wide(shape);
    2 * k * n
}

fn wide(shape: Shape) -> (u64, u64, u64) {
    (shape.m as u64, shape.n as u64, shape.k as u64)
}
