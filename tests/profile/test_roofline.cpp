#include "engine/profile/roofline.h"

#include <QTest>

#include <algorithm>

using namespace kw;
using namespace kw::profile;

namespace {

device::Info gpu(const char* name) {
    device::Info info;
    info.kind = device::Kind::cuda;
    info.id = "cuda:0";
    info.name = name;
    return info;
}

double peak(const std::vector<Ceiling>& ceilings, std::string_view id) {
    const auto at = std::ranges::find(ceilings, id, &Ceiling::id);
    return at == ceilings.end() ? 0 : at->peak;
}

} // namespace

class TestRoofline : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void known_gpus_have_ceilings() {
        const auto ceilings = ceilings_of(gpu("NVIDIA H200"));
        // 132 SMs × 128 lanes × 2 × 1.98 GHz
        QCOMPARE(peak(ceilings, "fp32"), 132 * 128 * 2 * 1.98e9);
        QCOMPARE(peak(ceilings, "dram"), 4.8e12);
        QCOMPARE(peak(ceilings, "tensor_bf16"), 989.4e12);
        auto simulated = gpu("NVIDIA A100 80GB (simulated)");
        simulated.kind = device::Kind::sim;
        simulated.id = "sim:a100";
        QCOMPARE(peak(ceilings_of(simulated), "dram"), 2.039e12);
    }

    void names_are_matched_by_what_matters_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<bool>("known");
        QTest::newRow("h200") << QByteArray("NVIDIA H200") << true;
        QTest::newRow("a100 as the driver has it") << QByteArray("NVIDIA A100-SXM4-80GB") << true;
        QTest::newRow("smaller a100") << QByteArray("NVIDIA A100-SXM4-40GB") << false;
        QTest::newRow("h200 nvl") << QByteArray("NVIDIA H200 NVL") << false;
        QTest::newRow("laptop") << QByteArray("NVIDIA GeForce RTX 4090 Laptop GPU") << false;
        QTest::newRow("other") << QByteArray("NVIDIA T4") << false;
        QTest::newRow("none") << QByteArray("") << false;
    }
    void names_are_matched_by_what_matters() {
        QFETCH(QByteArray, name);
        QFETCH(bool, known);
        QCOMPARE(!ceilings_of(gpu(name.constData())).empty(), known);
    }

    void points() {
        Report report;
        report.ceilings = {{"fp32", "FP32", false, 1000}, {"dram", "DRAM", true, 100}, {"l2", "L2", true, 400}};
        auto& launch = report.launches.emplace_back();
        launch.metrics = {{"flops_fp32", 10}, {"flop_rate", 150}, {"intensity_dram", 2}, {"intensity_l2", 5}};
        report.launches.emplace_back(); // nothing counted
        const auto points = roofline_points(report);
        QCOMPARE(points.size(), 2u);
        QCOMPARE(points[0].memory, std::string("dram"));
        QCOMPARE(points[0].compute, std::string("fp32"));
        QVERIFY(points[0].memory_bound);
        QCOMPARE(points[0].reached, 0.75); // of 200
        QVERIFY(!points[1].memory_bound);
        QCOMPARE(points[1].reached, 0.15); // of 1000
    }

    void the_ceiling_is_that_of_most_operations() {
        Report report;
        report.ceilings = {{"fp32", "FP32", false, 100}, {"tensor_fp16", "Tensor FP16", false, 1000}};
        auto& launch = report.launches.emplace_back();
        launch.metrics = {{"flops_fp32", 10}, {"flops_tensor_fp16", 500}, {"flop_rate", 150}, {"intensity_dram", 2}};
        const auto points = roofline_points(report);
        QCOMPARE(points.size(), 1u);
        QCOMPARE(points[0].compute, std::string("tensor_fp16"));
        QCOMPARE(points[0].reached, 0.0); // no memory ceiling is known
    }
};

QTEST_APPLESS_MAIN(TestRoofline)
#include "test_roofline.moc"
