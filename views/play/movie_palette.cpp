#include "views/play/movie_palette.h"

#include <algorithm>
#include <utility>

namespace stagecraft::views {

namespace {

/// How near colours may be, as a sum of squares of 0 to 255, and be one.
constexpr int sameWithin = 3 * 3 * 3;

int distance(QRgb a, QRgb b) {
    const int red = qRed(a) - qRed(b), green = qGreen(a) - qGreen(b), blue = qBlue(a) - qBlue(b);
    return red * red + green * green + blue * blue;
}

std::vector<QRgb> byFrequency(const std::vector<QImage>& samples) {
    QHash<QRgb, int> counts;
    for (const QImage& image : samples)
        for (int y = 0; y < image.height(); ++y) {
            const auto* line = reinterpret_cast<const QRgb*>(image.constScanLine(y));
            for (int x = 0; x < image.width(); ++x) ++counts[line[x] | 0xFF000000];
        }
    std::vector<QRgb> colours(counts.keyBegin(), counts.keyEnd());
    // Those that are as frequent in one order, so that the same movie has the same bytes.
    std::sort(colours.begin(), colours.end(), [&](QRgb a, QRgb b) {
        return std::pair(-counts.value(a), a) < std::pair(-counts.value(b), b);
    });
    return colours;
}

}  // namespace

MoviePalette::MoviePalette(const std::vector<QImage>& samples, std::size_t most) {
    for (const QRgb colour : byFrequency(samples)) {
        if (colours_.size() == most) break;
        const auto isNear = [colour](QRgb other) { return distance(colour, other) <= sameWithin; };
        if (std::none_of(colours_.begin(), colours_.end(), isNear)) colours_.push_back(colour);
    }
}

std::uint8_t MoviePalette::indexOf(QRgb colour) {
    const auto found = known_.constFind(colour);
    if (found != known_.constEnd()) return *found;
    const auto nearest = std::min_element(colours_.begin(), colours_.end(), [colour](QRgb a, QRgb b) {
        return distance(a, colour) < distance(b, colour);
    });
    const auto index = static_cast<std::uint8_t>(nearest - colours_.begin());
    known_.insert(colour, index);
    return index;
}

}  // namespace stagecraft::views
