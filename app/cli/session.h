#pragma once

#include "agent/trajectory/session_file.h"
#include "engine/report/text.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace kw::cli {

struct SessionArguments {
    std::string session;
    std::optional<trajectory::StepId> step{}; ///< show: this step instead of the list
    bool source = false;                      ///< show: only the step's source
    bool json = false;
    std::string output; ///< export: empty for standard output; import and rescore: the session to write
    struct Export {
        std::string format = "csv";
        std::optional<double> min_reward{};
        std::string pairs = "parent";
    } exporting{};
    struct Import {
        std::string format = "auto";
        std::optional<std::string> task{};
    } importing{};
    struct Rescore {
        std::string rule{}; ///< file
        std::optional<double> margin{};
        std::string baseline{};
        std::optional<double> atol{}, rtol{};
    } rescoring{};
};
[[nodiscard]] CLI::App* add_session_show(CLI::App& session, SessionArguments& arguments);
[[nodiscard]] CLI::App* add_session_export(CLI::App& session, SessionArguments& arguments);

[[nodiscard]] CLI::App* add_session_import(CLI::App& session, SessionArguments& arguments);
[[nodiscard]] CLI::App* add_session_rescore(CLI::App& session, SessionArguments& arguments);

[[nodiscard]] int session_show_command(const SessionArguments& arguments);
[[nodiscard]] int session_export_command(const SessionArguments& arguments);
[[nodiscard]] int session_import_command(const SessionArguments& arguments);
/// Prints what rewards would become, and writes them only to another session.
[[nodiscard]] int session_rescore_command(const SessionArguments& arguments);

/// "12.3 µs (estimate)  1.50×  reward 2", or why there is none.
[[nodiscard]] std::string verdict_text(const trajectory::StepSummary& step);
/// One step on one line, with its newline.
[[nodiscard]] std::string step_line(const trajectory::StepSummary& step, const report::Style& style);

} // namespace kw::cli
