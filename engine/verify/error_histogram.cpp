#include "engine/verify/error_histogram.h"

#include "engine/base/parallel.h"
#include "engine/task/half.h"
#include "engine/verify/value.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>

namespace kw::verify {
namespace {

using task::ScalarType;

constexpr int kLowest = -160; ///< exponent of the first bin that does not begin at 0
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The bits of a double above the mantissa's that a bin does not tell apart.
constexpr std::uint64_t first_key(int shift) { return std::bit_cast<std::uint64_t>(0x1p-160) >> shift; }
constexpr int kErrorShift = 52 - 3, kSizeShift = 52 - 2;

std::uint32_t bin_of(double value, int shift, std::uint32_t count) {
    const std::uint64_t key = std::bit_cast<std::uint64_t>(value) >> shift, first = first_key(shift);
    if (key < first) return 0;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(key - first + 1, count - 1));
}

double edge_of(std::uint32_t index, int shift, std::uint32_t count) {
    if (index == 0) return 0;
    if (index >= count) return kInfinity;
    return std::bit_cast<double>((first_key(shift) + index - 1) << shift);
}

template<class T> T load(const std::byte* from, std::uint64_t index) {
    T value;
    std::memcpy(&value, from + index * sizeof(T), sizeof(T));
    return value;
}

double as_double(std::uint16_t bits, ScalarType type) {
    return static_cast<double>(type == ScalarType::f16 ? task::from_f16(bits) : task::from_bf16(bits));
}

template<class T> double read(const std::byte* from, std::uint64_t index, ScalarType type) {
    const T value = load<T>(from, index);
    if constexpr (std::is_same_v<T, std::uint16_t>)
        return as_double(value, type);
    else
        return static_cast<double>(value);
}

/// What one thread has counted.
struct Part {
    ErrorHistogram histogram;
    std::vector<std::uint64_t> joint; ///< dense, errors × sizes
};

void note_relative(Part& part, double error, double size) {
    const double relative = size > 0 ? error / size : kInfinity;
    const int octave = relative == kInfinity ? std::numeric_limits<int>::max() : std::ilogb(relative);
    const std::int64_t index = std::int64_t{octave} - ErrorHistogram::kFirstOctave + 1;
    ++part.histogram
          .relative[static_cast<std::size_t>(std::clamp<std::int64_t>(index, 0, ErrorHistogram::kOctaves - 1))];
}

template<class T> void count_floating(const OutputData& data, std::uint64_t begin, std::uint64_t end, Part& part) {
    if (part.joint.empty()) part.joint.resize(std::size_t{JointHistogram::kErrors} * JointHistogram::kSizes);
    for (std::uint64_t i = begin; i < end; ++i) {
        const double e = read<T>(data.expected.data(), i, data.type), a = read<T>(data.actual.data(), i, data.type);
        if (e == a) {
            ++part.histogram.exact;
            continue;
        }
        if (!std::isfinite(e) || !std::isfinite(a)) {
            ++part.histogram.never;
            continue;
        }
        const double error = std::abs(a - e), size = std::abs(e);
        note_relative(part, error, size);
        const std::size_t at = i * sizeof(T);
        ++part.histogram.ulp[static_cast<std::size_t>(
            std::bit_width(distance(data.expected.data() + at, data.actual.data() + at, data.type)))];
        ++part.joint[std::size_t{bin_of(error, kErrorShift, JointHistogram::kErrors)} * JointHistogram::kSizes
                     + bin_of(size, kSizeShift, JointHistogram::kSizes)];
    }
}

void count_integers(const OutputData& data, std::uint64_t begin, std::uint64_t end, Part& part) {
    const std::size_t width = task::size_of(data.type);
    for (std::uint64_t i = begin; i < end; ++i) {
        const std::byte* e = data.expected.data() + i * width;
        const std::uint64_t off = distance(e, data.actual.data() + i * width, data.type);
        if (off == 0) {
            ++part.histogram.exact;
            continue;
        }
        ++part.histogram.ulp[static_cast<std::size_t>(std::bit_width(off))];
        note_relative(part, static_cast<double>(off), std::abs(read_value(e, data.type).number));
    }
}

void count(const OutputData& data, std::uint64_t begin, std::uint64_t end, Part& part) {
    switch (data.type) {
    case ScalarType::f16:
    case ScalarType::bf16: return count_floating<std::uint16_t>(data, begin, end, part);
    case ScalarType::f32: return count_floating<float>(data, begin, end, part);
    case ScalarType::f64: return count_floating<double>(data, begin, end, part);
    default: return count_integers(data, begin, end, part);
    }
}

void add(const ErrorHistogram& from, ErrorHistogram& to) {
    to.exact += from.exact;
    to.never += from.never;
    for (std::size_t i = 0; i < to.ulp.size(); ++i) to.ulp[i] += from.ulp[i];
    for (std::size_t i = 0; i < to.relative.size(); ++i) to.relative[i] += from.relative[i];
}

} // namespace

double JointHistogram::error_edge(std::uint32_t index) { return edge_of(index, kErrorShift, kErrors); }
double JointHistogram::size_edge(std::uint32_t index) { return edge_of(index, kSizeShift, kSizes); }

PassCount JointHistogram::passing(const task::Tolerance& tolerance) const {
    PassCount passing{exact, exact};
    const auto allowed = [&](double size) {
        return tolerance.rtol == 0 ? tolerance.atol : tolerance.atol + tolerance.rtol * size;
    };
    for (const auto& bin : bins) {
        if (error_edge(bin.error + 1) <= allowed(size_edge(bin.size))) passing.at_least += bin.count;
        if (error_edge(bin.error) <= allowed(size_edge(bin.size + 1))) passing.at_most += bin.count;
    }
    return passing;
}

double ErrorHistogram::relative_edge(std::size_t index) {
    return index == 0 ? 0 : std::ldexp(1.0, kFirstOctave + static_cast<int>(index) - 1);
}

ErrorHistogram make_error_histogram(const OutputData& data) {
    static_assert(first_key(kErrorShift) >> 3 == static_cast<std::uint64_t>(1023 + kLowest));
    constexpr std::uint64_t kGrain = std::uint64_t{1} << 18;
    const std::uint64_t elements = data.map.elements;
    ErrorHistogram result;
    result.elements = elements;
    std::mutex mutex;
    std::vector<Part> idle; // dense counts of threads that are done with a piece, for those that begin one
    parallel_for(elements, kGrain, [&](std::uint64_t begin, std::uint64_t end) {
        Part part;
        {
            const std::scoped_lock lock{mutex};
            if (!idle.empty()) {
                part = std::move(idle.back());
                idle.pop_back();
            }
        }
        count(data, begin, end, part);
        const std::scoped_lock lock{mutex};
        idle.push_back(std::move(part));
    });
    std::map<std::size_t, std::uint64_t> joint;
    for (const auto& part : idle) {
        add(part.histogram, result);
        for (std::size_t i = 0; i < part.joint.size(); ++i)
            if (part.joint[i] != 0) joint[i] += part.joint[i];
    }
    result.joint.exact = result.exact;
    result.joint.never = result.never;
    for (const auto& [at, n] : joint)
        result.joint.bins.push_back({static_cast<std::uint32_t>(at / JointHistogram::kSizes),
                                     static_cast<std::uint32_t>(at % JointHistogram::kSizes), n});
    return result;
}

} // namespace kw::verify
