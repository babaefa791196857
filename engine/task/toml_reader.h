#pragma once

#include "engine/base/result.h"
#include "engine/task/expression.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Typed access to a TOML document that turns every surprise into an error with a position.
namespace kw::task {

/// A table of the document, valid as long as its reader. A default-constructed one is empty.
class TomlTable {
public:
    [[nodiscard]] bool has(std::string_view key) const;
    [[nodiscard]] bool is_table(std::string_view key) const;
    [[nodiscard]] bool is_boolean(std::string_view key) const;

private:
    friend class TomlReader;
    struct Raw; ///< toml::table under a name that needs no toml++ here
    const Raw* raw_ = nullptr;
};

/// Keeps the first error; after it every accessor still answers, with default values, so that callers need not check
/// each step.
class TomlReader {
public:
    TomlReader(std::string_view text, std::string file);
    ~TomlReader();
    TomlReader(const TomlReader&) = delete;
    TomlReader& operator=(const TomlReader&) = delete;

    [[nodiscard]] bool ok() const { return !error_; }
    [[nodiscard]] const Error& error() const { return *error_; }
    void fail_at(std::string message, Where where, ErrorCode code = ErrorCode::invalid_input);
    void fail_with(Error error);

    [[nodiscard]] TomlTable root() const;
    /// Keys in the order of the file.
    [[nodiscard]] std::vector<std::string> keys(const TomlTable& table) const;

    [[nodiscard]] Where where(const TomlTable& table) const;
    [[nodiscard]] Where where(const TomlTable& table, std::string_view key) const; ///< of the value
    [[nodiscard]] Where key_where(const TomlTable& table, std::string_view key) const;
    /// Of the first character between a string's quotes.
    [[nodiscard]] Where text_where(const TomlTable& table, std::string_view key) const;

    /// Fails at the first key that is not in `known`; `what` names the table in the message.
    void allow_only(const TomlTable& table, std::string_view what, std::initializer_list<std::string_view> known);

    /// The value of a key; a missing one is an error only where `required` is in the name, and `what` then says of
    /// what.
    std::string required_string(const TomlTable& table, std::string_view key, std::string_view what);
    std::string string(const TomlTable& table, std::string_view key);
    std::int64_t integer(const TomlTable& table, std::string_view key);
    double number(const TomlTable& table, std::string_view key); ///< an integer or a float
    bool boolean(const TomlTable& table, std::string_view key);
    TomlTable table(const TomlTable& table, std::string_view key);
    std::vector<TomlTable> tables(const TomlTable& table, std::string_view key); ///< [[key]]; none when absent
    std::vector<std::pair<std::string, Where>> strings(const TomlTable& table, std::string_view key);
    /// An array of integers and of strings that hold expressions.
    std::vector<Expression> expressions(const TomlTable& table, std::string_view key);

private:
    struct Document;
    std::unique_ptr<Document> document_;
    std::optional<Error> error_;
};

} // namespace kw::task
