#include "engine/compile/compiler.h"

#include <QTest>

#include <algorithm>
#include <chrono>
#include <clocale>
#include <thread>

using namespace kw;
using namespace kw::compile;

/// The live compiler: what it answers for good, bad and odd sources.
class CompileTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<Compiler> compiler_;

    Result<Output> compile(const Request& request) { return compiler_->compile(request, {}); }

    static Request one_file(std::string text, std::vector<std::string> kernels = {}) {
        Request request;
        request.files["k.cu"] = std::move(text);
        request.main = "k.cu";
        request.kernels = std::move(kernels);
        return request;
    }

    /// Compiles a source that must not compile and returns its first error.
    Diagnostic first_error(const Request& request) {
        const auto out = compile(request);
        if (!out || out->ok) return {};
        const auto found = std::ranges::find(out->diagnostics, Severity::error, &Diagnostic::severity);
        return found == out->diagnostics.end() ? Diagnostic{} : *found;
    }

private Q_SLOTS:
    void initTestCase() {
        auto compiler = open_compiler();
        if (!compiler) QSKIP(compiler.error().message.c_str());
        compiler_ = std::move(*compiler);
        const std::vector<std::string> known = compiler_->architectures();
        QVERIFY(std::ranges::find(known, "sm_90") != known.end());
    }

    void kernels_have_parameters_and_statistics() {
        const auto out = compile(
            one_file("template<int N> __global__ void __launch_bounds__(N) k(const float* x, float* y, short n) {\n"
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
        QCOMPARE(kernel.where, (Where{"k.cu", 1, 0}));
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

    void all_parameter_types() {
        const auto out = compile(one_file(
            "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
            "enum class Mode : unsigned char { a, b };\n"
            "struct alignas(16) Block { float v[4]; char c; };\n"
            "namespace n { struct P { double d; int i; }; }\n"
            "__global__ void k(__half* h, const __nv_bfloat16* b, bool f, long long l, unsigned char u, Mode m, Block "
            "s,\n"
            "                  n::P p, float4 v, __half x, int (*t)[4], unsigned n, signed char i, double d) {\n"
            "    if (f) h[n + u + i] = x;\n}\n"));
        QVERIFY(out);
        QVERIFY2(out->ok, out->log.c_str());
        struct Expected {
            const char* type;
            bool pointer;
            std::uint32_t offset, bytes, align;
        };
        const Expected expected[] = {{"__half*", true, 0, 8, 8},         {"__nv_bfloat16 const*", true, 8, 8, 8},
                                     {"bool", false, 16, 1, 1},          {"long long", false, 24, 8, 8},
                                     {"unsigned char", false, 32, 1, 1}, {"Mode", false, 33, 1, 1},
                                     {"Block", false, 48, 32, 16},       {"n::P", false, 80, 16, 8},
                                     {"float4", false, 96, 16, 16},      {"__half", false, 112, 2, 2},
                                     {"int (*) [4]", true, 120, 8, 8},   {"unsigned int", false, 128, 4, 4},
                                     {"signed char", false, 132, 1, 1},  {"double", false, 136, 8, 8}};
        const std::vector<Parameter>& parameters = out->kernels.at(0).parameters;
        QCOMPARE(parameters.size(), std::size(expected));
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            QCOMPARE(parameters[i].type, std::string(expected[i].type));
            QCOMPARE(parameters[i].pointer, expected[i].pointer);
            QCOMPARE(parameters[i].offset, expected[i].offset);
            QCOMPARE(parameters[i].bytes, expected[i].bytes);
            QCOMPARE(parameters[i].align, expected[i].align);
        }
    }

    void kernels_without_mangled_names_take_types_from_the_source() {
        const auto out = compile(one_file("extern \"C\" __global__ void plain(const float* __restrict__ x, float *y, "
                                          "unsigned long long n, int a[4],\n"
                                          "                                 float) { y[n] = x[a[0]]; }\n"));
        QVERIFY(out);
        QVERIFY2(out->ok, out->log.c_str());
        const Kernel& kernel = out->kernels.at(0);
        QCOMPARE(kernel.name, std::string("plain"));
        const std::vector<std::pair<std::string, bool>> expected{
            {"const float*", true}, {"float*", true}, {"unsigned long long", false}, {"int*", true}, {"float", false}};
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(kernel.parameters.at(i).type, expected[i].first);
            QCOMPARE(kernel.parameters.at(i).pointer, expected[i].second);
        }
    }

    void names_in_every_spelling() {
        Request request = one_file("namespace a { template<int N, class T> __global__ void k(T* x) { *x = N; } }\n"
                                   "extern \"C\" __global__ void c(int* x) { *x = 1; }\n"
                                   "__global__ void p(int* x) { *x = 2; }\n",
                                   {"a::k<BLOCK, float>", "p", "c", "::a::k< BLOCK*2 , double >", "p"});
        request.defines = {{"BLOCK", "64"}};
        const auto out = compile(request);
        QVERIFY(out);
        QVERIFY2(out->ok, out->log.c_str());
        std::vector<std::string> lowered;
        for (const Kernel& kernel : out->kernels) lowered.push_back(kernel.lowered);
        QCOMPARE(lowered, (std::vector<std::string>{"_ZN1a1kILi64EfEEvPT0_", "_Z1pPi", "c", "_ZN1a1kILi128EdEEvPT0_",
                                                    "_Z1pPi"}));
        QCOMPARE(out->kernels[3].name, std::string("::a::k< BLOCK*2 , double >"));
    }

    void missing_kernel_suggests_a_near_one() {
        const Diagnostic error =
            first_error(one_file("//@ launch softmx<<<1, 2>>>(x)\n__global__ void softmax(int* x) {}\n", {"softmx"}));
        QCOMPARE(error.message, std::string("no kernel 'softmx'; did you mean 'softmax'?"));
        QCOMPARE(error.file, std::string("k.cu"));
        QCOMPARE(error.line, 1);
        QCOMPARE(error.column, 12);
        QCOMPARE(first_error(one_file("__global__ void a() {}\n__global__ void b() {}\n", {"unlike"})).message,
                 std::string("no kernel 'unlike'; the source has a and b"));
        QCOMPARE(first_error(one_file("", {"k"})).message,
                 std::string("no kernel 'k'; the source has no __global__ function"));
        QVERIFY(first_error(one_file("__device__ void f() {}\n", {"f"})).message.contains("f"));
    }

    void every_wrong_name_is_told_whatever_its_order() {
        const auto out =
            compile(one_file("template<int N> __global__ void k(int* x) { *x = N; }\n", {"k<1>", "zz", "aa", "k<x>"}));
        QVERIFY(out && !out->ok);
        QCOMPARE(out->diagnostics.size(), std::size_t{3});
        for (const char* const name : {"zz", "aa", "k<x>"})
            QVERIFY(std::ranges::any_of(out->diagnostics, [&](const Diagnostic& d) {
                return d.message.contains(std::string("'") + name + "'");
            }));
    }

    void overloads_are_named() {
        const Diagnostic error =
            first_error(one_file("__global__ void k(int* a) {}\n__global__ void k(float* a, int n) {}\n", {"k"}));
        QCOMPARE(error.message,
                 std::string("kernel 'k' is overloaded: k(int* a), k(float* a, int n); give each a name of its own"));
        QCOMPARE(error.notes.size(), std::size_t{2});
        QCOMPARE(error.notes[1].line, 2);
    }

    void template_needs_its_arguments() {
        const Diagnostic error =
            first_error(one_file("template<int N> __global__ void k(int* a) { *a = N; }\n", {"k"}));
        QVERIFY(error.message.starts_with("kernel 'k' is a template"));
    }

    void messages_have_columns_and_codes() {
        const auto out = compile(one_file("__global__ void k(float* a) {\n\tint unused;\n\t*a = missing;\n}\n"));
        QVERIFY(out && !out->ok);
        QCOMPARE(out->diagnostics.size(), std::size_t{2});
        QCOMPARE(out->diagnostics[0].line, 3);
        QCOMPARE(out->diagnostics[0].column, 7);
        QCOMPARE(out->diagnostics[0].file, std::string("k.cu"));
        QCOMPARE(out->diagnostics[0].message, std::string("identifier \"missing\" is undefined"));
        QCOMPARE(out->diagnostics[1].severity, Severity::warning);
        QCOMPARE(out->diagnostics[1].code, std::string("177"));
        QCOMPARE(out->diagnostics[1].column, 6);
    }

    void instantiations_and_candidates_are_notes() {
        Request request = one_file("#include \"h.h\"\n"
                                   "template<class T> __device__ void g(T t) { f(t); }\n"
                                   "__device__ void c(int, int);\n"
                                   "__global__ void k(float* a) {\n    g(1.0f);\n    c(a);\n}\n");
        request.files["h.h"] =
            "template<class T> __device__ void f(T t) {\n    t.member();\n}\n__device__ void c(float*, int);\n";
        const auto out = compile(request);
        QVERIFY(out && !out->ok);
        const auto in_header = std::ranges::find(out->diagnostics, std::string("h.h"), &Diagnostic::file);
        QVERIFY(in_header != out->diagnostics.end());
        QCOMPARE(in_header->line, 2);
        QCOMPARE(in_header->column, 5);
        QCOMPARE(in_header->notes.size(), std::size_t{2});
        QCOMPARE(in_header->notes[0].file, std::string("k.cu"));
        QCOMPARE(in_header->notes[0].line, 2);
        QVERIFY(in_header->notes[0].message.starts_with("instantiation of"));
        QCOMPARE(in_header->notes[1].line, 5);
        const auto call = std::ranges::find(out->diagnostics, 6, &Diagnostic::line);
        QVERIFY(call != out->diagnostics.end());
        QVERIFY(call->message.contains("argument types are: (float *)"));
        QCOMPARE(call->notes.size(), std::size_t{2});
    }

    void a_template_that_does_not_instantiate() {
        const Diagnostic error = first_error(one_file(
            "template<int N> __global__ void k(int* x) {\n    static_assert(N > 4, \"too small\");\n}\n", {"k<2>"}));
        QVERIFY(error.message.contains("too small"));
        QCOMPARE(error.line, 2);
        QCOMPARE(error.notes.size(), std::size_t{1});
    }

    void assembler_errors_lead_to_the_source() {
        const Diagnostic error =
            first_error(one_file("__global__ void k(float* a) {\n    *a = 1;\n    asm volatile(\"foo.bar;\");\n}\n"));
        QCOMPARE(error.file, std::string("k.cu"));
        QCOMPARE(error.line, 3);
        QCOMPARE(error.code, std::string("ptxas"));
    }

    void too_much_shared_memory() {
        const Diagnostic error = first_error(
            one_file("__global__ void other() {}\n"
                     "__global__ void k(float* a) {\n    __shared__ float s[100000];\n    s[threadIdx.x] = a[0];\n"
                     "    __syncthreads();\n    a[1] = s[5];\n}\n",
                     {"k"}));
        QVERIFY2(error.message.contains("shared data"), error.message.c_str());
        QVERIFY(error.message.contains("k(float*)") || error.message.contains("'k'"));
        QCOMPARE(error.line, 2);
    }

    void an_undefined_function() {
        const Diagnostic error =
            first_error(one_file("__device__ float g(float);\n__global__ void k(float* a) { *a = g(*a); }\n"));
        QVERIFY2(error.message.contains("Unresolved extern function 'g"), error.message.c_str());
    }

    void too_large_parameters() {
        const Diagnostic error =
            first_error(one_file("struct S { char c[40000]; };\n__global__ void k(S s, char* a) { *a = s.c[*a]; }\n"));
        QVERIFY2(error.message.contains("arameter space"), error.message.c_str());
        QCOMPARE(error.line, 2);
    }

    void spills_are_counted() {
        const auto out = compile(one_file(
            "__global__ void __launch_bounds__(1024) k(float* a) {\n    float r[300];\n"
            "#pragma unroll\n    for (int i = 0; i < 300; i++) r[i] = a[i * threadIdx.x];\n    __syncthreads();\n"
            "#pragma unroll\n    for (int i = 0; i < 300; i++) a[i * 3] = r[299 - i] * r[i];\n}\n"));
        QVERIFY(out && out->ok);
        QVERIFY(out->kernels.at(0).spill_bytes > 0);
        QVERIFY(out->kernels.at(0).local_bytes > 0);
        QVERIFY(out->kernels.at(0).registers <= 64);
    }

    void ptx_alone() {
        Request request = one_file("__global__ void k(float* a) {\n    __shared__ float s[8];\n    s[threadIdx.x] = "
                                   "*a;\n    __syncthreads();\n"
                                   "    *a = s[1];\n}\n");
        request.cubin = false;
        const auto out = compile(request);
        QVERIFY(out && out->ok);
        QVERIFY(out->cubin.empty());
        QVERIFY(out->ptx.contains(".target sm_90"));
        QVERIFY(out->ptx.contains("\"k.cu\""));
        QVERIFY(!out->ptx.contains("/dev/null"));
        QCOMPARE(out->kernels.at(0).registers, 0u);
        QCOMPARE(out->kernels.at(0).shared_bytes, 32u);
    }

    void syntax_only() {
        Request request = one_file("__global__ void k(float* a) { *a = nothing; }\n");
        request.syntax_only = true;
        auto out = compile(request);
        QVERIFY(out && !out->ok);
        QCOMPARE(out->diagnostics.size(), std::size_t{1});
        request.files["k.cu"] = "__global__ void k(float* a) { *a = 1; }\n";
        out = compile(request);
        QVERIFY(out && out->ok);
        QVERIFY(out->ptx.empty() && out->diagnostics.empty());
    }

    void expected_names_exist() {
        const auto out =
            compile(one_file("#include <cmath>\n#include <cstdint>\n#include <stdio.h>\n#include <algorithm>\n#include "
                             "<cuda_runtime.h>\n"
                             "__device__ constexpr float inf = -INFINITY;\n"
                             "static_assert(sizeof(uint64_t) == 8 && INT_MAX == 2147483647 && UINT8_MAX == 255);\n"
                             "__global__ void k(float* a, std::int32_t n) {\n"
                             "    float best = inf;\n"
                             "    for (uint i = 0; i < uint32_t(n); ++i) best = std::max(best, std::sqrt(a[i]));\n"
                             "    a[0] = best == FLT_MAX ? NAN : best * float(M_PI);\n    printf(\"%f\", a[0]);\n    "
                             "assert(n > 0);\n}\n"));
        QVERIFY(out);
        QVERIFY2(out->ok && out->diagnostics.empty(), out->log.c_str());
    }

    void own_definitions_win() {
        const auto out = compile(
            one_file("#define INFINITY 1e30f\n#define M_PI 3\n#ifndef NAN\n#define NAN 0\n#endif\n"
                     "typedef unsigned long uint64_t;\nusing int8_t = char;\n__device__ const float FLT_MAX = 3.0f;\n"
                     "enum { INT_MAX = 5 };\nstruct uint {};\n"
                     "static_assert(INT_MAX == 5 && M_PI == 3);\n"
                     "__global__ void k(float* a, uint64_t n, int8_t c) { *a = INFINITY + FLT_MAX + NAN + c; }\n"));
        QVERIFY(out);
        QVERIFY2(out->ok && out->diagnostics.empty(), out->log.c_str());
        QCOMPARE(out->kernels.at(0).parameters.at(1).type, std::string("unsigned long"));
    }

    void toolkit_headers() {
        const auto out = compile(one_file(
            "#include <cooperative_groups.h>\n#include <cuda/std/cstdint>\n#include <cuda/std/limits>\n#include "
            "<mma.h>\n"
            "#include <type_traits>\n#include <limits>\n"
            "static_assert(std::is_same_v<int, int>);\n"
            "__global__ void k(float* a) {\n    auto g = cooperative_groups::this_thread_block();\n    g.sync();\n"
            "    *a = std::numeric_limits<float>::infinity();\n}\n"));
        QVERIFY(out);
        QVERIFY2(out->ok, out->log.c_str());
    }

    /// Headers are kept precompiled between runs; a changed one must not be taken as it was, and its warnings must not
    /// vanish.
    void changed_headers_are_seen() {
        Request request = one_file("#include <cuda_fp16.h>\n#include \"h.h\"\n__global__ void k(int* a) { *a = V; }\n");
        request.cubin = false;
        for (const char* const value : {"1111", "1111", "2222", "3333", "2222"}) {
            request.files["h.h"] = std::string("#pragma once\n#warning noted\n#define V ") + value + "\n";
            const auto out = compile(request);
            QVERIFY(out && out->ok);
            QVERIFY(out->ptx.contains(value));
            QCOMPARE(out->diagnostics.size(), std::size_t{1});
            QCOMPARE(out->diagnostics[0].file, std::string("h.h"));
            QCOMPARE(out->diagnostics[0].line, 2);
            QVERIFY(!out->log.contains("precompiled"));
        }
        request.files["h.h"] = "#pragma once\n#define V W\n";
        for (const char* const value : {"4444", "5555"}) {
            request.defines = {{"W", value}};
            const auto out = compile(request);
            QVERIFY(out && out->ok && out->diagnostics.empty());
            QVERIFY(out->ptx.contains(value));
        }
    }

    void many_header_states() {
        Request request = one_file("#include <cuda_fp16.h>\n#include \"h.h\"\n__global__ void k(int* a) { *a = V; }\n");
        request.syntax_only = true;
        for (int i = 0; i < 30; ++i) {
            request.files["h.h"] = "#define V " + std::to_string(i) + "\n";
            const auto out = compile(request);
            QVERIFY(out && out->ok && out->diagnostics.empty());
        }
    }

    void bad_requests() {
        Request request = one_file("__global__ void k() {}\n");
        request.main = "other.cu";
        QCOMPARE(compile(request).error().code, ErrorCode::invalid_input);
        request.main = "k.cu";
        request.arch = "sm_12";
        QCOMPARE(compile(request).error().code, ErrorCode::unsupported);
        request.arch = "sm_90 --x";
        QVERIFY(!compile(request));
        request.arch = "sm_90a";
        QVERIFY(compile(request));
        request.defines = {{"A B", "1"}};
        QVERIFY(!compile(request));
        request.defines = {{"A", "1\n#include \"/etc/passwd\""}};
        QVERIFY(!compile(request));
        request.defines = {};
        request.kernels = {"k\n#include \"/etc/passwd\""};
        QVERIFY(!compile(request));
    }

    void odd_texts() {
        auto out = compile(one_file(""));
        QVERIFY(out && out->ok && out->kernels.empty());
        out = compile(one_file(std::string(50 << 20, 'x')));
        QVERIFY(!out);
        QCOMPARE(out.error().message, std::string("the source has 50 MiB, more than the 16 MiB that are compiled"));
        out = compile(one_file(std::string("int a;\n\0int b;", 14)));
        QVERIFY(!out);
        QCOMPARE(out.error().where, (Where{"k.cu", 2, 1}));
        out = compile(one_file("// caf\xE9\n__global__ void k(int* a) { *a = \xE9; }\n"));
        QVERIFY(out && !out->ok);
        QCOMPARE(out->diagnostics.at(0).line, 2);
        (void)to_json(*out).dump(); // throws on text that is not UTF-8
        out = compile(one_file("// \xE9\r\n__global__ void k(int* a) {\r\n    *a = missing;\r\n}\r\n"));
        QCOMPARE(out->diagnostics.at(0).line, 3);
        QCOMPARE(out->diagnostics.at(0).column, 10);
    }

    void deep_nesting() {
        for (const char* const pair : {"()", "{}", "[]"}) {
            const std::string open(100'000, pair[0]), close(100'000, pair[1]);
            const auto out = compile(one_file("__global__ void k(int* a) {\n  *a = " + open + "1" + close + ";\n}\n"));
            QVERIFY(!out);
            QVERIFY(out.error().message.contains("nest deeper"));
        }
        const std::string open(4000, '('), close(4000, ')');
        QVERIFY(compile(one_file("__global__ void k(int* a) { *a = " + open + "1" + close + "; }\n")));
        QVERIFY(compile(one_file("__global__ void k(int* a) { *a = " + std::string(100'000, '!') + "1; }\n")));
    }

    void cancelling_returns_at_once() {
        const Request slow = one_file("template<int N> struct S { static __device__ int f(int x) { return S<N - "
                                      "1>::f(x * N) + S<N - 1>::f(x + N); } };\n"
                                      "template<> struct S<0> { static __device__ int f(int x) { return x; } };\n"
                                      "__global__ void k(int* a) { *a = S<17>::f(*a); }\n");
        std::stop_source stop;
        std::chrono::steady_clock::time_point asked;
        const std::jthread canceller([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            asked = std::chrono::steady_clock::now();
            stop.request_stop();
        });
        const auto out = compiler_->compile(slow, stop.get_token());
        const auto returned = std::chrono::steady_clock::now();
        QVERIFY(!out);
        QCOMPARE(out.error().code, ErrorCode::cancelled);
        QVERIFY(returned - asked < std::chrono::milliseconds(100));
        const auto next = compile(one_file("__global__ void k() {}\n"));
        QVERIFY(next && next->ok);
    }

    void what_does_not_end_is_stopped() {
        Request request = one_file("template<int N> struct S { static __device__ int f(int x) { return S<N - "
                                   "1>::f(x * N) + S<N - 1>::f(x + N); } };\n"
                                   "template<> struct S<0> { static __device__ int f(int x) { return x; } };\n"
                                   "__global__ void k(int* a) { *a = S<17>::f(*a); }\n");
        request.timeout_s = 0.3;
        const auto start = std::chrono::steady_clock::now();
        const auto out = compile(request);
        const auto took = std::chrono::steady_clock::now() - start;
        QVERIFY2(out, out ? "" : describe(out.error()).c_str());
        QVERIFY(!out->ok);
        QVERIFY(took < std::chrono::milliseconds(500));
        QVERIFY(out->milliseconds >= 300);
        QCOMPARE(out->diagnostics.size(), std::size_t{1});
        QCOMPARE(out->diagnostics[0].file, std::string("k.cu"));
        QVERIFY(out->diagnostics[0].message.starts_with("the compilation did not end within 0.3 s and was stopped"));
        const auto next = compile(one_file("__global__ void k() {}\n"));
        QVERIFY(next && next->ok);
    }

    void the_locale_survives() {
        const std::string before = std::setlocale(LC_ALL, nullptr);
        QVERIFY(compile(one_file("__global__ void k() {}\n")));
        QCOMPARE(std::string(std::setlocale(LC_ALL, nullptr)), before);
    }

    void as_json() {
        const auto out = compile(one_file("__global__ void k(int* a) { int u; *a = 1; }\n"));
        QVERIFY(out);
        const Json json = to_json(*out);
        QVERIFY(json["ok"].get<bool>());
        QCOMPARE(json["kernels"][0]["parameters"][0]["type"].get<std::string>(), std::string("int*"));
        QCOMPARE(json["diagnostics"][0]["severity"].get<std::string>(), std::string("warning"));
        QCOMPARE(json["diagnostics"][0]["line"].get<int>(), 1);
    }
};

QTEST_APPLESS_MAIN(CompileTest)
#include "test_compile.moc"
