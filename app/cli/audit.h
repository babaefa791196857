#pragma once

#include "engine/report/commands.h"

#include <CLI/CLI.hpp>

#include <stop_token>

namespace kw::cli {

struct AuditArguments {
    report::EvalArguments evaluation;
    bool dynamic = false;
};

CLI::App* add_audit(CLI::App& app, AuditArguments& arguments);

/// Compiles the candidate and prints what the audit says of its code and, with `dynamic`, of runs of it. Status 1 when
/// it is refused or does not compile.
[[nodiscard]] int audit_command(AuditArguments arguments, report::Backend& backend, std::stop_token stop);

} // namespace kw::cli
