#pragma once

#include "engine/compile/compiler.h"
#include "engine/rpc/client.h"

#include <memory>
#include <string>
#include <vector>

namespace kw::worker {

/// Compiles in `kw-worker compiler`, a child that is kept warm. A source can keep NVRTC busy without an end, eat all
/// memory or crash it, and NVRTC does one thing at a time: so the child is killed when a compilation passes its
/// deadline or is cancelled, and the next one starts another. All three are the source's doing: a diagnostic.
class ChildCompiler final : public compile::Compiler {
public:
    /// `command` starts the child: this program with "compiler". Waits until it has opened NVRTC; that it cannot is the
    /// error that compile::open_compiler gives.
    [[nodiscard]] static Result<std::unique_ptr<compile::Compiler>> open(std::vector<std::string> command);

    [[nodiscard]] std::string version() const override { return version_; }
    [[nodiscard]] std::vector<std::string> architectures() const override { return architectures_; }
    [[nodiscard]] Result<compile::Output> compile(const compile::Request& request, std::stop_token stop) override;

private:
    explicit ChildCompiler(std::vector<std::string> command) : command_(std::move(command)) {}
    /// Starts the child where there is none.
    [[nodiscard]] Result<void> start();

    std::vector<std::string> command_;
    std::unique_ptr<rpc::Client> child_;
    std::string version_;
    std::vector<std::string> architectures_;
};

} // namespace kw::worker
