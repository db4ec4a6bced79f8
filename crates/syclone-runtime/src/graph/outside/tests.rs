use super::*;
use AccessMode::{Read, ReadWrite, Write};

const PITCH: usize = 8;

fn columns(columns: Range<usize>) -> Region {
    Region::rows(columns.start, columns.len(), 4, PITCH)
}

#[test]
fn parts_side_by_side_stay_apart_and_what_is_written_first_is_not_read() {
    let uses = [(columns(0..2), Write), (columns(0..3), Read), (columns(4..6), ReadWrite), (columns(5..7), Write)];
    let mut parts = parts(&uses).unwrap();
    parts.sort_by_key(|(region, _)| region.bounds().start);
    let expected = [(columns(0..2), Write), (columns(2..3), Read), (columns(4..6), ReadWrite), (columns(6..7), Write)];
    assert_eq!(parts, expected);
}

/// A tile of 4 rows and 4 columns of a matrix whose rows have 1024 bytes.
fn tile(row: usize, column: usize) -> Region {
    Region::rows(row * 4 * 1024 + column * 4, 4, 4, 1024)
}

#[test]
fn parts_that_are_one_region_together_are_one_and_others_stay_apart_however_many_they_are() {
    // A rectangle of tiles, in an order in which few of them touch the one before.
    let tiles = |rows: usize, columns: usize| -> Vec<(Region, AccessMode)> {
        (0..rows * columns)
            .map(|n| n * 37 % (rows * columns))
            .map(|n| (tile(n / columns, n % columns), Write))
            .collect()
    };
    assert_eq!(parts(&tiles(8, 8)), Some(vec![(Region::rows(0, 32, 32, 1024), Write)]));
    assert_eq!(parts(&tiles(2, 256)), Some(vec![(Region::range(0..8 * 1024), Write)]));
    // A diagonal, of which every third is read before it is written.
    let mode = |n: usize| if n.is_multiple_of(3) { ReadWrite } else { Write };
    let diagonal: Vec<_> = (0..100).map(|n| (tile(n, 2 * n), mode(n))).collect();
    let mut found = parts(&diagonal).unwrap();
    found.sort_by_key(|(region, _)| region.bounds().start);
    assert_eq!(found, diagonal);
    // Each use again changes nothing, and reads of what is written take nothing from outside.
    let again: Vec<_> = diagonal.iter().copied().chain(diagonal.iter().map(|(region, _)| (*region, Read))).collect();
    let mut found = parts(&again).unwrap();
    found.sort_by_key(|(region, _)| region.bounds().start);
    assert_eq!(found, diagonal);
}

#[test]
fn rows_that_cut_each_other_into_very_many_pieces_count_as_the_ranges_around_them() {
    let uses = [(Region::rows(0, 500, 900, 1009), Write), (Region::rows(1, 500, 900, 997), Read)];
    assert_eq!(parts(&uses), None);
    assert_eq!(ranges(&uses), [(Region::range(0..899 * 1009 + 500), ReadWrite)]);
}

#[test]
fn the_parts_of_random_uses_say_of_each_byte_what_becomes_of_it() {
    let mut random = 1u64;
    let mut below = |limit: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % limit
    };
    for round in 0..6000 {
        let mut use_ = || {
            let pitch = if round % 2 == 0 { PITCH } else { 3 + below(6) };
            let height = 4 * PITCH / pitch;
            let (row, column) = (below(height), below(pitch));
            let region = Region::rows(row * pitch + column, 1 + below(pitch - column), 1 + below(height - row), pitch);
            (region, [Read, Write, ReadWrite][below(3)])
        };
        let uses: Vec<_> = (0..if round % 10 == 0 { 12 } else { 3 }).map(|_| use_()).collect();
        let has = |region: &Region, byte: usize| region.overlaps(&Region::range(byte..byte + 1));
        let exact = parts(&uses).expect("they are not too many");
        for byte in 0..4 * PITCH {
            let (mut reads, mut writes) = (false, false);
            for (_, mode) in uses.iter().filter(|(region, _)| has(region, byte)) {
                reads |= mode.reads() && !writes;
                writes |= mode.writes();
            }
            let here = |parts: &[(Region, AccessMode)]| -> Vec<AccessMode> {
                parts.iter().filter(|(region, _)| has(region, byte)).map(|(_, mode)| *mode).collect()
            };
            let expected: &[AccessMode] = match (reads, writes) {
                (true, true) => &[ReadWrite],
                (true, false) => &[Read],
                (false, true) => &[Write],
                (false, false) => &[],
            };
            assert_eq!(here(&exact), expected, "byte {byte} of {uses:?}");
            // Coarser, and never less.
            let coarse = here(&ranges(&uses));
            assert!(coarse.len() <= 1 && (!reads || coarse[0].reads()) && (!writes || coarse[0].writes()));
        }
    }
}
