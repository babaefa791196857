#include "engine/pipeline/caching_compiler.h"

#include <QTest>

using namespace kw;
using namespace kw::compile;

namespace {

/// Answers with the request's main file as PTX, and counts.
class CountingCompiler : public Compiler {
public:
    explicit CountingCompiler(int& count) : count_(count) {}
    [[nodiscard]] std::string version() const override { return "0.0"; }
    [[nodiscard]] std::vector<std::string> architectures() const override { return {"sm_90"}; }
    [[nodiscard]] Result<Output> compile(const Request& request, std::stop_token) override {
        ++count_;
        Output output;
        output.ok = true;
        if (const auto file = request.files.find(request.main); file != request.files.end()) output.ptx = file->second;
        return output;
    }

private:
    int& count_;
};

Request request(std::string text) {
    Request result;
    result.files["a.cu"] = std::move(text);
    result.main = "a.cu";
    return result;
}

} // namespace

class TestCachingCompiler : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void compiles_the_same_once() {
        int count = 0;
        pipeline::CachingCompiler compiler(std::make_unique<CountingCompiler>(count));
        QCOMPARE(compiler.compile(request("x"), {})->ptx, std::string("x"));
        QCOMPARE(compiler.compile(request("x"), {})->ptx, std::string("x"));
        QCOMPARE(count, 1);
        QCOMPARE(compiler.hits(), std::size_t{1});
    }

    void everything_that_matters_is_part_of_the_key() {
        int count = 0;
        pipeline::CachingCompiler compiler(std::make_unique<CountingCompiler>(count));
        std::vector<Request> requests(7, request("x"));
        requests[1].files["a.cu"] = "y";
        requests[2].defines = {{"A", "1"}};
        requests[3].arch = "sm_80";
        requests[4].kernels = {"k"};
        requests[5].cubin = false;
        requests[6].defines = {{"A1", ""}};
        for (const auto& item : requests) QVERIFY(compiler.compile(item, {}));
        QCOMPARE(count, 7);
    }

    void lists_do_not_run_into_what_follows_them() {
        int count = 0;
        pipeline::CachingCompiler compiler(std::make_unique<CountingCompiler>(count));
        auto first = request("x"), second = request("x");
        first.main = "b";
        first.arch = "c";
        first.kernels = {"sm_90", "0"};
        second.files["b"] = "c";
        second.main = "0";
        second.arch = "sm_90";
        QVERIFY(compiler.compile(first, {}));
        QVERIFY(compiler.compile(second, {}));
        QCOMPARE(count, 2);
    }

    void forgets_the_oldest_when_full() {
        int count = 0;
        pipeline::CachingCompiler compiler(std::make_unique<CountingCompiler>(count), 25);
        for (const char letter : {'a', 'b', 'a', 'c', 'a', 'b'})
            QVERIFY(compiler.compile(request(std::string(10, letter)), {}));
        // b went when c came, because a had been used since.
        QCOMPARE(count, 4);
    }

    void does_not_keep_syntax_checks() {
        int count = 0;
        pipeline::CachingCompiler compiler(std::make_unique<CountingCompiler>(count));
        auto check = request("x");
        check.syntax_only = true;
        QVERIFY(compiler.compile(check, {}));
        QVERIFY(compiler.compile(check, {}));
        QCOMPARE(count, 2);
    }
};

QTEST_APPLESS_MAIN(TestCachingCompiler)
#include "test_caching_compiler.moc"
