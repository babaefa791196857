#pragma once

#include "engine/device/counters.h"
#include "engine/device/sim/exec/machine.h"
#include "engine/device/sim/program.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace kw::sim {

class StoreWatch;
class TouchWatch;

/// Counts what a launch does, per instruction. note() is called before each executed instruction; every worker thread
/// has its own numbers, only the map of touched sectors is common.
class LaunchCounter {
public:
    /// `workers` threads; `sectors` 32-byte sectors of global memory from its lowest address on.
    LaunchCounter(const Program& program, std::uint32_t workers, std::uint64_t sectors);

    void note(const Warp& warp, const Step* step, std::uint32_t worker);
    /// Instructions go to `watch` instead of being counted.
    void divert_to(StoreWatch* watch) { watch_ = watch; }
    void divert_to(TouchWatch* watch) { touches_ = watch; }

    [[nodiscard]] device::Events total() const;
    /// By innermost source line, in the order of files and lines; line 0 holds what has no position.
    [[nodiscard]] std::vector<device::LineEvents> by_line() const;

private:
    /// What is known of an instruction before it runs.
    struct Kind {
        std::uint64_t device::Events::* pipe = nullptr;
        std::uint64_t device::Events::* flops = nullptr;
        std::uint32_t flops_per_thread = 0;
        bool memory = false, store = false, atomic = false, branch = false, barrier = false, elided = false;
        Space space = Space::generic;
        bool wide_address = true;
        std::uint32_t bytes = 0; ///< per lane
        std::uint32_t address = 0, guard = kNoValue;
        std::uint32_t address_lanes = 0xffffffff; ///< those whose addresses count
        /// A wmma fragment: `lines` of the matrix that lie `stride` elements apart (a row of registers, or kNoValue:
        /// one after the other).
        std::uint32_t lines = 0, line_bytes = 0, element_bytes = 0, stride = kNoValue;
        std::uint64_t device::Events::* tensor_flops = nullptr; ///< of a type that has a counter of its own
        bool guard_negated = false;
        std::int64_t offset = 0;
    };

    [[nodiscard]] static Kind classify(const Instr& instr);
    void note_memory(const Warp& warp, const Kind& kind, std::uint32_t mask, device::Events& events);
    void note_fragment(const Warp& warp, const Kind& kind, device::Events& events);
    /// One request: `bytes` at each of the addresses, which it may reorder.
    void note_request(const Kind& kind, std::uint32_t bytes, std::span<std::uint64_t> address, device::Events& events);
    void note_shared(const Kind& kind, std::uint32_t bytes, std::span<const std::uint64_t> address,
                     device::Events& events);
    void note_branch(const Warp& warp, const Kind& kind, device::Events& events);
    bool touch(std::uint64_t sector, std::vector<std::atomic<std::uint64_t>>& map);

    const Program& program_;
    StoreWatch* watch_ = nullptr;
    TouchWatch* touches_ = nullptr;
    std::vector<Kind> kinds_;
    std::vector<std::vector<device::Events>> events_; ///< worker, instruction
    std::vector<std::atomic<std::uint64_t>> read_;
    std::vector<std::atomic<std::uint64_t>> written_;
};

} // namespace kw::sim
