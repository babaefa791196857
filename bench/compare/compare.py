#!/usr/bin/env python3
"""Comparing two float32 tensors of 64 Mi elements: ours, a copy on the same threads, and numpy.allclose, in one table.

usage: compare.py [path of bench_compare]      (built by the target of that name)
"""
import pathlib
import subprocess
import sys
import time

ELEMENTS = 64 << 20
RUNS = 3


def numpy_seconds():
    import numpy

    generator = numpy.random.default_rng(1)
    expected = generator.random(ELEMENTS, dtype=numpy.float32)
    actual = expected * numpy.float32(1 + 2**-23)
    best = float("inf")
    for _ in range(RUNS):
        begin = time.perf_counter()
        assert numpy.allclose(actual, expected, rtol=1e-5, atol=1e-5)
        best = min(best, time.perf_counter() - begin)
    return best


def main():
    default = pathlib.Path(__file__).resolve().parents[2] / "build" / "dev" / "bin" / "bench_compare"
    program = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    if not program.is_file():
        sys.exit(f"{program} is not there; build the target bench_compare")
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    print(output, end="")
    rates = {line[:28].strip(): float(line.split()[-2]) for line in output.splitlines()}
    try:
        seconds = numpy_seconds()
        print(f"{'numpy.allclose f32':<28} {seconds * 1e3:9.2f} ms {2 * 4 * ELEMENTS / seconds / 1e9:8.2f} GB/s")
    except ImportError:
        print("numpy.allclose f32           not measured: python3 has no numpy")
    print(f"compare f32 runs at {rates['compare f32'] / rates['copy']:.2f} of the copy's bandwidth")


main()
