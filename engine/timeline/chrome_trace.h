#pragma once

#include "engine/timeline/builder.h"
#include "engine/timeline/byte_source.h"

#include <memory>
#include <stop_token>

namespace kw::timeline {

/// Reads a trace as Chrome's tracing and Kineto write it: an object with `traceEvents`, or the bare array. Phases X,
/// B/E, i, C, M, s/t/f, b/n/e and their older forms. What is cut short, damaged or odd is read as far as it makes
/// sense, and the store's warnings say what was left out; the error is a text that is no trace at all. Memory beyond
/// the store stays bounded whatever the text's length. `source` stays open for details.
[[nodiscard]] Result<std::shared_ptr<const Store>>
read_chrome_trace(std::unique_ptr<ByteSource> source, std::stop_token stop = {}, const Progress& progress = {});

} // namespace kw::timeline
