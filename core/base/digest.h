#pragma once

#include "core/base/rooms.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace stagecraft::base {

/// SHA-256 (FIPS 180-4) of bytes that are added piece by piece.
class Sha256 {
public:
    void add(std::string_view bytes);
    /// 32 bytes as 64 hexadecimal digits; nothing may be added afterwards.
    std::string hex();

private:
    void takeBlock();

    std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::uint8_t, 64> block_{};
    std::size_t filled_ = 0;
    std::uint64_t length_ = 0;  ///< bytes
};

}  // namespace stagecraft::base
