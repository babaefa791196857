#pragma once

#include <vector>

class QKeyEvent;

namespace kw::editor {

class CudaEditor;

/// Closes brackets and quotes as they are opened, with the opening one as one step to undo. What was closed so is typed
/// over by the key that closes it, and goes with its opening one when that is deleted at once. A selection is put
/// between the two. Where a name or a literal follows, nothing is closed.
class Pairs {
public:
    explicit Pairs(CudaEditor& editor) : editor_(editor) {}

    void set_enabled(bool enabled);
    /// Does what the key means here. False: it is the editor's.
    [[nodiscard]] bool handle(const QKeyEvent& event);
    /// The text has changed: `length` bytes at `position`.
    void inserted(long position, long length);
    void deleted(long position, long length);

private:
    [[nodiscard]] bool open(char opening, char closing);
    [[nodiscard]] bool type_over(char closing);
    [[nodiscard]] bool delete_both();
    [[nodiscard]] bool break_line();
    [[nodiscard]] char at(long position) const;
    [[nodiscard]] bool ours(long position) const;

    CudaEditor& editor_;
    bool enabled_ = true;
    /// Where closing ones stand that nobody typed, in the order of typing; byte positions.
    std::vector<long> closers_{};
};

} // namespace kw::editor
