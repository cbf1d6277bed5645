#pragma once

#include "core/base/rooms.h"

#include <QFont>

namespace stagecraft::views {

/// The font of labels inside a chart: 11 pixels high.
inline QFont smallFont(QFont font) {
    font.setPixelSize(11);
    return font;
}

}  // namespace stagecraft::views
