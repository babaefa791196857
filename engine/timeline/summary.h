#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Levels of detail over things that are sorted by time, so that drawing costs as much as there are pixels, not as much
/// as there are things.
namespace kw::timeline {

using Ns = std::int64_t;
/// Numbers events across the whole store: lane by lane, row by row, by time.
using EventId = std::uint32_t;
inline constexpr EventId kNoEvent = UINT32_MAX;

/// What 8, 64, 512 … consecutive events of a row amount to.
struct RowNode {
    Ns begin = 0;
    Ns end = 0;
    EventId longest = kNoEvent; ///< whose colour stands for all
    std::uint32_t name = 0;     ///< of the longest; here, because a look into the column costs more than all the rest
    float longest_ns = -1;
    float busy_ns = 0; ///< sum of durations; events of a row do not overlap
};

/// Consecutive samples of a counter.
struct SampleNode {
    Ns begin = 0;
    double least = 0;
    double most = 0;
};

/// A pyramid: level 0 has a node per kFanOut things, each further level one per kFanOut nodes of the one below. Nodes
/// at the end may cover fewer. There are as many levels as have two nodes or more.
template<class Node> class Pyramid {
public:
    static constexpr std::size_t kShift = 3;
    static constexpr std::size_t kFanOut = std::size_t{1} << kShift;

    /// `make(begin, end)` gives the node of things [begin, end); `join(nodes)` that of consecutive nodes.
    template<class Make, class Join> void build(std::size_t things, const Make& make, const Join& join) {
        nodes_.clear();
        levels_.clear();
        std::size_t count = (things + kFanOut - 1) / kFanOut;
        if (count < 2) return;
        std::size_t total = 0;
        for (std::size_t n = count; n >= 2; n = (n + kFanOut - 1) / kFanOut) total += n;
        nodes_.reserve(total);
        levels_.push_back(0);
        for (std::size_t i = 0; i < things; i += kFanOut) nodes_.push_back(make(i, std::min(things, i + kFanOut)));
        while ((count + kFanOut - 1) / kFanOut >= 2) {
            const std::size_t below = levels_.back();
            levels_.push_back(nodes_.size());
            for (std::size_t i = 0; i < count; i += kFanOut)
                nodes_.push_back(join(std::span<const Node>(nodes_.data() + below + i, std::min(kFanOut, count - i))));
            count = (count + kFanOut - 1) / kFanOut;
        }
    }

    [[nodiscard]] std::size_t levels() const { return levels_.size(); }
    [[nodiscard]] std::size_t size(std::size_t level) const {
        return (level + 1 < levels_.size() ? levels_[level + 1] : nodes_.size()) - levels_[level];
    }
    [[nodiscard]] const Node& node(std::size_t level, std::size_t index) const {
        return nodes_[levels_[level] + index];
    }
    [[nodiscard]] std::uint64_t memory_bytes() const {
        return nodes_.capacity() * sizeof(Node) + levels_.capacity() * sizeof levels_[0];
    }

private:
    std::vector<Node> nodes_;
    std::vector<std::size_t> levels_; ///< where each begins in nodes_
};

} // namespace kw::timeline
