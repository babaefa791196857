#include "engine/device/occupancy.h"

#ifdef KW_HAVE_CUDA_OCCUPANCY
#include <cuda_occupancy.h>
#endif

#include <QTest>

#include <algorithm>

using namespace kw::device;

class TestOccupancy : public QObject {
    Q_OBJECT
private slots:
    void known_values_data() {
        QTest::addColumn<int>("capability");
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("registers");
        QTest::addColumn<int>("shared");
        QTest::addColumn<int>("blocks");
        QTest::addColumn<int>("limiter");
        const auto row = [](const char* name, int capability, int threads, int registers, int shared, int blocks,
                            Limiter limiter) {
            QTest::newRow(name) << capability << threads << registers << shared << blocks << static_cast<int>(limiter);
        };
        // Worked by hand from the limits of the Programming Guide.
        row("all warps", 90, 256, 32, 0, 8, Limiter::warps);
        row("registers", 90, 256, 64, 0, 4, Limiter::registers);
        row("registers round up to 8", 90, 256, 33, 0, 6, Limiter::registers); // 33 → 40: 51 warps, in fours 48
        row("small blocks", 90, 32, 16, 0, 32, Limiter::blocks);
        row("shared memory", 90, 128, 32, 100 * 1024, 2, Limiter::shared_memory); // 228 KiB / 101 KiB
        row("the system's kibibyte counts", 90, 64, 16, 56 * 1024, 4, Limiter::shared_memory);
        row("and lets one more in without", 90, 64, 16, 55 * 1024, 4, Limiter::shared_memory);
        row("no system's share before 8.0", 75, 64, 16, 16 * 1024, 4, Limiter::shared_memory);
        row("48 warps", 86, 1024, 32, 0, 1, Limiter::warps);
        row("24 blocks", 89, 32, 16, 0, 24, Limiter::blocks);
        row("turing", 75, 512, 64, 0, 2, Limiter::warps);
        row("too many registers for the block", 90, 1024, 72, 0, 0, Limiter::registers);
        row("more shared memory than a block may have", 90, 32, 16, 228 * 1024, 0, Limiter::shared_memory);
        row("a block too large", 90, 1056, 16, 0, 0, Limiter::warps);
        row("part of a warp is a warp", 90, 33, 16, 0, 32, Limiter::blocks);
    }
    void known_values() {
        QFETCH(int, capability);
        QFETCH(int, threads);
        QFETCH(int, registers);
        QFETCH(int, shared);
        QFETCH(int, blocks);
        QFETCH(int, limiter);
        const auto fit = occupancy(sm_limits(capability), static_cast<std::uint32_t>(threads),
                                   static_cast<std::uint32_t>(registers), static_cast<std::uint32_t>(shared));
        QCOMPARE(static_cast<int>(fit.blocks_per_sm), blocks);
        QCOMPARE(static_cast<int>(fit.limiter), limiter);
        QCOMPARE(fit.blocks_per_sm, std::ranges::min(fit.allowed));
        QCOMPARE(fit.warps_per_sm, fit.blocks_per_sm * static_cast<std::uint32_t>((threads + 31) / 32));
    }

    void every_capability_agrees_with_the_calculator() {
#ifdef KW_HAVE_CUDA_OCCUPANCY
        for (const int capability : {70, 75, 80, 86, 87, 89, 90}) {
            const auto limits = sm_limits(capability);
            cudaOccDeviceProp device;
            device.computeMajor = capability / 10;
            device.computeMinor = capability % 10;
            device.maxThreadsPerBlock = 1024;
            device.maxThreadsPerMultiprocessor = static_cast<int>(limits.warps) * 32;
            device.regsPerBlock = 65536;
            device.regsPerMultiprocessor = 65536;
            device.warpSize = 32;
            device.sharedMemPerBlock = 49152;
            device.sharedMemPerMultiprocessor = limits.shared_bytes;
            device.numSms = 1;
            device.sharedMemPerBlockOptin = limits.shared_per_block;
            device.reservedSharedMemPerBlock = limits.shared_reserved;
            cudaOccDeviceState state;
            state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
            int compared = 0;
            for (int threads = 1; threads <= 1024; threads += threads < 64 ? 21 : 37)
                for (int registers = 16; registers <= 255; registers += 7)
                    for (std::size_t shared = 0; shared <= limits.shared_per_block; shared += 3001) {
                        cudaOccFuncAttributes kernel;
                        kernel.maxThreadsPerBlock = 1024;
                        kernel.numRegs = registers;
                        kernel.sharedSizeBytes = 0;
                        kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
                        kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
                        kernel.maxDynamicSharedSizeBytes = limits.shared_per_block;
                        kernel.numBlockBarriers = 1;
                        cudaOccResult expected;
                        const auto status = cudaOccMaxActiveBlocksPerMultiprocessor(&expected, &device, &kernel, &state,
                                                                                    threads, shared);
                        if (status != CUDA_OCC_SUCCESS) QFAIL("the calculator refuses the question");
                        const auto ours =
                            occupancy(limits, static_cast<std::uint32_t>(threads),
                                      static_cast<std::uint32_t>(registers), static_cast<std::uint32_t>(shared));
                        if (static_cast<int>(ours.blocks_per_sm) != expected.activeBlocksPerMultiprocessor)
                            QFAIL(qPrintable(QStringLiteral("%1: %2 threads, %3 registers, %4 bytes: %5, expected %6")
                                                 .arg(capability)
                                                 .arg(threads)
                                                 .arg(registers)
                                                 .arg(shared)
                                                 .arg(ours.blocks_per_sm)
                                                 .arg(expected.activeBlocksPerMultiprocessor)));
                        ++compared;
                    }
            QVERIFY(compared > 10'000);
        }
#else
        QSKIP("there is no cuda_occupancy.h here; it comes with the CUDA Toolkit");
#endif
    }

    void names_of_architectures() {
        QCOMPARE(capability_of("sm_90"), 90);
        QCOMPARE(capability_of("sm_90a"), 90);
        QCOMPARE(capability_of("sm_120f"), 120);
        for (const char* wrong : {"", "sm_", "90", "sm_x", "sm_90b", "sm_-9", "sm_0", "compute_90"})
            QVERIFY2(!capability_of(wrong), wrong);
        QCOMPARE(sm_limits(91).capability, 90);
        QCOMPARE(sm_limits(35), SmLimits{});
        QCOMPARE(occupancy(SmLimits{}, 256, 32, 0).fraction, 0.0);
    }

    void curves_meet_the_point_they_go_through() {
        const auto limits = sm_limits(90);
        const auto by_block = occupancy_by_block(limits, 91, 8448);
        const auto by_registers = occupancy_by_registers(limits, 256, 8448);
        const auto by_shared = occupancy_by_shared(limits, 256, 91);
        const double here = occupancy(limits, 256, 91, 8448).fraction;
        QCOMPARE(here, 0.25);
        QCOMPARE(by_block.fraction[256 / 32 - 1], here);
        QCOMPARE(by_registers.fraction[91 - 1], here);
        QCOMPARE(by_shared.fraction[8192 / 512], here);
        QCOMPARE(by_registers.at.back(), 255u);
        QVERIFY(by_shared.at.back() <= limits.shared_per_block);
        QVERIFY(std::ranges::is_sorted(by_registers.fraction, std::ranges::greater{}));
        QVERIFY(std::ranges::is_sorted(by_shared.fraction, std::ranges::greater{}));
    }
};

QTEST_APPLESS_MAIN(TestOccupancy)
#include "test_occupancy.moc"
