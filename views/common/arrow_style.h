#pragma once

#include "views/rooms.h"

#include <QPalette>
#include <QProxyStyle>

#include <vector>

namespace stagecraft::views::common {

/// Fusion, but for arrows of tool buttons: it keeps their pictures by the palette that they are drawn with,
/// which a style sheet makes anew at each painting. None would be found again, and Qt keeps the name of each
/// for ever.
class ArrowStyle : public QProxyStyle {
    Q_OBJECT
public:
    ArrowStyle();

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget = nullptr) const override;

private:
    const QPalette& known(const QPalette& palette) const;

    mutable std::vector<QPalette> palettes_;  ///< that differ, the latest last
};

}  // namespace stagecraft::views::common
