#include "agent/trajectory/exports.h"
#include "agent/trajectory/imports.h"
#include "engine/base/file.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

/// How long a large trace takes to import, a long session to open, list and export.
namespace {

namespace fs = std::filesystem;
using namespace kw;
using trajectory::SessionFile;

constexpr int kTurns = 5000;
constexpr std::size_t kTraceBytes = std::size_t{50} << 20;
constexpr int kSteps = 100'000;

/// A folder of this process, gone with it.
const fs::path& folder() {
    struct Folder {
        fs::path path = fs::temp_directory_path() / fmt::format("kw-session-bench-{}", ::getpid());
        Folder() { fs::create_directories(path); }
        ~Folder() {
            std::error_code ignored;
            fs::remove_all(path, ignored);
        }
    };
    static const Folder made;
    return made.path;
}

/// A kernel of about 4 KB that differs from turn to turn.
std::string kernel(int turn) {
    std::string text = fmt::format("// version {}\n", turn);
    for (int i = 0; i < 64; ++i)
        text += fmt::format("    if (i + {} < n) y[i + {}] = factor * x[i + {}] + {}.5f;\n", i, i, i,
                            i == turn % 64 ? turn : i);
    return text;
}

/// 50 MB in 5 000 replies: each edits the kernel, and a tool says much.
std::string claude_trace() {
    std::string text;
    for (int turn = 0; turn < kTurns; ++turn) {
        const Json call{{"type", "tool_use"},
                        {"id", fmt::format("t{}", turn)},
                        {"name", "Write"},
                        {"input", {{"file_path", "/w/k.cu"}, {"content", kernel(turn)}}}};
        const Json reply{{"type", "assistant"},
                         {"uuid", fmt::format("a{}", turn)},
                         {"parentUuid", turn > 0 ? Json(fmt::format("u{}", turn - 1)) : Json(nullptr)},
                         {"sessionId", "s"},
                         {"timestamp", "2025-06-14T10:00:30.000Z"},
                         {"message",
                          {{"id", fmt::format("m{}", turn)},
                           {"role", "assistant"},
                           {"content", Json::array({{{"type", "text"}, {"text", "Now the next version."}}, call})},
                           {"usage", {{"input_tokens", 1000}, {"output_tokens", 900}}}}}};
        text += reply.dump() + '\n';
        const auto wanted = kTraceBytes * static_cast<std::size_t>(turn + 1) / kTurns;
        std::string output;
        for (int line = 0; text.size() + output.size() + 400 < wanted; ++line)
            output += fmt::format("{:6} warp {:4} stalls {:8.3f} on memory at k.cu:{}\n", line, turn % 64,
                                  turn * 0.37 + line, line % 64);
        const Json result{{"type", "user"},
                          {"uuid", fmt::format("u{}", turn)},
                          {"parentUuid", fmt::format("a{}", turn)},
                          {"sessionId", "s"},
                          {"timestamp", "2025-06-14T10:00:31.000Z"},
                          {"message",
                           {{"role", "user"},
                            {"content", Json::array({{{"type", "tool_result"},
                                                      {"tool_use_id", fmt::format("t{}", turn)},
                                                      {"content", output}}})}}}};
        text += result.dump() + '\n';
    }
    return text;
}

const fs::path& trace_path() {
    static const fs::path path = [] {
        const auto to = folder() / "trace.jsonl";
        if (!write_file(to, claude_trace())) std::abort();
        return to;
    }();
    return path;
}

const fs::path& session_path() {
    static const fs::path path = [] {
        const auto to = folder() / "long.kwsession";
        auto session = SessionFile::create(to, {}, "long");
        if (!session) std::abort();
        const auto done = session->at_once([&]() -> Result<void> {
            for (int i = 0; i < kSteps; ++i) {
                trajectory::Step step;
                step.summary.driver = "tuner";
                step.summary.title = fmt::format("BLOCK = {}", i);
                if (i > 0) step.summary.parent = i;
                step.file = "k.cu";
                step.source = kernel(i % 16);
                step.evaluation = Json{{"bench", {{"median_us", 10.0 + i % 100}}},
                                       {"reward", {{"value", 1 + i % 3}, {"because", "timed"}}}};
                if (const auto id = session->add(step); !id) return std::unexpected(id.error());
            }
            return {};
        });
        if (!done) std::abort();
        return to;
    }();
    return path;
}

void import_50_mb(benchmark::State& state) {
    const auto& from = trace_path();
    const auto to = folder() / "imported.kwsession";
    for (auto _ : state) {
        const auto report = trajectory::import_session(from, to, {});
        if (!report || report->steps != kTurns || report->sources != kTurns) state.SkipWithError("not imported");
        state.PauseTiming();
        for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(fs::path{to} += suffix);
        state.ResumeTiming();
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(fs::file_size(from))
                            * static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(import_50_mb)->Unit(benchmark::kMillisecond)->UseRealTime();

void read_50_mb(benchmark::State& state) {
    const auto& from = trace_path();
    for (auto _ : state)
        if (!trajectory::read_trace(from, {})) state.SkipWithError("not read");
}
BENCHMARK(read_50_mb)->Unit(benchmark::kMillisecond)->UseRealTime();

void open_100_000_steps(benchmark::State& state) {
    const auto& path = session_path();
    for (auto _ : state) {
        const auto session = SessionFile::open(path, SessionFile::Access::read);
        if (!session || session->steps()->size() != kSteps || !session->best()) state.SkipWithError("not opened");
    }
}
BENCHMARK(open_100_000_steps)->Unit(benchmark::kMillisecond)->UseRealTime();

/// `write` is an export; the bytes go nowhere.
template<class Write> void export_100_000_steps(benchmark::State& state, const Write& write) {
    const auto session = SessionFile::open(session_path(), SessionFile::Access::read);
    std::int64_t bytes = 0;
    for (auto _ : state)
        if (!write(*session, [&bytes](std::string_view piece) -> Result<void> {
                bytes += static_cast<std::int64_t>(piece.size());
                return {};
            }))
            state.SkipWithError("not exported");
    state.SetBytesProcessed(bytes);
}
BENCHMARK_CAPTURE(export_100_000_steps, chat, [](const auto& session, const auto& sink) {
    return export_chat(session, {}, sink);
}) -> Unit(benchmark::kMillisecond) -> UseRealTime();
BENCHMARK_CAPTURE(export_100_000_steps, chrome, [](const auto& session, const auto& sink) {
    return export_chrome(session, sink);
}) -> Unit(benchmark::kMillisecond) -> UseRealTime();
BENCHMARK_CAPTURE(export_100_000_steps, html, [](const auto& session, const auto& sink) {
    return export_html(session, sink);
}) -> Unit(benchmark::kMillisecond) -> UseRealTime();

} // namespace

BENCHMARK_MAIN();
