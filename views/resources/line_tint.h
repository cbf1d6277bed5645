#pragma once

#include "core/base/rooms.h"

#include <QColor>

namespace stagecraft::views {

/// How far the other lines go towards the surface while one is emphasised.
inline constexpr double lineFaintness = 0.75;

/// `colour` moved by `part` of the way to another one, channel by channel.
inline QRgb towards(QRgb colour, QRgb other, double part) {
    const auto channel = [part](int a, int b) { return static_cast<int>(a + part * (b - a)); };
    return qRgb(channel(qRed(colour), qRed(other)), channel(qGreen(colour), qGreen(other)),
                channel(qBlue(colour), qBlue(other)));
}

}  // namespace stagecraft::views
