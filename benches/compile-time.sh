#!/usr/bin/env bash
# What kernels cost at compile time, and what the program weighs:
#   1. a program with one kernel: `cargo check` from clean, and a debug build after a change to the kernel;
#   2. 100 small kernels: `cargo check` after a change, against the same bodies as plain functions;
#   3. the release binary of `syclone`.
# The programs are made in a temporary folder with the workspace's own Cargo.lock, so that nothing is fetched that is
# not there already. Exit code 1 if a figure misses its mark.
#
#     benches/compile-time.sh [RUNS]      # runs of each timed rebuild, 5 unless given
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${1:-5}
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
missed=0

# Seconds that a command takes.
seconds() {
    local start end
    start=$(date +%s%N)
    "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    end=$(date +%s%N)
    awk -v ns=$((end - start)) 'BEGIN { printf "%.3f\n", ns / 1e9 }'
}

median() { sort -g | awk '{ x[NR] = $1 } END { print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'; }

# One line of the report: what, value, unit, limit.
report() {
    local verdict=ok
    awk -v value="$2" -v limit="$4" 'BEGIN { exit !(value <= limit) }' || { verdict=MISSED; missed=1; }
    printf '%-62s %9.2f %-3s asked: at most %-5s %s\n' "$1" "$2" "$3" "$4" "$verdict"
}

# A crate named $1 with the dependencies $2; its source comes from standard input.
crate() {
    mkdir -p "$work/$1/src"
    cp Cargo.lock "$work/$1/Cargo.lock"
    printf '[package]\nname = "%s"\nversion = "0.1.0"\nedition = "2024"\n\n[workspace]\n\n[dependencies]\n%s\n' "$1" "$2" > "$work/$1/Cargo.toml"
    cat > "$work/$1/src/main.rs"
}

in_crate() { (cd "$work/$1" && CARGO_TARGET_DIR="$work/$1/target" cargo "${@:2}"); }

# Times `cargo $1` in each of the crates $2… after changes of the number in their marked lines, in turns, so that a busy
# moment of the machine meets them all. The medians go to files of the crates' names.
after_changes() {
    local command=$1 name run
    shift
    for name in "$@"; do
        in_crate "$name" "$command" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    done
    for run in $(seq "$runs"); do
        for name in "$@"; do
            sed -i "s|[0-9]*\.5 /\* changes \*/|$run.5 /* changes */|" "$work/$name/src/main.rs"
            seconds in_crate "$name" "$command" >> "$work/$name.times"
        done
    done
    for name in "$@"; do
        median < "$work/$name.times" > "$work/$name.median"
    done
}

syclone="syclone = { path = \"$root/crates/syclone\" }"

crate one-kernel "$syclone" << 'RUST'
use syclone::prelude::*;

#[kernel]
fn saxpy(item: Item<1>, s: f32, x: View<f32>, y: ItemMut<f32>) {
    y[item] = s * x[item] + 0.5 /* changes */ * y[item];
}

fn main() -> Result<()> {
    let queue = Queue::new(&Device::from_env()?)?;
    let (x, y) = (Buffer::from_vec(vec![1.0f32; 100]), Buffer::from_vec(vec![2.0f32; 100]));
    queue.submit(|h| h.parallel_for(100, saxpy(3.0, x.read(h), y.read_write(h))))?;
    println!("{:?}", y.host_read()?[0]);
    Ok(())
}
RUST

# $1 is `kernel` or `function`: the same 100 bodies as either.
hundred() {
    local index
    printf '#![allow(dead_code)]\n'
    if [ "$1" = kernel ]; then
        printf 'use syclone::prelude::*;\n'
    fi
    for n in $(seq 100); do
        if [ "$1" = kernel ]; then
            printf '#[kernel]\nfn body_%d(item: Item<1>, s: f32, x: View<f32>, y: ItemMut<f32>) {\n    let i = item.global_id(0);\n' "$n"
            index=item
        else
            printf 'fn body_%d(i: usize, s: f32, x: &[f32], y: &mut [f32]) {\n' "$n"
            index=i
        fi
        case $((n % 4)) in
            0) printf '    y[%s] = s * x[i] + %d.0;\n' $index "$n" ;;
            1) printf '    let v = x[i];\n    y[%s] = if v > s { v * %d.0 } else { v.abs().sqrt() };\n' $index "$n" ;;
            2) printf '    let mut sum = 0.0;\n    for k in 0..%d {\n        sum += x[i + k] * s;\n    }\n    y[%s] = sum;\n' "$n" $index ;;
            3) printf '    let mut v = x[i];\n    let mut steps = 0u32;\n    while v > s && steps < %d {\n        v *= 0.75;\n        steps += 1;\n    }\n    y[%s] += v * steps as f32;\n' "$n" $index ;;
        esac
        echo '}'
    done
    printf 'const CHANGED: f32 = 0.5 /* changes */;\n\nfn main() {\n    println!("{CHANGED}");\n}\n'
}

hundred kernel | crate kernels "$syclone"
hundred function | crate functions "$syclone"

from_clean=$(seconds in_crate one-kernel check)
report 'a program with one kernel: cargo check from clean' "$from_clean" s 30
after_changes build one-kernel
report 'the same: debug build after a change to the kernel' "$(cat "$work/one-kernel.median")" s 2

after_changes check kernels functions
kernels=$(cat "$work/kernels.median")
functions=$(cat "$work/functions.median")
printf '100 small kernels: cargo check %.2f s, as plain functions %.2f s\n' "$kernels" "$functions"
report 'the ratio of the two' "$(awk -v a="$kernels" -v b="$functions" 'BEGIN { print a / b }')" x 3

cargo build --quiet --release
binary=${CARGO_TARGET_DIR:-target}/release/syclone
report 'release binary of syclone' "$(stat -c %s "$binary" | awk '{ print $1 / 1e6 }')" MB 10
exit "$missed"
