#pragma once

#include "engine/report/text.h"

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

namespace kw::report {

/// One line on standard error that says what is going on; silent where that is no terminal. Any thread may show().
class ProgressBar {
public:
    /// `prefix` stands before every text: "3/12 ".
    explicit ProgressBar(bool wanted = true);
    ~ProgressBar() { clear(); }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    void set_prefix(std::string prefix);
    /// `fraction` in [0, 1], negative when unknown. Drawn at most every 100 ms, and not in the first 300 ms, so that
    /// quick work stays quiet.
    void show(std::string_view what, double fraction);
    /// Takes the line away; call before writing anything else to the terminal.
    void clear();

private:
    using Clock = std::chrono::steady_clock;
    std::mutex mutex_;
    bool wanted_;
    bool shown_ = false;
    Clock::time_point next_;
    std::string prefix_;
};

} // namespace kw::report
