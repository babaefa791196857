#include "engine/task/task.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

/// The input is a task.toml in a folder that has the files it may name. A task that parses has at least one case and
/// one output.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const kw::task::Files kFolder{
        {"k.cu", ""}, {"reference.cu", ""}, {"baseline.cu", ""}, {"x.npy", "not an array"}};
    kw::task::Files files = kFolder;
    files["task.toml"] = std::string(reinterpret_cast<const char*>(data), size);
    const auto task = kw::task::parse_task(files);
    if (!task) {
        if (task.error().message.empty() || task.error().where.file.empty()) std::abort();
        return 0;
    }
    if (task->cases.empty() || task->tensors.empty() || task->baselines.empty()) std::abort();
    return 0;
}
