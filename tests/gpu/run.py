#!/usr/bin/env python3
"""Checks on a GPU, through the real kw-worker: faults, recovery, crowds, what kernels print, all bundled tasks.

    tests/gpu/run.py [--kw FOLDER] [--device cuda:0] [--only WORD] [--tasks FOLDER]

Prints one line per check. Exit: 0 all passed, 1 some failed, 77 skipped because there is no GPU. Only Python's standard library
is needed.
"""

import argparse
import ctypes
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import kwworker
from kwworker import Refused, Worker, read_task

SKIPPED = 77
TASK = """
name = "probe"
kernel = "good.cu"
reference = "good.cu"
[sizes]
n = {n}
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
role = "output"
"""
LAUNCH = "//@ launch probe<<<ceil_div(n, 256), 256>>>(x, y, n)\n"
KERNEL = LAUNCH + """__global__ void probe(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    %s
}
"""
GOOD = KERNEL % "y[i] = 2 * x[i];"
FAULT_LINE = 5  # of KERNEL's own statement

# What a kernel does, and the kinds of fault that a GPU may call it.
FAULTS = {
    "illegal access": (KERNEL % "y[i + (1ll << 40)] = x[i];", {"out_of_bounds"}),
    "access far past the end": (KERNEL % "y[(long long)i * (n + 1024) * 512] = x[i];", {"out_of_bounds"}),
    "misaligned access": (KERNEL % "*reinterpret_cast<float*>(reinterpret_cast<char*>(y + i) + 1) = x[i];",
                          {"misaligned"}),
    "failed assert": (KERNEL % "assert(i != 300);", {"assertion"}),
    "trap": (KERNEL % "if (i == 300) __trap();", {"trap", "launch_failure"}),
    "endless loop": (KERNEL % "volatile float* p = y; while (p[i] != 12345.0f) p[i] = x[i] < 1e30f ? 0.0f : 12345.0f;",
                     {"endless_loop"}),
    "stack overflow": (LAUNCH + """__device__ __noinline__ float deep(const float* x, float* y, int i) {
    volatile float room[64];
    room[i & 63] = x[i];
    if (i >= 0) room[0] = deep(x, y, i + (room[i & 63] < 1e30f ? 0 : -1 - i)) + room[i & 63];
    return room[0];
}
__global__ void probe(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = deep(x, y, i);
}
""", {"stack_overflow", "out_of_bounds", "launch_failure", "misaligned"}),
}
LARGE_COOPERATIVE = GOOD.replace("ceil_div(n, 256), 256>>>(x, y, n)", "1000000, 256>>>(x, y, n) cooperative")
MUCH_SHARED = GOOD.replace("256>>>", "256, 1000000>>>")


