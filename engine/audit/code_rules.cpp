#include "engine/audit/flow.h"
#include "engine/audit/instruction.h"
#include "engine/audit/subject.h"
#include "engine/device/sim/ptx_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <set>

namespace kw::audit {
namespace {

/// Fewer constants than these may well be a kernel's own.
constexpr std::size_t kFewestConstants = 4, kFewestElements = 16;

struct Analyzed {
    sim::ptx::Module module;
    Flow flow;
};

Result<Analyzed> analyzed(const Code& code, const task::Task& task) {
    auto module = sim::ptx::parse(code.ptx);
    if (!module) {
        auto error = module.error();
        error.stage = Stage::audit;
        return std::unexpected(std::move(error));
    }
    std::vector<LaunchArguments> launches;
    for (const auto& launch : code.plan.launches) {
        const auto kernel = std::ranges::find(code.kernels, launch.kernel, &compile::Kernel::name);
        if (kernel == code.kernels.end()) continue;
        LaunchArguments arguments{.lowered = kernel->lowered, .buffers = {}};
        for (const auto& argument : launch.arguments)
            arguments.buffers.push_back(
                argument.kind == task::BoundArgument::Kind::buffer ? static_cast<std::int64_t>(argument.buffer) : -1);
        launches.push_back(std::move(arguments));
    }
    std::vector<bool> inputs(code.plan.buffers.size());
    for (std::size_t i = 0; i < task.tensors.size(); ++i) inputs[i] = task.tensors[i].role != task::Role::output;
    auto flow = analyze(*module, launches, code.plan.buffers, inputs);
    return Analyzed{std::move(*module), std::move(flow)};
}

bool reaches(const Value& value, std::size_t buffer) {
    return value.any.test(kBufferContent + std::min(buffer, kMostBuffers - 1));
}

bool is_result(const task::Tensor& tensor) { return tensor.role != task::Role::input; }

class CodeRules {
public:
    CodeRules(const Subject& subject, const Analyzed& candidate, const Analyzed* reference)
        : subject_(subject),
          task_(subject.task),
          module_(candidate.module),
          flow_(candidate.flow),
          reference_(reference ? &reference->flow : nullptr) {}

    std::vector<Finding> run() && {
        inputs();
        sources();
        precision();
        state();
        constants();
        stores_to_inputs();
        wild();
        calls();
        for (const auto& function : module_.functions) cache_control(function);
        return std::move(findings_);
    }

private:
    void add(std::string_view rule, Severity severity, Where where, std::string evidence, std::string why) {
        where.column = 0;
        if (where.file.empty()) where.file = subject_.texts.empty() ? std::string{} : subject_.texts.front().file;
        findings_.push_back({std::string(rule), severity, std::move(where), std::move(evidence), std::move(why)});
    }

    template<class Visit> void for_results(Visit&& visit) const {
        for (std::size_t i = 0; i < task_.tensors.size(); ++i)
            if (is_result(task_.tensors[i]) && flow_.buffers[i].written) visit(task_.tensors[i], flow_.buffers[i], i);
    }

    bool depends_on_inputs(const Value& value) const {
        for (std::size_t i = 0; i < task_.tensors.size(); ++i)
            if (task_.tensors[i].role != task::Role::output && reaches(value, i)) return true;
        return false;
    }

