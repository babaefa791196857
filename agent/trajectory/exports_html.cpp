#include "agent/patch/hunks.h"
#include "agent/trajectory/exports.h"
#include "agent/trajectory/exports_common.h"
#include "engine/base/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kw::trajectory {
namespace {

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--page:#fff;--text:#1b1f24;--dim:#57606a;--line:#d0d7de;--soft:#f6f8fa;--good:#116329;--bad:#a40e26;--mark:#0550ae;--added:#dafbe1;--removed:#ffebe9}
@media(prefers-color-scheme:dark){:root{--page:#0f1318;--text:#e6edf3;--dim:#9aa4ae;--line:#333b44;--soft:#171c22;--good:#56d364;--bad:#ff8182;--mark:#79c0ff;--added:#12361f;--removed:#4a1d1f}}
@media print{:root{--page:#fff;--text:#000;--dim:#444;--line:#bbb;--soft:#fff;--good:#116329;--bad:#a40e26;--mark:#0550ae;--added:#e6f7ea;--removed:#fdeceb}details{break-inside:avoid}}
body{background:var(--page);color:var(--text);font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}.dim{color:var(--dim)}.good{color:var(--good)}.bad{color:var(--bad)}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}a{color:var(--mark)}
pre{background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:.6rem;overflow-x:auto;font:12.5px/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
pre ins{background:var(--added);text-decoration:none;display:block}pre del{background:var(--removed);text-decoration:none;display:block}pre .dim{display:block}
details{border-top:1px solid var(--line);padding:.4rem 0}summary{cursor:pointer}.thought{white-space:pre-wrap}
figure{margin:1rem 0}svg{width:100%;height:auto}svg text{fill:var(--dim);font:11px system-ui,sans-serif}
svg .axis{stroke:var(--line)}svg .best{fill:none;stroke:var(--mark);stroke-width:2}svg .good{fill:var(--good)}svg .bad{fill:var(--bad)}
)css";

constexpr double kWidth = 900, kHeight = 190, kLeft = 46, kRight = 8, kTop = 10, kBottom = 26;
/// More dots than this cannot be told apart; of those at one place the highest is drawn.
constexpr std::size_t kMostDots = 900;
constexpr std::size_t kContext = 3;
/// Lines of a change that are shown; a page is read by people.
constexpr std::size_t kMostLines = 4000;

struct Dot {
    std::size_t step = 0; ///< index
    double value = 0;
    bool correct = false;
};

/// Dots over the steps' order with the best so far as a line; empty when there is nothing to draw.
std::string plot(const std::vector<StepSummary>& steps, std::string_view title,
                 std::optional<double> StepSummary::* member, bool only_correct) {
    std::vector<Dot> dots;
    const std::size_t bucket = steps.size() / kMostDots + 1;
    std::size_t filled = steps.size();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto value = steps[i].*member;
        const bool correct = steps[i].correct.value_or(false);
        if (!value || !std::isfinite(*value) || (only_correct && !correct)) continue;
        if (!dots.empty() && filled == i / bucket) {
            if (*value > dots.back().value) dots.back() = {i, *value, correct};
        } else {
            dots.push_back({i, *value, correct});
            filled = i / bucket;
        }
    }
    if (dots.empty()) return {};
    auto [low, high] = std::ranges::minmax(dots, {}, &Dot::value);
    double from = std::min(0.0, low.value), to = std::max(1.0, high.value);
    const auto x = [&](std::size_t step) {
        const auto last = static_cast<double>(std::max<std::size_t>(steps.size() - 1, 1));
        return kLeft + static_cast<double>(step) / last * (kWidth - kLeft - kRight);
    };
    const auto y = [&](double value) { return kTop + (to - value) / (to - from) * (kHeight - kTop - kBottom); };
    std::string svg =
        fmt::format(R"(<figure><figcaption>{}</figcaption><svg viewBox="0 0 {} {}" role="img" aria-label="{}">)", title,
                    kWidth, kHeight, title);
    for (const double tick : {from, (from + to) / 2, to})
        svg += fmt::format(
            R"(<line class="axis" x1="{0}" x2="{1}" y1="{2:.1f}" y2="{2:.1f}"/><text x="{3}" y="{4:.1f}" text-anchor="end">{5:.3g}</text>)",
            kLeft, kWidth - kRight, y(tick), kLeft - 6, y(tick) + 4, tick);
    svg += fmt::format(R"(<text x="{}" y="{}">step {}</text><text x="{}" y="{}" text-anchor="end">step {}</text>)",
                       kLeft, kHeight - 8, steps.front().id, kWidth - kRight, kHeight - 8, steps.back().id);
    std::string line;
    double best = 0;
    for (const auto& dot : dots) {
        if (!line.empty() && dot.value <= best) continue;
        if (!line.empty()) line += fmt::format(" {:.1f},{:.1f}", x(dot.step), y(best));
        best = dot.value;
        line += fmt::format(" {:.1f},{:.1f}", x(dot.step), y(best));
    }
    line += fmt::format(" {:.1f},{:.1f}", x(steps.size() - 1), y(best));
    svg += fmt::format(R"(<polyline class="best" points="{}"/>)", std::string_view{line}.substr(1));
    for (const auto& dot : dots)
        svg +=
            fmt::format(R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="3"><title>step {}: {:.4g}</title></circle>)",
                        dot.correct ? "good" : "bad", x(dot.step), y(dot.value), steps[dot.step].id, dot.value);
    return svg + "</svg></figure>\n";
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

std::string without_end(std::string_view line) {
    if (line.ends_with('\n')) line.remove_suffix(1);
    return html_text(line);
}

/// A change with some lines around each of its parts.
std::string change_html(const std::string& before, const std::string& after) {
    const auto change = patch::change_between(before, after);
    if (!change) return fmt::format("<p class=\"dim\">{}</p>", html_text(change.error().message));
    if (change->hunks.empty()) return "<p class=\"dim\">The source is the same.</p>";
    const auto base = lines_of(change->base);
    std::string html = "<pre>";
    std::size_t shown = 0, reached = 0;
    const auto context = [&](std::size_t from, std::size_t to) {
        for (auto line = from; line < std::min(to, base.size()) && shown < kMostLines; ++line, ++shown)
            html += " " + without_end(base[line]) + "\n";
    };
    for (const auto& hunk : change->hunks) {
        if (shown >= kMostLines) break;
        const auto start = hunk.base_line > kContext ? hunk.base_line - kContext : 0;
        if (start > reached) {
            if (reached > 0) context(reached, std::min(reached + kContext, start));
            html += fmt::format("<span class=\"dim\">line {}</span>", std::max(start, reached) + 1);
        }
        context(std::max(start, reached), hunk.base_line);
        for (const auto line : lines_of(hunk.removed)) html += "<del>-" + without_end(line) + "</del>", ++shown;
        for (const auto line : lines_of(hunk.added)) html += "<ins>+" + without_end(line) + "</ins>", ++shown;
        reached = hunk.base_line + hunk.base_lines;
    }
    context(reached, reached + kContext);
    html += "</pre>";
    if (shown >= kMostLines) html += "<p class=\"dim\">The change is longer; this is its beginning.</p>";
    return html;
}

std::string verdict(const StepSummary& step) {
    if (!step.correct) return "<td class=\"dim\">·</td>";
    return *step.correct ? "<td class=\"good\">correct</td>" : "<td class=\"bad\">wrong</td>";
}

template<class T> std::string number(const std::optional<T>& value, std::string_view unit) {
    return value ? fmt::format("{:.4g}{}", *value, unit) : std::string{};
}

std::string row(const StepSummary& step) {
    return fmt::format("<tr><td class=\"n\"><a href=\"#step{0}\">{0}</a></td><td class=\"n\">{1}</td><td>{2}</td>{3}"
                       "<td class=\"n\">{4}{5}</td><td class=\"n\">{6}</td><td class=\"n\">{7}</td></tr>\n",
                       step.id, step.parent ? fmt::format("{}", *step.parent) : "", html_text(step.title),
                       verdict(step), number(step.median_us, " µs"), step.median_us && step.estimated ? " est." : "",
                       number(step.speedup, "×"), number(step.reward, ""));
}

/// Of what became of a step; `before` is the source that it began from.
std::string details(const Step& step, const std::string& before) {
    const auto& facts = step.summary;
    auto html =
        fmt::format("<details id=\"step{0}\"><summary><b>{0}</b> {1} <span class=\"dim\">{2}, {3}</span></summary>\n",
                    facts.id, html_text(facts.title), html_text(facts.driver), timestamp(facts.ended_ms));
    if (!facts.because.empty())
        html += fmt::format("<p class=\"{}\">{}</p>\n", facts.correct.value_or(true) ? "good" : "bad",
                            html_text(facts.because));
    if (!step.thought.empty()) html += fmt::format("<p class=\"thought\">{}</p>\n", html_text(step.thought));
    if (!step.configuration.empty())
        html += fmt::format("<p class=\"dim\">{}</p>\n", html_text(dump(step.configuration)));
    html +=
        step.has_source() ? change_html(before, step.source) : "<p class=\"dim\">What the source was is not known.</p>";
    return html + "</details>\n";
}

std::string heading(const std::string& name, const std::vector<StepSummary>& steps, std::optional<StepId> best) {
    Usage total;
    for (const auto& step : steps) total += step.usage;
    auto html =
        fmt::format("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                    "content=\"width=device-width\"><title>{0}</title><style>{1}</style></head><body>\n<h1>{0}</h1>\n"
                    "<p class=\"dim\">{2} steps",
                    html_text(name), kStyle, steps.size());
    if (!steps.empty())
        html += fmt::format(", {} to {}", timestamp(steps.front().started_ms), timestamp(steps.back().ended_ms));
    if (total.prompt_tokens + total.completion_tokens > 0)
        html += fmt::format(", {} tokens read, {} written, {}", total.prompt_tokens, total.completion_tokens,
                            total.cost_usd ? fmt::format("{:.4f} USD", *total.cost_usd) : "cost not known");
    html += fmt::format(". Kernelwright {}.</p>\n", version());
    if (best) html += fmt::format("<p>The best is <a href=\"#step{0}\">step {0}</a>.</p>\n", *best);
    if (std::ranges::any_of(steps, &StepSummary::estimated))
        html += "<p>Times marked est. are a model's estimate on the simulator.</p>\n";
    return html;
}

} // namespace

Result<void> export_html(const SessionFile& session, const Sink& sink) {
    const auto steps = session.steps();
    if (!steps) return std::unexpected(steps.error());
    const auto name = session.task_name();
    if (!name) return std::unexpected(name.error());
    const auto best = session.best();
    if (!best) return std::unexpected(best.error());
    const auto files = session.task_files();
    if (!files) return std::unexpected(files.error());

    if (auto done = sink(heading(*name, *steps, *best)); !done) return done;
    if (auto done = sink(plot(*steps, "Reward", &StepSummary::reward, false)
                         + plot(*steps, "Speed-up over the strongest baseline", &StepSummary::speedup, true));
        !done)
        return done;
    if (auto done = sink("<h2>Steps</h2>\n<table><thead><tr><th class=\"n\">step</th><th class=\"n\">from</th>"
                         "<th>change</th><th>verdict</th><th class=\"n\">time</th><th class=\"n\">speed-up</th>"
                         "<th class=\"n\">reward</th></tr></thead><tbody>\n");
        !done)
        return done;
    for (const auto& step : *steps)
        if (auto done = sink(row(step)); !done) return done;
    if (auto done = sink("</tbody></table>\n<h2>Changes</h2>\n"); !done) return done;
    std::optional<Step> last;
    auto done = for_each_step(session, [&](const Step& step) -> Result<void> {
        std::string before;
        if (!step.summary.parent) {
            if (const auto file = files->find(step.file); file != files->end()) before = file->second;
        } else if (last && last->summary.id == *step.summary.parent) {
            before = last->source;
        } else {
            auto parent = session.step(*step.summary.parent);
            if (!parent) return std::unexpected(std::move(parent.error()));
            before = std::move(parent->source);
        }
        auto written = sink(details(step, before));
        last = step;
        return written;
    });
    if (!done) return done;
    return sink("</body></html>\n");
}

} // namespace kw::trajectory
