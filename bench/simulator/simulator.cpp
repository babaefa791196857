// Speed of the simulator on six kernels, one line each: name, seconds of the best of several runs, billions of lane
// instructions per second, the share of what the processor's vector units could add and multiply in that time, whether
// the result is right, seconds with every check on, and the ratio of the two times. Before them a line "peak" with the
// billions of fused multiply-adds a second that the threads reach on vectors of floats.
//   bench_simulator [--threads N] [--repeat N] [--sanitize LIST]
// LIST is what the second run looks for (default: all); compare.sh puts another program beside it.
#include "engine/base/file.h"
#include "engine/device/sim/sim_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>
#include <thread>

using namespace kw;
using namespace kw::sim;

namespace {

template<class T> T must(Result<T> result) {
    if (!result) {
        fmt::print(stderr, "{}\n", describe(result.error()));
        std::exit(3);
    }
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

class Parameters {
public:
    template<class T> Parameters& add(T value) {
        while (bytes_.size() % sizeof(T) != 0) bytes_.push_back({});
        const auto* raw = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), raw, raw + sizeof(T));
        return *this;
    }
    [[nodiscard]] std::span<const std::byte> span() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

class Runner {
public:
    Runner(const SimOptions& options, const device::Checks& checks, double peak, int repeat)
        : device_(must(open_simulator(gpu_models().front(), options))), checks_(checks), peak_(peak), repeat_(repeat) {}

