#include "engine/pipeline/job.h"

#include "engine/base/base64.h"
#include "engine/base/json_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>

namespace kw::pipeline {
namespace {

struct KindName {
    Job::Kind kind;
    std::string_view name;
};
constexpr std::array<KindName, 6> kKinds{{{Job::Kind::verify, "verify"},
                                          {Job::Kind::bench, "bench"},
                                          {Job::Kind::profile, "profile"},
                                          {Job::Kind::outputs, "outputs"},
                                          {Job::Kind::writers, "writers"},
                                          {Job::Kind::audit, "audit"}}};

std::string_view name_of(Job::Kind kind) { return std::ranges::find(kKinds, kind, &KindName::kind)->name; }

Json to_json(const Source& source) {
    Json json{
        {"file", source.file}, {"text", source.text}, {"ptx", source.ptx}, {"cubin", base64_encode(source.cubin)}};
    json["configuration"] = sizes_to_json(source.configuration);
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
    source.configuration = sizes_from_json(json.at("configuration"));
    for (const auto& kernel : json.at("kernels")) source.kernels.push_back(compile::kernel_from_json(kernel));
    return source;
}

Json to_json(const Inspect& inspect) {
    return {{"case", inspect.case_index},
            {"store", inspect.store},
            {"sizes_of", inspect.sizes_of == device::Kind::sim ? "sim" : "cuda"},
            {"tensor", inspect.tensor},
            {"element", inspect.element},
            {"actual", base64_encode(inspect.actual)}};
}

Inspect inspect_from_json(const Json& json) {
    auto actual = base64_decode(json.at("actual").get<std::string>());
    if (!actual) throw std::invalid_argument("the element's value is not base64");
    return {.case_index = json.at("case").get<std::size_t>(),
            .store = json.at("store").get<std::string>(),
            .sizes_of = json.at("sizes_of") == "cuda" ? device::Kind::cuda : device::Kind::sim,
            .tensor = json.at("tensor").get<std::size_t>(),
            .element = json.at("element").get<std::uint64_t>(),
            .actual = std::move(*actual)};
}

bool inspects(Job::Kind kind) {
    return kind == Job::Kind::outputs || kind == Job::Kind::writers || kind == Job::Kind::audit;
}

} // namespace

std::uint64_t draw_seed() {
    std::random_device device; // the operating system's generator on Linux
    return (std::uint64_t{device()} << 32 | device()) >> 11;
}

Json to_json(const Job& job) {
    Json json{{"kind", name_of(job.kind)},
              {"candidate", to_json(job.candidate)},
              {"options", to_json(job.options)},
              {"seed", job.seed}};
    if (!job.values.empty()) json["values"] = job.values;
    if (inspects(job.kind)) json["inspect"] = to_json(job.inspect);
    if (job.reference) json["reference"] = to_json(*job.reference);
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
        const auto kind = json.at("kind").get<std::string>();
        const auto known = std::ranges::find(kKinds, kind, &KindName::name);
        if (known == kKinds.end()) throw std::invalid_argument(fmt::format("there is no kind '{}'", kind));
        job.kind = known->kind;
        job.candidate = source_from_json(json.at("candidate"));
        if (json.contains("reference")) job.reference = source_from_json(json.at("reference"));
        for (const auto& item : json.at("baselines")) job.baselines.push_back(source_from_json(item));
        auto options = options_from_json(json.at("options"));
        if (!options) return std::unexpected(options.error());
        job.options = std::move(*options);
        job.seed = json.at("seed").get<std::uint64_t>();
        job.values = json.value("values", "");
        if (inspects(job.kind)) job.inspect = inspect_from_json(json.at("inspect"));
        for (const auto& [name, content] : json.at("files").items()) {
            auto bytes = base64_decode(content.get<std::string>());
            if (!bytes) throw std::invalid_argument(fmt::format("file {} is not base64", name));
            job.files[name] = std::move(*bytes);
        }
        return job;
    } catch (const std::exception& error) {
        return fail(Stage::rpc, ErrorCode::invalid_input, fmt::format("malformed job: {}", what_is_wrong(error)));
    }
}

} // namespace kw::pipeline
