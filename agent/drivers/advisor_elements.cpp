#include "agent/drivers/advisor_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

/// Rules for kernels that do one thing to every element.
namespace kw::agent {
namespace {

constexpr std::array kLanes{"x", "y", "z", "w"};

/// What the profile says bounds the kernel, as a sentence before the rule's own.
std::string bound_text(const Candidate& candidate, const std::string& kernel) {
    for (const char* id : {"duration_us", "sm_throughput"})
        if (const auto finding = candidate.evidence.finding(kernel, id)) return *finding + " ";
    return {};
}

/// "float4" for a type of four bytes.
std::optional<std::string> vector_of(const std::string& type) {
    if (type == "float" || type == "int") return type + "4";
    if (type == "unsigned" || type == "unsigned int") return "uint4";
    return std::nullopt;
}

/// A pointer as a statement uses it, always as NAME[INDEX].
struct Access {
    const CudaSource::Parameter* parameter = nullptr;
    std::string vector;
    bool written = false;
    bool loaded = false; ///< its old value is needed, or may be what has to be stored
};

class Vectorize final : public AdviceRule {
public:
    std::vector<Advice> advise(const Candidate& candidate) const override {
        std::vector<Advice> list;
        for (const auto& kernel : candidate.source.kernels())
            if (const auto found = elementwise(candidate, kernel))
                if (auto advice = vectorize(candidate, *found)) list.push_back(std::move(*advice));
        return list;
    }

private:
    static std::optional<Advice> vectorize(const Candidate& candidate, const Elementwise& found) {
        const auto& source = candidate.source;
        const auto& kernel = *found.kernel;
        if (found.returns || found.bound.contains(' ') || source.uses("first")) return std::nullopt;
        const auto accesses = accesses_of(source, found);
        const auto grid = span_of(source, found.launch->grid[0]);
        if (!accesses || !grid) return std::nullopt;

        Edits edits;
        edits.replace(grid->begin, grid->end,
                      fmt::format("ceil_div(ceil_div({}, 4), {})", found.count, found.launch->block[0].text()));
        edits.replace(source.at(found.head).offset, source.at(found.last).end, body(source, found, *accesses));
        Advice advice{.title = fmt::format("four elements a thread in {}", kernel.name),
                      .reason = bound_text(candidate, kernel.name),
                      .source = edits.applied(source.text()),
                      .configuration = candidate.configuration,
                      .promise = candidate.evidence.memory_bound(kernel.name) ? 0.85 : 0.6};
        advice.reason += fmt::format(
            "Each thread of {} moves 4 bytes an access. Buffers begin at multiples of 16 bytes and "
            "neighbouring threads take neighbouring elements, so one 16-byte access can do for four of them: "
            "a quarter of the instructions and more bytes in flight for each warp. The last thread takes what "
            "fills no vector.",
            kernel.name);
        return advice;
    }

    /// None where a pointer or the index is used in another way.
    static std::optional<std::vector<Access>> accesses_of(const CudaSource& source, const Elementwise& found) {
        std::vector<Access> list;
        std::size_t subscripts = 0, indices = 0;
        for (const auto& parameter : found.kernel->parameters) {
            if (!parameter.pointer) continue;
            const auto vector = vector_of(parameter.type);
            const auto name = parameter.name + "4";
            if (!vector || source.uses(name)) return std::nullopt;
            Access access{.parameter = &parameter, .vector = *vector};
            bool used = false;
            for (auto i = found.first; i <= found.last; ++i) {
                if (!source.is(i, parameter.name)) continue;
                if (!source.is(i + 1, "[") || !source.is(i + 2, found.index) || !source.is(i + 3, "]")
                    || source.is(i - 1, "&"))
                    return std::nullopt;
                used = true;
                ++subscripts;
                const bool stored = plainly_stored(source, found, i);
                access.written = access.written || source.may_write(i);
                // Before a store that certainly happens, only reads need the old value.
                if (!stored) access.loaded = true;
            }
            if (!used) continue;
            list.push_back(std::move(access));
        }
        for (auto i = found.first; i <= found.last; ++i)
            if (source.is(i, found.index)) ++indices;
        const bool writes = std::ranges::any_of(list, &Access::written);
        return writes && indices == subscripts ? std::optional{list} : std::nullopt;
    }

    /// NAME[INDEX] = … as a statement that is always reached.
    static bool plainly_stored(const CudaSource& source, const Elementwise& found, std::size_t i) {
        if (!source.is(i + 4, "=") || source.is(i + 5, "=")) return false;
        if (i == found.first) return true;
        if (!source.is(found.first, "{") || !source.begins_statement(i)) return false;
        for (auto open = found.first + 1; open < i; ++open)
            if (source.is(open, "{") && source.match(open) > i) return false;
        return true;
    }