class Failed(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failed(what)


def probe(source=GOOD, n=100_000, **more):
    return {"task.toml": TASK.format(n=n), "good.cu": GOOD, "candidate.cu": source, **more}


class Checks:
    def __init__(self, arguments):
        self.program = arguments.kw / "kw-worker"
        self.kw = arguments.kw / "kw"
        self.device = arguments.device
        self.tasks = arguments.tasks
        self.only = arguments.only
        self.failures = 0
        self.done = 0
        self.worker = Worker(self.program)

    def evaluate(self, source=GOOD, worker=None, **options):
        options = {"candidate": "candidate.cu", "device": self.device, "stages": ["verify"], **options}
        return (worker or self.worker).evaluate(probe(source), **options)

    def check(self, name, function):
        if self.only and self.only not in name:
            return
        self.done += 1
        start = time.monotonic()
        try:
            note = function() or ""
            verdict = "ok    "
        except (Failed, Refused, TimeoutError, EOFError, KeyError, subprocess.SubprocessError) as error:
            self.failures += 1
            note, verdict = f"{type(error).__name__}: {error}", "FAILED"
        print(f"{verdict} {name:44} {time.monotonic() - start:6.2f} s   {note}", flush=True)

    # ---- what a kernel can do to a process ----

    def works(self, worker=None):
        good = self.evaluate(worker=worker)
        expect(good["verify"]["ok"], f"the next evaluation is not right: {good['verify'].get('because')}")

    def fault(self, name):
        source, kinds = FAULTS[name]
        self.works()
        before = self.worker.executors()
        start = time.monotonic()
        result = self.evaluate(source, stages=["verify", "bench"], verify_timeout_s=3 if name == "endless loop" else 60)
        took = time.monotonic() - start
        verify = result["verify"]
        expect(not verify["ok"] and "fault" in verify, f"no fault was told: {verify}")
        fault = verify["fault"]
        expect(fault["kind"] in kinds, f"kind {fault['kind']}: {fault['message']}")
        expect(result["reward"]["value"] == -1, f"reward {result['reward']}")
        expect("recovery" in result and "problem" not in result["recovery"], f"recovery: {result.get('recovery')}")
        after = self.worker.executors()
        expect(before != after and len(after) == 1, f"the child was not replaced: {before} → {after}")
        start_good = time.monotonic()
        self.works()
        where = fault.get("where", {})
        place = f"line {where['line']}" if where.get("line") else "no line"
        return (f"{fault['kind']}, {place}, told in {took:.2f} s, usable again after {result['recovery']['ms']:.0f} ms, "
                f"next evaluation {time.monotonic() - start_good:.2f} s")

    def assert_line(self):
        fault = self.evaluate(FAULTS["failed assert"][0])["verify"]["fault"]
        expect(fault["where"]["line"] == FAULT_LINE, f"where: {fault['where']}")
        expect(fault["block"] == [1, 0, 0] and fault["thread"] == [44, 0, 0], f"at {fault.get('block')} {fault.get('thread')}")
        return fault["message"]

    def both_parties(self):
        fault = self.evaluate(FAULTS["illegal access"][0])["verify"]["fault"]
        expect(fault["where"]["line"] == FAULT_LINE, f"where: {fault['where']}: {fault['message']}")
        expect("thread" in fault and "block" in fault, f"no thread: {fault}")
        return fault["message"]

    def streams_live(self):
        """Activities and samples come while work runs, ten times a second."""
        seconds = 3
        self.worker.live.clear()
        report = self.worker.evaluate(kwworker.read_task(self.tasks / "softmax"), device=self.device, stages=["compile", "profile"],
                                      profiling={"rungs": ["activity", "pm_sampling"], "seconds": seconds})["profile"]
        failed = [rung for rung in report["rungs"] if rung["state"] != "done"]
        expect(not failed, str(failed))
        times = [when for when, _ in self.worker.live]
        expect(len(times) > 2, f"{len(times)} updates")
        rate = (len(times) - 1) / (times[-1] - times[0])
        activities = sum(len(update.get("activities", [])) for _, update in self.worker.live)
        samples = sum(len(update.get("sampling", {}).get("end_ns", [])) for _, update in self.worker.live)
        expect(rate >= 10, f"{rate:.1f} updates a second")
        expect(times[-1] - times[0] > 0.6 * seconds, f"all within {times[-1] - times[0]:.2f} s")
        expect(activities > 0 and samples > 0, f"{activities} activities, {samples} samples")
        longest = max(after - before for before, after in zip(times, times[1:]))
        return f"{rate:.1f} updates a second, longest gap {longest * 1e3:.0f} ms, {activities} activities, {samples} samples"

    def too_much_shared(self):
        result = self.evaluate(MUCH_SHARED)
        expect(not result["compile"]["ok"], "it was taken")
        expect(result["compile"]["diagnostics"][0]["line"] == 1, str(result["compile"]["diagnostics"]))
        return result["compile"]["diagnostics"][0]["message"]

    def too_large_cooperative(self):
        self.works()
        before = self.worker.executors()
        verify = self.evaluate(LARGE_COOPERATIVE)["verify"]
        expect(verify.get("fault", {}).get("kind") == "launch_failure", f"told: {verify}")
        expect(verify["fault"]["where"]["line"] == 1, f"where: {verify['fault']['where']}")
        expect(before == self.worker.executors(), "the child was replaced although the context is good")
        self.works()
        return verify["fault"]["message"]

    def wrong_result(self):
        verify = self.evaluate(KERNEL % "y[i] = 3 * x[i];")["verify"]
        expect(not verify["ok"] and "fault" not in verify and verify["checks"], f"told: {verify.get('because')}")

    def prints(self):
        verify = self.evaluate(KERNEL % 'y[i] = 2 * x[i]; if (i == 7) printf("thread %d says %g\\n", i, 0.5);')["verify"]
        expect(verify["ok"], verify.get("because"))
        expect(verify.get("output", "").count("thread 7 says 0.5\n") == 5, f"output: {verify.get('output')!r}")

    def prints_much(self):
        verify = self.evaluate(KERNEL % 'y[i] = 2 * x[i]; printf("thread %d of %d says something long enough\\n", i, n);'
                               )["verify"]
        expect(verify["ok"], verify.get("because"))
        size = len(verify.get("output", ""))
        expect(100_000 < size < 1_100_000, f"{size} bytes of output")
        return f"{size} bytes kept"

    def killed_from_outside(self):
        self.works()
        request = self.worker.send("evaluate", {
            "files": probe(FAULTS["endless loop"][0]),
            "options": {"candidate": "candidate.cu", "device": self.device, "stages": ["verify"]}})
        time.sleep(1.5)
        # Another may be there that looked for the place of an earlier fault.
        for child in self.worker.executors():
            os.kill(child, signal.SIGKILL)
        try:
            self.worker.wait(request, 30)
            raise Failed("an answer although the child was killed")
        except Refused as error:
            expect(error.code == "crashed", f"{error.code}: {error}")
            note = str(error)
        start = time.monotonic()
        self.works()
        return f"{note}; next evaluation {time.monotonic() - start:.2f} s"

    def cancelled(self):
        request = self.worker.send("evaluate", {
            "files": probe(FAULTS["endless loop"][0]),
            "options": {"candidate": "candidate.cu", "device": self.device, "stages": ["verify"]}})
        time.sleep(1.5)
        start = time.monotonic()
        self.worker.send("cancel", {"id": request})
        try:
            self.worker.wait(request, 30)
            raise Failed("an answer although it was cancelled")
        except Refused as error:
            expect(error.code == "cancelled", f"{error.code}: {error}")
        took = time.monotonic() - start
        expect(took < 1, f"cancelling took {took:.2f} s")
        self.works()
        return f"{took * 1000:.0f} ms"

    def endless_compilation(self):
        source = LAUNCH + """template<int A, int B> struct Grow { static const int value = Grow<A - 1, B * 2>::value + Grow<A - 1, B * 2 + 1>::value; };
template<int B> struct Grow<0, B> { static const int value = B; };
__global__ void probe(const float* x, float* y, int n) { y[0] = Grow<26, 1>::value; }
"""
        result = self.evaluate(source, compile_timeout_s=2)
        expect(not result["compile"]["ok"], "it compiled")
        expect(result["compile"]["ms"] < 5000, f"it took {result['compile']['ms']} ms")
        self.works()
        return result["compile"]["diagnostics"][0]["message"]

    # ---- memory ----

    def full_gpu(self):
        """Another program holds nearly all memory."""
        with Hog(self.device) as hog:
            hog.leave(1 << 30)
            files = probe(n=1 << 28)
            try:
                with Worker(self.program) as worker:
                    worker.evaluate(files, candidate="candidate.cu", device=self.device, stages=["verify"])
                raise Failed("it fitted")
            except Refused as error:
                expect("free" in str(error) or "room" in str(error), str(error))
                note = str(error)
        self.works()
        return note

    def larger_than_the_gpu(self):
        try:
            self.worker.evaluate(probe(n=200_000_000_000), candidate="candidate.cu", device=self.device, stages=["verify"])
            raise Failed("it fitted")
        except Refused as error:
            note = str(error)
        self.works()
        return note

    # ---- crowds ----

    def two_workers(self):
        results = {}

        def run(name):
            try:
                with Worker(self.program) as worker:
                    for _ in range(3):
                        self.works(worker)
                    results[name] = self.evaluate(worker=worker, stages=["verify", "bench"])["bench"]["median_us"]
            except (Failed, Refused, TimeoutError, EOFError) as error:
                results[name] = error

        threads = [threading.Thread(target=run, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results.values():
            expect(isinstance(result, float), str(result))
        return ", ".join(f"{result:.2f} µs" for result in results.values())

    def fault_beside_another(self):
        """A neighbour's fault must not reach a worker on the same GPU."""
        with Worker(self.program) as other:
            self.works(other)
            self.evaluate(FAULTS["illegal access"][0], worker=other)
            self.works()
            self.works(other)

    # ---- the command line ----

    def command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in probe(FAULTS["illegal access"][0]).items():
                pathlib.Path(folder, name).write_text(text)
            done = subprocess.run([self.kw, "eval", folder, "--candidate", "candidate.cu", "--device", self.device],
                                  capture_output=True, text=True, timeout=120)
            expect(done.returncode == 1, f"exit {done.returncode}: {done.stderr}")
            expect("usable again" in done.stdout, f"no recovery time in: {done.stdout}")
            done = subprocess.run([self.kw, "eval", folder, "--device", self.device], capture_output=True, text=True,
                                  timeout=120)
            expect(done.returncode == 0, f"exit {done.returncode}: {done.stderr}")
            return next(line for line in done.stdout.splitlines() if line.startswith("bench")).strip()

    def bundled(self, folder, candidate):
        result = self.worker.evaluate(read_task(folder), candidate=candidate, device=self.device,
                                      stages=["verify", "bench", "reward"])
        expect(result["verify"]["ok"], result["verify"].get("because"))
        bench = result["bench"]
        expect(not bench.get("wrong") and bench["median_us"] > 0, bench.get("problem"))
        against = ", ".join(f"{baseline['ratio']:.2f}× {baseline['name']}" for baseline in bench["baselines"])
        return f"{bench['median_us']:.2f} µs, {against}, reward {result['reward']['value']}"

    def run(self):
        for name in FAULTS:
            self.check(f"fault: {name}", lambda name=name: self.fault(name))
        self.check("line of a failed assert", self.assert_line)
        self.check("line and thread of an access", self.both_parties)
        self.check("refused: too much shared memory", self.too_much_shared)
        self.check("refused: cooperative grid too large", self.too_large_cooperative)
        self.check("wrong result", self.wrong_result)
        self.check("what a kernel prints", self.prints)
        self.check("what a kernel prints, in masses", self.prints_much)
        self.check("child killed from outside", self.killed_from_outside)
        self.check("cancelled while a kernel runs", self.cancelled)
        self.check("compilation without an end", self.endless_compilation)
        self.check("no room on the GPU", self.full_gpu)
        self.check("larger than the GPU", self.larger_than_the_gpu)
        self.check("live updates", self.streams_live)
        self.check("two workers at once", self.two_workers)
        self.check("a neighbour's fault", self.fault_beside_another)
        self.check("the command line", self.command_line)
        for folder in sorted(path.parent for path in self.tasks.glob("*/task.toml")):
            for source in sorted(folder.glob(f"{folder.name}*.cu")):
                self.check(f"task: {source.stem}", lambda f=folder, c=source.name: self.bundled(f, c))
        self.worker.close()
        print(f"{self.done - self.failures} of {self.done} checks passed")
        return 1 if self.failures else 0


class Hog:
    """A context of this process that holds memory of a GPU."""

    def __init__(self, device):
        index = int(device.split(":")[1]) if ":" in device else 0
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.context = ctypes.c_void_p()
        self.handle = ctypes.c_int()
        self.blocks = []
        self._call("cuInit", 0)
        self._call("cuDeviceGet", ctypes.byref(self.handle), index)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), self.handle)
        self._call("cuCtxSetCurrent", self.context)

    def _call(self, name, *arguments):
        result = getattr(self.cuda, name)(*arguments)
        expect(result == 0, f"{name}: error {result}")

    def leave(self, room):
        """Takes memory until about `room` bytes are free."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self._call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        pointer = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(free.value - room))
        self.blocks.append(pointer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pointer in self.blocks:
            self.cuda.cuMemFree_v2(pointer)
        self.cuda.cuDevicePrimaryCtxRelease_v2(self.handle)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kw", type=pathlib.Path, default=kwworker.default_programs(), help="folder of kw and kw-worker")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--tasks", type=pathlib.Path, default=kwworker.ROOT / "resources" / "tasks")
    parser.add_argument("--only", help="only checks whose name has this in it")
    arguments = parser.parse_args()
    with Worker(arguments.kw / "kw-worker") as worker:
        gpus = [device for device in worker.call("devices")["devices"] if device["kind"] == "cuda"]
    if not gpus:
        print("skipped: kw-worker finds no GPU here")
        return SKIPPED
    print(f"{gpus[0]['name']}, {gpus[0]['arch']}, driver {gpus[0]['driver']}")
    return Checks(arguments).run()


if __name__ == "__main__":
    sys.exit(main())
