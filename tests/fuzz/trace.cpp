#include "engine/timeline/byte_source.h"
#include "engine/timeline/chrome_trace.h"
#include "engine/timeline/detail_level.h"
#include "engine/timeline/query.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

/// The input is a trace, plain or gzip. What opens holds together: rows follow each other, arrows lead from event to
/// event, and whatever is asked is answered.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kw::timeline;
    auto source = memory_source(std::string(reinterpret_cast<const char*>(data), size));
    if (!source) return 0;
    const auto opened = read_chrome_trace(std::move(*source));
    if (!opened) {
        if (opened.error().message.empty()) std::abort();
        return 0;
    }
    const Store& store = **opened;
    std::vector<RowItem> items;
    std::uint64_t events = 0;
    std::vector<std::uint32_t> lanes;
    for (std::uint32_t l = 0; l < store.lanes().size(); ++l) {
        lanes.push_back(l);
        for (const Row& row : store.lanes()[l].rows) {
            Ns reached = 0;
            for (EventId e = row.first; e < row.first + row.count; ++e, ++events) {
                if (store.start(e) < reached || store.duration(e) < 0 || store.end(e) > store.end()) std::abort();
                reached = store.end(e);
            }
            items.clear();
            row_items(store, row, {0, static_cast<double>(store.end()) / 50 + 1, 50}, items);
            if (items.size() > 110 || (row.count > 0 && items.empty())) std::abort();
            if (row.count > 0) (void)store.details(row.first);
        }
    }
    if (events != store.size()) std::abort();
    for (const Flow& flow : store.flows()) {
        (void)store.row_of(flow.from);
        (void)store.row_of(flow.to);
    }
    const auto total = statistics(store, lanes, 0, store.end() + 1);
    if (!total || total->count != events) std::abort();
    for (const Counter& counter : store.counters())
        for (const Series& series : counter.series) {
            std::vector<SeriesItem> drawn;
            series_items(series, {0, static_cast<double>(store.end()) / 50 + 1, 50}, drawn);
            if (drawn.empty()) std::abort();
        }
    return 0;
}
