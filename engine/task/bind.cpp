#include "engine/base/suggest.h"
#include "engine/task/directive_parser.h"
#include "engine/task/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace kw::task {
namespace {

/// The largest cluster that every device with clusters accepts: CUDA C++ Programming Guide, "Thread Block Clusters".
constexpr std::uint64_t kMostClusterBlocks = 8;

std::unexpected<Error> bad(std::string message, Where where) {
    return fail(Stage::task, ErrorCode::invalid_input, std::move(message), std::move(where));
}

std::string bytes_text(std::uint64_t bytes) {
    constexpr std::array<std::pair<double, const char*>, 5> kUnits{
        {{1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}}};
    for (const auto& [unit, name] : kUnits)
        if (static_cast<double>(bytes) >= unit)
            return fmt::format("{:.1f} {}", static_cast<double>(bytes) / unit, name);
    return fmt::format("{} bytes", bytes);
}

class Binder {
public:
    Binder(const Plan& plan, const Task& task, const Sizes& sizes, const device::Limits& limits)
        : plan_(plan), task_(task), sizes_(sizes), limits_(limits) {}

    Result<BoundPlan> run(const Sizes& configuration) {
        configuration_ = plan_.defaults();
        for (const auto& [name, value] : configuration) {
            if (!configuration_.contains(name)) {
                std::vector<std::string> known;
                for (const auto& tunable : plan_.tunables) known.push_back(tunable.name);
                return fail(Stage::usage, ErrorCode::invalid_input,
                            fmt::format("the plan has no tunable '{}'{}", name, did_you_mean(name, known)),
                            {plan_.launches.front().where.file});
            }
            configuration_[name] = value;
        }
        names_ = sizes_;
        names_.insert(configuration_.begin(), configuration_.end());
        for (const auto& tensor : task_.tensors)
            if (auto added = add(tensor.name, tensor.type, tensor.shape, tensor.where); !added)
                return std::unexpected(added.error());
        for (const auto& scratch : plan_.scratch)
            if (auto added = add(scratch.name, scratch.type, scratch.shape, scratch.where); !added)
                return std::unexpected(added.error());
        for (const auto& launch : plan_.launches) {
            auto bound = bind_launch(launch);
            if (!bound) return std::unexpected(bound.error());
            result_.launches.push_back(std::move(*bound));
        }
        return std::move(result_);
    }

private:
    Result<void> add(const std::string& name, ScalarType type, const std::vector<Expression>& shape,
                     const Where& where) {
        auto extent = extent_of(shape, type, name, names_);
        if (!extent) return std::unexpected(extent.error());
        const bool overflow = __builtin_add_overflow(result_.bytes, extent->bytes, &result_.bytes);
        if (overflow || (limits_.memory_bytes > 0 && result_.bytes > limits_.memory_bytes))
            return bad(fmt::format("'{}' at {} brings the buffers to {}, the device has {}; use smaller sizes", name,
                                   sizes_text(sizes_), overflow ? "more than 2^64 bytes" : bytes_text(result_.bytes),
                                   bytes_text(limits_.memory_bytes)),
                       where);
        result_.buffers.push_back({name, type, std::move(extent->shape), extent->elements, extent->bytes});
        return {};
    }

    /// Evaluates one to three extents of a grid, block or cluster and checks each against its limit.
    [[nodiscard]] Result<device::Dim3> extents(const std::vector<Expression>& list, std::string_view what,
                                               const device::Dim3& most) const {
        device::Dim3 result;
        const std::array<std::uint32_t*, 3> out{&result.x, &result.y, &result.z};
        const std::array<std::uint32_t, 3> limit{most.x, most.y, most.z};
        constexpr std::array<char, 3> kAxis{'x', 'y', 'z'};
        for (std::size_t i = 0; i < list.size(); ++i) {
            auto value = list[i].evaluate(names_);
            if (!value) return std::unexpected(value.error());
            if (*value < 1)
                return bad(fmt::format("{}.{} is {} ('{}' at {}); it must be at least 1", what, kAxis[i], *value,
                                       list[i].text(), sizes_text(names_)),
                           list[i].where());
            if (*value > limit[i])
                return bad(fmt::format("{}.{} is {} ('{}' at {}); the limit is {}", what, kAxis[i], *value,
                                       list[i].text(), sizes_text(names_), limit[i]),
                           list[i].where());
            *out[i] = static_cast<std::uint32_t>(*value);
        }
        return result;
    }

