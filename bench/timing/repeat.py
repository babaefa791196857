#!/usr/bin/env python3
"""How well timings repeat: the same two operations, ten times each, by Kernelwright and by what people use otherwise.

    bench/timing/repeat.py [--kw FOLDER] [--repeats N] [-o RESULT.json]

Operations: an addition of 1 Mi float32 and a product of two 2048 × 2048 float32 matrices. Each row is one way of timing; its
spread is the largest of the repeats' medians ÷ the smallest − 1. Kernelwright's rows are `kw eval` in a process of its own
each time, as one types it, and evaluations in one warm worker, as the workbench and the agent do it. The others run in
this process on PyTorch's operations: triton.testing.do_bench, do_bench_cudagraph, and CUDA events around single calls.

Exit: 0 when Kernelwright's spreads are at most --aim, 1 when not, 77 without a GPU.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "gpu"))
import kwworker  # noqa: E402

ADD_TASK = """
name = "add"
kernel = "add.cu"
reference = "reference.cu"
[sizes]
n = 1048576
[[tensor]]
name = "x"
type = "f32"
shape = ["n"]
role = "input"
fill = "normal"
[[tensor]]
name = "y"
type = "f32"
shape = ["n"]
role = "input"
fill = "normal"
[[tensor]]
name = "z"
type = "f32"
shape = ["n"]
role = "output"
"""
ADD_KERNEL = """//@ launch add<<<ceil_div(n, 1024), 256>>>(x, y, z, n)
__global__ void add(const float4* x, const float4* y, float4* z, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n) return;
    const float4 a = x[i], b = y[i];
    z[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
"""


ADD_REFERENCE = """//@ launch add<<<ceil_div(n, 256), 256>>>(x, y, z, n)
__global__ void add(const float* x, const float* y, float* z, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
"""


def make_tasks(folder):
    add = folder / "add"
    add.mkdir()
    (add / "task.toml").write_text(ADD_TASK)
    (add / "add.cu").write_text(ADD_KERNEL)
    (add / "reference.cu").write_text(ADD_REFERENCE)
    matmul = folder / "matmul"
    shutil.copytree(ROOT / "resources" / "tasks" / "matmul", matmul)
    text = (matmul / "task.toml").read_text()
    for name in "mnk":
        text = text.replace(f"{name} = 1024", f"{name} = 2048", 1)
    # Against itself: the usual baseline is slower, so that it would only make the repeats longer.
    text = text.replace('baselines = ["baseline.cu"]\n', 'baselines = ["matmul_register_tiles.cu"]\n')
    (matmul / "task.toml").write_text(text)
    return {"1 Mi add": (add, "add.cu"), "2048² matmul": (matmul, "matmul_register_tiles.cu")}


def by_processes(programs, task, candidate, device):
    command = [str(programs / "kw"), "eval", str(task), "--candidate", candidate, "--device", device, "--stages",
               "compile,bench", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"kw eval: exit {done.returncode}")
    return json.loads(done.stdout)["bench"]


def median_of(bench):
    return bench["median_us"]


def torch_rows(repeats):
    """(name, operation → function giving µs) or the reason why there are none."""
    try:
        import torch
    except ImportError:
        return None, "PyTorch is not installed"
    if not torch.cuda.is_available():
        return None, "PyTorch sees no GPU"
    torch.backends.cuda.matmul.allow_tf32 = False
    x, y = (torch.randn(1 << 20, device="cuda") for _ in range(2))
    z = torch.empty_like(x)
    a, b = (torch.randn(2048, 2048, device="cuda") for _ in range(2))
    c = torch.empty_like(a)
    operations = {"1 Mi add": lambda: torch.add(x, y, out=z), "2048² matmul": lambda: torch.mm(a, b, out=c)}

    def events(operation):
        for _ in range(10):
            operation()
        times = []
        for _ in range(100):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            operation()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1000)
        return statistics.median(times)

    ways = {"torch CUDA events": events}
    reason = ""
    try:
        import triton.testing as triton

        def median(function):
            return lambda operation: 1000 * function(operation, return_mode="median")
        ways["triton do_bench"] = median(triton.do_bench)

        def in_graph(operation):
            with torch.cuda.stream(torch.cuda.Stream()):
                return 1000 * triton.do_bench_cudagraph(operation, return_mode="median")
        ways["triton do_bench_cudagraph"] = in_graph
    except ImportError:
        reason = "Triton is not installed"
    rows = {}
    for name, way in ways.items():
        for operation, function in operations.items():
            rows[name, operation] = [way(function) for _ in range(repeats)]
    return rows, reason


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kw", type=pathlib.Path, default=kwworker.default_programs(), help="folder of kw and kw-worker")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--aim", type=float, default=1.0, help="largest spread in percent")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="write all numbers as JSON")
    arguments = parser.parse_args()

    with kwworker.Worker(arguments.kw / "kw-worker") as worker:
        gpus = [device for device in worker.call("devices")["devices"] if device["kind"] == "cuda"]
    if not gpus and arguments.device.startswith("cuda"):
        print("skipped: kw-worker finds no GPU here")
        return 77
    if gpus:
        print(f"{gpus[0]['name']}, driver {gpus[0]['driver']}; {arguments.repeats} repeats each\n")

    rows, benches, took = {}, {}, {}
    with tempfile.TemporaryDirectory() as scratch:
        tasks = make_tasks(pathlib.Path(scratch))
        for operation, (task, candidate) in tasks.items():
            start = time.monotonic()
            found = [by_processes(arguments.kw, task, candidate, arguments.device) for _ in range(arguments.repeats)]
            took["kw eval", operation] = (time.monotonic() - start) / arguments.repeats
            benches["kw eval", operation] = found
        with kwworker.Worker(arguments.kw / "kw-worker") as worker:
            for operation, (task, candidate) in tasks.items():
                files = kwworker.read_task(task)
                start = time.monotonic()
                found = [worker.evaluate(files, candidate=candidate, device=arguments.device,
                                         stages=["compile", "bench"])["bench"] for _ in range(arguments.repeats)]
                took["warm worker", operation] = (time.monotonic() - start) / arguments.repeats
                benches["warm worker", operation] = found
    for key, found in benches.items():
        rows[key] = [median_of(bench) for bench in found]
    others, reason = torch_rows(arguments.repeats)
    rows.update(others or {})

    print(f"{'timed by':28} {'operation':14} {'median':>11} {'spread':>8}   remarks")
    worst = 0
    for (name, operation), medians in sorted(rows.items(), key=lambda row: row[0][1]):
        spread = 100 * (max(medians) / min(medians) - 1)
        remarks = ""
        if (name, operation) in benches:
            worst = max(worst, spread)
            found = benches[name, operation]
            remarks = (f"{statistics.median(bench['samples'] for bench in found):.0f} samples, "
                       f"{'cold' if found[0]['cold'] else 'warm'} L2, "
                       f"{statistics.median(bench.get('clock_mhz', 0) for bench in found):.0f} MHz, "
                       f"{sum(bench.get('discarded', 0) for bench in found)} discarded, "
                       f"{took[name, operation]:.2f} s each")
            notes = {bench["clock_note"] for bench in found if "clock_note" in bench}
            remarks += "".join("; " + note for note in notes)
        print(f"{name:28} {operation:14} {statistics.median(medians):8.3f} µs {spread:6.2f} %   {remarks}")
    if reason:
        print(f"\nleft out: {reason}")
    if arguments.output:
        arguments.output.write_text(json.dumps({
            "device": gpus[0] if gpus else None,
            "medians_us": [{"timed_by": name, "operation": operation, "medians": medians}
                           for (name, operation), medians in rows.items()],
            "bench": [{"timed_by": name, "operation": operation, "reports": found}
                      for (name, operation), found in benches.items()]}, indent=1))
    good = worst <= arguments.aim
    print(f"\nKernelwright's largest spread: {worst:.2f} % (aim: at most {arguments.aim:g} %): {'met' if good else 'missed'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
