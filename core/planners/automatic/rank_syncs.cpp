#include "core/planners/automatic/rank_syncs.h"

#include "core/base/indices.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

namespace stagecraft::planners {

RankSyncs::RankSyncs(int ranks, int stages, bool waitsForAll)
    : ranks_(at(ranks)), stages_(at(stages)), waitsForAll_(waitsForAll) {}

void RankSyncs::addStage(int stage, int rank, const BesidePasses& beside) {
    stages_[at(stage)].rank = rank;
    stages_[at(stage)].beside = beside;
    ranks_[at(rank)].stages.push_back(stage);
    ranks_[at(rank)].updatesS += beside.updateS;
}

void RankSyncs::addPass(int stage, double endS, bool givesGradient) {
    OfStage& own = stages_[at(stage)];
    own.endS = std::max(own.endS, endS);
    OnRank& rank = ranks_[at(own.rank)];
    rank.passesEndS = std::max(rank.passesEndS, endS);
    if (givesGradient && own.beside.syncS > own.beside.onceS) own.gradientsS.push_back(endS);
}

/// When the links of a rank have sent all that its stages have.
double RankSyncs::syncedS(const OnRank& rank, double lastS) const {
    using Waiting = std::tuple<double, int, bool>;  // from when, stage, whether it is for one microbatch
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
    std::vector<std::size_t> left(stages_.size(), 0);  // of microbatches
    const auto addOnce = [&](int stage, double fromS) {
        if (stages_[at(stage)].beside.onceS > 0)
            waiting.emplace(waitsForAll_ && stages_[at(stage)].beside.isOnce ? std::max(fromS, lastS) : fromS,
                            stage, false);
    };
    for (const int stage : rank.stages) {
        const OfStage& own = stages_[at(stage)];
        if (!own.beside.hasSync) continue;
        left[at(stage)] = own.gradientsS.size();
        for (const double readyS : own.gradientsS) waiting.emplace(readyS, stage, true);
        if (own.gradientsS.empty()) addOnce(stage, own.endS);
    }
    double freeS = 0;
    while (!waiting.empty()) {
        const auto [fromS, stage, isEach] = waiting.top();
        waiting.pop();
        const BesidePasses& beside = stages_[at(stage)].beside;
        freeS = std::max(freeS, fromS) + (isEach ? beside.syncS - beside.onceS : beside.onceS);
        if (isEach && --left[at(stage)] == 0) addOnce(stage, freeS);
    }
    return freeS;
}

double RankSyncs::endS(double lastS) const {
    double endS = lastS;
    for (const OnRank& rank : ranks_) {
        // What is to be sent takes no time where there is nothing, and may still wait.
        double readyS = std::max(rank.passesEndS, syncedS(rank, lastS));
        for (const int stage : rank.stages)
            if (waitsForAll_ && stages_[at(stage)].beside.isOnce) readyS = std::max(readyS, lastS);
        endS = std::max(endS, readyS + rank.updatesS);
    }
    return endS;
}

}  // namespace stagecraft::planners
