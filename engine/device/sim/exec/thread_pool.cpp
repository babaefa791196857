#include "engine/device/sim/exec/thread_pool.h"

#include <algorithm>
#include <utility>

namespace kw::sim {

ThreadPool::ThreadPool(std::uint32_t threads) {
    if (threads == 0) threads = std::max(std::thread::hardware_concurrency(), 1u);
    for (std::uint32_t number = 1; number < threads; ++number) threads_.emplace_back([this, number] { work(number); });
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::run(std::uint32_t count, const std::function<void(std::uint32_t)>& task) {
    if (count > 1) {
        {
            const std::lock_guard lock(mutex_);
            task_ = &task;
            wanted_ = count;
            ++generation_;
        }
        wake_.notify_all();
    }
    call(task, 0);
    if (count > 1) {
        std::unique_lock lock(mutex_);
        wanted_ = 0; // whoever wakes from now on has nothing to do
        idle_.wait(lock, [this] { return running_ == 0; });
        task_ = nullptr;
    }
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void ThreadPool::call(const std::function<void(std::uint32_t)>& task, std::uint32_t number) {
    try {
        task(number);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!thrown_) thrown_ = std::current_exception();
    }
}

void ThreadPool::work(std::uint32_t number) {
    std::uint64_t seen = 0;
    for (;;) {
        const std::function<void(std::uint32_t)>* task = nullptr;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return stop_ || generation_ != seen; });
            if (stop_) return;
            seen = generation_;
            if (number >= wanted_) continue;
            task = task_;
            ++running_;
        }
        call(*task, number);
        {
            const std::lock_guard lock(mutex_);
            if (--running_ == 0) idle_.notify_one();
        }
    }
}

} // namespace kw::sim
