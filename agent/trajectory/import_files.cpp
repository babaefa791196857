#include "agent/trajectory/import_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace kw::trajectory {
namespace {

std::string_view text_in(const Json& json, std::initializer_list<const char*> names) {
    if (!json.is_object()) return {};
    for (const auto* name : names)
        if (const auto found = json.find(name); found != json.end() && found->is_string())
            return found->get_ref<const std::string&>();
    return {};
}

bool has_text(const Json& json, const char* name) {
    if (!json.is_object()) return false;
    const auto found = json.find(name);
    return found != json.end() && found->is_string();
}

bool is_true(const Json& json, const char* name) {
    if (!json.is_object()) return false;
    const auto found = json.find(name);
    return found != json.end() && found->is_boolean() && found->get<bool>();
}

/// The next line without its end; `text` begins after it.
std::string_view take_line(std::string_view& text) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    return line;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<std::size_t> number_of(std::string_view text) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional{value} : std::nullopt;
}

/// Words of a command line of a shell, quotes taken off; none where one does not end. Nothing is expanded, so words
/// with what a shell would expand are not what it would make of them; callers take only options and names.
std::optional<std::vector<std::string>> words_of(std::string_view command) {
    std::vector<std::string> words;
    std::string word;
    bool in_word = false;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const char c = command[i];
        if (c == '\'') {
            const auto end = command.find('\'', i + 1);
            if (end == command.npos) return std::nullopt;
            word += command.substr(i + 1, end - i - 1);
            in_word = true;
            i = end;
        } else if (c == '"') {
            in_word = true;
            for (++i; i < command.size() && command[i] != '"'; ++i) {
                if (command[i] == '\\' && i + 1 < command.size()
                    && std::string_view{"\"\\$`"}.find(command[i + 1]) != std::string_view::npos)
                    ++i;
                word += command[i];
            }
            if (i >= command.size()) return std::nullopt;
        } else if (c == '\\' && i + 1 < command.size()) {
            word += command[++i];
            in_word = true;
        } else if (c == ' ' || c == '\t' || c == '\n') {
            if (in_word) words.push_back(std::exchange(word, {}));
            in_word = false;
        } else {
            word += c;
            in_word = true;
        }
    }
    if (in_word) words.push_back(word);
    return words;
}

/// A here-document of a command and the line that it belongs to.
struct HereDocument {
    std::string line;
    std::string text;
    bool literal = false; ///< its end was quoted, so that a shell expands nothing in it
};

std::vector<HereDocument> here_documents(std::string_view command) {
    std::vector<HereDocument> found;
    while (!command.empty()) {
        const auto line = take_line(command);
        const auto mark = line.find("<<");
        if (mark == line.npos || line.substr(mark).starts_with("<<<")) continue;
        auto rest = line.substr(mark + 2);
        if (rest.starts_with('-')) continue; // leading tabs would have to go
        rest = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
        HereDocument document;
        std::string_view end;
        if (rest.starts_with('\'') || rest.starts_with('"')) {
            const auto close = rest.find(rest[0], 1);
            if (close == rest.npos) continue;
            end = rest.substr(1, close - 1);
            rest = rest.substr(close + 1);
            document.literal = true;
        } else {
            const auto length = std::min(rest.find_first_of(" \t>|;&\r"), rest.size());
            end = rest.substr(0, length);
            rest = rest.substr(length);
        }
        if (end.empty()) continue;
        document.line = fmt::format("{} {}", line.substr(0, mark), rest);
        bool closed = false;
        while (!command.empty() && !closed) {
            const auto text = take_line(command);
            closed = text == end;
            if (!closed) (document.text += text) += '\n';
        }
        if (closed) found.push_back(std::move(document));
    }
    return found;
}

constexpr std::string_view kPatchBegin = "*** Begin Patch";

} // namespace

std::optional<std::string>& FileTexts::file(std::string_view path) {
    if (path.starts_with("./")) path.remove_prefix(2);
    if (const auto found = files_.find(path); found != files_.end()) return found->second;
    // One file, named from its folder here and from the root there.
    const auto ends_in = [](std::string_view longer, std::string_view shorter) {
        return longer.size() > shorter.size() && longer.ends_with(shorter)
               && longer[longer.size() - shorter.size() - 1] == '/';
    };
    std::optional<std::string>* same = nullptr;
    for (auto& [name, text] : files_) {
        if (!ends_in(name, path) && !ends_in(path, name)) continue;
        if (same) return files_[std::string{path}];
        same = &text;
    }
    return same ? *same : files_[std::string{path}];
}

FileChange FileTexts::written(std::string_view path, std::optional<std::string> text) {
    auto& known = file(path);
    known = std::move(text);
    return {std::string{path}, known};
}

