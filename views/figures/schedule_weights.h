#pragma once

#include "core/planners/plan_run.h"
#include "core/weights/weight_trace.h"
#include "views/common/block_colouring.h"
#include "views/figures/axis.h"
#include "views/figures/legend.h"

#include <set>

namespace stagecraft::views {

/// Where a lane of the figure is.
struct WeightRow {
    int lane = 0;
    QRectF rect;
};

/// What a figure of a plan whose mini-batches overlap shows of weights: updates, bellwethers, predictions,
/// and the stretch of time over which the time per mini-batch is measured.
class WeightDrawing {
public:
    /// `time` is read when something is drawn; both must outlive the drawing.
    WeightDrawing(const PlanRun& run, const FigureScale& time);

    const WeightTrace& trace() const { return trace_; }
    void drawMarks(Figure& figure, const std::vector<WeightRow>& rows, const BlockClasses& classes);
    void drawPredictions(Figure& figure, const std::vector<WeightRow>& rows);
    /// A bracket with what it measures, from topMm on. @return the height taken
    double drawPeriod(Figure& figure, double topMm, double fontPt) const;
    /// Of what has been drawn.
    void addEntries(std::vector<LegendEntry>& entries) const;

private:
    bool inRange(std::uint32_t block) const;

    const PlanRun& run_;
    const Timeline& timeline_;
    const FigureScale& time_;
    WeightTrace trace_;
    bool updates_ = false, bellwethers_ = false, predictions_ = false;
};

/// The steps of a colouring as a legend, in place of the kinds. @param steps those of `classes`, in the
/// colours in which they were drawn @param occurring the classes that were drawn
std::vector<LegendEntry> stepEntries(const BlockClasses& classes, const std::vector<ColourStep>& steps,
                                     const std::set<int>& occurring, bool hatches, int firstNumber);

}  // namespace stagecraft::views
