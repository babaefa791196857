#pragma once

#include "engine/report/commands.h"
#include "engine/rpc/worker_client.h"

#include <stop_token>
#include <string>

namespace kw::cli {

struct DisasmArguments {
    report::EvalArguments evaluation; ///< task, candidate, device and set
    std::string kernel;               ///< empty: all
    bool sass = false;                ///< else PTX
};

/// Prints a candidate's PTX or SASS, with its source lines in between. Status 1 when it does not compile.
[[nodiscard]] int disasm_command(const DisasmArguments& arguments, rpc::WorkerClient& worker, std::stop_token stop);

} // namespace kw::cli
