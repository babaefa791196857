#include "app/cli/disasm.h"

#include "engine/report/diagnostics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <utility>
#include <vector>

namespace kw::cli {
namespace {

std::string diagnostics_text(const Json& answer, const task::Files& files) {
    std::vector<compile::Diagnostic> diagnostics;
    for (const auto& item : answer.at("diagnostics")) diagnostics.push_back(compile::diagnostic_from_json(item));
    return report::render(diagnostics, files, report::Style::for_descriptor(STDOUT_FILENO));
}

} // namespace

int disasm_command(const DisasmArguments& arguments, rpc::WorkerClient& worker, std::stop_token stop) {
    auto options = report::to_options(arguments.evaluation);
    if (!options) return report::report_error(options.error());
    const auto files = report::read_task(arguments.evaluation, *options);
    if (!files) return report::report_error(files.error());
    const auto answer = worker.disassemble({.files = *files,
                                            .main = options->candidate,
                                            .configuration = options->configuration,
                                            .device = options->device,
                                            .kernel = arguments.kernel,
                                            .sass = arguments.sass},
                                           std::move(stop));
    if (!answer) return report::report_error(answer.error());
    try {
        const bool ok = answer->at("ok").get<bool>();
        const auto text = arguments.evaluation.json ? answer->dump(2, ' ', false, Json::error_handler_t::replace) + '\n'
                          : ok                      ? answer->at("text").get<std::string>()
                                                    : diagnostics_text(*answer, *files);
        if (const auto shown = report::print(text); !shown) return report::report_error(shown.error());
        if (ok) return 0;
        return report::report_error(
            {Stage::compile, ErrorCode::wrong,
             fmt::format("{} does not compile, so there is no code to show", answer->value("file", "the candidate"))});
    } catch (const Json::exception& error) {
        return report::report_error(
            {Stage::rpc, ErrorCode::internal, fmt::format("the worker's listing is malformed: {}", error.what())});
    }
}

} // namespace kw::cli
