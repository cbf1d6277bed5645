#pragma once

#include "core/runs/plan_run.h"
#include "views/rooms.h"

#include <QString>

#include <vector>

namespace stagecraft::views::pattern {

inline bool isTransfer(BlockKind kind) { return passKind(kind).role == PassRole::transfers; }

/// One operation of a pattern, as it is drawn. One that runs over the period's end is two blocks.
struct PatternBlock {
    BlockKind kind = BlockKind::forward;
    int stage = 0;
    int shift = 0;
    int lane = 0;
    double startS = 0;       ///< of the operation, in [0, period)
    double durationS = 0;    ///< of the operation
    double fromS = 0;        ///< of this block
    double toS = 0;          ///< at most the period
    bool continued = false;  ///< what began in the period before
};

/// A processor, or the link between two, with what runs there.
struct PatternLane {
    QString name;
    bool named = false;        ///< by an author: the name is all that is said of it
    std::vector<int> devices;  ///< of a link: its ends
    bool link = false;
    std::vector<int> stages;  ///< of a link: the ones below it
    std::vector<int>
        batches;  ///< by stage: how many it stores at most; of a transfer: how many are under way
    /// The group of 1F1B* (MadPipe 4.1): the number that all of the lane's stages have; 0: they differ.
    int group() const;
};

/// One period of a plan that repeats a pattern, stage by stage as a batch goes up.
struct PatternChart {
    double periodS = 0;
    std::vector<PatternLane> lanes;
    std::vector<PatternBlock> blocks;
    std::vector<int> batches;  ///< by stage

    /// "stage 0", "stages 0, 4"; of a link what it joins.
    static QString stagesText(const PatternLane& lane, int firstStage = 0);
};

/// @throws std::invalid_argument if the plan repeats no pattern
PatternChart patternChart(const PlanRun& run);

/// "F2", "B0"; of a transfer "2→3" and "3→2".
QString shortName(const PatternBlock& block, int firstStage = 0);

}  // namespace stagecraft::views::pattern
