#include "engine/task/task.h"

#include "engine/base/file.h"
#include "engine/base/suggest.h"
#include "engine/task/names.h"
#include "engine/task/npy.h"
#include "engine/task/parse.h"
#include "engine/task/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace kw::task {
namespace {

const std::string kFile = "task.toml";
constexpr std::string_view kPython = ".py";

/// Largest finite values of the floating types.
double largest(ScalarType type) {
    switch (type) {
    case ScalarType::f16: return 65504.0;
    case ScalarType::bf16: return 3.3895313892515355e38;
    case ScalarType::f32: return static_cast<double>(std::numeric_limits<float>::max());
    default: return std::numeric_limits<double>::max();
    }
}

std::vector<std::string> keys_of(const Sizes& sizes) {
    std::vector<std::string> names;
    for (const auto& [name, value] : sizes) names.push_back(name);
    return names;
}

/// Builds a Task from the document. Every step reports into the reader, which keeps the first error.
class TaskBuilder {
public:
    TaskBuilder(TomlReader& reader, const Files& files, bool arrays)
        : reader_(reader), files_(files), arrays_(arrays) {}

    Task build() {
        const TomlTable root = reader_.root();
        reader_.allow_only(root, "task.toml",
                           {"name", "title", "kernel", "reference", "baselines", "sizes", "case", "tensor", "scalars",
                            "sim", "tolerance"});
        task_.name = reader_.required_string(root, "name", "a task");
        if (reader_.ok() && task_.name.empty())
            reader_.fail_at("the task's name is empty", reader_.where(root, "name"));
        task_.title = root.has("title") ? reader_.string(root, "title") : task_.name;
        task_.kernel = source(root, "kernel");
        torch_ = root.has("reference") && reader_.string(root, "reference").ends_with(kPython);
        if (root.has("tolerance")) task_.tolerance = tolerance(reader_.table(root, "tolerance"));
        read_sizes(root);
        read_cases(root);
        read_sim(root);
        read_scalars(root);
        read_tensors(root);
        read_reference(root);
        return std::move(task_);
    }

private:
    /// The value of a key that names a file of the task folder.
    std::string file(const TomlTable& table, std::string_view key, std::string_view what) {
        return existing(reader_.string(table, key), what, reader_.where(table, key));
    }

    std::string existing(std::string name, std::string_view what, const Where& where) {
        if (!reader_.ok()) return name;
        const std::filesystem::path path = name;
        const auto normal = path.lexically_normal().generic_string();
        if (name.empty() || path.is_absolute() || normal.starts_with("..")) {
            reader_.fail_at(fmt::format("'{}' is no file inside the task folder", name), where);
        } else if (!files_.contains(normal)) {
            std::vector<std::string> known;
            for (const auto& [known_name, contents] : files_)
                if (known_name != kFile) known.push_back(known_name);
            reader_.fail_at(
                fmt::format("the {} file '{}' is not in the task folder{}", what, name, did_you_mean(normal, known)),
                where, ErrorCode::not_found);
        }
        return normal;
    }

    std::string source(const TomlTable& table, const std::string& key) {
        if (!table.has(key)) {
            reader_.fail_at(fmt::format("task.toml lacks '{}', the file that holds the {}", key, key), {kFile, 1, 1});
            return {};
        }
        return file(table, key, key);
    }

    /// Claims a name for this task; two things of one name are an error.
    void claim(const std::string& name, std::string_view what, const Where& where) {
        if (auto good = check_name(name, what, where); !good) return reader_.fail_with(good.error());
        const auto [taken, fresh] = names_.emplace(name, what);
        if (!fresh)
            reader_.fail_at(
                fmt::format("'{}' names a {} here and a {} elsewhere in this task", name, what, taken->second), where);
    }

    /// A size set. `known` is null for [sizes], where names are made, and else the sizes that may be overridden.
    Sizes sizes(const TomlTable& table, const Sizes* known) {
        Sizes result;
        for (const auto& key : reader_.keys(table)) {
            if (known && key == "timed") continue;
            const Where where = reader_.key_where(table, key);
            if (known && !known->contains(key)) {
                reader_.fail_at(fmt::format("[sizes] has no '{}'{}", key, did_you_mean(key, keys_of(*known))), where);
                continue;
            }
            if (!known && key == "timed") reader_.fail_at("'timed' cannot name a size: it is a key of [[case]]", where);
            if (!known) claim(key, "size", where);
            const std::int64_t value = reader_.integer(table, key);
            if (reader_.ok() && value < 0)
                reader_.fail_at(fmt::format("size '{}' is {}; sizes are not negative", key, value),
                                reader_.where(table, key));
            result[key] = value;
        }
        return result;
    }

