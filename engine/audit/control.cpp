#include "engine/audit/control.h"

#include <algorithm>

namespace kw::audit {
namespace {

using sim::ptx::Function;
using sim::ptx::Instruction;

constexpr std::size_t kMostBlocks = 4000;

struct Block {
    std::uint32_t begin = 0, end = 0; ///< instructions
    std::vector<std::uint32_t> next;  ///< blocks; the number of blocks stands for the exit
};

bool ends_block(const Instruction& instruction) {
    return instruction.opcode == "bra" || instruction.opcode == "brx" || leaves(instruction);
}

void targets_of(const Function& function, const Instruction& instruction, std::vector<std::uint32_t>& out) {
    for (const auto& operand : instruction.operands) {
        if (operand.kind == sim::ptx::OperandKind::label) out.push_back(operand.index);
        if (operand.kind == sim::ptx::OperandKind::table)
            out.insert(out.end(), function.tables[operand.index].targets.begin(),
                       function.tables[operand.index].targets.end());
    }
}

std::vector<Block> blocks_of(const Function& function, std::vector<std::uint32_t>& block_of) {
    const auto count = static_cast<std::uint32_t>(function.instructions.size());
    std::vector<bool> leader(count + 1);
    leader[0] = true;
    std::vector<std::uint32_t> targets;
    for (std::uint32_t at = 0; at < count; ++at) {
        if (!ends_block(function.instructions[at])) continue;
        leader[at + 1] = true;
        targets_of(function, function.instructions[at], targets);
    }
    for (const auto target : targets) leader[std::min(target, count)] = true;
    std::vector<Block> blocks;
    block_of.resize(count);
    for (std::uint32_t at = 0; at < count; ++at) {
        if (leader[at]) blocks.push_back({at, at, {}});
        blocks.back().end = at + 1;
        block_of[at] = static_cast<std::uint32_t>(blocks.size() - 1);
    }
    const auto exit = static_cast<std::uint32_t>(blocks.size());
    for (std::uint32_t index = 0; index < exit; ++index) {
        auto& block = blocks[index];
        const auto& last = function.instructions[block.end - 1];
        std::vector<std::uint32_t> to;
        targets_of(function, last, to);
        for (const auto target : to) block.next.push_back(target < count ? block_of[target] : exit);
        if (leaves(last)) block.next.push_back(exit);
        const bool falls = !ends_block(last) || last.guard >= 0;
        if (falls) block.next.push_back(index + 1 < exit ? index + 1 : exit);
    }
    return blocks;
}

/// Blocks of endless loops get a way out, as each needs one.
void connect_to_exit(std::vector<Block>& blocks) {
    const auto exit = static_cast<std::uint32_t>(blocks.size());
    std::vector<bool> reaches(exit + 1);
    reaches[exit] = true;
    for (;;) {
        for (bool grew = true; grew;) {
            grew = false;
            for (std::uint32_t index = exit; index-- > 0;)
                if (!reaches[index]
                    && std::ranges::any_of(blocks[index].next, [&](auto next) { return reaches[next]; }))
                    grew = reaches[index] = true;
        }
        const auto stuck = std::ranges::find(reaches, false);
        if (stuck == reaches.end()) return;
        blocks[static_cast<std::size_t>(stuck - reaches.begin())].next.push_back(exit);
    }
}

/// The immediate post-dominator of each block (Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", on the
/// reversed graph).
std::vector<std::uint32_t> immediate_post_dominators(const std::vector<Block>& blocks) {
    const auto exit = static_cast<std::uint32_t>(blocks.size());
    std::vector<std::vector<std::uint32_t>> before(exit + 1);
    for (std::uint32_t index = 0; index < exit; ++index)
        for (const auto next : blocks[index].next) before[next].push_back(index);
    std::vector<std::uint32_t> order, number(exit + 1, 0);
    std::vector<bool> seen(exit + 1);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{exit, 0}};
    seen[exit] = true;
    while (!stack.empty()) {
        auto& [node, at] = stack.back();
        if (at < before[node].size()) {
            const auto next = before[node][at++];
            if (seen[next]) continue;
            seen[next] = true;
            stack.emplace_back(next, 0);
        } else {
            number[node] = static_cast<std::uint32_t>(order.size());
            order.push_back(node);
            stack.pop_back();
        }
    }
    constexpr auto kNone = ~std::uint32_t{0};
    std::vector<std::uint32_t> parent(exit + 1, kNone);
    parent[exit] = exit;
    const auto meet = [&](std::uint32_t a, std::uint32_t b) {
        while (a != b) {
            while (number[a] < number[b]) a = parent[a];
            while (number[b] < number[a]) b = parent[b];
        }
        return a;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (auto node = order.rbegin(); node != order.rend(); ++node) {
            if (*node == exit) continue;
            std::uint32_t found = kNone;
            for (const auto next : blocks[*node].next)
                if (parent[next] != kNone) found = found == kNone ? next : meet(found, next);
            if (found == parent[*node]) continue;
            parent[*node] = found;
            changed = true;
        }
    }
    return parent;
}

} // namespace

bool leaves(const Instruction& instruction) {
    return instruction.opcode == "ret" || instruction.opcode == "exit" || instruction.opcode == "trap";
}

ControlFlow control_flow(const Function& function) {
    ControlFlow flow;
    if (function.instructions.empty()) return flow;
    auto blocks = blocks_of(function, flow.block_of);
    for (const auto& block : blocks)
        if (block.next.size() > 1) flow.branches.push_back(block.end - 1);
    flow.deciders.resize(blocks.size());
    flow.all_depends = blocks.size() > kMostBlocks;
    if (flow.all_depends) return flow;
    connect_to_exit(blocks);
    const auto parent = immediate_post_dominators(blocks);
    const auto exit = static_cast<std::uint32_t>(blocks.size());
    for (std::uint32_t index = 0; index < exit; ++index) {
        if (blocks[index].next.size() < 2) continue;
        for (const auto next : blocks[index].next)
            for (auto at = next; at != parent[index] && at != exit; at = parent[at])
                flow.deciders[at].push_back(blocks[index].end - 1);
    }
    return flow;
}

} // namespace kw::audit
