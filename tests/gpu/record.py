#!/usr/bin/env python3
"""Records again what tests and views read instead of a GPU: every bundled task and candidate, all stages.

    tests/gpu/record.py [--kw FOLDER] [--device cuda:0] [--out FOLDER] [--only WORD]

For each candidate it runs `kw eval TASK --candidate FILE --device DEVICE --seed 7 --json`, then `kw profile` of the same with every
metric, and writes OUT/CANDIDATE.json.gz: {provenance, evaluation}, where the evaluation has that profile. OUT (default
tests/data/h200) holds an index.json too. Exit: 0 all recorded, 1 some failed, 77 without a GPU.
"""

import argparse
import datetime
import gzip
import json
import pathlib
import subprocess
import sys
import time

import kwworker

LIMIT_BYTES = 3_000_000


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def commit():
    """Of the sources here, with a mark where they were changed; a copy without its history has none."""
    found = output_of("git", "-C", str(kwworker.ROOT), "rev-parse", "HEAD")
    changed = found and output_of("git", "-C", str(kwworker.ROOT), "status", "--porcelain", "--untracked-files=no")
    return found + ("+changes" if changed else "") if found else ""


def run_json(command):
    """What a command printed, and why there is nothing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return None, "did not end within 300 s"
    if done.returncode != 0:
        return None, done.stderr.strip() or f"exit {done.returncode}"
    return json.loads(done.stdout), ""


def write_packed(path, value):
    """The same value gives the same bytes: no time and no name in the header."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    with open(path, "wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=9) as packed:
        packed.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kw", type=pathlib.Path, default=kwworker.default_programs(), help="folder of kw and kw-worker")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--tasks", type=pathlib.Path, default=kwworker.ROOT / "resources" / "tasks")
    parser.add_argument("--out", type=pathlib.Path, default=kwworker.ROOT / "tests" / "data" / "h200")
    parser.add_argument("--only", help="only candidates whose name has this in it")
    parser.add_argument("--commit", help="commit of the sources, where git cannot tell it")
    arguments = parser.parse_args()

    with kwworker.Worker(arguments.kw / "kw-worker") as worker:
        version = worker.capabilities["version"]
        found = [device for device in worker.call("devices")["devices"] if device["id"] == arguments.device]
    if not found or found[0]["kind"] != "cuda":
        print(f"skipped: kw-worker finds no GPU {arguments.device} here")
        return 77
    gpu = found[0]
    arguments.out.mkdir(parents=True, exist_ok=True)
    provenance = {
        "gpu": gpu["name"],
        "arch": gpu["arch"],
        "driver_cuda": gpu["driver"],
        "driver": output_of("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader").split("\n")[0],
        "kernelwright": version,
        "commit": arguments.commit or commit(),
    }
    index, failures = [], 0
    for folder in sorted(path.parent for path in arguments.tasks.glob("*/task.toml")):
        for source in sorted(folder.glob(f"{folder.name}*.cu")):
            if arguments.only and arguments.only not in source.stem:
                continue
            place = folder.relative_to(kwworker.ROOT).as_posix() if folder.is_relative_to(kwworker.ROOT) else folder.name
            what = ["--candidate", source.name, "--device", arguments.device, "--seed", "7", "--json"]
            start = time.monotonic()
            evaluation, problem = run_json([str(arguments.kw / "kw"), "eval", str(folder), *what])
            if not problem:
                evaluation["profile"], problem = run_json([str(arguments.kw / "kw"), "profile", str(folder), *what])
            took = time.monotonic() - start
            if problem:
                failures += 1
                print(f"FAILED {source.stem:28} {problem}", flush=True)
                continue
            name = f"{source.stem}.json.gz"
            write_packed(arguments.out / name, {
                "provenance": {**provenance, "toolkit": evaluation["device"]["toolkit"],
                               "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                               "commands": [" ".join(["kw", command, place, *what]) for command in ("eval", "profile")]},
                "evaluation": evaluation})
            size = (arguments.out / name).stat().st_size
            index.append({"file": name, "task": folder.name, "candidate": source.name, "bytes": size})
            rungs = {rung["rung"]: rung["state"] for rung in evaluation["profile"]["rungs"]}
            print(f"ok     {source.stem:28} {took:5.1f} s {size:8} bytes   {evaluation['bench']['median_us']:10.2f} µs   {rungs}",
                  flush=True)
    if not arguments.only:
        (arguments.out / "index.json").write_text(json.dumps({"provenance": provenance, "recordings": index}, indent=1) + "\n")
    total = sum(path.stat().st_size for path in arguments.out.iterdir())
    print(f"{len(index)} recorded, {failures} failed, {total / 1e6:.2f} MB in {arguments.out}")
    if total > LIMIT_BYTES:
        print(f"the folder exceeds {LIMIT_BYTES / 1e6:g} MB")
        failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
