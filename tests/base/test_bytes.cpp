#include "engine/base/bytes.h"

#include <QTest>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>
#include <vector>

using namespace kw;

/// Sizes about what a thread takes at a time and about where huge pages begin.
constexpr std::size_t kTurn = std::size_t{1} << 20, kLarge = std::size_t{8} << 20;

class TestBytes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void keepsMemoryThatIsLargeEnough() {
        Bytes bytes(kLarge + 1);
        QCOMPARE(reinterpret_cast<std::uintptr_t>(bytes.data()) % (2u << 20), std::uintptr_t{0});
        const auto* memory = bytes.data();
        bytes.resize(3);
        QCOMPARE(bytes.size(), std::size_t{3});
        QCOMPARE(bytes.end() - bytes.begin(), std::ptrdiff_t{3});
        bytes.resize(kLarge + 1);
        QVERIFY(bytes.data() == memory);
    }

    void movesItsMemory() {
        Bytes bytes(5);
        std::ranges::fill(bytes, std::byte{7});
        Bytes other = std::move(bytes);
        QCOMPARE(other.size(), std::size_t{5});
        QVERIFY(std::ranges::all_of(other, [](std::byte b) { return b == std::byte{7}; }));
        QVERIFY(bytes.empty()); // NOLINT: the contract of what was moved from
        bytes.resize(2);
        QCOMPARE(bytes.size(), std::size_t{2});
        bytes = std::move(other);
        QCOMPARE(bytes.size(), std::size_t{5});
    }

    void saysWhenThereIsNoMemory() {
        Bytes bytes(4);
        bool refused = false;
        try {
            bytes.resize(std::numeric_limits<std::size_t>::max() - 1);
        } catch (const std::bad_alloc&) {
            refused = true;
        }
        QVERIFY(refused);
        QVERIFY(bytes.empty());
    }

    void comparesAndCopies_data() {
        QTest::addColumn<qulonglong>("size");
        for (const std::size_t size :
             {std::size_t{0}, std::size_t{1}, kTurn - 1, kTurn, kTurn + 1, 3 * kTurn + 17, kLarge + 5})
            QTest::addRow("%zu", size) << static_cast<qulonglong>(size);
    }

    void comparesAndCopies() {
        QFETCH(qulonglong, size);
        const std::size_t middle = size / 2, last = size - 1;
        std::vector<std::byte> from(size);
        for (std::size_t i = 0; i < size; ++i) from[i] = static_cast<std::byte>(i * 0x9E3779B97F4A7C15ull >> 56);
        Bytes to(size);
        copy_bytes(to, from);
        QVERIFY(std::ranges::equal(to, from));
        QVERIFY(same_bytes(to, from));
        for (const std::size_t at : {std::size_t{0}, middle, last}) {
            if (size == 0) break;
            from[at] ^= std::byte{1};
            QVERIFY(!same_bytes(to, from));
            from[at] ^= std::byte{1};
        }
        from.push_back(std::byte{});
        QVERIFY(!same_bytes(to, from));
    }
};

QTEST_APPLESS_MAIN(TestBytes)
#include "test_bytes.moc"
