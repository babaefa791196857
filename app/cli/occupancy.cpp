#include "app/cli/occupancy.h"

#include "engine/device/device.h"
#include "engine/device/sim/occupancy.h"
#include "engine/profile/roofline.h"
#include "engine/report/commands.h"
#include "engine/report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kw::cli {
namespace {

Result<SmOf> ask(const std::string& wanted, const std::function<Result<Json>()>& devices) {
    const auto listed = devices();
    if (!listed) return std::unexpected(listed.error());
    try {
        for (const auto& item : listed->at("devices")) {
            const auto info = device::info_from_json(item);
            if (info.id != wanted) continue;
            const auto limits = profile::sm_limits_of(info);
            if (limits.warps == 0)
                return fail(Stage::usage, ErrorCode::unsupported,
                            fmt::format("what an SM of {} ({}) holds is not known", info.name, info.arch));
            return SmOf{info.name, limits};
        }
    } catch (const Json::exception& error) {
        return fail(Stage::rpc, ErrorCode::internal,
                    fmt::format("the worker's list of devices is malformed: {}", error.what()));
    }
    return fail(Stage::usage, ErrorCode::not_found,
                fmt::format("there is no device {}; `kw devices` lists them, and --device also takes an architecture "
                            "such as sm_90",
                            wanted));
}

/// What no launch can have is no occupancy of 0 but a mistake.
Result<void> check(const OccupancyArguments& a, const SmOf& sm) {
    const auto refuse = [&](const char* option, std::uint64_t asked, std::uint64_t most, const char* what) {
        return fail(Stage::usage, ErrorCode::invalid_input,
                    fmt::format("{} {} is more than {} has {}: at most {}", option, asked, sm.name, what, most));
    };
    const auto& limits = sm.limits;
    if (a.block > limits.threads_per_block) return refuse("--block", a.block, limits.threads_per_block, "in a block");
    if (a.registers > limits.registers_per_thread)
        return refuse("--registers", a.registers, limits.registers_per_thread, "for a thread");
    if (a.shared > limits.shared_per_block) return refuse("--shared", a.shared, limits.shared_per_block, "for a block");
    return {};
}

Json curve_json(const device::OccupancyCurve& curve) { return {{"at", curve.at}, {"occupancy", curve.fraction}}; }

Json json_of(const OccupancyArguments& a, const SmOf& sm) {
    const auto fit = device::occupancy(sm.limits, a.block, a.registers, a.shared);
    Json allowed = Json::object();
    for (const auto limiter : device::kLimiters) {
        const auto blocks = fit.allowed_by(limiter);
        allowed[std::string{to_string(limiter)}] = blocks == UINT32_MAX ? Json{} : Json(blocks);
    }
    return {{"device", sm.name},
            {"block", a.block},
            {"registers", a.registers},
            {"shared_bytes", a.shared},
            {"limits",
             {{"warps", sm.limits.warps},
              {"blocks", sm.limits.blocks},
              {"registers", sm.limits.registers},
              {"shared_bytes", sm.limits.shared_bytes},
              {"shared_bytes_per_block", sm.limits.shared_per_block},
              {"threads_per_block", sm.limits.threads_per_block},
              {"registers_per_thread", sm.limits.registers_per_thread}}},
            {"occupancy", fit.fraction},
            {"blocks_per_sm", fit.blocks_per_sm},
            {"warps_per_sm", fit.warps_per_sm},
            {"limited_by", to_string(fit.limiter)},
            {"blocks_allowed_by", std::move(allowed)},
            {"curves",
             {{"block", curve_json(device::occupancy_by_block(sm.limits, a.registers, a.shared))},
              {"registers", curve_json(device::occupancy_by_registers(sm.limits, a.block, a.shared))},
              {"shared_bytes", curve_json(device::occupancy_by_shared(sm.limits, a.block, a.registers))}}}};
}

std::string text_of(const OccupancyArguments& a, const SmOf& sm) {
    const auto fit = device::occupancy(sm.limits, a.block, a.registers, a.shared);
    std::string text = fmt::format("{}: {:.3g} % occupancy, {} of {} warps, {} {} per SM, limited by {}\n", sm.name,
                                   100 * fit.fraction, fit.warps_per_sm, sm.limits.warps, fit.blocks_per_sm,
                                   fit.blocks_per_sm == 1 ? "block" : "blocks", to_string(fit.limiter));
    report::Table table{{1}};
    for (const auto limiter : device::kLimiters) {
        const auto blocks = fit.allowed_by(limiter);
        table.add({std::string{to_string(limiter)}, blocks == UINT32_MAX ? "no limit" : report::count(blocks)});
    }
    return text + "blocks that each allows\n" + table.render("  ");
}

} // namespace

CLI::App* add_occupancy(CLI::App& app, OccupancyArguments& arguments) {
    auto* command = app.add_subcommand(
        "occupancy",
        "Say how many blocks of a kernel an SM holds, what limits them, and what other numbers would give");
    command
        ->add_option("--device", arguments.device,
                     "A device of `kw devices`, a data sheet (h200) or an architecture (sm_90); default: sim:h200")
        ->type_name("DEVICE");
    command->add_option("--block", arguments.block, "Threads per block (default: 256)")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000));
    command->add_option("--registers", arguments.registers, "Registers per thread, 0 when not known (default: 32)")
        ->type_name("N")
        ->check(CLI::Range(0, 1'000'000));
    command
        ->add_option("--shared", arguments.shared, "Bytes of shared memory per block, static and dynamic (default: 0)")
        ->type_name("BYTES")
        ->check(CLI::Range(0, 1'000'000'000));
    command->add_flag("--json", arguments.json, "Print JSON, with the curves that vary one of the numbers");
    return command;
}

std::optional<SmOf> sm_of(std::string_view device) {
    if (const auto capability = device::capability_of(device)) {
        const auto limits = device::sm_limits(*capability);
        // Of an architecture that is not known nothing is guessed from the one below it.
        if (limits.warps == 0 || limits.capability / 10 != *capability / 10) return {};
        return SmOf{std::string{device}, limits};
    }
    if (device.starts_with("sim:")) device.remove_prefix(4);
    const auto sheet = sim::find_gpu_model(device);
    if (!sheet) return {};
    return SmOf{sheet->name, sim::sm_limits(*sheet)};
}

int occupancy_command(const OccupancyArguments& arguments, const std::function<Result<Json>()>& devices) {
    auto sm = sm_of(arguments.device);
    if (!sm) {
        auto asked = ask(arguments.device, devices);
        if (!asked) return report::report_error(asked.error());
        sm = std::move(*asked);
    }
    if (const auto fits = check(arguments, *sm); !fits) return report::report_error(fits.error());
    const auto text = arguments.json ? json_of(arguments, *sm).dump(2) + '\n' : text_of(arguments, *sm);
    if (const auto shown = report::print(text); !shown) return report::report_error(shown.error());
    return 0;
}

} // namespace kw::cli
