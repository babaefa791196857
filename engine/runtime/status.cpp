#include "engine/runtime/status.h"

namespace kw::runtime {
namespace {

constexpr const char* kUnknownCode = "unrecognized error code";

} // namespace

const char* status_name(Status status) {
    if (status == Status::Success) return "cudaSuccess";
    switch (status) {
#define KW_STATUS(name, value, text)                                                                                   \
    case Status::name: return "cudaError" #name;
#include "engine/runtime/status.inc"
#undef KW_STATUS
    }
    return kUnknownCode;
}

const char* status_text(Status status) {
    switch (status) {
#define KW_STATUS(name, value, text)                                                                                   \
    case Status::name: return text;
#include "engine/runtime/status.inc"
#undef KW_STATUS
    }
    return kUnknownCode;
}

} // namespace kw::runtime