FileChange FileTexts::replaced(std::string_view path, std::string_view before, std::string_view after, bool all) {
    auto& known = file(path);
    if (before.empty()) {
        // How an editor makes a file; of one that has a text nobody says where it went.
        if (known && !known->empty())
            known.reset();
        else
            known = std::string{after};
        return {std::string{path}, known};
    }
    if (!known) return {std::string{path}};
    std::string result;
    std::size_t at = 0, times = 0;
    for (auto place = known->find(before); place != std::string::npos && (all || times < 2);
         place = known->find(before, at)) {
        result.append(*known, at, place - at).append(after);
        at = place + before.size();
        ++times;
    }
    result.append(*known, at);
    if (times == 0 || (times > 1 && !all))
        known.reset();
    else
        known = std::move(result);
    return {std::string{path}, known};
}

FileChange FileTexts::inserted(std::string_view path, std::int64_t line, std::string_view text) {
    auto& known = file(path);
    if (!known) return {std::string{path}};
    std::size_t at = 0;
    for (std::int64_t i = 0; i < line && at < known->size(); ++i)
        at = std::min(known->find('\n', at), known->size() - 1) + 1;
    std::string piece{text};
    if (at > 0 && (*known)[at - 1] != '\n') piece.insert(0, "\n");
    if (!piece.ends_with('\n')) piece += '\n';
    known->insert(at, piece);
    return {std::string{path}, known};
}

FileChange FileTexts::lines_replaced(std::string_view command, const TracedCall& traced) {
    // edit FIRST:LAST, then the lines, then end_of_edit.
    auto range = trimmed(take_line(command)).substr(std::string_view{"edit"}.size());
    range = trimmed(range);
    const auto colon = range.find(':');
    auto& known = file(traced.open_file);
    FileChange change{traced.open_file};
    const auto unknown = [&] {
        known.reset();
        return change;
    };
    if (colon == range.npos) return unknown();
    const auto first = number_of(range.substr(0, colon)), last = number_of(range.substr(colon + 1));
    const auto end = command.rfind("end_of_edit");
    if (!known || !first || !last || *first < 1 || *last < *first || end == command.npos) return unknown();
    std::string result;
    std::string_view rest = *known;
    for (std::size_t line = 1; line < *first && !rest.empty(); ++line) (result += take_line(rest)) += '\n';
    for (std::size_t line = *first; line <= *last && !rest.empty(); ++line) take_line(rest);
    result += command.substr(0, end);
    if (!rest.empty() && !result.empty() && !result.ends_with('\n')) result += '\n';
    result += rest;
    // The editor says how many lines the file has now; where that differs, what was known of it was not so.
    const auto lines = static_cast<std::size_t>(std::ranges::count(result, '\n')) + (result.ends_with('\n') ? 0 : 1);
    const auto says = traced.call.result.find(fmt::format("({} lines total)", lines));
    if (says == std::string::npos) return unknown();
    known = result;
    change.text = std::move(result);
    return change;
}

std::vector<FileChange> FileTexts::patched(std::string_view patch) {
    std::vector<FileChange> changes;
    const auto begin = patch.find(kPatchBegin);
    if (begin == patch.npos) return changes;
    patch = patch.substr(begin);
    take_line(patch);
    std::string path;
    std::string text;          // of a new file
    std::string before, after; // of one part of a change
    enum class Doing { nothing, adding, updating } doing = Doing::nothing;
    const auto end_of_part = [&] {
        if (doing == Doing::updating && (!before.empty() || !after.empty())) {
            auto change = before.empty() ? FileChange{path} : replaced(path, before, after, false);
            if (before.empty()) file(path).reset();
            if (!changes.empty() && changes.back().path == path)
                changes.back() = std::move(change);
            else
                changes.push_back(std::move(change));
        }
        before.clear();
        after.clear();
    };
    const auto end_of_file = [&] {
        end_of_part();
        if (doing == Doing::adding) changes.push_back(written(path, std::exchange(text, {})));
        doing = Doing::nothing;
    };
    while (!patch.empty()) {
        auto line = take_line(patch);
        if (line.ends_with('\r')) line.remove_suffix(1);
        const auto named = [&](std::string_view what) {
            if (!line.starts_with(what)) return false;
            end_of_file();
            path = trimmed(line.substr(what.size()));
            return true;
        };
        if (named("*** Add File:")) {
            doing = Doing::adding;
        } else if (named("*** Update File:")) {
            doing = Doing::updating;
        } else if (named("*** Delete File:")) {
            changes.push_back(written(path, std::nullopt));
        } else if (line.starts_with("*** End Patch")) {
            break;
        } else if (line.starts_with("*** Move to:")) {
            auto moved = file(path);
            file(path).reset();
            path = trimmed(line.substr(std::string_view{"*** Move to:"}.size()));
            changes.push_back(written(path, std::move(moved)));
        } else if (line.starts_with("***")) {
            continue;
        } else if (doing == Doing::adding) {
            if (line.starts_with('+')) (text += line.substr(1)) += '\n';
        } else if (doing == Doing::updating) {
            if (line.starts_with("@@")) {
                end_of_part();
            } else if (line.starts_with('+')) {
                (after += line.substr(1)) += '\n';
            } else if (line.starts_with('-')) {
                (before += line.substr(1)) += '\n';
            } else {
                const auto same = line.starts_with(' ') ? line.substr(1) : line;
                (before += same) += '\n';
                (after += same) += '\n';
            }
        }
    }
    end_of_file();
    return changes;
}

