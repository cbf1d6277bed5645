#pragma once

#include "core/base/rooms.h"

#include <QColor>

namespace stagecraft::views {

/// The colour of a stage for a line on the theme's own ground: in the dark theme lighter than its blocks, so
/// that the darkest is seen as well. @param stage negative: of no stage
QColor stageLineColour(int stage, int stages);

}  // namespace stagecraft::views
