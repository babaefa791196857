#include "engine/device/sim/program.h"

namespace kw::sim {
namespace {

Where where_of(const Program& program, const SourceLocation& location) {
    return {location.file < program.files.size() ? program.files[location.file] : std::string{}, location.line,
            location.column};
}

} // namespace

Where Program::innermost(std::uint32_t instruction) const {
    const std::int32_t index = instruction < instrs.size() ? instrs[instruction].location : -1;
    return index < 0 ? Where{} : where_of(*this, locations[static_cast<std::size_t>(index)]);
}

Where Program::in_user_code(std::uint32_t instruction) const {
    const std::int32_t index = instruction < instrs.size() ? instrs[instruction].location : -1;
    if (index < 0) return {};
    const SourceLocation& inner = locations[static_cast<std::size_t>(index)];
    if (inner.inlined_at < 0) return where_of(*this, inner);
    // The kernel's own file is that of its first located instruction.
    std::uint32_t own = inner.file;
    for (const Instr& instr : instrs) {
        if (instr.function != 0 || instr.location < 0) continue;
        std::int32_t outer = instr.location;
        for (int step = 0; step < 64 && locations[static_cast<std::size_t>(outer)].inlined_at >= 0; ++step)
            outer = locations[static_cast<std::size_t>(outer)].inlined_at;
        own = locations[static_cast<std::size_t>(outer)].file;
        break;
    }
    std::int32_t at = index;
    for (int step = 0; step < 64 && at >= 0; ++step) {
        const SourceLocation& location = locations[static_cast<std::size_t>(at)];
        if (location.file == own && location.line > 0) return where_of(*this, location);
        at = location.inlined_at;
    }
    return where_of(*this, inner);
}

} // namespace kw::sim