    std::string label(const Sizes& values) const {
        std::string text;
        for (const auto& name : size_order_)
            if (const auto found = values.find(name); found != values.end())
                text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, found->second);
        return text;
    }

    void read_sizes(const TomlTable& root) {
        Case first;
        if (root.has("sizes")) {
            const TomlTable table = reader_.table(root, "sizes");
            size_order_ = reader_.keys(table);
            first.sizes = sizes(table, nullptr);
        }
        first.label = label(first.sizes);
        task_.cases.push_back(std::move(first));
    }

    void read_cases(const TomlTable& root) {
        for (const TomlTable& table : reader_.tables(root, "case")) {
            Case next;
            next.sizes = task_.cases.front().sizes;
            for (const auto& [name, value] : sizes(table, &task_.cases.front().sizes)) next.sizes[name] = value;
            next.timed = table.has("timed") && reader_.boolean(table, "timed");
            if (next.timed && std::ranges::any_of(task_.cases, &Case::timed))
                reader_.fail_at("more than one [[case]] is timed; times are of one set of sizes, so mark only one",
                                reader_.where(table, "timed"));
            next.label = label(next.sizes);
            task_.cases.push_back(std::move(next));
        }
        if (std::ranges::none_of(task_.cases, &Case::timed)) task_.cases.front().timed = true;
    }

    void read_sim(const TomlTable& root) {
        if (!root.has("sim")) return;
        const TomlTable sim = reader_.table(root, "sim");
        reader_.allow_only(sim, "[sim]", {"sizes"});
        if (sim.has("sizes")) task_.sim_sizes = sizes(reader_.table(sim, "sizes"), &task_.cases.front().sizes);
    }

    ScalarType type(const TomlTable& table, std::string_view what) {
        const std::string name = reader_.required_string(table, "type", what);
        const auto found = scalar_type_from(name);
        if (!found && reader_.ok()) {
            const auto known = scalar_type_names();
            reader_.fail_at(
                fmt::format("unknown type '{}'{}; the types are {}", name, did_you_mean(name, known), list_of(known)),
                reader_.where(table, "type"));
        }
        return found.value_or(ScalarType::f32);
    }

    Tolerance tolerance(const TomlTable& table) {
        reader_.allow_only(table, "a tolerance", {"atol", "rtol"});
        Tolerance result = task_.tolerance;
        for (const auto& [key, value] : {std::pair{"atol", &result.atol}, std::pair{"rtol", &result.rtol}}) {
            if (!table.has(key)) continue;
            *value = reader_.number(table, key);
            if (reader_.ok() && !(*value >= 0 && std::isfinite(*value)))
                reader_.fail_at(fmt::format("{} is {}; it must be finite and not negative", key, *value),
                                reader_.where(table, key));
        }
        return result;
    }

    void read_scalars(const TomlTable& root) {
        if (!root.has("scalars")) return;
        const TomlTable table = reader_.table(root, "scalars");
        for (const auto& name : reader_.keys(table)) {
            claim(name, "scalar", reader_.key_where(table, name));
            if (!table.is_table(name)) {
                reader_.fail_at(
                    fmt::format("scalar '{}' needs a type, as in {} = {{ type = \"f32\", value = 1 }}", name, name),
                    reader_.where(table, name));
                continue;
            }
            task_.scalars[name] = scalar(reader_.table(table, name), name);
        }
    }

    Scalar scalar(const TomlTable& table, const std::string& name) {
        reader_.allow_only(table, fmt::format("scalar '{}'", name), {"type", "value"});
        Scalar result;
        result.where = reader_.where(table);
        result.type = type(table, fmt::format("scalar '{}'", name));
        if (!table.has("value")) {
            reader_.fail_at(fmt::format("scalar '{}' has no value", name), result.where);
            return result;
        }
        const Where where = reader_.where(table, "value");
        if (is_floating(result.type)) {
            const double value = reader_.number(table, "value");
            if (std::isfinite(value) && std::abs(value) > largest(result.type))
                reader_.fail_at(fmt::format("{} does not fit {}", value, to_string(result.type)), where);
            result.value = value;
        } else if (result.type == ScalarType::boolean && table.is_boolean("value")) {
            result.value = std::int64_t{reader_.boolean(table, "value") ? 1 : 0};
        } else {
            const std::int64_t value = reader_.integer(table, "value");
            const auto range = integer_range(result.type);
            if (reader_.ok() && (value < range->lo || value > range->hi))
                reader_.fail_at(fmt::format("{} does not fit {}", value, to_string(result.type)), where);
            result.value = value;
        }
        return result;
    }

