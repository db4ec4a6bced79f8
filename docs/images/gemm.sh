#!/usr/bin/env bash
# Draws docs/images/gemm.svg anew: the bar chart of the page that `syclone bench gemm --html` writes, with the page's
# style in it. Options are passed on: `docs/images/gemm.sh -n 2048`. A page from an earlier run is taken with
# `docs/images/gemm.sh --page gemm.html`.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ "${1:-}" = --page ]; then
    page=$2
else
    page=$(mktemp)
    trap 'rm -f "$page"' EXIT
    cargo run --quiet --release -- bench gemm --html "$page" "$@"
fi

style='<style>
:root { --paper: #ffffff; --ink: #1c2430; --soft: #5b6675; --grid: #e1e5ea; --bar: #2f6fb3; --base: #8a95a3; --roof: #c2571a; --wrong: #b3261e }
@media (prefers-color-scheme: dark) {
:root { --paper: #15181d; --ink: #e4e8ee; --soft: #9aa5b4; --grid: #2e343d; --bar: #5b9bdc; --base: #7b8694; --roof: #f0995c; --wrong: #ff8a80 }
}
svg { font: 12.5px system-ui, sans-serif } text { fill: var(--ink) } .paper { fill: var(--paper) }
.middle { text-anchor: middle } .end { text-anchor: end } .tick, .axis { fill: var(--soft) } .value { font-weight: 600 }
.grid { stroke: var(--grid) } .bar { fill: var(--bar) } .base { fill: var(--base) } .wrong { fill: var(--wrong) }
.roof { stroke: var(--roof); stroke-width: 2 } .rooftext { fill: var(--roof); font-weight: 600 }
</style><rect class="paper" width="100%" height="100%"/>'

# The first picture of the page is the bar chart; alone in a file it needs a name space.
chart=$(grep -o '<svg [^>]*>.*</svg>' "$page" | head -n 1)
[ -n "$chart" ] || { echo "no chart in $page" >&2; exit 1; }
head=${chart%%>*}
printf '%s xmlns="http://www.w3.org/2000/svg">%s%s\n' "$head" "$style" "${chart#*>}" > docs/images/gemm.svg
