#include "editor/kernel_strip.h"

#include "widgets/clear_layout.h"
#include "widgets/numbers.h"
#include "widgets/theme.h"

#include <QGridLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>

namespace kw::editor {
namespace {

QString bytes(std::uint32_t count) { return widgets::format_quantity(count, QStringLiteral("B")); }

QString limiter_name(device::Limiter limiter) {
    switch (limiter) {
    case device::Limiter::blocks: return KernelStrip::tr("blocks");
    case device::Limiter::warps: return KernelStrip::tr("warps");
    case device::Limiter::registers: return KernelStrip::tr("registers");
    case device::Limiter::shared_memory: return KernelStrip::tr("shared memory");
    }
    return {};
}

} // namespace

std::vector<KernelFacts> kernel_facts(std::span<const compile::Kernel> kernels, std::span<const LaunchShape> launches,
                                      const device::SmLimits& limits) {
    std::vector<KernelFacts> facts;
    for (const auto& kernel : kernels) {
        KernelFacts base{kernel.name, kernel.registers, kernel.shared_bytes, 0, kernel.local_bytes, kernel.spill_bytes,
                         0,           std::nullopt};
        std::vector<KernelFacts> ways;
        for (const auto& launch : launches) {
            if (launch.kernel != kernel.name) continue;
            KernelFacts way = base;
            way.threads = launch.threads;
            way.dynamic_shared_bytes = launch.dynamic_shared_bytes;
            if (limits.warps > 0 && launch.threads > 0 && kernel.registers > 0)
                way.occupancy = device::occupancy(limits, launch.threads, kernel.registers,
                                                  kernel.shared_bytes + launch.dynamic_shared_bytes);
            const bool known = std::ranges::any_of(ways, [&](const KernelFacts& other) {
                return other.threads == way.threads && other.dynamic_shared_bytes == way.dynamic_shared_bytes;
            });
            if (!known) ways.push_back(std::move(way));
        }
        if (ways.empty()) ways.push_back(std::move(base));
        facts.insert(facts.end(), ways.begin(), ways.end());
    }
    return facts;
}

KernelStrip::KernelStrip(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
    setObjectName(QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("Resources of the kernels"));
    grid_->setContentsMargins(8, 2, 12, 2);
    grid_->setHorizontalSpacing(20);
    grid_->setVerticalSpacing(0);
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, &KernelStrip::rebuild);
    setMinimumWidth(1); // it may be cut: it is not what says how narrow a window may be
    hide();
}

void KernelStrip::set_kernels(std::vector<KernelFacts> kernels) {
    kernels_ = std::move(kernels);
    rebuild();
    setVisible(!kernels_.empty());
}

void KernelStrip::rebuild() {
    widgets::clear_layout(*grid_);
    const auto cell = [this](int row, int column, const QString& value, const QString& what, const QString& tone,
                             const QString& help) {
        const auto& t = widgets::Theme::instance().tokens();
        const QColor color = tone == QLatin1String("bad") ? t.bad : tone == QLatin1String("warn") ? t.warn : t.text1;
        auto* label = new QLabel(QStringLiteral("<span style=\"color:%1\">%2</span> <span style=\"color:%3\">%4</span>")
                                     .arg(color.name(), value.toHtmlEscaped(), t.text2.name(), what.toHtmlEscaped()));
        label->setToolTip(help);
        label->setAccessibleName(value % QLatin1Char(' ') % what);
        grid_->addWidget(label, row, column, Qt::AlignLeft | Qt::AlignVCenter);
    };
    for (int row = 0; row < static_cast<int>(kernels_.size()); ++row) {
        const KernelFacts& k = kernels_[static_cast<std::size_t>(row)];
        const QString name = QString::fromStdString(k.name);
        auto* button = new QToolButton;
        button->setText(button->fontMetrics().elidedText(name, Qt::ElideRight, 260));
        button->setFont(widgets::Theme::instance().code_font());
        button->setToolTip(tr("Show the code of %1").arg(name));
        button->setAccessibleName(name);
        connect(button, &QToolButton::clicked, this, [this, name] { Q_EMIT kernel_activated(name); });
        grid_->addWidget(button, row, 0, Qt::AlignLeft);
        int column = 1;
        cell(row, column++, k.registers ? QString::number(k.registers) : QStringLiteral("–"), tr("registers"), {},
             tr("Registers of a thread; a multiprocessor has 65 536 to share out."));
        const QString shared = k.dynamic_shared_bytes
                                   ? tr("%1 + %2").arg(bytes(k.static_shared_bytes), bytes(k.dynamic_shared_bytes))
                                   : bytes(k.static_shared_bytes);
        cell(row, column++, shared, tr("shared"), {},
             k.dynamic_shared_bytes ? tr("Shared memory of a block: static + dynamic, which the launch asks for.")
                                    : tr("Shared memory of a block."));
        if (k.spill_bytes > 0)
            cell(row, column++, QStringLiteral("▲ ") % bytes(k.spill_bytes), tr("spilled"), QStringLiteral("bad"),
                 tr("Registers were too few, so values go to memory and back: bytes of such stores and loads."));
        else
            cell(row, column++, tr("no"), tr("spills"), {}, tr("All values stay in registers."));
        cell(row, column++, bytes(k.local_bytes), tr("local"), {},
             tr("Memory of a thread for arrays with computed indices and for spilled values."));
        if (k.occupancy) {
            const QString share = widgets::format_quantity(100 * k.occupancy->fraction, QStringLiteral("%"));
            const bool none = k.occupancy->blocks_per_sm == 0;
            QStringList limits;
            for (const auto limiter : device::kLimiters)
                if (const auto allowed = k.occupancy->allowed_by(limiter); allowed != UINT32_MAX)
                    limits << tr("%1: %2 blocks").arg(limiter_name(limiter)).arg(allowed);
            cell(row, column++, share, tr("occupancy, limited by %1").arg(limiter_name(k.occupancy->limiter)),
                 none ? QStringLiteral("bad") : QString(),
                 none ? tr("A block needs more than a multiprocessor has, so this cannot be launched.")
                      : tr("Warps that fit on a multiprocessor, of the most it holds, in blocks of %1 threads. What "
                           "allows how many "
                           "blocks: %2.")
                            .arg(k.threads)
                            .arg(limits.join(QStringLiteral(", "))));
        } else {
            cell(row, column++, QStringLiteral("–"), tr("occupancy"), {},
                 tr("Known when the kernel is compiled for a GPU and launched."));
        }
        grid_->setColumnStretch(column, 1);
    }
}

} // namespace kw::editor
