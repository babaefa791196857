#pragma once

#include "engine/compile/nvrtc.h"
#include "engine/compile/scratch_folder.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

/// One run of NVRTC on a thread of its own.
namespace kw::compile {

struct NvrtcInput {
    std::string source;
    std::string name;
    std::vector<std::pair<std::string, std::string>> headers; ///< name as #include spells it, contents
    std::vector<std::string> options;
    std::vector<std::string> expressions;
    bool keep_headers = false; ///< precompile what is included first and keep it for the next run
    bool want_ptx = true;
    bool want_cubin = true;
    std::vector<std::filesystem::path>
        readable; ///< the only folders that NVRTC may read, where the kernel can enforce it
};

struct NvrtcOutput {
    NvrtcResult result = NvrtcResult::success;
    std::string log;
    std::string ptx;
    std::string cubin;
    std::vector<std::string> lowered; ///< one per expression; empty where NVRTC gave none
    bool used_kept_headers = false;   ///< so that messages about them were given by an earlier run
};

/// Runs compilations one after the other. NVRTC recurses as deep as the source nests, so each run has a large stack;
/// and it may take its time to notice a cancellation, so a cancelled run is left behind and collected later.
class NvrtcRunner {
public:
    explicit NvrtcRunner(std::shared_ptr<const Nvrtc> nvrtc);
    ~NvrtcRunner(); ///< waits for runs left behind
    NvrtcRunner(const NvrtcRunner&) = delete;
    NvrtcRunner& operator=(const NvrtcRunner&) = delete;

    /// Errors: cancelled within 100 ms of the request; timeout as soon after the deadline; NVRTC failing by itself
    /// (crashed, internal).
    [[nodiscard]] Result<NvrtcOutput> run(NvrtcInput input, const std::stop_token& stop,
                                          std::chrono::steady_clock::time_point deadline);

private:
    struct Run;
    static void* enter(void* argument);
    void collect(bool all);

    std::shared_ptr<const Nvrtc> nvrtc_;
    ScratchFolder scratch_; ///< of precompiled headers, which only this process can use
    std::vector<std::shared_ptr<Run>> left_behind_;
};

} // namespace kw::compile
