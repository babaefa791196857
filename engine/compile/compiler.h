#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

/// CUDA C++ to PTX and cubin with NVRTC, opened at run time.
namespace kw::compile {

enum class Severity { note, remark, warning, error };

/// One message of the compiler. `notes` are what the compiler printed under it (instantiation context, candidates).
struct Diagnostic {
    Severity severity = Severity::error;
    std::string file; ///< relative to the task, or as the compiler names it for toolkit headers; empty when it has none
    int line = 0;
    int column = 0;
    std::string message;
    std::string code; ///< the front end's number or name in text form, e.g. "20"; may be empty
    std::vector<Diagnostic> notes;
};

/// The kind of a kernel parameter, read from the mangled name where there is one and else from the PTX.
struct Parameter {
    std::string type; ///< as C++ spells it, "float const*"; empty when unknown (extern "C")
    bool pointer = false;
    std::uint32_t offset = 0; ///< bytes from the start of the parameter block
    std::uint32_t bytes = 0;
    std::uint32_t align = 0;
    std::string ptx_type; ///< u64, u32, f32, b8 …
};

struct Kernel {
    std::string name;    ///< as asked for: "softmax<256>"
    std::string lowered; ///< as in PTX and cubin: "_Z7softmaxILi256EEvPKfPfii"
    Where where{};       ///< first line of its body, when line information has it
    std::vector<Parameter> parameters;
    std::uint32_t registers = 0; ///< these five from ptxas; 0 when only PTX was made
    std::uint32_t shared_bytes = 0;
    std::uint32_t local_bytes = 0; ///< stack frame
    std::uint32_t spill_bytes = 0; ///< stores + loads
    std::uint32_t constant_bytes = 0;
    std::uint32_t max_threads = 0; ///< from __launch_bounds__, else 1024
};

/// Everything a compilation may read: file contents by task-relative name. Nothing else but the toolkit is readable.
using Files = std::map<std::string, std::string, std::less<>>;

struct Request {
    Files files;
    std::string main;                                         ///< key into files
    std::vector<std::pair<std::string, std::string>> defines; ///< -DNAME=VALUE
    std::vector<std::string> kernels; ///< name expressions as launches spell them; empty: every __global__ in the PTX
    std::string arch = "sm_90";
    bool cubin = true;        ///< also assemble (ptxas statistics come from here)
    bool syntax_only = false; ///< diagnostics only, as fast as possible
    bool line_info = true;
    double timeout_s = 60; ///< what takes longer does not compile, and a diagnostic says so
};

struct Output {
    bool ok = false;
    double milliseconds = 0;
    std::vector<Diagnostic> diagnostics;
    std::string ptx;
    std::string cubin;           ///< bytes; empty unless asked for
    std::vector<Kernel> kernels; ///< in the order asked for
    std::string log;             ///< the compiler's own text, whole
};

[[nodiscard]] Json to_json(const Diagnostic& diagnostic);
[[nodiscard]] Json to_json(const Kernel& kernel);
/// The inverses throw Json::exception on what to_json did not write.
[[nodiscard]] Diagnostic diagnostic_from_json(const Json& json);
[[nodiscard]] Kernel kernel_from_json(const Json& json);
/// `compile` of docs/design.md §3: ok, ms, diagnostics, kernels.
[[nodiscard]] Json to_json(const Output& output);

/// What becomes of a compilation that passed its deadline and was given up: a diagnostic of the source.
[[nodiscard]] Output stopped_output(const Request& request);

/// One warm NVRTC. Not thread-safe: one compilation at a time per object; objects share the library.
class Compiler {
public:
    virtual ~Compiler() = default;

    /// "13.0"
    [[nodiscard]] virtual std::string version() const = 0;
    /// Architectures that can be asked for, as "sm_90", ascending.
    [[nodiscard]] virtual std::vector<std::string> architectures() const = 0;

    /// A source that does not compile is an Output with ok == false, not an Error. Errors: an include that leaves the
    /// task and the toolkit (invalid_input, with its position), an unknown file or architecture, cancellation, a
    /// compiler that fails by itself.
    [[nodiscard]] virtual Result<Output> compile(const Request& request, std::stop_token stop) = 0;
};

/// Finds NVRTC (docs/design.md §1 gives the order) and opens it. `user_setting` is a folder or library path, or empty.
[[nodiscard]] Result<std::unique_ptr<Compiler>> open_compiler(const std::string& user_setting = {});

} // namespace kw::compile
