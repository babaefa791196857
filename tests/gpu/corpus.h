#pragma once

#include "engine/device/device.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Every typed form of the instructions that the simulator runs, as a small kernel over edge values and random bits.
/// The same kernels run on a GPU, whose bits are recorded, and on the simulator, which is held against them.
namespace kw::corpus {

inline constexpr std::uint32_t kRows = 384; ///< operand tuples of a form; a multiple of a warp

/// How near to the hardware a result must be.
struct Bound {
    std::uint32_t ulp = 0;    ///< steps between representable values of the result's type
    double absolute = 0;      ///< or this much, whichever is more
    bool finite_only = false; ///< of matrix products: compare by `relative` of the largest magnitude in a row instead
};

struct Form {
    std::string name; ///< the instruction as PTX writes it, e.g. "add.rn.ftz.f32"
    std::string
        code; ///< computes %d from %a, %b, %c; %p %q %t0…%t7 (b32), %w0…%w3 (b64) are free, %s: 16 bytes of shared
    std::string to;                ///< type of %d, "f32"
    std::vector<std::string> from; ///< types of %a, %b, %c
    Bound bound{};
};

/// In a fixed order; names are unique.
[[nodiscard]] const std::vector<Form>& forms();

/// The kernel of a form: `name(out, a, b, c)`, pointers to kRows values each, one thread a row.
[[nodiscard]] std::string kernel_text(const Form& form, std::string_view name);
/// What stands before kernels.
[[nodiscard]] std::string header();

/// Column `index` of a form's operands, little-endian, kRows values of its type.
[[nodiscard]] std::vector<std::byte> operands(const Form& form, std::size_t index);
[[nodiscard]] std::uint32_t bytes_of(std::string_view type);

/// Runs a form; kRows values of its result. Fails where the device has no such instruction.
[[nodiscard]] Result<std::vector<std::byte>> run(device::Device& device, const Form& form);

/// "form<TAB>type<TAB>hex" lines after "# key value" ones.
struct Recording {
    std::vector<std::pair<std::string, std::string>> provenance;
    std::vector<std::pair<std::string, std::vector<std::byte>>> results; ///< by form name
};
[[nodiscard]] std::string to_text(const Recording& recording);
[[nodiscard]] Result<Recording> from_text(std::string_view text);

/// Rows of `got` that are further from `expected` than the form allows.
[[nodiscard]] std::vector<std::size_t> differing_rows(const Form& form, std::span<const std::byte> expected,
                                                      std::span<const std::byte> got);
/// The same, described; empty: none.
[[nodiscard]] std::vector<std::string> differences(const Form& form, std::span<const std::byte> expected,
                                                   std::span<const std::byte> got);

} // namespace kw::corpus
