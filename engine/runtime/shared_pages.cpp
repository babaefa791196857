#include "engine/runtime/shared_pages.h"

#include "engine/base/descriptor.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kw::runtime {
namespace {

constexpr std::uint64_t kPage = 4096;
/// More than any simulated memory and its guard pages take.
constexpr std::uint64_t kRangeBytes = std::uint64_t{1} << 43;

std::unexpected<Error> failed(std::string_view what) {
    return fail(Stage::device, ErrorCode::device,
                fmt::format("memory for both host and device cannot be had: {}: {}", what, std::strerror(errno)));
}

void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); } // NOLINT(performance-no-int-to-ptr)

void* no_access(std::uint64_t address, std::uint64_t bytes, int flags) {
    return mmap(pointer(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

} // namespace

Result<void> SharedPages::reserve() {
    void* got = no_access(sim::kGlobalBase, kRangeBytes, MAP_FIXED_NOREPLACE);
    if (got != pointer(sim::kGlobalBase)) {
        if (got != MAP_FAILED) munmap(got, kRangeBytes);
        return failed("the addresses are in use");
    }
    bytes_ = kRangeBytes;
    return {};
}

Result<void> SharedPages::share(std::uint64_t address, std::uint64_t bytes) {
    std::byte* host = memory_.host(address, bytes);
    if (!host) return fail(Stage::device, ErrorCode::internal, "memory to be shared is not one allocation");
    const std::uint64_t whole = (bytes + kPage - 1) / kPage * kPage;
    const Descriptor file{memfd_create("managed", MFD_CLOEXEC)};
    if (file.get() < 0) return failed("memfd_create");
    if (ftruncate(file.get(), static_cast<off_t>(whole)) != 0) return failed("ftruncate");
    void* seen = mmap(pointer(address), whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.get(), 0);
    if (seen == MAP_FAILED) return failed("mmap");
    std::memcpy(seen, host, bytes);
    if (mmap(host, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.get(), 0) == MAP_FAILED)
        return failed("mmap");
    shared_[address] = whole;
    return {};
}

void SharedPages::unshare(std::uint64_t address) {
    const auto at = shared_.find(address);
    if (at == shared_.end()) return;
    no_access(address, at->second, MAP_FIXED);
    std::byte* host = memory_.host(address, 1);
    if (host)
        mmap(host, at->second, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    shared_.erase(at);
}

} // namespace kw::runtime
