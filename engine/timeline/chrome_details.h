#pragma once

#include "engine/timeline/byte_source.h"
#include "engine/timeline/store.h"

#include <memory>

namespace kw::timeline {

/// Reads a record again where it stands in its source.
class ChromeDetails : public DetailSource {
public:
    explicit ChromeDetails(std::shared_ptr<ByteSource> source) : source_(std::move(source)) {}
    [[nodiscard]] Result<std::vector<Detail>> details(std::uint64_t origin) override;
    [[nodiscard]] std::uint64_t memory_bytes() const override { return source_->memory_bytes(); }

private:
    std::shared_ptr<ByteSource> source_;
};

} // namespace kw::timeline
