#include "engine/worker/output_store.h"

#include "engine/base/json_error.h"
#include "engine/base/json_integer.h"
#include "engine/verify/output_json.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <utility>

namespace kw::worker {
namespace {

constexpr std::size_t kMostKept = 2;

std::unexpected<Error> system_error(std::string_view what) {
    return fail(Stage::environment, ErrorCode::internal, fmt::format("{}: {}", what, std::strerror(errno)));
}

std::unexpected<Error> malformed(std::string_view method, const std::exception& error) {
    return fail(Stage::rpc, ErrorCode::invalid_input,
                fmt::format("malformed parameters of '{}': {}", method, what_is_wrong(error)));
}

std::optional<task::Tolerance> tolerance_in(const Json& params) {
    const auto member = params.find("tolerance");
    if (member == params.end() || member->is_null()) return std::nullopt;
    return verify::tolerance_from_json(*member);
}

} // namespace

Result<std::shared_ptr<SharedFile>> SharedFile::create() {
    std::error_code error;
    const auto folder = std::filesystem::temp_directory_path(error);
    auto file = std::shared_ptr<SharedFile>(new SharedFile);
    file->file_ = Descriptor{::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
    // Not every file system has files without names; memory has.
    if (!file->file_) file->file_ = Descriptor{::memfd_create("outputs", MFD_CLOEXEC)};
    if (!file->file_) return system_error("no file can be made to keep outputs in");
    file->path_ = fmt::format("/proc/{}/fd/{}", ::getpid(), file->file_.get());
    return file;
}

SharedFile::~SharedFile() {
    if (memory_) ::munmap(const_cast<std::byte*>(memory_), bytes_);
}

Result<std::span<const std::byte>> SharedFile::map() {
    if (memory_) return std::span{memory_, bytes_};
    struct stat status{};
    if (::fstat(file_.get(), &status) != 0) return system_error("the kept outputs cannot be read");
    bytes_ = static_cast<std::size_t>(status.st_size);
    if (bytes_ == 0) return std::span<const std::byte>{};
    void* memory = ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file_.get(), 0);
    if (memory == MAP_FAILED) return system_error("the kept outputs cannot be mapped");
    memory_ = static_cast<const std::byte*>(memory);
    return std::span{memory_, bytes_};
}

std::uint64_t OutputStore::random_start() {
    // All that follow stay below 2^53 too: numbers in JSON are exact so far, whoever reads them.
    std::random_device device;
    return std::uniform_int_distribution<std::uint64_t>{1, std::uint64_t{1} << 52}(device);
}

Result<std::shared_ptr<const KeptOutputs>> OutputStore::keep(pipeline::Job job, const pipeline::StoredOutputs& stored,
                                                             std::shared_ptr<SharedFile> file) {
    const auto bytes = file->map();
    if (!bytes) return std::unexpected(bytes.error());
    auto kept = std::make_shared<KeptOutputs>();
    for (const auto& tensor : stored.tensors) {
        const auto inside = [&](std::uint64_t at) { return at <= bytes->size() && tensor.bytes <= bytes->size() - at; };
        const std::uint64_t elements = verify::map_shape(tensor.shape).elements;
        if (!inside(tensor.expected_at) || !inside(tensor.actual_at)
            || elements != tensor.bytes / task::size_of(tensor.type))
            return fail(Stage::rpc, ErrorCode::internal,
                        fmt::format("the process that runs kernels did not keep all of {}", tensor.name));
        kept->tensors.push_back(std::make_shared<verify::Inspection>(
            file, bytes->subspan(tensor.expected_at, tensor.bytes), bytes->subspan(tensor.actual_at, tensor.bytes),
            verify::TensorOutput{.name = tensor.name,
                                 .type = tensor.type,
                                 .shape = tensor.shape,
                                 .map = {},
                                 .tolerance = tensor.tolerance,
                                 .comparison = {}}));
    }
    kept->job = std::move(job);
    kept->stored = stored.tensors;
    const std::scoped_lock lock{mutex_};
    kept->handle = ++last_handle_;
    kept_.push_front(kept);
    if (kept_.size() > kMostKept) kept_.pop_back();
    return kept;
}

Result<std::shared_ptr<const KeptOutputs>> OutputStore::find(const Json& params) {
    const auto handle = integer_from_json<std::uint64_t>(params.at("handle"));
    const std::scoped_lock lock{mutex_};
    const auto found = std::ranges::find(kept_, handle, &KeptOutputs::handle);
    if (found == kept_.end())
        return fail(Stage::rpc, ErrorCode::not_found,
                    fmt::format("outputs {} are no longer kept; ask for them again", handle));
    auto kept = *found;
    kept_.erase(found);
    kept_.push_front(kept);
    return kept;
}

Result<OutputStore::Tensor> OutputStore::find_tensor(const Json& params) {
    auto kept = find(params);
    if (!kept) return std::unexpected(std::move(kept.error()));
    const auto& wanted = params.at("tensor");
    const auto& stored = (*kept)->stored;
    std::size_t index = 0;
    if (wanted.is_string()) {
        const auto name = wanted.get<std::string>();
        index =
            static_cast<std::size_t>(std::ranges::find(stored, name, &pipeline::StoredTensor::name) - stored.begin());
    } else {
        index = integer_from_json<std::size_t>(wanted);
    }
    if (index < stored.size()) return Tensor{std::move(*kept), index};
    return fail(Stage::rpc, ErrorCode::not_found,
                fmt::format("the outputs hold {} tensors, and none is {}", stored.size(), wanted.dump()));
}

Result<Json> OutputStore::region(const Json& params) try {
    const auto tensor = find_tensor(params);
    if (!tensor) return std::unexpected(tensor.error());
    const auto region = verify::region_from_json(params);
    const auto what = params.value("what", "cells");
    if (what == "values") {
        const auto values = tensor->values().values(region);
        return values ? Result<Json>{verify::to_json(*values)} : std::unexpected(values.error());
    }
    if (what != "cells")
        return fail(Stage::rpc, ErrorCode::invalid_input,
                    fmt::format("'{}' cannot be asked of a region; use cells or values", what));
    verify::CellQuery query{.tensor = tensor->index, .region = region, .tolerance = tolerance_in(params)};
    if (const auto step = params.find("step"); step != params.end()) {
        query.row_step = integer_from_json<std::uint64_t>(step->at(0));
        query.column_step = integer_from_json<std::uint64_t>(step->at(1));
    }
    const auto cells = tensor->values().cells(query);
    return cells ? Result<Json>{verify::to_json(*cells)} : std::unexpected(cells.error());
} catch (const Json::exception& error) {
    return malformed("outputs/region", error);
} catch (const std::invalid_argument& error) {
    return malformed("outputs/region", error);
}

Result<Json> OutputStore::histogram(const Json& params) try {
    const auto tensor = find_tensor(params);
    if (!tensor) return std::unexpected(tensor.error());
    return verify::to_json(tensor->values().histogram());
} catch (const Json::exception& error) {
    return malformed("outputs/histogram", error);
}

Result<Json> OutputStore::tolerance(const Json& params) try {
    const auto tensor = find_tensor(params);
    if (!tensor) return std::unexpected(tensor.error());
    const auto mismatches = tensor->values().mismatches(verify::tolerance_from_json(params));
    if (!mismatches) return std::unexpected(mismatches.error());
    return Json{{"elements", tensor->values().tensor().map.elements}, {"mismatches", *mismatches}};
} catch (const Json::exception& error) {
    return malformed("outputs/tolerance", error);
}

Result<Json> OutputStore::next(const Json& params) try {
    const auto tensor = find_tensor(params);
    if (!tensor) return std::unexpected(tensor.error());
    const auto found = tensor->values().next_mismatch(integer_from_json<std::uint64_t>(params.at("index")),
                                                      params.value("forward", true), tolerance_in(params));
    if (!found) return std::unexpected(found.error());
    return Json{{"index", *found ? Json(**found) : Json()}};
} catch (const Json::exception& error) {
    return malformed("outputs/next", error);
}

Result<Json> OutputStore::release(const Json& params) try {
    const auto handle = integer_from_json<std::uint64_t>(params.at("handle"));
    const std::scoped_lock lock{mutex_};
    std::erase_if(kept_, [handle](const auto& kept) { return kept->handle == handle; });
    return Json::object();
} catch (const Json::exception& error) {
    return malformed("outputs/release", error);
}

Result<OutputStore::Element> OutputStore::element(const Json& params) try {
    const auto tensor = find_tensor(params);
    if (!tensor) return std::unexpected(tensor.error());
    const auto index = integer_from_json<std::uint64_t>(params.at("index"));
    const auto& map = tensor->values().tensor().map;
    if (index >= map.elements)
        return fail(Stage::rpc, ErrorCode::invalid_input,
                    fmt::format("{} has {} elements, so there is none at {}", tensor->values().tensor().name,
                                map.elements, index));
    const std::uint64_t row = index / map.columns, column = index % map.columns;
    auto value = tensor->values().values({row, row + 1, column, column + 1});
    if (!value) return std::unexpected(std::move(value.error()));
    Element element{.job = tensor->kept->job, .tensor = tensor->values().tensor().name};
    element.job.kind = pipeline::Job::Kind::writers;
    element.job.reference.reset(); // what it costs to send is saved
    element.job.inspect.tensor = tensor->kept->stored[tensor->index].index;
    element.job.inspect.element = index;
    element.job.inspect.actual = std::move(value->actual);
    return element;
} catch (const Json::exception& error) {
    return malformed("outputs/writers", error);
}

} // namespace kw::worker
