#pragma once

#include "views/strip/strip_layout.h"

#include <QFont>
#include <QFontMetricsF>

class QPainter;

namespace stagecraft::views::strip {

/// What is marked on the strip.
struct StripMarks {
    int chosen = -1;  ///< stage
    bool focused = false;
    int boundary = -1;  ///< after this stage, under the pointer
    bool grabbed = false;
    int chip = -1;    ///< device under the pointer, or carried
    int target = -1;  ///< stage onto which it would go
    std::optional<QPointF> carried;
};

/// What is printed onto the layers of a stage: their numbers where there is room, or its first and last where
/// most of them have none.
std::vector<std::pair<QRectF, QString>> layerNumbers(const StripLayout& layout, const Stage& stage,
                                                     const QRectF& layers, const QFontMetricsF& metrics);
/// What becomes of what layers store, as a line along the bottom of the ribbon.
struct MemoryMark {
    QRectF place;
    LayerMemory memory = LayerMemory::keep;
};
/// One for each layer of the stage that is not kept; layers that are recomputed together have one together.
std::vector<MemoryMark> memoryMarks(const StripLayout& layout, const Plan& plan, const Stage& stage,
                                    const QRectF& layers);
QFont chipFont(QFont font);
void paintStrip(QPainter& painter, const Problem& problem, const Plan& plan, const StripLayout& layout,
                const StripMarks& marks, const QFont& font);

}  // namespace stagecraft::views::strip