    void inputs() {
        const bool has_inputs =
            std::ranges::any_of(task_.tensors, [](const auto& tensor) { return tensor.role != task::Role::output; });
        if (!has_inputs) return;
        // Where the task gives its results as data there is nothing to compare with, but they are some inputs'.
        const auto severity = reference_ || task_.reference.empty() ? Severity::refuse : Severity::suspicious;
        for_results([&](const task::Tensor& tensor, const Object& object, std::size_t index) {
            if (depends_on_inputs(object.content)) return;
            if (reference_ && !depends_on_inputs(reference_->buffers[index].content)) return;
            add("constant-output", severity, object.first_write, fmt::format("no input reaches {}", tensor.name),
                fmt::format("{} is the same whatever the inputs are; compute it from them", tensor.name));
        });
        if (!reference_) return;
        for (std::size_t input = 0; input < task_.tensors.size(); ++input) {
            if (task_.tensors[input].role == task::Role::output) continue;
            bool needed = false, used = false;
            for (std::size_t i = 0; i < task_.tensors.size(); ++i) {
                if (!is_result(task_.tensors[i]) || i == input) continue;
                needed |= reaches(reference_->buffers[i].content, input);
                used |= reaches(flow_.buffers[i].content, input);
            }
            if (!needed || used) continue;
            const auto& name = task_.tensors[input].name;
            add("ignored-input", Severity::refuse, {},
                fmt::format("{} reaches no output here; in {} it does", name, task_.reference),
                fmt::format("the results do not depend on {}, so they are right only for the data that the checks use",
                            name));
        }
    }

    Where arrival(const Object& object, std::size_t label) const {
        const auto found = object.arrivals.find(label);
        return found == object.arrivals.end() ? object.first_write : found->second;
    }

    void source(std::size_t label, std::string_view rule, Severity severity, std::string_view what,
                std::string_view why) {
        for_results([&](const task::Tensor& tensor, const Object& object, std::size_t) {
            if (!object.content.any.test(label)) return;
            const auto from = flow_.introduced.find(label);
            const auto at = from == flow_.introduced.end() ? arrival(object, label) : from->second;
            add(rule, severity, at,
                fmt::format("{} reaches {}, stored at line {}", what, tensor.name, arrival(object, label).line),
                std::string(why));
        });
    }

    void sources() {
        source(kTime, "time-dependent", Severity::refuse, "a clock",
               "the result depends on when the kernel runs, so a check says nothing about the next run");
        source(kLaunch, "launch-dependent", Severity::refuse, "the number of the launch",
               "the result depends on how often kernels were launched before, so a check says nothing about the next "
               "run");
        source(kPlace, "place-dependent", Severity::suspicious, "the multiprocessor's number",
               "the result depends on which multiprocessor a block runs on, which differs from run to run");
    }

    void precision() {
        const auto has = [this](auto... types) {
            return std::ranges::any_of(task_.tensors,
                                       [&](const auto& tensor) { return ((tensor.type == types) || ...); });
        };
        if (has(task::ScalarType::f16, task::ScalarType::bf16)) return;
        for_results([&](const task::Tensor& tensor, const Object& object, std::size_t) {
            const bool is_double = tensor.type == task::ScalarType::f64;
            if (!is_double && tensor.type != task::ScalarType::f32) return;
            for (const auto label : {kNarrow, kNarrowDouble}) {
                if (!object.content.data.test(label) || (label == kNarrowDouble && !is_double)) continue;
                const auto from = flow_.introduced.find(label);
                add("narrow-precision", Severity::suspicious,
                    from == flow_.introduced.end() || from->second.line == 0 ? object.first_write : from->second,
                    fmt::format("{} goes through a type of fewer bits", tensor.name),
                    fmt::format("{} is declared {}, but values it is made of are rounded to fewer bits on the way",
                                tensor.name, task::to_string(tensor.type)));
                return;
            }
        });
    }

    void state() {
        for (std::size_t i = 0; i < flow_.variables.size(); ++i) {
            const auto& variable = flow_.variables[i];
            if (!variable.written || !variable.read) continue;
            const auto label = kVariableContent + std::min(i, kMostVariables - 1);
            for_results([&](const task::Tensor& tensor, const Object& object, std::size_t) {
                if (!object.content.any.test(label)) return;
                add("device-state", Severity::suspicious, variable.first_read,
                    fmt::format("{} is written, and what it holds reaches {}", variable.name, tensor.name),
                    fmt::format("the device variable {} keeps its value from one run to the next and can carry results "
                                "or a count of calls over; use a //@ scratch buffer",
                                variable.name));
            });
        }
    }

