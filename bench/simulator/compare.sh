#!/bin/sh
# The simulator against another program, alternately, on the same machine in the same minutes: medians of seconds and
# their ratio.
#   bench/simulator/compare.sh PROTOTYPE_FOLDER [BUILD_FOLDER] [ROUNDS]
# PROTOTYPE_FOLDER holds protosim.cpp and ptx/KERNEL.ptx for the kernels matmul, saxpy, hist, bitonic and fma.
# protosim.cpp is one source, compiled here to a program `protosim`: `protosim KERNEL FILE.ptx` runs the kernel with two
# threads and bounds checks, at the sizes of simulator.cpp, and prints a line "time SECONDS". This program is run with
# two threads too.
set -eu
prototype=${1:?usage: compare.sh PROTOTYPE_FOLDER [BUILD_FOLDER] [ROUNDS]}
here=$(cd "$(dirname "$0")" && pwd)
build=${2:-$here/../../build/release}
rounds=${3:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kernels="matmul fma saxpy hist bitonic"
"${CXX:-g++}" -O3 -march=native -std=c++20 -pthread -w "$prototype/protosim.cpp" -o "$work/protosim"
round=0
while [ "$round" -lt "$rounds" ]; do
    for kernel in $kernels; do
        "$work/protosim" "$kernel" "$prototype/ptx/$kernel.ptx" | sed -n "s/^time \([0-9.e+-]*\).*/$kernel \1/p" >> "$work/old"
    done
    "$build/bin/bench_simulator" --threads 2 --repeat 1 >> "$work/new"
    round=$((round + 1))
done
if grep -q WRONG "$work/new"; then
    echo "a kernel's result is wrong" >&2
    exit 1
fi
median() { awk -v name="$2" -v field="$3" '$1 == name { print $field }' "$1" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
printf '%-10s %14s %12s %22s %8s\n' kernel 'prototype s' 'product s' 'product Glane-inst/s' ratio
for kernel in $kernels; do
    old=$(median "$work/old" $kernel 2)
    new=$(median "$work/new" $kernel 2)
    rate=$(median "$work/new" $kernel 3)
    printf '%-10s %14s %12s %22s %8s\n' $kernel "$old" "$new" "$rate" "$(awk "BEGIN { printf \"%.2f\", $old / $new }")"
done
