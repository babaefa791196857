#!/usr/bin/env python3
"""One round of work on axpby, by Kernelwright and by what it has to beat, in one run on one machine.

    bench/race/race.py [--kw FOLDER] [--only loop|counters] [--ncu PATH] [-o RESULT.json]

loop      CUDA Agent's published loop on its own example (arXiv 2602.24286): compile an extension, verify it five times against the
          PyTorch model, profile it with torch.profiler (10 warm-ups, 10 runs). The steps are reproduced here from their description; the
          published scripts themselves are not run. Against `kw eval` of the bundled task axpby with all stages.
counters  15 counters of one launch by Kernelwright against `ncu --set basic` and `ncu --set full`, same kernel, same size.

What is missing (PyTorch, ncu) is said and left out. Exit: 0 all aims that could be measured are met, 1 not, 77 without a GPU.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "gpu"))
import kwworker  # noqa: E402

TASK = ROOT / "resources" / "tasks" / "axpby"
LAUNCHER = pathlib.Path(__file__).with_name("launcher.py")
ALL_STAGES = ["compile", "verify", "bench", "profile", "reward"]
COUNTERS = ["duration_ns", "sm_throughput", "memory_throughput", "dram_throughput", "l2_throughput", "dram_read_bytes",
            "dram_write_bytes", "l1_hit_rate", "l2_hit_rate", "achieved_occupancy", "issue_active", "threads_per_instruction",
            "ffma", "sectors_per_load", "stall_long_scoreboard"]
STEP_SECONDS = 300

# ---- CUDA Agent's loop: what each of its three commands does, each in a process of its own as its agent runs them ----

EXTENSION_CU = """
#include <cuda_runtime.h>
__global__ void axpby_kernel(const float* x, const float* y, float* z, float a, float b, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) z[i] = a * x[i] + b * y[i];
}
extern "C" void axpby_launcher(const float* x, const float* y, float* z, float a, float b, long n, cudaStream_t stream) {
    axpby_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, z, a, b, n);
}
"""
EXTENSION_BINDING = """
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
extern "C" void axpby_launcher(const float*, const float*, float*, float, float, long, cudaStream_t);
torch::Tensor axpby(torch::Tensor x, torch::Tensor y, double a, double b) {
    auto z = torch::empty_like(x);
    axpby_launcher(x.data_ptr<float>(), y.data_ptr<float>(), z.data_ptr<float>(), a, b, x.numel(), c10::cuda::getCurrentCUDAStream());
    return z;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("axpby", &axpby); }
"""
MODEL = """
import torch
N = 16777216
class Model(torch.nn.Module):
    def forward(self, x, y): return 1.5 * x + -0.75 * y
def inputs(): return [torch.randn(N, device="cuda"), torch.randn(N, device="cuda")]
"""
MODEL_NEW = """
import glob, importlib.util, torch
spec = importlib.util.spec_from_file_location("cuda_extension", glob.glob("built/cuda_extension*.so")[0])
extension = importlib.util.module_from_spec(spec); spec.loader.exec_module(extension)
class ModelNew(torch.nn.Module):
    def forward(self, x, y): return extension.axpby(x, y, 1.5, -0.75)
"""
COMPILE = """
import os
from torch.utils.cpp_extension import load
os.makedirs("built", exist_ok=True)
load(name="cuda_extension", sources=["kernel.cu", "binding.cpp"], build_directory="built", extra_cflags=["-O3", "-std=c++17"],
     extra_cuda_cflags=["-O3", "--use_fast_math"], with_cuda=True, verbose=False)
"""
VERIFY = """
import torch
from model import Model, inputs
from model_new import ModelNew
with torch.no_grad():
    reference, candidate = Model().cuda().eval(), ModelNew().cuda().eval()
    for _ in range(5):
        values = inputs()
        torch.testing.assert_close(candidate(*[v.clone() for v in values]), reference(*values), atol=1e-2, rtol=1e-2)
print("verify success")
"""
PROFILE = """
import torch
from torch.profiler import profile, ProfilerActivity
from model import Model, inputs
from model_new import ModelNew
def time_of(model):
    with torch.no_grad():
        values = inputs()
        for _ in range(10): model(*values)
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as found:
            for _ in range(10): model(*values)
            torch.cuda.synchronize()
    return sum(event.device_time_total for event in found.events() if event.device_type == torch.autograd.DeviceType.CUDA) / 10
model = Model().cuda().eval()
for name, each in (("eager", model), ("compile", torch.compile(model)), ("extension", ModelNew().cuda().eval())):
    print(f"{name}: {time_of(each):.3f} us")
