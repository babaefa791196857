#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kw::sim {

/// Threads that stay, so that a launch costs microseconds. One task at a time.
class ThreadPool {
public:
    /// `threads` in all, the calling one included; 0: one per core.
    explicit ThreadPool(std::uint32_t threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(threads_.size()) + 1; }
    /// Calls task(0) on this thread and, as far as threads wake before it returns, task(1) … task(count − 1) on others;
    /// returns when all that began have ended. The tasks share out the work among themselves, so none of them is
    /// needed. Once all have ended it throws the first exception that one of them threw.
    void run(std::uint32_t count, const std::function<void(std::uint32_t)>& task);

private:
    void work(std::uint32_t number);
    void call(const std::function<void(std::uint32_t)>& task, std::uint32_t number);

    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable idle_;
    const std::function<void(std::uint32_t)>* task_ = nullptr;
    std::uint64_t generation_ = 0;
    std::uint32_t wanted_ = 0;
    std::uint32_t running_ = 0; ///< of the pool's threads
    std::exception_ptr thrown_;
    bool stop_ = false;
    std::vector<std::thread> threads_;
};

} // namespace kw::sim
