//! Every portable version on shapes of which nothing is a multiple of a tile, by numbers whose sums are exact.

use syclone::abi::ways::{Way, with_way};
use syclone::types::Float;
use syclone::{Buffer, Device, Queue};

use super::super::reference::Reference;
use super::super::shape::{Inputs, Shape};
use super::{Matrices, Study, versions};
use crate::host::element::Element;
use crate::host::team::Team;

/// Elements on both sides of each matrix that must stay as they are.
const GUARD: usize = 1024;
/// What the output's guard holds.
const SENTINEL: f64 = -12_345.0;
/// Tiles with a kernel of their own, and two that are sized at launch.
const TILES: [usize; 7] = [4, 8, 16, 32, 64, 7, 13];
/// The same and a tile of one element, which is too slow for large shapes.
const ALL_TILES: [usize; 8] = [4, 8, 16, 32, 64, 7, 13, 1];

/// A product of the numbers below, as computed in exact integers elsewhere.
struct Known {
    shape: (usize, usize, usize),
    /// First and last element of the first row, then of the last.
    corners: [i64; 4],
    sum: i64,
    squares: i64,
    /// The sum of the elements by weights that tell positions apart.
    weighted: i64,
}

const fn known(shape: (usize, usize, usize), corners: [i64; 4], sum: i64, squares: i64, weighted: i64) -> Known {
    Known { shape, corners, sum, squares, weighted }
}

const KNOWN: [Known; 12] = [
    known((2, 4, 3), [5, 5, 30, -21], 77, 2601, 587),
    known((5, 2, 1), [30, 20, 24, 16], 60, 3224, 480),
    known((17, 1, 33), [-260, -260, 143, 143], -142, 453_398, 601),
    known((1, 17, 33), [-260, 182, -260, 182], -156, 483_340, 9958),
    known((1, 105, 107), [29, 29, 29, 29], 29, 2_961_513, 989),
    known((65, 63, 31), [-245, 179, 179, -287], 321, 98_977_449, 6158),
    known((64, 64, 48), [-266, 219, -231, -33], 245, 180_040_101, -8773),
    known((129, 127, 1000), [0, -5, 0, 0], -48, 2_261_448, -82),
    known((511, 511, 511), [-112, -16, -230, 194], -702, 14_218_550_366, -1789),
    known((1023, 511, 257), [52, -136, 166, -106], 0, 11_338_074_726, -4682),
    known((1024, 1024, 1024), [-220, 132, -220, 132], -115, 15_140_741_313, 9355),
    known((1044, 1044, 1048), [-268, 213, 209, -144], 408, 46_873_174_442, 10_051),
];

fn inputs<T: Element>(shape: Shape) -> Inputs<T> {
    let Shape { m, n, k } = shape;
    let number = |value: usize, middle: i64| T::nearest((value as i64 - middle) as f64);
    Inputs {
        shape,
        a: (0..m * k).map(|idx| number((3 * (idx / k) + 5 * (idx % k)) % 11, 5)).collect(),
        b: (0..k * n).map(|idx| number((7 * (idx / n) + 2 * (idx % n)) % 13, 6)).collect(),
    }
}

/// A matrix inside of a larger allocation, and the allocation.
fn guarded<T: Float + Element>(data: &[T], extents: [usize; 2], guard: f64) -> (Buffer<T, 2>, Buffer<T>) {
    let mut all = vec![T::nearest(guard); GUARD];
    all.extend_from_slice(data);
    all.resize(data.len() + 2 * GUARD, T::nearest(guard));
    let all = Buffer::from_vec(all);
    let part = all.slice(GUARD..GUARD + data.len()).expect("the part is inside");
    (part.reshape(extents).expect("as many elements"), all)
}

/// Runs every version on the numbers above in guarded memory, and gives each product to `examine`, with a text that says
/// whose it is.
fn run_all<T: Float + Element>(
    shape: Shape,
    way: Way,
    queue: &Queue,
    team: &mut Team,
    mut examine: impl FnMut(&[i64], &str),
) {
    let Shape { m, n, k } = shape;
    let inputs = inputs::<T>(shape);
    let reference = Reference::compute(&inputs, team).expect("the reference");
    let (a, _a) = guarded(&inputs.a, [m, k], f64::NAN);
    let (b, _b) = guarded(&inputs.b, [k, n], f64::NAN);
    let (c, all) = guarded(&vec![T::POISON; m * n], [m, n], SENTINEL);
    let matrices = Matrices { a, b, c };
    let study = Study { inputs: &inputs, matrices: &matrices, reference: &reference, queue };
    let tiles: &[usize] = if m * n * k < 1_000_000 { &ALL_TILES } else { &TILES };
    let mut versions = versions(&study, tiles).expect("the versions");
    assert_eq!(versions.len(), tiles.len() + 4);
    for version in &mut versions {
        let what = format!("{} of {m} × {n} × {k} {}, {way:?}", version.name, T::DTYPE.name());
        version.contender.poison().expect("poisons");
        with_way(way, || version.contender.run()).unwrap_or_else(|error| panic!("{what}: {error}"));
        let all = all.host_read().expect("reads");
        let (guards, c) = (all[..GUARD].iter().chain(&all[GUARD + m * n..]), &all[GUARD..GUARD + m * n]);
        assert!(guards.copied().all(|x| x.wide() == SENTINEL), "{what}: a guard was touched");
        assert!(c.iter().all(|x| x.wide().fract() == 0.0), "{what}: not a whole number");
        let c: Vec<i64> = c.iter().map(|x| x.wide() as i64).collect();
        examine(&c, &what);
    }
}

