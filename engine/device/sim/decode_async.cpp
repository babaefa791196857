// Rules for mbarriers, bulk copies and addresses within a cluster.
#include "engine/device/sim/decoder_impl.h"

#include <fmt/format.h>

#include <algorithm>

namespace kw::sim {
namespace {

Space take_barrier_space(Modifiers& modifiers) {
    const bool shared = modifiers.take("shared") || modifiers.take("shared::cta") || modifiers.take("shared::cluster");
    return shared ? Space::shared : Space::generic;
}

} // namespace

Result<std::uint32_t> FunctionDecoder::whole_address(std::size_t index) {
    auto base = address(operand(index));
    if (!base) return std::unexpected(base.error());
    if (base->value == kNoValue) return constant(RowClass::w64, static_cast<std::uint64_t>(base->offset));
    std::uint32_t value = base->value;
    if (values[value].row == RowClass::w32) {
        Instr widen = make(Op::cvt, Type::u64);
        widen.type2 = Type::u32;
        widen.dst = {temporary(RowClass::w64)};
        widen.src = {value};
        value = widen.dst[0];
        push(std::move(widen));
    }
    if (base->offset != 0) {
        Instr sum = make(Op::add, Type::u64);
        sum.dst = {temporary(RowClass::w64)};
        sum.src = {value, constant(RowClass::w64, static_cast<std::uint64_t>(base->offset))};
        value = sum.dst[0];
        push(std::move(sum));
    }
    return value;
}

/// operands of the result: dst[0] state or predicate; src[0] address, src[1] count, bytes, token or parity.
Result<void> FunctionDecoder::rule_mbarrier() {
    Modifiers modifiers(*source_);
    if (modifiers.take("pending_count")) {
        if (modifiers.take_last_type() != Type::b64) return unsupported("its type must be b64");
        if (auto checked = finish(modifiers); !checked) return checked;
        if (auto counted = need(2, 2); !counted) return counted;
        Instr instr = make(Op::mbarrier, Type::b64);
        instr.mode = static_cast<std::uint8_t>(MbarrierOp::pending_count);
        if (auto written = destination(instr, 0, Type::u32); !written) return written;
        instr.src.push_back(kNoValue);
        if (auto taken = source(instr, 1, Type::b64); !taken) return taken;
        push(std::move(instr));
        return {};
    }
    const bool test = modifiers.take("test_wait") || modifiers.take("try_wait");
    const bool arrive = modifiers.take("arrive"), drop = modifiers.take("arrive_drop");
    const bool expect = modifiers.take("expect_tx"), complete = modifiers.take("complete_tx");
    const bool init = modifiers.take("init"), inval = modifiers.take("inval");
    const bool no_complete = modifiers.take("noComplete"), parity = modifiers.take("parity");
    modifiers.drop({"release", "relaxed", "acquire", "cta", "cluster"});
    const Space space = take_barrier_space(modifiers);
    if (modifiers.take_last_type() != Type::b64) return unsupported("its type must be b64");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (arrive + drop + test + init + inval > 1 || arrive + drop + test + init + inval + expect + complete == 0)
        return unsupported("its kind is not known");
    MbarrierOp kind = MbarrierOp::init;
    if (test)
        kind = parity ? MbarrierOp::test_parity : MbarrierOp::test_token;
    else if (arrive)
        kind = expect        ? MbarrierOp::arrive_expect_tx
               : no_complete ? MbarrierOp::arrive_no_complete
                             : MbarrierOp::arrive;
    else if (drop)
        kind = expect ? MbarrierOp::arrive_drop_expect_tx : MbarrierOp::arrive_drop;
    else if (expect)
        kind = MbarrierOp::expect_tx;
    else if (complete)
        kind = MbarrierOp::complete_tx;
    else if (inval)
        kind = MbarrierOp::inval;
    Instr instr = make(Op::mbarrier, Type::b64);
    instr.mode = static_cast<std::uint8_t>(kind);
    instr.space = space;
    const std::size_t count = source_->operands.size();
    std::size_t at = 0;
    if (test) {
        if (auto counted = need(3, 4); !counted) return counted;
        if (auto written = destination(instr, 0, Type::pred); !written) return written;
        at = 1;
    } else if (arrive || drop) {
        if (auto counted = need(2, 3); !counted) return counted;
        if (auto written = destination(instr, 0, Type::b64); !written) return written;
        at = 1;
    } else if (auto counted = need(inval ? 1 : 2, inval ? 1 : 2); !counted) {
        return counted;
    }
    auto place = whole_address(at++);
    if (!place) return std::unexpected(place.error());
    instr.src.push_back(*place);
    if (at < count) {
        if (auto taken = source(instr, at, kind == MbarrierOp::test_token ? Type::b64 : Type::u32); !taken)
            return taken;
    } else {
        instr.src.push_back(constant(RowClass::w32, 1));
    }
    push(std::move(instr));
    return {};
}

/// Copies are complete when they have run: without .noinc the barrier is as it was, with it the thread arrives.
Result<void> FunctionDecoder::rule_copies_arrive(Modifiers modifiers) {
    if (!modifiers.take("arrive")) return unsupported("its kind is not known");
    const bool arrives = modifiers.take("noinc");
    const Space space = take_barrier_space(modifiers);
    if (modifiers.take_last_type() != Type::b64) return unsupported("its type must be b64");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(1, 1); !counted) return counted;
    if (!arrives) {
        Instr wait = make(Op::cp_async_wait, Type::none);
        wait.mode = 3;
        push(std::move(wait));
        return {};
    }
    Instr instr = make(Op::mbarrier, Type::b64);
    instr.mode = static_cast<std::uint8_t>(MbarrierOp::arrive);
    instr.space = space;
    instr.dst.push_back(kNoValue);
    auto place = whole_address(0);
    if (!place) return std::unexpected(place.error());
    instr.src = {*place, constant(RowClass::w32, 1)};
    instr.target = 1; // the thread's copies are complete
    push(std::move(instr));
    return {};
}

