#include "engine/compile/compiler.h"

#include <QTest>

using namespace kw;
using namespace kw::compile;

class CompileTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<Compiler> compiler_;

    Result<Output> compile(Request request) { return compiler_->compile(request, {}); }

    static Request one_file(std::string text, std::vector<std::string> kernels = {}) {
        Request request;
        request.files["k.cu"] = std::move(text);
        request.main = "k.cu";
        request.kernels = std::move(kernels);
        return request;
    }

private Q_SLOTS:
    void initTestCase() {
        auto compiler = open_compiler();
        if (!compiler) QSKIP(compiler.error().message.c_str());
        compiler_ = std::move(*compiler);
    }

    void kernels_have_parameters_and_statistics() {
        auto out = compile(one_file("template<int N> __global__ void __launch_bounds__(N) k(const float* x, float* y, short n) {\n"
                                    "    __shared__ float s[N];\n"
                                    "    s[threadIdx.x] = x[n];\n"
                                    "    __syncthreads();\n"
                                    "    y[n] = s[N - 1 - threadIdx.x];\n"
                                    "}\n",
                                    {"k<128>"}));
        QVERIFY2(out, out ? "" : describe(out.error()).c_str());
        QVERIFY2(out->ok, out->log.c_str());
        QCOMPARE(out->kernels.size(), std::size_t{1});
        const Kernel& kernel = out->kernels[0];
        QCOMPARE(kernel.name, std::string("k<128>"));
        QCOMPARE(kernel.lowered, std::string("_Z1kILi128EEvPKfPfs"));
        QCOMPARE(kernel.max_threads, 128u);
        QCOMPARE(kernel.shared_bytes, 512u);
        QVERIFY(kernel.registers > 0);
        QCOMPARE(kernel.parameters.size(), std::size_t{3});
        QCOMPARE(kernel.parameters[0].type, std::string("float const*"));
        QVERIFY(kernel.parameters[0].pointer);
        QCOMPARE(kernel.parameters[2].offset, 16u);
        QCOMPARE(kernel.parameters[2].bytes, 2u);
        QVERIFY(!out->cubin.empty());
    }
};

QTEST_APPLESS_MAIN(CompileTest)
#include "compile_test.moc"
