#pragma once

#include "core/base/rooms.h"

#include <QColor>
#include <QIcon>

namespace stagecraft::views {

/// A small square of a colour for lists and tables; the same while its row is chosen.
QIcon colourSwatch(const QColor& colour);

}  // namespace stagecraft::views
