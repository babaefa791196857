#include "engine/profile/metrics.h"

#include "engine/base/suggest.h"
#include "engine/base/toml.h"
#include "engine/profile/expression.h"
#include "metrics_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace kw::profile {
namespace {

constexpr std::array<std::string_view, 7> kGroups{"speed_of_light", "roofline", "memory",      "stalls",
                                                  "scheduler",      "launch",   "instructions"};
constexpr std::array<std::string_view, 2> kSets{"basic", "full"};

/// Takes members out of a metric's table and remembers the first that is wrong.
class MetricReader {
public:
    explicit MetricReader(const toml::table& table) : table_(table) {}

    void text(std::string_view key, std::string& out, bool required = false) {
        known_.insert(key);
        const auto* node = table_.get(key);
        if (!node && !required) return;
        if (const auto* value = node ? node->as_string() : nullptr)
            out = value->get();
        else
            wrong(fmt::format("'{}' is not a text", key));
    }
    void flag(std::string_view key, bool& out) {
        known_.insert(key);
        const auto* node = table_.get(key);
        if (!node) return;
        if (const auto* value = node->as_boolean())
            out = value->get();
        else
            wrong(fmt::format("'{}' is not true or false", key));
    }
    void list(std::string_view key, std::vector<std::string>& out) {
        known_.insert(key);
        const auto* node = table_.get(key);
        if (!node) return;
        const auto* array = node->as_array();
        if (!array) return wrong(fmt::format("'{}' is not a list", key));
        for (const auto& item : *array) {
            const auto* value = item.as_string();
            if (!value) return wrong(fmt::format("'{}' holds something else than texts", key));
            out.push_back(value->get());
        }
    }
    void expression(std::string_view key, std::string& out) {
        text(key, out);
        if (out.empty()) return;
        if (auto parsed = Expression::parse(out); !parsed) wrong(fmt::format("'{}': {}", key, parsed.error().message));
    }
    void one_of(std::string_view key, std::string_view value, std::span<const std::string_view> allowed) {
        if (std::ranges::find(allowed, value) == allowed.end()) wrong(fmt::format("'{}' cannot be '{}'", key, value));
    }
    void finish() {
        for (const auto& [key, node] : table_)
            if (!known_.contains(key.str())) wrong(fmt::format("'{}' is unknown", key.str()));
    }
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    void wrong(std::string problem) {
        if (problem_.empty()) problem_ = std::move(problem);
    }

    const toml::table& table_;
    std::set<std::string_view> known_;
    std::string problem_;
};

Result<Metric> metric_from(const toml::table& table, const std::string& file) {
    Metric metric;
    MetricReader reader(table);
    reader.text("id", metric.id, true);
    reader.text("label", metric.label, true);
    reader.text("unit", metric.unit, true);
    reader.text("group", metric.group, true);
    reader.one_of("group", metric.group, kGroups);
    reader.text("about", metric.about, true);
    reader.list("sets", metric.sets);
    for (const auto& set : metric.sets) reader.one_of("sets", set, kSets);
    reader.list("names", metric.names);
    reader.list("sampled_names", metric.sampled_names);
    metric.over_time = !metric.sampled_names.empty();
    reader.expression("formula", metric.formula);
    reader.expression("sim", metric.sim);
    reader.flag("per_line", metric.per_line);
    reader.flag("more_is_better", metric.more_is_better);
    reader.text("stall", metric.stall);
    reader.finish();
    if (reader.problem().empty()) return metric;
    return fail(Stage::profile, ErrorCode::invalid_input,
                fmt::format("the metric '{}' is malformed: {}", metric.id, reader.problem()),
                {file, static_cast<int>(table.source().begin.line), 0});
}

/// An operand that does not exist would make its formula silently useless.
Result<void> check_operands(const std::vector<Metric>& metrics, const std::string& file) {
    std::vector<std::string> ids;
    for (const auto& metric : metrics) ids.push_back(metric.id);
    for (const auto& metric : metrics) {
        if (std::ranges::count(ids, metric.id) > 1)
            return fail(Stage::profile, ErrorCode::invalid_input,
                        fmt::format("the metric '{}' is declared twice", metric.id), {file});
        if (metric.formula.empty()) continue;
        for (const auto& name : Expression::parse(metric.formula)->names())
            if (std::ranges::find(ids, name) == ids.end())
                return fail(Stage::profile, ErrorCode::invalid_input,
                            fmt::format("the formula of metric '{}' names '{}', which is no metric{}", metric.id, name,
                                        did_you_mean(name, ids)),
                            {file});
    }
    return {};
}

/// The built-in metrics with their expressions ready.
struct Catalogue {
    std::vector<Metric> metrics;
    std::vector<std::optional<Expression>> formulas; ///< by index of the metric
    std::vector<std::optional<Expression>> simulations;
    std::map<std::string_view, std::size_t> index;
};

std::optional<Expression> compiled(const std::string& text) {
    auto parsed = text.empty() ? Result<Expression>{std::unexpected(Error{})} : Expression::parse(text);
    return parsed ? std::optional{std::move(*parsed)} : std::nullopt;
}

const Catalogue& catalogue() {
    static const Catalogue all = [] {
        Catalogue made;
        // That it parses is tested; it is part of the program.
        if (auto parsed = parse_metrics(kMetricsText, "metrics.toml")) made.metrics = std::move(*parsed);
        for (std::size_t i = 0; i < made.metrics.size(); ++i) {
            const auto& metric = made.metrics[i];
            made.formulas.push_back(compiled(metric.formula));
            made.simulations.push_back(compiled(metric.sim));
            made.index.emplace(metric.id, i);
        }
        return made;
    }();
    return all;
}

/// Ids with those that their formulas need.
void include(std::string_view id, std::set<std::size_t>& chosen) {
    const auto& all = catalogue();
    const auto at = all.index.find(id);
    if (at == all.index.end() || !chosen.insert(at->second).second) return;
    if (const auto& formula = all.formulas[at->second])
        for (const auto& name : formula->names()) include(name, chosen);
}

} // namespace

