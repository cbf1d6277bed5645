#pragma once

#include "core/model/chart_note.h"
#include "core/runs/shown_run.h"
#include "views/common/block_colouring.h"
#include "views/figures/drawn_axis.h"
#include "views/figures/palette.h"
#include "views/figures/time_drawing.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace stagecraft::views::figures {

enum class BlockText {
    microbatch,  ///< "2.1": of mini-batch 2
    stage,
    chunk,  ///< which of its device's stages
    none,
};

struct ScheduleFigureOptions {
    double widthMm = 88.9;  ///< IEEE: one column 88.9, full width 181.9; ACM 84.7 and 178; NeurIPS 139.7
    std::optional<std::pair<double, double>> timeRangeS;  ///< from, to; nothing: the whole timeline
    bool communication =
        false;            ///< lanes for transfers, AllReduce and host links; else AllReduce on its devices
    bool bubbles = true;  ///< hatch what is idle within the iteration
    bool hatches = true;  ///< blocks keep theirs; else the legend does not speak of them
    /// Of plans whose mini-batches overlap; others are always coloured by kind.
    BlockColouring colouring = BlockColouring::kind;
    PaletteKind palette = PaletteKind::standard;
    std::string ownColours;  ///< of PaletteKind::own
    bool marks = true;  ///< of those plans: updates, bellwethers, and what the time per mini-batch measures
    std::vector<ChartNote> notes;  ///< of the plan's chart, by time: flags above the lanes
    bool predictions = false;      ///< arrows from predictions of weights to the updates that they anticipate
    bool criticalPath = false;     ///< a black bar under the blocks of the critical path
    /// What is written into blocks where it fits.
    BlockText blockText = BlockText::microbatch;
    bool legend = true;
    bool memory = false;       ///< a stacked memory curve under the lanes, on the same time axis
    int memoryDevice = -1;     ///< index; -1: the device closest to its limit
    bool insides = true;       ///< where groups divide layers: a strip in passes, dark while ranks send
    bool nameLine = true;      ///< above empty lanes, for who draws in them
    bool memoryLines = false;  ///< where devices are drawn by themselves: as lines in one frame
    double fontPt = 7;
    double numberPt = 7;       ///< of the numbers in blocks
    double leastTopBytes = 0;  ///< the axis of memory goes no less far up
    int leastSteps = 0;        ///< colours of a colouring's steps are those of so many at least
    double leastStartMm = 0;   ///< time begins no further left; figures that share a page are aligned by it
    double laneMm = 0;         ///< height of a device's lane; 0: as high as its numbers need
    std::vector<int> lanes;    ///< of the timeline, to be drawn alone; empty: all
    bool firstStageBelow = false;
    std::string laneNames;    ///< LaneNaming
    std::string legendNames;  ///< renameEntries
    int firstNumber = 0;      ///< of microbatches, stages and chunks where they are written
    FigureAxis axis = FigureAxis::seconds;
    double blockS = 0;      ///< the unit of FigureAxis::blocks; 0: the plan's own, forwardBlockS
    bool axisBelow = true;  ///< else another figure on the page has it
    TimeUnit timeUnit = TimeUnit::automatic;
    std::string timeTitle;  ///< DrawnTimeAxis::title
    bool grey = false;
    int maxShapes =
        4000;  ///< with more visible blocks a lane shows the busy share of each tenth of a millimetre
};

/// The axis of time that these options ask for.
DrawnTimeAxis timeAxisOf(const ShownRun& run, const ScheduleFigureOptions& options);

/// @throws std::invalid_argument if the run has no timeline or width or font size is out of bounds
void requireDrawable(const ShownRun& run, const ScheduleFigureOptions& options);

/// The Gantt chart of a plan or a recording, always in the colours of paper.
/// @throws std::invalid_argument if the run has no timeline, the range is empty or width or font size is out
/// of bounds
TimeDrawing drawSchedule(const ShownRun& run, const ScheduleFigureOptions& options);
/// The same with its legend.
Figure scheduleFigure(const ShownRun& run, const ScheduleFigureOptions& options = {});

}  // namespace stagecraft::views::figures
