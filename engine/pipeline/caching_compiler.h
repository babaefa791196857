#pragma once

#include "engine/compile/compiler.h"

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

namespace kw::pipeline {

/// Remembers compilations by the hash of everything that goes into them, so that an evaluation of an edited candidate
/// does not compile the reference and the baselines again. Least recently used entries go first once the code kept
/// exceeds `max_bytes`.
class CachingCompiler final : public compile::Compiler {
public:
    explicit CachingCompiler(std::unique_ptr<compile::Compiler> compiler,
                             std::size_t max_bytes = std::size_t{256} << 20);

    [[nodiscard]] std::string version() const override { return compiler_->version(); }
    [[nodiscard]] std::vector<std::string> architectures() const override { return compiler_->architectures(); }
    [[nodiscard]] Result<compile::Output> compile(const compile::Request& request, std::stop_token stop) override;

    [[nodiscard]] std::size_t hits() const { return hits_; }

private:
    struct Entry {
        std::string key;
        compile::Output output;
        std::size_t bytes = 0;
    };

    std::unique_ptr<compile::Compiler> compiler_;
    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    std::size_t hits_ = 0;
    std::list<Entry> entries_; ///< most recently used first
    std::unordered_map<std::string, std::list<Entry>::iterator> index_;
};

} // namespace kw::pipeline
