#include "agent/drivers/advisor_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace kw::agent {
namespace {

constexpr std::int64_t kLargestIndex = std::int64_t{1} << 30;

/// N of ceil_div(N, BLOCK).
std::optional<std::string> divided(const std::string& grid, const std::string& block) {
    const auto source = CudaSource::read(grid);
    if (!source || !source->are(0, "ceil_div (") || source->match(1) + 1 != source->size()) return std::nullopt;
    auto comma = std::size_t{2};
    while (comma < source->match(1) && !source->is(comma, ","))
        comma = source->is(comma, "(") ? source->match(comma) + 1 : comma + 1;
    if (comma >= source->match(1) || normalized(source->slice(comma + 1, source->match(1))) != normalized(block))
        return std::nullopt;
    return std::string{source->slice(2, comma)};
}

/// The kernel's expression in the words of the launch: parameters replaced by arguments. Only names, integers and *.
std::optional<std::string> in_launch(const CudaSource& source, std::size_t begin, std::size_t end,
                                     const CudaSource::Kernel& kernel, const task::Launch& launch) {
    std::string text;
    for (auto i = begin; i < end; ++i) {
        const auto& token = source.at(i);
        auto word = token.text;
        if (token.kind == compile::TokenKind::identifier) {
            const auto at = std::ranges::find(kernel.parameters, token.text, &CudaSource::Parameter::name);
            if (at == kernel.parameters.end() || at->pointer) return std::nullopt;
            word = launch.arguments[static_cast<std::size_t>(at - kernel.parameters.begin())].text;
            // A sum inside of a product would need brackets.
            if (end - begin > 1 && normalized(word).contains(' ')) return std::nullopt;
        } else if (token.kind != compile::TokenKind::number && token.text != "*") {
            return std::nullopt;
        }
        text += (text.empty() ? "" : " ") + word;
    }
    return normalized(text);
}

/// Whether a word ties what is done to the thread that does it.
bool ties(const std::string& word) {
    constexpr std::array words{"static", "asm", "__shared__", "blockIdx", "threadIdx", "blockDim", "gridDim"};
    return std::ranges::find(words, word) != words.end() || word.contains("sync") || word.contains("clock");
}

/// Whether the source has functions beside its kernels in which such a word occurs.
bool functions_tie(const CudaSource& source) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        const bool in_kernel = std::ranges::any_of(
            source.kernels(), [&](const CudaSource::Kernel& kernel) { return i >= kernel.body && i <= kernel.end; });
        // `static` before a function says nothing of what it does.
        if (!in_kernel && source.at(i).text != "static" && ties(source.at(i).text)) return true;
    }
    return false;
}

/// Whether a name is called before the kernel, or declared as a function there.
bool is_own_function(const CudaSource& source, std::size_t i, const CudaSource::Kernel& kernel) {
    if (!source.is(i + 1, "(")) return false;
    for (std::size_t other = 0; other < kernel.body; ++other)
        if (source.is(other, source.at(i).text) && source.is(other + 1, "(")) return true;
    return false;
}

/// Whether a thread may do [begin, end) for several indices in turn.
bool independent(const CudaSource& source, const Elementwise& found) {
    constexpr std::array jumps{"return", "break", "continue", "goto", "switch", "case"};
    const bool tied = functions_tie(source);
    for (auto i = found.first; i <= found.last; ++i) {
        const auto& token = source.at(i);
        if (token.kind != compile::TokenKind::identifier) continue;
        if (std::ranges::find(jumps, token.text) != jumps.end() || ties(token.text) || source.is_macro(token.text))
            return false;
        if (tied && is_own_function(source, i, *found.kernel)) return false;
        if (token.text == found.index && source.may_write(i)) return false;
    }
    return true;
}

std::optional<std::int64_t> largest(const Candidate& candidate, const std::string& count, std::int64_t& timed) {
    const auto expression = task::Expression::parse(count, Where{});
    if (!expression) return std::nullopt;
    std::optional<std::int64_t> most;
    auto names = candidate.configuration;
    for (const auto& sizes : candidate.task.cases) {
        for (const auto& [name, value] : sizes.sizes) names[name] = value;
        const auto value = expression->evaluate(names);
        if (!value) return std::nullopt;
        if (!most) timed = *value;
        most = std::max(most.value_or(0), *value);
    }
    return most;
}

} // namespace

std::string_view kernel_of(const task::Launch& launch) {
    return std::string_view{launch.kernel}.substr(0, launch.kernel.find('<'));
}

std::vector<const task::Launch*> launches_of(const task::Plan& plan, std::string_view kernel) {
    std::vector<const task::Launch*> list;
    for (const auto& launch : plan.launches)
        if (kernel_of(launch) == kernel) list.push_back(&launch);
    return list;
}

