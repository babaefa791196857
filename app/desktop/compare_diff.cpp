#include "app/desktop/compare_diff.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QStringDecoder>

#include <algorithm>

namespace kw::desktop {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("kw::desktop::Compare", text); }

/// What is still to be written is not removed: the last difference, where it reaches the end of what is there, is cut
/// to what stands beside it.
void leave_out_the_rest(patch::Change& change) {
    if (change.hunks.empty()) return;
    auto& last = change.hunks.back();
    const auto lines = static_cast<std::size_t>(std::ranges::count(change.target, '\n'))
                       + (change.target.empty() || change.target.back() == '\n' ? 0 : 1);
    if (last.target_line + last.target_lines < lines) return;
    last.base_lines = std::min(last.base_lines, last.target_lines);
    if (last.base_lines == 0 && last.target_lines == 0) change.hunks.pop_back();
}

std::vector<std::size_t> starts_of(const std::string& text) {
    std::vector<std::size_t> starts{0};
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '\n') starts.push_back(i + 1);
    return starts;
}

/// Bytes of lines from `line` on, which end in LF, in the text whose lines begin at `starts`.
std::vector<editor::ByteRange> moved(const std::vector<patch::Bytes>& words, const std::string& lines, std::size_t line,
                                     const std::vector<std::size_t>& starts) {
    const auto own = starts_of(lines);
    const auto at = [&](std::size_t byte) {
        const auto row = static_cast<std::size_t>(std::ranges::upper_bound(own, byte) - own.begin()) - 1;
        return static_cast<long>(starts[std::min(line + row, starts.size() - 1)] + byte - own[row]);
    };
    std::vector<editor::ByteRange> ranges;
    ranges.reserve(words.size());
    for (const auto& word : words) ranges.push_back({at(word.begin), at(word.end)});
    return ranges;
}

} // namespace

std::string with_line_feeds(std::string text) {
    std::size_t to = 0;
    for (std::size_t from = 0; from < text.size(); ++from)
        if (text[from] != '\r' || from + 1 == text.size() || text[from + 1] != '\n') text[to++] = text[from];
    text.resize(to);
    return text;
}

std::string with_ends_of(const std::string& text, std::string piece) {
    std::size_t feeds = 0, returns = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        feeds += text[i] == '\n';
        returns += text[i] == '\n' && i > 0 && text[i - 1] == '\r';
    }
    if (2 * returns <= feeds) return piece;
    std::string ended;
    ended.reserve(piece.size() + piece.size() / 16);
    for (const char c : with_line_feeds(std::move(piece))) {
        if (c == '\n') ended += '\r';
        ended += c;
    }
    return ended;
}

std::string taken_into(const std::string& text, patch::Splice splice) {
    const auto bytes = patch::bytes_of(text, splice);
    return text.substr(0, bytes.begin) + with_ends_of(text, std::move(splice.text)) + text.substr(bytes.end);
}

Result<Compared> compare_texts(CompareInput input) {
    const auto left = starts_of(input.base), right = starts_of(input.suggestion);
    auto change =
        patch::change_between(with_line_feeds(std::move(input.base)), with_line_feeds(std::move(input.suggestion)));
    if (!change) return std::unexpected(std::move(change.error()));
    if (input.unfinished) leave_out_the_rest(*change);
    Compared compared{.change = std::move(*change), .places = {}, .comparison = {}};
    const auto& hunks = compared.change.hunks;
    if (input.mine) {
        auto places = patch::locate(compared.change, with_line_feeds(std::move(*input.mine)));
        if (!places) return std::unexpected(std::move(places.error()));
        compared.places = std::move(*places);
    } else {
        for (const auto& hunk : hunks)
            compared.places.push_back({patch::Place::State::open, hunk.base_line, hunk.base_lines});
    }
    compared.comparison.unfinished = input.unfinished;
    for (std::size_t i = 0; i < hunks.size(); ++i) {
        const auto& hunk = hunks[i];
        const auto& place = compared.places[i];
        const auto words = input.unfinished ? patch::WordChange{} : patch::changed_words(hunk.removed, hunk.added);
        editor::CompareHunk shown{.id = hunk.id,
                                  .left_line = static_cast<int>(hunk.base_line),
                                  .left_lines = static_cast<int>(hunk.base_lines),
                                  .right_line = static_cast<int>(hunk.target_line),
                                  .right_lines = static_cast<int>(hunk.target_lines),
                                  .left_words = moved(words.removed, hunk.removed, hunk.base_line, left),
                                  .right_words = moved(words.added, hunk.added, hunk.target_line, right)};
        if (place.state == patch::Place::State::taken) {
            shown.state = editor::HunkState::taken;
            shown.note = tr("In my text already.");
        } else if (place.state == patch::Place::State::conflict) {
            shown.state = editor::HunkState::stale;
            shown.note =
                tr("No longer fits: line %1 of my text was edited since. Compare with my text to take it anyway.")
                    .arg(place.line + 1);
        }
        compared.comparison.hunks.push_back(std::move(shown));
    }
    return compared;
}

void apply_decisions(editor::Comparison& comparison, const std::vector<trajectory::Decision>& decisions,
                     trajectory::StepId step) {
    for (auto& hunk : comparison.hunks) {
        const auto last = std::find_if(decisions.rbegin(), decisions.rend(), [&](const trajectory::Decision& each) {
            return each.step == step && each.hunk == hunk.id;
        });
        if (last == decisions.rend()) continue;
        const QString when = QLocale().toString(QDateTime::fromMSecsSinceEpoch(last->time_ms), QLocale::ShortFormat);
        if (last->action == "rejected"
            && (hunk.state == editor::HunkState::open || hunk.state == editor::HunkState::stale)) {
            if (hunk.state == editor::HunkState::open) hunk.state = editor::HunkState::rejected;
            const auto reason = QString::fromStdString(last->reason);
            hunk.note = reason.isEmpty() ? tr("Rejected %1.").arg(when) : tr("Rejected %1: %2").arg(when, reason);
        } else if (last->action == "accepted" && hunk.state == editor::HunkState::taken) {
            hunk.note = tr("Accepted %1.").arg(when);
        } else if (last->action == "accepted" && hunk.state == editor::HunkState::open) {
            hunk.note = tr("Accepted %1 in another text than this.").arg(when);
        }
        if (!hunk.note.isEmpty() && last->made_by != "human")
            hunk.note += QLatin1Char(' ') + tr("By %1.").arg(QString::fromStdString(last->made_by));
    }
}

QString why_not_compared(const std::string& suggestion) {
    if (suggestion.find('\0') != std::string::npos) return tr("The suggestion is binary, so it is not shown as text.");
    if (suggestion.size() > kMostCompared)
        return tr("The suggestion has %1, too much to be compared line by line (up to %2).")
            .arg(QLocale().formattedDataSize(static_cast<qint64>(suggestion.size())),
                 QLocale().formattedDataSize(static_cast<qint64>(kMostCompared)));
    if (const auto lines = static_cast<std::size_t>(std::ranges::count(suggestion, '\n')); lines > kMostComparedLines)
        return tr("The suggestion has %1 lines, too many to be compared one by one (up to %2).")
            .arg(QLocale().toString(static_cast<qulonglong>(lines)),
                 QLocale().toString(static_cast<qulonglong>(kMostComparedLines)));
    QStringDecoder decoder(QStringDecoder::Utf8);
    const QString text = decoder(QByteArrayView(suggestion.data(), static_cast<qsizetype>(suggestion.size())));
    if (decoder.hasError()) return tr("The suggestion is not UTF-8, so it is not shown as text.");
    return {};
}

} // namespace kw::desktop
