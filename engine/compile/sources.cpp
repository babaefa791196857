#include "engine/compile/sources.h"

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/compile/names.h"
#include "engine/compile/prelude.h"
#include "engine/compile/source_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace kw::compile {
namespace {

std::unexpected<Error> refuse(std::string message, Where where) {
    return fail(Stage::compile, ErrorCode::invalid_input, std::move(message), std::move(where));
}

/// `folder`/`path` without "." and ".."; nothing when it climbs above the task's root.
std::optional<std::string> normalised(std::string_view folder, std::string_view path) {
    std::vector<std::string_view> parts;
    for (std::string_view rest : {folder, path})
        while (!rest.empty()) {
            const std::size_t slash = std::min(rest.find('/'), rest.size());
            const std::string_view part = rest.substr(0, slash);
            rest.remove_prefix(std::min(slash + 1, rest.size()));
            if (part.empty() || part == ".") continue;
            if (part != "..")
                parts.push_back(part);
            else if (parts.empty())
                return std::nullopt;
            else
                parts.pop_back();
        }
    return fmt::format("{}", fmt::join(parts, "/"));
}

std::string_view folder_of(std::string_view file) {
    const std::size_t slash = file.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : file.substr(0, slash);
}

bool climbs(std::string_view path) {
    while (!path.empty()) {
        const std::size_t slash = std::min(path.find('/'), path.size());
        if (path.substr(0, slash) == "..") return true;
        path.remove_prefix(std::min(slash + 1, path.size()));
    }
    return false;
}

/// A stand-in of ours that includes nothing of the toolkit.
bool is_plain_standard(std::string_view name) {
    return std::ranges::any_of(standard_headers(), [&](const auto& header) {
        return header.first == name && !header.second.contains("#include");
    });
}

struct File {
    std::string text; ///< clean
    FileScan scan;
};

struct Edit {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string text;
};

class Preparation {
public:
    explicit Preparation(const Request& request) : request_(request) {}

    Result<PreparedSources> run() {
        for (const auto& [name, text] : request_.files)
            if (name.empty() || name.starts_with('/') || normalised({}, name) != name
                || name.find_first_of("\"<>\\\n\r") != std::string::npos)
                return refuse(
                    fmt::format("'{}' cannot be a task file's name; use a relative path without '..' and quotes", name),
                    {});
        if (auto read = read_reachable(); !read) return std::unexpected(read.error());

        std::set<std::string> own;
        for (const auto& [name, file] : files_) own.insert(file.scan.declared.begin(), file.scan.declared.end());
        for (const auto& [name, value] : request_.defines) own.insert(name);
        std::string prelude_text = prelude(own);

        PreparedSources sources;
        std::string contents = prelude_text;
        for (const auto& [name, file] : files_)
            if (name != request_.main) contents += fmt::format("\n{} {}\n{}", name, file.text.size(), file.text);
        sources.headers_sha256 = sha256_hex(contents);
        header_root_ = header_root(sources.headers_sha256);
        for (auto& [name, file] : files_) {
            auto text = rewritten(name, file);
            if (!text) return std::unexpected(text.error());
            if (name == request_.main) sources.main = *text;
            sources.headers.emplace_back(header_name(name), std::move(*text));
            std::ranges::move(file.scan.kernels, std::back_inserter(sources.kernels));
        }
        sources.main_is_included = main_is_included_;
        sources.uses_toolkit = uses_toolkit_;
        sources.prelude_name = header_root_ + std::string(kPreludeName);
        sources.headers.emplace_back(sources.prelude_name, std::move(prelude_text));
        for (const auto& [name, text] : standard_headers()) sources.headers.emplace_back(name, text);
        return sources;
    }

private:
    /// Reads the main file and what it includes, until nothing new turns up. A computed include waits until all other
    /// files are known, because its macro may be defined in any of them.
    Result<void> read_reachable() {
        std::vector<std::string> waiting{request_.main};
        while (!waiting.empty()) {
            while (!waiting.empty()) {
                const std::string name = std::move(waiting.back());
                waiting.pop_back();
                if (files_.contains(name)) continue;
                auto text = clean_text(name, request_.files.find(name)->second);
                if (!text) return std::unexpected(text.error());
                auto scan = scan_file(name, *text);
                if (!scan) return std::unexpected(scan.error());
                files_[name] = {std::move(*text), std::move(*scan)};
                for (const IncludeSite& site : files_[name].scan.includes) {
                    if (site.computed) continue;
                    auto target = resolve(name, site.text, site.angled, site.begin);
                    if (!target) return std::unexpected(target.error());
                    main_is_included_ = main_is_included_ || *target == request_.main;
                    uses_toolkit_ = uses_toolkit_ || (target->empty() && !is_plain_standard(site.text));
                    if (!target->empty()) waiting.push_back(*target);
                }
            }
            for (const auto& [name, file] : files_)
                for (const IncludeSite& site : file.scan.includes) {
                    if (!site.computed) continue;
                    auto target = resolve_computed(name, site);
                    if (!target) return std::unexpected(target.error());
                    main_is_included_ = main_is_included_ || target->file == request_.main;
                    if (!target->file.empty() && !files_.contains(target->file)) waiting.push_back(target->file);
                }
        }
        return {};
    }

