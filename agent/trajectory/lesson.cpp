#include "agent/trajectory/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace kw::trajectory {
namespace {

std::unexpected<Error> bad(std::string why) {
    return fail(Stage::usage, ErrorCode::invalid_input, "the session's questions cannot be read: " + std::move(why));
}

/// Ratios of times below which a step is called slower, the same, a bit faster, and so on. 5 % is the margin of the
/// reward; what is nearer cannot be told apart by eye.
constexpr std::array kBounds{1 / 1.05, 1.05, 1.5, 3.0};
const std::array<std::string, 6> kSpeeds{"slower",
                                         "about the same (within 5 %)",
                                         "up to 1.5× faster",
                                         "1.5× to 3× faster",
                                         "more than 3× faster",
                                         "its results are wrong"};

std::optional<Question> speed_question(const Step& step, const Step& before) {
    Question question{.text = "How does this step compare with the one before?",
                      .choices = {kSpeeds.begin(), kSpeeds.end()},
                      .right = kSpeeds.size() - 1,
                      .explanation = step.summary.because};
    if (step.summary.correct == false) return question;
    if (!step.summary.median_us || !before.summary.median_us || !(*step.summary.median_us > 0)) return std::nullopt;
    // An estimate beside a measurement says nothing.
    if (step.summary.estimated != before.summary.estimated) return std::nullopt;
    const double ratio = *before.summary.median_us / *step.summary.median_us;
    question.right = static_cast<std::size_t>(std::ranges::upper_bound(kBounds, ratio) - kBounds.begin());
    question.explanation = fmt::format("{:.3g} µs before, {:.3g} µs now{}: {:.3g}×.", *before.summary.median_us,
                                       *step.summary.median_us, step.summary.estimated ? " (estimates)" : "", ratio);
    return question;
}

/// What a step may be limited by, and the words that simulator and profiler have for it.
struct Limit {
    std::string_view choice;
    std::string_view metric; ///< % of the peak; empty: none of the others is busy
    std::array<std::string_view, 5> words;
};
const std::array<Limit, 5> kLimits{{
    {"DRAM bandwidth", "dram_throughput", {"DRAM"}},
    {"L2 bandwidth", "l2_throughput", {"L2", "atomics"}},
    {"L1 and shared memory", "l1_throughput", {"L1", "shared memory"}},
    {"arithmetic or instruction issue", "sm_throughput", {"issue", "FP32", "FP64", "FP16", "INT"}},
    {"latency: nothing of these is busy", "", {"latency", "launch"}},
}};
/// % of a peak from which a unit counts as what limits, as Nsight Compute's speed of light has it.
constexpr double kBusy = 60;

double number_of(const Json& metrics, std::string_view id) {
    const auto found = metrics.find(id);
    return found != metrics.end() && found->is_number() ? found->get<double>() : std::nan("");
}

struct Named {
    std::size_t limit = 0;
    std::string why;
};

std::optional<Named> limit_of(const Json& launch, const Json& metrics) {
    if (const auto by = launch.find("limited_by"); by != launch.end() && by->is_string()) {
        const auto& word = by->get_ref<const std::string&>();
        const auto at = std::ranges::find_if(kLimits, [&](const Limit& limit) {
            return !word.empty() && std::ranges::find(limit.words, word) != limit.words.end();
        });
        if (at == kLimits.end()) return std::nullopt;
        return Named{static_cast<std::size_t>(at - kLimits.begin()),
                     fmt::format("The model's estimate is bound by {}.", word)};
    }
    std::optional<std::size_t> most;
    double busiest = -1;
    for (std::size_t i = 0; i < kLimits.size(); ++i) {
        if (kLimits[i].metric.empty()) continue;
        const double value = number_of(metrics, kLimits[i].metric);
        if (std::isnan(value)) return std::nullopt; // what was not counted may be the busiest
        if (value > busiest) {
            busiest = value;
            most = i;
        }
    }
    const auto busy = kLimits[*most].choice;
    if (busiest < kBusy)
        return Named{kLimits.size() - 1,
                     fmt::format("The busiest is {}, at {:.3g} % of what it can do.", busy, busiest)};
    return Named{*most, fmt::format("It is at {:.3g} % of what it can do.", busiest)};
}

/// Of the launch that takes longest.
std::optional<Question> limit_question(const Step& step) {
    if (!step.evaluation || !step.evaluation->is_object()) return std::nullopt;
    const auto profile = step.evaluation->find("profile");
    if (profile == step.evaluation->end() || !profile->is_object()) return std::nullopt;
    const auto launches = profile->find("launches");
    if (launches == profile->end() || !launches->is_array()) return std::nullopt;
    std::optional<Named> limit;
    double longest = -1;
    for (const auto& launch : *launches) {
        if (!launch.is_object()) continue;
        const auto metrics = launch.find("metrics");
        if (metrics == launch.end() || !metrics->is_object()) continue;
        const double time = number_of(*metrics, "duration_ns");
        if (!(time > longest)) continue;
        longest = time;
        limit = limit_of(launch, *metrics);
    }
    if (!limit) return std::nullopt;
    Question question{.text = "What limits it then?", .choices = {}, .right = limit->limit, .explanation = limit->why};
    for (const auto& each : kLimits) question.choices.emplace_back(each.choice);
    return question;
}

std::string_view trimmed(std::string_view text) {
    const auto from = text.find_first_not_of(" \t\r\n");
    if (from == text.npos) return {};
    return text.substr(from, text.find_last_not_of(" \t\r\n") + 1 - from);
}

} // namespace

