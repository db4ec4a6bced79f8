use super::bandwidth::{streaming_triad, triad};
use super::fma::available;
use crate::args::Dtype;

#[test]
fn every_chain_of_multiply_adds_computes_the_same_limit() {
    // x ← 0.999 x + 0.001 has the fixed point 1, where each chain starts.
    for dtype in Dtype::ALL {
        for chain in available(dtype) {
            let sum = (chain.run)(1000);
            let expected = (chain.lanes * 16) as f64;
            assert!((sum - expected).abs() < 1e-2 * expected, "{} lanes of {dtype}: {sum}", chain.lanes);
        }
    }
}

#[test]
fn the_streaming_triad_gives_what_the_plain_one_gives_at_any_alignment() {
    let a: Vec<f32> = (0..100).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..100).map(|i| (3 * i) as f32).collect();
    for start in 0..5 {
        for end in [start, start + 1, start + 3, 50, 99, 100] {
            let range = start..end;
            let (mut plain, mut streaming) = (vec![-1.0; 100], vec![-1.0; 100]);
            triad(&mut plain[range.clone()], &a[range.clone()], &b[range.clone()], 0.5);
            streaming_triad(&mut streaming[range.clone()], &a[range.clone()], &b[range.clone()], 0.5);
            assert_eq!(plain, streaming, "{range:?}");
            let inside: Vec<f32> = range.clone().map(|i| i as f32 + 1.5 * i as f32).collect();
            assert_eq!(plain[range.clone()], inside, "{range:?}");
        }
    }
}
