#include "engine/task/from_kernel.h"
#include "engine/task/plan.h"

#include <QtTest/QtTest>

using namespace kw;
using task::kernel_signatures;

class TestFromKernel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void signatures_are_read_through_attributes_and_comments() {
        const auto kernels = kernel_signatures(R"(
            #define KERNEL __global__
            // __global__ void not_this(int a) {}
            const char* text = "__global__ void nor_this(int a) {}";
            __global__ void declared(float* x, int n);
            __global__ void __launch_bounds__(256, 2) scale(const float* __restrict__ x, /* out */ float *y, unsigned long long n,
                                                            const __half h, double d = 1.0) { y[0] = x[0]; }
            extern "C" __global__ void second(std::uint32_t const * keys) { }
        )");
        QVERIFY2(kernels.has_value(), kernels ? "" : kernels.error().message.c_str());
        QCOMPARE(kernels->size(), std::size_t{2});
        const auto& scale = kernels->front();
        QCOMPARE(scale.name, std::string("scale"));
        QCOMPARE(scale.parameters.size(), std::size_t{5});
        QCOMPARE(scale.parameters[0], (task::KernelParameter{"x", task::ScalarType::f32, true, true}));
        QCOMPARE(scale.parameters[1], (task::KernelParameter{"y", task::ScalarType::f32, true, false}));
        QCOMPARE(scale.parameters[2], (task::KernelParameter{"n", task::ScalarType::u64, false, false}));
        QCOMPARE(scale.parameters[3].type, task::ScalarType::f16);
        QCOMPARE(scale.parameters[4].type, task::ScalarType::f64);
        QCOMPARE(kernels->back().parameters.front(),
                 (task::KernelParameter{"keys", task::ScalarType::u32, true, true}));
    }

    void what_a_launch_cannot_pass_is_named() {
        const auto why = [](const char* source) {
            const auto kernels = kernel_signatures(source);
            return kernels ? std::string("none") : kernels.error().message;
        };
        QVERIFY(why("__global__ void k(float4* x) {}").find("float4* x") != std::string::npos);
        QVERIFY(why("template <class T> __global__ void k(T* x) {}").find("template") != std::string::npos);
        QVERIFY(why("__global__ void k(float*) {}").find("no name") != std::string::npos);
        QVERIFY(why("__global__ void k(float** x) {}").find("float** x") != std::string::npos);
        QCOMPARE(why("__global__ void k("), std::string("the parameters of a kernel do not end"));
        QCOMPARE(why(""), std::string("none"));
        QCOMPARE(why("__global__"), std::string("none"));
    }

    void a_task_is_made_and_its_plan_fits() {
        const std::string slow =
            "__global__ void add(const float* a, float* b, float s, int n) {\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) b[i] += s * a[i];\n}\n";
        const std::string fast = "// faster\n" + slow;
        const auto files = task::task_from_kernel(fast, slow, "found");
        QVERIFY2(files.has_value(), files ? "" : files.error().message.c_str());
        const auto parsed = task::parse_task(*files);
        QVERIFY(parsed.has_value());
        QCOMPARE(parsed->name, std::string("found"));
        QCOMPARE(parsed->tensors.size(), std::size_t{2});
        QCOMPARE(parsed->tensors[0].role, task::Role::input);
        QCOMPARE(parsed->tensors[1].role, task::Role::inout);
        QVERIFY(parsed->scalars.contains("s"));
        QVERIFY(files->at("kernel.cu").starts_with("//@ launch add<<<ceil_div(n, 256), 256>>>(a, b, s, n)\n// faster"));
        QVERIFY(files->at("reference.cu").find("// faster") == std::string::npos);
    }

    void planes_and_plans() {
        const std::string plane =
            "__global__ void t(const float* in, float* out, int rows, int cols) { int y = blockIdx.y; }";
        const auto files = task::task_from_kernel(plane, plane, "t");
        QVERIFY(files.has_value());
        QVERIFY(files->at("kernel.cu")
                    .starts_with("//@ launch t<<<dim3(ceil_div(cols, 16), ceil_div(rows, 16)), dim3(16, 16)>>>"));
        QVERIFY(files->at("task.toml").find("rows = 1024") != std::string::npos);
        const std::string planned = "//@ launch t<<<1, 1>>>(in, out, rows, cols)\n" + plane;
        QCOMPARE(task::task_from_kernel(planned, plane, "t")->at("kernel.cu"), planned);
    }

    void what_does_not_fit_is_refused() {
        const std::string one = "__global__ void k(float* x, int n) {}";
        const auto other = task::task_from_kernel(one, "__global__ void k(double* x, int n) {}", "k");
        QVERIFY(!other && other.error().message.find("different parameters") != std::string::npos);
        const auto two = task::task_from_kernel(one + "\n__global__ void l(float* x, int n) {}", one, "k");
        QVERIFY(!two && two.error().message.find("k, l") != std::string::npos);
        const auto none = task::task_from_kernel("int main() {}", one, "k");
        QVERIFY(!none && none.error().message.find("no kernel") != std::string::npos);
    }

    void kernels_are_found_in_strings_of_python() {
        QCOMPARE(task::cuda_source_of("import torch\nsrc = '''\n__global__ void k() {}\n'''\nx = \"\"\"doc\"\"\"\n"),
                 std::string("\n__global__ void k() {}\n\n"));
        QCOMPARE(task::cuda_source_of("__global__ void k() {}"), std::string("__global__ void k() {}"));
        QCOMPARE(task::cuda_source_of("print(1)"), std::string());
    }
};

QTEST_APPLESS_MAIN(TestFromKernel)
#include "test_from_kernel.moc"
