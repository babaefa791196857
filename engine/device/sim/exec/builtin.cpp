// Device functions that the toolkit's headers declare and the driver provides: printf, assert, malloc and free.
#include "engine/device/sim/exec/launch.h"
#include "engine/device/sim/heap.h"

#include <fmt/format.h>
#include <fmt/printf.h>

#include <bit>
#include <cstring>

namespace kw::sim {
namespace {

constexpr std::size_t kMostOutput = std::size_t{1} << 20;
constexpr std::size_t kLongestString = 4096;

/// A lane's memory by generic address; null when [address, address + bytes) is not its to read.
const std::byte* lane_memory(const Warp& warp, std::uint32_t lane, std::uint64_t address, std::uint64_t bytes) {
    if (address - kSharedWindow < kWindowBytes) {
        const std::uint64_t offset = address - kSharedWindow;
        return offset < warp.shared_bytes && warp.shared_bytes - offset >= bytes ? warp.shared + offset : nullptr;
    }
    if (address - kLocalWindow < kWindowBytes) {
        const std::uint64_t offset = address - kLocalWindow;
        return offset < warp.local_stride && warp.local_stride - offset >= bytes
                   ? warp.local + std::size_t{lane} * warp.local_stride + offset
                   : nullptr;
    }
    return warp.launch->memory->host(address, bytes);
}

std::string read_string(const Warp& warp, std::uint32_t lane, std::uint64_t address) {
    std::string text;
    while (text.size() < kLongestString) {
        const std::byte* at = lane_memory(warp, lane, address + text.size(), 1);
        if (!at) break;
        if (*at == std::byte{0}) return text;
        text += static_cast<char>(*at);
    }
    if (text.empty()) text = "(unreadable)";
    return text;
}

template<class T> bool take(const Warp& warp, std::uint32_t lane, std::uint64_t& at, T& out) {
    at = (at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const std::byte* from = lane_memory(warp, lane, at, sizeof(T));
    if (!from) return false;
    std::memcpy(&out, from, sizeof(T));
    at += sizeof(T);
    return true;
}

/// One line of device printf: conversions with flags, width and precision; variadic arguments were promoted as in C.
std::string format_lane(const Warp& warp, std::uint32_t lane, std::string_view format, std::uint64_t arguments) {
    std::string out;
    for (std::size_t index = 0; index < format.size(); ++index) {
        if (format[index] != '%') {
            out += format[index];
            continue;
        }
        if (index + 1 < format.size() && format[index + 1] == '%') {
            out += '%';
            ++index;
            continue;
        }
        std::string spec = "%";
        std::size_t at = index + 1;
        bool wide = false;
        const auto number = [&](bool precision) {
            if (at < format.size() && format[at] == '*') {
                std::int32_t value = 0;
                const bool given = take(warp, lane, arguments, value);
                if (given && precision && value < 0)
                    spec.pop_back(); // as in C: a negative precision is none
                else if (given)
                    spec += fmt::format("{}", std::min(std::max(value, -1000), 1000));
                ++at;
                return;
            }
            int digits = 0;
            while (at < format.size() && format[at] >= '0' && format[at] <= '9') {
                if (digits++ < 3) spec += format[at];
                ++at;
            }
        };
        while (at < format.size() && std::string_view("-+ #0").find(format[at]) != std::string_view::npos)
            spec += format[at++];
        number(false);
        if (at < format.size() && format[at] == '.') {
            spec += format[at++];
            number(true);
        }
        while (at < format.size() && std::string_view("hljztL").find(format[at]) != std::string_view::npos) {
            if (format[at] == 'l' || format[at] == 'j' || format[at] == 'z' || format[at] == 't') wide = true;
            ++at;
        }
        const char kind = at < format.size() ? format[at] : '\0';
        bool read = true;
        switch (kind) {
        case 'd':
        case 'i':
            if (wide) {
                std::int64_t value = 0;
                read = take(warp, lane, arguments, value);
                out += fmt::sprintf(spec + "d", value);
            } else {
                std::int32_t value = 0;
                read = take(warp, lane, arguments, value);
                out += fmt::sprintf(spec + "d", value);
            }
            break;
        case 'u':
        case 'x':
        case 'X':
        case 'o':
            if (wide) {
                std::uint64_t value = 0;
                read = take(warp, lane, arguments, value);
                out += fmt::sprintf(spec + kind, value);
            } else {
                std::uint32_t value = 0;
                read = take(warp, lane, arguments, value);
                out += fmt::sprintf(spec + kind, value);
            }
            break;
        case 'c': {
            std::int32_t value = 0;
            read = take(warp, lane, arguments, value);
            out += fmt::sprintf(spec + "c", static_cast<char>(value));
            break;
        }
        case 'f':
        case 'F':
        case 'e':
        case 'E':
        case 'g':
        case 'G':
        case 'a':
        case 'A': {
            double value = 0;
            read = take(warp, lane, arguments, value);
            out += fmt::sprintf(spec + kind, value);
            break;
        }
        case 'p': {
            std::uint64_t value = 0;
            read = take(warp, lane, arguments, value);
            out += fmt::format("{:#x}", value);
            break;
        }
        case 's': {
            std::uint64_t value = 0;
            read = take(warp, lane, arguments, value);
            out += fmt::sprintf(spec + "s", value == 0 ? std::string("(null)") : read_string(warp, lane, value));
            break;
        }
        default: return out + std::string(format.substr(index)); // not a conversion: as it stands
        }
        if (!read) return out + "(unreadable)\n";
        index = at;
    }
    return out;
}

void print(Warp& warp, const CallSite& site, std::uint32_t local_base) {
    std::string text;
    for (std::uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        const std::byte* local = warp.local + std::size_t{lane} * warp.local_stride + local_base;
        std::uint64_t format = 0, arguments = 0;
        std::memcpy(&format, local + site.arguments[0].offset, 8);
        std::memcpy(&arguments, local + site.arguments[1].offset, 8);
        const std::string pattern = read_string(warp, lane, format);
        try {
            text += format_lane(warp, lane, pattern, arguments);
        } catch (const fmt::format_error&) {
            text += pattern; // a conversion that has no meaning: as it stands
        }
        if (!site.results.empty()) {
            const std::int32_t printed = 0;
            std::memcpy(warp.local + std::size_t{lane} * warp.local_stride + local_base + site.results[0].offset,
                        &printed, 4);
        }
        if (text.size() > kMostOutput) break;
    }
    LaunchState& launch = *warp.launch;
    const std::lock_guard lock(launch.mutex);
    if (launch.output_cut) return;
    if (launch.output_bytes + text.size() > kMostOutput) {
        text.resize(kMostOutput - launch.output_bytes);
        launch.output_cut = true;
    }
    launch.output_bytes += text.size();
    launch.output.emplace_back(warp.block->index, std::move(text));
}

const Step* use_heap(Warp& warp, const Step* step, const Instr& instr, const CallSite& site, std::uint32_t local_base) {
    DeviceHeap& heap = *warp.launch->request.heap;
    for (std::uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        std::byte* local = warp.local + std::size_t{lane} * warp.local_stride + local_base;
        std::uint64_t value = 0;
        std::memcpy(&value, local + site.arguments[0].offset, 8);
        if (static_cast<Builtin>(instr.mode) == Builtin::release) {
            if (!heap.release(value)) return raise(warp, step, RawFault::Kind::bad_free, lane, value);
            continue;
        }
        const std::uint64_t address = heap.allocate(value);
        if (address != 0 && warp.shadow) warp.shadow->launch->forget(address, value);
        std::memcpy(local + site.results[0].offset, &address, 8);
    }
    for (const CallSite::Slot& result : site.results)
        note_local_write(warp, local_base + result.offset, result.bytes, warp.mask);
    return step + 1;
}

} // namespace

const Step* call_builtin(Warp& warp, const Step* step) {
    LaunchState& launch = *warp.launch;
    const Program& program = launch.bound->program;
    const Instr& instr = program.instrs[static_cast<std::size_t>(step - warp.steps)];
    const CallSite& site = program.functions[warp.frame->function].calls[instr.call];
    const std::uint32_t local_base = warp.frame->local_base;
    if (static_cast<Builtin>(instr.mode) == Builtin::vprintf) {
        print(warp, site, local_base);
        for (const CallSite::Slot& result : site.results)
            note_local_write(warp, local_base + result.offset, result.bytes, warp.mask);
        return step + 1;
    }
    if (static_cast<Builtin>(instr.mode) != Builtin::assertfail) return use_heap(warp, step, instr, site, local_base);
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(warp.mask));
    const std::byte* local = warp.local + std::size_t{lane} * warp.local_stride + local_base;
    std::uint64_t message = 0, file = 0, function = 0;
    std::uint32_t line = 0;
    std::memcpy(&message, local + site.arguments[0].offset, 8);
    std::memcpy(&file, local + site.arguments[1].offset, 8);
    std::memcpy(&line, local + site.arguments[2].offset, 4);
    std::memcpy(&function, local + site.arguments[3].offset, 8);
    {
        const std::lock_guard lock(launch.mutex);
        if (launch.fault_text.empty())
            launch.fault_text = fmt::format("assertion \"{}\" failed in {} at {}:{}", read_string(warp, lane, message),
                                            read_string(warp, lane, function), read_string(warp, lane, file), line);
    }
    return raise(warp, step, RawFault::Kind::assertion, lane);
}

} // namespace kw::sim
