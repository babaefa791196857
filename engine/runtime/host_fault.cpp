#include "engine/runtime/host_fault.h"

#include "engine/runtime/runtime.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdint>

namespace kw::runtime {
namespace {

struct sigaction g_before{};

void on_violation(int signal, siginfo_t* info, void* context) {
    ::sigaction(signal, &g_before, nullptr); // whatever happens here, the next one is not for us
    auto& runtime = Runtime::instance();
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    if (runtime.pages().in_range(address)) {
        const auto at = place(call_site());
        const auto held = runtime.allocation_of(info->si_addr);
        say(fmt::format("kw run: host code{} uses {:#x}, which is {}; copy it with cudaMemcpy, or take it from "
                        "cudaMallocManaged\n",
                        at.empty() ? std::string{} : " at " + at, address,
                        held ? "memory of the device: " + runtime.describe(held->first, held->second)
                             : std::string{"an address of the device that is not allocated"}));
    }
    if (g_before.sa_flags & SA_SIGINFO) {
        if (g_before.sa_sigaction) g_before.sa_sigaction(signal, info, context);
    } else if (g_before.sa_handler != SIG_DFL && g_before.sa_handler != SIG_IGN) {
        g_before.sa_handler(signal);
    }
    // Back in the program, the same access ends it as it would have ended without us.
}

} // namespace

void watch_host_faults() {
    struct sigaction action{};
    action.sa_sigaction = on_violation;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGSEGV, &action, &g_before);
}

} // namespace kw::runtime