    void read_tensors(const TomlTable& root) {
        const auto tables = reader_.tables(root, "tensor");
        for (const TomlTable& table : tables) task_.tensors.push_back(tensor(table));
        if (!reader_.ok()) return;
        if (tables.empty()) return reader_.fail_at("task.toml has no [[tensor]]", {kFile, 1, 1});
        if (std::ranges::none_of(task_.tensors, [](const Tensor& t) { return t.role != Role::input; }))
            reader_.fail_at("no [[tensor]] has role = \"output\" or \"inout\", so there is nothing to verify",
                            task_.tensors.front().where);
    }

    Tensor tensor(const TomlTable& table) {
        reader_.allow_only(table, "[[tensor]]",
                           {"name", "type", "shape", "role", "fill", "file", "expected", "tolerance"});
        Tensor result;
        result.where = reader_.where(table);
        result.name = reader_.required_string(table, "name", "a [[tensor]]");
        if (!reader_.ok()) return result;
        const std::string what = fmt::format("tensor '{}'", result.name);
        claim(result.name, "tensor", reader_.where(table, "name"));
        result.type = type(table, what);
        result.role = role(table, what);
        result.shape = shape(table, what);
        if (table.has("tolerance")) result.tolerance = tolerance(reader_.table(table, "tolerance"));
        values(table, what, result);
        if (reader_.ok()) check_extents(result);
        return result;
    }

    Role role(const TomlTable& table, const std::string& what) {
        const std::string name = reader_.required_string(table, "role", what);
        if (name == "input") return Role::input;
        if (name == "output") return Role::output;
        if (name != "inout" && reader_.ok()) {
            const std::vector<std::string> known{"input", "output", "inout"};
            reader_.fail_at(
                fmt::format("unknown role '{}'{}; the roles are {}", name, did_you_mean(name, known), list_of(known)),
                reader_.where(table, "role"));
        }
        return Role::inout;
    }

    std::vector<Expression> shape(const TomlTable& table, const std::string& what) {
        std::vector<Expression> result;
        if (!table.has("shape")) {
            reader_.fail_at(fmt::format("{} has no shape, as in shape = [\"rows\", 16]", what), reader_.where(table));
            return result;
        }
        for (auto& element : reader_.expressions(table, "shape")) {
            check_sizes(element);
            result.push_back(std::move(element));
        }
        return result;
    }

    /// Every name in `expression` must be a size.
    void check_sizes(const Expression& expression) {
        const Sizes& known = task_.cases.front().sizes;
        for (const auto& name : expression.names())
            if (!known.contains(name))
                reader_.fail_at(fmt::format("[sizes] has no '{}'{}", name, did_you_mean(name, keys_of(known))),
                                expression.position_of(name));
    }

    void values(const TomlTable& table, const std::string& what, Tensor& result) {
        const bool given = table.has("fill") || table.has("file");
        if (result.role == Role::output && given)
            reader_.fail_at(
                fmt::format("{} is an output, so it takes no {}", what, table.has("fill") ? "fill" : "file"),
                reader_.where(table, table.has("fill") ? "fill" : "file"));
        if (result.role == Role::input && table.has("expected"))
            reader_.fail_at(fmt::format("{} is an input, so it takes no expected", what),
                            reader_.where(table, "expected"));
        if (torch_) return values_of_torch(table, what, result);
        if (result.role != Role::output && !given)
            reader_.fail_at(fmt::format("{} has neither fill nor file, as in fill = \"normal\"", what), result.where);
        if (table.has("fill") && table.has("file"))
            reader_.fail_at(fmt::format("{} has both fill and file; give one", what), reader_.where(table, "file"));
        if (table.has("expected")) result.expected = file(table, "expected", "expected");
        if (table.has("file")) {
            result.fill.kind = Fill::Kind::file;
            result.fill.file = file(table, "file", "data");
        } else if (table.has("fill")) {
            read_fill(table, result);
        }
    }

    /// A PyTorch problem makes every value itself: what another made it could not answer for.
    void values_of_torch(const TomlTable& table, const std::string& what, Tensor& result) {
        for (const char* key : {"fill", "file", "expected"})
            if (table.has(key))
                reader_.fail_at(fmt::format("{} takes no {}: the PyTorch reference gives its values", what, key),
                                reader_.where(table, key));
        result.fill.kind = Fill::Kind::torch;
    }

