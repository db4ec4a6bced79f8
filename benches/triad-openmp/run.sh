#!/usr/bin/env bash
# The triad of `syclone bench stream` against the same loop in C with OpenMP, in turns: a machine that is busy for a
# while is then busy for both. Prints the medians and their ratio; exit code 1 if it is below the mark.
#
#     benches/triad-openmp/run.sh [ROUNDS [ELEMENTS]]
set -euo pipefail
cd "$(dirname "$0")/../.."

rounds=${1:-5}
elements=${2:-$((1 << 25))}
repeat=10
mark=0.97

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O3 -march=native -fopenmp -o "$work/triad" benches/triad-openmp/triad.c
cargo build --quiet --release
syclone=${CARGO_TARGET_DIR:-target}/release/syclone
# As many threads for both.
threads=${SYCLONE_CPU_THREADS:-$(nproc)}
export SYCLONE_CPU_THREADS=$threads OMP_NUM_THREADS=$threads OMP_PROC_BIND=true

median() { sort -g | awk '{ x[NR] = $1 } END { print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'; }

echo "$threads threads, $elements f32 elements, medians of $repeat runs in each of $rounds rounds, GB/s"
printf '%8s %10s %10s\n' round openmp syclone
for round in $(seq "$rounds"); do
    openmp=$("$work/triad" "$elements" "$repeat")
    ours=$("$syclone" bench stream --device cpu -n "$elements" --repeat "$repeat" --seed 1 --csv - 2> "$work/log" |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["version"] == "triad" { print $at["gbs"] }')
    [ -n "$ours" ] || { cat "$work/log" >&2; exit 1; }
    echo "$openmp" >> "$work/openmp"
    echo "$ours" >> "$work/syclone"
    printf '%8d %10.2f %10.2f\n' "$round" "$openmp" "$ours"
done
openmp=$(median < "$work/openmp")
ours=$(median < "$work/syclone")
printf '%8s %10.2f %10.2f\n' median "$openmp" "$ours"
awk -v a="$ours" -v b="$openmp" -v mark="$mark" 'BEGIN {
    printf "syclone over OpenMP: %.3f (asked: %s or more)\n", a / b, mark
    exit !(a / b >= mark)
}'
