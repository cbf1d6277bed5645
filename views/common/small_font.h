#pragma once

#include <QFont>

namespace stagecraft {

/// The font of labels inside a chart: 11 pixels high.
inline QFont smallFont(QFont font) {
    font.setPixelSize(11);
    return font;
}

}  // namespace stagecraft
