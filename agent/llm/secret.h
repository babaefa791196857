#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kw::llm {

/// A key. It has no conversion to text and no formatter, so that it cannot get into a message by mistake; its memory is
/// wiped. Copies share it.
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string value);

    [[nodiscard]] bool empty() const { return !value_ || value_->empty(); }
    /// For the one place that sends it, and for looking for it in texts.
    [[nodiscard]] std::string_view reveal() const { return value_ ? std::string_view{*value_} : std::string_view{}; }

    /// Not to be written anywhere.
    template<class Stream> friend Stream& operator<<(Stream&, const Secret&) = delete;

private:
    std::shared_ptr<const std::string> value_;
};

/// Takes known keys out of texts: as they are, as they may be spelled inside JSON strings, and as they look in URLs and
/// base64.
class Redactor {
public:
    Redactor() = default;
    explicit Redactor(const Secret& secret) { add(secret); }
    /// Values shorter than that are left alone, as they would be found in ordinary words; find_key() refuses them.
    static constexpr std::size_t kShortest = 8;
    void add(const Secret& secret);
    [[nodiscard]] std::string operator()(std::string text) const;
    /// How many bytes at the end of `text` may be the beginning of a key.
    [[nodiscard]] std::size_t unsure_suffix(std::string_view text) const;

    static constexpr std::string_view kInstead = "[key removed]";

private:
    std::vector<Secret> keys_;
    std::vector<Secret> forms_; ///< of the keys, apart from how JSON spells them
};

/// A Redactor for text that comes in pieces: holds back what may be the first part of a key.
class StreamRedactor {
public:
    explicit StreamRedactor(const Redactor& redactor) : redactor_(redactor) {}
    [[nodiscard]] std::string feed(std::string_view piece);
    [[nodiscard]] std::string finish();

private:
    const Redactor& redactor_;
    std::string held_;
};

} // namespace kw::llm
