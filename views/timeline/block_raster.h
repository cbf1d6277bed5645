#pragma once

#include "views/common/block_colouring.h"
#include "views/common/block_looks.h"

#include <QImage>

#include <array>
#include <vector>

namespace stagecraft::views::timeline {

/// The colours of one frame, taken from the theme.
struct RasterColours {
    QRgb surface = 0;
    QRgb grid = 0;
    QRgb bubble = 0;  ///< hatch of idle time
    QRgb ink = 0;     ///< mixed into blocks for their edges and textures
    std::array<QRgb, mostBlockClasses> classes{};
    std::array<BlockTexture, mostBlockClasses> textures{};
    std::array<QRgb, mostBlockClasses> above{}, below{};  ///< the halves of pairs

    static RasterColours current(const BlockClasses& classes = {});
};

inline QRgb mixed(QRgb from, QRgb to, float part) {
    const auto channel = [part](int a, int b) {
        return static_cast<int>(static_cast<float>(a) + part * static_cast<float>(b - a) + 0.5f);
    };
    return qRgb(channel(qRed(from), qRed(to)), channel(qGreen(from), qGreen(to)),
                channel(qBlue(from), qBlue(to)));
}

/// Paints lanes into an image one pixel column at a time: each column has the colours of the classes that are
/// busy in it, in proportion, so that what is too short to be seen still darkens its pixel and what is idle
/// still shows.
class BlockRaster {
public:
    /// `gridColumns`: columns in which a grid line shines through idle time.
    BlockRaster(QImage& image, RasterColours colours, std::vector<bool> gridColumns, int pixelScale);

    void fillBackground();
    /// `shares` as BusyLevels gives them, for each column of the image. `seams`: columns in which one block
    /// follows another without a gap. Idle columns in [hatchFrom, hatchTo) are hatched.
    void paintLane(int top, int height, const std::vector<std::uint8_t>& classes,
                   const std::vector<float>& shares, const std::vector<int>& seams, int hatchFrom,
                   int hatchTo);

private:
    void composeLines(const std::vector<std::uint8_t>& classes, const std::vector<float>& shares,
                      int hatchFrom, int hatchTo);

    QImage& image_;
    RasterColours colours_;
    std::vector<QRgb> background_;
    int scale_;
    // One line of a lane in each of the ways in which its rows differ.
    std::vector<QRgb> plain_, edge_, bubbled_, diagonal_, striped_, below_;
    bool hasDiagonal_ = false;
    bool hasHalves_ = false;
    bool hasStripes_ = false;
};

}  // namespace stagecraft::views::timeline
