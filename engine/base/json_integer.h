#pragma once

#include "engine/base/json.h"

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

namespace kw {

/// The whole number that `json` is. Where it is none, or none that an Integer can hold, the library's type_error 302 is
/// thrown, while its own get<Integer>() would give some other number.
template<std::integral Integer> [[nodiscard]] Integer integer_from_json(const Json& json) {
    if (json.is_number_unsigned()) {
        if (const auto value = json.get<std::uint64_t>(); std::in_range<Integer>(value))
            return static_cast<Integer>(value);
    } else if (json.is_number_integer()) {
        if (const auto value = json.get<std::int64_t>(); std::in_range<Integer>(value))
            return static_cast<Integer>(value);
    }
    const std::string found = json.is_number() ? json.dump() : json.type_name();
    throw Json::type_error::create(302,
                                   std::string{"type must be a whole number "}
                                       + (std::unsigned_integral<Integer> ? "from 0" : "of 64 bits") + ", but is "
                                       + found,
                                   &json);
}

} // namespace kw
