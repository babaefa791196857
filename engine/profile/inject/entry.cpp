#include "engine/profile/inject/tracer.h"

#include <atomic>
#include <cstdlib>
#include <exception>

namespace {

kw::trace::Tracer* g_tracer = nullptr;

void at_exit() {
    try {
        g_tracer->finish();
    } catch (const std::exception&) {
        // No memory for the last records; the program ends as it would without us.
    }
}

} // namespace

/// CUDA calls this when a program initialises it (cuInit) with CUDA_INJECTION64_PATH naming this library. The result
/// says that it may go on, which is always so.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
    static std::atomic<bool> called = false;
    if (called.exchange(true)) return 1;
    try {
        g_tracer = kw::trace::Tracer::start();
        if (g_tracer) std::atexit(&at_exit);
    } catch (const std::exception&) {
        // Not traced, then.
    }
    return 1;
}
