#pragma once

#include "views/rooms.h"

class QApplication;

namespace stagecraft::views::common {

inline constexpr int leastTextPercent = 80, mostTextPercent = 200;

/// Sets the size of the window's text, in percent of what the system gave the application at first. Widgets
/// that are there follow.
void applyTextSize(QApplication& application, int percent);

}  // namespace stagecraft::views::common
