#pragma once

#include "core/cost/cost_model.h"
#include "core/model/timeline.h"
#include "core/planners/vpipe/migration_course.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft::planners::vpipe {

enum class MigrationStep {
    prepare,      ///< a message: the receiving stage sets the layers up
    ready,        ///< its answer
    activations,  ///< of one microbatch whose backward will run on the receiving stage
    parameters,   ///< after the last backward on the sending stage
};
const char* migrationStepName(MigrationStep step);

/// Something that goes from one stage to its neighbour because layers move.
struct MigrationMove {
    MigrationStep step = MigrationStep::prepare;
    int fromStage = 0, toStage = 0;
    int firstLayer = 0, lastLayer = 0;
    int microbatch = -1;  ///< of activations, counted over all mini-batches
    double bytes = 0;
    std::uint32_t block = noBlock;  ///< in the timeline, on the channel between the two stages
    /// When the receiving stage could have used it: what else its backward needs was there, and it was free.
    double neededS = 0;
    double stallS = 0;  ///< by which it came too late
};

/// A migration, simulated. Messages and copies are blocks of their channel's lane, named in `moves`; the
/// timeline's kind of such a block is that of a transfer in its direction.
struct Migration {
    Timeline timeline;
    std::vector<MigrationMove> moves;               ///< in the order in which they were planned
    std::vector<std::vector<LayerRange>> forward;   ///< [stage][microbatch]: what the forward runs there
    std::vector<std::vector<LayerRange>> backward;  ///< the same of the backward
    std::vector<double> blockBytes;  ///< by block: what a transfer, a message or a copy moves; else 0
    int steps = 0;                   ///< migrations to a neighbour that it takes, one after the other
    double endS = 0;                 ///< when the last microbatch is done
    /// The same if the layers were where each microbatch looks for them, with no copy and no stop: of a live
    /// migration or of one that stops, whichever is the shorter, so that the stalls of both compare.
    double undisturbedS = 0;
    double movedBytes = 0;

    /// What moving costs the training; nothing where the channels, first come first served, happen to serve
    /// an order in which it ends earlier.
    double stallS() const { return std::max(0.0, endS - undisturbedS); }
};

/// Runs `from` and lets it change into `to` by vPipe's protocol (Sec. 4.3; E-VP-13) or by stopping.
///
/// Layers that go further than to the neighbour do so in several migrations, 2p microbatches apart. A layer's
/// forward switches with microbatch k + p - b, b being the lower of its two stages, its backward with k + 1.
/// Activations of what is between move, one microbatch after the other; parameters (with optimizer state
/// and the gradients of a mini-batch that are summed so far) move after the first of them. Without a barrier
/// microbatches bring the versions of the weights along that their backwards use, each of them once. When
/// layers go to the stage before, microbatch k + p - b - 1 has left that stage already, so that one copy more
/// moves than the paper counts.
/// @param costs under the plans' own setup
/// @throws SimulationError if the plans are not of 1F1B with one device per stage, the same in both
Migration simulateMigration(const CostModel& costs, const Plan& from, const Plan& to,
                            const MigrationOptions& options);

/// The independent check, from the problem, the plans and what is in `migration` alone: every layer runs
/// forward and backward exactly once for every microbatch, where its activations and weights are; every
/// gradient enters one update, on the stage that then has the layer; no lane does two things at once; and
/// each forward uses the version of Eq. (4), so that staleness is what it would be without migration. A
/// sentence for each violation.
std::vector<std::string> checkMigration(const Problem& problem, const Plan& from, const Plan& to,
                                        const Migration& migration);

/// The paper's own timing of one layer's migration in a tight pipeline (E-VP-13), in closed form. Instant 0
/// is the end of backward k on the sending stage.
struct MigrationTiming {
    struct Batch {
        int batch = 0;
        double arrivalS = 0, neededS = 0, stallS = 0;
    };
    std::vector<Batch> batches;  ///< those whose activations move
    double stallS = 0;
};
MigrationTiming migrationTiming(int stages, int fromStage, int toStage, int afterBatch,
                                double activationBytes, double parameterBytes, double bandwidthBps,
                                double forwardS, double backwardS);

/// Eq. (4): the version of the weights that batch k works on in stage n of p. BSP: with an update every u * p
/// batches floor(k / (u p)), for which the paper prints k mod u p (E-VP-14).
int forwardVersionAsynchronous(int batch, int stages, int stage);
int forwardVersionSynchronous(int batch, int stages, int updateEvery);

}  // namespace stagecraft::planners::vpipe
