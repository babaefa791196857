#pragma once

#include "engine/base/result.h"
#include "engine/compile/compiler.h"
#include "engine/device/sim/ptx_module.h"
#include "engine/task/plan.h"

#include <bitset>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

/// Which data reaches which memory in a compiled plan: a flow-insensitive data-flow analysis over the PTX of all
/// launches together. Memory is one object per buffer of the plan, per module variable, per variable in
/// shared memory, and one for the local memory of a launch. It errs on the side of more: what it says does not reach an
/// output cannot reach it through any instruction that it knows.
namespace kw::audit {

inline constexpr std::size_t kMostBuffers = 64, kMostVariables = 64, kMostShared = 16;

/// Sources of data. Buffers beyond kMostBuffers share the last label, variables and those in shared memory likewise.
enum Label : std::size_t {
    kBufferAddress = 0,
    kBufferContent = kBufferAddress + kMostBuffers,
    kVariableAddress = kBufferContent + kMostBuffers,
    kVariableContent = kVariableAddress + kMostVariables,
    kVariableCopy =
        kVariableContent + kMostVariables, ///< an element of the variable, at an index of no input's making, as it is
    kTime = kVariableCopy + kMostVariables,
    kLaunch,
    kPlace,
    kNarrow,       ///< went through a float of fewer bits than f32
    kNarrowDouble, ///< went from f64 to f32
    kLocalAddress,
    kSharedAddress,
    kParamAddress = kSharedAddress + kMostShared,
    kHeapAddress,
    kLabels,
};
using Labels = std::bitset<kLabels>;

/// What is known of a value. `any` holds `data` and what it depends on by an address or a branch.
struct Value {
    Labels data, any;
    /// Returns whether it grew.
    bool add(const Value& other);
};

/// A kernel launch of the plan with its arguments.
struct LaunchArguments {
    std::string lowered;
    std::vector<std::int64_t> buffers; ///< by parameter: index of the plan's buffer, or −1 for a value
};

/// A constant that a store leaves in a buffer.
struct StoredConstant {
    std::uint64_t bits = 0;
    Where where{};
};

struct Object {
    std::string name;
    Value content;
    bool written = false, read = false;
    bool surely_written = false; ///< by a store that can go nowhere else
    bool chosen = false;         ///< what is read of it, or whether anything is, depends on what inputs hold
    Where first_write{}, first_read{};
    /// Where a label of `content.any` came in, by the store that brought it.
    std::map<std::size_t, Where> arrivals{};
    std::vector<StoredConstant> constants{}; ///< distinct values stored that are immediates
};

/// Memory that is addressed neither through a parameter nor through a variable.
struct WildAccess {
    Where where{};
    std::string kernel;
    bool store = false;
};

/// A value of an input, as it was read, compared for equality with a constant that nothing suggests.
struct Fingerprint {
    Where where{};
    std::string constant;
};

struct Flow {
    std::vector<Object> buffers;   ///< of the plan
    std::vector<Object> variables; ///< of the module, as ptx::Module::variables
    std::vector<WildAccess> wild;
    std::vector<Fingerprint> fingerprints;
    std::map<std::string, Where, std::less<>> calls; ///< functions without a body that are called
    std::map<std::size_t, Where> introduced;         ///< kTime, kLaunch, kPlace, kNarrow: where first
};

/// `buffers` are the plan's; those among `inputs` (indices) are what results should depend on.
[[nodiscard]] Flow analyze(const sim::ptx::Module& module, std::span<const LaunchArguments> launches,
                           std::span<const task::Buffer> buffers, const std::vector<bool>& inputs);

/// The position of an instruction in the candidate's own code: the outermost of inlined ones; file empty when unknown.
[[nodiscard]] Where place_of(const sim::ptx::Module& module, std::int32_t location);

} // namespace kw::audit
