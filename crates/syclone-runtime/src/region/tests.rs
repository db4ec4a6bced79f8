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
            _ => Region::rows(self.below(80), self.below(12), self.below(7), [8, 12, 12, 13][self.below(4)]),
        }
    }
}

#[test]
fn overlaps_and_differences_agree_with_sets_of_bytes_and_never_miss_one() {
    let mut random = Random(7);
    let (mut exact, mut apart) = (0, 0);
    for _ in 0..30_000 {
        let (a, b) = (random.region(), random.region());
        let (own, other) = (bytes(&a), bytes(&b));
        let shares = own.iter().zip(&other).any(|(a, b)| *a && *b);
        assert_eq!(a.bytes(), own.iter().filter(|byte| **byte).count());
        assert_eq!(a.overlaps(&b), b.overlaps(&a), "{a:?} {b:?}");
        assert!(a.overlaps(&b) || !shares, "{a:?} {b:?}");
        let comparable = a.is_range() || b.is_range() || a.pitch == b.pitch;
        let mut left = vec![false; 400];
        a.without(&b, &mut |piece| {
            assert!(!piece.is_empty());
            bytes(&piece).iter().enumerate().for_each(|(position, byte)| left[position] |= *byte);
        });
        for position in 0..400 {
            assert!(!left[position] || own[position], "a byte too many: {a:?} without {b:?}");
            assert!(left[position] || !own[position] || other[position], "a byte lost: {a:?} without {b:?}");
        }
        if comparable {
            assert_eq!(a.overlaps(&b), shares, "{a:?} {b:?}");
            exact += 1;
            apart += usize::from(!shares && a.bounds().end > b.bounds().start && b.bounds().end > a.bounds().start);
            let more = (0..400).any(|position| left[position] && other[position]);
            assert!(!more, "{a:?} without {b:?}");
        }
    }
    assert!(exact > 10_000 && apart > 200, "{exact} {apart}");
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
