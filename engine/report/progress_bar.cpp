#include "engine/report/progress_bar.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace kw::report {
namespace {

constexpr std::size_t kBarColumns = 24;

std::size_t terminal_columns() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

} // namespace

ProgressBar::ProgressBar(bool wanted)
    : wanted_(wanted && ::isatty(STDERR_FILENO) == 1), next_(Clock::now() + std::chrono::milliseconds{300}) {}

void ProgressBar::set_prefix(std::string prefix) {
    const std::scoped_lock lock{mutex_};
    prefix_ = std::move(prefix);
}

void ProgressBar::show(std::string_view what, double fraction) {
    const std::scoped_lock lock{mutex_};
    if (!wanted_ || Clock::now() < next_) return;
    next_ = Clock::now() + std::chrono::milliseconds{100};
    std::string bar;
    if (fraction >= 0) {
        const double whole = std::clamp(fraction, 0.0, 1.0);
        const auto filled = static_cast<std::size_t>(whole * kBarColumns);
        for (std::size_t i = 0; i < kBarColumns; ++i) bar += i < filled ? "█" : "░";
        bar += fmt::format(" {:3.0f} %  ", whole * 100);
    }
    const std::size_t used = display_width(bar) + display_width(prefix_);
    const std::size_t columns = terminal_columns();
    auto text = printable(what);
    std::ranges::replace(text, '\n', ' ');
    while (!text.empty() && display_width(text) + used + 1 > columns) text.pop_back();
    // Erase to the end of the line after the carriage return, so that a shorter text leaves nothing of the longer one.
    say(fmt::format("\r\x1b[K{}{}{}", prefix_, bar, text));
    shown_ = true;
}

void ProgressBar::clear() {
    const std::scoped_lock lock{mutex_};
    if (!shown_) return;
    say("\r\x1b[K");
    shown_ = false;
}

} // namespace kw::report
