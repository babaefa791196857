#include "bench/timeline/synthetic.h"

#include "engine/base/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace kw::timeline_bench {
namespace {

class Writer {
public:
    explicit Writer(int file) : file_(file) {}
    fmt::memory_buffer& text() { return text_; }
    Result<void> flush(std::size_t at_least) {
        if (text_.size() < at_least) return {};
        const auto done = write_all(file_, {text_.data(), text_.size()});
        text_.clear();
        return done;
    }

private:
    int file_;
    fmt::memory_buffer text_;
};

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (int i = 0; i < 400; ++i)
        names.push_back(fmt::format("void at::native::vectorized_elementwise_kernel<{}, at::native::Functor{}<float>, "
                                    "at::detail::Array<char*, {}> >(int)",
                                    i % 8, i, i % 5));
    return names;
}

} // namespace

Result<void> write_synthetic(const std::filesystem::path& path, const SyntheticTrace& what) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file)
        return fail(Stage::environment, ErrorCode::not_found,
                    fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
    Writer writer(file.get());
    auto to = std::back_inserter(writer.text());
    const auto kernels = kernel_names();
    static constexpr std::array<const char*, 8> kOperators{"aten::linear", "aten::addmm", "aten::matmul", "aten::add_",
                                                           "aten::copy_",  "aten::empty", "aten::to",     "aten::mul"};
    fmt::format_to(to, "{{\"schemaVersion\": 1, \"traceEvents\": [\n");
    for (std::uint32_t device = 0; device < 2; ++device)
        fmt::format_to(
            to,
            "{{\"ph\": \"M\", \"name\": \"process_labels\", \"pid\": {0}, \"tid\": 0, \"args\": {{\"labels\": \"GPU "
            "{0}\"}}}},\n{{\"ph\": \"M\", \"name\": \"process_sort_index\", \"pid\": {0}, \"tid\": 0, \"args\": "
            "{{\"sort_index\": 5000000}}}},\n",
            device);
    // Every thread launches: an operator, an inner one, a launch and its kernel, in steps of this many events.
    constexpr std::uint64_t kPerStep = 4;
    std::mt19937 random(1);
    std::vector<std::uint64_t> clock(what.threads, 1'000'000'000), free_at(what.streams, 0); // ns
    std::uint64_t correlation = 1;
    for (std::uint64_t written = 0; written < what.events; written += kPerStep, ++correlation) {
        const std::uint32_t thread = random() % what.threads, stream = random() % what.streams;
        // Bursts and pauses, so that no level of detail is evenly filled.
        if (random() % 500 == 0) clock[thread] += random() % 3'000'000;
        std::uint64_t& now = clock[thread];
        const std::uint64_t start = what.shuffled ? now + random() % 100'000 : now;
        const std::uint64_t length = 4000 + random() % 12000;
        const auto us = [](std::uint64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); };
        const std::uint32_t pid = 4242, tid = 5000 + thread;
        const auto op = [&](const char* category, std::string_view name, std::uint64_t at, std::uint64_t duration,
                            std::uint32_t process, std::uint32_t lane, const std::string& arguments) {
            fmt::format_to(to,
                           "  {{\"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", \"pid\": {}, \"tid\": {}, \"ts\": "
                           "{}, \"dur\": {}{}}},\n",
                           category, name, process, lane, us(at), us(duration), arguments);
        };
        const auto host_arguments =
            what.arguments
                ? fmt::format(", \"args\": {{\"External id\": {0}, \"Ev Idx\": {0}, \"Sequence number\": {1}, "
                              "\"Fwd thread id\": 0}}",
                              correlation, correlation / 3)
                : std::string();
        op("cpu_op", kOperators[random() % kOperators.size()], start, length, pid, tid, host_arguments);
        op("cpu_op", kOperators[random() % kOperators.size()], start + 500, length - 1000, pid, tid, host_arguments);
        op("cuda_runtime", "cudaLaunchKernel", start + 1000, length / 4, pid, tid,
           what.arguments
               ? fmt::format(", \"args\": {{\"External id\": {0}, \"cbid\": 211, \"correlation\": {0}}}", correlation)
               : std::string());
        const std::uint64_t begins = std::max(free_at[stream], start + 5000), runs = 1000 + random() % 20000;
        op("kernel", kernels[random() % kernels.size()], begins, runs, stream % 2, 7 + stream,
           what.arguments
               ? fmt::format(", \"args\": {{\"External id\": {0}, \"device\": {1}, \"context\": 1, \"stream\": {2}, "
                             "\"correlation\": {0}, \"registers per thread\": 32, \"grid\": [128, 1, 1], "
                             "\"block\": [256, 1, 1]}}",
                             correlation, stream % 2, 7 + stream)
               : std::string());
        free_at[stream] = begins + runs + random() % 3000;
        now += length + random() % 2000;
        if (correlation % 10 == 0) {
            fmt::format_to(to,
                           "  {{\"ph\": \"s\", \"id\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {}, \"cat\": \"ac2g\", "
                           "\"name\": \"ac2g\"}},\n",
                           correlation, pid, tid, us(start + 1000));
            fmt::format_to(to,
                           "  {{\"ph\": \"f\", \"id\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {}, \"cat\": \"ac2g\", "
                           "\"name\": \"ac2g\", \"bp\": \"e\"}},\n",
                           correlation, stream % 2, 7 + stream, us(begins));
        }
        if (correlation % 50 == 0)
            fmt::format_to(to,
                           "  {{\"ph\": \"C\", \"name\": \"memory\", \"pid\": {}, \"ts\": {}, \"args\": "
                           "{{\"allocated\": {}}}}},\n",
                           stream % 2, us(begins), random() % 1'000'000);
        if (auto done = writer.flush(std::size_t{4} << 20); !done) return done;
    }
    fmt::format_to(to, "  {{\"ph\": \"i\", \"name\": \"end\", \"pid\": 4242, \"tid\": 5000, \"ts\": 1, \"s\": "
                       "\"g\"}}\n], \"traceName\": \"synthetic\"}}\n");
    return writer.flush(1);
}

} // namespace kw::timeline_bench