std::string to_text(const Questions& questions) {
    Json steps = Json::object();
    for (const auto& [step, list] : questions)
        for (const auto& question : list)
            steps[std::to_string(step)].push_back({{"text", question.text},
                                                   {"choices", question.choices},
                                                   {"right", question.right},
                                                   {"explanation", question.explanation}});
    return Json{{"questions", std::move(steps)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Questions> questions_from(std::string_view text) {
    Questions questions;
    if (text.empty()) return questions;
    const auto json = Json::parse(text, nullptr, false);
    const auto steps = json.is_object() ? json.find("questions") : json.end();
    if (!json.is_object() || steps == json.end() || !steps->is_object()) return bad("they are no JSON of a lesson");
    for (const auto& [key, list] : steps->items()) {
        StepId step = 0;
        const auto* end = key.data() + key.size();
        if (std::from_chars(key.data(), end, step).ptr != end || !list.is_array())
            return bad("'" + key + "' is no step");
        for (const auto& item : list) {
            Question question;
            try {
                question = {.text = item.at("text").get<std::string>(),
                            .choices = item.at("choices").get<std::vector<std::string>>(),
                            .right = item.at("right").get<std::size_t>(),
                            .explanation = item.value("explanation", "")};
            } catch (const Json::exception& error) {
                return bad(fmt::format("a question before step {} is not as it should be", step));
            }
            if (question.right >= question.choices.size())
                return bad(fmt::format("a question before step {} has no right choice", step));
            questions[step].push_back(std::move(question));
        }
    }
    return questions;
}

std::vector<Question> questions_about(const Step& step, const Step& before) {
    std::vector<Question> questions;
    if (auto speed = speed_question(step, before)) questions.push_back(std::move(*speed));
    if (step.summary.correct != false)
        if (auto limit = limit_question(step)) questions.push_back(std::move(*limit));
    return questions;
}

std::string to_draft(const Question& question) {
    std::string draft = question.text + '\n';
    for (std::size_t i = 0; i < question.choices.size(); ++i)
        draft += (i == question.right ? "* " : "- ") + question.choices[i] + '\n';
    return question.explanation.empty() ? draft : draft + '\n' + question.explanation + '\n';
}

Result<Question> question_from_draft(std::string_view draft) {
    const auto refuse = [](const char* why) { return fail(Stage::usage, ErrorCode::invalid_input, why); };
    Question question;
    std::optional<std::size_t> right;
    bool explaining = false;
    for (std::size_t from = 0; from < draft.size();) {
        const auto end = std::min(draft.find('\n', from), draft.size());
        const auto line = trimmed(draft.substr(from, end - from));
        from = end + 1;
        const bool choice = line.starts_with("* ") || line.starts_with("- ");
        if (explaining) {
            question.explanation += std::string(line) + '\n';
        } else if (choice) {
            if (line.front() == '*') {
                if (right) return refuse("only one choice of a question is right: put '- ' before the others");
                right = question.choices.size();
            }
            question.choices.emplace_back(trimmed(line.substr(2)));
        } else if (question.choices.empty()) {
            if (!line.empty()) question.text += (question.text.empty() ? "" : " ") + std::string(line);
        } else if (!line.empty()) {
            explaining = true;
            question.explanation = std::string(line) + '\n';
        }
    }
    if (question.text.empty()) return refuse("a question begins with what is asked");
    if (question.choices.size() < 2) return refuse("a question has at least two choices, one a line, after '- '");
    if (!right) return refuse("the right choice of a question has '* ' before it");
    question.right = *right;
    question.explanation = std::string(trimmed(question.explanation));
    return question;
}

} // namespace kw::trajectory
