#include "engine/compile/nvrtc_job.h"

#include "engine/compile/read_fence.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <clocale>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <shared_mutex>
#include <string_view>

namespace kw::compile {
namespace {

/// Seen to be enough for 100 000 nested brackets up to which NVRTC itself gives in; only touched pages cost memory.
constexpr std::size_t kStackBytes = std::size_t{1} << 30;

/// How long a cancelled run may take to return before it is left behind.
constexpr std::chrono::milliseconds kPatience{60};

/// NVRTC before 12.6.2 leaves the process in another locale.
class LocaleGuard {
public:
    LocaleGuard() : saved_(current()) {}
    ~LocaleGuard() {
        if (current() != saved_)
            std::setlocale(LC_ALL, saved_.c_str()); // NOLINT(concurrency-mt-unsafe): undoes what NVRTC did
    }
    LocaleGuard(const LocaleGuard&) = delete;
    LocaleGuard& operator=(const LocaleGuard&) = delete;

private:
    static std::string current() {
        const char* name = std::setlocale(LC_ALL, nullptr); // NOLINT(concurrency-mt-unsafe): only asks
        return name ? name : "C";
    }

    std::string saved_;
};

std::string fetch(NvrtcProgram program, int (*size)(NvrtcProgram, std::size_t*), int (*get)(NvrtcProgram, char*)) {
    std::size_t bytes = 0;
    if (size(program, &bytes) != 0 || bytes == 0) return {};
    std::string text(bytes, '\0');
    if (get(program, text.data()) != 0) return {};
    return text;
}

void drop_terminator(std::string& text) {
    while (!text.empty() && text.back() == '\0') text.pop_back();
}

/// Precompiled headers live in one heap of the library, which must not be freed under a run: runs hold this shared.
std::shared_mutex& kept_headers() {
    static std::shared_mutex mutex;
    return mutex;
}

/// More precompiled headers than this are mostly of texts that are no longer; each run looks at all of them.
constexpr std::size_t kMaxKeptHeaders = 24;
constexpr std::size_t kKeptHeaderBytes = std::size_t{256} << 20;

std::size_t count(std::string_view text, std::string_view what) {
    std::size_t number = 0;
    for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size()))
        ++number;
    return number;
}

/// Removes what NVRTC tells about its precompiled headers, of which users know nothing.
std::string without_header_talk(std::string_view log) {
    std::string out;
    while (!log.empty()) {
        const std::size_t end = std::min(log.find('\n'), log.size() - 1) + 1;
        if (!log.substr(0, end).contains("precompiled header file")) out += log.substr(0, end);
        log.remove_prefix(end);
    }
    return out;
}

std::unexpected<Error> own_failure(const Nvrtc& nvrtc, const char* what, int result) {
    return fail(Stage::compile, ErrorCode::internal,
                fmt::format("NVRTC {} cannot {}: {}", nvrtc.version(), what, nvrtc.call.get_error_string(result)));
}

} // namespace

struct NvrtcRunner::Run {
    std::shared_ptr<const Nvrtc> nvrtc;
    NvrtcInput input;
    std::filesystem::path scratch;
    pthread_t thread{};
    std::atomic<bool> stop = false;
    std::mutex mutex;
    std::condition_variable_any changed;
    bool done = false;
    Result<NvrtcOutput> result;

    Result<NvrtcOutput> execute();
};

