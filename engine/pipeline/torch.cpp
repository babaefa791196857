#include "engine/pipeline/torch.h"

#include "engine/base/hash.h"
#include "engine/bench/statistics.h"
#include "engine/pipeline/memory.h"
#include "engine/pipeline/plan_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

namespace kw::pipeline {
namespace {

namespace fs = std::filesystem;

/// One run of the problem that a job needs.
struct Wanted {
    task::Sizes sizes;
    std::uint64_t seed = 0;
};

Result<std::vector<Wanted>> wanted_by(const Job& job, const task::Task& task, const device::Info& info) {
    std::vector<Wanted> wanted;
    if (job.kind == Job::Kind::outputs) {
        wanted.push_back({verify_sizes(task, job.inspect.case_index, info.kind), job.seed});
        return wanted;
    }
    const auto& stages = job.options.stages;
    // What the audit lets run, it does on the simulator, whatever the device.
    for (std::size_t i = 0; i < task.cases.size() * kChecksPerCase; ++i) {
        const auto seed = check_seed(job.seed, i);
        auto sizes = verify_sizes(task, i / kChecksPerCase, info.kind);
        auto on_simulator = verify_sizes(task, i / kChecksPerCase, device::Kind::sim);
        if (on_simulator != sizes) wanted.push_back({std::move(on_simulator), seed});
        wanted.push_back({std::move(sizes), seed});
    }
    if (!stages.bench && !stages.profile) return wanted;
    const auto rotations = plan_rotations(task, job, info);
    if (!rotations) return std::unexpected(rotations.error());
    const std::size_t sets = stages.bench ? distinct_inputs(*rotations) : 1;
    for (std::size_t i = 0; i < sets; ++i) wanted.push_back({timed_sizes(task), job.seed + i});
    return wanted;
}

fs::path folder_of(const Job& job, const task::Sizes& sizes, std::uint64_t seed) {
    constexpr std::size_t kTelling = 16;
    return fs::path(job.values) / fmt::format("{}-{}", seed, sha256_hex(task::sizes_text(sizes)).substr(0, kTelling));
}

Result<const std::string*> problem_of(const task::Task& task, const task::Files& files) {
    const auto found = files.find(task.reference);
    if (found == files.end())
        return fail(Stage::task, ErrorCode::not_found,
                    fmt::format("the reference '{}' is not in the task folder", task.reference));
    return &found->second;
}

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

} // namespace

Result<void> give_torch_values(Job& job, const task::Task& task, const task::Files& files, const device::Info& info,
                               TorchRunner& torch, std::stop_token stop, const Progress& progress) {
    const auto problem = problem_of(task, files);
    if (!problem) return std::unexpected(problem.error());
    const auto wanted = wanted_by(job, task, info);
    if (!wanted) return std::unexpected(wanted.error());
    auto folder = std::make_shared<const TemporaryFolder>();
    job.values = folder->path().string();
    if (job.values.empty())
        return fail(Stage::environment, ErrorCode::unsupported, "no temporary folder can be made for PyTorch's values");
    job.values_folder = std::move(folder);
    for (std::size_t i = 0; i < wanted->size(); ++i) {
        if (progress) progress("PyTorch", static_cast<double>(i) / static_cast<double>(wanted->size()));
        const auto& [sizes, seed] = (*wanted)[i];
        std::error_code error;
        if (const auto place = folder_of(job, sizes, seed); !fs::create_directory(place, error))
            return fail(Stage::environment, ErrorCode::unsupported,
                        fmt::format("cannot make {}: {}", place.string(), error.message()));
        if (auto done = torch.compute(task.reference, **problem, sizes, seed, folder_of(job, sizes, seed), stop); !done)
            return done;
    }
    return {};
}

Result<Bytes> read_torch_values(const Job& job, const task::Tensor& tensor, const task::Sizes& sizes,
                                std::uint64_t seed, TorchValues which, Bytes reuse) {
    const auto path = folder_of(job, sizes, seed) / (tensor.name + (which == TorchValues::before ? ".in" : ".out"));
    const auto extent = task::extent_of(tensor.shape, tensor.type, tensor.name, sizes);
    if (!extent) return std::unexpected(extent.error());
    std::error_code error;
    const auto size = fs::file_size(path, error);
    if (error)
        return fail(
            Stage::task, ErrorCode::not_found,
            fmt::format("the PyTorch reference gives no {} '{}'; the names that it gives are those that 'kw task "
                        "new --from-torch' writes",
                        which == TorchValues::before ? "value of" : "result", tensor.name),
            tensor.where);
    if (size != extent->bytes)
        return fail(Stage::task, ErrorCode::invalid_input,
                    fmt::format("tensor '{}' is {} bytes at {}, but the PyTorch reference gives {}", tensor.name,
                                extent->bytes, task::sizes_text(sizes), size),
                    tensor.where);
    reuse.resize(extent->bytes);
    const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
    if (!file || std::fread(reuse.data(), 1, reuse.size(), file.get()) != reuse.size())
        return fail(Stage::environment, ErrorCode::unsupported,
                    fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
    return reuse;
}

Result<void> add_torch_baselines(BenchReport& report, const task::Task& task, const task::Files& files,
                                 std::uint64_t seed, double seconds, TorchRunner& torch, std::stop_token stop,
                                 const Progress& progress) {
    std::vector<std::string> names;
    for (const auto& name : task.baselines)
        if (name == task::kTorchEager || name == task::kTorchCompile) names.push_back(name);
    if (names.empty()) return {};
    const auto problem = problem_of(task, files);
    if (!problem) return std::unexpected(problem.error());
    if (progress) progress("PyTorch baselines", -1);
    const auto host = torch.host(stop);
    if (!host) return std::unexpected(host.error());
    auto times = torch.time(task.reference, **problem, report.sizes, seed, names, seconds, stop);
    if (!times) return std::unexpected(times.error());
    for (const auto& name : names) {
        auto& [samples, why] = (*times)[name];
        BaselineTime baseline{.name = name, .time = {}, .ratio = 0, .ratio_ci = {}, .problem = why};
        if (samples.empty()) {
            if (why.empty()) baseline.problem = "PyTorch gave no time";
        } else if (host->gpu.empty()) {
            baseline.problem = fmt::format("{:.4g} µs on this machine's CPU, which cannot be compared with a GPU",
                                           bench::summarize(samples).median_us);
        } else if (report.estimated) {
            baseline.problem = fmt::format("{:.4g} µs on {}, which cannot be compared with an estimate",
                                           bench::summarize(samples).median_us, host->gpu);
        } else {
            baseline.time = bench::summarize(samples);
            if (report.problem.empty()) {
                baseline.ratio = baseline.time.median_us / report.time.median_us;
                // Measured one after the other by two processes: the ends that favour neither.
                const auto interval = bench::median_interval(samples);
                baseline.ratio_ci = {interval.lo / report.median_ci.hi, interval.hi / report.median_ci.lo};
            }
        }
        report.baselines.push_back(std::move(baseline));
    }
    return {};
}

} // namespace kw::pipeline
