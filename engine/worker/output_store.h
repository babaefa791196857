#pragma once

#include "engine/base/descriptor.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/pipeline/outputs.h"
#include "engine/verify/inspection.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace kw::worker {

/// A file without a name, in the folder for temporary files, that another process of this user writes and this one then
/// reads. Gone with the object.
class SharedFile {
public:
    [[nodiscard]] static Result<std::shared_ptr<SharedFile>> create();
    ~SharedFile();
    SharedFile(const SharedFile&) = delete;
    SharedFile& operator=(const SharedFile&) = delete;

    /// What the writer opens; valid while this object lives.
    [[nodiscard]] const std::string& path() const { return path_; }
    /// After the writer is done. Valid while this object lives.
    [[nodiscard]] Result<std::span<const std::byte>> map();

private:
    SharedFile() = default;

    Descriptor file_;
    std::string path_;
    const std::byte* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

/// One run's outputs, and what would run it again.
struct KeptOutputs {
    std::uint64_t handle = 0;
    pipeline::Job job;
    std::vector<pipeline::StoredTensor> stored;
    std::vector<std::shared_ptr<const verify::Inspection>> tensors;
};

/// The outputs that clients look at: the two that were used last. Their values lie in files, as pages that the system
/// may write out; beside them each costs what verify::Inspection says. Any thread may call.
class OutputStore {
public:
    /// Compares the values that `stored` says lie in `file`, and keeps them. Fails where they do not lie there.
    [[nodiscard]] Result<std::shared_ptr<const KeptOutputs>>
    keep(pipeline::Job job, const pipeline::StoredOutputs& stored, std::shared_ptr<SharedFile> file);

    // The methods on a handle: engine/rpc/outputs_client.h has their typed form.

    /// {handle, tensor, what: "cells" | "values", rows, columns, step?, tolerance?} → verify::Cells or Values
    [[nodiscard]] Result<Json> region(const Json& params);
    /// {handle, tensor} → verify::ErrorHistogram
    [[nodiscard]] Result<Json> histogram(const Json& params);
    /// {handle, tensor, atol, rtol} → {elements, mismatches}
    [[nodiscard]] Result<Json> tolerance(const Json& params);
    /// {handle, tensor, index, forward, tolerance?} → {index: number or null}
    [[nodiscard]] Result<Json> next(const Json& params);
    /// {handle} → {}; one that is gone already is no error.
    [[nodiscard]] Result<Json> release(const Json& params);

    struct Element {
        pipeline::Job job; ///< that says who wrote it
        std::string tensor;
    };
    /// {handle, tensor, index}
    [[nodiscard]] Result<Element> element(const Json& params);

private:
    [[nodiscard]] Result<std::shared_ptr<const KeptOutputs>> find(const Json& params);
    struct Tensor {
        std::shared_ptr<const KeptOutputs> kept;
        std::size_t index = 0;
        [[nodiscard]] const verify::Inspection& values() const { return *kept->tensors[index]; }
    };
    /// `tensor` is a name or a number.
    [[nodiscard]] Result<Tensor> find_tensor(const Json& params);

    [[nodiscard]] static std::uint64_t random_start();

    std::mutex mutex_;
    /// Never that of another process: a client may still release what a worker before this one kept.
    std::uint64_t last_handle_ = random_start();
    std::deque<std::shared_ptr<const KeptOutputs>> kept_; ///< used last first
};

} // namespace kw::worker
