// The words after an opcode.
#include "engine/device/sim/decoder_impl.h"

#include <algorithm>
#include <utility>

namespace kw::sim {

bool Modifiers::take(std::string_view word) {
    const auto at = std::find(words_.begin(), words_.end(), word);
    if (at == words_.end()) return false;
    words_.erase(at);
    return true;
}

void Modifiers::drop(std::initializer_list<std::string_view> ignored) {
    for (std::string_view word : ignored) {
        while (take(word)) {
        }
    }
}

std::optional<Type> Modifiers::take_last_type() {
    for (std::size_t index = words_.size(); index-- > 0;) {
        if (const auto type = type_from(words_[index])) {
            words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(index));
            return type;
        }
    }
    return std::nullopt;
}

std::optional<Type> Modifiers::take_first_type() {
    for (std::size_t index = 0; index < words_.size(); ++index) {
        if (const auto type = type_from(words_[index])) {
            words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(index));
            return type;
        }
    }
    return std::nullopt;
}

std::optional<Rounding> Modifiers::take_rounding() {
    constexpr std::pair<std::string_view, Rounding> known[] = {
        {"rn", Rounding::rn},   {"rz", Rounding::rz},   {"rm", Rounding::rm},
        {"rp", Rounding::rp},   {"rni", Rounding::rni}, {"rzi", Rounding::rzi},
        {"rmi", Rounding::rmi}, {"rpi", Rounding::rpi}, {"rna", Rounding::rna},
    };
    for (const auto& [word, rounding] : known) {
        if (take(word)) return rounding;
    }
    return std::nullopt;
}

std::optional<Compare> Modifiers::take_compare() {
    constexpr std::pair<std::string_view, Compare> known[] = {
        {"eq", Compare::eq},   {"ne", Compare::ne},   {"lt", Compare::lt},   {"le", Compare::le},
        {"gt", Compare::gt},   {"ge", Compare::ge},   {"lo", Compare::lo},   {"ls", Compare::ls},
        {"hi", Compare::hi},   {"hs", Compare::hs},   {"equ", Compare::equ}, {"neu", Compare::neu},
        {"ltu", Compare::ltu}, {"leu", Compare::leu}, {"gtu", Compare::gtu}, {"geu", Compare::geu},
        {"num", Compare::num}, {"nan", Compare::nan},
    };
    if (words_.empty()) return std::nullopt;
    for (const auto& [word, compare] : known) {
        if (words_.front() == word) {
            words_.erase(words_.begin());
            return compare;
        }
    }
    return std::nullopt;
}

std::optional<std::string_view> Modifiers::take_any() {
    if (words_.empty()) return std::nullopt;
    const std::string_view word = words_.front();
    words_.erase(words_.begin());
    return word;
}

bool Modifiers::has(std::string_view word) const {
    return std::find(words_.begin(), words_.end(), word) != words_.end();
}

} // namespace kw::sim
