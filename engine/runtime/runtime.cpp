#include "engine/runtime/runtime.h"

#include "engine/runtime/host_fault.h"
#include "engine/runtime/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace kw::runtime {
namespace {

constexpr int kMostExplanations = 40;

std::string_view variable(const char* name) {
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe)
    return value ? value : std::string_view{};
}

} // namespace

void say(std::string_view text) {
    std::fflush(stdout);
    while (!text.empty()) {
        const auto written = ::write(STDERR_FILENO, text.data(), text.size());
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void refuse(std::string_view text) {
    std::fflush(nullptr);
    say(fmt::format("kw run: {}\n", text));
    ::_exit(kUnsupportedStatus);
}

void unsupported(std::string_view call) {
    const auto at = place(call_site());
    refuse(
        fmt::format("the program calls {}{}, which the simulator does not have; on a machine with a GPU, run it with "
                    "--device cuda",
                    call, at.empty() ? std::string{} : " at " + at));
}

Status& last_error() {
    thread_local Status status = Status::Success;
    return status;
}

Runtime& Runtime::instance() {
    static auto* runtime = new Runtime; // NOLINT(cppcoreguidelines-owning-memory): lives until the process ends
    return *runtime;
}

bool Runtime::forked() const { return device_ && process_ != ::getpid(); }

void Runtime::open() {
    if (device_) return;
    auto model = variable(kModelVariable).empty() ? Result<sim::GpuModel>{sim::gpu_models().front()}
                                                  : sim::find_gpu_model(variable(kModelVariable));
    if (!model) refuse(model.error().message);
    model_ = std::move(*model);
    sim::SimOptions options;
    options.sampling_budget = 0;
    if (const auto limit = variable(kLimitVariable); !limit.empty()) {
        std::uint64_t count = 0;
        if (std::from_chars(limit.data(), limit.data() + limit.size(), count).ec == std::errc{} && count > 0) {
            options.most_instructions = count;
            options.most_warp_instructions = count;
        }
    }
    auto opened = sim::open_simulator(model_, options);
    if (!opened) refuse(opened.error().message);
    device_ = std::move(*opened);
    if (const auto checks = variable(kChecksVariable); !checks.empty()) {
        const auto wanted = device::checks_from(checks);
        if (!wanted) refuse(wanted.error().message);
        device_->look_for(*wanted);
        checked_ = true;
    }
    pages_ = std::make_unique<SharedPages>(memory());
    if (auto reserved = pages_->reserve(); !reserved) refuse(reserved.error().message);
    process_ = ::getpid();
    watch_host_faults();
}

Binary* Runtime::add_binary(const void* wrapper) {
    binaries_.push_back(std::make_unique<Binary>());
    binaries_.back()->container = container_of(wrapper);
    return binaries_.back().get();
}

void Runtime::remove_binary(Binary* binary) {
    // Its memory stays: kernels of other libraries may still hold its addresses, and the process is about to end.
    std::erase_if(variables, [&](const auto& entry) { return entry.second.binary == binary; });
}

Kernel* Runtime::find_kernel(const void* function) {
    for (const auto& binary : binaries_) {
        if (const auto at = binary->kernels.find(function); at != binary->kernels.end()) return &at->second;
        for (auto& [stub, kernel] : binary->kernels)
            if (&kernel == function) return &kernel;
    }
    return nullptr;
}

device::Module& Runtime::module_of(Binary& binary) {
    if (binary.module) return *binary.module;
    auto code = read_fat_binary(binary.container);
    if (!code) refuse(code.error().message);
    // The newest that the model runs.
    const auto arch = static_cast<std::uint32_t>(std::strtoul(model_.arch.c_str() + 3, nullptr, 10));
    const FatBinary::Ptx* chosen = nullptr;
    for (const auto& ptx : code->ptx)
        if (ptx.arch <= arch && (!chosen || ptx.arch > chosen->arch)) chosen = &ptx;
    if (code->ptx.empty())
        refuse("the program's device code has no PTX of its own; separate compilation (nvcc -rdc=true, -dc) is not "
               "supported, so compile the program as a whole");
    if (!chosen)
        refuse(fmt::format("the program has no PTX for {} ({}); build it with -gencode arch=compute_{},code=compute_{}",
                           model_.name, model_.arch, arch, arch));
    auto loaded = device_->load({.ptx = chosen->text, .cubin = {}, .registers = std::move(code->registers)});
    if (!loaded) refuse(fmt::format("the program's PTX cannot be read: {}", loaded.error().message));
    binary.module = std::move(*loaded);
    return *binary.module;
}

const sim::KernelFacts& Runtime::facts_of(Kernel& kernel) {
    if (kernel.facts) return *kernel.facts;
    auto facts = sim::kernel_facts(module_of(*kernel.binary), kernel.name);
    if (!facts) {
        const auto& where = facts.error().where;
        refuse(where.file.empty()
                   ? facts.error().message
                   : fmt::format("{}:{}: {}", short_path(decoded_path(where.file)), where.line, facts.error().message));
    }
    kernel.facts = std::move(*facts);
    return *kernel.facts;
}

std::optional<sim::VariableFacts> Runtime::find_variable(const void* symbol) {
    const auto at = variables.find(symbol);
    if (at == variables.end()) return std::nullopt;
    auto found = sim::variable_facts(module_of(*at->second.binary), at->second.name);
    if (!found) return std::nullopt;
    if (found->bytes == 0) found->bytes = at->second.bytes;
    return *found;
}

void Runtime::place_managed(Binary& binary) {
    if (binary.managed_ready) return;
    binary.managed_ready = true;
    for (auto& [host, variable] : binary.managed) {
        const auto found = sim::variable_facts(module_of(binary), variable.name);
        if (!found) refuse(fmt::format("managed variable {}: {}", variable.name, found.error().message));
        if (auto shared = pages_->share(found->address, found->bytes); !shared) refuse(shared.error().message);
        *host = reinterpret_cast<void*>(found->address); // NOLINT(performance-no-int-to-ptr)
        variables[host] = variable;
    }
}

std::optional<Stream*> Runtime::stream(void* handle) const {
    // Null, cudaStreamLegacy and cudaStreamPerThread: launches run one after the other, so these are one stream.
    if (reinterpret_cast<std::uintptr_t>(handle) <= 2) return nullptr;
    auto* known = static_cast<Stream*>(handle);
    if (!streams.contains(known)) return std::nullopt;
    return known;
}

Event* Runtime::event(void* handle) const {
    auto* known = static_cast<Event*>(handle);
    return events.contains(known) ? known : nullptr;
}

void Runtime::say_estimated() {
    if (said_estimated_) return;
    said_estimated_ = true;
    if (checked_) {
        say("kw run: with --sanitize launches are not estimated, so times of events mean nothing\n");
        return;
    }
    say(fmt::format("kw run: times of events are estimates for {}, by a model; nothing was measured\n", model_.name));
}

void Runtime::say_unchecked() {
    if (said_unchecked_) return;
    said_unchecked_ = true;
    say("kw run: while the program has events its launches are timed by a model, and barriers and shuffles are not "
        "looked at; --sanitize sync,shuffle looks at them and gives no times\n");
}

void Runtime::explain(std::string_view call, const Site& site, std::string_view text) {
    if (++explained_ > kMostExplanations) return;
    const auto at = place(site);
    say(fmt::format("kw run: {}{}: {}\n", call, at.empty() ? std::string{} : " at " + at, text));
    if (explained_ == kMostExplanations) say("kw run: further remarks of this kind are left out\n");
}

void Runtime::reset() {
    for (const auto& [begin, allocation] : allocations) {
        if (allocation.kind != MemoryKind::device) pages_->unshare(begin);
        device_->release(begin);
    }
    allocations.clear();
    sticky = Status::Success;
    pending = Status::Success;
}

} // namespace kw::runtime
