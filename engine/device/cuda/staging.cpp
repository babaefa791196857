#include "engine/device/cuda/staging.h"

#include "engine/base/bytes.h"

#include <algorithm>

namespace kw::cuda {

Staging::~Staging() { release(); }

void Staging::release() {
    for (auto& half : halves_) {
        if (half.done) api_->cuEventDestroy(half.done);
        if (half.memory) api_->cuMemFreeHost(half.memory);
        half = {};
    }
}

bool Staging::ready() {
    if (asked_) return available_;
    asked_ = true;
    for (auto& half : halves_) {
        void* memory = nullptr;
        if (api_->cuMemHostAlloc(&memory, kHalf, 0) == kSuccess) half.memory = static_cast<std::byte*>(memory);
        if (half.memory && api_->cuEventCreate(&half.done, kEventDisableTiming) != kSuccess) half.done = nullptr;
        if (half.done) continue;
        release();
        return false;
    }
    return available_ = true;
}

CUresult Staging::settle(CUresult result) {
    const auto ended = api_->cuStreamSynchronize(stream_);
    return result == kSuccess ? ended : result;
}

CUresult Staging::upload(CUdeviceptr to, std::span<const std::byte> from) {
    if (from.size() < kSmallest || !ready()) return api_->cuMemcpyHtoD(to, from.data(), from.size());
    for (std::size_t at = 0, turn = 0; at < from.size(); at += kHalf, ++turn) {
        auto& half = halves_[turn % halves_.size()];
        if (turn >= halves_.size())
            if (const auto r = api_->cuEventSynchronize(half.done); r != kSuccess) return settle(r);
        const auto piece = from.subspan(at, std::min(kHalf, from.size() - at));
        copy_bytes({half.memory, kHalf}, piece);
        if (const auto r = api_->cuMemcpyHtoDAsync(to + at, half.memory, piece.size(), stream_); r != kSuccess)
            return settle(r);
        if (const auto r = api_->cuEventRecord(half.done, stream_); r != kSuccess) return settle(r);
    }
    return settle(kSuccess);
}

CUresult Staging::download(std::span<std::byte> to, CUdeviceptr from) {
    if (to.size() < kSmallest || !ready()) return api_->cuMemcpyDtoH(to.data(), from, to.size());
    const auto request = [&](std::size_t at) -> CUresult {
        auto& half = halves_[at / kHalf % halves_.size()];
        const auto r = api_->cuMemcpyDtoHAsync(half.memory, from + at, std::min(kHalf, to.size() - at), stream_);
        return r == kSuccess ? api_->cuEventRecord(half.done, stream_) : r;
    };
    for (std::size_t at = 0; at < to.size() && at < kHalf * halves_.size(); at += kHalf)
        if (const auto r = request(at); r != kSuccess) return settle(r);
    for (std::size_t at = 0; at < to.size(); at += kHalf) {
        auto& half = halves_[at / kHalf % halves_.size()];
        if (const auto r = api_->cuEventSynchronize(half.done); r != kSuccess) return settle(r);
        const std::size_t size = std::min(kHalf, to.size() - at);
        copy_bytes(to.subspan(at, size), {half.memory, size});
        const std::size_t next = at + kHalf * halves_.size();
        if (next >= to.size()) continue;
        if (const auto r = request(next); r != kSuccess) return settle(r);
    }
    return kSuccess;
}

} // namespace kw::cuda
