#!/usr/bin/env python3
"""Proves `kw trace` on a real GPU with programs whose every activity is known, and with PyTorch where it is installed.

    tests/gpu/trace_check.py [--kw FOLDER] [--program FILE] [--toolkit PATH] [--out FOLDER]

FOLDER holds kw and libkw_trace.so. FILE is tests/gpu/trace_program.cu as nvcc built it (-O2 -cudart static -arch=sm_90); without it, nvcc
is asked to. Each check prints PASS or FAIL with the reason. Exit: 0 all passed, 1 some failed, 77 without a GPU or a program.
"""

import argparse
import gzip
import importlib.util
import json
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import kwworker

SECONDS = 120


class Traced:
    """One `kw trace`: its status, outputs, summary and trace (None where there is none)."""

    def __init__(self, setting, command, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "trace.json.gz")
            words = [str(setting.kw / "kw")]
            if setting.toolkit:
                words += ["--toolkit", setting.toolkit]
            words += ["trace", "--json", "-o", str(path), *options, "--", *command]
            started = time.monotonic()
            done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS)
            self.seconds = time.monotonic() - started
            self.status, self.out, self.said = done.returncode, done.stdout, done.stderr
            at = self.said.rfind('{"output"')
            self.summary = json.loads(self.said[at:]) if at >= 0 else None
            self.trace = json.loads(gzip.open(path).read()) if path.exists() else None
            if setting.out and path.exists():
                setting.out.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, setting.out / f"{setting.name}.json.gz")

    def slices(self, category):
        return [e for e in (self.trace or {"traceEvents": []})["traceEvents"] if e["ph"] == "X" and e["cat"] == category]

    def kernels(self, name=""):
        return [e for e in self.slices("kernel") if name in e["name"]]


def overlap(trace):
    """The first two slices of a row that overlap without one holding the other, as a sentence; empty when there are none."""
    rows = {}
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            start = round(event["ts"] * 1000)
            rows.setdefault((event["pid"], event["tid"]), []).append((start, -(start + round(event["dur"] * 1000)), event["name"]))
    for row, slices in rows.items():
        open_ends = []
        for start, minus_end, name in sorted(slices):
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
            if open_ends and open_ends[-1] < -minus_end:
                return f"'{name}' overlaps another on row {row}"
            open_ends.append(-minus_end)
    return ""


def arrows(trace):
    """Pairs of (start, end) in µs by arrow, and what is wrong with them."""
    ends = {}
    for event in trace["traceEvents"]:
        if event["ph"] in "sf":
            ends.setdefault(event["id"], {})[event["ph"]] = event["ts"]
    odd = [i for i, pair in ends.items() if set(pair) != {"s", "f"}]
    back = [i for i, pair in ends.items() if i not in odd and pair["f"] < pair["s"]]
    wrong = f"{len(odd)} arrows have one end" if odd else f"{len(back)} arrows go back in time" if back else ""
    return ends, wrong


class Checks:
    def __init__(self, setting):
        self.setting = setting
        self.failed = 0

    def run(self, check):
        name = check.__name__.replace("_", " ")
        self.setting.name = check.__name__
        problems = []
        note = ""

        def need(fact, otherwise):
            if not fact:
                problems.append(otherwise)

        try:
            note = check(self.setting, need) or ""
        except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, subprocess.TimeoutExpired) as error:
            problems.append(f"{type(error).__name__}: {error}")
        self.failed += bool(problems)
        print(f"{'FAIL' if problems else 'PASS'} {name}{': ' + '; '.join(problems) if problems else ''}{'  (' + note + ')' if note else ''}",
              flush=True)


def program(setting, *steps):
    return [str(setting.program), *steps]


