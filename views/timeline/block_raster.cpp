#include "views/timeline/block_raster.h"

#include "views/common/theme.h"

#include <algorithm>
#include <cstring>

namespace stagecraft::views::timeline {

namespace {

constexpr int hatchPeriod = 7;
constexpr int stripePeriod = 4;
constexpr float edgeInk = 0.28f;
constexpr float textureInk = 0.38f;
constexpr float seamSurface = 0.6f;

using Channels = std::array<float, 3>;

Channels channelsOf(QRgb rgb) { return {float(qRed(rgb)), float(qGreen(rgb)), float(qBlue(rgb))}; }

void addTo(Channels& sum, float part, const Channels& colour) {
    for (std::size_t it = 0; it < sum.size(); ++it) sum[it] += part * colour[it];
}

}  // namespace

RasterColours RasterColours::current(const BlockClasses& classes) {
    const Theme& theme = Theme::current();
    RasterColours colours;
    colours.surface = theme.surface.rgb();
    colours.grid = mixed(theme.surface.rgb(), theme.line.rgb(), 0.6f);
    colours.bubble = mixed(theme.surface.rgb(), theme.mutedText.rgb(), 0.42f);
    colours.ink = theme.dark ? qRgb(255, 255, 255) : qRgb(0, 0, 0);
    const int count = classes.colouring() == BlockColouring::kind ? blockKindCount : mostBlockClasses;
    for (int it = 0; it < count; ++it) {
        colours.classes[static_cast<std::size_t>(it)] = classes.shownColour(it).rgb();
        colours.textures[static_cast<std::size_t>(it)] = lookOf(classes.kindOf(it)).texture;
        const PairColours halves = classes.shownPairColours(it);
        colours.above[static_cast<std::size_t>(it)] = halves.forward.rgb();
        colours.below[static_cast<std::size_t>(it)] = halves.backward.rgb();
    }
    return colours;
}

BlockRaster::BlockRaster(QImage& image, RasterColours colours, std::vector<bool> gridColumns, int pixelScale)
    : image_(image), colours_(colours), scale_(pixelScale) {
    const auto width = static_cast<std::size_t>(image.width());
    background_.resize(width);
    for (std::size_t x = 0; x < width; ++x) background_[x] = gridColumns[x] ? colours.grid : colours.surface;
    for (auto* line : {&plain_, &edge_, &bubbled_, &diagonal_, &striped_, &below_}) line->resize(width);
}

void BlockRaster::fillBackground() {
    for (int y = 0; y < image_.height(); ++y)
        std::memcpy(image_.scanLine(y), background_.data(), background_.size() * sizeof(QRgb));
}

void BlockRaster::composeLines(const std::vector<std::uint8_t>& classes, const std::vector<float>& shares,
                               int hatchFrom, int hatchTo) {
    const std::size_t classCount = classes.size();
    std::array<Channels, mostBlockClasses> colour{}, below{};
    std::array<BlockTexture, mostBlockClasses> texture{};
    hasDiagonal_ = hasStripes_ = hasHalves_ = false;
    for (std::size_t k = 0; k < classCount; ++k) {
        texture[k] = colours_.textures[classes[k]];
        const bool halves = texture[k] == BlockTexture::halves;
        colour[k] = channelsOf((halves ? colours_.above : colours_.classes)[classes[k]]);
        below[k] = channelsOf((halves ? colours_.below : colours_.classes)[classes[k]]);
        hasDiagonal_ |= texture[k] == BlockTexture::diagonal;
        hasHalves_ |= texture[k] == BlockTexture::halves;
        hasStripes_ |= texture[k] == BlockTexture::stripes || texture[k] == BlockTexture::lightStripes;
    }
    for (std::size_t x = 0; x < background_.size(); ++x) {
        const float* share = shares.data() + x * classCount;
        Channels sum{}, sumBelow{};
        float busy = 0, diagonal = 0, striped = 0, inverse = 0;
        for (std::size_t k = 0; k < classCount; ++k) {
            const float part = share[k];
            if (part == 0) continue;
            addTo(sum, part, colour[k]);
            if (hasHalves_) addTo(sumBelow, part, below[k]);
            busy += part;
            if (texture[k] == BlockTexture::diagonal) diagonal += part;
            if (texture[k] == BlockTexture::stripes) striped += part;
            if (texture[k] == BlockTexture::lightStripes) inverse += part;
        }
        const QRgb behind = background_[x];
        const float idle = std::max(0.0f, 1.0f - busy);
        const auto over = [idle](float channel, int ground) {
            return std::min(255, static_cast<int>(channel + idle * static_cast<float>(ground) + 0.5f));
        };
        const auto pixelOf = [&](const Channels& channels) {
            return qRgb(over(channels[0], qRed(behind)), over(channels[1], qGreen(behind)),
                        over(channels[2], qBlue(behind)));
        };
        const QRgb pixel = pixelOf(sum);
        plain_[x] = pixel;
        edge_[x] = busy > 0 ? mixed(pixel, colours_.ink, edgeInk * std::min(1.0f, busy)) : pixel;
        const bool hatched = static_cast<int>(x) >= hatchFrom && static_cast<int>(x) < hatchTo && idle > 0;
        bubbled_[x] = hatched ? mixed(pixel, colours_.bubble, idle) : pixel;
        if (hasHalves_) below_[x] = pixelOf(sumBelow);
        if (hasDiagonal_) diagonal_[x] = mixed(pixel, colours_.ink, textureInk * diagonal);
        if (hasStripes_)
            striped_[x] = mixed(mixed(pixel, colours_.ink, textureInk * striped), colours_.surface,
                                textureInk * inverse);
    }
}

void BlockRaster::paintLane(int top, int height, const std::vector<std::uint8_t>& classes,
                            const std::vector<float>& shares, const std::vector<int>& seams, int hatchFrom,
                            int hatchTo) {
    const int width = image_.width();
    composeLines(classes, shares, hatchFrom, hatchTo);
    for (const int x : seams)
        for (auto* line : {&plain_, &edge_, &bubbled_, &diagonal_, &striped_, &below_}) {
            QRgb& pixel = (*line)[static_cast<std::size_t>(x)];
            pixel = mixed(pixel, colours_.surface, seamSurface);
        }
    const int period = hatchPeriod * scale_, from = std::max(0, hatchFrom), to = std::min(width, hatchTo);
    for (int y = std::max(0, top); y < std::min(image_.height(), top + height); ++y) {
        auto* row = reinterpret_cast<QRgb*>(image_.scanLine(y));
        const bool atEdge = y - top < scale_ || top + height - y <= scale_;
        const bool stripe = hasStripes_ && (y - top) / scale_ % stripePeriod == stripePeriod - 1;
        const bool isBelow = 2 * (y - top) >= height;
        const auto& line = atEdge ? edge_ : stripe ? striped_ : hasHalves_ && isBelow ? below_ : plain_;
        std::memcpy(row, line.data(), static_cast<std::size_t>(width) * sizeof(QRgb));
        // Rising lines for bubbles, falling lines for the diagonal texture.
        for (int thick = 0; thick < scale_; ++thick) {
            for (int x = from + ((thick - y - from) % period + period) % period; x < to; x += period)
                if (bubbled_[static_cast<std::size_t>(x)] != plain_[static_cast<std::size_t>(x)])
                    row[x] = bubbled_[static_cast<std::size_t>(x)];
            if (!hasDiagonal_ || atEdge) continue;
            for (int x = (y + thick) % period; x < width; x += period)
                if (diagonal_[static_cast<std::size_t>(x)] != plain_[static_cast<std::size_t>(x)])
                    row[x] = diagonal_[static_cast<std::size_t>(x)];
        }
    }
}

}  // namespace stagecraft::views::timeline
