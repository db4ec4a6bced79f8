//! Parts of memory: commands on parts that share nothing don't wait for each other, and copies move rectangles.

use syclone::{PitchedBuffer, prelude::*};

#[kernel]
fn fill_tile(item: Item<2>, value: u32, tile: ItemMut<u32, 2>) {
    tile[item] = value + item.id(1) as u32;
}

#[kernel]
fn add_neighbours(item: Item<2>, left: View<u32, 2>, right: ItemMut<u32, 2>) {
    right[item] += left[item];
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    let (rows, columns, size) = (6, 8, 2);
    let matrix = Buffer::<u32, 2>::new([rows, columns]);

    // One command for each tile, all independent.
    for row in (0..rows).step_by(size) {
        for column in (0..columns).step_by(size) {
            let tile = matrix.slice(row..row + size)?.columns(column..column + size)?;
            let value = (100 * row + 10 * column) as u32;
            queue.submit(|h| h.parallel_for([size, size], fill_tile(value, tile.write(h))))?;
        }
    }

    // The host waits for the tiles that it looks at, and for no others.
    let corner = matrix.slice(4..)?.columns(6..)?;
    let guard = corner.host_read_rows()?;
    println!("the last tile: {:?}", guard.rows());
    assert_eq!(guard.rows()[0], [460, 461]);
    drop(guard);

    // One command may read one half and write the other.
    let (left, right) = (matrix.columns(..4)?, matrix.columns(4..)?);
    queue.submit(|h| h.parallel_for([rows, 4], add_neighbours(left.read(h), right.read_write(h))))?;

    // Rectangles are copied to any memory with as many elements: here into rows that each begin at a cache line.
    let pitched: PitchedBuffer<u32> = Buffer::pitched([rows, 4])?;
    queue.copy(&right, &pitched)?;
    println!("{pitched:?}: {:?}", pitched.host_read_rows()?);
    let expected = |row: usize, column: usize| {
        let value = |column: usize| 100 * (row / 2 * 2) + 10 * (column / 2 * 2) + column % 2;
        (value(column + 4) + value(column)) as u32
    };
    let expected: Vec<u32> = (0..rows * 4).map(|at| expected(at / 4, at % 4)).collect();
    assert_eq!(pitched.to_vec()?, expected);
    Ok(())
}
