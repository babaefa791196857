#pragma once

#include <QObject>

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace kw::widgets {

/// Carries answers that come on any thread to the thread of an object, and drops them once that is gone. Owned by the
/// object, or by what it owns.
class AnswerPoster {
    struct Gate {
        std::mutex mutex;
        QObject* receiver = nullptr;
    };

public:
    /// May outlive the poster, on any thread.
    class Handle {
    public:
        /// Has `action` run in the receiver's thread.
        void post(std::function<void()> action) const {
            const std::scoped_lock lock{gate_->mutex};
            // Queued calls are dropped by Qt when the receiver dies before they are delivered.
            if (gate_->receiver) QMetaObject::invokeMethod(gate_->receiver, std::move(action), Qt::QueuedConnection);
        }

    private:
        friend class AnswerPoster;
        explicit Handle(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}
        std::shared_ptr<Gate> gate_;
    };

    explicit AnswerPoster(QObject* receiver) : gate_(std::make_shared<Gate>()) { gate_->receiver = receiver; }
    ~AnswerPoster() {
        const std::scoped_lock lock{gate_->mutex};
        gate_->receiver = nullptr;
    }
    AnswerPoster(const AnswerPoster&) = delete;
    AnswerPoster& operator=(const AnswerPoster&) = delete;

    [[nodiscard]] Handle handle() const { return Handle{gate_}; }

    /// A callback for any thread that has `then` run, with what it is given, in the receiver's thread.
    template<class Then> [[nodiscard]] auto deliver(Then then) const {
        return [handle = handle(), then = std::move(then)](auto result) {
            auto kept = std::make_shared<decltype(result)>(std::move(result));
            handle.post([then, kept] { then(std::move(*kept)); });
        };
    }

private:
    std::shared_ptr<Gate> gate_;
};

} // namespace kw::widgets
