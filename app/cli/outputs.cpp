#include "app/cli/outputs.h"

#include "app/cli/outputs_text.h"
#include "app/cli/validators.h"
#include "engine/base/json_error.h"
#include "engine/pipeline/evaluation.h"
#include "engine/pipeline/sources.h"
#include "engine/rpc/outputs_client.h"
#include "engine/verify/output_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <exception>
#include <future>
#include <limits>
#include <utility>

namespace kw::cli {
namespace {

/// Waits for one answer.
Result<Json> ask(rpc::WorkerClient& worker, std::string_view method, Json params, const std::stop_token& stop) {
    auto promise = std::make_shared<std::promise<Result<Json>>>();
    auto answer = promise->get_future();
    const auto ticket = worker.call_async(method, std::move(params),
                                          [promise](Result<Json> json) { promise->set_value(std::move(json)); });
    const std::stop_callback cancel{stop, [&ticket] { ticket.cancel(); }};
    return answer.get();
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json elements_json(const verify::Values& values, const verify::TensorOutput& tensor) {
    Json elements = Json::array();
    const std::size_t width = task::size_of(tensor.type);
    std::size_t at = 0;
    for (auto row = values.region.row; row < values.region.row_end; ++row)
        for (auto column = values.region.column; column < values.region.column_end; ++column) {
            const std::uint64_t index = row * tensor.map.columns + column;
            if (index >= tensor.map.elements || at + width > values.actual.size()) break;
            const auto error = verify::describe_element(reinterpret_cast<const std::byte*>(values.expected.data() + at),
                                                        reinterpret_cast<const std::byte*>(values.actual.data() + at),
                                                        tensor.type, tensor.tolerance);
            at += width;
            elements.push_back(
                {{"index", index},
                 {"coordinates", verify::coordinates_of(index, tensor.shape)},
                 {"expected", error.expected.text},
                 {"actual", error.actual.text},
                 {"abs", number(error.absolute)},
                 {"rel", number(error.relative)},
                 {"ulp", error.ulp == std::numeric_limits<std::uint64_t>::max() ? Json() : Json(error.ulp)},
                 {"ratio", number(static_cast<double>(error.ratio))}});
        }
    return elements;
}

/// Asks what was asked for about one tensor, and adds it to `report`.
Result<void> add_details(const OutputsArguments& arguments, rpc::WorkerClient& worker, const std::stop_token& stop,
                         Json& report) {
    const auto& tensors = report.at("tensors");
    auto chosen = tensors.begin();
    if (arguments.tensor.empty())
        chosen = std::ranges::find_if(tensors, [](const Json& tensor) { return !tensor.at("ok").get<bool>(); });
    else
        chosen =
            std::ranges::find_if(tensors, [&](const Json& tensor) { return tensor.at("name") == arguments.tensor; });
    if (chosen == tensors.end()) {
        if (!arguments.tensor.empty())
            return fail(Stage::usage, ErrorCode::not_found,
                        fmt::format("the task has no output '{}'", arguments.tensor));
        chosen = tensors.begin();
    }
    if (chosen == tensors.end()) return {};
    const auto tensor = verify::tensor_output_from_json(*chosen);
    const Json about{{"handle", report.at("handle")}, {"tensor", tensor.name}};
    const auto add = [&](const char* member, std::string_view method, Json params) -> Result<void> {
        params.update(about);
        auto answer = ask(worker, method, std::move(params), stop);
        if (!answer) return std::unexpected(std::move(answer.error()));
        report[member] = std::move(*answer);
        return {};
    };
    report["tensor"] = tensor.name;
    if (auto done = add("histogram", "outputs/histogram", Json::object()); !done) return done;
    const task::Tolerance tolerance{arguments.atol.value_or(tensor.tolerance.atol),
                                    arguments.rtol.value_or(tensor.tolerance.rtol)};
    if (arguments.atol || arguments.rtol) {
        if (auto done = add("tolerance", "outputs/tolerance", verify::to_json(tolerance)); !done) return done;
        report["tolerance"].update(verify::to_json(tolerance));
    }
    if (!arguments.region.empty()) {
        const auto region = parse_region(arguments.region);
        if (!region) return std::unexpected(region.error());
        auto params = verify::to_json(*region);
        params["what"] = arguments.step == 1 ? "values" : "cells";
        params["step"] = {arguments.step, arguments.step};
        params["tolerance"] = verify::to_json(tolerance);
        const char* member = arguments.step == 1 ? "values" : "cells";
        if (auto done = add(member, "outputs/region", std::move(params)); !done) return done;
        if (arguments.step == 1) {
            auto judged = tensor;
            judged.tolerance = tolerance;
            report["elements"] = elements_json(verify::values_from_json(report["values"]), judged);
            report.erase("values");
        }
    }
    if (arguments.element) {
        report["element"] = *arguments.element;
        if (auto done = add("writers", "outputs/writers", Json{{"index", *arguments.element}}); !done) return done;
    }
    return {};
}

int status_of(const Json& report) {
    if (report.at("ok").get<bool>()) return 0;
    const auto compile = pipeline::compile_report_from_json(report.at("compile"));
    if (!compile.ok) return report::report_error({Stage::compile, ErrorCode::wrong, pipeline::first_error(compile)});
    if (const auto problem = report.at("problem").get<std::string>(); !problem.empty())
        return report::report_error({Stage::verify, ErrorCode::wrong, problem});
    if (report.contains("fault"))
        return report::report_error(
            {Stage::verify, ErrorCode::wrong, report.at("fault").at("message").get<std::string>()});
    return report::report_error({Stage::verify, ErrorCode::wrong, "the candidate's outputs are wrong"});
}

} // namespace

CLI::App* add_outputs(CLI::App& app, OutputsArguments& arguments) {
    auto* command =
        app.add_subcommand("outputs", "Run one check again and look at its outputs: where they are wrong, by how much, "
                                      "and which thread wrote them");
    command->add_option("TASK", arguments.evaluation.task, "Task folder")->required();
    command->add_option("--candidate", arguments.evaluation.candidate, "File to run instead of the task's kernel")
        ->type_name("FILE");
    command->add_option("--device", arguments.evaluation.device, "Device to run on (default: auto)")
        ->type_name("DEVICE");
    command->add_option("--set", arguments.evaluation.set, "Value of a tunable instead of its default")
        ->type_name("NAME=VALUE");
    command->add_option("--case", arguments.case_index, "Which of the task's size sets, from 0 (default: 0)")
        ->check(not_negative())
        ->type_name("N");
    command->add_option("--seed", arguments.evaluation.seed, "A check's seed, as kw eval --json prints it")
        ->type_name("N");
    command->add_option("--tensor", arguments.tensor, "Output to look at (default: the first that is wrong)")
        ->type_name("NAME");
    command
        ->add_option("--region", arguments.region,
                     "Rows and columns to print; a row is the last dimension, or a part of it where there is but one")
        ->type_name("R0:R1,C0:C1");
    command->add_option("--step", arguments.step, "Print cells of so many rows and columns, a power of two")
        ->type_name("N")
        ->check(CLI::Validator{[](const std::string& text) {
                                   std::uint64_t value = 0;
                                   const auto [end, error] =
                                       std::from_chars(text.data(), text.data() + text.size(), value);
                                   if (error == std::errc{} && end == text.data() + text.size()
                                       && std::has_single_bit(value) && value <= std::uint64_t{1} << 32)
                                       return std::string{};
                                   return fmt::format("takes a power of two up to 2^32; '{}' is none", text);
                               },
                               std::string{}});
    command->add_option("--atol", arguments.atol, "Say how many elements would pass")
        ->type_name("X")
        ->check(number_from(0, std::numeric_limits<double>::max()));
    command->add_option("--rtol", arguments.rtol, "Say how many elements would pass")
        ->type_name("X")
        ->check(number_from(0, std::numeric_limits<double>::max()));
    command->add_option("--element", arguments.element, "Say which threads wrote the element of this index")
        ->check(not_negative())
        ->type_name("I");
    command->add_option("--timeout", arguments.evaluation.timeout_s, "Seconds that the run may take")->type_name("S");
    command->add_flag("--json", arguments.evaluation.json, "Print JSON");
    return command;
}

Result<verify::Region> parse_region(const std::string& text) {
    verify::Region region;
    const char* at = text.data();
    const char* end = at + text.size();
    const auto number = [&](std::uint64_t& to, char after) {
        const auto [stopped, error] = std::from_chars(at, end, to);
        if (error != std::errc{}) return false;
        at = stopped;
        if (after == '\0') return at == end;
        return at != end && *at++ == after;
    };
    if (number(region.row, ':') && number(region.row_end, ',') && number(region.column, ':')
        && number(region.column_end, '\0'))
        return region;
    return fail(Stage::usage, ErrorCode::invalid_input,
                fmt::format("'{}' is no region; write rows and columns as in 0:16,0:8", text));
}

int outputs_command(const OutputsArguments& arguments, rpc::WorkerClient& worker, std::stop_token stop) {
    auto options = report::to_options(arguments.evaluation);
    if (!options) return report::report_error(options.error());
    const auto files = report::read_task(arguments.evaluation, *options);
    if (!files) return report::report_error(files.error());
    if (!arguments.region.empty())
        if (const auto region = parse_region(arguments.region); !region) return report::report_error(region.error());
    pipeline::OutputsQuery query{.case_index = arguments.case_index, .sizes = {}, .seed = options->seed};
    options->seed.reset();
    auto report = ask(worker, "outputs", rpc::outputs_params(*files, *options, query), stop);
    if (!report) return report::report_error(report.error());
    try {
        if (report->contains("handle"))
            if (auto done = add_details(arguments, worker, stop, *report); !done)
                return report::report_error(done.error());
        // It is this command's alone, and gone with it.
        report->erase("handle");
        const auto text = arguments.evaluation.json ? report->dump(2, ' ', false, Json::error_handler_t::replace) + '\n'
                                                    : outputs_text(*report);
        if (const auto shown = report::print(text); !shown) return report::report_error(shown.error());
        return status_of(*report);
    } catch (const std::exception& error) {
        return report::report_error({Stage::rpc, ErrorCode::internal,
                                     fmt::format("the worker's outputs are malformed: {}", what_is_wrong(error))});
    }
}

} // namespace kw::cli