Result<std::vector<Metric>> parse_metrics(std::string_view text, std::string_view file) {
    const std::string name{file};
    const toml::parse_result parsed = toml::parse(text);
    if (!parsed) {
        const auto& at = parsed.error().source().begin;
        return fail(Stage::profile, ErrorCode::invalid_input,
                    fmt::format("the list of metrics is not TOML: {}", parsed.error().description()),
                    {name, static_cast<int>(at.line), static_cast<int>(at.column)});
    }
    const auto* tables = parsed.table().get_as<toml::array>("metric");
    if (!tables) return fail(Stage::profile, ErrorCode::invalid_input, "the list of metrics has no [[metric]]", {name});
    std::vector<Metric> metrics;
    for (const auto& node : *tables) {
        const auto* table = node.as_table();
        if (!table) return fail(Stage::profile, ErrorCode::invalid_input, "a metric is not a table", {name});
        auto metric = metric_from(*table, name);
        if (!metric) return std::unexpected(std::move(metric.error()));
        metrics.push_back(std::move(*metric));
    }
    if (auto good = check_operands(metrics, name); !good) return std::unexpected(std::move(good.error()));
    return metrics;
}

std::span<const Metric> metrics() { return catalogue().metrics; }

const Metric* find_metric(std::string_view id) {
    const auto& all = catalogue();
    const auto at = all.index.find(id);
    return at == all.index.end() ? nullptr : &all.metrics[at->second];
}

Result<std::vector<const Metric*>> select_metrics(std::string_view set, std::span<const std::string> ids) {
    const auto& all = catalogue();
    std::set<std::size_t> chosen; // in the order to show them
    for (const auto& id : ids) {
        if (!find_metric(id)) {
            std::vector<std::string> known;
            for (const auto& metric : all.metrics) known.push_back(metric.id);
            const auto suggestion = did_you_mean(id, known);
            return fail(Stage::usage, ErrorCode::invalid_input,
                        fmt::format("there is no metric '{}'{}", id,
                                    suggestion.empty() ? "; 'kw metrics' lists them" : suggestion));
        }
        include(id, chosen);
    }
    if (ids.empty()) {
        if (std::ranges::find(kSets, set) == kSets.end())
            return fail(Stage::usage, ErrorCode::invalid_input,
                        fmt::format("there is no set of metrics '{}'; there are basic and full", set));
        for (const auto& metric : all.metrics)
            if (std::ranges::find(metric.sets, set) != metric.sets.end()) include(metric.id, chosen);
    }
    std::vector<const Metric*> selected;
    for (const auto index : chosen) selected.push_back(&all.metrics[index]);
    return selected;
}

void derive(std::map<std::string, double>& values) {
    const auto& all = catalogue();
    const auto value_of = [&](std::string_view name) -> std::optional<double> {
        const auto at = values.find(std::string{name});
        return at == values.end() ? std::nullopt : std::optional{at->second};
    };
    // Operands first, wherever they are declared. A "?" must not be taken for unknown before it had its turn.
    std::set<std::size_t> visited;
    const std::function<void(std::size_t)> visit = [&](std::size_t index) {
        const auto& formula = all.formulas[index];
        if (!formula || !visited.insert(index).second) return;
        for (const auto& name : formula->names()) visit(all.index.at(name));
        const auto& id = all.metrics[index].id;
        if (values.contains(id)) return;
        if (const auto value = formula->evaluate(value_of)) values[id] = *value;
    };
    for (std::size_t index = 0; index < all.metrics.size(); ++index) visit(index);
}

std::map<std::string, double> simulated(const std::map<std::string, double, std::less<>>& names, bool line) {
    const auto& all = catalogue();
    const auto value_of = [&](std::string_view name) -> std::optional<double> {
        const auto at = names.find(name);
        return at == names.end() ? std::nullopt : std::optional{at->second};
    };
    std::map<std::string, double> values;
    for (std::size_t index = 0; index < all.metrics.size(); ++index) {
        const auto& expression = all.simulations[index];
        if (!expression || (line && !all.metrics[index].per_line)) continue;
        const auto value = expression->evaluate(value_of);
        if (value && !(line && *value == 0)) values[all.metrics[index].id] = *value;
    }
    return values;
}

} // namespace kw::profile
