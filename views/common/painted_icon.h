#pragma once

#include "views/rooms.h"

#include <QIcon>
#include <QPainter>
#include <QSize>

#include <functional>

namespace stagecraft::views::common {

/// Paints into the rectangle; the painter is as before afterwards.
using IconPaint = std::function<void(QPainter&, const QRect&, QIcon::Mode)>;

/// An icon that is painted afresh wherever it is shown: sharp on each screen, in the colours of the theme
/// that is in force, and with nothing kept of it. One that is made of a pixmap leaves a scaled copy in
/// QPixmapCache at each painting of a model that makes it when it is asked, and its name there for ever.
/// @param most in pixels of the device-independent kind; empty: as large as it is asked for
QIcon paintedIcon(IconPaint paint, QSize most = {});

}  // namespace stagecraft::views::common
