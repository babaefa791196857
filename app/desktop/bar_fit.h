#pragma once

#include <QObject>

#include <cstddef>
#include <functional>
#include <vector>

class QToolBar;

namespace kw::desktop {

/// Makes what a tool bar shows shorter until it fits the window, by one way after the other, the least missed first.
class BarFit : public QObject {
    Q_OBJECT
public:
    /// Shortens something, or has it whole again.
    using Way = std::function<void(bool shorter)>;
    BarFit(QToolBar& bar, std::vector<Way> ways);

    /// To be called when what is shown has changed; changes of size are noticed.
    void fit();

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void shorten();

    QToolBar& bar_;
    std::vector<Way> ways_;
    std::size_t shorter_ = 0; ///< how many of them are in use
    bool fitting_ = false;
};

} // namespace kw::desktop