Result<NvrtcOutput> NvrtcRunner::Run::execute() {
    const NvrtcFunctions& call = nvrtc->call;
    const LocaleGuard locale;
    std::vector<const char*> names, contents, options;
    for (const auto& [name, text] : input.headers) {
        names.push_back(name.c_str());
        contents.push_back(text.c_str());
    }
    for (const std::string& option : input.options) options.push_back(option.c_str());
    const bool keep = input.keep_headers && !scratch.empty() && call.get_pch_create_status && call.set_pch_heap_size;
    const std::string folder = fmt::format("-pch-dir={}", scratch.string());
    if (keep) options.insert(options.end(), {"-pch", folder.c_str()});
    std::shared_lock kept(kept_headers());

    struct Program {
        const NvrtcFunctions& call;
        NvrtcProgram handle = nullptr;
        ~Program() {
            if (handle) call.destroy_program(&handle);
        }
    } program{call};
    if (const int status = call.create_program(&program.handle, input.source.c_str(), input.name.c_str(),
                                               static_cast<int>(names.size()), contents.data(), names.data());
        status != 0)
        return own_failure(*nvrtc, "take the source", status);
    for (const std::string& expression : input.expressions)
        if (const int status = call.add_name_expression(program.handle, expression.c_str()); status != 0)
            return own_failure(*nvrtc, "take a kernel's name", status);
    if (call.set_flow_callback)
        call.set_flow_callback(
            program.handle, [](void* run, void*) { return static_cast<Run*>(run)->stop.load() ? 1 : 0; }, this);

    NvrtcOutput output;
    output.result = NvrtcResult{call.compile_program(program.handle, static_cast<int>(options.size()), options.data())};
    output.log = fetch(program.handle, call.get_log_size, call.get_log);
    drop_terminator(output.log);
    if (keep) {
        output.used_kept_headers = output.log.contains(": using precompiled header file");
        const bool full = NvrtcResult{call.get_pch_create_status(program.handle)} == NvrtcResult::pch_heap_exhausted;
        const bool many = count(output.log, "precompiled header file") > kMaxKeptHeaders;
        output.log = without_header_talk(output.log);
        kept.unlock();
        if (full || many)
            if (const std::unique_lock alone(kept_headers(), std::try_to_lock); alone) {
                call.set_pch_heap_size(kKeptHeaderBytes);
                std::error_code ignored;
                for (const auto& file : std::filesystem::directory_iterator(scratch, ignored))
                    std::filesystem::remove(file, ignored);
            }
    }
    if (output.result == NvrtcResult::cancelled) return output;
    if (output.result != NvrtcResult::success && output.result != NvrtcResult::compilation) {
        auto error = own_failure(*nvrtc, "compile this", static_cast<int>(output.result));
        error.error().detail = output.log;
        return error;
    }
    if (output.result == NvrtcResult::success) {
        if (input.want_ptx) output.ptx = fetch(program.handle, call.get_ptx_size, call.get_ptx);
        drop_terminator(output.ptx);
        if (input.want_cubin) output.cubin = fetch(program.handle, call.get_cubin_size, call.get_cubin);
    }
    for (const std::string& expression : input.expressions) {
        const char* lowered = nullptr;
        const int status = call.get_lowered_name(program.handle, expression.c_str(), &lowered);
        output.lowered.emplace_back(status == 0 && lowered ? lowered : "");
    }
    return output;
}

NvrtcRunner::NvrtcRunner(std::shared_ptr<const Nvrtc> nvrtc) : nvrtc_(std::move(nvrtc)) {}

NvrtcRunner::~NvrtcRunner() { collect(true); }

void* NvrtcRunner::enter(void* argument) {
    Run& run = *static_cast<Run*>(argument);
    // To precompile headers NVRTC also writes a file of its own to the temporary folder, whatever folder it is given.
    std::vector<std::filesystem::path> writable;
    std::error_code ignored;
    if (run.input.keep_headers && !run.scratch.empty())
        writable = {run.scratch, std::filesystem::temp_directory_path(ignored)};
    restrict_reading(run.input.readable, writable);
    Result<NvrtcOutput> result = [&]() -> Result<NvrtcOutput> {
        try {
            return run.execute();
        } catch (const std::exception& exception) {
            return fail(Stage::compile, ErrorCode::internal, fmt::format("NVRTC failed: {}", exception.what()));
        }
    }();
    // Notify under the lock: the waiter may free everything as soon as it sees `done`.
    const std::lock_guard lock(run.mutex);
    run.result = std::move(result);
    run.done = true;
    run.changed.notify_all();
    return nullptr;
}

Result<NvrtcOutput> NvrtcRunner::run(NvrtcInput input, const std::stop_token& stop,
                                     std::chrono::steady_clock::time_point deadline) {
    const auto cancelled = [&]() -> Result<NvrtcOutput> {
        if (stop.stop_requested()) return fail(Stage::compile, ErrorCode::cancelled, "the compilation was cancelled");
        return fail(Stage::compile, ErrorCode::timeout, "the compilation did not end in time");
    };
    collect(false);
    if (stop.stop_requested()) return cancelled();

    auto run = std::make_shared<Run>();
    run->nvrtc = nvrtc_;
    run->input = std::move(input);
    run->scratch = scratch_.path();
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    int failed = pthread_create(&run->thread, &attributes, enter, run.get());
    // Under a memory limit so large a stack may be refused; ordinary sources need far less.
    if (failed != 0 && pthread_attr_setstacksize(&attributes, kStackBytes / 32) == 0)
        failed = pthread_create(&run->thread, &attributes, enter, run.get());
    pthread_attr_destroy(&attributes);
    if (failed != 0)
        return fail(Stage::environment, ErrorCode::internal,
                    "no thread could be started for the compiler; free some memory");

    {
        std::unique_lock lock(run->mutex);
        if (!run->changed.wait_until(lock, stop, deadline, [&] { return run->done; })) {
            run->stop = true;
            if (!run->changed.wait_for(lock, kPatience, [&] { return run->done; })) {
                lock.unlock();
                left_behind_.push_back(std::move(run));
                return cancelled();
            }
        }
    }
    pthread_join(run->thread, nullptr);
    if (run->result && run->result->result == NvrtcResult::cancelled) return cancelled();
    return std::move(run->result);
}

void NvrtcRunner::collect(bool all) {
    std::erase_if(left_behind_, [&](const std::shared_ptr<Run>& run) {
        {
            const std::lock_guard lock(run->mutex);
            if (!run->done && !all) return false;
        }
        pthread_join(run->thread, nullptr);
        return true;
    });
}

} // namespace kw::compile
