#pragma once

#include "engine/pipeline/torch.h"
#include "engine/rpc/client.h"

#include <chrono>
#include <memory>
#include <string>

namespace kw::worker {

/// A Python that has PyTorch, started by the first call and warm afterwards: $KERNELWRIGHT_PYTHON, else python3 in
/// PATH. One that hangs or dies costs its call alone. See resources/torch/oracle.py.
class TorchProcess final : public pipeline::TorchRunner {
public:
    [[nodiscard]] Result<Host> host(std::stop_token stop) override;
    [[nodiscard]] Result<void> compute(const std::string& file, const std::string& source, const task::Sizes& sizes,
                                       std::uint64_t seed, const std::filesystem::path& folder,
                                       std::stop_token stop) override;
    [[nodiscard]] Result<std::map<std::string, pipeline::TorchTime>>
    time(const std::string& file, const std::string& source, const task::Sizes& sizes, std::uint64_t seed,
         std::span<const std::string> baselines, double seconds, std::stop_token stop) override;
    /// What a task around the problem has: see Service::describe_torch.
    [[nodiscard]] Result<Json> describe(const std::string& file, const std::string& source, std::stop_token stop);

private:
    /// `file` is what errors of the problem are placed in.
    [[nodiscard]] Result<Json> call(std::string_view method, Json params, const std::string& file,
                                    std::chrono::seconds limit, std::stop_token stop);

    std::unique_ptr<rpc::Client> client_;
};

} // namespace kw::worker
