#pragma once

#include "engine/verify/inspection.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kw::verify {

/// Outputs in this process, asked about on a thread of their own. Nothing is known of who wrote an element.
class LocalSource final : public OutputSource {
public:
    explicit LocalSource(std::vector<std::shared_ptr<const Inspection>> tensors);
    /// Questions still waiting are answered with ErrorCode::cancelled.
    ~LocalSource() override;

    void cells(const CellQuery& query, Answer<Cells> answer) override;
    void values(std::size_t tensor, const Region& region, Answer<Values> answer) override;
    void histogram(std::size_t tensor, Answer<ErrorHistogram> answer) override;
    void mismatches(std::size_t tensor, const task::Tolerance& tolerance, Answer<std::uint64_t> answer) override;
    void next_mismatch(std::size_t tensor, std::uint64_t index, bool forward,
                       const std::optional<task::Tolerance>& tolerance,
                       Answer<std::optional<std::uint64_t>> answer) override;
    void writers(std::size_t tensor, std::uint64_t index, Answer<WriterReport> answer) override;

private:
    template<class T, class Ask> void post(std::size_t tensor, Answer<T> answer, Ask ask);
    void work(const std::stop_token& stop);

    std::vector<std::shared_ptr<const Inspection>> tensors_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::deque<std::function<void(bool stopped)>> waiting_;
    std::jthread thread_; ///< last: joined before the rest goes
};

} // namespace kw::verify
