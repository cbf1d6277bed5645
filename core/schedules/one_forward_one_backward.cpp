#include "core/schedules/one_forward_one_backward.h"

#include "core/cost/stage_layout.h"
#include "core/schedules/version_difference.h"

#include <algorithm>

namespace stagecraft::schedules {

std::vector<StageOp> warmUpOrder(int warmUp, int microbatches) {
    std::vector<StageOp> order;
    order.reserve(2 * static_cast<std::size_t>(microbatches));
    int forward = 0, backward = 0;
    while (forward < std::min(warmUp, microbatches)) order.push_back({TaskKind::forward, forward++});
    while (backward < microbatches) {
        if (forward < microbatches) order.push_back({TaskKind::forward, forward++});
        order.push_back({TaskKind::backward, backward++});
    }
    return order;
}

std::vector<StageOp> splitWarmUpOrder(int warmUp, int microbatches) {
    std::vector<StageOp> order = warmUpOrder(warmUp, microbatches);
    for (StageOp& op : order)
        if (op.kind == TaskKind::backward) op.kind = TaskKind::inputGradient;
    return order;
}

namespace {

constexpr const char* extraInFlight = "extra_in_flight";
constexpr int mostExtra = 1 << 10;

}  // namespace

int replicaInFlight(const ReplicaPlace& place, const ScheduleParameters& parameters) {
    const auto found = parameters.find(extraInFlight);
    const bool adds = found != parameters.end() && found->second > 0;  // false for NaN
    const int extra = adds ? static_cast<int>(std::min<double>(found->second, mostExtra)) : 0;
    return (place.workersAhead + extra * place.laterStages + place.replicas - 1) / place.replicas;
}

std::vector<StageOp> roundRobinOrder(const ReplicaPlace& place, int microbatches,
                                     const ScheduleParameters& parameters) {
    return warmUpOrder(replicaInFlight(place, parameters) - 1, microbatches);
}

std::vector<StageOp> oneForwardOneBackwardOrder(int stage, int stages, int microbatches,
                                                const ScheduleParameters& parameters) {
    return roundRobinOrder({1, stages - stage, stages - 1 - stage}, microbatches, parameters);
}

ScheduleFamily oneForwardOneBackwardFamily() {
    return {
        .id = "1f1b",
        .title = "1F1B: one forward, one backward",
        .paper = "Narayanan et al., SOSP 2019; Fan et al., PPoPP 2021",
        .parameters = {{extraInFlight, "More in flight",
                        "Microbatches that a stage begins beyond 1F1B's for each stage after it: they hide "
                        "transfers and need memory.",
                        0, 0, mostExtra},
                       {predictionParameter, "Cost of a prediction",
                        "Where weights are predicted: seconds for each byte of a stage's parameters.", 0.0, 0,
                        1}},
        .order = oneForwardOneBackwardOrder,
        .replicaOrder = roundRobinOrder,
        .streams = true};
}

namespace {

std::vector<StageOp> eagerOrder(int stage, int stages, int microbatches, const ScheduleParameters&) {
    return warmUpOrder(2 * (stages - 1 - stage), microbatches);
}

}  // namespace

ScheduleFamily eagerOneForwardOneBackwardFamily() {
    return {.id = "eager-1f1b",
            .title = "Eager 1F1B: twice the warm-up, which hides transfers",
            .paper = "Fan et al., PPoPP 2021, second policy",
            .order = eagerOrder,
            .streams = true};
}

int replicasInTurn(const Stage& stage) { return StageLayout(stage).turns(); }

ReplicaPlace replicaPlaceOf(const std::vector<Stage>& stages, int stage) {
    const Stage& own = stages[static_cast<std::size_t>(stage)];
    ReplicaPlace place{replicasInTurn(own), replicasInTurn(own), 0};
    for (auto later = stages.begin() + stage + 1; later != stages.end(); ++later) {
        if (later->pipeline != own.pipeline) continue;
        place.workersAhead += replicasInTurn(*later);
        ++place.laterStages;
    }
    return place;
}

int mostInFlight(const std::vector<Stage>& stages, const ScheduleParameters& parameters) {
    int most = 1;
    for (int stage = 0; stage < static_cast<int>(stages.size()); ++stage) {
        const ReplicaPlace place = replicaPlaceOf(stages, stage);
        most = std::max(most, place.replicas * replicaInFlight(place, parameters));
    }
    return most;
}

}  // namespace stagecraft::schedules
