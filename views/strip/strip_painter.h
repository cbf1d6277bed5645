#pragma once

#include "views/strip/strip_layout.h"

#include <QFont>

class QPainter;

namespace stagecraft {

/// What is marked on the strip.
struct StripMarks {
    int chosen = -1;  ///< stage
    bool focused = false;
    int boundary = -1;  ///< behind this stage, under the pointer
    bool grabbed = false;
    int chip = -1;    ///< device under the pointer, or carried
    int target = -1;  ///< stage onto which it would go
    std::optional<QPointF> carried;
};

QFont chipFont(QFont font);
void paintStrip(QPainter& painter, const Problem& problem, const Plan& plan, const StripLayout& layout,
                const StripMarks& marks, const QFont& font);

}  // namespace stagecraft
