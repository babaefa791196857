#pragma once

#include "engine/verify/output_source.h"

#include <memory>
#include <mutex>
#include <optional>

namespace kw::verify {

/// One tensor's expected and actual values, and everything that is asked about them. Any thread may ask; pyramids and
/// the histogram are made by the first question that needs them and kept: two pyramids, that of the task's tolerance
/// and that of the last other one.
class Inspection {
public:
    /// `owner` keeps alive what the spans point to. Both hold product(shape) elements.
    Inspection(std::shared_ptr<const void> owner, std::span<const std::byte> expected,
               std::span<const std::byte> actual, TensorOutput tensor);

    /// With the comparison filled in.
    [[nodiscard]] const TensorOutput& tensor() const { return tensor_; }
    [[nodiscard]] Result<Cells> cells(const CellQuery& query) const;
    [[nodiscard]] Result<Values> values(const Region& region) const;
    [[nodiscard]] ErrorHistogram histogram() const;
    [[nodiscard]] Result<std::uint64_t> mismatches(const task::Tolerance& tolerance) const;
    [[nodiscard]] Result<std::optional<std::uint64_t>>
    next_mismatch(std::uint64_t index, bool forward, const std::optional<task::Tolerance>& tolerance) const;

private:
    using SharedPyramid = std::shared_ptr<const Pyramid>;
    [[nodiscard]] SharedPyramid pyramid(const task::Tolerance& tolerance) const;

    std::shared_ptr<const void> owner_;
    OutputData data_;
    TensorOutput tensor_;
    mutable std::mutex mutex_; ///< guards the rest; held while they are made, so that nothing is made twice
    mutable SharedPyramid own_, other_;
    mutable std::optional<ErrorHistogram> histogram_;
};

/// Finite and not negative; a sentence otherwise.
[[nodiscard]] Result<void> check_tolerance(const task::Tolerance& tolerance);

} // namespace kw::verify
