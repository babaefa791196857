#include "tests/gpu/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace kw::corpus {
namespace {

/// splitmix64: the same on every machine.
std::uint64_t mix(std::uint64_t& state) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

std::vector<std::uint64_t> edges(std::string_view type) {
    if (type == "f32")
        return {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
                0x7f800001, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x3f000000, 0x40490fdb,
                0x4b000001, 0xcf000000, 0x33800000, 0x477ff000, 0x387fc000, 0xc2fe0000};
    if (type == "f64")
        return {0,
                0x8000000000000000,
                0x3ff0000000000000,
                0xbff0000000000000,
                0x7ff0000000000000,
                0xfff0000000000000,
                0x7ff8000000000000,
                0x7ff0000000001234,
                1,
                0x800fffffffffffff,
                0x0010000000000000,
                0x7fefffffffffffff,
                0x3fe0000000000000,
                0x41dfffffffe00000,
                0xc1e0000000100000,
                0x43e0000000000000,
                0x37a16c262777579c,
                0x40effc0000000000};
    if (type == "f16" || type == "f16x2")
        return {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 1,
                0x83ff, 0x0400, 0x7bff, 0xfbff, 0x3800, 0x3555, 0x6400, 0x5bff};
    if (type == "bf16" || type == "bf16x2")
        return {0,      0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 1,
                0x807f, 0x0080, 0x7f7f, 0xff7f, 0x3f00, 0x3eab, 0x4b00, 0x437f};
    const int bits = static_cast<int>(bytes_of(type)) * 8;
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    std::vector<std::uint64_t> out{0, 1, 2, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256};
    for (std::uint64_t value : {~std::uint64_t{0}, ~std::uint64_t{1}, std::uint64_t{1} << (bits - 1),
                                (std::uint64_t{1} << (bits - 1)) - 1, std::uint64_t{0x5555555555555555}})
        out.push_back(value);
    for (std::uint64_t& value : out) value &= mask;
    return out;
}

/// Random bits, half of the time of a magnitude that arithmetic does something with.
std::uint64_t random_value(std::string_view type, std::uint64_t& state) {
    const std::uint64_t raw = mix(state);
    const bool tame = mix(state) & 1;
    if (!tame) return raw;
    const double value =
        (static_cast<double>(raw >> 11) * 0x1p-53 - 0.5) * std::exp2(static_cast<double>(raw & 15) - 4);
    if (type == "f32") return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (type == "f64") return std::bit_cast<std::uint64_t>(value);
    if (type == "f16") return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
    if (type == "bf16") return std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16;
    if (type == "f16x2" || type == "bf16x2") return raw & 0xbfffbfff;
    return raw >> (raw >> 58);
}

std::uint64_t value_at(std::span<const std::byte> from, std::uint32_t bytes, std::size_t index) {
    std::uint64_t out = 0;
    std::memcpy(&out, from.data() + index * bytes, bytes);
    return out;
}

struct Layout {
    int fraction = 23, exponent = 8;
};
Layout layout_of(std::string_view type) {
    if (type.starts_with("f16")) return {10, 5};
    if (type.starts_with("bf16")) return {7, 8};
    return type == "f64" ? Layout{52, 11} : Layout{};
}

bool is_nan(std::uint64_t bits, const Layout& layout) {
    const std::uint64_t magnitude = bits & ((std::uint64_t{1} << (layout.fraction + layout.exponent)) - 1);
    return magnitude > ((std::uint64_t{1} << layout.exponent) - 1) << layout.fraction;
}
double as_double(std::uint64_t bits, std::string_view type) {
    if (type == "f64") return std::bit_cast<double>(bits);
    if (type.starts_with("bf16")) bits <<= 16;
    if (type.starts_with("f16")) return static_cast<double>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits)));
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

/// One scalar of a floating-point result.
bool near(std::uint64_t expected, std::uint64_t got, std::string_view type, const Bound& bound) {
    if (expected == got) return true;
    const Layout layout = layout_of(type);
    if (is_nan(expected, layout) || is_nan(got, layout)) return is_nan(expected, layout) && is_nan(got, layout);
    const double a = as_double(expected, type), b = as_double(got, type);
    if (bound.finite_only) return std::fabs(a - b) <= 0x1p-18 * std::fabs(a) || (a == 0 && b == 0);
    if (std::fabs(a - b) <= bound.absolute) return true;
    const int width = layout.fraction + layout.exponent;
    const auto ordered = [&](std::uint64_t bits) {
        const auto magnitude = static_cast<std::int64_t>(bits & ((std::uint64_t{1} << width) - 1));
        return bits >> width & 1 ? -magnitude : magnitude;
    };
    const std::int64_t distance = ordered(expected) - ordered(got);
    return std::abs(distance) <= static_cast<std::int64_t>(bound.ulp);
}

} // namespace

