#include "agent/trajectory/import_files.h"
#include "agent/trajectory/imports.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

/// The input's first byte chooses the form, the rest is a trace. Whatever is read holds together: parents come before
/// their turns, texts are UTF-8 and JSON can be written, and the files that its calls make can be followed.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kw::trajectory;
    if (size == 0) return 0;
    const auto choice = data[0] % (kImportFormats.size() + 1);
    const ImportOptions options{.format = choice == 0 ? "auto" : std::string{kImportFormats[choice - 1]}};
    const auto trace = read_trace_text(std::string(reinterpret_cast<const char*>(data + 1), size - 1), "x", options);
    if (!trace) {
        if (trace.error().message.empty()) std::abort();
        return 0;
    }
    if (trace->turns.empty()) std::abort();
    FileTexts files;
    for (std::size_t i = 0; i < trace->turns.size(); ++i) {
        const auto& turn = trace->turns[i];
        if (turn.parent && *turn.parent >= i) std::abort();
        for (const auto& message : turn.messages) (void)kw::Json(message.content).dump();
        for (const auto& traced : turn.calls) {
            (void)traced.call.arguments.dump();
            (void)files.apply(traced);
        }
    }
    return 0;
}