    [[nodiscard]] Result<device::LaunchConfig> configure(const Launch& launch) const {
        device::LaunchConfig config;
        auto grid = extents(launch.grid, "grid", limits_.max_grid);
        if (!grid) return std::unexpected(grid.error());
        auto block = extents(launch.block, "block", limits_.max_block);
        if (!block) return std::unexpected(block.error());
        auto cluster = extents(launch.cluster, "cluster", *grid);
        if (!cluster) return std::unexpected(cluster.error());
        if (block->count() > limits_.max_threads_per_block)
            return bad(fmt::format("the block has {} threads ({}x{}x{}); the limit is {}", block->count(), block->x,
                                   block->y, block->z, limits_.max_threads_per_block),
                       launch.block.front().where());
        if (cluster->count() > kMostClusterBlocks)
            return bad(fmt::format("the cluster has {} blocks; the limit is {}", cluster->count(), kMostClusterBlocks),
                       launch.cluster.front().where());
        if (grid->x % cluster->x != 0 || grid->y % cluster->y != 0 || grid->z % cluster->z != 0)
            return bad(fmt::format("the cluster {}x{}x{} does not divide the grid {}x{}x{}", cluster->x, cluster->y,
                                   cluster->z, grid->x, grid->y, grid->z),
                       launch.cluster.front().where());
        auto shared = launch.shared.evaluate(names_);
        if (!shared) return std::unexpected(shared.error());
        if (*shared < 0)
            return bad(fmt::format("the dynamic shared memory is {} bytes; it cannot be negative", *shared),
                       launch.shared.where());
        if (*shared > static_cast<std::int64_t>(limits_.max_shared_bytes_optin))
            return bad(fmt::format(
                           "the launch asks for {} bytes of dynamic shared memory; the device has at most {} per block",
                           *shared, limits_.max_shared_bytes_optin),
                       launch.shared.where());
        config.grid = *grid;
        config.block = *block;
        config.cluster = *cluster;
        config.dynamic_shared_bytes = static_cast<std::uint32_t>(*shared);
        config.cooperative = launch.cooperative;
        return config;
    }

    [[nodiscard]] Result<BoundArgument> bind_argument(const Argument& argument) const {
        BoundArgument bound;
        bound.text = argument.text;
        bound.where = argument.where;
        switch (argument.kind) {
        case Argument::Kind::buffer:
            bound.kind = BoundArgument::Kind::buffer;
            bound.buffer = static_cast<std::size_t>(std::ranges::find(result_.buffers, argument.text, &Buffer::name)
                                                    - result_.buffers.begin());
            return bound;
        case Argument::Kind::scalar: {
            const auto& value = task_.scalars.find(argument.text)->second.value;
            if (const auto* integer = std::get_if<std::int64_t>(&value)) {
                bound.integer = *integer;
            } else {
                bound.kind = BoundArgument::Kind::floating;
                bound.floating = std::get<double>(value);
            }
            return bound;
        }
        case Argument::Kind::floating:
            bound.kind = BoundArgument::Kind::floating;
            bound.floating = argument.floating;
            return bound;
        case Argument::Kind::expression: break;
        }
        auto value = argument.expression.evaluate(names_);
        if (!value) return std::unexpected(value.error());
        bound.integer = *value;
        return bound;
    }

    [[nodiscard]] Result<BoundLaunch> bind_launch(const Launch& launch) const {
        BoundLaunch bound;
        bound.kernel = kernel_name(launch, configuration_);
        bound.where = launch.where;
        auto config = configure(launch);
        if (!config) return std::unexpected(config.error());
        bound.config = *config;
        for (const auto& argument : launch.arguments) {
            auto one = bind_argument(argument);
            if (!one) return std::unexpected(one.error());
            bound.arguments.push_back(std::move(*one));
        }
        return bound;
    }

    const Plan& plan_;
    const Task& task_;
    const Sizes& sizes_;
    const device::Limits& limits_;
    Sizes configuration_;
    Sizes names_;
    BoundPlan result_;
};

} // namespace

Result<BoundPlan> bind(const Plan& plan, const Task& task, const Sizes& sizes, const Sizes& configuration,
                       const device::Limits& limits) {
    return Binder(plan, task, sizes, limits).run(configuration);
}

} // namespace kw::task
