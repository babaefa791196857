#pragma once

#include "engine/compile/compiler.h"
#include "engine/device/occupancy.h"

#include <QWidget>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

class QGridLayout;

namespace kw::editor {

/// How a kernel is launched, as far as its occupancy depends on it.
struct LaunchShape {
    std::string kernel;        ///< as in compile::Kernel::name
    std::uint32_t threads = 0; ///< per block
    std::uint32_t dynamic_shared_bytes = 0;
};

struct KernelFacts {
    std::string name;
    std::uint32_t registers = 0; ///< per thread
    std::uint32_t static_shared_bytes = 0;
    std::uint32_t dynamic_shared_bytes = 0;
    std::uint32_t local_bytes = 0; ///< per thread
    std::uint32_t spill_bytes = 0;
    std::uint32_t threads = 0; ///< per block; 0: not launched
    std::optional<device::Occupancy> occupancy{};
};

/// One for each kernel and way of launching it. No occupancy where the limits, the registers or the launch are unknown.
[[nodiscard]] std::vector<KernelFacts> kernel_facts(std::span<const compile::Kernel> kernels,
                                                    std::span<const LaunchShape> launches,
                                                    const device::SmLimits& limits);

/// What each kernel takes of a multiprocessor, one row per kernel. Hidden while there is nothing.
class KernelStrip : public QWidget {
    Q_OBJECT
public:
    explicit KernelStrip(QWidget* parent = nullptr);

    void set_kernels(std::vector<KernelFacts> kernels);

Q_SIGNALS:
    void kernel_activated(const QString& name);

private:
    void rebuild();

    QGridLayout* grid_;
    std::vector<KernelFacts> kernels_;
};

} // namespace kw::editor
