#pragma once

#include "core/runs/standing.h"
#include "views/rooms.h"

#include <QColor>
#include <QString>

namespace stagecraft::views::common {

/// The theme's colour for it: that of success for plans that fit alone.
QColor standingColour(Standing standing);
/// The name of a line icon.
QString standingIcon(Standing standing);

}  // namespace stagecraft::views::common
