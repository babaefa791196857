#pragma once

#include "engine/base/json.h"
#include "engine/profile/findings.h"
#include "engine/profile/report.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kw::agent {

/// What an evaluation says of its kernels: its profile, where it has one, and what the compiler reported. Kernels are
/// named without template arguments; of several launches of one, the longest counts.
class Evidence {
public:
    Evidence() = default;
    /// What is missing or malformed is not known.
    explicit Evidence(const Json& evaluation);

    [[nodiscard]] std::optional<double> metric(std::string_view kernel, const std::string& id) const;
    /// The finding about `kernel` that rests on metric `id`, as its sentence.
    [[nodiscard]] std::optional<std::string> finding(std::string_view kernel, std::string_view id) const;
    /// Whether a memory is near its peak and busier than the SMs: computing less does not help.
    [[nodiscard]] bool memory_bound(std::string_view kernel) const;
    /// The value of a metric in lines [first, last] of `kernel`; none where there is none per line.
    [[nodiscard]] std::optional<double> in_lines(std::string_view kernel, const std::string& id, int first,
                                                 int last) const;
    /// Share of the kernel's samples (or, where there are none, instructions) in lines [first, last].
    [[nodiscard]] std::optional<double> share_of_lines(std::string_view kernel, int first, int last) const;

    struct Compiled {
        std::uint32_t registers = 0; ///< per thread
        std::uint64_t spill_bytes = 0;
    };
    [[nodiscard]] std::optional<Compiled> compiled(std::string_view kernel) const;

    struct Machine {
        std::string name;
        std::uint32_t sms = 0;
        std::uint32_t threads_per_sm = 0;
    };
    /// Where the GPU's data sheet is known.
    [[nodiscard]] std::optional<Machine> machine() const;

private:
    struct Launch {
        const profile::LaunchProfile* profile = nullptr;
        std::size_t number = 0;
    };
    [[nodiscard]] Launch launch(std::string_view kernel) const;

    std::optional<profile::Report> report_;
    std::map<std::string, Compiled, std::less<>> compiled_;
};

} // namespace kw::agent