    /// The task file that an include means, empty when it is left to the toolkit (where it may not exist).
    Result<std::string> resolve(const std::string& includer, const std::string& spelled, bool angled,
                                std::size_t offset) const {
        const auto outside = [&] {
            return refuse(fmt::format("{} is outside the task and the toolkit",
                                      angled ? "<" + spelled + ">" : "\"" + spelled + "\""),
                          position_at(files_.at(includer).text, offset, includer));
        };
        if (spelled.starts_with('/')) return outside();
        std::vector<std::optional<std::string>> candidates{normalised(folder_of(includer), spelled),
                                                           normalised({}, spelled)};
        for (const auto& candidate : candidates)
            if (candidate && request_.files.contains(*candidate)) return *candidate;
        if (climbs(spelled)) return outside();
        return std::string();
    }

    struct Computed {
        std::string file;    ///< of the task, or empty
        std::string literal; ///< how to spell it
    };

    Result<Computed> resolve_computed(const std::string& includer, const IncludeSite& site) const {
        std::vector<MacroDefinition> found;
        for (const auto& [name, file] : files_) {
            const auto [begin, end] = file.scan.macros.equal_range(site.text);
            for (auto it = begin; it != end; ++it) found.push_back(it->second);
        }
        for (const auto& [name, value] : request_.defines) {
            if (name != site.text) continue;
            const bool quoted = value.size() > 1 && value.front() == '"' && value.find('"', 1) == value.size() - 1;
            const bool angled = value.size() > 1 && value.front() == '<' && value.find('>') == value.size() - 1;
            found.push_back({quoted || angled, value.size() > 1 ? value.substr(1, value.size() - 2) : "", angled});
        }
        if (found.size() != 1 || !found.front().simple)
            return refuse(fmt::format("#include {} cannot be followed; define {} exactly once, as \"file\" or <file>",
                                      site.text, site.text),
                          position_at(files_.at(includer).text, site.begin, includer));
        const MacroDefinition& macro = found.front();
        auto target = resolve(includer, macro.header, macro.angled, site.begin);
        if (!target) return std::unexpected(target.error());
        return Computed{*target, macro.angled ? "<" + macro.header + ">" : "\"" + macro.header + "\""};
    }

    /// The text with includes of task files spelled by their full in-memory names: NVRTC matches those by the whole
    /// spelling.
    Result<std::string> rewritten(const std::string& name, const File& file) const {
        std::vector<Edit> edits;
        for (const IncludeSite& site : file.scan.includes) {
            std::string target, literal;
            if (site.computed) {
                auto computed = resolve_computed(name, site);
                if (!computed) return std::unexpected(computed.error());
                target = computed->file;
                literal = computed->literal;
            } else {
                auto found = resolve(name, site.text, site.angled, site.begin);
                if (!found) return std::unexpected(found.error());
                target = *found;
            }
            if (!target.empty()) literal = fmt::format("\"{}\"", header_name(target));
            if (!literal.empty()) edits.push_back({site.begin, site.end, std::move(literal)});
        }
        std::string text;
        std::size_t at = 0;
        for (const Edit& edit : edits) {
            text.append(file.text, at, edit.begin - at);
            text += edit.text;
            // A name that was broken over lines stays as many lines long.
            const auto begin = file.text.begin();
            for (auto n = std::count(begin + static_cast<std::ptrdiff_t>(edit.begin),
                                     begin + static_cast<std::ptrdiff_t>(edit.end), '\n');
                 n > 0; --n)
                text += "\\\n";
            at = edit.end;
        }
        text.append(file.text, at);
        return text;
    }

    [[nodiscard]] std::string header_name(const std::string& file) const { return header_root_ + file; }

    const Request& request_;
    std::map<std::string, File> files_; ///< reachable
    std::string header_root_;
    bool main_is_included_ = false;
    bool uses_toolkit_ = false;
};

} // namespace

Result<PreparedSources> prepare_sources(const Request& request) { return Preparation(request).run(); }

} // namespace kw::compile
