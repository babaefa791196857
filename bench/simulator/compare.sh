#!/bin/sh
# The simulator against another program, alternately, on the same machine in the same minutes: medians of seconds,
# billions of lane instructions per second, the ratio of the seconds, and the share of what the vector units could do.
#   bench/simulator/compare.sh PROTOTYPE_FOLDER [BUILD_FOLDER] [ROUNDS]
# PROTOTYPE_FOLDER holds ptx_sim_prototype.cpp and ptx/KERNEL.ptx for the kernels matmul, saxpy, hist and bitonic. It is
# compiled here to a program `protosim`: `protosim KERNEL FILE.ptx` runs the kernel with one and two threads and bounds
# checks, at the sizes of simulator.cpp, and prints lines "… threads=T inst=I time S s … => R G lane-inst/s". It has no
# multiply-add loop; the case is added to a copy of it, which runs kernels/fma.ptx. This program is run with two threads
# too, and each case once: its last column is the ratio of the time with all checks on in a first launch, for which the
# system has to give the memory that they take; bench_simulator with --repeat 5 prints that of launches after it.
set -eu
prototype=${1:?usage: compare.sh PROTOTYPE_FOLDER [BUILD_FOLDER] [ROUNDS]}
here=$(cd "$(dirname "$0")" && pwd)
build=${2:-$here/../../build/release}
rounds=${3:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kernels="matmul fma saxpy hist bitonic"
fma='else if(which=="fma"){ float*x=(float*)ar,*y=x+16384; for(int k=0;k<16384;k++)x[k]=.5f; *(u32*)pb=256; *(float*)(pb+4)=.25f; *(u64*)(pb+8)=(u64)x; *(u64*)(pb+16)=(u64)y; s=inst?launch<true>(P,64,1,256,1,pb,nth,st):launch<false>(P,64,1,256,1,pb,nth,st); }'
sed -e 's/parse(txt,which)/parse(txt,which=="fma"?"fma_loop":which)/' \
    -e "s/^\( *\)else if(which==\"bitonic\")/\1$(printf '%s' "$fma" | sed 's/[&/]/\\&/g') else if(which==\"bitonic\")/" \
    "$prototype/ptx_sim_prototype.cpp" > "$work/protosim.cpp"
"${CXX:-g++}" -O3 -march=native -std=c++20 -pthread -w "$work/protosim.cpp" -o "$work/protosim"
round=0
while [ "$round" -lt "$rounds" ]; do
    for kernel in $kernels; do
        ptx=$prototype/ptx/$kernel.ptx
        [ "$kernel" != fma ] || ptx=$here/kernels/fma.ptx
        # Seconds from instructions and rate, which have more digits than the time that is printed.
        "$work/protosim" "$kernel" "$ptx" | sed -n "s/.*threads=2 inst=0 .*lane-inst \([0-9.]*\)M => \([0-9.]*\) G.*/\1 \2/p" |
            awk -v name="$kernel" '$1 > 0 && $2 > 0 { print name, $1 / 1e3 / $2, $2 }' >> "$work/old"
    done
    "$build/bin/bench_simulator" --threads 2 --repeat 1 >> "$work/new"
    round=$((round + 1))
done
if grep -q WRONG "$work/new"; then
    echo "a kernel's result is wrong" >&2
    exit 1
fi
median() { awk -v name="$2" -v field="$3" '$1 == name { print $field }' "$1" | sort -g | awk '{ v[NR] = $1 } END { if (NR) print v[int((NR + 1) / 2)]; else print "nan" }'; }
peak=$(median "$work/new" peak 2)
echo "vector peak, two threads: $peak G multiply-adds/s"
printf '%-10s %12s %12s %10s %10s %8s %8s %12s\n' kernel 'prototype s' 'product s' 'proto G/s' 'product G/s' ratio peak 'checks, 1st'
for kernel in $kernels; do
    old=$(median "$work/old" $kernel 2)
    new=$(median "$work/new" $kernel 2)
    rate=$(median "$work/new" $kernel 3)
    printf '%-10s %12.4f %12.4f %10s %10s %8s %8s %12s\n' $kernel "$old" "$new" "$(median "$work/old" $kernel 3)" "$rate" \
        "$(awk "BEGIN { printf \"%.2f\", $old / $new }")" "$(awk "BEGIN { printf \"%.1f%%\", 100 * $rate / $peak }")" \
        "$(median "$work/new" $kernel 7)x"
done
