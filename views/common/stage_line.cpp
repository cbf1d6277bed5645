#include "views/common/stage_line.h"

#include "views/common/colour_mixing.h"
#include "views/common/theme.h"

namespace stagecraft::views {

QColor stageLineColour(int stage, int stages) {
    constexpr double ownPart = 0.6;
    const Theme& theme = Theme::current();
    if (stage < 0) return theme.mutedText;
    const QColor colour = stageColour(stage, stages);
    return theme.dark ? laidOver(colour, QColor(Qt::white), ownPart) : colour;
}

}  // namespace stagecraft::views