def a_plain_program(setting, need):
    done = Traced(setting, program(setting, "say:before", "work:100", "say:after", "exit:7"))
    need(done.status == 7, f"status {done.status}: {done.said}")
    need(done.out == "before\nafter\n", f"its output was {done.out!r}")
    kernels = done.kernels("scale(")
    need(len(kernels) == 100, f"{len(kernels)} kernels of 100")
    for kernel in kernels[:1]:
        args = kernel["args"]
        need(kernel["name"] == "(anonymous namespace)::scale(float*, float, int)", f"the kernel is called {kernel['name']!r}")
        need(args["grid"] == [4096, 1, 1] and args["block"] == [256, 1, 1], f"grid and block are {args['grid']} {args['block']}")
        need(args["registers per thread"] > 0, "no registers")
        need(args.get("theoretical occupancy %") == 100, f"occupancy is {args.get('theoretical occupancy %')}")
        need(0.5 < kernel["dur"] < 1000, f"it took {kernel['dur']} µs")
    copies = {c["name"]: c["args"]["bytes"] for c in done.slices("gpu_memcpy")}
    need(copies == {"Memcpy HtoD": 4 << 20, "Memcpy DtoH": 4 << 20}, f"copies are {copies}")
    need([m["args"]["bytes"] for m in done.slices("gpu_memset")] == [4 << 20], "the memset is missing")
    need(any(s["name"] == "context synchronize" for s in done.slices("cuda_sync")), "the wait is missing")
    need(len([c for c in done.slices("cuda_runtime") if c["name"] == "cudaLaunchKernel"]) == 100, "calls are missing")
    need(not overlap(done.trace), overlap(done.trace))
    pairs, wrong = arrows(done.trace)
    need(not wrong and len(pairs) >= 103, wrong or f"{len(pairs)} arrows for 103 things started")
    need(not any(done.summary["lost"].values()), f"lost: {done.summary['lost']}")
    need(done.summary["cut_short"] == 0, "the stream has no end")
    need(done.summary["processes"][0]["devices"], "no device record")
    need(all(0 <= k["ts"] < done.seconds * 1e6 for k in kernels), "times are not within the run")
    return f"{done.summary['processes'][0]['devices'][0]['name']}, {done.summary['profiler']}, {done.seconds:.1f} s"


def a_device_reset(setting, need):
    done = Traced(setting, program(setting, "work:50", "reset"))
    need(done.status == 0, f"status {done.status}: {done.said}")
    need(len(done.kernels("scale(")) == 50, f"{len(done.kernels('scale('))} kernels of 50")


def streams(setting, need):
    done = Traced(setting, program(setting, "streams:25"))
    kernels = done.kernels("spin<")
    need(len(kernels) == 100, f"{len(kernels)} kernels of 100")
    need(len({k["args"]["stream"] for k in kernels}) == 4, "not four streams")
    need(not overlap(done.trace), overlap(done.trace))
    busy = done.summary["devices"][0]["busy_ns"]
    total = sum(k["total_ns"] for k in done.summary["kernels"])
    need(busy < total, f"no overlap: busy {busy} ns of {total} ns")
    return f"4 streams, {total / busy:.2f} kernels at once"


def graphs(setting, need):
    done = Traced(setting, program(setting, "graph:20"))
    need(len(done.kernels("spin<")) == 80, f"{len(done.kernels('spin<'))} kernels of 80")
    need(not overlap(done.trace), overlap(done.trace))
    need(not arrows(done.trace)[1], arrows(done.trace)[1])
    need(len(arrows(done.trace)[0]) >= 20, "graph launches are not joined with their kernels")


def ends_without_notice(setting, need):
    for step, status in (("_exit:3", 3), ("raise:9", 137), ("raise:6", 134)):
        done = Traced(setting, program(setting, "work:200", "sleep:400", "work:20", step))
        need(done.status == status, f"{step}: status {done.status}")
        need(200 <= len(done.kernels("scale(")) <= 220, f"{step}: {len(done.kernels('scale('))} kernels of 200 to 220")


def an_illegal_access(setting, need):
    done = Traced(setting, program(setting, "work:20", "illegal:33"))
    need(done.status == 33, f"status {done.status}: {done.said}")
    need(len(done.kernels("scale(")) == 20, f"{len(done.kernels('scale('))} kernels of 20")


def several_processes(setting, need):
    done = Traced(setting, program(setting, "children:3", "work:10"))
    need(done.status == 0, f"status {done.status}: {done.said}")
    need(len(done.summary["processes"]) == 4, f"{len(done.summary['processes'])} processes of 4")
    need(len(done.kernels("scale(")) == 40, f"{len(done.kernels('scale('))} kernels of 40")
    need(not overlap(done.trace), overlap(done.trace))


def only_kernels(setting, need):
    done = Traced(setting, program(setting, "work:10"), "--kinds", "kernel")
    kinds = {e["cat"] for e in done.trace["traceEvents"] if e["ph"] == "X"}
    need(kinds == {"kernel"}, f"there are {kinds}")


