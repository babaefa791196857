#!/usr/bin/env python3
"""One launch of axpby for another profiler to look at: the kernel of resources/tasks/axpby at the size that is timed.

    launcher.py compile FILE.cubin ARCH [NVRTC]    makes the code, as Kernelwright does, with NVRTC
    launcher.py run FILE.cubin                     loads it and launches it once

Only Python's standard library is needed.
"""

import ctypes
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
N = 16777216
BLOCK = 256
KERNEL = b"_Z5axpbyPKfPfffi"


def check(result, what):
    if result != 0:
        sys.exit(f"launcher: {what}: error {result}")


def nvrtc(name):
    for candidate in [name] if name else ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"]:
        try:
            return ctypes.CDLL(candidate)
        except OSError:
            continue
    sys.exit("launcher: there is no libnvrtc; name it as the last argument")


def compile_cubin(path, arch, library):
    rtc = nvrtc(library)
    program = ctypes.c_void_p()
    source = (ROOT / "resources" / "tasks" / "axpby" / "axpby.cu").read_bytes()
    check(rtc.nvrtcCreateProgram(ctypes.byref(program), source, b"axpby.cu", 0, None, None), "create program")
    words = [f"-arch={arch}".encode(), b"-std=c++20", b"-lineinfo", f"-DBLOCK={BLOCK}".encode()]
    check(rtc.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words)), "compile")
    size = ctypes.c_size_t()
    check(rtc.nvrtcGetCUBINSize(program, ctypes.byref(size)), "size of the cubin")
    code = ctypes.create_string_buffer(size.value)
    check(rtc.nvrtcGetCUBIN(program, code), "cubin")
    pathlib.Path(path).write_bytes(code.raw)


def run(path):
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context, module, function = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    check(cuda.cuInit(0), "cuInit")
    check(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "context")
    check(cuda.cuCtxSetCurrent(context), "context")
    check(cuda.cuModuleLoadData(ctypes.byref(module), pathlib.Path(path).read_bytes()), "load")
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, KERNEL), "find the kernel")
    x, y = ctypes.c_uint64(), ctypes.c_uint64()
    for pointer in (x, y):
        check(cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(4 * N)), "allocate")
        check(cuda.cuMemsetD32_v2(pointer, 0x3F800000, ctypes.c_size_t(N)), "fill")
    values = [x, y, ctypes.c_float(1.5), ctypes.c_float(-0.75), ctypes.c_int(N)]
    parameters = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.pointer(value), ctypes.c_void_p) for value in values])
    check(cuda.cuLaunchKernel(function, (N + BLOCK - 1) // BLOCK, 1, 1, BLOCK, 1, 1, 0, None, parameters, None), "launch")
    check(cuda.cuCtxSynchronize(), "run")


if __name__ == "__main__":
    if len(sys.argv) in (4, 5) and sys.argv[1] == "compile":
        compile_cubin(sys.argv[2], sys.argv[3], sys.argv[4] if len(sys.argv) == 5 else None)
    elif len(sys.argv) == 3 and sys.argv[1] == "run":
        run(sys.argv[2])
    else:
        sys.exit(__doc__)