    static std::string body(const CudaSource& source, const Elementwise& found, const std::vector<Access>& accesses) {
        const auto& i = found.index;
        const std::string in = "\n        ";
        auto text = fmt::format("const int first = 4 * (blockIdx.x * {} + threadIdx.x);\n    if (first + 3 < {}) {{",
                                found.block, found.bound);
        for (const auto& access : accesses) {
            const auto& name = access.parameter->name;
            text += in;
            if (!access.written) text += "const ";
            text += fmt::format("{} {}4", access.vector, name);
            if (access.loaded) text += fmt::format(" = *reinterpret_cast<const {}*>({} + first)", access.vector, name);
            text += ';';
        }
        for (const auto* lane : kLanes) text += in + of_lane(source, found, accesses, lane);
        for (const auto& access : accesses)
            if (access.written)
                text += fmt::format("{}*reinterpret_cast<{}*>({} + first) = {}4;", in, access.vector,
                                    access.parameter->name, access.parameter->name);
        text += fmt::format("\n    }} else {{{}for (int {} = first; {} < {}; ++{}) {}\n    }}", in, i, i, found.bound,
                            i, source.slice(found.first, found.last + 1));
        return text;
    }

    /// What is done, with NAME[INDEX] as NAME4.x.
    static std::string of_lane(const CudaSource& source, const Elementwise& found, const std::vector<Access>& accesses,
                               const char* lane) {
        const auto offset = source.at(found.first).offset;
        Edits edits;
        for (auto i = found.first; i <= found.last; ++i) {
            const auto& token = source.at(i);
            if (std::ranges::none_of(accesses, [&](const Access& a) { return a.parameter->name == token.text; }))
                continue;
            edits.replace(token.end - offset, source.at(i + 3).end - offset, fmt::format("4.{}", lane));
        }
        return edits.applied(source.slice(found.first, found.last + 1));
    }
};

class GridStride final : public AdviceRule {
public:
    std::vector<Advice> advise(const Candidate& candidate) const override {
        std::vector<Advice> list;
        for (const auto& kernel : candidate.source.kernels())
            if (const auto found = elementwise(candidate, kernel))
                if (auto advice = stride(candidate, *found)) list.push_back(std::move(*advice));
        return list;
    }

private:
    static std::optional<Advice> stride(const Candidate& candidate, const Elementwise& found) {
        const auto& source = candidate.source;
        const auto machine = candidate.evidence.machine();
        const auto grid = span_of(source, found.launch->grid[0]);
        if (!machine || !grid) return std::nullopt;
        const auto resident =
            std::int64_t{machine->sms} * std::max<std::int64_t>(1, machine->threads_per_sm / found.threads);
        const auto blocks = (found.timed + found.threads - 1) / found.threads;
        if (blocks < 2 * resident) return std::nullopt;

        Edits edits;
        edits.replace(grid->begin, grid->end, fmt::format("min({}, {})", found.launch->grid[0].text(), resident));
        const auto head =
            fmt::format("for (int {0} = blockIdx.x * {1} + threadIdx.x; {0} < {2}; {0} += gridDim.x * {1})",
                        found.index, found.block, found.bound);
        // Up to the last token before what is done.
        edits.replace(source.at(found.head).offset, source.at(found.first - 1).end, found.returns ? head + " {" : head);
        if (found.returns) indent(source, found, edits);
        Advice advice{.title = fmt::format("a grid-stride loop in {}", found.kernel->name),
                      .reason = bound_text(candidate, found.kernel->name),
                      .source = edits.applied(source.text()),
                      .configuration = candidate.configuration,
                      .promise = 0.45};
        advice.reason += fmt::format(
            "The grid has {} blocks where {} holds {} at a time, so blocks are started and retired {:.1f} times over. "
            "With a "
            "grid of that many, each walking over the elements in strides of the grid, this is paid once and what is "
            "computed before the loop is shared; neighbouring threads still take neighbouring elements.",
            blocks, machine->name, resident, static_cast<double>(blocks) / static_cast<double>(resident));
        return advice;
    }

    static void indent(const CudaSource& source, const Elementwise& found, Edits& edits) {
        const auto& text = source.text();
        const auto end = source.at(found.last).end;
        for (auto at = text.find('\n', source.at(found.first - 1).end); at < end; at = text.find('\n', at + 1))
            if (text[at + 1] != '\n' && text[at + 1] != '#') edits.insert(at + 1, "    ");
        edits.insert(end, "\n    }");
    }
};

} // namespace

std::unique_ptr<AdviceRule> vectorize_rule() { return std::make_unique<Vectorize>(); }
std::unique_ptr<AdviceRule> grid_stride_rule() { return std::make_unique<GridStride>(); }

} // namespace kw::agent
