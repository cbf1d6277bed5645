#pragma once

#include "core/base/rooms.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace stagecraft::formats {

/// Puts PNG pictures together into one animated PNG (the APNG part of the PNG specification, third edition):
/// acTL, and for each picture fcTL and its data. A viewer that knows nothing of it shows the first picture.
class ApngWriter {
public:
    /// The first picture has the size of the whole; later ones are inside it. All have the same
    /// depth and colour type, and the same palette if they have one.
    /// @param delayNumerator, delayDenominator seconds for which it stays, as a fraction
    /// @param over what is transparent leaves what was there; else it replaces that
    /// @throws std::invalid_argument for what is no such picture
    void add(std::string_view png, std::uint32_t x, std::uint32_t y, std::uint16_t delayNumerator,
             std::uint16_t delayDenominator, bool over = false);
    std::uint32_t frameCount() const { return frames_; }
    /// The file. @param plays how often it is shown; 0: without end
    std::string finish(std::uint32_t plays = 0) const;

private:
    std::string header_;   ///< IHDR's data, of the first picture
    std::string palette_;  ///< PLTE and tRNS, of the first picture
    std::string body_;     ///< chunks after acTL
    std::uint32_t frames_ = 0;
    std::uint32_t sequence_ = 0;
};

}  // namespace stagecraft::formats