def what_tracing_costs(setting, need):
    count = 100_000
    plain = [float(subprocess.run(program(setting, f"launches:{count}"), capture_output=True, text=True, timeout=SECONDS).stdout)
             for _ in range(3)]
    done = Traced(setting, program(setting, f"launches:{count}"))
    traced = float(done.out)
    kernels = len(done.kernels("touch("))
    lost = sum(done.summary["lost"].values())
    need(kernels + lost >= count + 1, f"{kernels} kernels and {lost} lost of {count + 1}")
    need(lost == 0, f"lost: {done.summary['lost']}")
    only = float(Traced(setting, program(setting, f"launches:{count}"), "--kinds", "kernel").out)
    return (f"a launch: {statistics.median(plain):.2f} µs plain, {traced:.2f} µs traced, {only:.2f} µs with kernels only; "
            f"{done.summary['written']} events")


def interrupted(setting, need):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "t.json")
        words = [str(setting.kw / "kw"), *(["--toolkit", setting.toolkit] if setting.toolkit else []), "trace", "-o", str(path), "--"]
        running = subprocess.Popen([*words, *program(setting, "work:30", "say:ready", "sleep:60000")], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        running.stdout.readline()
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=SECONDS)
        need(running.returncode == 130, f"status {running.returncode}")
        kernels = sum(e["ph"] == "X" and e["cat"] == "kernel" for e in json.loads(path.read_text())["traceEvents"])
        need(kernels == 30, f"{kernels} kernels of 30")


TORCH = """
import torch
a = torch.randn(1024, 1024, device='cuda')
b = torch.randn(1024, 1024, device='cuda')
torch.cuda.synchronize()
for _ in range(20):
    a = torch.nn.functional.softmax(a @ b, dim=-1)
torch.cuda.synchronize()
print(float(a.sum()) > 0)
"""


def pytorch(setting, need):
    done = Traced(setting, [sys.executable, "-c", TORCH])
    need(done.status == 0 and done.out.strip() == "True", f"status {done.status}: {done.out} {done.said}")
    softmax = [k for k in done.kernels() if "softmax" in k["name"].lower()]
    need(len(softmax) == 20, f"{len(softmax)} softmax kernels of 20")
    others = len(done.kernels()) - len(softmax)
    need(others >= 22, f"{others} other kernels; 20 products and 2 generators were launched")
    need(not overlap(done.trace), overlap(done.trace))
    need(not arrows(done.trace)[1], arrows(done.trace)[1])
    return f"{done.summary['written']} events, {done.seconds:.1f} s"


PROFILED = """
import torch
from torch.profiler import profile, ProfilerActivity
a = torch.randn(512, 512, device='cuda')
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
    for _ in range(5): a = a @ a
    torch.cuda.synchronize()
print('survived')
"""


def a_program_that_profiles_itself(setting, need):
    done = Traced(setting, [sys.executable, "-c", PROFILED])
    need(done.status == 0 and "survived" in done.out, f"status {done.status}: {done.said[-300:]}")
    return f"{done.summary['written'] if done.summary else 0} events of ours beside PyTorch's own profiler"


def without_cuda(setting, need):
    done = Traced(setting, ["true"])
    need(done.status == 0 and "did not start CUDA" in done.said, f"status {done.status}: {done.said}")


def build(folder):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not pathlib.Path(nvcc).exists():
        return None
    built = pathlib.Path(folder, "trace_program")
    source = pathlib.Path(__file__).with_name("trace_program.cu")
    subprocess.run([nvcc, "-O2", "-cudart", "static", "-arch=native", "-o", str(built), str(source)], check=True)
    return built


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kw", type=pathlib.Path, default=kwworker.default_programs(), help="folder of kw and libkw_trace.so")
    parser.add_argument("--program", type=pathlib.Path, help="trace_program.cu, built")
    parser.add_argument("--toolkit", default="", help="handed on to kw")
    parser.add_argument("--out", type=pathlib.Path, help="keep the traces here")
    setting = parser.parse_args()
    if not pathlib.Path("/dev/nvidiactl").exists():
        print("skipped: there is no NVIDIA GPU on this machine")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        setting.program = setting.program or build(folder)
        if not setting.program:
            print("skipped: neither --program nor nvcc")
            return 77
        checks = Checks(setting)
        todo = [a_plain_program, a_device_reset, streams, graphs, ends_without_notice, an_illegal_access, several_processes, only_kernels,
                interrupted, what_tracing_costs, without_cuda]
        if importlib.util.find_spec("torch"):
            todo += [pytorch, a_program_that_profiles_itself]
        else:
            print("not checked: PyTorch is not installed for this python")
        for check in todo:
            checks.run(check)
    print("all passed" if checks.failed == 0 else f"{checks.failed} of {len(todo)} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
