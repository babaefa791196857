#include "engine/base/hash.h"

#include <sha2.h>
#include <sys/types.h>

#include <array>
#include <cstdint>

namespace kw {

std::string sha256_hex(std::string_view bytes) {
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    std::array<char, SHA256_DIGEST_STRING_LENGTH> text{};
    SHA256End(&context, text.data());
    return {text.data(), SHA256_DIGEST_STRING_LENGTH - 1};
}

} // namespace kw
