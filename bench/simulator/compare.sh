#!/bin/sh
# The simulator against its prototype, alternately, on the same machine in the same minutes: medians of seconds and their ratio.
#   bench/simulator/compare.sh PROTOTYPE_DIR [BUILD_DIR] [ROUNDS]
# PROTOTYPE_DIR holds ptx_sim_prototype.cpp and ptx/; nothing of it is kept. Both use two threads, with bounds checks.
set -eu
prototype=${1:?usage: compare.sh PROTOTYPE_DIR [BUILD_DIR] [ROUNDS]}
here=$(cd "$(dirname "$0")" && pwd)
build=${2:-$here/../../build/release}
rounds=${3:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-O3 -march=native -std=c++20 -pthread -w"
g++ $flags "$prototype/ptx_sim_prototype.cpp" -o "$work/prototype"
g++ $flags -DPROTOTYPE="\"$prototype/ptx_sim_prototype.cpp\"" "$here/prototype_fma.cpp" -o "$work/prototype_fma"
round=0
while [ "$round" -lt "$rounds" ]; do
    for kernel in matmul saxpy hist bitonic; do
        "$work/prototype" $kernel "$prototype/ptx/$kernel.ptx" | sed -n "s/.*threads=2 inst=0 time \([0-9.]*\) s.*/$kernel \1/p" >> "$work/old"
    done
    echo "fma $("$work/prototype_fma" "$prototype/ptx/fma.ptx" 2)" >> "$work/old"
    "$build/bin/bench_simulator" --threads 2 --repeat 1 >> "$work/new"
    round=$((round + 1))
done
if grep -q WRONG "$work/new"; then
    echo "a kernel's result is wrong" >&2
    exit 1
fi
median() { awk -v name="$2" -v field="$3" '$1 == name { print $field }' "$1" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
printf '%-10s %14s %12s %22s %8s\n' kernel 'prototype s' 'product s' 'product Glane-inst/s' ratio
for kernel in matmul fma saxpy hist bitonic; do
    old=$(median "$work/old" $kernel 2)
    new=$(median "$work/new" $kernel 2)
    rate=$(median "$work/new" $kernel 3)
    printf '%-10s %14s %12s %22s %8s\n' $kernel "$old" "$new" "$rate" "$(awk "BEGIN { printf \"%.2f\", $old / $new }")"
done