    template<class T> device::Pointer upload(const std::vector<T>& values, std::string_view label) {
        const auto pointer = must(device_->allocate(values.size() * sizeof(T), label));
        must(device_->upload(pointer, std::as_bytes(std::span(values))));
        return pointer;
    }
    template<class T> std::vector<T> download(device::Pointer pointer, std::size_t count) {
        std::vector<T> values(count);
        must(device_->download(std::as_writable_bytes(std::span(values)), pointer));
        return values;
    }
    void load(const std::string& file) {
        module_ = must(
            device_->load({must(read_file(std::string(KW_BENCH_KERNELS) + "/" + file + ".ptx", 1 << 20)), {}, {}}));
    }
    void launch(std::string_view kernel, device::Dim3 grid, device::Dim3 block, const Parameters& parameters) {
        const auto outcome =
            must(device_->launch(*module_, kernel, {grid, block, {}, 0, false}, parameters.span(), {}));
        if (outcome.fault) {
            fmt::print(stderr, "{}: {}\n", kernel, outcome.fault->message);
            std::exit(1);
        }
    }
    /// Runs `work` once counting and then timed, plainly and with checks; prints a line. `prepare` comes before each
    /// run and is not timed.
    void report(std::string_view name, const std::function<void()>& prepare, const std::function<void()>& work,
                const std::function<bool()>& right) {
        prepare();
        const device::Work counted{std::string(name), [&](std::size_t) -> Result<device::LaunchOutcome> {
                                       work();
                                       return device::LaunchOutcome{};
                                   }};
        std::uint64_t lanes = 0;
        for (const device::Measurement& measured : must(device_->measure(std::span(&counted, 1), {}, {}, {}))) {
            for (const device::LaunchCounters& counters : measured.counters)
                lanes += counters.events.thread_instructions;
        }
        const double plain = best_time({}, prepare, work), looked_at = best_time(checks_, prepare, work);
        const double rate = static_cast<double>(lanes) / plain / 1e9;
        fmt::print("{} {:.5f} {:.3f} {:.1f}% {} {:.5f} {:.2f}\n", name, plain, rate, 100 * rate / peak_,
                   right() ? "ok" : "WRONG", looked_at, looked_at / plain);
        std::fflush(stdout);
    }

private:
    double best_time(const device::Checks& checks, const std::function<void()>& prepare,
                     const std::function<void()>& work) {
        device_->look_for(checks);
        double best = 1e30;
        for (int run = 0; run < repeat_; ++run) {
            prepare();
            const auto start = std::chrono::steady_clock::now();
            work();
            best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        return best;
    }

    std::unique_ptr<device::Device> device_;
    std::unique_ptr<device::Module> module_;
    device::Checks checks_;
    double peak_;
    int repeat_;
};

#if defined(__x86_64__)
template<int Bytes> using Floats [[gnu::vector_size(Bytes)]] = float;

/// Multiply-adds on enough independent vectors to fill the units; `Bytes` is a register's width.
template<int Bytes> [[gnu::always_inline]] inline double add_and_multiply(std::uint64_t rounds) {
    Floats<Bytes> sums[10], factor, more;
    for (int lane = 0; lane < Bytes / 4; ++lane) factor[lane] = 0.999f, more[lane] = 0.001f;
    for (auto& sum : sums) sum = more;
    for (std::uint64_t round = 0; round < rounds; ++round)
        for (auto& sum : sums) {
            sum = sum * factor + more;
            asm volatile("" : "+x"(sum));
        }
    float out = 0;
    for (auto& sum : sums) out += sum[0];
    return out == 0 ? 0 : 10.0 * Bytes / 4 * static_cast<double>(rounds);
}
[[gnu::target("avx512f"), gnu::optimize("fp-contract=fast")]] double in_wide_registers(std::uint64_t rounds) {
    return add_and_multiply<64>(rounds);
}
[[gnu::target("avx2,fma"), gnu::optimize("fp-contract=fast")]] double in_registers(std::uint64_t rounds) {
    return add_and_multiply<32>(rounds);
}
#endif

/// Billions of multiply-adds of floats that all threads reach in a second.
double vector_peak(std::uint32_t threads) {
#if defined(__x86_64__)
    const auto run = __builtin_cpu_supports("avx512f") ? in_wide_registers : in_registers;
    constexpr std::uint64_t kRounds = 20'000'000;
    double best = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
        std::vector<double> done(threads);
        const auto start = std::chrono::steady_clock::now();
        {
            std::vector<std::jthread> workers;
            for (double& count : done) workers.emplace_back([&count, run] { count = run(kRounds); });
        }
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        best = std::max(best, std::accumulate(done.begin(), done.end(), 0.0) / seconds / 1e9);
    }
    return best;
#else
    return std::numeric_limits<double>::quiet_NaN();
#endif
}

void matmul(Runner& run) {
    constexpr int n = 512;
    std::vector<float> a(n * n), b(n * n);
    for (int i = 0; i < n * n; ++i) {
        a[static_cast<std::size_t>(i)] = static_cast<float>((i * 7) % 11 - 5);
        b[static_cast<std::size_t>(i)] = static_cast<float>((i * 13) % 17 - 8);
    }
    const auto pa = run.upload(a, "a"), pb = run.upload(b, "b"), pc = run.upload(a, "c");
    run.load("matmul");
    run.report(
        "matmul", [] {},
        [&] { run.launch("matmul", {n / 32, n / 32}, {32, 32}, Parameters().add(pa).add(pb).add(pc).add(n)); },
        [&] {
            const auto c = run.download<float>(pc, n * n);
            float sum = 0;
            for (std::size_t k = 0; k < n; ++k) sum += a[37 * n + k] * b[k * n + 91];
            return sum == c[37 * n + 91]; // small integers: exact in any order
        });
}

void saxpy(Runner& run) {
    constexpr std::uint32_t n = 1 << 22;
    std::vector<float> x(n), y(n, 1);
    for (std::uint32_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 7);
    const auto px = run.upload(x, "x"), py = run.upload(y, "y");
    run.load("saxpy");
    run.report(
        "saxpy", [] {},
        [&] { run.launch("saxpy", {n / 256}, {256}, Parameters().add(static_cast<int>(n)).add(2.0f).add(px).add(py)); },
        [&] {
            const auto out = run.download<float>(py, n);
            return out[7] == 1 && out[8] > 1;
        });
}

void histogram(Runner& run) {
    constexpr std::uint32_t n = 1 << 24;
    std::vector<std::uint8_t> values(n);
    for (std::uint32_t i = 0; i < n; ++i) values[i] = static_cast<std::uint8_t>((i * 2654435761u) >> 24);
    const auto px = run.upload(values, "values"), ph = run.upload(std::vector<std::uint32_t>(256), "counts");
    run.load("histogram");
    run.report(
        "hist", [] {},
        [&] { run.launch("histogram", {256}, {256}, Parameters().add(px).add(ph).add(static_cast<int>(n))); },
        [&] {
            std::uint64_t sum = 0;
            for (std::uint32_t count : run.download<std::uint32_t>(ph, 256)) sum += count;
            return sum % n == 0 && sum > 0;
        });
}

void reduction(Runner& run) {
    constexpr std::uint32_t n = 1 << 22;
    const auto px = run.upload(std::vector<float>(n, 0.5f), "x"), ps = run.upload(std::vector<float>(n / 256), "sums");
    run.load("reduction");
    run.report(
        "reduction", [] {},
        [&] { run.launch("reduction", {n / 256}, {256}, Parameters().add(px).add(ps).add(static_cast<int>(n))); },
        [&] { return run.download<float>(ps, n / 256)[77] == 128; });
}

void bitonic(Runner& run) {
    constexpr std::uint32_t n = 1 << 16;
    std::vector<int> data(n);
    for (std::uint32_t i = 0; i < n; ++i) data[i] = static_cast<int>(i * 2654435761u >> 3);
    device::Pointer pointer = 0;
    run.load("bitonic");
    run.report(
        "bitonic", [&] { pointer = run.upload(data, "data"); },
        [&] {
            for (std::uint32_t k = 2; k <= n; k <<= 1) {
                for (std::uint32_t j = k >> 1; j != 0; j >>= 1)
                    run.launch("bitonic", {n / 256}, {256}, Parameters().add(pointer).add(j).add(k));
            }
        },
        [&] {
            const auto sorted = run.download<int>(pointer, n);
            return std::is_sorted(sorted.begin(), sorted.end());
        });
}

void fma_loop(Runner& run) {
    constexpr std::uint32_t n = 64 * 256;
    const auto px = run.upload(std::vector<float>(n, 0.5f), "x"), py = run.upload(std::vector<float>(n), "y");
    run.load("fma");
    run.report(
        "fma", [] {}, [&] { run.launch("fma_loop", {64}, {256}, Parameters().add(256).add(0.25f).add(px).add(py)); },
        [&] { return run.download<float>(py, n)[0] != 0; });
}

} // namespace

int main(int count, char** arguments) {
    SimOptions options;
    int repeat = 5;
    auto checks = device::all_checks();
    for (int index = 1; index + 1 < count; index += 2) {
        const std::string_view name = arguments[index];
        if (name == "--threads") options.threads = static_cast<std::uint32_t>(std::atoi(arguments[index + 1]));
        if (name == "--repeat") repeat = std::max(std::atoi(arguments[index + 1]), 1);
        if (name == "--sanitize") checks = must(device::checks_from(arguments[index + 1]));
    }
    options.sampling_budget = ~std::uint64_t{0} >> 1; // counts are of whole grids
    const double peak = vector_peak(options.threads != 0 ? options.threads : std::thread::hardware_concurrency());
    fmt::print("peak {:.1f}\n", peak);
    Runner run(options, checks, peak, repeat);
    matmul(run);
    fma_loop(run);
    saxpy(run);
    histogram(run);
    reduction(run);
    bitonic(run);
    return 0;
}
