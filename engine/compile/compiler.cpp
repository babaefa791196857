#include "engine/compile/compiler.h"

#include "engine/compile/diagnostics.h"
#include "engine/compile/kernel_report.h"
#include "engine/compile/line_table.h"
#include "engine/compile/names.h"
#include "engine/compile/nvrtc_job.h"
#include "engine/compile/prelude.h"
#include "engine/compile/sources.h"
#include "engine/compile/toolkit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace kw::compile {
namespace {

/// States of headers whose warnings are remembered.
constexpr std::size_t kMaxHeaderWarnings = 256;

std::unexpected<Error> refuse(std::string message, Where where = {}) {
    return fail(Stage::compile, ErrorCode::invalid_input, std::move(message), std::move(where));
}

bool is_identifier(std::string_view text) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    if (text.empty() || !letter(text.front())) return false;
    return std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool has_control_character(std::string_view text) {
    return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

void make_relative(Diagnostic& diagnostic) {
    diagnostic.file = task_relative(diagnostic.file);
    diagnostic.message = without_roots(to_utf8(diagnostic.message));
    for (Diagnostic& note : diagnostic.notes) make_relative(note);
}

class NvrtcCompiler final : public Compiler {
public:
    NvrtcCompiler(std::shared_ptr<const Nvrtc> nvrtc, Headers headers)
        : nvrtc_(std::move(nvrtc)), headers_(std::move(headers)), runner_(nvrtc_) {}

    std::string version() const override { return nvrtc_->version(); }

    std::vector<std::string> architectures() const override {
        std::vector<std::string> names;
        for (const int arch : nvrtc_->architectures) names.push_back(fmt::format("sm_{}", arch));
        return names;
    }

    Result<Output> compile(const Request& request, std::stop_token stop) override;

private:
    /// What ends a compilation early.
    struct Limits {
        std::stop_token stop;
        std::chrono::steady_clock::time_point deadline;
    };

    Result<void> check(const Request& request) const;
    bool is_foreign_warning(const Diagnostic& diagnostic) const;
    std::vector<std::string> options(const Request& request, const std::string& prelude) const;
    Result<NvrtcOutput> again(NvrtcInput input, const Limits& limits, bool assemble);
    Result<void> explain_failure(const NvrtcInput& input, const KernelQuestion& question, const Limits& limits,
                                 ParsedLog& log);
    Result<Output> compile_within(const Request& request, const Limits& limits);

    void keep_header_warnings(const std::string& sha256, const NvrtcInput& input, bool used, ParsedLog& log);

    std::shared_ptr<const Nvrtc> nvrtc_;
    Headers headers_;
    std::map<std::string, std::vector<Diagnostic>> header_warnings_; ///< by contents and options
    NvrtcRunner runner_;
};

Result<void> NvrtcCompiler::check(const Request& request) const {
    if (!request.files.contains(request.main))
        return refuse(fmt::format("{} is not among the task's files", request.main), {request.main});
    for (const auto& [name, value] : request.defines) {
        if (!is_identifier(name))
            return refuse(fmt::format("'{}' cannot be defined: it is not a C++ name", to_utf8(name)));
        if (has_control_character(value)) return refuse(fmt::format("the value of {} holds a control character", name));
    }
    for (const std::string& kernel : request.kernels)
        if (kernel.empty() || has_control_character(kernel))
            return refuse("a kernel's name is empty or holds a control character", {request.main});
    // Variants such as sm_90a and sm_100f belong to the number they begin with.
    std::string number = request.arch.starts_with("sm_") ? request.arch.substr(3) : std::string();
    if (number.ends_with('a') || number.ends_with('f')) number.pop_back();
    const std::vector<std::string> known = architectures();
    if (std::ranges::find(known, "sm_" + number) == known.end())
        return fail(Stage::compile, ErrorCode::unsupported,
                    fmt::format("NVRTC {} does not know architecture '{}'; it knows {}", version(),
                                to_utf8(request.arch), fmt::join(known, " ")));
    return {};
}

std::vector<std::string> NvrtcCompiler::options(const Request& request, const std::string& prelude) const {
    const bool assemble = request.cubin && !request.syntax_only;
    std::vector<std::string> options{
        fmt::format("-arch={}_{}", assemble ? "sm" : "compute", request.arch.substr(3)),
        "-std=c++20",
        fmt::format("-include={}", prelude),
    };
    if (request.line_info && !request.syntax_only) options.emplace_back("-lineinfo");
    if (assemble) options.insert(options.end(), {"-Xptxas", "-v"});
    if (request.syntax_only && nvrtc_->at_least(12, 8)) options.emplace_back("-fdevice-syntax-only");
    for (const auto& folder : headers_.folders) options.push_back(fmt::format("-I{}", folder.string()));
    for (const auto& [name, value] : request.defines)
        options.push_back(value.empty() ? fmt::format("-D{}", name) : fmt::format("-D{}={}", name, value));
    return options;
}

/// Warnings inside the toolkit's headers are nothing that the user could mend; `log` keeps them.
bool NvrtcCompiler::is_foreign_warning(const Diagnostic& diagnostic) const {
    if (diagnostic.severity == Severity::error || !diagnostic.file.starts_with('/')) return false;
    return !diagnostic.file.starts_with(kTaskRoot);
}

/// Messages about a precompiled header come only from the run that made it; they are as true of the runs that use it.
void NvrtcCompiler::keep_header_warnings(const std::string& sha256, const NvrtcInput& input, bool used,
                                         ParsedLog& log) {
    const std::string root = header_root(sha256);
    std::string key = sha256;
    for (const std::string& option : input.options) key += " " + option;
    if (used) {
        const auto found = header_warnings_.find(key);
        if (found == header_warnings_.end()) return;
        const auto is_known = [&](const Diagnostic& warning) {
            return std::ranges::any_of(log.diagnostics, [&](const Diagnostic& other) {
                return other.file == warning.file && other.line == warning.line && other.message == warning.message;
            });
        };
        std::vector<Diagnostic> missing;
        std::ranges::remove_copy_if(found->second, std::back_inserter(missing), is_known);
        log.diagnostics.insert(log.diagnostics.begin(), missing.begin(), missing.end());
        return;
    }
    std::vector<Diagnostic> warnings;
    for (const Diagnostic& diagnostic : log.diagnostics)
        if (diagnostic.severity != Severity::error && diagnostic.file.starts_with(root)) warnings.push_back(diagnostic);
    if (header_warnings_.size() > kMaxHeaderWarnings) header_warnings_.clear();
    if (warnings.empty())
        header_warnings_.erase(key);
    else
        header_warnings_[key] = std::move(warnings);
}

/// The same compilation under other options, for what the first one did not tell.
Result<NvrtcOutput> NvrtcCompiler::again(NvrtcInput input, const Limits& limits, bool assemble) {
    std::erase(input.options, "-Xptxas");
    std::erase(input.options, "-v");
    input.keep_headers = false;
    if (!assemble)
        for (std::string& option : input.options)
            if (option.starts_with("-arch=sm_")) option.replace(0, 9, "-arch=compute_");
    input.want_cubin = false;
    return runner_.run(std::move(input), limits.stop, limits.deadline);
}

/// Completes the diagnostics of a failed compilation, which has to leave at least one error behind.
Result<void> NvrtcCompiler::explain_failure(const NvrtcInput& input, const KernelQuestion& question,
                                            const Limits& limits, ParsedLog& log) {
    const auto is_error = [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::error; };
    // A ptxas report that was asked for displaces some of its errors.
    if (log.name_expressions.empty() && std::ranges::none_of(log.diagnostics, is_error)) {
        auto plain = again(input, limits, true);
        if (!plain) return std::unexpected(plain.error());
        if (ParsedLog second = parse_log(plain->log); !second.diagnostics.empty())
            log.diagnostics = std::move(second.diagnostics);
    }
    // Messages about inline assembly count lines of the PTX, which is to be had only where nothing assembles it.
    if (std::ranges::find(log.diagnostics, "ptx", &Diagnostic::file) != log.diagnostics.end()) {
        auto unassembled = again(input, limits, false);
        if (!unassembled) return std::unexpected(unassembled.error());
        const LineTable lines(unassembled->ptx);
        for (Diagnostic& diagnostic : log.diagnostics) {
            if (diagnostic.file != "ptx") continue;
            const PtxLine* source = lines.source_of(static_cast<std::size_t>(diagnostic.line));
            diagnostic.file = source ? source->source.file : std::string();
            diagnostic.line = source ? source->source.line : 0;
        }
    }
    if (headers_.folders.empty())
        for (Diagnostic& diagnostic : log.diagnostics)
            if (diagnostic.message.contains("open source file")) {
                Diagnostic note;
                note.severity = Severity::note;
                note.message = fmt::format(
                    "no CUDA headers for NVRTC {} were found; install the toolkit's headers of that version",
                    version());
                diagnostic.notes.push_back(std::move(note));
            }
    for (Diagnostic& diagnostic : log.diagnostics)
        if (diagnostic.code == "ptxas") explain_ptxas(question.declarations, diagnostic);
    for (const NameExpressionMessage& message : log.name_expressions)
        log.diagnostics.push_back(explain_name(question, message));
    if (std::ranges::none_of(log.diagnostics, is_error)) {
        Diagnostic diagnostic;
        diagnostic.file = question.request.main;
        diagnostic.message = "the compiler failed without a message";
        log.diagnostics.push_back(std::move(diagnostic));
    }
    return {};
}

Result<Output> NvrtcCompiler::compile(const Request& request, std::stop_token stop) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    // Capped, as the clock cannot hold every number of seconds.
    constexpr double kLongest = 1e6;
    const std::chrono::duration<double> limit{std::min(request.timeout_s, kLongest)};
    auto output =
        compile_within(request, {std::move(stop), start + std::chrono::duration_cast<Clock::duration>(limit)});
    if (!output && output.error().code == ErrorCode::timeout) output = stopped_output(request);
    if (output) output->milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    return output;
}

Result<Output> NvrtcCompiler::compile_within(const Request& request, const Limits& limits) {
    if (auto checked = check(request); !checked) return std::unexpected(checked.error());
    auto sources = prepare_sources(request);
    if (!sources) return std::unexpected(sources.error());

    NvrtcInput input;
    input.source = std::move(sources->main);
    input.name = task_name(request.main);
    input.headers = std::move(sources->headers);
    input.options = options(request, sources->prelude_name);
    input.keep_headers = sources->uses_toolkit && !sources->main_is_included;
    for (const std::string& kernel : request.kernels)
        if (std::ranges::find(input.expressions, kernel) == input.expressions.end())
            input.expressions.push_back(kernel);
    input.want_ptx = !request.syntax_only;
    input.want_cubin = request.cubin && !request.syntax_only;
    input.readable = headers_.folders;
    // NVRTC loads its built-in functions from beside itself, which behind a symbolic link is another folder.
    std::error_code unresolved;
    input.readable.push_back(nvrtc_->path.parent_path());
    input.readable.push_back(std::filesystem::canonical(nvrtc_->path, unresolved).parent_path());
    auto ran = runner_.run(input, limits.stop, limits.deadline);
    if (!ran && ran.error().code == ErrorCode::internal && input.keep_headers) {
        input.keep_headers = false; // a full disk, or precompiled headers that NVRTC cannot read back
        ran = runner_.run(input, limits.stop, limits.deadline);
    }
    if (!ran) return std::unexpected(ran.error());

    ParsedLog log = parse_log(ran->log);
    keep_header_warnings(sources->headers_sha256, input, ran->used_kept_headers, log);
    const KernelQuestion question{request, input.expressions, ran->lowered, sources->kernels};
    Output output;
    output.ok = ran->result == NvrtcResult::success;
    output.ptx = ptx_without_roots(ran->ptx);
    output.cubin = std::move(ran->cubin);
    if (!output.ok)
        if (auto explained = explain_failure(input, question, limits, log); !explained)
            return std::unexpected(explained.error());
    std::erase_if(log.diagnostics, [&](const Diagnostic& diagnostic) { return is_foreign_warning(diagnostic); });
    for (Diagnostic& diagnostic : log.diagnostics) make_relative(diagnostic);
    output.diagnostics = std::move(log.diagnostics);
    if (output.ok && !request.syntax_only) describe_kernels(question, log, output);
    output.log = without_roots(to_utf8(ran->log));
    return output;
}

} // namespace

Output stopped_output(const Request& request) {
    Diagnostic diagnostic;
    diagnostic.file = request.main;
    diagnostic.message = fmt::format("the compilation did not end within {:g} s and was stopped; look for templates or "
                                     "constexpr functions that go on without an end",
                                     request.timeout_s);
    Output output;
    output.milliseconds = request.timeout_s * 1e3;
    output.diagnostics.push_back(std::move(diagnostic));
    return output;
}

Result<std::unique_ptr<Compiler>> open_compiler(const std::string& user_setting) {
    auto nvrtc = open_nvrtc(user_setting);
    if (!nvrtc) return std::unexpected(nvrtc.error());
    Headers headers = find_headers((*nvrtc)->path, (*nvrtc)->major, (*nvrtc)->minor, user_setting);
    return std::make_unique<NvrtcCompiler>(std::move(*nvrtc), std::move(headers));
}

} // namespace kw::compile
