#include "agent/trajectory/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>

namespace kw::trajectory {
namespace {

struct Writer {
    ExportForm form;
    Result<void> (*write)(const SessionFile&, const TrainingOptions&, const Sink&);
};

template<Result<void> (*Export)(const SessionFile&, const Sink&)>
Result<void> plain(const SessionFile& session, const TrainingOptions& /*options*/, const Sink& sink) {
    return Export(session, sink);
}

constexpr std::array kWriters{
    Writer{{"csv", ".csv", "rewards, one row a step"}, plain<export_csv>},
    Writer{{"jsonl", ".jsonl", "steps with sources and evaluations"}, plain<export_jsonl>},
    Writer{{"atif", ".json", "Agent Trajectory Interchange Format 1.7"}, plain<export_atif>},
    Writer{{"chat", ".jsonl", "conversations for SFT and RFT"}, export_chat},
    Writer{{"kto", ".jsonl", "rows for KTO"}, export_kto},
    Writer{{"dpo", ".jsonl", "pairs for DPO"}, export_dpo},
    Writer{{"chrome", ".json", "timeline for Chrome's and Perfetto's viewers"}, plain<export_chrome>},
    Writer{{"html", ".html", "report that stands alone"}, plain<export_html>},
};

constexpr auto kForms = [] {
    std::array<ExportForm, kWriters.size()> forms;
    for (std::size_t i = 0; i < forms.size(); ++i) forms[i] = kWriters[i].form;
    return forms;
}();

} // namespace

std::span<const ExportForm> export_forms() { return kForms; }

Result<void> export_as(std::string_view form, const SessionFile& session, const TrainingOptions& options,
                       const Sink& sink) {
    const auto at = std::ranges::find(kWriters, form, [](const Writer& writer) { return writer.form.name; });
    if (at == kWriters.end())
        return fail(Stage::usage, ErrorCode::invalid_input, fmt::format("there is no export form '{}'", form));
    return at->write(session, options, sink);
}

Result<void> check_replaced(const std::filesystem::path& path) {
    constexpr std::string_view kSqlite{"SQLite format 3\0", 16};
    std::array<char, kSqlite.size()> head{};
    std::ifstream file{path, std::ios::binary};
    if (!file.read(head.data(), head.size()) || std::string_view{head.data(), head.size()} != kSqlite) return {};
    return fail(Stage::usage, ErrorCode::invalid_input,
                fmt::format("'{}' is a session or another SQLite database, which an export does not replace; give it "
                            "another name",
                            path.string()),
                {path.string()});
}

} // namespace kw::trajectory
