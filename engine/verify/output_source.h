#pragma once

#include "engine/base/result.h"
#include "engine/device/device.h"
#include "engine/verify/compare.h"
#include "engine/verify/error_histogram.h"
#include "engine/verify/output_map.h"
#include "engine/verify/value.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// What is asked about the outputs of one run, whoever holds them.
namespace kw::verify {

/// One output tensor of a run.
struct TensorOutput {
    std::string name;
    task::ScalarType type = task::ScalarType::f32;
    std::vector<std::int64_t> shape;
    MapShape map;
    task::Tolerance tolerance; ///< the task's
    Comparison comparison;     ///< under it
};

struct CellQuery {
    std::size_t tensor = 0;
    Region region;
    std::uint64_t row_step = 1, column_step = 1;
    std::optional<task::Tolerance> tolerance{}; ///< instead of the task's
};

/// The most elements of one answer with values.
inline constexpr std::uint64_t kMostValues = std::uint64_t{1} << 16;

/// Elements of a region, row-major, as they lie in memory. Where the map's last row is short, so is this.
struct Values {
    Region region;
    task::ScalarType type = task::ScalarType::f32;
    std::string expected, actual;
};

/// A store into an element, as the simulator saw it.
struct Write {
    std::string kernel;     ///< as code calls it
    std::size_t launch = 0; ///< in the plan, from 0
    device::Dim3 block{0, 0, 0}, thread{0, 0, 0};
    Where where{};
    bool atomic = false;
    bool whole_warp = false; ///< a matrix that a warp stores together; `thread` is its first
};

/// Where a value that is not finite came from: the first instruction of the writing thread that made one.
struct Origin {
    Where where{};
    std::string what; ///< one sentence
};

struct WriterReport {
    std::vector<Write> writes; ///< the last of each thread, in the order of launches, at most 16
    std::uint64_t more = 0;    ///< threads beyond these
    std::optional<Origin> origin{};
    std::string note; ///< why nothing is known, or how it was found
};

/// Answers come once each, on any thread, in any order; none comes after the source is gone.
class OutputSource {
public:
    template<class T> using Answer = std::function<void(Result<T>)>;

    virtual ~OutputSource() = default;
    virtual void cells(const CellQuery& query, Answer<Cells> answer) = 0;
    /// Of at most kMostValues elements.
    virtual void values(std::size_t tensor, const Region& region, Answer<Values> answer) = 0;
    virtual void histogram(std::size_t tensor, Answer<ErrorHistogram> answer) = 0;
    /// How many elements fail, exactly.
    virtual void mismatches(std::size_t tensor, const task::Tolerance& tolerance, Answer<std::uint64_t> answer) = 0;
    /// The nearest element that fails after (or before) `index`, going round at the ends; nothing where none does.
    virtual void next_mismatch(std::size_t tensor, std::uint64_t index, bool forward,
                               const std::optional<task::Tolerance>& tolerance,
                               Answer<std::optional<std::uint64_t>> answer) = 0;
    /// May take seconds: the run is repeated on the simulator.
    virtual void writers(std::size_t tensor, std::uint64_t index, Answer<WriterReport> answer) = 0;
    /// A question about writers that is under way is to end soon; it is answered with ErrorCode::cancelled.
    virtual void cancel_writers() {}
};

} // namespace kw::verify
