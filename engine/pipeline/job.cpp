#include "engine/pipeline/job.h"

#include <fmt/format.h>

#include <array>

namespace kw::pipeline {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

Json to_json(const Source& source) {
    Json json{
        {"file", source.file}, {"text", source.text}, {"ptx", source.ptx}, {"cubin", base64_encode(source.cubin)}};
    json["configuration"] = Json::object();
    for (const auto& [name, value] : source.configuration) json["configuration"][name] = value;
    auto& kernels = json["kernels"] = Json::array();
    for (const auto& kernel : source.kernels) kernels.push_back(compile::to_json(kernel));
    return json;
}

Source source_from_json(const Json& json) {
    Source source;
    source.file = json.at("file").get<std::string>();
    source.text = json.at("text").get<std::string>();
    source.ptx = json.at("ptx").get<std::string>();
    auto cubin = base64_decode(json.at("cubin").get<std::string>());
    if (!cubin) throw std::invalid_argument("cubin is not base64");
    source.cubin = std::move(*cubin);
    for (const auto& [name, value] : json.at("configuration").items())
        source.configuration[name] = value.get<std::int64_t>();
    for (const auto& kernel : json.at("kernels")) source.kernels.push_back(compile::kernel_from_json(kernel));
    return source;
}

} // namespace

std::string base64_encode(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto at = [&](std::size_t k) { return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0u; };
        const unsigned group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
        text += kDigits[group >> 18];
        text += kDigits[group >> 12 & 63];
        text += i + 1 < bytes.size() ? kDigits[group >> 6 & 63] : '=';
        text += i + 2 < bytes.size() ? kDigits[group & 63] : '=';
    }
    return text;
}

std::optional<std::string> base64_decode(std::string_view text) {
    static constexpr auto kValues = [] {
        std::array<signed char, 256> values{};
        values.fill(-1);
        for (std::size_t i = 0; i < kDigits.size(); ++i)
            values[static_cast<unsigned char>(kDigits[i])] = static_cast<signed char>(i);
        return values;
    }();
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t padding = 0;
    while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    unsigned group = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_padding = i >= text.size() - padding;
        const int value = is_padding ? 0 : kValues[static_cast<unsigned char>(text[i])];
        if (value < 0) return std::nullopt;
        group = group << 6 | static_cast<unsigned>(value);
        if (i % 4 != 3) continue;
        bytes += static_cast<char>(group >> 16 & 255);
        bytes += static_cast<char>(group >> 8 & 255);
        bytes += static_cast<char>(group & 255);
        group = 0;
    }
    for (; padding > 0; --padding) bytes.pop_back();
    return bytes;
}

Json to_json(const Job& job) {
    Json json{{"kind", job.kind == Job::Kind::verify ? "verify" : "bench"},
              {"candidate", to_json(job.candidate)},
              {"reference", to_json(job.reference)},
              {"options", to_json(job.options)},
              {"seed", job.seed}};
    auto& baselines = json["baselines"] = Json::array();
    for (const auto& baseline : job.baselines) baselines.push_back(to_json(baseline));
    // Base64 for every file: one rule instead of guessing which are text.
    auto& files = json["files"] = Json::object();
    for (const auto& [name, content] : job.files) files[name] = base64_encode(content);
    return json;
}

Result<Job> job_from_json(const Json& json) {
    try {
        Job job;
        job.kind = json.at("kind").get<std::string>() == "bench" ? Job::Kind::bench : Job::Kind::verify;
        job.candidate = source_from_json(json.at("candidate"));
        job.reference = source_from_json(json.at("reference"));
        for (const auto& item : json.at("baselines")) job.baselines.push_back(source_from_json(item));
        auto options = options_from_json(json.at("options"));
        if (!options) return std::unexpected(options.error());
        job.options = std::move(*options);
        job.seed = json.at("seed").get<std::uint64_t>();
        for (const auto& [name, content] : json.at("files").items()) {
            auto bytes = base64_decode(content.get<std::string>());
            if (!bytes) throw std::invalid_argument(fmt::format("file {} is not base64", name));
            job.files[name] = std::move(*bytes);
        }
        return job;
    } catch (const std::exception& error) {
        return fail(Stage::rpc, ErrorCode::invalid_input, fmt::format("malformed job: {}", error.what()));
    }
}

} // namespace kw::pipeline
