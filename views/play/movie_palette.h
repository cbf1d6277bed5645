#pragma once

#include "core/base/rooms.h"

#include <QHash>
#include <QImage>

#include <cstdint>
#include <vector>

namespace stagecraft::views {

/// The few colours that stand for those of a movie's frames: the most frequent ones, but none that nobody
/// could tell from a more frequent one.
class MoviePalette {
public:
    /// @param samples in QImage::Format_RGB32, at least one
    /// @param most colours, at least one
    MoviePalette(const std::vector<QImage>& samples, std::size_t most);

    const std::vector<QRgb>& colours() const { return colours_; }
    /// Of the nearest colour.
    std::uint8_t indexOf(QRgb colour);

private:
    std::vector<QRgb> colours_;
    QHash<QRgb, std::uint8_t> known_;
};

}  // namespace stagecraft::views
