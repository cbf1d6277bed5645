#pragma once

#include "views/rooms.h"

#include <QColor>

#include <cmath>

namespace stagecraft::views::common {

/// `colour` painted over `ground` with that opacity, as an opaque colour: lines that cross do not add up.
inline QColor laidOver(const QColor& colour, const QColor& ground, double share) {
    const auto mix = [share](int over, int under) {
        return static_cast<int>(std::lround(share * over + (1 - share) * under));
    };
    return {mix(colour.red(), ground.red()), mix(colour.green(), ground.green()),
            mix(colour.blue(), ground.blue())};
}

inline QColor withAlpha(QColor colour, double alpha) {
    colour.setAlphaF(static_cast<float>(alpha));
    return colour;
}

}  // namespace stagecraft::views::common
