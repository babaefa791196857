// Stands in for libcupti.so.13: the activity functions over a FakeCupti, and fake_* by which the traced program says
// what the GPU is to have done. FAKE_CUPTI_VERSION and FAKE_CUPTI_REFUSAL (a CUptiResult) change how it answers.
#include "tests/trace/fake_cupti.h"

#include <cstdlib>
#include <utility>

using kw::cupti::CUcontext;
using kw::cupti::CUptiResult;
using kw::cupti::RecordHeader;
using kw::cupti::RecordKind;
using kw::test::FakeCupti;

namespace {

std::uint32_t setting(const char* name, std::uint32_t otherwise) {
    const char* value = std::getenv(name);
    return value ? static_cast<std::uint32_t>(std::strtoul(value, nullptr, 10)) : otherwise;
}

} // namespace

extern "C" {

CUptiResult cuptiGetVersion(std::uint32_t* version) {
    *version = setting("FAKE_CUPTI_VERSION", 130001);
    return 0;
}
CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
    *text = "CUPTI_ERROR_FAKE";
    return 0;
}
CUptiResult cuptiGetTimestamp(std::uint64_t* time) {
    *time = FakeCupti::now();
    return 0;
}
CUptiResult cuptiActivityEnable(RecordKind kind) {
    const auto refusal = static_cast<CUptiResult>(setting("FAKE_CUPTI_REFUSAL", 0));
    if (refusal == 0) FakeCupti::instance().set_enabled(kind, true);
    return refusal;
}
CUptiResult cuptiActivityDisable(RecordKind kind) {
    FakeCupti::instance().set_enabled(kind, false);
    return 0;
}
CUptiResult cuptiActivityRegisterCallbacks(kw::cupti::BufferRequested requested, kw::cupti::BufferCompleted completed) {
    FakeCupti::instance().requested = requested;
    FakeCupti::instance().completed = completed;
    return 0;
}
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, RecordHeader** record) {
    return FakeCupti::instance().next(buffer, valid, record);
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* count) {
    *count = std::exchange(FakeCupti::instance().dropped, 0);
    return 0;
}
CUptiResult cuptiActivityFlushAll(std::uint32_t) {
    FakeCupti::instance().flush();
    return 0;
}
CUptiResult cuptiGetCallbackName(int domain, std::uint32_t function, const char** name) {
    *name = FakeCupti::name_of(domain, function);
    return *name ? 0 : 1;
}
CUptiResult cuptiSetThreadIdType(int) { return 0; }

std::uint64_t fake_now() { return FakeCupti::now(); }
void fake_device() { kw::test::emit_device(FakeCupti::instance()); }
void fake_launch(const char* kernel, std::uint64_t start, std::uint64_t duration, std::uint32_t correlation,
                 std::uint32_t stream, std::uint32_t thread) {
    kw::test::emit_launch(FakeCupti::instance(), kernel, start, duration, correlation, stream, thread);
}
void fake_copy(std::uint64_t start, std::uint64_t duration, std::uint64_t bytes, std::uint32_t correlation) {
    kw::cupti::MemcpyRecord copy;
    copy.kind = RecordKind::memcpy;
    copy.copy_kind = 1;
    copy.bytes = bytes;
    copy.start = start;
    copy.end = start + duration;
    copy.context = 1;
    copy.stream = 7;
    copy.correlation = correlation;
    FakeCupti::instance().emit(copy);
}
}
