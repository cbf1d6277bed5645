#pragma once

#include "core/planners/pipedream/antichains.h"
#include "core/planners/pipedream/partitioner.h"

#include <functional>
#include <optional>

namespace stagecraft::planners {

/// Settings of the released planner besides its machines.
struct ReleasedOptions {
    bool straight = false;       ///< no replicas
    bool paysTransfers = false;  ///< else transfers are free, as they are unless one asks for them
    std::optional<double> memoryLimitBytes;
};

/// States [first, end) of a level, on `replicas` of its components.
struct ReleasedBlock {
    int first = 0;
    int end = 0;
    int replicas = 1;
    bool operator==(const ReleasedBlock&) const = default;
};

struct ReleasedPartition {
    double periodS = 0;  ///< seconds a minibatch; infinity: nothing fits
    /// Innermost level first, as MODEL.md's machines are; within a level by the blocks of the level above.
    std::vector<std::vector<ReleasedBlock>> levels;
    /// The innermost blocks with the workers that hold them (PipeDreamStage counts states instead of layers).
    std::vector<PipeDreamStage> stages;
};

/// How many states it can work through in some ten seconds and a gigabyte.
int mostReleasedStates(const std::vector<PipeDreamLevel>& levels);

/// The dynamic programme of PipeDream's released planner (MODEL.md section 6, E-PD-2 "code"): compute and the
/// synchronisation of weights are added; a stage of q machines takes [C + 4(q-1)W/(qB)]/q, and a block that
/// is the whole of a level with m machines [C + 4(m-1)W/(mB)/n]/m with n machines in a component; transfers,
/// where paid, cost 2a/(qB) at both ends of the later stage; ceil(downstream / q) times activations and
/// weights must fit, downstream being the machines of the level after the stage. All machines are used.
/// Ties: the whole block, then the latest cut, then fewer machines for the last stage (as released they
/// fall as a set of objects is laid out in memory). @throws Cancelled
ReleasedPartition releasedPartition(const PipeDreamStates& states, const std::vector<PipeDreamLevel>& levels,
                                    const ReleasedOptions& options, const WorkContext& context = {});

/// A value of the programme, states first to last on `machines` components of a level, and how it is reached.
struct ReleasedCell {
    int level = 0;  ///< 0 the innermost
    int first = 0, last = 0, machines = 0;
    double periodS = 0;
    int cut = -1;                       ///< last state before the last stage; -1: a single stage
    int lastMachines = 0;               ///< of the last stage
    double beforeS = 0, transferS = 0;  ///< of a cut
    double lastStageS = 0;
};
/// The same programme: visits its finite values level by level until `visit` returns false. @throws Cancelled
void forEachReleasedCell(const PipeDreamStates& states, const std::vector<PipeDreamLevel>& levels,
                         const ReleasedOptions& options,
                         const std::function<bool(const ReleasedCell&)>& visit,
                         const WorkContext& context = {});

}  // namespace stagecraft::planners