std::uint32_t bytes_of(std::string_view type) {
    if (type == "f16x2" || type == "bf16x2") return 4;
    const std::size_t digit = type.find_first_of("0123456789");
    int bits = 32;
    std::from_chars(type.data() + digit, type.data() + type.size(), bits);
    return static_cast<std::uint32_t>(bits) / 8;
}

std::string header() { return ".version 8.0\n.target sm_90\n.address_size 64\n"; }

std::string kernel_text(const Form& form, std::string_view name) {
    const auto reg = [](std::string_view type) { return fmt::format(".b{}", std::max(bytes_of(type) * 8, 16u)); };
    constexpr const char* names[] = {"%a", "%b", "%c"};
    std::string text =
        fmt::format(".visible .entry {}(.param .u64 out, .param .u64 p0, .param .u64 p1, .param .u64 p2) {{\n"
                    ".reg .pred %p, %q; .reg .b16 %h; .reg .f32 %f<6>; .reg .b32 %i, %s, %t<8>, %x<3>; .reg .b64 "
                    "%g, %o, %w<4>;\n.shared .align 16 .b8 room[2048];\n.reg {} %d;\n",
                    name, reg(form.to));
    text += "mov.u32 %x0, %ctaid.x; mov.u32 %x1, %ntid.x; mov.u32 %x2, %tid.x; mad.lo.s32 %i, %x0, %x1, %x2;\n"
            "mov.u32 %s, room; mad.lo.u32 %s, %x2, 16, %s;\n";
    for (std::size_t index = 0; index < form.from.size(); ++index) {
        const std::uint32_t bytes = bytes_of(form.from[index]);
        text += fmt::format(".reg {} {};\nld.param.u64 %g, [p{}]; mul.wide.u32 %o, %i, {}; add.u64 %g, %g, %o; "
                            "ld.global.{}{} {}, [%g];\n",
                            reg(form.from[index]), names[index], index, bytes,
                            bytes == 1 && form.from[index][0] == 's' ? "s"
                            : bytes == 1                             ? "u"
                                                                     : "b",
                            bytes * 8, names[index]);
    }
    const std::uint32_t bytes = bytes_of(form.to);
    // The result's place is given before the code, which may use it as memory of its own.
    text +=
        fmt::format("ld.param.u64 %g, [out]; mul.wide.u32 %o, %i, {0}; add.u64 %g, %g, %o;\n{1}\nst.global.b{2} [%g], "
                    "%d;\nret;\n}}\n",
                    bytes, form.code, bytes * 8);
    return text;
}

std::vector<std::byte> operands(const Form& form, std::size_t index) {
    const std::string& type = form.from[index];
    const std::uint32_t bytes = bytes_of(type);
    const std::vector<std::uint64_t> known = edges(type);
    const bool packed = type.ends_with("x2");
    std::uint64_t state = 0x1234 + index;
    std::vector<std::byte> out(std::size_t{kRows} * bytes);
    const std::size_t listed = form.from.size() == 1 ? known.size() : kRows * 3 / 4;
    for (std::size_t row = 0; row < kRows; ++row) {
        std::uint64_t value = 0;
        if (row < listed) {
            // pairs of edges, each column turning at another pace
            const std::size_t pace = index == 0 ? row : index == 1 ? row / 17 + row * 5 : row / 7;
            value = known[pace % known.size()];
            if (packed) value |= known[(pace + 3 + row / known.size()) % known.size()] << 16;
        } else {
            value = random_value(type, state);
        }
        std::memcpy(out.data() + row * bytes, &value, bytes);
    }
    return out;
}

