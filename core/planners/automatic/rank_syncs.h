#pragma once

#include "core/planners/automatic/plan_bound.h"

#include <vector>

namespace stagecraft::planners {

/// When the ranks of a pipeline are through with an iteration, from when their passes end: syncs, one at a
/// time on the links of each rank and first come first served, and then the updates of its stages. The same
/// as the engine has, for syncs that keep no pass waiting: those that the end of an iteration has, and those
/// of ZeRO-2 for each microbatch.
class RankSyncs {
public:
    /// @param waitsForAll whether syncs of the end of an iteration wait for the last pass of all ranks
    RankSyncs(int ranks, int stages, bool waitsForAll);

    /// Once for each stage. @param beside all of syncS is sent bare
    void addStage(int stage, int rank, const BesidePasses& beside);
    /// A pass of a stage. @param givesGradient whether the gradients of a microbatch are there then
    void addPass(int stage, double endS, bool givesGradient);
    /// @param lastS the end of all passes
    double endS(double lastS) const;

private:
    struct OnRank {
        std::vector<int> stages;
        double passesEndS = 0, updatesS = 0;
    };
    struct OfStage {
        int rank = 0;
        BesidePasses beside;
        double endS = 0;
        std::vector<double> gradientsS;  ///< when they are there, where each has a sync
    };
    double syncedS(const OnRank& rank, double lastS) const;

    std::vector<OnRank> ranks_;
    std::vector<OfStage> stages_;
    bool waitsForAll_;
};

}  // namespace stagecraft::planners
