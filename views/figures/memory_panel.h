#pragma once

#include "core/memory/memory_saved.h"
#include "core/runs/plan_run.h"
#include "views/figures/axis.h"
#include "views/figures/legend.h"

namespace stagecraft::views::figures {

/// The device whose peak is the largest share of its limit; ties to the lowest index; -1 if there is none.
int peakDevice(const std::vector<MemoryCurve>& curves);

/// The name of a panel's device, "GPU 1" where it is a number alone, marked where the memory that is drawn is
/// counted too small.
QString markedMemoryName(const PlanRun& run, const QString& deviceName);
/// What the panel needs to the left of its axis, for its title and the axis' numbers.
double memoryLabelMm(const QString& deviceName, double fontPt);

/// What the axis of a device's panel goes up to, so that its peak, what swap and recompute save of it and a
/// limit that is not far above all that are on it. Panels of one top have one scale.
double memoryTopBytes(const MemoryCurve& curve, const SavedMemory* saved = nullptr);

/// A stacked memory curve in `frame` with its axis to the left and the limit as a dashed line; a limit above
/// `topBytes` is written instead, unless `saysLimit` is false. Adds what it drew to the legend. With `saved`,
/// of the same device, hatched bands on top show what swap and recompute keep out of memory.
void addMemoryPanel(Figure& figure, const MemoryCurve& curve, const QString& deviceName, const QRectF& frame,
                    const FigureScale& time, double fontPt, std::vector<LegendEntry>& legend, double topBytes,
                    const SavedMemory* saved = nullptr, bool saysLimit = true);

}  // namespace stagecraft::views::figures
