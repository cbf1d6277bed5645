#include "core/schedules/one_forward_one_backward.h"

#include "core/schedules/version_difference.h"
#include "core/schedules/warm_up.h"

#include <algorithm>

namespace stagecraft::schedules {

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
    return {.id = "1f1b",
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

}  // namespace stagecraft::schedules
