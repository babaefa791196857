#pragma once

#include <QObject>

#include <memory>
#include <mutex>
#include <utility>

namespace kw::profiler_views {

/// Carries answers that come on any thread to the thread of an object, and drops them once that is gone. Owned by the
/// object, or by what it owns.
class AnswerPoster {
public:
    explicit AnswerPoster(QObject* receiver) : gate_(std::make_shared<Gate>()) { gate_->receiver = receiver; }
    ~AnswerPoster() {
        const std::scoped_lock lock{gate_->mutex};
        gate_->receiver = nullptr;
    }
    AnswerPoster(const AnswerPoster&) = delete;
    AnswerPoster& operator=(const AnswerPoster&) = delete;

    /// A callback for any thread that has `then` run, with what it is given, in the receiver's thread.
    template<class Then> [[nodiscard]] auto deliver(Then then) const {
        return [gate = gate_, then = std::move(then)](auto result) {
            const std::scoped_lock lock{gate->mutex};
            if (!gate->receiver) return;
            auto kept = std::make_shared<decltype(result)>(std::move(result));
            QMetaObject::invokeMethod(
                gate->receiver, [gate, then, kept] { then(std::move(*kept)); }, Qt::QueuedConnection);
        };
    }

private:
    struct Gate {
        std::mutex mutex;
        QObject* receiver = nullptr;
    };
    std::shared_ptr<Gate> gate_;
};

} // namespace kw::profiler_views
