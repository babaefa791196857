#include "engine/device/sim/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace kw::sim {
namespace {

bool opens(char letter) { return letter == '<' || letter == '('; }
bool closes(char letter) { return letter == '>' || letter == ')'; }

} // namespace

std::string demangled(std::string_view name) {
    if (!name.starts_with("_Z")) return std::string(name);
    const std::string mangled(name);
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
                                                      std::free);
    if (status != 0 || !text) return mangled;
    std::string_view out = text.get();
    // The parameter list goes, and what a template has before its name: its result's type.
    int depth = 0;
    if (out.ends_with(')')) {
        std::size_t at = out.size();
        do {
            --at;
            depth += closes(out[at]) ? 1 : opens(out[at]) ? -1 : 0;
        } while (at > 0 && depth > 0);
        out = out.substr(0, at);
    }
    depth = 0;
    for (std::size_t at = out.size(); at-- > 0;) {
        depth += closes(out[at]) ? 1 : opens(out[at]) ? -1 : 0;
        if (out[at] == ' ' && depth == 0) return std::string(out.substr(at + 1));
    }
    return std::string(out);
}

} // namespace kw::sim
