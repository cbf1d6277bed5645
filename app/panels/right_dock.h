#pragma once

#include "app/rooms.h"

class QDockWidget;
class QMainWindow;

namespace stagecraft::app::panels {

/// Puts the dock at the right of the window, over those that are there already, and in front.
void addRightDock(QMainWindow& window, QDockWidget& dock);

}  // namespace stagecraft::app::panels