/// src: destination, source, bytes, barrier or none, mask of the cluster's blocks or none.
Result<void> FunctionDecoder::rule_bulk(Modifiers modifiers) {
    if (modifiers.has("tensor")) return unsupported("copies by tensor maps are not implemented");
    if (modifiers.take("commit_group") || modifiers.take("wait_group")) {
        modifiers.take("read");
        if (auto checked = finish(modifiers); !checked) return checked;
        push(make(Op::cp_async_wait, Type::none));
        return {};
    }
    if (modifiers.take("prefetch")) {
        modifiers.drop({"L2", "global", "L2::cache_hint"});
        if (auto checked = finish(modifiers); !checked) return checked;
        push(make(Op::prefetch, Type::none));
        return {};
    }
    const bool group = modifiers.take("bulk_group");
    const bool barrier = modifiers.take("mbarrier::complete_tx::bytes");
    const bool multicast = modifiers.take("multicast::cluster");
    const bool hinted = modifiers.take("L2::cache_hint");
    if (modifiers.left().size() != 2 || group == barrier) return unsupported("its spaces are not known");
    const std::string_view to = modifiers.left()[0], from = modifiers.left()[1];
    Instr instr = make(Op::bulk_copy, Type::b8);
    if ((to == "shared::cluster" || to == "shared::cta") && from == "global" && barrier)
        instr.mode = static_cast<std::uint8_t>(BulkCopy::global_to_shared);
    else if (to == "shared::cluster" && from == "shared::cta" && barrier)
        instr.mode = static_cast<std::uint8_t>(BulkCopy::shared_to_cluster);
    else if (to == "global" && from == "shared::cta" && group)
        instr.mode = static_cast<std::uint8_t>(BulkCopy::shared_to_global);
    else
        return unsupported("its spaces are not known");
    const std::size_t count = 3u + (barrier ? 1u : 0u) + (multicast ? 1u : 0u) + (hinted ? 1u : 0u);
    if (auto counted = need(count, count); !counted) return counted;
    std::vector<std::uint32_t> sources;
    for (std::size_t index = 0; index < 2; ++index) {
        auto place = whole_address(index);
        if (!place) return std::unexpected(place.error());
        sources.push_back(*place);
    }
    auto bytes = read(2, Type::u32);
    if (!bytes) return std::unexpected(bytes.error());
    sources.push_back(*bytes);
    if (barrier) {
        auto place = whole_address(3);
        if (!place) return std::unexpected(place.error());
        sources.push_back(*place);
    } else {
        sources.push_back(kNoValue);
    }
    if (multicast) {
        auto mask = read(4, Type::b16);
        if (!mask) return std::unexpected(mask.error());
        sources.push_back(*mask);
    } else {
        sources.push_back(kNoValue);
    }
    instr.src = std::move(sources);
    push(std::move(instr));
    return {};
}

/// mapa and getctarank; `mode` 1: generic addresses.
Result<void> FunctionDecoder::rule_mapa() {
    Modifiers modifiers(*source_);
    const bool maps = source_->opcode == "mapa";
    const bool generic = !modifiers.take("shared::cluster");
    const auto type = modifiers.take_last_type();
    if (type != Type::u32 && type != Type::u64) return unsupported("its type must be u32 or u64");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(maps ? 3 : 2, maps ? 3 : 2); !counted) return counted;
    Instr instr = make(maps ? Op::mapa : Op::cluster_rank_of, *type);
    instr.mode = generic ? 1 : 0;
    if (auto written = destination(instr, 0, maps ? *type : Type::u32); !written) return written;
    if (auto taken = source(instr, 1, *type); !taken) return taken;
    if (maps) {
        if (auto taken = source(instr, 2, Type::u32); !taken) return taken;
    }
    push(std::move(instr));
    return {};
}

} // namespace kw::sim
