#!/usr/bin/env python3
"""How long an evaluation takes: the whole `kw eval` process, and a second evaluation in one warm worker.

    bench/evaluate/evaluate.py [--bin build/release/bin] [--rounds 7] [TASK…]

Every round of the warm case edits the candidate, so that nothing is answered from a cache but the reference and the
baselines, as while a person edits. Prints one table; times are medians in seconds.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Worker:
    """A JSON-RPC client of `kw-worker serve`, just enough for this measurement."""

    def __init__(self, program):
        self.process = subprocess.Popen([program, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.id = 0
        self.call("initialize", {"protocol": 1})

    def call(self, method, params):
        self.id += 1
        body = json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()
        while True:
            length = 0
            while (line := self.process.stdout.readline().strip()):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            message = json.loads(self.process.stdout.read(length))
            if message.get("id") == self.id:
                if "error" in message:
                    raise SystemExit(f"{method}: {message['error']['message']}")
                return message["result"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def task_files(folder):
    return {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*") if p.suffix in (".toml", ".cu", ".cuh", ".h", ".py")}


def cold(program, task, rounds):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run([program, "eval", task], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def warm(program, task, rounds):
    files = task_files(task)
    kernel = next(line.split('"')[1] for line in files["task.toml"].splitlines() if line.startswith("kernel"))
    worker = Worker(program)
    times = []
    for i in range(rounds + 1):
        files[kernel] += f"\n// edit {i}\n"
        start = time.perf_counter()
        evaluation = worker.call("evaluate", {"files": files, "options": {}})
        if not evaluation["verify"]["ok"]:
            raise SystemExit(f"{task}: the bundled candidate is wrong: {evaluation['verify'].get('because')}")
        if i > 0:
            times.append(time.perf_counter() - start)
    worker.close()
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "build/release/bin", type=pathlib.Path)
    parser.add_argument("--rounds", default=7, type=int)
    parser.add_argument("tasks", nargs="*", type=pathlib.Path, default=sorted((ROOT / "resources/tasks").iterdir()))
    arguments = parser.parse_args()
    print(f"{'task':14} {'cold process':>13} {'warm, edited':>13}   seconds, median of {arguments.rounds}")
    for task in arguments.tasks:
        print(f"{task.name:14} {cold(arguments.bin / 'kw', task, arguments.rounds):13.2f} {warm(arguments.bin / 'kw-worker', task, arguments.rounds):13.2f}", flush=True)


if __name__ == "__main__":
    main()
