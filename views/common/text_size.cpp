#include "views/common/text_size.h"

#include <QApplication>
#include <QFont>

#include <algorithm>

namespace stagecraft::views::common {

void applyTextSize(QApplication& application, int percent) {
    // What the system asks for is known only before the first font of our own.
    static const QFont system = QApplication::font();
    const double share = std::clamp(percent, leastTextPercent, mostTextPercent) / 100.0;
    QFont font = system;
    if (system.pointSizeF() > 0)
        font.setPointSizeF(system.pointSizeF() * share);
    else
        font.setPixelSize(qRound(system.pixelSize() * share));
    if (font != QApplication::font()) application.setFont(font);
}

}  // namespace stagecraft::views::common
