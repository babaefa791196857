#pragma once

#include "engine/audit/finding.h"
#include "engine/task/expression.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// What runs and times of a candidate add to what its code said.
namespace kw::audit {

/// How much of an input a run on the simulator read.
struct InputUse {
    std::string tensor;
    double fraction = 0; ///< of its bytes
    bool chosen = false; ///< which bytes, or whether any, depends on what inputs hold
};

/// How far an output is from the reference's: the sum of |error| over the sum of |expected|.
struct OutputError {
    std::string tensor;
    double relative = 0;
    double limit = 0; ///< that computing with all bits of its type does not reach
};

/// Floating-point operations that a run makes at the timed sizes, of one of the chip's pipes.
struct Operations {
    std::string pipe; ///< fp32, fp64, fp16, tensor, tensor_bf16 or tensor_tf32
    double count = 0;
};

/// A device variable whose value at the start of a run was an earlier run's and was read.
struct Carried {
    std::string variable;
    Where where{}; ///< of the first read
};

/// What running the candidate several times on the simulator showed.
struct Probe {
    bool ran = false;
    std::string why_not{}; ///< a clause, when it did not run
    task::Sizes sizes{};
    std::vector<Finding> findings{};
    std::vector<Carried> carried{};
    std::vector<InputUse> inputs{};
    std::vector<OutputError> errors{};    ///< of outputs that are f32 or f64
    std::vector<Operations> operations{}; ///< counted for what a GPU was timed at, where that takes no time
    double milliseconds = 0;
};
[[nodiscard]] Json to_json(const Probe& probe);
/// Throws Json::exception on a malformed value.
[[nodiscard]] Probe probe_from_json(const Json& json);

/// Rounding to f16 or tf32 (10 bits of mantissa) leaves errors of about 2⁻¹² = 2.4e-4 in each value, bf16 eight times
/// that; sums in f32 in another order less than 1e-6, the approximate functions of the hardware 1e-6 (ex2, rcp) to 1e-4
/// (tanh, which nothing but a suspicion is made of).
inline constexpr double kNarrowError = 3e-5;
/// Of f64: f32 leaves 1e-8, sums in another order 1e-14.
inline constexpr double kNarrowDoubleError = 1e-10;

/// Adds what a probe found to the findings of the code, and weighs these anew: state that a run does not hand on is
/// harmless, rounding that shows in the results is not.
void weigh(std::vector<Finding>& findings, const Probe& probe);

/// What was timed, and what the work must move. Bytes are those of the timed sizes.
struct Timing {
    std::string device{};
    double median_us = 0;
    bool estimated = false;
    bool cold = true;
    double read_bytes = 0;  ///< of inputs, that a run must read whatever they hold
    double write_bytes = 0; ///< of outputs
    /// Of an estimate: distinct bytes that the counted launches read and wrote, scratch included.
    std::optional<double> counted_read{}, counted_written{};
    // Of the GPU's data sheet; 0: not known.
    double dram_gbps = 0;
    double l2_bytes = 0;
    double operations = 0;      ///< floating-point operations of one pipe at the timed sizes; 0: not known
    double peak_tera_per_s = 0; ///< of that pipe
};

[[nodiscard]] std::vector<Finding> judge_timing(const Timing& timing);

} // namespace kw::audit
