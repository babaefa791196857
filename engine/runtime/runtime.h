#pragma once

#include "engine/device/device.h"
#include "engine/device/sim/gpu_model.h"
#include "engine/device/sim/sim_device.h"
#include "engine/runtime/fat_binary.h"
#include "engine/runtime/shared_pages.h"
#include "engine/runtime/site.h"
#include "engine/runtime/status.h"
#include "engine/runtime/timeline.h"
#include "engine/runtime/types.h"
#include "engine/runtime/variables.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// What stands behind the runtime's calls in a program that `kw run` has started: one simulated GPU and everything that
/// the program has made on it. Launches are done when the call returns; their faults show when the program next waits.
namespace kw::runtime {

/// `kw run`'s own exit status when the program asks for what is not there.
constexpr int kUnsupportedStatus = 3;

struct Binary;

struct Kernel {
    Binary* binary = nullptr;
    std::string name; ///< mangled
    std::optional<sim::KernelFacts> facts{};
    int max_dynamic_shared = 49152; ///< cudaFuncAttributeMaxDynamicSharedMemorySize
    int carveout = -1;
};
struct Variable {
    Binary* binary = nullptr;
    std::string name;
    std::size_t bytes = 0;
};
/// One translation unit's device code.
struct Binary {
    std::span<const std::byte> container;
    std::unique_ptr<device::Module> module{};
    std::map<const void*, Kernel> kernels{}; ///< by the host's stub
    std::vector<std::pair<void**, Variable>> managed{};
    bool managed_ready = false;
};

struct Allocation {
    std::uint64_t bytes = 0;
    MemoryKind kind = MemoryKind::device;
    Site site{};
    unsigned flags = 0;
    std::uint64_t label = 0; ///< the simulator knows it as "@LABEL@"
    std::string call{};      ///< that made it
};
struct HostRange {
    std::uint64_t bytes = 0;
    unsigned flags = 0;
};

class Runtime {
public:
    /// Made on first use and never destroyed: programs call until their very end.
    static Runtime& instance();

    std::recursive_mutex mutex;

    // Programs register before main; nothing is opened yet.
    Binary* add_binary(const void* wrapper);
    void remove_binary(Binary* binary);
    std::map<const void*, Variable> variables; ///< by the host's shadow
    /// The kernel of a host stub or of a handle that this runtime gave; null when there is none.
    [[nodiscard]] Kernel* find_kernel(const void* function);

    /// Opens the device at the first call that needs it; ends the program with a sentence where that cannot be.
    void open();
    /// The process was forked after the device was opened.
    [[nodiscard]] bool forked() const;
    [[nodiscard]] device::Device& device() { return *device_; }
    [[nodiscard]] sim::DeviceMemory& memory() { return sim::memory_of(*device_); }
    [[nodiscard]] const sim::GpuModel& model() const { return model_; }
    [[nodiscard]] SharedPages& pages() { return *pages_; }
    Timeline timeline;

    /// Loads what is needed; ends the program when the simulator cannot run it.
    device::Module& module_of(Binary& binary);
    const sim::KernelFacts& facts_of(Kernel& kernel);
    [[nodiscard]] std::optional<sim::VariableFacts> find_variable(const void* symbol);
    void place_managed(Binary& binary);

    // Memory.
    [[nodiscard]] Status allocate(void** out, std::size_t bytes, MemoryKind kind, unsigned flags, std::string_view call,
                                  const Site& site);
    [[nodiscard]] Status release(void* pointer, std::initializer_list<MemoryKind> kinds, std::string_view call,
                                 const Site& site);
    /// The allocation that holds an address, with its start; none for host memory.
    [[nodiscard]] std::optional<std::pair<std::uint64_t, Allocation>> allocation_of(const void* pointer) const;
    [[nodiscard]] Status copy(void* to, const void* from, std::size_t bytes, CopyKind kind, Stream* stream,
                              std::string_view call, const Site& site);
    [[nodiscard]] Status copy_rows(PitchedPointer to, PitchedPointer from, Extent extent, CopyKind kind, Stream* stream,
                                   std::string_view call, const Site& site);
    [[nodiscard]] Status set(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                             Stream* stream, std::string_view call, const Site& site);
    std::map<std::uint64_t, Allocation> allocations;
    std::map<std::uint64_t, HostRange> registered;
    void reset();

    // Streams and events. Handles that are none give no value.
    [[nodiscard]] std::optional<Stream*> stream(void* handle) const;
    [[nodiscard]] Event* event(void* handle) const;
    std::set<Stream*> streams;
    std::set<Event*> events;
    std::uint64_t handles_made = 0;
    void say_estimated();
    /// Once: launches that are timed are not looked at by the usual checks.
    void say_unchecked();

    [[nodiscard]] Status launch(Kernel& kernel, const device::LaunchConfig& config, void** arguments, Stream* stream,
                                const Site& site);

    /// What a fault has done to all calls that follow; Success when nothing has.
    Status sticky = Status::Success;
    Status pending = Status::Success; ///< of a fault that the program has not met yet

    /// "kw run: CALL at FILE:LINE: TEXT" on standard error, after what the program has printed. At most a few dozen.
    void explain(std::string_view call, const Site& site, std::string_view text);
    /// "cudaMalloc at FILE:LINE" and the variable's name, where they are known.
    [[nodiscard]] std::string describe(std::uint64_t begin, const Allocation& allocation) const;

private:
    Runtime() = default;

    [[nodiscard]] Status check_launch(const Kernel& kernel, const sim::KernelFacts& facts,
                                      const device::LaunchConfig& config, const Site& site);
    void report_fault(const device::Fault& fault, const Site& site);
    /// Writes what a kernel has printed to standard output; says on standard error when that is not all.
    void show_output(const Kernel& kernel, std::string_view output, const Site& site);
    [[nodiscard]] std::string named(std::string text) const;
    [[nodiscard]] Status move(void* to, const void* from, std::size_t bytes, CopyKind kind, std::string_view call,
                              const Site& site);
    void add_copy_time(const void* to, const void* from, std::size_t bytes, Stream* stream);
    [[nodiscard]] bool within(const void* pointer, std::size_t bytes) const;

    std::vector<std::unique_ptr<Binary>> binaries_;
    std::map<std::uint64_t, Site> released_;
    std::unique_ptr<device::Device> device_;
    std::unique_ptr<SharedPages> pages_;
    sim::GpuModel model_;
    int process_ = 0;
    std::uint64_t allocated_ = 0;
    bool said_estimated_ = false;
    bool said_unchecked_ = false;
    bool checked_ = false; ///< launches are looked at by checks that the program's user asked for
    int explained_ = 0;
};

/// Standard error, after what is buffered for standard output.
void say(std::string_view text);
/// Says a sentence and ends the program with kUnsupportedStatus.
[[noreturn]] void refuse(std::string_view text);
/// The same for a call that this runtime does not have.
[[noreturn]] void unsupported(std::string_view call);

/// Of this thread: what cudaGetLastError gives.
[[nodiscard]] Status& last_error();

} // namespace kw::runtime
