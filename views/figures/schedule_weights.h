#pragma once

#include "core/runs/plan_run.h"
#include "core/weights/weight_trace.h"
#include "views/common/block_colouring.h"
#include "views/figures/axis.h"
#include "views/figures/legend.h"

#include <set>
#include <vector>

namespace stagecraft::views::figures {

/// Where a lane of the figure is.
struct WeightRow {
    int lane = 0;
    QRectF rect;
};

/// What a figure of a plan whose mini-batches overlap shows of weights: updates, bellwethers, predictions,
/// and the stretch of time over which the time per mini-batch is measured.
class WeightDrawing {
public:
    /// `time` has the range that is drawn, and is read again when something is; both must outlive the
    /// drawing.
    WeightDrawing(const PlanRun& run, const FigureScale& time);

    const WeightTrace& trace() const { return trace_; }
    void drawMarks(Figure& figure, const std::vector<WeightRow>& rows, const BlockClasses& classes);
    /// What arrows along a lane take above it, millimetres.
    double predictionRoomMm(int lane) const;
    /// Arrows from lane to lane go straight, under numbers that are drawn later; those along a lane are above
    /// it, side by side.
    void drawPredictions(Figure& figure, const std::vector<WeightRow>& rows);
    /// A bracket with what it measures, from topMm on. @return the height taken
    double drawPeriod(Figure& figure, double topMm, double fontPt) const;
    /// Of what has been drawn.
    void addEntries(std::vector<LegendEntry>& entries) const;

private:
    /// The predictions of one update from its own lane: one arrow, from wherever they are made.
    struct Track {
        int lane = 0;
        std::uint32_t toUpdate = 0;
        double fromS = 0, toS = 0;
        std::vector<double> startsS;
        int level = 0;  ///< from the lane upwards
    };
    void layTracks();
    double trackMm(const Track& track) const;
    void drawTrack(Figure& figure, const Track& track, const QRectF& row) const;
    bool inRange(std::uint32_t block) const;

    const PlanRun& run_;
    const Timeline& timeline_;
    const FigureScale& time_;
    WeightTrace trace_;
    std::vector<Track> tracks_;
    bool updates_ = false, bellwethers_ = false, predictions_ = false;
};

/// The steps of a colouring as a legend, in place of the kinds. @param steps those of `classes`, in the
/// colours in which they were drawn @param occurring the classes that were drawn @param fillOf of a class
std::vector<LegendEntry> stepEntries(const BlockClasses& classes, const std::vector<ColourStep>& steps,
                                     const std::set<int>& occurring, const std::function<Fill(int)>& fillOf,
                                     bool hatches, int firstNumber);

}  // namespace stagecraft::views::figures
