#include "engine/compile/prelude.h"

#include <fmt/format.h>

#include <array>

namespace kw::compile {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

/// Widths and spellings agree with CCCL's own definitions under NVRTC, so that cuda/std headers redeclare nothing
/// differently.
constexpr Pair kTypes[] = {
    {"int8_t", "signed char"},    {"int16_t", "short"},
    {"int32_t", "int"},           {"int64_t", "long long"},
    {"uint8_t", "unsigned char"}, {"uint16_t", "unsigned short"},
    {"uint32_t", "unsigned int"}, {"uint64_t", "unsigned long long"},
    {"intptr_t", "long long"},    {"uintptr_t", "unsigned long long"},
    {"intmax_t", "long long"},    {"uintmax_t", "unsigned long long"},
    {"uchar", "unsigned char"},   {"ushort", "unsigned short"},
    {"uint", "unsigned int"},     {"ulong", "unsigned long"},
};

/// Values as <climits>, <cstdint>, <cfloat> and <cmath> give them for x86-64 Linux. The bit casts are usable in
/// constant expressions.
constexpr Pair kMacros[] = {
    {"INFINITY", "__builtin_bit_cast(float, 0x7f800000)"},
    {"NAN", "__builtin_bit_cast(float, 0x7fc00000)"},
    {"HUGE_VALF", "__builtin_bit_cast(float, 0x7f800000)"},
    {"HUGE_VAL", "__builtin_bit_cast(double, 0x7ff0000000000000)"},
    {"CHAR_BIT", "8"},
    {"SCHAR_MIN", "(-128)"},
    {"SCHAR_MAX", "127"},
    {"UCHAR_MAX", "255"},
    {"CHAR_MIN", "(-128)"},
    {"CHAR_MAX", "127"},
    {"SHRT_MIN", "(-32768)"},
    {"SHRT_MAX", "32767"},
    {"USHRT_MAX", "65535"},
    {"INT_MIN", "(-2147483647 - 1)"},
    {"INT_MAX", "2147483647"},
    {"UINT_MAX", "4294967295U"},
    {"LONG_MIN", "(-9223372036854775807L - 1L)"},
    {"LONG_MAX", "9223372036854775807L"},
    {"ULONG_MAX", "18446744073709551615UL"},
    {"LLONG_MIN", "(-9223372036854775807LL - 1LL)"},
    {"LLONG_MAX", "9223372036854775807LL"},
    {"ULLONG_MAX", "18446744073709551615ULL"},
    {"INT8_MIN", "(-128)"},
    {"INT8_MAX", "127"},
    {"UINT8_MAX", "255"},
    {"INT16_MIN", "(-32768)"},
    {"INT16_MAX", "32767"},
    {"UINT16_MAX", "65535"},
    {"INT32_MIN", "(-2147483647 - 1)"},
    {"INT32_MAX", "2147483647"},
    {"UINT32_MAX", "4294967295U"},
    {"INT64_MIN", "(-9223372036854775807LL - 1LL)"},
    {"INT64_MAX", "9223372036854775807LL"},
    {"UINT64_MAX", "18446744073709551615ULL"},
    {"SIZE_MAX", "18446744073709551615UL"},
    {"FLT_DIG", "6"},
    {"FLT_MANT_DIG", "24"},
    {"FLT_MIN", "1.17549435e-38F"},
    {"FLT_MAX", "3.40282347e+38F"},
    {"FLT_EPSILON", "1.19209290e-07F"},
    {"DBL_DIG", "15"},
    {"DBL_MANT_DIG", "53"},
    {"DBL_MIN", "2.2250738585072014e-308"},
    {"DBL_MAX", "1.7976931348623157e+308"},
    {"DBL_EPSILON", "2.2204460492503131e-16"},
    {"M_E", "2.7182818284590452354"},
    {"M_LOG2E", "1.4426950408889634074"},
    {"M_LOG10E", "0.43429448190325182765"},
    {"M_LN2", "0.69314718055994530942"},
    {"M_LN10", "2.30258509299404568402"},
    {"M_PI", "3.14159265358979323846"},
    {"M_PI_2", "1.57079632679489661923"},
    {"M_PI_4", "0.78539816339744830962"},
    {"M_1_PI", "0.31830988618379067154"},
    {"M_2_PI", "0.63661977236758134308"},
    {"M_2_SQRTPI", "1.12837916709551257390"},
    {"M_SQRT2", "1.41421356237309504880"},
    {"M_SQRT1_2", "0.70710678118654752440"},
};

// NVRTC declares the C library's device functions itself, so these only have to exist.
constexpr std::string_view kNothing = "#pragma once\n";

constexpr std::string_view kMath = R"(#pragma once
namespace std {
using ::abs; using ::acos; using ::acosh; using ::asin; using ::asinh; using ::atan; using ::atan2; using ::atanh; using ::cbrt;
using ::ceil; using ::copysign; using ::cos; using ::cosh; using ::erf; using ::erfc; using ::exp; using ::exp2; using ::expm1;
using ::fabs; using ::fdim; using ::floor; using ::fma; using ::fmax; using ::fmin; using ::fmod; using ::frexp; using ::hypot;
using ::isfinite; using ::isinf; using ::isnan; using ::ldexp; using ::lgamma; using ::log; using ::log10; using ::log1p;
using ::log2; using ::lrint; using ::lround; using ::modf; using ::nearbyint; using ::nextafter; using ::pow; using ::remainder;
using ::rint; using ::round; using ::signbit; using ::sin; using ::sinh; using ::sqrt; using ::tan; using ::tanh; using ::tgamma;
using ::trunc;
}
)";

