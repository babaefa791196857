#pragma once

#include "agent/llm/dialect.h"

#include <string>
#include <string_view>

namespace kw::agent {

/// What a model has written of its reply so far, readable while it comes.
class ReplySoFar {
public:
    /// A Delta::Kind::restart forgets all.
    void add(const llm::Delta& delta);
    void clear();

    [[nodiscard]] const std::string& reasoning() const { return reasoning_; }
    [[nodiscard]] const std::string& text() const { return text_; }
    /// Of the tool call that is being written, or was last: the text that goes into the file, as far as it has come.
    [[nodiscard]] std::string source() const;

private:
    std::string reasoning_, text_;
    std::string arguments_; ///< of the last call
    bool whole_ = false;    ///< they are: what comes next is another call's
};

/// The string that a JSON object's member begins to be; `json` may end anywhere. Empty where there is none.
[[nodiscard]] std::string string_so_far(std::string_view json, std::string_view member);

} // namespace kw::agent