bool has_own_buffers(const task::Plan& plan, const CudaSource::Kernel& kernel) {
    const auto launches = launches_of(plan, kernel.name);
    for (const auto* launch : launches) {
        if (launch->arguments.size() != kernel.parameters.size()) return false;
        std::set<std::string> given;
        for (std::size_t i = 0; i < launch->arguments.size(); ++i) {
            const auto& argument = launch->arguments[i];
            const bool buffer = argument.kind == task::Argument::Kind::buffer;
            if (buffer != kernel.parameters[i].pointer || (buffer && !given.insert(argument.text).second)) return false;
        }
    }
    return !launches.empty();
}

std::optional<Span> span_of(const CudaSource& source, const task::Expression& expression) {
    const auto& where = expression.where();
    const auto& text = source.text();
    std::size_t begin = 0;
    for (int line = 1; line < where.line; ++line) {
        begin = text.find('\n', begin);
        if (begin == std::string::npos) return std::nullopt;
        ++begin;
    }
    if (where.line < 1 || where.column < 1) return std::nullopt;
    begin += static_cast<std::size_t>(where.column) - 1;
    const auto& wanted = expression.text();
    if (wanted.empty() || begin > text.size() || text.compare(begin, wanted.size(), wanted) != 0) return std::nullopt;
    return Span{begin, begin + wanted.size()};
}

std::optional<std::string> threads_text(const task::Launch& launch, const task::Plan& plan) {
    std::string text;
    for (const auto& dimension : launch.block) {
        const auto source = CudaSource::read(dimension.text());
        if (!source) return std::nullopt;
        bool sum = false;
        for (std::size_t i = 0; i < source->size(); ++i) {
            const auto& token = source->at(i);
            const bool tunable =
                std::ranges::find(plan.tunables, token.text, &task::Tunable::name) != plan.tunables.end();
            sum = sum || token.text == "+";
            if (!tunable && token.kind != compile::TokenKind::number && token.text != "*" && token.text != "+")
                return std::nullopt;
        }
        if (dimension.text() == "1") continue;
        const auto factor = sum ? fmt::format("({})", dimension.text()) : dimension.text();
        text += (text.empty() ? "" : " * ") + factor;
    }
    return text.empty() ? std::nullopt : std::optional{text};
}

std::optional<Elementwise> elementwise(const Candidate& candidate, const CudaSource::Kernel& kernel) {
    const auto& source = candidate.source;
    const auto launches = launches_of(candidate.plan, kernel.name);
    if (launches.size() != 1 || kernel.templated || !has_own_buffers(candidate.plan, kernel)) return std::nullopt;
    const auto& launch = *launches.front();
    if (launch.grid.size() != 1 || launch.block.size() != 1 || launch.cooperative || !launch.cluster.empty())
        return std::nullopt;

    Elementwise found{.kernel = &kernel, .launch = &launch};
    auto i = found.head = kernel.body + 1;
    if (source.is(i, "const")) ++i;
    if (!source.is(i, "int") || !source.are(i + 2, "= blockIdx . x *")) return std::nullopt;
    found.index = source.at(i + 1).text;
    const auto block = i += 7;
    if (source.are(i, "blockDim . x"))
        i += 3;
    else if (normalized(launch.block[0].text()) == source.at(i).text)
        ++i;
    else
        return std::nullopt;
    found.block = source.slice(block, i);
    if (!source.are(i, "+ threadIdx . x ; if (")) return std::nullopt;
    i += 6;
    const auto close = source.match(i++);
    if (!source.is(i++, found.index)) return std::nullopt;
    if (source.are(i, "> =") && source.are(close + 1, "return ;"))
        found.returns = true;
    else if (!source.is(i, "<") || source.is(i + 1, "=") || source.is(i + 1, "<"))
        return std::nullopt;
    i += found.returns ? 2 : 1;
    found.bound = source.slice(i, close);
    found.first = close + (found.returns ? 3 : 1);
    found.last = kernel.end - 1;
    if (found.first > found.last || !source.only_blanks(found.head, found.first + (found.returns ? 0 : 1)))
        return std::nullopt;
    if (!found.returns && source.statement_end(found.first, kernel.end) != std::optional{found.last})
        return std::nullopt;

    const auto count = divided(launch.grid[0].text(), launch.block[0].text());
    if (!count || in_launch(source, i, close, kernel, launch) != std::optional{normalized(*count)}) return std::nullopt;
    found.count = *count;
    const auto most = largest(candidate, found.count, found.timed);
    const auto threads = launch.block[0].evaluate(candidate.configuration);
    if (!most || *most > kLargestIndex || !threads || *threads < 1) return std::nullopt;
    found.elements = *most;
    found.threads = *threads;
    return independent(source, found) ? std::optional{found} : std::nullopt;
}

} // namespace kw::agent
