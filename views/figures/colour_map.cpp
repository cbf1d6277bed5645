#include "views/figures/colour_map.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stagecraft::views::figures {

namespace {

/// Nine stops of the viridis map (van der Walt and Smith, in the public domain).
constexpr std::array<QRgb, 9> stops = {0xFF440154, 0xFF472D7B, 0xFF3B528B, 0xFF2C728E, 0xFF21918C,
                                       0xFF28AE80, 0xFF5EC962, 0xFFADDC30, 0xFFFDE725};

/// Of the OKLab space (Ottosson, 2020), in which equal steps look equal.
struct Perceived {
    double lightness, a, b;
};
constexpr Perceived lowEnd{0.45, -0.035, -0.125}, midpoint{0.96, 0, 0}, highEnd{0.45, 0.095, 0.085};

double gamma(double linear) {
    linear = std::clamp(linear, 0.0, 1.0);
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

QColor colourOf(const Perceived& seen) {
    const double l = std::pow(seen.lightness + 0.3963377774 * seen.a + 0.2158037573 * seen.b, 3);
    const double m = std::pow(seen.lightness - 0.1055613458 * seen.a - 0.0638541728 * seen.b, 3);
    const double s = std::pow(seen.lightness - 0.0894841775 * seen.a - 1.2914855480 * seen.b, 3);
    const auto part = [](double linear) { return static_cast<int>(std::lround(255 * gamma(linear))); };
    return {part(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
            part(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
            part(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

}  // namespace

QColor sequentialColour(double position) {
    const double place = std::clamp(position, 0.0, 1.0) * (stops.size() - 1);
    const std::size_t first = std::min(static_cast<std::size_t>(place), stops.size() - 2);
    const double share = place - static_cast<double>(first);
    const auto mix = [&](int (*part)(QRgb)) {
        return static_cast<int>(
            std::lround(part(stops[first]) + share * (part(stops[first + 1]) - part(stops[first]))));
    };
    return {mix(qRed), mix(qGreen), mix(qBlue)};
}

QColor divergingColour(double position) {
    const double from = 2 * std::clamp(position, 0.0, 1.0) - 1;
    const Perceived& end = from < 0 ? lowEnd : highEnd;
    const double share = std::abs(from);
    return colourOf({midpoint.lightness + share * (end.lightness - midpoint.lightness),
                     midpoint.a + share * (end.a - midpoint.a), midpoint.b + share * (end.b - midpoint.b)});
}

}  // namespace stagecraft::views::figures
