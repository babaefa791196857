#include "engine/task/npy.h"

#include "engine/task/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

namespace kw::task {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

std::unexpected<Error> bad(const std::string& file, std::string message) {
    return fail(Stage::task, ErrorCode::invalid_input, file + " " + message, {file});
}

struct Descriptor {
    std::string_view text; ///< kind and bytes, without the byte order
    ScalarType type;
};

/// bfloat16 is no type of numpy's own; arrays of it are saved as two-byte void.
constexpr Descriptor kDescriptors[] = {{"f2", ScalarType::f16},    {"f4", ScalarType::f32}, {"f8", ScalarType::f64},
                                       {"V2", ScalarType::bf16},   {"i1", ScalarType::i8},  {"i2", ScalarType::i16},
                                       {"i4", ScalarType::i32},    {"i8", ScalarType::i64}, {"u1", ScalarType::u8},
                                       {"u2", ScalarType::u16},    {"u4", ScalarType::u32}, {"u8", ScalarType::u64},
                                       {"b1", ScalarType::boolean}};

/// Reads the header's Python dictionary of a string, a boolean and a tuple of integers.
class DictionaryReader {
public:
    explicit DictionaryReader(std::string_view text) : text_(text) {}

    bool take(char c) {
        skip_space();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    std::optional<std::string_view> string() {
        skip_space();
        if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return std::nullopt;
        const std::size_t close = text_.find(text_[at_], at_ + 1);
        if (close == std::string_view::npos) return std::nullopt;
        const auto inside = text_.substr(at_ + 1, close - at_ - 1);
        at_ = close + 1;
        return inside;
    }

    std::optional<bool> boolean() {
        skip_space();
        for (const auto& [word, value] :
             {std::pair{std::string_view("True"), true}, std::pair{std::string_view("False"), false}})
            if (text_.substr(at_).starts_with(word)) {
                at_ += word.size();
                return value;
            }
        return std::nullopt;
    }

    std::optional<std::vector<std::int64_t>> tuple() {
        if (!take('(')) return std::nullopt;
        std::vector<std::int64_t> values;
        while (!take(')')) {
            skip_space();
            std::int64_t value = 0;
            const char* begin = text_.data() + at_;
            const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
            if (error != std::errc{} || value < 0) return std::nullopt;
            at_ += static_cast<std::size_t>(end - begin);
            values.push_back(value);
            if (!take(',') && !(at_ < text_.size() && text_[at_] == ')')) return std::nullopt;
        }
        return values;
    }

private:
    void skip_space() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

struct Dictionary {
    std::string_view descriptor;
    bool fortran_order = false;
    std::vector<std::int64_t> shape;
};

std::optional<Dictionary> parse_dictionary(std::string_view text) {
    DictionaryReader reader(text);
    Dictionary result;
    bool descriptor = false, order = false, shape = false;
    if (!reader.take('{')) return std::nullopt;
    while (!reader.take('}')) {
        const auto key = reader.string();
        if (!key || !reader.take(':')) return std::nullopt;
        if (*key == "descr") {
            const auto value = reader.string();
            if (!value) return std::nullopt;
            result.descriptor = *value;
            descriptor = true;
        } else if (*key == "fortran_order") {
            const auto value = reader.boolean();
            if (!value) return std::nullopt;
            result.fortran_order = *value;
            order = true;
        } else if (*key == "shape") {
            auto value = reader.tuple();
            if (!value) return std::nullopt;
            result.shape = std::move(*value);
            shape = true;
        } else {
            return std::nullopt;
        }
        reader.take(',');
    }
    if (!descriptor || !order || !shape) return std::nullopt;
    return result;
}

/// The header's text and where the data begin; nothing when the lengths are impossible.
std::optional<std::string_view> header_text(std::string_view bytes, std::size_t& data) {
    const auto major = static_cast<unsigned char>(bytes[6]);
    const std::size_t width = major == 1 ? 2 : 4;
    if (bytes.size() < 8 + width) return std::nullopt;
    std::size_t length = 0;
    for (std::size_t i = 0; i < width; ++i) length |= std::size_t{static_cast<unsigned char>(bytes[8 + i])} << (8 * i);
    if (length > bytes.size() - 8 - width) return std::nullopt;
    data = 8 + width + length;
    return bytes.substr(8 + width, length);
}

/// Copies column-major elements into row-major order.
void to_row_major(const char* from, std::byte* to, const NpyHeader& header) {
    const std::size_t width = size_of(header.type), rank = header.shape.size();
    std::vector<std::uint64_t> index(rank, 0), stride(rank, 1);
    for (std::size_t d = 1; d < rank; ++d) stride[d] = stride[d - 1] * static_cast<std::uint64_t>(header.shape[d - 1]);
    std::uint64_t source = 0;
    for (std::uint64_t i = 0; i < header.elements; ++i) {
        std::memcpy(to + i * width, from + source * width, width);
        for (std::size_t d = rank; d-- > 0;) {
            source += stride[d];
            if (++index[d] < static_cast<std::uint64_t>(header.shape[d])) break;
            source -= stride[d] * index[d];
            index[d] = 0;
        }
    }
}

} // namespace

Result<NpyHeader> parse_npy_header(std::string_view bytes, const std::string& file) {
    if (bytes.size() < 10 || !bytes.starts_with(kMagic)) return bad(file, "is no .npy file; save it with numpy.save");
    const auto major = static_cast<unsigned char>(bytes[6]);
    if (major < 1 || major > 3) return bad(file, fmt::format("has .npy version {}; 1 to 3 are read", major));
    NpyHeader header;
    const auto text = header_text(bytes, header.data);
    if (!text) return bad(file, "ends within its header");
    auto dictionary = parse_dictionary(*text);
    if (!dictionary) return bad(file, "has a malformed header; save a plain array with numpy.save");
    header.fortran_order = dictionary->fortran_order;
    header.shape = std::move(dictionary->shape);

    const std::string_view descriptor = dictionary->descriptor;
    const std::string_view kind = descriptor.substr(std::min<std::size_t>(1, descriptor.size()));
    const auto* known = std::ranges::find(kDescriptors, kind, &Descriptor::text);
    if (known == std::end(kDescriptors))
        return bad(file, fmt::format("holds elements of numpy type '{}', which tasks do not have", descriptor));
    header.type = known->type;
    if (descriptor[0] == '>' && size_of(header.type) > 1)
        return bad(file, fmt::format("is big-endian ('{}'); save it little-endian", descriptor));

    if (header.shape.size() > 8)
        return bad(file, fmt::format("has {} dimensions; at most 8 are read", header.shape.size()));
    if (header.shape.empty()) header.shape = {1};
    const std::uint64_t available = (bytes.size() - header.data) / size_of(header.type);
    header.elements = 1;
    for (const auto dimension : header.shape)
        if (__builtin_mul_overflow(header.elements, static_cast<std::uint64_t>(dimension), &header.elements))
            return bad(file, "has a shape of more than 2^64 elements");
    if (header.elements != available || (bytes.size() - header.data) % size_of(header.type) != 0)
        return bad(file, fmt::format("holds {} bytes of data, but its shape needs {} elements of {} bytes",
                                     bytes.size() - header.data, header.elements, size_of(header.type)));
    return header;
}

Result<Array> parse_npy(std::string_view bytes, const std::string& file, Bytes reuse) {
    auto header = parse_npy_header(bytes, file);
    if (!header) return std::unexpected(header.error());
    Array array;
    array.type = header->type;
    array.shape = header->shape;
    array.bytes = std::move(reuse);
    const char* data = bytes.data() + header->data;
    array.bytes.resize(header->elements * size_of(header->type));
    if (header->fortran_order && header->shape.size() > 1)
        to_row_major(data, array.bytes.data(), *header);
    else if (!array.bytes.empty())
        copy_bytes(array.bytes, std::as_bytes(std::span(data, array.bytes.size())));
    return array;
}

std::string format_npy(ScalarType type, std::span<const std::int64_t> shape, std::span<const std::byte> bytes) {
    const auto* known = std::ranges::find(kDescriptors, type, &Descriptor::type);
    std::string dimensions;
    for (const auto dimension : shape) dimensions += fmt::format("{},{}", dimension, shape.size() > 1 ? " " : "");
    std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                     size_of(type) > 1 ? '<' : '|', known->text, dimensions);
    // Data begin at a multiple of 64 bytes, after a header that ends in a line break.
    const std::size_t before = 10;
    header.append((64 - (before + header.size() + 1) % 64) % 64, ' ');
    header.push_back('\n');
    std::string file(kMagic);
    file += {'\x01', '\x00', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
    file += header;
    file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return file;
}

} // namespace kw::task
