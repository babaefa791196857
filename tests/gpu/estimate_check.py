#!/usr/bin/env python3
"""How well the simulator's estimates rank kernels: every correct step of every recorded lesson, and each task's baselines, estimated here
against the time that was measured on the GPU.

    tests/gpu/estimate_check.py [--kw FOLDER] [--recorded FOLDER] [--device sim:h200] [--markdown] [--json FILE]

Prints one line per kernel, then the rank correlation (Spearman) over all of them and how often "B is faster than A" is called right among the
kernels of one task; pairs whose measured medians differ by less than 2 % are no order and do not count. Needs NVRTC, no GPU. Exit: 0, or 1
where an estimate failed.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import kwworker

INDISTINCT = 0.02


def run_json(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise SystemExit(f"{' '.join(map(str, command))}: exit {done.returncode}: {done.stderr.strip()}") from error


def settings_of(configuration):
    return [word for name, value in (configuration or {}).items() for word in ("--set", f"{name}={value}")]


def gather(arguments):
    """Rows of (task, kernel, measured µs, estimated µs, bound)."""
    rows, kw = [], arguments.kw / "kw"
    for session in sorted(arguments.recorded.glob("*.kwsession")):
        listed = run_json([kw, "session", "show", session, "--json"])
        folder = kwworker.ROOT / "resources" / "tasks" / listed["task"]
        baselines = False
        for number in [step["step"] for step in listed["steps"] if step["correct"]]:
            step = run_json([kw, "session", "show", session, "--step", number, "--json"])
            measured = step["evaluation"].get("bench")
            if not measured or measured.get("problem"):
                continue
            with tempfile.TemporaryDirectory() as place:
                source = pathlib.Path(place, step["file"])
                source.write_text(step["source"], encoding="utf-8")
                bench = run_json([kw, "eval", folder, "--candidate", source, "--device", arguments.device, "--stages", "compile,bench",
                                  "--json", *settings_of(step["configuration"])]).get("bench")
            if not bench or not bench.get("median_us"):
                print(f"{listed['task']}: no estimate of \"{step['title']}\"", file=sys.stderr)
                return rows, False
            rows.append((listed["task"], step["title"], measured["median_us"], bench["median_us"], "+".join(sorted(set(bench["limited_by"])))))
            if not baselines:
                baselines = True
                for known, guess in zip(measured["baselines"], bench["baselines"]):
                    rows.append((listed["task"], known["name"], known["median_us"], guess["median_us"], ""))
    return rows, True


def ranks(values):
    """Ranks from 1, equal values share the mean of theirs."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    out = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end + 1 < len(order) and values[order[end + 1]] == values[order[at]]:
            end += 1
        for index in order[at:end + 1]:
            out[index] = (at + end) / 2 + 1
        at = end + 1
    return out


def spearman(first, second):
    a, b = ranks(first), ranks(second)
    mean = (len(a) + 1) / 2
    over = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    return over / math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))


def pairs(rows):
    """(right, all) over the pairs of one task's kernels; an estimate that calls a tie is half right."""
    right, count = 0.0, 0
    for index, (task, _, measured, guess, _) in enumerate(rows):
        for other, _, measured_too, guess_too, _ in ((row[0], *row[1:]) for row in rows[index + 1:]):
            if other != task or abs(math.log(measured / measured_too)) < INDISTINCT:
                continue
            count += 1
            if guess == guess_too:
                right += 0.5
            elif (measured < measured_too) == (guess < guess_too):
                right += 1
    return right, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kw", type=pathlib.Path, default=kwworker.default_programs(), help="folder with kw and kw-worker")
    parser.add_argument("--recorded", type=pathlib.Path, default=kwworker.ROOT / "resources" / "lessons" / "recorded")
    parser.add_argument("--device", default="sim:h200")
    parser.add_argument("--markdown", action="store_true", help="the table of docs/simulator.md")
    parser.add_argument("--json", type=pathlib.Path, help="also write the rows")
    arguments = parser.parse_args()
    rows, good = gather(arguments)
    if arguments.markdown:
        print("| task | kernel | measured µs | estimate µs | ratio | bound |\n|---|---|---:|---:|---:|---|")
    for task, title, measured, guess, bound in rows:
        if arguments.markdown:
            print(f"| {task} | {title} | {measured:.3g} | {guess:.3g} | {guess / measured:.2f} | {bound} |")
        else:
            print(f"{task:12} {title[:52]:52} {measured:9.2f} {guess:9.2f} {guess / measured:6.2f}  {bound}")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    right, count = pairs(rows)
    errors = sorted(abs(math.log(guess / measured)) for _, _, measured, guess, _ in rows)
    print(f"{len(rows)} kernels: Spearman {spearman([row[2] for row in rows], [row[3] for row in rows]):.3f}, "
          f"pairs of one task called right {right:g} of {count} ({100 * right / count:.1f} %), "
          f"typical factor {math.exp(errors[len(errors) // 2]):.2f}, worst {math.exp(errors[-1]):.2f}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