Result<std::vector<std::byte>> run(device::Device& device, const Form& form) {
    const std::string text = header() + kernel_text(form, "k");
    // A driver compiles the text where a GPU's code is expected.
    auto module = device.load({text, text, {}});
    if (!module) return std::unexpected(std::move(module.error()));
    std::vector<device::Pointer> pointers;
    const auto release = [&] {
        for (const device::Pointer pointer : pointers) device.release(pointer);
    };
    const auto place = [&](std::span<const std::byte> values) -> Result<device::Pointer> {
        auto pointer = device.allocate(values.size(), "values");
        if (!pointer) return pointer;
        pointers.push_back(*pointer);
        if (auto done = device.upload(*pointer, values); !done) return std::unexpected(std::move(done.error()));
        return pointer;
    };
    std::vector<std::byte> out(std::size_t{kRows} * bytes_of(form.to));
    std::array<device::Pointer, 4> arguments{};
    Result<std::vector<std::byte>> result = out;
    auto first = place(out);
    if (!first) return std::unexpected(std::move(first.error()));
    arguments[0] = *first;
    for (std::size_t index = 0; index < form.from.size(); ++index) {
        auto next = place(operands(form, index));
        if (!next) {
            release();
            return std::unexpected(std::move(next.error()));
        }
        arguments[index + 1] = *next;
    }
    auto launched =
        device.launch(**module, "k", {{kRows / 128}, {128}, {}, 0, false}, std::as_bytes(std::span(arguments)), {});
    if (launched && !launched->fault) launched = device.synchronize({});
    if (!launched) {
        result = std::unexpected(std::move(launched.error()));
    } else if (launched->fault) {
        result = fail(Stage::device, ErrorCode::wrong, launched->fault->message, launched->fault->where);
    } else if (auto read = device.download(*result, arguments[0]); !read) {
        result = std::unexpected(std::move(read.error()));
    }
    release();
    return result;
}

std::string to_text(const Recording& recording) {
    std::string out;
    for (const auto& [key, value] : recording.provenance) out += fmt::format("# {} {}\n", key, value);
    for (const auto& [name, bytes] : recording.results) {
        out += name + "\t";
        for (const std::byte byte : bytes) out += fmt::format("{:02x}", static_cast<unsigned>(byte));
        out += "\n";
    }
    return out;
}

Result<Recording> from_text(std::string_view text) {
    Recording out;
    for (int number = 1; !text.empty(); ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.starts_with("# ")) {
            const std::size_t space = line.find(' ', 2);
            if (space != std::string_view::npos)
                out.provenance.emplace_back(line.substr(2, space - 2), line.substr(space + 1));
            continue;
        }
        const std::size_t tab = line.find('\t');
        if (tab == std::string_view::npos || (line.size() - tab) % 2 == 0)
            return fail(Stage::device, ErrorCode::invalid_input, fmt::format("line {} is no result", number));
        std::vector<std::byte> bytes;
        for (std::size_t at = tab + 1; at + 1 < line.size(); at += 2) {
            unsigned value = 0;
            if (std::from_chars(line.data() + at, line.data() + at + 2, value, 16).ec != std::errc{})
                return fail(Stage::device, ErrorCode::invalid_input, fmt::format("line {} has no hex digits", number));
            bytes.push_back(static_cast<std::byte>(value));
        }
        out.results.emplace_back(line.substr(0, tab), std::move(bytes));
    }
    return out;
}

std::vector<std::size_t> differing_rows(const Form& form, std::span<const std::byte> expected,
                                        std::span<const std::byte> got) {
    std::vector<std::size_t> out;
    const std::uint32_t bytes = bytes_of(form.to);
    const bool exact = form.bound.ulp == 0 && form.bound.absolute == 0 && !form.bound.finite_only;
    for (std::size_t row = 0; row < kRows; ++row) {
        const std::uint64_t want = value_at(expected, bytes, row), have = value_at(got, bytes, row);
        bool good = want == have;
        if (!good && !exact) {
            good = form.to.ends_with("x2") ? near(want & 0xffff, have & 0xffff, form.to, form.bound)
                                                 && near(want >> 16, have >> 16, form.to, form.bound)
                                           : near(want, have, form.to, form.bound);
        }
        if (!good) out.push_back(row);
    }
    return out;
}

std::vector<std::string> differences(const Form& form, std::span<const std::byte> expected,
                                     std::span<const std::byte> got) {
    std::vector<std::string> out;
    const std::uint32_t bytes = bytes_of(form.to);
    if (expected.size() != got.size() || expected.size() != std::size_t{kRows} * bytes)
        return {fmt::format("{}: {} bytes where {} were recorded", form.name, got.size(), expected.size())};
    for (const std::size_t row : differing_rows(form, expected, got)) {
        std::string text = fmt::format("{} (", form.name);
        for (std::size_t index = 0; index < form.from.size(); ++index)
            text += fmt::format("{}{:#x}", index == 0 ? "" : ", ",
                                value_at(operands(form, index), bytes_of(form.from[index]), row));
        out.push_back(
            text
            + fmt::format(") is {:#x}, recorded {:#x}", value_at(got, bytes, row), value_at(expected, bytes, row)));
    }
    return out;
}

} // namespace kw::corpus
