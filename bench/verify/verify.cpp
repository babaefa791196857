// Where the time of a verification and of a timing goes, for the bundled task axpby (16 Mi float32): both stages as a
// worker runs them, then the pieces that they are made of, all in milliseconds.
//
//     bench_verify               the device is this machine's memory: only the work around a GPU counts
//     bench_verify cuda[:N]      the same on a GPU, and what copies and allocations cost there
#include "bench/verify/host_device.h"
#include "engine/base/bytes.h"
#include "engine/bench/statistics.h"
#include "engine/pipeline/execute.h"
#include "engine/pipeline/job.h"
#include "engine/pipeline/plan_runner.h"
#include "engine/pipeline/sources.h"
#include "engine/verify/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace kw;

namespace {

constexpr const char* kTask = R"(
name = "axpby"
kernel = "axpby.cu"
reference = "axpby.cu"
[sizes]
n = 16777216
[[case]]
n = 1
[[case]]
n = 4099
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
role = "inout"
fill = "normal"
[scalars]
a = { type = "f32", value = 1.5 }
b = { type = "f32", value = -0.75 }
[tolerance]
atol = 1e-6
rtol = 1e-6
)";
constexpr const char* kKernel = R"(//@ launch axpby<<<ceil_div(n, 256), 256>>>(x, y, a, b, n)
__global__ void axpby(const float* x, float* y, float a, float b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + b * y[i];
}
)";
constexpr std::size_t kBytes = std::size_t{64} << 20;
constexpr int kRuns = 5;

template<class T> T value_of(Result<T> result) {
    if (result) return std::move(*result);
    fmt::print(stderr, "{}\n", describe(result.error()));
    std::exit(3);
}

void check(const Result<void>& result) {
    if (result) return;
    fmt::print(stderr, "{}\n", describe(result.error()));
    std::exit(3);
}

void quiet(std::string_view, double) {}

