#include "engine/compile/prelude.h"

namespace kw::compile {

// Widths and spellings agree with CCCL's own definitions under NVRTC, so that including cuda/std headers redeclares
// nothing.
constinit const std::string_view kPrelude = R"(#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#define NAN __builtin_bit_cast(float, 0x7fffffff)
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
)";

} // namespace kw::compile