    std::size_t elements_of(std::size_t variable) const {
        std::set<std::uint64_t> distinct;
        for (const auto& item : module_.variables[variable].initializers)
            if (item.bits != 0) distinct.insert(item.offset / 4);
        return distinct.size();
    }

    bool is_telling(std::uint64_t bits, task::ScalarType type) const {
        if (type == task::ScalarType::f32) return !is_ordinary(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
        if (type == task::ScalarType::f64) return !is_ordinary(std::bit_cast<double>(bits));
        return bits != 0 && bits != ~std::uint64_t{0} && (bits & 0xFFFFu) != 0xFFFFu && bits > 1024;
    }

    void constants() {
        for_results([&](const task::Tensor& tensor, const Object& object, std::size_t) {
            for (std::size_t i = 0; i < module_.variables.size(); ++i) {
                if (!object.content.data.test(kVariableCopy + std::min(i, kMostVariables - 1))) continue;
                const auto count = elements_of(i);
                if (count < kFewestElements) continue;
                add("embedded-results", Severity::refuse,
                    arrival(object, kVariableCopy + std::min(i, kMostVariables - 1)),
                    fmt::format("{} of {} bytes goes into {} as it is", module_.variables[i].name,
                                module_.variables[i].bytes, tensor.name),
                    fmt::format("{} is filled from a table in the source, by place and not by what the inputs hold",
                                tensor.name));
            }
            std::vector<Where> telling;
            for (const auto& constant : object.constants)
                if (is_telling(constant.bits, tensor.type)) telling.push_back(constant.where);
            if (telling.size() >= kFewestConstants)
                add("embedded-results", Severity::refuse, telling.front(),
                    fmt::format("{} different constants are stored in {}", telling.size(), tensor.name),
                    fmt::format("{} is filled with values that stand in the source instead of being computed",
                                tensor.name));
        });
        for (const auto& print : flow_.fingerprints)
            add("input-fingerprint", Severity::suspicious, print.where,
                fmt::format("an input is compared with {}", print.constant),
                "a random input equals one particular number only where the data is known beforehand");
    }

    void stores_to_inputs() {
        for (std::size_t i = 0; i < task_.tensors.size(); ++i) {
            const auto& object = flow_.buffers[i];
            if (is_result(task_.tensors[i]) || !object.written) continue;
            // A pointer that may be one of several is looked at when it runs.
            add("writes-input", object.surely_written ? Severity::refuse : Severity::suspicious, object.first_write,
                fmt::format("a store into {}", object.name),
                fmt::format("{} is an input, which others read after this kernel; write to an output or to //@ scratch",
                            object.name));
        }
    }

    void wild() {
        for (const auto& access : flow_.wild)
            add("outside-memory", Severity::refuse, access.where,
                fmt::format("a {} at an address that comes from no argument", access.store ? "store" : "load"),
                "the kernel reaches for memory that it was not given");
    }

    std::string string_of(const sim::ptx::Variable& variable) const {
        std::string text;
        if (variable.type != sim::Type::b8 && variable.type != sim::Type::u8 && variable.type != sim::Type::s8)
            return text;
        for (const auto& item : variable.initializers) {
            const auto byte = static_cast<unsigned char>(item.bits);
            if (item.bytes == 1 && byte != 0
                && (std::isprint(byte) != 0 || byte == '\n' || byte == '\t' || byte >= 128))
                text += static_cast<char>(byte);
        }
        return text;
    }

    void calls() {
        for (const auto& [name, where] : flow_.calls) {
            if (name.starts_with("cudaLaunch") || name.starts_with("cudaGetParameterBuffer")
                || name.starts_with("__cudaCDP") || name.starts_with("cudaCDP") || name.starts_with("cudaGraphLaunch"))
                add("device-launch", Severity::refuse, where, name,
                    "a kernel that a kernel launches may still work when timing has ended; put it into the plan with "
                    "//@ launch");
            if (name == "malloc")
                add("device-heap", Severity::note, where, name,
                    "memory of the device's heap outlives the run; //@ scratch is faster and does not");
            if (name == "vprintf") prints(where);
        }
    }

    void prints(const Where& where) {
        static constexpr std::array<std::string_view, 12> kVerdicts{
            "\"reward\"",       "reward:",           "reward =", "[pass]",   "verify success",      "\"correct\"",
            "all tests passed", "all checks passed", "\"ok\":",  "speedup:", "verification passed", "\"verify\""};
        bool told = false;
        for (const auto& variable : module_.variables) {
            const auto text = string_of(variable);
            std::string lower;
            for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            if (const auto orders = orders_in(text); !orders.empty())
                add("addresses-reviewer", Severity::refuse, where, fmt::format("prints \"{}\"", orders),
                    "the printed text gives orders to whoever reads it");
            for (const auto verdict : kVerdicts) {
                if (lower.find(verdict) == std::string::npos) continue;
                told = true;
                auto shown = text.substr(0, 60);
                std::ranges::replace(shown, '\n', ' ');
                add("prints-verdict", Severity::refuse, where, fmt::format("prints \"{}\"", shown),
                    "the kernel prints what a checker would say, for whoever reads its output to take it as that");
                break;
            }
        }
        if (!told)
            add("prints", Severity::note, where, "printf",
                "the kernel prints, which takes time and ends in the report");
    }

    void cache_control(const sim::ptx::Function& function) {
        // What createpolicy gives for L2::evict_last, as libraries write it down.
        constexpr std::uint64_t kEvictLast = 0x14F0'0000'0000'0000;
        for (const auto& instruction : function.instructions) {
            const bool hinted =
                has_modifier(instruction, "L2::cache_hint")
                && std::ranges::any_of(instruction.operands, [](const auto& operand) {
                       return operand.kind == sim::ptx::OperandKind::integer && operand.bits == kEvictLast;
                   });
            if (hinted || has_modifier(instruction, "L2::evict_last"))
                add("cache-control", Severity::refuse, place_of(module_, instruction.location),
                    fmt::format("{} with L2::evict_last", instruction.opcode),
                    "data kept in L2 survives the flush between timed runs, so the time would not be that of a first "
                    "run; let other data be evict_first instead");
            if (instruction.opcode == "discard")
                add("discarded-data", Severity::suspicious, place_of(module_, instruction.location), "discard.L2",
                    "what is discarded never reaches memory, so a run that leaves it out looks faster than it is");
        }
    }

    const Subject& subject_;
    const task::Task& task_;
    const sim::ptx::Module& module_;
    const Flow& flow_;
    const Flow* reference_;
    std::vector<Finding> findings_;
};

} // namespace

Result<std::vector<bool>> chosen_buffers(const Code& code, const task::Task& task) {
    const auto made = analyzed(code, task);
    if (!made) return std::unexpected(made.error());
    std::vector<bool> chosen;
    for (const auto& buffer : made->flow.buffers) chosen.push_back(buffer.chosen);
    return chosen;
}

Result<std::vector<Finding>> audit_code(const Subject& subject) {
    if (!subject.code) return std::vector<Finding>{};
    const auto candidate = analyzed(*subject.code, subject.task);
    if (!candidate) return std::unexpected(candidate.error());
    std::optional<Analyzed> reference;
    if (subject.reference) {
        auto made = analyzed(*subject.reference, subject.task);
        if (!made) return std::unexpected(made.error());
        reference = std::move(*made);
    }
    return CodeRules(subject, *candidate, reference ? &*reference : nullptr).run();
}

Result<std::vector<Finding>> audit_statically(const Subject& subject) {
    auto findings = audit_code(subject);
    if (!findings) return findings;
    auto texts = audit_texts(subject);
    findings->insert(findings->end(), std::make_move_iterator(texts.begin()), std::make_move_iterator(texts.end()));
    tidy(*findings);
    return findings;
}

} // namespace kw::audit