double ms_of(const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

void row(const char* name, const auto& work) {
    std::array<double, kRuns> times{};
    for (double& time : times) time = ms_of(work);
    std::ranges::sort(times);
    fmt::print("{:<52} {:9.2f}   {:9.2f} … {:.2f}\n", name, times[kRuns / 2], times.front(), times.back());
    std::fflush(stdout);
}

compile::Parameter parameter(std::string type, std::uint32_t offset, std::uint32_t bytes, std::string ptx_type) {
    return {.type = std::move(type),
            .pointer = bytes == 8,
            .offset = offset,
            .bytes = bytes,
            .align = bytes,
            .ptx_type = std::move(ptx_type)};
}

/// Compiled code for the device that runs only this kernel.
pipeline::Source host_source() {
    compile::Kernel kernel;
    kernel.name = kernel.lowered = "axpby";
    kernel.parameters = {parameter("float const*", 0, 8, "u64"), parameter("float*", 8, 8, "u64"),
                         parameter("float", 16, 4, "f32"), parameter("float", 20, 4, "f32"),
                         parameter("int", 24, 4, "u32")};
    return {.file = "axpby.cu", .text = kKernel, .configuration = {}, .ptx = {}, .cubin = {}, .kernels = {kernel}};
}

pipeline::Source gpu_source(const task::Task& task, const task::Files& files, const device::Info& info) {
    const auto compiler = value_of(compile::open_compiler());
    return value_of(pipeline::build_source("axpby.cu", {}, task, files, info, *compiler, {})).source;
}

void time_stages(const pipeline::Job& job, device::Device& device) {
    const auto* host = dynamic_cast<const bench_verify::HostDevice*>(&device);
    const auto without_device = [&](const char* name, const auto& work) {
        if (!host) return row(name, work);
        double around = 0;
        row(name, [&] {
            const double before = host->busy_s;
            around = ms_of(work) - (host->busy_s - before) * 1e3;
        });
        fmt::print("{:<52} {:9.2f}\n", "  of this outside the device, last run", around);
    };
    without_device("verify, 3 size sets of 5 checks", [&] {
        const auto report = value_of(pipeline::run_verify(job, device, {}, quiet));
        if (!report.ok) fmt::print("wrong: {}\n", report.because);
    });
    without_device("bench, a baseline", [&] {
        const auto report = value_of(pipeline::run_bench(job, device, {}, quiet));
        if (report.wrong || !report.problem.empty()) fmt::print("wrong: {}\n", report.problem);
    });
}

void time_pieces(const pipeline::Job& job, const task::Task& task, device::Device& device) {
    const auto& sizes = pipeline::timed_sizes(task);
    pipeline::HostTensors inputs;
    row("inputs, 2 x 64 MiB, normal", [&] { inputs = value_of(pipeline::make_inputs(task, job, sizes, 7)); });
    row("inputs into memory used before",
        [&] { inputs = value_of(pipeline::make_inputs(task, job, sizes, 7, std::move(inputs))); });
    row("a std::vector of 64 MiB, made and freed", [] {
        const std::vector<std::byte> bytes(kBytes);
        if (bytes.back() != std::byte{}) std::abort();
    });
    const std::array<std::int64_t, 1> shape{static_cast<std::int64_t>(kBytes / 4)};
    row("comparison of an output, 64 MiB", [&] {
        if (!verify::compare(inputs[1], inputs[1], task::ScalarType::f32, shape, {}).ok()) std::abort();
    });
    row("tolerance against poison and zeros, 64 MiB",
        [&] { static_cast<void>(verify::too_lenient(inputs[1], task::ScalarType::f32, {}, pipeline::kPoison)); });
    Bytes host(kBytes);
    row("copy on the host by threads, 64 MiB", [&] { copy_bytes(host, inputs[1]); });
    row("comparison of an input, 64 MiB", [&] {
        if (!same_bytes(host, inputs[1])) std::abort();
    });
    row("comparison of an input by one thread, 64 MiB", [&] {
        if (std::memcmp(host.data(), inputs[1].data(), kBytes) != 0) std::abort();
    });
    const auto buffer = value_of(device.allocate(kBytes, "buffer"));
    row("device: upload, 64 MiB", [&] { check(device.upload(buffer, inputs[0])); });
    row("device: download, 64 MiB", [&] { check(device.download(host, buffer)); });
    row("device: fill, 64 MiB", [&] {
        check(device.fill(buffer, kBytes, pipeline::kPoison));
        value_of(device.synchronize({}));
    });
    device.release(buffer);
    row("device: allocate and release, 64 MiB", [&] { device.release(value_of(device.allocate(kBytes, "buffer"))); });
    row("device: load the code", [&] { value_of(pipeline::LoadedSource::load(job.candidate, task, device)); });
    const auto loaded = value_of(pipeline::LoadedSource::load(job.candidate, task, device));
    auto run = value_of(loaded.instantiate(sizes));
    check(run.prepare(inputs));
    const device::Work work{.label = "axpby", .run = [&](std::size_t) { return run.run({}); }, .prepare = {}};
    std::size_t samples = 0;
    row("device: timing of one work", [&] {
        const auto measured = value_of(device.measure({&work, 1}, {.noise = bench::relative_noise}, {}, quiet));
        samples = measured.front().samples_us.size();
    });
    fmt::print("  samples of the last: {}\n", samples);
    row("device: timing until the first sample",
        [&] { value_of(device.measure({&work, 1}, {.min_seconds = 0, .min_samples = 1}, {}, quiet)); });
    row("task.toml, parsed", [&] { value_of(task::parse_task(job.files)); });
    row("the job, to JSON text and back",
        [&] { value_of(pipeline::job_from_json(Json::parse(pipeline::to_json(job).dump()))); });
}

} // namespace

int main(int argc, char** argv) {
    const std::string id = argc > 1 ? argv[1] : "host";
    std::unique_ptr<device::Device> device = std::make_unique<bench_verify::HostDevice>();
    if (id != "host") device = value_of(pipeline::open_device(id));
    pipeline::Job job;
    job.files = {{"task.toml", kTask}, {"axpby.cu", kKernel}};
    const auto task = value_of(task::parse_task(job.files));
    job.candidate = id == "host" ? host_source() : gpu_source(task, job.files, device->info());
    job.reference = job.candidate;
    job.baselines = {job.candidate};
    job.options.flush_l2 = true;
    job.seed = 7;
    fmt::print("{:<52} {:>9}   {:>9} … largest, of {} runs\n", device->info().name + ", in ms", "median", "smallest",
               kRuns);
    time_stages(job, *device);
    time_pieces(job, task, *device);
}
