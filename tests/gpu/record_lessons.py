#!/usr/bin/env python3
"""Records every lesson as a session on a GPU: what quickstart opens.

    tests/gpu/record_lessons.py --kw FOLDER --out FOLDER [--device cuda:0] [--metrics full] [--only WORD]

For each folder in resources/lessons one process, `kw agent run TASK --driver lesson`, takes every step through all stages and writes
OUT/TASK.kwsession; a table of its steps is printed, with the time, the speed-up over each baseline and the reward. An existing session of
that name is replaced. Exit: 0 all recorded and every step turned out as its lesson says, 1 otherwise, 77 without a GPU.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time
import tomllib

import kwworker

LIMIT_BYTES = 300_000
LIMIT_SECONDS = 300
STAGES = "compile,verify,bench,profile,reward"


def outcome_of(step):
    """What became of a step, in a lesson's words."""
    if step["correct"]:
        return "correct"
    evaluation = step["evaluation"]
    if evaluation is None:
        return "not evaluated"
    return "wrong" if evaluation.get("compile", {}).get("ok") else "does not compile"


def read_steps(kw, session):
    listed = json.loads(subprocess.run([kw, "session", "show", session, "--json"], capture_output=True, text=True, check=True).stdout)
    return [json.loads(subprocess.run([kw, "session", "show", session, "--step", str(step["step"]), "--json"], capture_output=True,
                                      text=True, check=True).stdout) for step in listed["steps"]]


def describe(step, expected):
    """A line of the table, and what is wrong with the step."""
    outcome, evaluation = outcome_of(step), step["evaluation"] or {}
    bench, reward = evaluation.get("bench") or {}, evaluation.get("reward") or {}
    speedups = "  ".join(f"{entry['speedup']:.2f}x {entry['baseline']}" for entry in reward.get("speedups", []))
    took = f"{bench['median_us']:.2f} µs" if bench.get("median_us") else "-"
    problems = [] if outcome == expected else [f"is {outcome}, not {expected}: {step['because']}"]
    if bench.get("problem"):
        problems.append(bench["problem"])
    rungs = (evaluation.get("profile") or {}).get("rungs", [])
    if outcome == "correct":
        if not rungs:
            problems.append("has no profile")
        problems += [f"{rung['rung']} failed: {rung.get('reason', '')}" for rung in rungs if rung["state"] == "failed"]
    value = "-" if step["reward"] is None else f"{step['reward']:g}"
    return f"  {step['step']}  {took:>12}  reward {value:>2}  {step['title'][:52]:52}  {speedups}", problems


def record(arguments, folder, lesson):
    """Whether all went as the lesson says."""
    kw, task = str(arguments.kw / "kw"), lesson["task"]
    session = arguments.out / f"{task}.kwsession"
    for name in (session.name, session.name + "-wal", session.name + "-shm"):
        (arguments.out / name).unlink(missing_ok=True)
    command = [kw, "agent", "run", str(arguments.tasks / task), "--driver", "lesson", "--lesson", str(folder), "--device",
               arguments.device, "--stages", STAGES, "--metrics", arguments.metrics, "--seed", "7", "-o", str(session)]
    start = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        print(f"{task}: did not end within {LIMIT_SECONDS} s")
        return False
    seconds = time.monotonic() - start
    if done.returncode != 0:
        print(f"{task}: exit {done.returncode}: {done.stderr.strip()}")
        return False
    steps, size = read_steps(kw, str(session)), session.stat().st_size
    print(f"{task}: {len(steps)} steps in {seconds:.1f} s, {size} bytes", flush=True)
    good = len(steps) == len(lesson["step"])
    if not good:
        print(f"  PROBLEM: the lesson has {len(lesson['step'])} steps")
    if size > LIMIT_BYTES:
        print(f"  note: larger than {LIMIT_BYTES} bytes; the error maps of steps that are wrong weigh most")
    skipped = {f"{rung['rung']}: {rung.get('reason', '')}" for step in steps for rung in
               ((step["evaluation"] or {}).get("profile") or {}).get("rungs", []) if rung["state"] == "skipped"}
    for reason in sorted(skipped):
        print(f"  skipped {reason}")
    for step, written in zip(steps, lesson["step"]):
        line, problems = describe(step, written.get("expect", "correct"))
        print(line)
        for problem in problems:
            good = False
            print(f"     PROBLEM: {problem}")
    sys.stdout.flush()
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kw", type=pathlib.Path, default=kwworker.default_programs(), help="folder with kw and kw-worker")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--metrics", choices=["basic", "full"], default="full")
    parser.add_argument("--tasks", type=pathlib.Path, default=kwworker.ROOT / "resources" / "tasks")
    parser.add_argument("--lessons", type=pathlib.Path, default=kwworker.ROOT / "resources" / "lessons")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", help="only lessons whose name has this in it")
    arguments = parser.parse_args()

    with kwworker.Worker(arguments.kw / "kw-worker") as worker:
        found = any(device["id"] == arguments.device for device in worker.call("devices")["devices"])
    if not found:
        print(f"skipped: kw-worker finds no device {arguments.device} here")
        return 77
    arguments.out.mkdir(parents=True, exist_ok=True)
    start, failures = time.monotonic(), 0
    for path in sorted(arguments.lessons.glob("*/lesson.toml")):
        if arguments.only and arguments.only not in path.parent.name:
            continue
        failures += not record(arguments, path.parent, tomllib.loads(path.read_text(encoding="utf-8")))
    print(f"{failures} lessons with problems, {time.monotonic() - start:.0f} s in all")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
