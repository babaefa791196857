#include "engine/device/cuda/fault_text.h"

#include "engine/compile/names.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

namespace kw::cuda {
namespace {

constexpr std::string_view kPrefix = "=========";

/// What stands between two marks, and the rest behind the second; nothing when either is missing.
std::optional<std::string_view> between(std::string_view text, std::string_view before, std::string_view after) {
    const auto start = text.find(before);
    if (start == std::string_view::npos) return std::nullopt;
    text.remove_prefix(start + before.size());
    const auto end = text.find(after);
    if (end == std::string_view::npos) return std::nullopt;
    return text.substr(0, end);
}

template<class Number> std::optional<Number> number_in(std::string_view text, int base = 10) {
    Number value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// "1,0,0"
std::optional<device::Dim3> coordinates_in(std::string_view text) {
    std::array<std::uint32_t, 3> parts{};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto comma = text.find(',');
        if ((comma == std::string_view::npos) != (i == parts.size() - 1)) return std::nullopt;
        const auto part = number_in<std::uint32_t>(text.substr(0, comma));
        if (!part) return std::nullopt;
        parts[i] = *part;
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
    return device::Dim3{parts[0], parts[1], parts[2]};
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

/// "void softmax<(int)256>(const float *, int)" → "softmax"
std::string_view bare_name(std::string_view function) {
    function = function.substr(0, function.find_first_of("(<"));
    const auto space = function.rfind(' ');
    return space == std::string_view::npos ? function : function.substr(space + 1);
}

/// FILE:LINE at the end of `text`.
std::optional<Where> place_in(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    const auto line = number_in<int>(text.substr(colon + 1));
    if (!line) return std::nullopt;
    return Where{compile::task_relative(text.substr(0, colon)), *line, 0};
}

/// Behind "at ": "KERNEL+0x70 in FILE:LINE" since 2023, "0x70 in FILE:LINE:KERNEL" before; either without a place.
void read_position(std::string_view text, device::Fault& fault) {
    const auto in = text.find(" in ");
    const auto head = text.substr(0, in);
    auto tail = in == std::string_view::npos ? std::string_view{} : text.substr(in + 4);
    if (const auto offset = head.rfind("+0x"); offset != std::string_view::npos) {
        fault.kernel = bare_name(head.substr(0, offset));
    } else {
        // The kernel's name may hold colons of its own, in front of its parameters.
        const auto parameters = tail.find('(');
        auto scope = tail.substr(0, parameters).rfind("::");
        auto cut = tail.substr(0, parameters).rfind(':');
        while (scope != std::string_view::npos && scope + 1 == cut) {
            cut = scope == 0 ? std::string_view::npos : tail.substr(0, scope).rfind(':');
            scope = tail.substr(0, scope).rfind("::");
        }
        fault.kernel = bare_name(cut == std::string_view::npos ? tail : tail.substr(cut + 1));
        tail = cut == std::string_view::npos ? std::string_view{} : tail.substr(0, cut);
    }
    if (auto where = place_in(tail)) fault.where = std::move(*where);
}

/// "Invalid __global__ write of size 4 bytes"
bool read_headline(std::string_view line, device::Fault& fault) {
    const auto space = between(line, "Invalid __", "__ ");
    if (!space) return false;
    fault.kind = device::FaultKind::out_of_bounds;
    fault.space = *space;
    constexpr std::string_view kSize = " of size ";
    if (const auto size = line.find(kSize); size != std::string_view::npos) {
        line.remove_prefix(size + kSize.size());
        fault.bytes = number_in<std::uint32_t>(line.substr(0, line.find(' '))).value_or(0);
    }
    return true;
}

void read_detail(std::string_view line, device::Fault& fault) {
    if (line.starts_with("at ")) {
        if (fault.kernel.empty()) read_position(line.substr(3), fault);
    } else if (line.starts_with("by thread ")) {
        if (const auto thread = between(line, "thread (", ")")) fault.thread = coordinates_in(*thread);
        if (const auto block = between(line, "block (", ")")) fault.block = coordinates_in(*block);
    } else if (line.starts_with("Access at 0x") || line.starts_with("Address 0x")) {
        fault.address = number_in<std::uint64_t>(between(line, " 0x", " is ").value_or(""), 16).value_or(0);
    }
    if (line.ends_with("is misaligned")) fault.kind = device::FaultKind::misaligned;
}

} // namespace

std::optional<device::Fault> fault_from_assertion(std::string_view printed) {
    for (const auto line : lines_of(printed)) {
        const auto expression = between(line, "Assertion `", "` failed");
        const auto block = between(line, ": block: [", "]");
        const auto thread = between(line, ", thread: [", "]");
        if (!expression || !block || !thread) continue;
        device::Fault fault{.kind = device::FaultKind::assertion,
                            .message = fmt::format("assertion `{}` failed", *expression),
                            .kernel = {},
                            .block = coordinates_in(*block),
                            .thread = coordinates_in(*thread),
                            .space = {},
                            .allocation = {}};
        // FILE:LINE: FUNCTION
        const auto head = line.substr(0, line.find(": block: ["));
        for (auto end = head.find(": "); end != std::string_view::npos; end = head.find(": ", end + 1))
            if (auto where = place_in(head.substr(0, end))) {
                fault.where = std::move(*where);
                fault.kernel = bare_name(head.substr(end + 2));
                break;
            }
        return fault;
    }
    return std::nullopt;
}

std::optional<device::Fault> fault_from_memcheck(std::string_view report) {
    std::optional<device::Fault> fault;
    std::string what, nearest;
    for (auto line : lines_of(report)) {
        if (!line.starts_with(kPrefix)) continue;
        line.remove_prefix(kPrefix.size());
        const auto text = line.find_first_not_of(' ');
        if (text == std::string_view::npos) {
            if (fault) break; // the end of the first error
            continue;
        }
        const bool indented = text > 1;
        line.remove_prefix(text);
        if (!fault) {
            device::Fault found;
            if (!read_headline(line, found)) continue;
            fault = std::move(found);
            what = line.substr(std::string_view("Invalid ").size());
        } else if (!indented || line.starts_with("Saved host backtrace")) {
            break;
        } else {
            read_detail(line, *fault);
            if (line.starts_with("and is ")) nearest = line.substr(std::string_view("and is ").size());
        }
    }
    if (!fault) return std::nullopt;
    // "__global__ write of size 4 bytes" → "write of 4 bytes to global memory"
    const auto operation = between(what, "__ ", " of size");
    const auto kind = fault->kind == device::FaultKind::misaligned ? "is misaligned" : "is out of bounds";
    fault->message = fmt::format("{} of {} byte{} in {} memory at 0x{:x} {}{}{}", operation.value_or("access"),
                                 fault->bytes, fault->bytes == 1 ? "" : "s", fault->space, fault->address, kind,
                                 nearest.empty() ? "" : ", ", nearest);
    return fault;
}

device::Fault refined(device::Fault told, device::Fault found) {
    // The driver was given the mangled name, which says which instance of a template it was.
    if (!told.kernel.empty()) found.kernel = std::move(told.kernel);
    if (found.where.file.empty()) found.where = std::move(told.where);
    return found;
}

} // namespace kw::cuda
