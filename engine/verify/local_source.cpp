#include "engine/verify/local_source.h"

#include <fmt/format.h>

#include <utility>

namespace kw::verify {

LocalSource::LocalSource(std::vector<std::shared_ptr<const Inspection>> tensors)
    : tensors_(std::move(tensors)), thread_([this](const std::stop_token& stop) { work(stop); }) {}

LocalSource::~LocalSource() {
    thread_.request_stop();
    thread_.join();
    for (auto& question : waiting_) question(true);
}

void LocalSource::work(const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    while (wake_.wait(lock, stop, [&] { return !waiting_.empty(); })) {
        auto question = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        question(stop.stop_requested());
        lock.lock();
    }
}

template<class T, class Ask> void LocalSource::post(std::size_t tensor, Answer<T> answer, Ask ask) {
    const std::scoped_lock lock{mutex_};
    waiting_.push_back([this, tensor, answer = std::move(answer), ask = std::move(ask)](bool stopped) {
        if (stopped)
            answer(fail(Stage::verify, ErrorCode::cancelled, "the outputs are no longer looked at"));
        else if (tensor >= tensors_.size())
            answer(fail(Stage::verify, ErrorCode::not_found,
                        fmt::format("there are {} outputs, so none is number {}", tensors_.size(), tensor)));
        else
            answer(ask(*tensors_[tensor]));
    });
    wake_.notify_one();
}

void LocalSource::cells(const CellQuery& query, Answer<Cells> answer) {
    post(query.tensor, std::move(answer), [query](const Inspection& output) { return output.cells(query); });
}

void LocalSource::values(std::size_t tensor, const Region& region, Answer<Values> answer) {
    post(tensor, std::move(answer), [region](const Inspection& output) { return output.values(region); });
}

void LocalSource::histogram(std::size_t tensor, Answer<ErrorHistogram> answer) {
    post(tensor, std::move(answer),
         [](const Inspection& output) { return Result<ErrorHistogram>{output.histogram()}; });
}

void LocalSource::mismatches(std::size_t tensor, const task::Tolerance& tolerance, Answer<std::uint64_t> answer) {
    post(tensor, std::move(answer), [tolerance](const Inspection& output) { return output.mismatches(tolerance); });
}

void LocalSource::next_mismatch(std::size_t tensor, std::uint64_t index, bool forward,
                                const std::optional<task::Tolerance>& tolerance,
                                Answer<std::optional<std::uint64_t>> answer) {
    post(tensor, std::move(answer), [index, forward, tolerance](const Inspection& output) {
        return output.next_mismatch(index, forward, tolerance);
    });
}

void LocalSource::writers(std::size_t tensor, std::uint64_t, Answer<WriterReport> answer) {
    post(tensor, std::move(answer), [](const Inspection&) {
        return Result<WriterReport>{WriterReport{
            .writes = {}, .more = 0, .origin = {}, .note = "only the values are kept, not the kernel that wrote them"}};
    });
}

} // namespace kw::verify
