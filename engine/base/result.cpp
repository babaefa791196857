#include "engine/base/result.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace kw {
namespace {

constexpr std::array<std::pair<Stage, std::string_view>, 11> kStages{{
    {Stage::usage, "usage"},
    {Stage::task, "task"},
    {Stage::compile, "compile"},
    {Stage::audit, "audit"},
    {Stage::verify, "verify"},
    {Stage::bench, "bench"},
    {Stage::profile, "profile"},
    {Stage::reward, "reward"},
    {Stage::device, "device"},
    {Stage::rpc, "rpc"},
    {Stage::environment, "environment"},
}};

constexpr std::array<std::pair<ErrorCode, std::string_view>, 9> kCodes{{
    {ErrorCode::invalid_input, "invalid_input"},
    {ErrorCode::wrong, "wrong"},
    {ErrorCode::not_found, "not_found"},
    {ErrorCode::unsupported, "unsupported"},
    {ErrorCode::device, "device"},
    {ErrorCode::timeout, "timeout"},
    {ErrorCode::cancelled, "cancelled"},
    {ErrorCode::crashed, "crashed"},
    {ErrorCode::internal, "internal"},
}};

} // namespace

std::unexpected<Error> fail(Stage stage, ErrorCode code, std::string message, Where where) {
    return std::unexpected(Error{stage, code, std::move(message), {}, std::move(where)});
}

std::string_view to_string(Stage stage) {
    for (const auto& [value, name] : kStages)
        if (value == stage) return name;
    std::unreachable();
}

std::string_view to_string(ErrorCode code) {
    for (const auto& [value, name] : kCodes)
        if (value == code) return name;
    std::unreachable();
}

Stage stage_from(std::string_view name) {
    for (const auto& [value, text] : kStages)
        if (text == name) return value;
    return Stage::rpc;
}

ErrorCode error_code_from(std::string_view name) {
    for (const auto& [value, text] : kCodes)
        if (text == name) return value;
    return ErrorCode::internal;
}

std::string describe(const Error& error) {
    std::string text;
    if (!error.where.file.empty()) {
        text += error.where.file;
        if (error.where.line > 0) text += fmt::format(":{}", error.where.line);
        if (error.where.line > 0 && error.where.column > 0) text += fmt::format(":{}", error.where.column);
        text += ": ";
    }
    text += fmt::format("{}: {}", to_string(error.stage), error.message);
    return text;
}

int exit_code(const Error& error) {
    switch (error.code) {
    case ErrorCode::wrong: return 1;
    case ErrorCode::invalid_input: return 2;
    case ErrorCode::not_found: return error.stage == Stage::usage || error.stage == Stage::task ? 2 : 3;
    default: return 3;
    }
}

} // namespace kw
