#include "engine/base/bytes.h"
#include "engine/device/cuda/cuda_device.h"
#include "engine/device/cuda/staging.h"
#include "tests/cuda/fake_driver.h"

#include <QTest>

#include <memory>
#include <vector>

using namespace kw::cuda;

/// Large copies through page-locked memory, against a driver that does them as late as it may.
class StagingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void brings_everything_there_and_back_data();
    void brings_everything_there_and_back();
    void leaves_small_copies_to_the_driver();
    void does_without_page_locked_memory_data();
    void does_without_page_locked_memory();
    void passes_errors_on_data();
    void passes_errors_on();
    void keeps_its_memory();
};

namespace {

constexpr CUdeviceptr kAt = 0x100000;
constexpr std::size_t kHalf = Staging::kHalf;

/// No two pieces of it are alike: the top bits of the product depend on the whole index.
std::vector<std::byte> pattern(std::size_t size) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 0x9E3779B97F4A7C15ull >> 56);
    return bytes;
}

struct Ready {
    FakeDriver driver;
    std::unique_ptr<CudaDevice> device = std::move(*CudaDevice::open(0, driver.api()));
};

} // namespace

void StagingTest::brings_everything_there_and_back_data() {
    QTest::addColumn<qulonglong>("size");
    for (const std::size_t size : {Staging::kSmallest, kHalf - 1, kHalf, kHalf + 1, 2 * kHalf, 5 * kHalf + 4099})
        QTest::addRow("%zu", size) << static_cast<qulonglong>(size);
}

void StagingTest::brings_everything_there_and_back() {
    QFETCH(qulonglong, size);
    Ready ready;
    auto& there = ready.driver.memory[kAt];
    there.resize(size);
    const auto bytes = pattern(size);
    QVERIFY(ready.device->upload(kAt, bytes));
    QVERIFY(there == bytes);
    std::vector<std::byte> back(size);
    QVERIFY(ready.device->download(back, kAt));
    QVERIFY(back == bytes);
    QCOMPARE(ready.driver.count("cuMemcpyHtoD") + ready.driver.count("cuMemcpyDtoH"), 0u);
}

void StagingTest::leaves_small_copies_to_the_driver() {
    Ready ready;
    std::vector<std::byte> bytes(Staging::kSmallest - 1);
    QVERIFY(ready.device->upload(kAt, bytes));
    QVERIFY(ready.device->download(bytes, kAt));
    QCOMPARE(ready.driver.count("cuMemcpyHtoD"), 1u);
    QCOMPARE(ready.driver.count("cuMemcpyDtoH"), 1u);
    QCOMPARE(ready.driver.count("cuMemHostAlloc"), 0u);
}

void StagingTest::does_without_page_locked_memory_data() {
    QTest::addColumn<QString>("call");
    QTest::newRow("memory") << "cuMemHostAlloc";
    QTest::newRow("event") << "cuEventCreate";
}

void StagingTest::does_without_page_locked_memory() {
    QFETCH(QString, call);
    Ready ready;
    // The second of the two halves.
    ready.driver.next[call.toStdString()] = {kSuccess, kOutOfMemory};
    std::vector<std::byte> bytes(Staging::kSmallest);
    QVERIFY(ready.device->upload(kAt, bytes));
    QVERIFY(ready.device->download(bytes, kAt));
    QCOMPARE(ready.driver.count("cuMemcpyHtoD"), 1u);
    QCOMPARE(ready.driver.count("cuMemcpyDtoH"), 1u);
    // What was had is given back, and not asked for again.
    QCOMPARE(ready.driver.count("cuMemHostAlloc"), 2u);
    QCOMPARE(ready.driver.count("cuMemFreeHost"), call == "cuMemHostAlloc" ? 1u : 2u);
    QCOMPARE(ready.driver.count("cuEventDestroy"), 1u);
}

void StagingTest::passes_errors_on_data() {
    QTest::addColumn<QString>("call");
    QTest::addColumn<bool>("up");
    for (const bool up : {true, false})
        for (const char* call : {up ? "cuMemcpyHtoDAsync" : "cuMemcpyDtoHAsync", "cuEventRecord", "cuEventSynchronize"})
            QTest::addRow("%s, %s", up ? "up" : "down", call) << call << up;
}

void StagingTest::passes_errors_on() {
    QFETCH(QString, call);
    QFETCH(bool, up);
    Ready ready;
    ready.driver.next[call.toStdString()] = {kSuccess, kIllegalAddress};
    std::vector<std::byte> bytes(4 * kHalf);
    const auto done = up ? ready.device->upload(kAt, bytes) : ready.device->download(bytes, kAt);
    QVERIFY(!done);
    QVERIFY(ready.device->lost());
    // Nothing is under way any more when the caller has its memory back.
    QCOMPARE(ready.driver.count("cuStreamSynchronize"), 1u);
}

void StagingTest::keeps_its_memory() {
    Ready ready;
    std::vector<std::byte> bytes(3 * kHalf);
    for (int i = 0; i < 3; ++i) {
        QVERIFY(ready.device->upload(kAt, bytes));
        QVERIFY(ready.device->download(bytes, kAt));
    }
    QCOMPARE(ready.driver.count("cuMemHostAlloc"), 2u);
    ready.device.reset();
    QCOMPARE(ready.driver.count("cuMemFreeHost"), 2u);
    QCOMPARE(ready.driver.count("cuEventDestroy"), 2u);
}

QTEST_APPLESS_MAIN(StagingTest)
#include "test_staging.moc"
