use super::*;

/// The bytes of a region, one by one, from its parts.
fn bytes(region: &Region) -> Vec<bool> {
    let mut set = vec![false; 400];
    for row in 0..region.rows {
        for byte in 0..region.row_bytes {
            set[region.start + row * region.pitch + byte] = true;
        }
    }
    set
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn region(&mut self) -> Region {
        match self.below(3) {
            0 => {
                let start = self.below(150);
                Region::range(start..start + self.below(100))
            }
            _ => Region::rows(
                self.below(80),
                self.below(12),
                self.below(7),
                [6, 8, 12, 12, 13, 18, 24, 31][self.below(8)],
            ),
        }
    }
}

#[test]
fn overlaps_and_differences_are_those_of_sets_of_bytes_for_all_shapes() {
    let mut random = Random(7);
    let (mut apart, mut of_other_pitch, mut continued) = (0, 0, 0);
    for _ in 0..60_000 {
        let (a, b) = (random.region(), random.region());
        let (own, other) = (bytes(&a), bytes(&b));
        let shares = own.iter().zip(&other).any(|(a, b)| *a && *b);
        assert_eq!(a.bytes(), own.iter().filter(|byte| **byte).count());
        assert_eq!((a.overlaps(&b), b.overlaps(&a)), (shares, shares), "{a:?} {b:?}");
        if let Some(both) = a.continued_by(&b).filter(|_| !shares && !a.is_empty() && !b.is_empty()) {
            assert!(bytes(&both).iter().zip(own.iter().zip(&other)).all(|(both, (a, b))| *both == (*a || *b)));
            continued += 1;
        }
        let mut left = vec![false; 400];
        a.without(&b, &mut |piece| {
            assert!(!piece.is_empty());
            for (position, _) in bytes(&piece).iter().enumerate().filter(|(_, byte)| **byte) {
                assert!(!left[position], "a byte twice: {a:?} without {b:?}");
                left[position] = true;
            }
        });
        for position in 0..400 {
            assert_eq!(left[position], own[position] && !other[position], "byte {position}: {a:?} without {b:?}");
        }
        let both: Vec<Vec<bool>> = a.intersection(&b).iter().map(bytes).collect();
        assert!((0..400).all(|at| both.iter().filter(|piece| piece[at]).count() == usize::from(own[at] && other[at])));
        let meets = a.bounds().end > b.bounds().start && b.bounds().end > a.bounds().start;
        apart += usize::from(!shares && meets);
        of_other_pitch += usize::from(!a.is_range() && !b.is_range() && a.pitch != b.pitch && meets);
    }
    assert!(apart > 1000 && of_other_pitch > 5000 && continued > 30, "{apart} {of_other_pitch} {continued}");
}

#[test]
fn long_rows_of_many_pitches_agree_with_a_look_at_each_row() {
    let mut random = Random(11);
    let mut region = || {
        let pitch = 2 + random.below(400);
        Region::rows(random.below(20_000), 1 + random.below(pitch.min(9)), 2 + random.below(150), pitch)
    };
    let rows = |region: &Region| (0..region.rows).map(|row| region.start + row * region.pitch).collect::<Vec<_>>();
    let mut apart = 0;
    for _ in 0..20_000 {
        let (a, b) = (region(), region());
        let meets = |x: usize, y: usize| x < y + b.row_bytes && y < x + a.row_bytes;
        let expected = rows(&a).iter().any(|&x| rows(&b).iter().any(|&y| meets(x, y)));
        assert_eq!(a.overlaps(&b), expected, "{a:?} {b:?}");
        apart += usize::from(!expected && a.bounds().end > b.bounds().start && b.bounds().end > a.bounds().start);
    }
    assert!(apart > 1000, "{apart}");
}

#[test]
fn few_regions_are_left_where_pitches_have_a_small_common_multiple() {
    // A channel of an image of three bytes a pixel, without one of an image of four, of a million pixels.
    let (three, four) = (Region::rows(0, 1, 1 << 20, 3), Region::rows(1, 1, 1 << 20, 4));
    let mut left = Vec::new();
    three.without(&four, &mut |piece| left.push(piece));
    assert!(left.len() < 12, "{} pieces", left.len());
    // One in four of its bytes that both have is gone.
    let bytes: usize = left.iter().map(Region::bytes).sum();
    assert_eq!(bytes, (1 << 20) - (1 << 20) / 4);
}

#[test]
fn tiles_of_one_matrix_share_nothing_and_each_takes_out_just_itself() {
    let tile = |row: usize, column: usize| Region::rows(row * 4 * 32 + column * 8, 8, 4, 32);
    let whole = Region::range(0..3 * 4 * 32);
    for (a, b) in (0..12).flat_map(|a| (0..12).map(move |b| (a, b))) {
        let (first, second) = (tile(a / 4, a % 4), tile(b / 4, b % 4));
        assert_eq!(first.overlaps(&second), a == b);
    }
    // All of them out of the matrix leave nothing.
    let mut left = vec![whole];
    for tile in (0..12).map(|number| tile(number / 4, number % 4)) {
        let mut next = Vec::new();
        left.iter().for_each(|region| region.without(&tile, &mut |piece| next.push(piece)));
        left = next;
    }
    assert_eq!(left, []);
}

#[test]
fn rows_that_touch_are_a_range_and_huge_ones_saturate() {
    assert_eq!(Region::rows(10, 8, 3, 8), Region::range(10..34));
    assert_eq!(Region::rows(10, 8, 1, 100), Region::range(10..18));
    assert!(Region::rows(10, 8, 0, 100).is_empty() && Region::rows(10, 0, 5, 100).is_empty());
    assert_eq!(Region::rows(usize::MAX - 4, 8, 3, usize::MAX).bounds().end, usize::MAX);
}
