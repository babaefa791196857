#include "engine/base/captured_output.h"
#include "engine/device/cuda/cuda_device.h"
#include "tests/cuda/fake_driver.h"

#include <QtTest/QtTest>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

using namespace kw::cuda;
using kw::device::FaultKind;

/// What a GPU and its driver can say no to, against a driver that is told what to say.
class CudaDeviceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void refuses_an_old_driver();
    void tells_why_the_driver_does_not_start_data();
    void tells_why_the_driver_does_not_start();
    void describes_a_gpu();
    void does_without_what_is_not_told();
    void needs_to_know_what_the_gpu_is();
    void tells_why_a_gpu_cannot_be_opened_data();
    void tells_why_a_gpu_cannot_be_opened();
    void gives_back_what_it_opened();
    void tells_that_code_is_for_another_gpu_data();
    void tells_that_code_is_for_another_gpu();
    void tells_how_much_memory_there_is();
    void makes_faults_of_error_codes_data();
    void makes_faults_of_error_codes();
    void stays_lost();
    void notices_a_fault_in_the_next_call();
    void notices_a_gpu_that_goes_data();
    void notices_a_gpu_that_goes();
    void refuses_launches_and_goes_on_data();
    void refuses_launches_and_goes_on();
    void asks_for_what_a_launch_needs();
    void stops_while_a_kernel_runs();
    void asks_the_driver_for_occupancy();
    void brings_along_what_kernels_print();
};

using Opened = std::unique_ptr<CudaDevice>;

static Opened open(FakeDriver& driver) {
    auto device = CudaDevice::open(0, driver.api());
    return device ? std::move(*device) : nullptr;
}

static QString message(const auto& result) { return QString::fromStdString(result ? "" : result.error().message); }

/// A device with a module of one kernel.
struct Ready {
    FakeDriver driver;
    Opened device = open(driver);
    std::unique_ptr<kw::device::Module> module = std::move(*device->load({.ptx = {}, .cubin = "code"}));

    kw::Result<kw::device::LaunchOutcome> launch(const kw::device::LaunchConfig& config = {}) {
        return device->launch(*module, "kernel", config, {}, {});
    }
};

void CudaDeviceTest::refuses_an_old_driver() {
    FakeDriver driver;
    driver.version = 11080;
    const auto started = start_driver(driver.api());
    QVERIFY(!started);
    QCOMPARE(started.error().code, kw::ErrorCode::unsupported);
    QVERIFY(message(started).contains("supports CUDA 11.8; 12.0 or newer is needed"));
    QCOMPARE(driver.count("cuInit"), 0u);
    driver.version = 12000;
    QVERIFY(start_driver(driver.api()));
}

void CudaDeviceTest::tells_why_the_driver_does_not_start_data() {
    QTest::addColumn<int>("result");
    QTest::addColumn<QString>("says");
    QTest::newRow("no GPU") << int{kNoDevice} << "finds no GPU; use --device sim";
    QTest::newRow("not ready") << int{kSystemNotReady} << "nvidia-fabricmanager service must run";
    QTest::newRow("mismatch") << int{kSystemDriverMismatch} << "of different versions; restart the machine";
    QTest::newRow("compatibility") << int{kCompatNotSupported} << "compatibility libcuda does not support this GPU";
    QTest::newRow("stub") << int{kStubLibrary} << "stub folder";
    QTest::newRow("unknown") << int{kUnknown} << "nvidia-smi says whether it is there";
    QTest::newRow("something else") << 12345 << "does not start: CUDA_ERROR_12345: what the driver says";
}

void CudaDeviceTest::tells_why_the_driver_does_not_start() {
    QFETCH(int, result);
    QFETCH(QString, says);
    FakeDriver driver;
    driver.next["cuInit"] = {result};
    const auto started = start_driver(driver.api());
    QVERIFY(!started);
    QCOMPARE(started.error().code, result == kNoDevice ? kw::ErrorCode::not_found : kw::ErrorCode::device);
    QVERIFY2(message(started).contains(says), qPrintable(message(started)));
}

void CudaDeviceTest::describes_a_gpu() {
    FakeDriver driver;
    const auto gpus = list_gpus(driver.api());
    QCOMPARE(gpus.size(), 1u);
    QCOMPARE(gpus[0].id, std::string("cuda:0"));
    QCOMPARE(gpus[0].arch, std::string("sm_90"));
    QCOMPARE(gpus[0].driver, std::string("13.0"));
    QCOMPARE(gpus[0].limits.max_shared_bytes_optin, 232448u);
    QCOMPARE(gpus[0].limits.memory_bytes, std::uint64_t{80} << 30);
    QCOMPARE(driver.opened_contexts, 0);
}

