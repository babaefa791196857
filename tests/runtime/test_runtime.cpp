#include "engine/device/sim/gpu_model.h"
#include "engine/runtime/fat_binary.h"
#include "engine/runtime/program.h"
#include "engine/runtime/properties.h"
#include "engine/runtime/status.h"
#include "engine/runtime/timeline.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

using namespace kw::runtime;

namespace {

template<class T> void put(std::vector<std::byte>& out, T value) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    out.insert(out.end(), bytes, bytes + sizeof value);
}

/// A container with one entry of PTX, as fatbinary lays it out.
std::vector<std::byte> container(std::uint16_t kind, std::uint32_t compressed, std::string payload) {
    payload.resize((payload.size() + 8) / 8 * 8, '\0');
    std::vector<std::byte> entry;
    put<std::uint16_t>(entry, kind);
    put<std::uint16_t>(entry, 0x101);
    put<std::uint32_t>(entry, 64);
    put<std::uint64_t>(entry, payload.size());
    put<std::uint32_t>(entry, compressed);
    put<std::uint32_t>(entry, 0);
    put<std::uint16_t>(entry, 0);
    put<std::uint16_t>(entry, 9);
    put<std::uint32_t>(entry, 90);
    entry.resize(64);
    for (char c : payload) entry.push_back(static_cast<std::byte>(c));
    std::vector<std::byte> out;
    put<std::uint32_t>(out, 0xba55ed50);
    put<std::uint16_t>(out, 1);
    put<std::uint16_t>(out, 16);
    put<std::uint64_t>(out, entry.size());
    out.insert(out.end(), entry.begin(), entry.end());
    return out;
}

} // namespace

class TestRuntime : public QObject {
    Q_OBJECT

private slots:
    void statuses() {
        QCOMPARE(std::string(status_name(Status::Success)), std::string("cudaSuccess"));
        QCOMPARE(std::string(status_name(Status::IllegalAddress)), std::string("cudaErrorIllegalAddress"));
        QCOMPARE(std::string(status_name(static_cast<Status>(12345))), std::string("unrecognized error code"));
        QVERIFY(std::strlen(status_text(Status::Unknown)) > 0);
    }

    void fat_binaries() {
        const auto good = read_fat_binary(container(1, 0, ".version 9.0\n"));
        QVERIFY(good);
        QCOMPARE(good->ptx.size(), std::size_t{1});
        QCOMPARE(good->ptx[0].arch, 90u);
        QCOMPARE(good->ptx[0].text, std::string(".version 9.0\n"));
        const auto compressed = read_fat_binary(container(1, 5, "xxxxx"));
        QVERIFY(!compressed);
        QVERIFY(compressed.error().message.find("--no-compress") != std::string::npos);
        auto cut = container(1, 0, ".version 9.0\n");
        for (std::size_t size = 0; size + 1 < cut.size(); ++size) {
            const auto part = read_fat_binary(std::span(cut).first(size));
            QVERIFY(!part || part->ptx.empty());
        }
        QVERIFY(container_of(nullptr).empty());
        const std::uint64_t other[3] = {1, 2, 3};
        QVERIFY(container_of(other).empty());
    }

    void default_stream_waits_for_blocking_ones() {
        Timeline timeline;
        Stream blocking, free;
        free.flags = 1;
        timeline.add(&blocking, Timeline::Engine::compute, 10);
        timeline.add(&free, Timeline::Engine::to_device, 30);
        QCOMPARE(timeline.ready(nullptr), 10.0);
        QCOMPARE(timeline.ready(&free), 30.0);
        timeline.add(nullptr, Timeline::Engine::compute, 5);
        QCOMPARE(timeline.ready(&blocking), 15.0);
        QCOMPARE(timeline.all_ready(), 30.0);
    }

    void streams_overlap_on_different_engines_alone() {
        Timeline timeline;
        Stream one, two;
        one.flags = two.flags = 1;
        timeline.add(&one, Timeline::Engine::to_device, 10);
        timeline.add(&one, Timeline::Engine::compute, 10);
        timeline.add(&two, Timeline::Engine::to_device, 10);
        timeline.add(&two, Timeline::Engine::compute, 10);
        QCOMPARE(timeline.ready(&one), 20.0);
        QCOMPARE(timeline.ready(&two), 30.0); // its copy beside the first kernel, its kernel after it
        timeline.wait(&one, 100);
        QCOMPARE(timeline.ready(&one), 100.0);
        timeline.host_waited(200);
        timeline.add(&two, Timeline::Engine::to_host, 1);
        QCOMPARE(timeline.ready(&two), 201.0);
    }

    void attributes_and_properties_agree() {
        for (const auto& model : kw::sim::gpu_models()) {
            const auto all = properties_of(model, 1 << 30);
            QVERIFY(std::string(all.name).starts_with(model.name));
            QCOMPARE(attribute_of(model, 1 << 30, 16).value(), all.multiProcessorCount);
            QCOMPARE(attribute_of(model, 1 << 30, 75).value() * 10 + attribute_of(model, 1 << 30, 76).value(),
                     std::stoi(model.arch.substr(3)));
            QCOMPARE(attribute_of(model, 1 << 30, 97).value(), static_cast<int>(model.shared_per_block_optin));
            QVERIFY(!attribute_of(model, 1 << 30, 0));
            QVERIFY(!attribute_of(model, 1 << 30, 100000));
        }
    }

    void paths_of_ptx() {
        QCOMPARE(decoded_path("caf\\303\\251/a.cu"), std::string("caf\xc3\xa9/a.cu"));
        QCOMPARE(decoded_path("\\101\\30"), std::string("\\101\\30"));
        QCOMPARE(decoded_path("\\38\\389"), std::string("\\38\\389"));
        QCOMPARE(decoded_path(""), std::string());
    }

    void libraries_by_their_calls() {
        QCOMPARE(std::string(vendor_library("cublasCreate_v2").name), std::string("cuBLAS"));
        QCOMPARE(std::string(vendor_library("cublasLtMatmul").name), std::string("cuBLASLt"));
        QCOMPARE(std::string(vendor_library("cuLaunchKernel").name), std::string("the CUDA driver API"));
        QVERIFY(vendor_library("cudaMalloc").name.empty());
        QVERIFY(vendor_library("cubic").name.empty());
        QVERIFY(vendor_library("curandom").name.empty());
    }

    void linkage_of_this_program() {
        const auto linkage = read_linkage("/proc/self/exe");
        QVERIFY(linkage);
        QVERIFY(std::ranges::any_of(linkage->needed, [](const auto& name) { return name.starts_with("libc.so"); }));
        QVERIFY(std::ranges::find(linkage->undefined, "__libc_start_main") != linkage->undefined.end());
        QVERIFY(!read_linkage("/proc/self/environ"));
    }
};

QTEST_APPLESS_MAIN(TestRuntime)
#include "test_runtime.moc"
