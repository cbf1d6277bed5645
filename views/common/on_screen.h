#pragma once

#include "views/rooms.h"

#include <QRect>

class QWidget;

namespace stagecraft::views::common {

/// Moved into `room`, and cut at the right and below where it is larger.
QRect within(QRect place, const QRect& room);

/// Opens a window over the middle of its parent, frame included on the parent's screen, and keeps it there
/// whenever it is shown again.
/// @param usual its size where the screen has room for it, logical pixels; empty: the size that it asks for
void placeOnScreen(QWidget& window, QSize usual = {});

}  // namespace stagecraft::views::common