void CudaDeviceTest::does_without_what_is_not_told() {
    FakeDriver driver;
    driver.attributes = {{kComputeCapabilityMajor, 8}, {kComputeCapabilityMinor, 9}};
    driver.always["cuDeviceTotalMem"] = kUnknown;
    const auto device = open(driver);
    QVERIFY(device);
    QCOMPARE(device->info().arch, std::string("sm_89"));
    QCOMPARE(device->info().limits.max_threads_per_block, 1024u);
    QCOMPARE(device->info().limits.max_shared_bytes_optin, 49152u);
    QCOMPARE(device->info().limits.memory_bytes, 0u);
}

void CudaDeviceTest::needs_to_know_what_the_gpu_is() {
    FakeDriver driver;
    driver.attributes.erase(kComputeCapabilityMajor);
    QVERIFY(list_gpus(driver.api()).empty());
    const auto device = CudaDevice::open(0, driver.api());
    QVERIFY(message(device).contains("GPU cuda:0 cannot be used: it does not tell its compute capability"));
}

void CudaDeviceTest::tells_why_a_gpu_cannot_be_opened_data() {
    QTest::addColumn<QString>("call");
    QTest::addColumn<int>("result");
    QTest::addColumn<QString>("says");
    QTest::newRow("count") << "cuDeviceGetCount" << int{kUnknown} << "the driver does not list its GPUs";
    QTest::newRow("get") << "cuDeviceGet" << int{kInvalidDevice} << "cuda:0 cannot be used";
    QTest::newRow("no room for a context") << "cuDevicePrimaryCtxRetain" << int{kOutOfMemory}
                                           << "cuda:0 (NVIDIA Fake) has no room for a context, which takes about 0.5 "
                                              "of its 85.9 GB; end other programs";
    QTest::newRow("exclusive") << "cuDevicePrimaryCtxRetain" << int{kDeviceUnavailable} << "exclusive compute mode";
    QTest::newRow("broken memory") << "cuDevicePrimaryCtxRetain" << int{kEccUncorrectable} << "memory has failed";
    QTest::newRow("context") << "cuCtxSetCurrent" << int{kInvalidContext} << "could not use the context";
    QTest::newRow("stream") << "cuStreamCreate" << int{kOutOfMemory} << "could not create a stream";
}

void CudaDeviceTest::tells_why_a_gpu_cannot_be_opened() {
    QFETCH(QString, call);
    QFETCH(int, result);
    QFETCH(QString, says);
    FakeDriver driver;
    driver.next[call.toStdString()] = {result};
    const auto device = CudaDevice::open(0, driver.api());
    QVERIFY(!device);
    QVERIFY2(message(device).contains(says), qPrintable(message(device)));
    QCOMPARE(driver.opened_contexts, 0);
    QVERIFY(message(CudaDevice::open(3, driver.api())).contains("no GPU cuda:3; the driver shows 1"));
}

void CudaDeviceTest::gives_back_what_it_opened() {
    FakeDriver driver;
    {
        const auto device = open(driver);
        const auto pointer = device->allocate(100, "x");
        QVERIFY(pointer);
        QCOMPARE(driver.opened_contexts, 1);
        device->release(*pointer);
    }
    QCOMPARE(driver.opened_contexts, 0);
    QVERIFY(driver.allocated.empty());
    QCOMPARE(driver.count("cuStreamDestroy"), 1u);
}

void CudaDeviceTest::tells_that_code_is_for_another_gpu_data() {
    QTest::addColumn<int>("result");
    for (const int result : {kNoBinaryForGpu, kInvalidImage, kInvalidPtx, kUnsupportedPtxVersion})
        QTest::addRow("%d", result) << result;
}

void CudaDeviceTest::tells_that_code_is_for_another_gpu() {
    QFETCH(int, result);
    FakeDriver driver;
    const auto device = open(driver);
    driver.next["cuModuleLoadData"] = {result};
    const auto module = device->load({.ptx = {}, .cubin = "code"});
    QVERIFY(!module);
    QCOMPARE(module.error().code, kw::ErrorCode::unsupported);
    QVERIFY2(message(module).contains("does not run on NVIDIA Fake, which takes code for sm_90"),
             qPrintable(message(module)));
    QVERIFY(!device->lost());
}

