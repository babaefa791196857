#include "engine/compile/names.h"

namespace kw::compile {

std::string task_name(std::string_view relative) { return std::string(kTaskRoot).append(relative); }

std::string task_relative(std::string_view name) {
    if (name.starts_with(kTaskRoot)) name.remove_prefix(kTaskRoot.size());
    return std::string(name);
}

bool is_pointer_type(std::string_view type) {
    // Qualifiers stand behind what they qualify: "float* const", "float* __restrict".
    for (const std::string_view qualifier : {" const", " volatile", " __restrict"})
        if (type.ends_with(qualifier)) return is_pointer_type(type.substr(0, type.size() - qualifier.size()));
    return type.ends_with('*') || type.ends_with('&') || type.contains("(*)") || type.contains("(&)");
}

} // namespace kw::compile