fn check<T: Float + Element>(known: &Known, way: Way, queue: &Queue, team: &mut Team) {
    let (m, n, k) = known.shape;
    run_all::<T>(Shape { m, n, k }, way, queue, team, |c, what| {
        assert_eq!([c[0], c[n - 1], c[(m - 1) * n], c[m * n - 1]], known.corners, "{what}: corners");
        assert_eq!(c.iter().sum::<i64>(), known.sum, "{what}: sum");
        assert_eq!(c.iter().map(|x| x * x).sum::<i64>(), known.squares, "{what}: sum of squares");
        let weight = |idx: usize| ((7 * (idx / n) + 3 * (idx % n)) % 17 + 1) as i64;
        let weighted: i64 = c.iter().enumerate().map(|(idx, x)| x * weight(idx)).sum();
        assert_eq!(weighted, known.weighted, "{what}: weighted sum");
    });
}

#[test]
fn every_version_is_exact_on_every_shape_and_touches_nothing_else() {
    let queue = Queue::new(&Device::select("cpu").expect("the CPU device")).expect("a queue");
    let checked = Queue::new(&Device::cpu_checked().expect("every machine has it")).expect("a queue");
    let mut team = Team::new(2).expect("a team");
    for known in &KNOWN {
        let (m, n, k) = known.shape;
        let products = m * n * k;
        // Debug builds, futures and the interpreter are for what is small.
        let limit = if cfg!(debug_assertions) { 1_000_000 } else { usize::MAX };
        if products < limit {
            check::<f32>(known, Way::Regions, &queue, &mut team);
        }
        if products < limit.min(20_000_000) {
            check::<f64>(known, Way::Regions, &queue, &mut team);
        }
        if products < 200_000 {
            for way in [Way::LockStep, Way::Interpreter] {
                check::<f32>(known, way, &queue, &mut team);
            }
            check::<f32>(known, Way::Interpreter, &checked, &mut team);
            syclone::assert_clean!(checked.device());
        }
    }
}

#[test]
fn every_version_is_exact_at_inner_sizes_below_one_stage() {
    let queue = Queue::new(&Device::select("cpu").expect("the CPU device")).expect("a queue");
    let mut team = Team::new(2).expect("a team");
    let element = |row: usize, column: usize, k: usize| -> i64 {
        let product = |p: usize| {
            let (a, b) = ((3 * row + 5 * p) % 11, (7 * p + 2 * column) % 13);
            (a as i64 - 5) * (b as i64 - 6)
        };
        (0..k).map(product).sum()
    };
    for (m, n, k) in (1..=8).map(|k| (37, 19, k)).chain([(1, 1, 1), (1, 70, 2), (66, 1, 3)]) {
        let expected: Vec<i64> = (0..m * n).map(|idx| element(idx / n, idx % n, k)).collect();
        let examine = |c: &[i64], what: &str| assert_eq!(c, expected, "{what}");
        for way in Way::ALL {
            run_all::<f32>(Shape { m, n, k }, way, &queue, &mut team, examine);
        }
    }
}

#[test]
fn a_tile_that_the_device_cannot_have_is_refused_with_the_reason() {
    let queue = Queue::new(&Device::select("cpu").expect("the CPU device")).expect("a queue");
    let mut team = Team::new(1).expect("a team");
    let inputs = inputs::<f32>(Shape { m: 64, n: 64, k: 8 });
    let reference = Reference::compute(&inputs, &mut team).expect("the reference");
    let matrices = Matrices::new(&inputs).expect("the matrices");
    let study = Study { inputs: &inputs, matrices: &matrices, reference: &reference, queue: &queue };
    let mut versions = versions(&study, &[4096]).expect("the versions");
    let tiled = versions.iter_mut().find(|version| version.name == "tiled-4096").expect("it is listed");
    let text = tiled.contender.run().expect_err("too large").to_string();
    assert!(text.contains("tiled_at_launch") && text.contains("limit"), "{text}");
}
