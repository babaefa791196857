#include "engine/base/descriptor.h"
#include "engine/pipeline/checking.h"
#include "engine/pipeline/outputs.h"
#include "engine/pipeline/plan_runner.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

namespace kw::pipeline {
namespace {

/// Appends to the job's file.
class Store {
public:
    [[nodiscard]] static Result<Store> open(const std::string& path) {
        Store store;
        store.file_ = Descriptor{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
        if (!store.file_)
            return fail(Stage::environment, ErrorCode::internal,
                        fmt::format("the file for the outputs cannot be opened: {}", std::strerror(errno)));
        return store;
    }
    /// The offset at which they begin.
    [[nodiscard]] Result<std::uint64_t> append(std::span<const std::byte> bytes) {
        const std::uint64_t at = size_;
        if (auto done = write_all(file_.get(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()}); !done)
            return fail(
                Stage::environment, ErrorCode::device,
                fmt::format("the outputs cannot be kept: {}; free some space in $TMPDIR or make [sizes] smaller",
                            done.error().message));
        size_ += bytes.size();
        return at;
    }

private:
    Descriptor file_;
    std::uint64_t size_ = 0;
};

} // namespace

Result<StoredOutputs> run_outputs(const Job& job, device::Device& device, std::stop_token stop,
                                  const Progress& progress) {
    const auto start = std::chrono::steady_clock::now();
    const auto task = task::parse_task(job.files);
    if (!task) return std::unexpected(task.error());
    if (job.inspect.case_index >= task->cases.size())
        return fail(Stage::usage, ErrorCode::invalid_input, fmt::format("there is no case {}", job.inspect.case_index));
    auto store = Store::open(job.inspect.store);
    if (!store) return std::unexpected(store.error());
    const auto reference = load_optional(job.reference, *task, device);
    if (!reference) return std::unexpected(reference.error());
    const auto candidate = LoadedSource::load(job.candidate, *task, device);
    if (!candidate) return std::unexpected(candidate.error());
    const auto sizes = verify_sizes(*task, job.inspect.case_index, device.info().kind);
    const auto inputs = make_inputs(*task, job, sizes, job.seed);
    if (!inputs) return std::unexpected(inputs.error());
    // As in verification: the candidate's memory is not what the reference has had.
    auto run = candidate->instantiate(sizes);
    if (!run) return std::unexpected(run.error());
    progress(std::string(kTrustedPhase), -1);
    Outputs outputs;
    if (auto found = find_expected(job, *task, reference->get(), sizes, job.seed, *inputs, outputs, stop, device);
        !found)
        return std::unexpected(found.error());
    progress("run", -1);
    if (auto done = run->prepare(*inputs); !done) return std::unexpected(done.error());
    auto outcome = run->run(stop);
    StoredOutputs result;
    if (outcome && !outcome->fault) {
        append_output(result.output, outcome->output);
        outcome = device.synchronize(stop);
    }
    if (!outcome) return std::unexpected(outcome.error());
    append_output(result.output, outcome->output);
    result.fault = std::move(outcome->fault);
    result.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (device.lost()) {
        result.problem = "the fault has made the GPU's memory unreadable, so there are no values to look at; run it on "
                         "the simulator to see what was written until then";
        return result;
    }
    for (std::size_t i = 0; i < task->tensors.size(); ++i) {
        const auto& tensor = task->tensors[i];
        if (tensor.role == task::Role::input) continue;
        if (auto done = run->read(i, outputs.actual); !done) return std::unexpected(done.error());
        StoredTensor stored{.name = tensor.name,
                            .index = i,
                            .type = tensor.type,
                            .shape = run->plan().buffers[i].shape,
                            .tolerance = tensor.tolerance.value_or(task->tolerance)};
        stored.bytes = outputs.actual.size();
        auto expected_at = store->append(outputs.expected[i]);
        if (!expected_at) return std::unexpected(expected_at.error());
        auto actual_at = store->append(outputs.actual);
        if (!actual_at) return std::unexpected(actual_at.error());
        stored.expected_at = *expected_at;
        stored.actual_at = *actual_at;
        result.tensors.push_back(std::move(stored));
    }
    return result;
}

} // namespace kw::pipeline
