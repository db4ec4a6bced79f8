//! Each instruction set that the processor has: chosen by the environment, and bit for bit what the host computes.

mod rig;

use syclone::prelude::*;

const GROUP: usize = 48;
const LEN: usize = 37 * GROUP;

/// Products and sums that a fused multiply-add would round otherwise, roots, divisions and branches.
#[kernel]
fn floats(item: Item<1>, x: View<f32>, y: View<f32>, out: ItemMut<f32>) {
    let (a, b) = (x[item], y[item]);
    let mut v = a * b + a;
    for k in 0..3 {
        v = v * 0.75 + b / (k as f32 + 1.5);
    }
    out[item] = if a > b { v.abs().sqrt() } else { v - a * a };
}

/// Numbers of every width, and the half precision that some sets convert in hardware.
#[kernel]
fn widths(item: Item<1>, x: View<f32>, out: ItemMut<[i64; 4]>) {
    let v = x[item];
    let half = f16::from_f32(v) * f16::from_f32(1.5);
    let byte = (v as i32 as u8).wrapping_mul(37) >> 2;
    let wide = (v as i64 * 0x1234_5678_9abc).rotate_left(9) ^ (v as i64).count_ones() as i64;
    out[item] = [half.to_bits() as i64, byte as i64, wide, (v as f64 / 3.0).to_bits() as i64];
}

/// Barriers, local memory, and a group's operations.
#[kernel]
fn groups(item: NdItem<1>, x: View<f32>, out: ItemMut<[f32; 3]>) {
    let tile = local::<[f32; GROUP]>();
    let me = item.local_id(0);
    tile[me] = x[item] * 1.1;
    item.barrier();
    let mut sum = 0.0;
    for k in 0..GROUP {
        sum += tile[k] * tile[GROUP - 1 - k];
    }
    let greatest = item.group().reduce(tile[me], Maximum);
    out[item] = [sum, greatest, item.group().exclusive_scan(tile[me], Plus)];
}

#[kernel]
fn total(item: Item<1>, x: View<f32>, sum: Reducer<f32, Plus>) {
    sum.combine(x[item]);
}

#[test]
#[ignore = "run by every_instruction_set_computes_what_the_host_computes"]
fn child_computes() {
    let queue = rig::queue();
    let asked = std::env::var("SYCLONE_CPU_ISA").expect("the parent sets it");
    assert_eq!(queue.device().info().isa.name(), asked);
    let x: Vec<f32> = (0..LEN).map(|i| (i * 7919 % 2003) as f32 * 0.37 - 350.0).collect();
    let y: Vec<f32> = (0..LEN).map(|i| (i * 104_729 % 1009) as f32 * 0.61 - 300.0).collect();
    let (a, b) = (Buffer::from_slice(&x), Buffer::from_slice(&y));

    let out = Buffer::<f32>::new(LEN);
    rig::run(&queue, |h| h.parallel_for(LEN, floats(a.read(h), b.read(h), out.write(h))));
    for (i, got) in out.to_vec().expect("reads").into_iter().enumerate() {
        let (a, b) = (x[i], y[i]);
        let mut v = a * b + a;
        for k in 0..3 {
            v = v * 0.75 + b / (k as f32 + 1.5);
        }
        let expected = if a > b { v.abs().sqrt() } else { v - a * a };
        assert_eq!(got.to_bits(), expected.to_bits(), "{asked}: item {i}: {got}, not {expected}");
    }

    let out = Buffer::<[i64; 4]>::new(LEN);
    rig::run(&queue, |h| h.parallel_for(LEN, widths(a.read(h), out.write(h))));
    for (&v, got) in x.iter().zip(out.to_vec().expect("reads")) {
        let half = f16::from_f32(v) * f16::from_f32(1.5);
        let byte = (v as i32 as u8).wrapping_mul(37) >> 2;
        let wide = (v as i64 * 0x1234_5678_9abc).rotate_left(9) ^ i64::from((v as i64).count_ones());
        let expected = [i64::from(half.to_bits()), i64::from(byte), wide, (f64::from(v) / 3.0).to_bits() as i64];
        assert_eq!(got, expected, "{asked}: {v}");
    }

    let out = Buffer::<[f32; 3]>::new(LEN);
    rig::run(&queue, |h| h.parallel_for(NdRange::new(LEN, GROUP), groups(a.read(h), out.write(h))));
    for (i, got) in out.to_vec().expect("reads").into_iter().enumerate() {
        let tile: Vec<f32> = x[i / GROUP * GROUP..][..GROUP].iter().map(|v| v * 1.1).collect();
        let sum = (0..GROUP).fold(0.0, |sum, k| sum + tile[k] * tile[GROUP - 1 - k]);
        let greatest = tile.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let before = tile[..i % GROUP].iter().copied().reduce(|a, b| a + b).unwrap_or(0.0);
        assert_eq!(got.map(f32::to_bits), [sum, greatest, before].map(f32::to_bits), "{asked}: item {i}");
    }

    // One chunk: lane by lane, then the halving tree.
    let sum = Buffer::<f32>::new(1);
    rig::run(&queue, |h| h.parallel_for(LEN, total(a.read(h), sum.reduce(h, Plus))));
    let mut lanes = [0.0f32; 64];
    x.iter().enumerate().for_each(|(i, v)| lanes[i % 64] += v);
    let mut half = 32;
    while half > 0 {
        (0..half).for_each(|i| lanes[i] += lanes[i + half]);
        half /= 2;
    }
    assert_eq!(sum.to_vec().expect("reads")[0].to_bits(), lanes[0].to_bits(), "{asked}");
}

#[test]
fn every_instruction_set_computes_what_the_host_computes() {
    let sets = rig::queue().device().info().instruction_sets.clone();
    assert!(!sets.is_empty());
    for isa in sets {
        let child = std::process::Command::new(std::env::current_exe().expect("this program"))
            .args(["child_computes", "--exact", "--ignored", "--nocapture"])
            .env("SYCLONE_CPU_ISA", isa.name())
            .env_remove("SYCLONE_CPU_WAY")
            .output()
            .expect("it starts again");
        let text = [child.stdout, child.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
        assert!(child.status.success() && text.contains("1 passed"), "{isa}: {text}");
    }
}
