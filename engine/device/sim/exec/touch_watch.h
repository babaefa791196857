#pragma once

#include "engine/device/sim/exec/machine.h"
#include "engine/device/sim/program.h"
#include "engine/device/sim/touch.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kw::sim {

/// Sees each instruction of launches before it runs, on one thread.
class TouchWatch {
public:
    explicit TouchWatch(std::span<const MemoryRange> ranges);

    /// The launches that follow run `program`, which must live until the next call or the end.
    void begin_launch(const Program& program);
    void note(const Warp& warp, const Step* step);
    [[nodiscard]] Touched take() { return std::move(touched_); }

private:
    /// One address operand of an instruction.
    struct Part {
        bool reads = false, writes = false, wide = true, once = false; ///< once: of the first active lane alone
        std::uint32_t row = kNoValue, bytes = 0;
        std::uint32_t length_row = kNoValue; ///< where the number of bytes is a value
        std::int64_t offset = 0;
        // A matrix: `lines` of `bytes`, `stride` elements apart (a row of registers, or kNoValue).
        std::uint32_t lines = 0, element_bytes = 0, stride = kNoValue;
    };
    struct Kind {
        std::uint32_t guard = kNoValue;
        bool guard_negated = false, touches = false;
        Part part;
    };

    [[nodiscard]] static Kind classify(const Instr& instr);
    void note_access(const Part& part, std::uint64_t address, std::uint64_t bytes, std::size_t index);

    struct Sorted {
        MemoryRange range;
        std::size_t index = 0;
    };
    std::vector<Sorted> ranges_;
    Touched touched_;
    const Program* program_ = nullptr;
    std::vector<std::uint64_t>* executed_ = nullptr;
    std::vector<Kind> kinds_;
};

} // namespace kw::sim
