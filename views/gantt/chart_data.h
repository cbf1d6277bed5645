#pragma once

#include "core/planners/plan_run.h"
#include "views/gantt/busy_levels.h"
#include "views/gantt/memory_series.h"

#include <memory>
#include <vector>

namespace stagecraft {

/// What the charts of one plan need beside the plan itself, so that a frame costs what its pixels cost. Made
/// once, off the GUI thread where it takes long; immutable.
struct ChartData {
    explicit ChartData(std::shared_ptr<const PlanRun> planRun);  ///< of a run that is ok()

    std::shared_ptr<const PlanRun> run;
    BusyLevels busy;
    std::vector<MemorySeries> memory;  ///< by the first stage of their devices, as the rows of the chart
    std::vector<std::vector<std::uint32_t>> criticalByLane;  ///< ascending blocks of the critical path
    std::vector<double> laneStartS;  ///< by lane, of its first block: idle time counts as a bubble from there
    std::vector<StageEdge> edges;
    std::vector<AllReduceGroup> allReduces;
    double endS = 0;  ///< last end of a block

    const Timeline& timeline() const { return run->evaluation->timeline; }
    const Evaluation& evaluation() const { return *run->evaluation; }
    const Cluster& cluster() const { return run->costs->problem().cluster; }
    const Plan& plan() const { return run->result.plan; }
    /// The first stage that `device` works for, or -1.
    int firstStageOf(int device) const;
    /// Bytes that a transfer or an AllReduce (each device) moves, or 0.
    double bytesMoved(std::uint32_t block) const;
};

}  // namespace stagecraft