void CudaDeviceTest::tells_how_much_memory_there_is() {
    FakeDriver driver;
    const auto device = open(driver);
    driver.next["cuMemAlloc"] = {kOutOfMemory};
    const auto pointer = device->allocate(std::uint64_t{20'000'000'000}, "scratch partial");
    QVERIFY2(message(pointer).contains("scratch partial needs 20 GB and NVIDIA Fake has 8.59 of its 85.9 GB free"),
             qPrintable(message(pointer)));
    QVERIFY(!device->lost());
    QVERIFY(device->allocate(4, "x"));
    driver.next["cuMemAlloc"] = {kOutOfMemory};
    driver.next["cuMemGetInfo"] = {kUnknown};
    QVERIFY(message(device->allocate(4, "x")).contains("has no room for it"));
}

void CudaDeviceTest::makes_faults_of_error_codes_data() {
    QTest::addColumn<int>("result");
    QTest::addColumn<int>("kind");
    const auto row = [](const char* name, int result, FaultKind kind) {
        QTest::newRow(name) << result << static_cast<int>(kind);
    };
    row("illegal address", kIllegalAddress, FaultKind::out_of_bounds);
    row("misaligned", kMisalignedAddress, FaultKind::misaligned);
    row("address space", kInvalidAddressSpace, FaultKind::launch_failure);
    row("assert", kAssert, FaultKind::assertion);
    row("illegal instruction", kIllegalInstruction, FaultKind::trap);
    row("pc", kInvalidPc, FaultKind::launch_failure);
    row("stack", kHardwareStackError, FaultKind::stack_overflow);
    row("timeout", kLaunchTimeout, FaultKind::endless_loop);
    row("failed", kLaunchFailed, FaultKind::launch_failure);
}

void CudaDeviceTest::makes_faults_of_error_codes() {
    QFETCH(int, result);
    QFETCH(int, kind);
    Ready ready;
    ready.driver.next["cuStreamQuery"] = {kNotReady, result};
    QVERIFY(ready.launch());
    const auto outcome = ready.device->synchronize({});
    QVERIFY(outcome && outcome->fault);
    QCOMPARE(static_cast<int>(outcome->fault->kind), kind);
    QCOMPARE(outcome->fault->kernel, std::string("kernel"));
    QVERIFY(QString::fromStdString(outcome->fault->message).startsWith("kernel "));
    QVERIFY(ready.device->lost());
}

void CudaDeviceTest::stays_lost() {
    Ready ready;
    const auto pointer = ready.device->allocate(4, "x");
    ready.driver.sticky = true;
    ready.driver.next["cuStreamQuery"] = {kIllegalAddress};
    QVERIFY(ready.launch());
    QVERIFY(ready.device->synchronize({})->fault);
    QVERIFY(ready.device->synchronize({})->fault);
    const auto again = ready.launch();
    QVERIFY(again && again->fault);
    QVERIFY(!ready.device->upload(*pointer, std::vector<std::byte>(4)));
    // The process is about to end; a call would only fail.
    const auto before = ready.driver.count("cuMemFree");
    ready.device->release(*pointer);
    QCOMPARE(ready.driver.count("cuMemFree"), before);
}

void CudaDeviceTest::notices_a_fault_in_the_next_call() {
    Ready ready;
    ready.driver.next["cuMemcpyDtoH"] = {kIllegalAddress};
    std::vector<std::byte> bytes(4);
    const auto read = ready.device->download(bytes, 0x1000);
    QVERIFY(!read);
    QVERIFY(ready.device->lost());
}

void CudaDeviceTest::notices_a_gpu_that_goes_data() {
    QTest::addColumn<int>("result");
    QTest::addColumn<QString>("says");
    QTest::newRow("unavailable") << int{kDeviceUnavailable} << "needs a reset";
    QTest::newRow("unknown") << int{kUnknown} << "may have gone";
    QTest::newRow("ECC") << int{kEccUncorrectable} << "memory has failed";
    QTest::newRow("NVLink") << int{kNvlinkUncorrectable} << "link between GPUs";
    QTest::newRow("contained") << int{kContained} << "contained a hardware error";
    QTest::newRow("context destroyed") << int{kContextDestroyed} << "could not finish the work";
}

void CudaDeviceTest::notices_a_gpu_that_goes() {
    QFETCH(int, result);
    QFETCH(QString, says);
    Ready ready;
    ready.driver.next["cuStreamQuery"] = {result};
    QVERIFY(ready.launch());
    const auto outcome = ready.device->synchronize({});
    QVERIFY(!outcome); // nothing that the kernel is to blame for
    QCOMPARE(outcome.error().stage, kw::Stage::device);
    QVERIFY2(message(outcome).contains(says), qPrintable(message(outcome)));
    QVERIFY(ready.device->lost());
}

void CudaDeviceTest::refuses_launches_and_goes_on_data() {
    QTest::addColumn<QString>("call");
    QTest::addColumn<int>("result");
    QTest::addColumn<QString>("says");
    QTest::newRow("value") << "cuLaunchKernelEx" << int{kInvalidValue} << "configuration";
    QTest::newRow("resources") << "cuLaunchKernelEx" << int{kLaunchOutOfResources} << "registers or shared memory";
    QTest::newRow("cooperative") << "cuLaunchKernelEx" << int{kCooperativeTooLarge} << "cooperative grid";
    QTest::newRow("cluster") << "cuLaunchKernelEx" << int{kInvalidClusterSize} << "cluster of this size";
    QTest::newRow("unsupported") << "cuLaunchKernelEx" << int{kNotSupported} << "launches of this kind";
    QTest::newRow("shared memory") << "cuFuncSetAttribute" << int{kInvalidValue} << "configuration";
}

void CudaDeviceTest::refuses_launches_and_goes_on() {
    QFETCH(QString, call);
    QFETCH(int, result);
    QFETCH(QString, says);
    Ready ready;
    ready.driver.next[call.toStdString()] = {result};
    const kw::device::LaunchConfig config{.grid = {1, 1, 1}, .block = {64, 1, 1}, .dynamic_shared_bytes = 100000};
    const auto refused = ready.launch(config);
    QVERIFY(refused && refused->fault);
    QCOMPARE(refused->fault->kind, FaultKind::launch_failure);
    QVERIFY2(QString::fromStdString(refused->fault->message).contains(says), refused->fault->message.c_str());
    QVERIFY(!ready.device->lost());
    const auto next = ready.launch();
    QVERIFY(next && !next->fault);
}

void CudaDeviceTest::asks_for_what_a_launch_needs() {
    Ready ready;
    QVERIFY(ready.launch({.grid = {32, 1, 1},
                          .block = {64, 1, 1},
                          .cluster = {16, 1, 1},
                          .dynamic_shared_bytes = 100000,
                          .cooperative = true}));
    QCOMPARE(ready.driver.function_attributes[kFuncMaxDynamicShared], 100000);
    QCOMPARE(ready.driver.function_attributes[kFuncNonPortableCluster], 1);
    QCOMPARE(ready.driver.launch_attributes,
             (std::vector<int>{LaunchAttribute::kCooperative, LaunchAttribute::kClusterDimension}));
    // Once is enough for the same amount.
    const auto before = ready.driver.count("cuFuncSetAttribute");
    QVERIFY(ready.launch({.grid = {1, 1, 1}, .block = {64, 1, 1}, .dynamic_shared_bytes = 50000}));
    QCOMPARE(ready.driver.count("cuFuncSetAttribute"), before);
}

void CudaDeviceTest::stops_while_a_kernel_runs() {
    Ready ready;
    ready.driver.always["cuStreamQuery"] = kNotReady;
    QVERIFY(ready.launch());
    std::stop_source stop;
    std::jthread stopper{[&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        stop.request_stop();
    }};
    const auto outcome = ready.device->synchronize(stop.get_token());
    QVERIFY(!outcome);
    QCOMPARE(outcome.error().code, kw::ErrorCode::cancelled);
    QVERIFY(ready.device->lost());
}

void CudaDeviceTest::asks_the_driver_for_occupancy() {
    Ready ready;
    const kw::device::LaunchConfig config{.grid = {1, 1, 1}, .block = {100, 1, 1}, .dynamic_shared_bytes = 1024};
    const auto occupancy = ready.device->occupancy(*ready.module, "kernel", config);
    QVERIFY(occupancy);
    QCOMPARE(occupancy->blocks_per_sm, 4u);
    QCOMPARE(occupancy->theoretical, 4 * 4 / 64.0); // 100 threads are 4 warps; an SM holds 64
    ready.driver.next["cuOccupancyMaxActiveBlocksPerMultiprocessor"] = {kInvalidValue};
    QVERIFY(message(ready.device->occupancy(*ready.module, "kernel", config)).contains("tell the occupancy of kernel"));
}

void CudaDeviceTest::brings_along_what_kernels_print() {
    // In a process of its own, whose standard output is given up for it.
    std::fflush(nullptr);
    const auto pid = ::fork();
    if (pid == 0) {
        Ready ready;
        bool good = static_cast<bool>(kw::capture_standard_output());
        ready.driver.printed = "thread 7 says 0.5\n";
        good = good && ready.launch();
        const auto first = ready.device->synchronize({});
        const auto second = ready.device->synchronize({});
        good = good && first && first->output == "thread 7 says 0.5\n" && second && second->output.empty();
        ready.driver.printed = std::string(std::size_t{3} << 20, 'x');
        const auto much = ready.device->synchronize({});
        ::_exit(good && much && much->output.size() == std::size_t{1} << 20 ? 0 : 1);
    }
    int status = -1;
    ::waitpid(pid, &status, 0);
    QCOMPARE(status, 0);
}

QTEST_APPLESS_MAIN(CudaDeviceTest)
#include "test_cuda_device.moc"
