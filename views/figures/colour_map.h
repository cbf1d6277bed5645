#pragma once

#include "views/rooms.h"

#include <QColor>

namespace stagecraft::views::figures {

/// Colours for numbers, from dark blue (0) to yellow (1) with steadily growing lightness, so that they can be
/// read in grey and by people who see few colours. The same in both themes.
QColor sequentialColour(double position);

/// Colours for what is on either side of a middle: blue below (0), pale in the middle (0.5), vermilion
/// above (1). Equally far from the middle is equally dark.
QColor divergingColour(double position);

}  // namespace stagecraft::views::figures
