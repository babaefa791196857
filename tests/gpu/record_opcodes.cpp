// Runs the corpus of instructions and writes the bits:
//   record_opcodes record FILE [--device N]   on a GPU
//   record_opcodes compare FILE               the simulator against a recording
//   record_opcodes list FILE                  all kernels as one PTX file, for ptxas
#include "engine/base/file.h"
#include "engine/device/cuda/cuda_device.h"
#include "engine/device/sim/sim_device.h"
#include "tests/gpu/corpus.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

using namespace kw;

namespace {

int failed(const Error& error) {
    fmt::print(stderr, "{}\n", describe(error));
    return 3;
}

int record(const std::string& file, int index) {
    auto device = cuda::CudaDevice::open(index);
    if (!device) return failed(device.error());
    const device::Info& info = (*device)->info();
    corpus::Recording recording;
    recording.provenance = {{"gpu", info.name},
                            {"arch", info.arch},
                            {"driver", info.driver},
                            {"date", fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)))}};
    std::size_t refused = 0;
    for (const corpus::Form& form : corpus::forms()) {
        auto result = corpus::run(**device, form);
        if (!result) {
            ++refused;
            fmt::print("{}: {}\n", form.name, result.error().message);
            if ((*device)->lost()) return failed(result.error());
            continue;
        }
        recording.results.emplace_back(form.name, std::move(*result));
    }
    fmt::print("{} forms recorded on {}, {} refused\n", recording.results.size(), info.name, refused);
    if (auto written = write_file(file, corpus::to_text(recording)); !written) return failed(written.error());
    return 0;
}

int compare(const std::string& file) {
    auto text = read_file(file, std::size_t{64} << 20);
    if (!text) return failed(text.error());
    auto recording = corpus::from_text(*text);
    if (!recording) return failed(recording.error());
    auto device = sim::open_simulator(sim::gpu_models().front());
    if (!device) return failed(device.error());
    std::size_t same = 0, different = 0;
    for (const corpus::Form& form : corpus::forms()) {
        const auto known = std::find_if(recording->results.begin(), recording->results.end(),
                                        [&](const auto& entry) { return entry.first == form.name; });
        auto result = corpus::run(**device, form);
        if (!result) {
            fmt::print("{}: {}\n", form.name, result.error().message);
            ++different;
            continue;
        }
        if (known == recording->results.end()) continue;
        const auto found = corpus::differences(form, known->second, *result);
        (found.empty() ? same : different) += 1;
        for (std::size_t index = 0; index < std::min<std::size_t>(found.size(), 3); ++index)
            fmt::print("{}{}\n", found[index],
                       index == 0 ? fmt::format("   [{} of {}]", found.size(), corpus::kRows) : "");
    }
    fmt::print("{} forms agree, {} do not\n", same, different);
    return different == 0 ? 0 : 1;
}

int list(const std::string& file) {
    std::string text = corpus::header();
    std::size_t number = 0;
    for (const corpus::Form& form : corpus::forms())
        text += fmt::format("// {}\n", form.name) + corpus::kernel_text(form, fmt::format("k{}", number++));
    if (auto written = write_file(file, text); !written) return failed(written.error());
    return 0;
}

} // namespace

int main(int count, char** arguments) {
    const std::string_view mode = count > 2 ? arguments[1] : "";
    if (mode == "record")
        return record(arguments[2],
                      count > 4 && std::string_view(arguments[3]) == "--device" ? std::atoi(arguments[4]) : 0);
    if (mode == "compare") return compare(arguments[2]);
    if (mode == "list") return list(arguments[2]);
    fmt::print(stderr, "usage: record_opcodes record|compare|list FILE [--device N]\n");
    return 2;
}
