#include "engine/verify/inspection.h"

#include "engine/base/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

namespace kw::verify {

Result<void> check_tolerance(const task::Tolerance& tolerance) {
    const auto fine = [](double value) { return std::isfinite(value) && value >= 0; };
    if (fine(tolerance.atol) && fine(tolerance.rtol)) return {};
    return fail(Stage::verify, ErrorCode::invalid_input,
                fmt::format("a tolerance of atol = {} and rtol = {} is none; both must be finite and not negative",
                            tolerance.atol, tolerance.rtol));
}

Inspection::Inspection(std::shared_ptr<const void> owner, std::span<const std::byte> expected,
                       std::span<const std::byte> actual, TensorOutput tensor)
    : owner_(std::move(owner)), tensor_(std::move(tensor)) {
    tensor_.map = map_shape(tensor_.shape);
    data_ = {.expected = expected, .actual = actual, .type = tensor_.type, .map = tensor_.map};
    tensor_.comparison = compare(expected, actual, tensor_.type, tensor_.shape, tensor_.tolerance);
}

Inspection::SharedPyramid Inspection::pyramid(const task::Tolerance& tolerance) const {
    const auto same = [&](const task::Tolerance& other) {
        return other.atol == tolerance.atol && other.rtol == tolerance.rtol;
    };
    const std::scoped_lock lock{mutex_};
    auto& kept = same(tensor_.tolerance) ? own_ : other_;
    if (!kept || !same(kept->tolerance())) kept = std::make_shared<Pyramid>(data_, tolerance);
    return kept;
}

Result<Cells> Inspection::cells(const CellQuery& query) const {
    const auto tolerance = query.tolerance.value_or(tensor_.tolerance);
    if (auto fine = check_tolerance(tolerance); !fine) return std::unexpected(fine.error());
    return pyramid(tolerance)->cells(query.region, query.row_step, query.column_step);
}

Result<Values> Inspection::values(const Region& wanted) const {
    Values values{.region = wanted, .type = tensor_.type, .expected = {}, .actual = {}};
    auto& region = values.region;
    region.row_end = std::min(region.row_end, data_.map.rows);
    region.column_end = std::min(region.column_end, data_.map.columns);
    if (region.row >= region.row_end || region.column >= region.column_end)
        return fail(Stage::verify, ErrorCode::invalid_input,
                    fmt::format("the region is empty or lies outside the map of {} × {} elements", data_.map.rows,
                                data_.map.columns));
    if (region.rows() > kMostValues || region.columns() > kMostValues || region.rows() * region.columns() > kMostValues)
        return fail(Stage::verify, ErrorCode::invalid_input,
                    fmt::format("{} × {} values are more than the {} of one answer", region.rows(), region.columns(),
                                kMostValues));
    const std::size_t width = task::size_of(tensor_.type);
    for (std::uint64_t row = region.row; row < region.row_end; ++row) {
        const std::uint64_t first = row * data_.map.columns;
        const std::uint64_t end = std::min(first + region.column_end, data_.map.elements);
        const std::uint64_t begin = std::min(first + region.column, end);
        const auto append = [&](std::span<const std::byte> from, std::string& to) {
            to.append(reinterpret_cast<const char*>(from.data() + begin * width), (end - begin) * width);
        };
        append(data_.expected, values.expected);
        append(data_.actual, values.actual);
    }
    return values;
}

ErrorHistogram Inspection::histogram() const {
    const std::scoped_lock lock{mutex_};
    if (!histogram_) histogram_ = make_error_histogram(data_);
    return *histogram_;
}

Result<std::uint64_t> Inspection::mismatches(const task::Tolerance& tolerance) const {
    if (auto fine = check_tolerance(tolerance); !fine) return std::unexpected(fine.error());
    const MisfitOf misfit = misfit_for(tensor_.type);
    const std::size_t width = task::size_of(tensor_.type);
    std::atomic<std::uint64_t> total = 0;
    parallel_for(data_.map.elements, 64 * kBlock, [&](std::uint64_t begin, std::uint64_t end) {
        total += misfit(data_.expected.data() + begin * width, data_.actual.data() + begin * width,
                        static_cast<std::size_t>(end - begin), tolerance)
                     .mismatches;
    });
    return total.load();
}

Result<std::optional<std::uint64_t>> Inspection::next_mismatch(std::uint64_t index, bool forward,
                                                               const std::optional<task::Tolerance>& asked) const {
    const auto tolerance = asked.value_or(tensor_.tolerance);
    if (auto fine = check_tolerance(tolerance); !fine) return std::unexpected(fine.error());
    const std::uint64_t elements = data_.map.elements;
    if (index >= elements)
        return fail(Stage::verify, ErrorCode::invalid_input,
                    fmt::format("{} has {} elements, so there is none at {}", tensor_.name, elements, index));
    const MisfitOf misfit = misfit_for(tensor_.type);
    const std::size_t width = task::size_of(tensor_.type);
    const auto fails = [&](std::uint64_t begin, std::uint64_t end) {
        return misfit(data_.expected.data() + begin * width, data_.actual.data() + begin * width,
                      static_cast<std::size_t>(end - begin), tolerance)
                   .mismatches
               > 0;
    };
    // The first or last failing element of [begin, end), a block at a time.
    const auto search = [&](std::uint64_t begin, std::uint64_t end) -> std::optional<std::uint64_t> {
        while (begin < end) {
            const std::uint64_t n = std::min<std::uint64_t>(kBlock, end - begin);
            const std::uint64_t from = forward ? begin : end - n;
            if (fails(from, from + n)) {
                for (std::uint64_t k = 0; k < n; ++k) {
                    const std::uint64_t at = forward ? from + k : from + n - 1 - k;
                    if (fails(at, at + 1)) return at;
                }
            }
            if (forward)
                begin += n;
            else
                end -= n;
        }
        return std::nullopt;
    };
    auto found = forward ? search(index + 1, elements) : search(0, index);
    if (!found) found = forward ? search(0, index + 1) : search(index, elements);
    return found;
}

} // namespace kw::verify
