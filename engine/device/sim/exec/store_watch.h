#pragma once

#include "engine/device/sim/exec/machine.h"
#include "engine/device/sim/program.h"
#include "engine/device/sim/watch.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

namespace kw::sim {

/// Sees each instruction of launches before it runs. Any worker thread may call note(); a warp is one thread's at a
/// time.
class StoreWatch {
public:
    explicit StoreWatch(const WatchOptions& options) : options_(options) {}

    /// The launches that follow run `program`, which must live until the next call or the end.
    void begin_launch(const Program& program, const device::Dim3& grid, const device::Dim3& block);
    void note(const Warp& warp, const Step* step);
    [[nodiscard]] Watched result() const;

private:
    /// What is known of an instruction before it runs.
    struct Kind {
        bool store = false, atomic = false, wide_address = true, guard_negated = false, made = false, read = false;
        std::uint32_t bytes = 0, address = 0, guard = kNoValue;
        std::int64_t offset = 0;
        // A matrix: `lines` of line_bytes, `stride` elements apart (a row of registers, or kNoValue).
        std::uint32_t lines = 0, line_bytes = 0, element_bytes = 0, stride = kNoValue;
    };
    /// A traced instruction whose result is not there yet.
    struct Pending {
        const Instr* instr = nullptr;
        std::uint32_t index = 0;
        const std::byte* regs = nullptr;
        bool clean = false; ///< no operand is what is looked for
    };

    [[nodiscard]] static Kind classify(const Instr& instr);
    [[nodiscard]] bool touches(std::uint64_t address, std::uint64_t bytes) const {
        return address < options_.begin + options_.bytes && options_.begin < address + bytes;
    }
    [[nodiscard]] std::uint32_t active_lanes(const Warp& warp, const Kind& kind) const;
    void note_store(const Warp& warp, const Step* step, const Kind& kind, std::uint32_t mask);
    void note_matrix(const Warp& warp, const Step* step, const Kind& kind);
    void remember(const Warp& warp, const Step* step, std::uint32_t lane, const Kind& kind, bool whole_warp);
    void follow(const Warp& warp, const Step* step, const Kind& kind, std::uint32_t mask);
    [[nodiscard]] bool is_wanted(const std::byte* row, Type type) const;
    [[nodiscard]] device::Dim3 thread_at(std::uint32_t linear) const;

    const WatchOptions options_;
    const Program* program_ = nullptr;
    std::size_t launch_ = 0;
    bool begun_ = false;
    device::Dim3 grid_{}, block_{};
    std::vector<Kind> kinds_;

    // Of the traced thread, if it is of this launch.
    bool tracing_ = false;
    std::uint64_t traced_block_ = 0;
    std::uint32_t traced_warp_ = 0, traced_lane_ = 0;
    Pending pending_;
    std::optional<Where> origin_;
    std::string what_;

    mutable std::mutex mutex_;
    /// By launch, block and thread.
    std::map<std::tuple<std::size_t, std::uint64_t, std::uint32_t>, StoreSeen> stores_;
    std::uint64_t more_ = 0;
};

} // namespace kw::sim
