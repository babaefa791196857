#include "app/cli/outputs_text.h"

#include "engine/verify/error_histogram.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <vector>

namespace kw::cli {
namespace {

std::string tensor_text(const Json& tensor) {
    const auto& comparison = tensor.at("comparison");
    const auto elements = comparison.at("elements").get<std::uint64_t>();
    const auto wrong = comparison.at("mismatches").get<std::uint64_t>();
    auto text = fmt::format("{} {}[{}]: {}", tensor.at("name").get<std::string>(), tensor.at("type").get<std::string>(),
                            fmt::join(tensor.at("shape").get<std::vector<std::int64_t>>(), ", "),
                            wrong == 0 ? fmt::format("all {} elements are right", elements)
                                       : fmt::format("{} of {} elements are wrong", wrong, elements));
    if (const auto first = comparison.find("first_mismatch"); first != comparison.end())
        text += fmt::format("; the first is [{}]: expected {}, got {}",
                            fmt::join(first->at("coordinates").get<std::vector<std::uint64_t>>(), ", "),
                            first->at("expected_text").get<std::string>(), first->at("actual_text").get<std::string>());
    return text + '\n';
}

std::string bins_text(const Json& counts, std::string_view title, auto label) {
    std::string text;
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (const auto count = counts[i].get<std::uint64_t>(); count > 0)
            text += fmt::format("  {:>22}  {}\n", label(i), count);
    return text.empty() ? text : fmt::format("{}\n{}", title, text);
}

std::string histogram_text(const Json& histogram) {
    auto text = fmt::format("exact {}, NaN or lone infinity {}\n", histogram.at("exact").get<std::uint64_t>(),
                            histogram.at("never").get<std::uint64_t>());
    text += bins_text(histogram.at("ulp"), "ULP", [](std::size_t i) {
        const std::uint64_t from = std::uint64_t{1} << (i - 1);
        return i == 1 ? std::string{"1"} : fmt::format("{} … {}", from, from - 1 + from);
    });
    text += bins_text(histogram.at("relative").at("counts"), "relative error", [](std::size_t i) {
        return i == 0 ? fmt::format("below {:.2g}", verify::ErrorHistogram::relative_edge(1))
                      : fmt::format("from {:.2g}", verify::ErrorHistogram::relative_edge(i));
    });
    return text;
}

std::string elements_text(const Json& elements) {
    std::string text =
        fmt::format("  {:>16} {:>16} {:>16} {:>12} {:>12}\n", "element", "expected", "actual", "ULP", "÷ tolerance");
    for (const auto& element : elements)
        text += fmt::format(
            "  {:>16} {:>16} {:>16} {:>12} {:>12}\n",
            fmt::format("[{}]", fmt::join(element.at("coordinates").get<std::vector<std::uint64_t>>(), ", ")),
            element.at("expected").get<std::string>(), element.at("actual").get<std::string>(),
            element.at("ulp").is_null() ? "–" : std::to_string(element.at("ulp").get<std::uint64_t>()),
            element.at("ratio").is_null() ? "∞" : fmt::format("{:.3g}", element.at("ratio").get<double>()));
    return text;
}

std::string writers_text(const Json& writers) {
    std::string text;
    const auto place = [](const Json& where) {
        return fmt::format("{}:{}", where.at("file").get<std::string>(), where.at("line").get<int>());
    };
    const auto position = [](const Json& dim) {
        return fmt::format("({})", fmt::join(dim.get<std::vector<std::uint32_t>>(), ", "));
    };
    for (const auto& write : writers.at("writes"))
        text += fmt::format("  {} by {} block {} {} {} at {}\n", write.at("atomic").get<bool>() ? "changed" : "written",
                            write.at("kernel").get<std::string>(), position(write.at("block")),
                            write.at("whole_warp").get<bool>() ? "the warp of thread" : "thread",
                            position(write.at("thread")), place(write.at("where")));
    if (const auto more = writers.at("more").get<std::uint64_t>(); more > 0)
        text += fmt::format("  and by {} more threads\n", more);
    if (const auto origin = writers.find("origin"); origin != writers.end())
        text += fmt::format("  {} at {}\n", origin->at("what").get<std::string>(), place(origin->at("where")));
    if (const auto note = writers.at("note").get<std::string>(); !note.empty()) text += fmt::format("  {}\n", note);
    return text;
}

} // namespace

std::string outputs_text(const Json& report) {
    auto text =
        fmt::format("case {}, seed {}\n", report.at("case").get<std::size_t>(), report.at("seed").get<std::uint64_t>());
    if (const auto fault = report.find("fault"); fault != report.end())
        text += fmt::format("{}; the values are those written until then\n", fault->at("message").get<std::string>());
    for (const auto& tensor : report.at("tensors")) text += tensor_text(tensor);
    if (const auto histogram = report.find("histogram"); histogram != report.end()) {
        text += fmt::format("\n{}\n", report.at("tensor").get<std::string>());
        text += histogram_text(*histogram);
    }
    if (const auto tolerance = report.find("tolerance"); tolerance != report.end()) {
        const auto elements = tolerance->at("elements").get<std::uint64_t>();
        text += fmt::format("{} of {} would pass with atol {:g} and rtol {:g}\n",
                            elements - tolerance->at("mismatches").get<std::uint64_t>(), elements,
                            tolerance->at("atol").get<double>(), tolerance->at("rtol").get<double>());
    }
    if (const auto elements = report.find("elements"); elements != report.end()) text += elements_text(*elements);
    if (const auto cells = report.find("cells"); cells != report.end())
        text += fmt::format("{} × {} cells; --json prints them\n", cells->at("cells")[0].get<std::uint64_t>(),
                            cells->at("cells")[1].get<std::uint64_t>());
    if (const auto writers = report.find("writers"); writers != report.end())
        text += fmt::format("element {}\n", report.at("element").get<std::uint64_t>()) + writers_text(*writers);
    return text;
}

} // namespace kw::cli
