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
        let uses = [use_(), use_(), use_()];
        let has = |region: &Region, byte: usize| region.overlaps(&Region::range(byte..byte + 1));
        let exact = parts(&uses);
        for byte in 0..4 * PITCH {
            let (mut reads, mut writes) = (false, false);
            for (_, mode) in uses.iter().filter(|(region, _)| has(region, byte)) {
                reads |= mode.reads() && !writes;
                writes |= mode.writes();
            }
            let here = |parts: &[(Region, AccessMode)]| -> Vec<AccessMode> {
                parts.iter().filter(|(region, _)| has(region, byte)).map(|(_, mode)| *mode).collect()
            };
            if let Some(exact) = &exact {
                let expected: &[AccessMode] = match (reads, writes) {
                    (true, true) => &[ReadWrite],
                    (true, false) => &[Read],
                    (false, true) => &[Write],
                    (false, false) => &[],
                };
                assert_eq!(here(exact), expected, "byte {byte} of {uses:?}");
            }
            // Coarser, and never less.
            let coarse = here(&ranges(&uses));
            assert!(coarse.len() <= 1 && (!reads || coarse[0].reads()) && (!writes || coarse[0].writes()));
        }
    }
}