constexpr std::string_view kAlgorithm = R"(#pragma once
namespace std {
template<class T> __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template<class T> __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template<class T> __device__ constexpr const T& clamp(const T& v, const T& low, const T& high) { return v < low ? low : high < v ? high : v; }
template<class T> __device__ constexpr void swap(T& a, T& b) { T c = a; a = b; b = c; }
}
)";

constexpr std::string_view kStddef = R"(#pragma once
namespace std { typedef decltype(sizeof 0) size_t; typedef long ptrdiff_t; typedef decltype(nullptr) nullptr_t; }
)";

constexpr std::string_view kStdint = R"(#pragma once
namespace std {
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t; typedef unsigned long long uint64_t;
typedef decltype(sizeof 0) size_t;
}
)";

constexpr Pair kHeaders[] = {
    {"algorithm", kAlgorithm},
    {"assert.h", kNothing},
    {"cassert", kNothing},
    {"cfloat", kNothing},
    {"climits", kNothing},
    {"cmath", kMath},
    {"cstddef", kStddef},
    {"cstdint", kStdint},
    {"cstdio", kNothing},
    {"cstdlib", kNothing},
    {"cstring", kNothing},
    {"float.h", kNothing},
    {"limits.h", kNothing},
    {"math.h", kNothing},
    {"stddef.h", kNothing},
    {"stdint.h", kNothing},
    {"stdio.h", kNothing},
    {"stdlib.h", kNothing},
    {"string.h", kNothing},
    {"array", "#pragma once\n#include <cuda/std/array>\nnamespace std { using namespace ::cuda::std; }\n"},
    {"bit", "#pragma once\n#include <cuda/std/bit>\nnamespace std { using namespace ::cuda::std; }\n"},
    {"concepts", "#pragma once\n#include <cuda/std/concepts>\nnamespace std { using namespace ::cuda::std; }\n"},
    {"functional", "#pragma once\n#include <cuda/std/functional>\nnamespace std { using namespace ::cuda::std; }\n"},
    {"limits", "#pragma once\n#include <cuda/std/limits>\nnamespace std { using namespace ::cuda::std; }\n"},
    {"tuple", "#pragma once\n#include <cuda/std/tuple>\nnamespace std { using namespace ::cuda::std; }\n"},
    {"type_traits", "#pragma once\n#include <cuda/std/type_traits>\nnamespace std { using namespace ::cuda::std; }\n"},
    {"utility", "#pragma once\n#include <cuda/std/utility>\nnamespace std { using namespace ::cuda::std; }\n"},
};

} // namespace

std::string prelude(const std::set<std::string>& own) {
    std::string text = "#pragma once\n";
    for (const auto& [name, type] : kTypes)
        if (!own.contains(std::string(name))) text += fmt::format("typedef {} {};\n", type, name);
    for (const auto& [name, value] : kMacros)
        if (!own.contains(std::string(name))) text += fmt::format("#define {} {}\n", name, value);
    return text;
}

std::span<const std::pair<std::string_view, std::string_view>> standard_headers() { return kHeaders; }

} // namespace kw::compile
