#include "profiler_views/occupancy/occupancy_plots.h"

#include "profiler_views/translated.h"
#include "widgets/numbers.h"

#include <algorithm>

namespace kw::profiler_views {

using widgets::PlotData; // lupdate takes the name before "::" in a return type for a class

namespace {

PlotData plot_of(const device::OccupancyCurve& curve, const QString& label, const QString& unit, std::uint32_t here,
                 double fraction, int color) {
    PlotData plot;
    plot.x = {.label = label, .unit = unit, .integers = true, .least = 0};
    plot.y = {.label = tr("Occupancy"), .unit = QStringLiteral("%"), .least = 0, .most = 100};
    widgets::PlotSeries line{.color = color, .steps = true, .area = true, .marker = widgets::Marker::none};
    for (std::size_t i = 0; i < curve.at.size(); ++i)
        line.points.push_back({.x = static_cast<double>(curve.at[i]), .y = 100 * curve.fraction[i]});
    if (!line.points.empty()) plot.x.most = line.points.back().x;
    widgets::PlotSeries point{.color = color, .line = false};
    point.points.push_back({.x = static_cast<double>(here), .y = 100 * fraction, .name = tr("now"), .emphasis = true});
    plot.summary = tr("%1 at %2: occupancy %3")
                       .arg(label, widgets::format_quantity(here, unit),
                            widgets::format_quantity(100 * fraction, QStringLiteral("%")));
    plot.series = {std::move(line), std::move(point)};
    return plot;
}

double fraction_of(const device::SmLimits& limits, const OccupancyDemand& demand) {
    return device::occupancy(limits, demand.threads, demand.registers, demand.shared()).fraction;
}

} // namespace

PlotData occupancy_by_block_plot(const device::SmLimits& limits, const OccupancyDemand& demand) {
    return plot_of(device::occupancy_by_block(limits, demand.registers, demand.shared()), tr("Threads per block"), {},
                   demand.threads, fraction_of(limits, demand), 0);
}

PlotData occupancy_by_registers_plot(const device::SmLimits& limits, const OccupancyDemand& demand) {
    return plot_of(device::occupancy_by_registers(limits, demand.threads, demand.shared()), tr("Registers per thread"),
                   {}, demand.registers, fraction_of(limits, demand), 1);
}

PlotData occupancy_by_shared_plot(const device::SmLimits& limits, const OccupancyDemand& demand) {
    return plot_of(device::occupancy_by_shared(limits, demand.threads, demand.registers), tr("Shared memory per block"),
                   QStringLiteral("B"), demand.shared(), fraction_of(limits, demand), 2);
}

QString limiter_sentence(const device::SmLimits& limits, const OccupancyDemand& demand) {
    const auto fit = device::occupancy(limits, demand.threads, demand.registers, demand.shared());
    const QString blocks = QString::number(fit.blocks_per_sm);
    if (fit.blocks_per_sm > 0 && fit.allowed_by(device::Limiter::registers) == fit.blocks_per_sm
        && fit.allowed_by(device::Limiter::shared_memory) == fit.blocks_per_sm)
        return tr("Registers and shared memory each let %1 blocks on an SM: more need less of both.").arg(blocks);
    switch (fit.limiter) {
    case device::Limiter::blocks:
        return tr("An SM holds no more than %1 blocks: larger blocks would bring more warps.").arg(limits.blocks);
    case device::Limiter::warps:
        if (fit.blocks_per_sm == 0)
            return tr("A block may have no more than %1 threads.").arg(limits.threads_per_block);
        if (fit.warps_per_sm == limits.warps) return tr("All %1 warps that an SM holds are there.").arg(limits.warps);
        return tr("%1 blocks of this size leave warps over that are too few for another block: a block size that "
                  "divides %2 threads would fill the SM.")
            .arg(blocks)
            .arg(limits.warps * 32);
    case device::Limiter::registers: {
        if (demand.registers > limits.registers_per_thread)
            return tr("A thread may have no more than %1 registers.").arg(limits.registers_per_thread);
        // The most registers with which one more block fits.
        for (std::uint32_t fewer = demand.registers; fewer > 0; --fewer)
            if (device::occupancy(limits, demand.threads, fewer, demand.shared()).blocks_per_sm > fit.blocks_per_sm)
                return tr("Registers let %1 blocks on an SM; with %2 instead of %3 per thread there would be more.")
                    .arg(blocks)
                    .arg(fewer)
                    .arg(demand.registers);
        return tr("Registers let %1 blocks on an SM.").arg(blocks);
    }
    case device::Limiter::shared_memory: {
        if (demand.shared() > limits.shared_per_block)
            return tr("A block may have no more than %1 of shared memory.")
                .arg(widgets::format_quantity(limits.shared_per_block, QStringLiteral("B")));
        constexpr std::uint32_t kStep = 16;
        for (std::uint32_t fewer = demand.shared(); fewer >= kStep; fewer -= kStep)
            if (device::occupancy(limits, demand.threads, demand.registers, fewer).blocks_per_sm > fit.blocks_per_sm)
                return tr("Shared memory lets %1 blocks on an SM; with %2 bytes per block instead of %3 there would be "
                          "more.")
                    .arg(blocks)
                    .arg(fewer)
                    .arg(demand.shared());
        return tr("Shared memory lets %1 blocks on an SM.").arg(blocks);
    }
    }
    return {};
}

} // namespace kw::profiler_views
