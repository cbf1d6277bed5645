#pragma once

#include "core/base/rooms.h"

#include <QSize>

class QWidget;

namespace stagecraft::app {

/// Esc and Ctrl+W close a tool window, unless what has the focus in it wants the key itself.
void closeByKeys(QWidget& window);
/// Its usual size, or what the screen has of that beside the frame.
void resizeOnScreen(QWidget& window, QSize usual);
/// The same, and over the middle of its parent as far as all of it is on the screen then.
void placeOnScreen(QWidget& window, QSize usual);

}  // namespace stagecraft::app
