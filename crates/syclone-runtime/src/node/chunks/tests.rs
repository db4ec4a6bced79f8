use super::*;

fn chunks(total: usize, claim_share: usize) -> Chunks {
    Chunks { claim_share, ..Chunks::new(total) }
}

#[test]
fn claims_take_every_chunk_once_many_at_the_beginning_and_single_ones_at_the_end() {
    for (total, share) in [(100, 8), (1000, 4), (7, 8), (1, 1), (0, 3), (40, 0)] {
        let chunks = chunks(total, share);
        let claims: Vec<Range<usize>> = std::iter::from_fn(|| chunks.claim()).collect();
        assert_eq!(claims.iter().cloned().flatten().collect::<Vec<_>>(), (0..total).collect::<Vec<_>>());
        assert!(claims.iter().all(|claim| claim.len() <= Chunks::MOST_AT_ONCE));
        assert!(claims.is_sorted_by_key(|claim| std::cmp::Reverse(claim.len())), "{claims:?}");
        assert!(claims.last().is_none_or(|last| last.len() == 1));
        assert_eq!(chunks.claim(), None);
    }
    assert_eq!(
        std::iter::from_fn({
            let chunks = chunks(100, 8);
            move || chunks.claim()
        })
        .next(),
        Some(0..12)
    );
    let single = chunks(40, 0);
    assert!((0..40).all(|chunk| single.claim() == Some(chunk..chunk + 1)), "without a share each by itself");
}
