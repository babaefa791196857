#!/usr/bin/env python3
"""The simulator's counters beside the hardware's: for every correct step of every recorded lesson, the metrics that both know.

    tests/gpu/counters_check.py [--kw FOLDER] [--recorded FOLDER] [--device sim:h200] [--all]

Prints for each metric how many launches agree within 1 % and 10 %, and the middle and extreme ratios of simulator to hardware; --all adds
a line for each launch. Needs NVRTC, no GPU.
"""

import argparse
import pathlib
import sys
import tempfile

import kwworker
from estimate_check import run_json, settings_of

METRICS = ["warp_instructions", "threads_per_instruction", "flops_fp32", "flops_tensor", "global_load_requests", "global_load_sectors",
           "global_store_requests", "global_store_sectors", "sectors_per_load", "sectors_per_store", "shared_load_requests",
           "shared_load_wavefronts", "shared_store_requests", "shared_store_wavefronts", "shared_bank_conflicts", "branches",
           "branch_uniformity", "dram_bytes", "l2_bytes"]


def launches_of(arguments):
    """(task, title, kernel, hardware's metrics, simulator's metrics)."""
    kw = arguments.kw / "kw"
    for session in sorted(arguments.recorded.glob("*.kwsession")):
        listed = run_json([kw, "session", "show", session, "--json"])
        folder = kwworker.ROOT / "resources" / "tasks" / listed["task"]
        for number in [step["step"] for step in listed["steps"] if step["correct"]]:
            step = run_json([kw, "session", "show", session, "--step", number, "--json"])
            measured = (step["evaluation"].get("profile") or {}).get("launches", [])
            with tempfile.TemporaryDirectory() as place:
                source = pathlib.Path(place, step["file"])
                source.write_text(step["source"], encoding="utf-8")
                guess = run_json([kw, "eval", folder, "--candidate", source, "--device", arguments.device, "--stages",
                                  "compile,profile", "--json", *settings_of(step["configuration"])])["profile"]["launches"]
            for hardware, simulated in zip(measured, guess):
                yield listed["task"], step["title"], hardware["kernel"], hardware["metrics"], simulated["metrics"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kw", type=pathlib.Path, default=kwworker.default_programs(), help="folder with kw and kw-worker")
    parser.add_argument("--recorded", type=pathlib.Path, default=kwworker.ROOT / "resources" / "lessons" / "recorded")
    parser.add_argument("--device", default="sim:h200")
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    ratios = {name: [] for name in METRICS}
    for task, title, kernel, hardware, simulated in launches_of(arguments):
        for name in METRICS:
            if hardware.get(name) is None or simulated.get(name) is None:
                continue
            real, ours = hardware[name], simulated[name]
            if real == 0 and ours == 0:
                ratio = 1.0
            elif real == 0:
                ratio = float("inf")
            else:
                ratio = ours / real
            ratios[name].append(ratio)
            if arguments.all:
                print(f"{task:12} {title[:40]:40} {kernel[:24]:24} {name:24} {real:16.6g} {ours:16.6g} {ratio:8.3f}")
    print(f"| {'counter':24} | launches | within 1 % | within 10 % | least | middle | most |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, values in ratios.items():
        if not values:
            continue
        values.sort()
        near = [sum(abs(value - 1) <= limit for value in values) for limit in (0.01, 0.1)]
        print(f"| {name:24} | {len(values)} | {near[0]} | {near[1]} | {values[0]:.2f} | {values[len(values) // 2]:.2f} | {values[-1]:.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