std::vector<FileChange> FileTexts::commanded(std::string_view command, const TracedCall& traced) {
    std::vector<FileChange> changes;
    const auto verb = command.substr(0, command.find_first_of(" \n\t"));
    if (verb == "edit" && !traced.open_file.empty()) return {lines_replaced(command, traced)};
    if (verb == "create") {
        // The editor's own command: an empty file, which it shows as one empty line.
        if (const auto name = trimmed(command.substr(verb.size())); !name.empty() && name.find('\n') == name.npos)
            return {written(traced.open_file.empty() ? name : std::string_view{traced.open_file}, "\n")};
        return changes;
    }
    if (verb == "str_replace_editor") {
        const auto words = words_of(command);
        if (!words || words->size() < 3) return changes;
        Json arguments{{"command", (*words)[1]}, {"path", (*words)[2]}};
        for (std::size_t i = 3; i + 1 < words->size(); ++i) {
            if (!(*words)[i].starts_with("--")) continue;
            const auto name = (*words)[i].substr(2);
            if (const auto line = number_of((*words)[i + 1]); name == "insert_line" && line)
                arguments[name] = *line;
            else
                arguments[name] = (*words)[i + 1];
            ++i;
        }
        return apply({.call = {.id = {}, .name = "str_replace_editor", .arguments = std::move(arguments)}});
    }
    if (command.find(kPatchBegin) != command.npos) return patched(command);
    for (auto& document : here_documents(command)) {
        const auto words = words_of(document.line);
        if (!words || words->size() < 3 || words->front() != "cat") continue;
        // cat > FILE, or cat >FILE; two of them append.
        for (std::size_t i = 1; i < words->size(); ++i) {
            const std::string_view word = (*words)[i];
            if (!word.starts_with('>')) continue;
            const bool append = word.starts_with(">>");
            std::string_view name = word.substr(append ? 2 : 1);
            if (name.empty() && i + 1 < words->size()) name = (*words)[i + 1];
            if (name.empty() || name.find('$') != name.npos) break;
            const bool known = document.literal || document.text.find_first_of("$`\\") == std::string::npos;
            if (!append)
                changes.push_back(written(name, known ? std::optional{std::move(document.text)} : std::nullopt));
            else if (auto& before = file(name); before && known)
                changes.push_back(written(name, *before + document.text));
            else
                changes.push_back(written(name, std::nullopt));
            break;
        }
    }
    return changes;
}

std::vector<FileChange> FileTexts::apply(const TracedCall& traced) {
    const auto& call = traced.call;
    if (!call.ok) return {};
    const auto& arguments = call.arguments;
    const auto path = text_in(arguments, {"file_path", "path", "filename", "file"});
    if (traced.original && !path.empty()) file(path) = *traced.original;
    const auto command = text_in(arguments, {"command", "cmd", "input", "patch", "script"});

    if (call.name == "apply_patch") return patched(command);
    if (!path.empty()) {
        if (command == "create") return {written(path, std::string{text_in(arguments, {"file_text", "content"})})};
        if (command == "insert") {
            const auto line = arguments.find("insert_line");
            const bool fits = line != arguments.end() && line->is_number_integer();
            return {
                inserted(path, fits ? line->get<std::int64_t>() : 0, text_in(arguments, {"new_str", "insert_text"}))};
        }
        if (command == "undo_edit") return {written(path, std::nullopt)};
        if (command == "view") return {};
        if (const auto edits = arguments.find("edits"); edits != arguments.end() && edits->is_array()) {
            std::vector<FileChange> changes;
            for (const auto& edit : *edits)
                changes = {replaced(path, text_in(edit, {"old_string", "old_str", "old_text"}),
                                    text_in(edit, {"new_string", "new_str", "new_text"}),
                                    is_true(edit, "replace_all"))};
            return changes;
        }
        for (const auto* name : {"old_string", "old_str", "old_text"})
            if (has_text(arguments, name))
                return {replaced(path, text_in(arguments, {name}),
                                 text_in(arguments, {"new_string", "new_str", "new_text"}),
                                 is_true(arguments, "replace_all"))};
        for (const auto* name : {"content", "file_text", "source"})
            if (has_text(arguments, name)) return {written(path, std::string{text_in(arguments, {name})})};
    }
    if (!command.empty()) return commanded(command, traced);
    // A shell as a list of words: ["bash", "-lc", "…"] or ["apply_patch", "…"].
    if (!arguments.is_object()) return {};
    if (const auto list = arguments.find("command"); list != arguments.end() && list->is_array() && !list->empty())
        if (const auto& last = list->back(); last.is_string())
            return commanded(last.get_ref<const std::string&>(), traced);
    return {};
}

} // namespace kw::trajectory