    void read_fill(const TomlTable& table, Tensor& result) {
        const std::string text = reader_.string(table, "fill");
        if (!reader_.ok()) return;
        auto fill = parse_fill(text, reader_.text_where(table, "fill"));
        if (!fill) return reader_.fail_with(fill.error());
        for (const auto& expression : {fill->a_expression, fill->b_expression})
            if (expression) check_sizes(*expression);
        const bool fractions = fill->kind == Fill::Kind::normal || fill->kind == Fill::Kind::uniform;
        if (fractions && !is_floating(result.type))
            reader_.fail_at(fmt::format("'{}' makes fractions, which {} does not hold; use integers(lo, hi)",
                                        to_string(fill->kind), to_string(result.type)),
                            reader_.where(table, "fill"));
        if (const auto range = integer_range(result.type); range && fill->kind != Fill::Kind::permutation)
            for (const double end : {fill->a, fill->b})
                if (end != std::floor(end) || end < static_cast<double>(range->lo)
                    || end > static_cast<double>(range->hi))
                    reader_.fail_at(fmt::format("{} in '{}' is not a value of {}", end, text, to_string(result.type)),
                                    reader_.where(table, "fill"));
        result.fill = std::move(*fill);
    }

    /// The tensor must have a size in every size set, and real data must have that size.
    void check_extents(const Tensor& tensor) {
        auto sets = task_.cases;
        if (!task_.sim_sizes.empty()) {
            Case sim{task_.cases.front().sizes, false, {}};
            for (const auto& [name, value] : task_.sim_sizes) sim.sizes[name] = value;
            sim.label = label(sim.sizes);
            sets.push_back(std::move(sim));
        }
        for (const auto& set : sets) {
            auto extent = extent_of(tensor.shape, tensor.type, tensor.name, set.sizes);
            if (!extent) return reader_.fail_with(extent.error());
            for (const auto& name : {tensor.fill.file, tensor.expected})
                if (arrays_ && !name.empty()) check_array(tensor, name, *extent, set.label);
        }
    }

    void check_array(const Tensor& tensor, const std::string& name, const Extent& extent,
                     const std::string& sizes_label) {
        auto header = parse_npy_header(files_.find(name)->second, name);
        if (!header) return reader_.fail_with(header.error());
        if (header->type == tensor.type && header->shape == extent.shape) return;
        reader_.fail_at(fmt::format("tensor '{}' is {} of {}{}{}, but {} holds {} of {}", tensor.name,
                                    to_string(tensor.type), fmt::join(extent.shape, "x"),
                                    sizes_label.empty() ? "" : " at ", sizes_label, name, to_string(header->type),
                                    fmt::join(header->shape, "x")),
                        tensor.where);
    }

    void read_reference(const TomlTable& root) {
        const bool all_expected = std::ranges::all_of(
            task_.tensors, [](const Tensor& t) { return t.role == Role::input || !t.expected.empty(); });
        if (root.has("reference") || !all_expected) task_.reference = source(root, "reference");
        if (root.has("baselines"))
            for (const auto& [name, where] : reader_.strings(root, "baselines"))
                task_.baselines.push_back(torch_ && (name == kTorchEager || name == kTorchCompile)
                                              ? name
                                              : existing(name, "baseline", where));
        if (task_.baselines.empty() && torch_) task_.baselines = {std::string(kTorchEager), std::string(kTorchCompile)};
        if (task_.baselines.empty() && !task_.reference.empty()) task_.baselines.push_back(task_.reference);
    }

    TomlReader& reader_;
    const Files& files_;
    const bool arrays_;  ///< whether .npy files are looked into
    bool torch_ = false; ///< the reference is a PyTorch problem
    Task task_;
    std::vector<std::string> size_order_;
    std::map<std::string, std::string, std::less<>> names_;
};

Result<Task> parse(const Files& files, bool arrays) {
    const auto file = files.find(kFile);
    if (file == files.end()) return fail(Stage::task, ErrorCode::not_found, "the task has no task.toml", {kFile});
    if (const std::size_t at = first_invalid_utf8(file->second); at != std::string::npos)
        return fail(Stage::task, ErrorCode::invalid_input, "task.toml is not UTF-8; save it as UTF-8",
                    position_at(file->second, at, kFile));
    TomlReader reader(file->second, kFile);
    if (!reader.ok()) return std::unexpected(reader.error());
    Task task = TaskBuilder(reader, files, arrays).build();
    if (!reader.ok()) return std::unexpected(reader.error());
    return task;
}

} // namespace

Result<Task> parse_task(const Files& files) { return parse(files, true); }

Result<Task> parse_task_without_arrays(const Files& files) { return parse(files, false); }

} // namespace kw::task
