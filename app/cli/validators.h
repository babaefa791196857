#pragma once

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>

/// What CLI11's own checks let through.
namespace kw::cli {

/// A finite number between two bounds, both included; "nan" is between any two for CLI::Range.
[[nodiscard]] inline CLI::Validator number_from(double least, double most) {
    return CLI::Validator{[least, most](const std::string& text) {
                              char* end = nullptr;
                              const double value = std::strtod(text.c_str(), &end);
                              if (end != text.c_str() && *end == '\0' && value >= least && value <= most)
                                  return std::string{};
                              return fmt::format("takes a number from {:g} to {:g}; '{}' is none", least, most, text);
                          },
                          std::string{}};
}

/// A whole number from 0: CLI11 takes "-1" for the largest there is where the type has no sign.
[[nodiscard]] inline CLI::Validator not_negative() {
    return CLI::Validator{[](const std::string& text) {
                              return text.starts_with('-') ? fmt::format("takes a number from 0; '{}' is none", text)
                                                           : std::string{};
                          },
                          std::string{}};
}

/// An empty text is most often a variable that is not set.
[[nodiscard]] inline CLI::Validator not_empty() {
    return CLI::Validator{[](const std::string& text) {
                              return text.empty() ? std::string{"is empty; leave it out or give it a value"}
                                                  : std::string{};
                          },
                          std::string{}};
}

} // namespace kw::cli
