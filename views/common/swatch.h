#pragma once

#include <QColor>
#include <QIcon>

namespace stagecraft {

/// A small square of a colour for lists and tables; the same while its row is chosen.
QIcon colourSwatch(const QColor& colour);

}  // namespace stagecraft
