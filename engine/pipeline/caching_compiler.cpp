#include "engine/pipeline/caching_compiler.h"

#include "engine/base/hash.h"

#include <utility>

namespace kw::pipeline {
namespace {

/// Length-prefixed, so that no two different requests give the same text.
void append(std::string& text, std::string_view part) {
    text += std::to_string(part.size());
    text += ':';
    text += part;
}

std::string key_of(const compile::Request& request) {
    std::string text;
    append(text, std::to_string(request.files.size()));
    for (const auto& [name, content] : request.files) {
        append(text, name);
        append(text, content);
    }
    append(text, request.main);
    append(text, request.arch);
    append(text, std::to_string(request.defines.size()));
    for (const auto& [name, value] : request.defines) {
        append(text, name);
        append(text, value);
    }
    append(text, std::to_string(request.kernels.size()));
    for (const auto& kernel : request.kernels) append(text, kernel);
    append(text, request.cubin ? "cubin" : "ptx");
    append(text, request.line_info ? "lines" : "");
    append(text, std::to_string(request.timeout_s)); // one with more time may end
    return sha256_hex(text);
}

} // namespace

CachingCompiler::CachingCompiler(std::unique_ptr<compile::Compiler> compiler, std::size_t max_bytes)
    : compiler_(std::move(compiler)), max_bytes_(max_bytes) {}

Result<compile::Output> CachingCompiler::compile(const compile::Request& request, std::stop_token stop) {
    if (request.syntax_only) return compiler_->compile(request, stop);
    std::string key = key_of(request);
    if (const auto found = index_.find(key); found != index_.end()) {
        ++hits_;
        entries_.splice(entries_.begin(), entries_, found->second);
        return entries_.front().output;
    }
    auto output = compiler_->compile(request, stop);
    // What did not compile may have been stopped or have lost its compiler, and would not the next time.
    if (!output || !output->ok) return output;
    const std::size_t bytes = output->ptx.size() + output->cubin.size() + output->log.size();
    entries_.push_front({key, *output, bytes});
    index_[std::move(key)] = entries_.begin();
    bytes_ += bytes;
    while (bytes_ > max_bytes_ && entries_.size() > 1) {
        bytes_ -= entries_.back().bytes;
        index_.erase(entries_.back().key);
        entries_.pop_back();
    }
    return output;
}

} // namespace kw::pipeline
