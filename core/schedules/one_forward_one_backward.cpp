#include "core/schedules/one_forward_one_backward.h"

#include "core/schedules/warm_up.h"

#include <algorithm>

namespace stagecraft::schedules {

int replicaInFlight(const ReplicaPlace& place, const ScheduleParameters& parameters) {
    constexpr double most = 1 << 10;
    const auto found = parameters.find("extra_in_flight");
    const bool adds = found != parameters.end() && found->second > 0;  // false for NaN
    const int extra = adds ? static_cast<int>(std::min(found->second, most)) : 0;
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
            .order = oneForwardOneBackwardOrder,
            .replicaOrder = roundRobinOrder,
            .streams = true};
}

}  // namespace stagecraft::schedules
