#pragma once

#include "core/base/rooms.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft::formats {

/// Puts pictures of few colours together into one animated GIF that begins again at its end.
class GifWriter {
public:
    using Colour = std::array<std::uint8_t, 3>;  ///< red, green, blue
    static constexpr std::size_t mostColours = 255;
    static constexpr int longestDelay = 65535;  ///< hundredths of a second
    /// An index that stands for what was there before.
    static constexpr std::uint8_t unchanged = 255;

    /// @param width, height of the whole in pixels, 1 to 65535
    /// @throws std::invalid_argument for another size, and for more than mostColours or none
    GifWriter(int width, int height, const std::vector<Colour>& colours);
    ~GifWriter();

    struct Part {
        int x = 0, y = 0, width = 0, height = 0;
    };
    /// @param indices into the colours, or `unchanged`, row by row
    /// @param hundredths of a second for which it stays, 0 to longestDelay
    /// @throws std::invalid_argument for what is not inside the whole, or has another number of indices
    void add(const Part& part, const std::vector<std::uint8_t>& indices, int hundredths);
    /// The file. Nothing can be added afterwards.
    std::string finish();

private:
    struct File;
    std::unique_ptr<File> file_;
    int width_, height_;
};

}  // namespace stagecraft::formats