"""


class Missing(Exception):
    pass


def timed(command, **options):
    """Seconds and standard output of a program that has to succeed."""
    start = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=STEP_SECONDS, **options)
    except FileNotFoundError as error:
        raise Missing(f"there is no {error.filename}") from None
    except subprocess.TimeoutExpired:
        raise Missing(f"{command[0]} did not end within {STEP_SECONDS} s") from None
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or [f"exit {done.returncode}"]
        raise Missing(f"{' '.join(map(str, command[:3]))} failed: {last[0]}")
    return time.monotonic() - start, done.stdout


def published_loop(arch):
    if subprocess.run([sys.executable, "-c", "import torch; assert torch.cuda.is_available()"], capture_output=True).returncode != 0:
        raise Missing("PyTorch with a GPU is not installed")
    if not (shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc")):
        raise Missing("nvcc is not installed")
    number = arch.removeprefix("sm_")
    environment = {**os.environ, "TORCH_CUDA_ARCH_LIST": f"{number[:-1]}.{number[-1]}"}
    steps = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"kernel.cu": EXTENSION_CU, "binding.cpp": EXTENSION_BINDING, "model.py": MODEL,
                           "model_new.py": MODEL_NEW}.items():
            pathlib.Path(folder, name).write_text(text)
        # Its caches of torch.compile start empty, as for a kernel that is new.
        environment["TORCHINDUCTOR_CACHE_DIR"] = str(pathlib.Path(folder, "inductor"))
        environment["TRITON_CACHE_DIR"] = str(pathlib.Path(folder, "triton"))
        for name, script in {"compile": COMPILE, "verify": VERIFY, "profile": PROFILE}.items():
            steps[name], _ = timed([sys.executable, "-c", script], cwd=folder, env=environment)
            print(f"    CUDA Agent's loop, reproduced: {name:8} {steps[name]:7.2f} s", flush=True)
    return steps


def require_all(report):
    """A stage that failed would make the race faster."""
    for stage in ("verify", "bench", "profile", "reward"):
        if stage not in report:
            raise Missing(f"the evaluation has no {stage}: {report.get('reward')}")
    failed = [rung for rung in report["profile"]["rungs"] if rung["state"] != "done"]
    if failed:
        raise Missing(f"{failed[0]['rung']}: {failed[0].get('reason')}")
    if report["reward"]["value"] < 1:
        raise Missing(f"the evaluation failed: {report['reward']}")


def our_loop(arguments):
    """Seconds of a process that does it all, and of a warm worker that is given a kernel it has not seen."""
    cold, text = timed([arguments.kw / "kw", "eval", TASK, "--device", arguments.device, "--stages", ",".join(ALL_STAGES),
                        "--json"])
    report = json.loads(text)
    require_all(report)
    print(f"    kw eval, all stages, cold:     {cold:7.2f} s   ({stage_times(report)})", flush=True)
    files = kwworker.read_task(TASK)
    warm = []
    with kwworker.Worker(arguments.kw / "kw-worker") as worker:
        for edit in range(4):
            changed = {**files, "axpby.cu": files["axpby.cu"] + f"// edit {edit}\n"}
            start = time.monotonic()
            report = worker.evaluate(changed, device=arguments.device, stages=ALL_STAGES)
            warm.append(time.monotonic() - start)
            require_all(report)
    print(f"    the same in a warm worker:     {min(warm[1:]):7.2f} s   ({stage_times(report)}; first {warm[0]:.2f} s)", flush=True)
    return cold, min(warm[1:])


def stage_times(report):
    parts = {stage: report[stage].get("ms", report[stage].get("milliseconds")) for stage in ("compile", "verify", "bench", "profile")
             if stage in report}
    return ", ".join(f"{stage} {ms:.0f} ms" for stage, ms in parts.items() if ms is not None)


def our_counters(arguments):
    """Seconds from starting a process to the report, and in a warm worker."""
    options = {"device": arguments.device, "stages": ["compile", "profile"],
               "profiling": {"rungs": ["counters"], "metrics": COUNTERS}}
    files = kwworker.read_task(TASK)

    def check(report):
        rungs = report["profile"]["rungs"]
        failed = [rung for rung in rungs if rung["state"] != "done"]
        if failed:
            raise Missing(f"{failed[0]['rung']}: {failed[0].get('reason')}")
        got = report["profile"]["launches"][0]["metrics"]
        absent = [name for name in COUNTERS if name not in got]
        if absent:
            raise Missing(f"counters without a value: {', '.join(absent)}")
        return f"{rungs[0].get('passes')} passes"

    start = time.monotonic()
    with kwworker.Worker(arguments.kw / "kw-worker") as worker:
        note = check(worker.evaluate(files, **options))
        cold = time.monotonic() - start
        print(f"    Kernelwright, 15 counters, cold:  {cold:6.2f} s   ({note})", flush=True)
        times = []
        for _ in range(3):
            start = time.monotonic()
            check(worker.evaluate(files, **options))
            times.append(time.monotonic() - start)
    print(f"    the same in a warm worker:        {min(times):6.2f} s", flush=True)
    return cold, min(times)


def find_ncu(arguments):
    if arguments.ncu:
        return arguments.ncu
    for path in [shutil.which("ncu"), "/usr/local/cuda/bin/ncu", *sorted(map(str, pathlib.Path("/opt/nvidia").glob("nsight-compute/*/ncu")))]:
        if path and os.path.exists(path):
            return path
    raise Missing("ncu is not installed")


def ncu_counters(arguments, arch):
    ncu = find_ncu(arguments)
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        cubin = str(pathlib.Path(folder, "axpby.cubin"))
        timed([sys.executable, LAUNCHER, "compile", cubin, arch])
        alone, _ = timed([sys.executable, LAUNCHER, "run", cubin])
        print(f"    the launch alone:                 {alone:6.2f} s", flush=True)
        for name in ("basic", "full"):
            runs = []
            for _ in range(2):
                seconds, text = timed([ncu, "--set", name, "--clock-control", "none", "--kernel-name", "axpby", "--launch-count", "1",
                                       sys.executable, LAUNCHER, "run", cubin])
                if "axpby" not in text or "No kernels were profiled" in text:
                    raise Missing(f"ncu --set {name} profiled nothing: {text.strip().splitlines()[-1:]}")
                runs.append(seconds)
            times[name] = min(runs)
            print(f"    ncu --set {name:6}                 {times[name]:6.2f} s", flush=True)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kw", type=pathlib.Path, default=kwworker.default_programs(), help="folder of kw and kw-worker")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--only", choices=["loop", "counters"])
    parser.add_argument("--ncu", help="Nsight Compute's command line")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    arguments = parser.parse_args()
    with kwworker.Worker(arguments.kw / "kw-worker") as worker:
        gpus = [device for device in worker.call("devices")["devices"] if device["id"] == arguments.device]
    if not gpus:
        print(f"skipped: kw-worker finds no GPU {arguments.device} here")
        return 77
    print(f"{gpus[0]['name']}, driver {gpus[0]['driver']}")
    result, verdicts = {"device": gpus[0]}, []

    def compare(what, theirs, ours, aim):
        ratio = theirs / ours
        verdicts.append(ratio >= aim)
        print(f"  {what}: {theirs:.2f} s ÷ {ours:.2f} s = {ratio:.1f}× (aim: at least {aim}×): {'met' if ratio >= aim else 'missed'}")
        result[what] = {"theirs_s": theirs, "ours_s": ours, "ratio": ratio, "aim": aim}

    try:
        if arguments.only != "counters":
            print("\nOne iteration on axpby, compiled, verified, timed and profiled")
            cold, warm = our_loop(arguments)
            steps = published_loop(gpus[0]["arch"])
            result["published_loop_s"] = steps
            compare("the published loop ÷ warm worker", sum(steps.values()), warm, 40)
            print(f"  the published loop ÷ cold process: {sum(steps.values()) / cold:.1f}×")
    except (Missing, kwworker.Refused, TimeoutError, EOFError) as error:
        print(f"  left out: {error}")
    try:
        if arguments.only != "loop":
            print("\nCounters of one launch")
            cold, warm = our_counters(arguments)
            times = ncu_counters(arguments, gpus[0]["arch"])
            result["ncu_s"], result["counters_s"] = times, {"cold": cold, "warm": warm}
            compare("ncu --set basic ÷ cold process", times["basic"], cold, 2)
            compare("ncu --set full ÷ cold process", times["full"], cold, 5)
            print(f"  against a warm worker: {times['basic'] / warm:.1f}× and {times['full'] / warm:.1f}×")
    except (Missing, kwworker.Refused, TimeoutError, EOFError) as error:
        print(f"  left out: {error}")
    if arguments.output:
        arguments.output.write_text(json.dumps(result, indent=1) + "\n")
    return 0 if verdicts and all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
