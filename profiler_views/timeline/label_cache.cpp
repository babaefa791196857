#include "profiler_views/timeline/label_cache.h"

#include <algorithm>

namespace kw::profiler_views {
namespace {

constexpr int kMostNames = 20000;
constexpr qsizetype kMostCharacters = 160; // no lane shows more

} // namespace

LabelCache::LabelCache(const QFont& font)
    : font_(font), metrics_(font), ellipsis_(metrics_.horizontalAdvance(QChar(0x2026))) {}

void LabelCache::clear() { names_.clear(); }

const QStaticText* LabelCache::elided(std::uint32_t id, std::string_view text, double width) {
    if (names_.size() > kMostNames) names_.clear();
    auto found = names_.find(id);
    if (found == names_.end()) {
        Name name;
        name.text = QString::fromUtf8(text.data(),
                                      static_cast<qsizetype>(std::min<std::size_t>(text.size(), 4 * kMostCharacters)));
        name.text.truncate(kMostCharacters);
        name.text.replace(QLatin1Char('\n'), QLatin1Char(' '));
        double total = 0;
        for (const QChar c : name.text) {
            total += metrics_.horizontalAdvance(c);
            name.widths.push_back(static_cast<float>(total));
        }
        found = names_.insert(id, std::move(name));
    }
    Name& name = *found;
    if (name.widths.empty()) return nullptr;
    int kept = static_cast<int>(name.widths.size());
    if (name.widths.back() > width) {
        const auto after = std::ranges::upper_bound(name.widths, static_cast<float>(width - ellipsis_));
        kept = static_cast<int>(after - name.widths.begin());
        if (kept == 0) return nullptr;
        if (name.text[kept - 1].isHighSurrogate() && --kept == 0) return nullptr;
    }
    auto cut = name.cut.find(kept);
    if (cut == name.cut.end()) {
        QStaticText laid_out(kept == name.text.size() ? name.text : name.text.left(kept) % QChar(0x2026));
        laid_out.setTextFormat(Qt::PlainText);
        laid_out.setPerformanceHint(QStaticText::AggressiveCaching);
        laid_out.prepare({}, font_);
        cut = name.cut.insert(kept, laid_out);
    }
    return &*cut;
}

} // namespace kw::profiler_views
