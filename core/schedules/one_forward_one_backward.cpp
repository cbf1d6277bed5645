#include "core/schedules/warm_up.h"

#include <algorithm>

namespace stagecraft {

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

int replicaInFlight(const ReplicaPlace& place, const std::map<std::string, double>& parameters) {
    constexpr double most = 1 << 10;
    const auto found = parameters.find("extra_in_flight");
    const bool adds = found != parameters.end() && found->second > 0;  // false for NaN
    const int extra = adds ? static_cast<int>(std::min(found->second, most)) : 0;
    return (place.workersAhead + extra * place.stagesBehind + place.replicas - 1) / place.replicas;
}

std::vector<StageOp> roundRobinOrder(const ReplicaPlace& place, int microbatches,
                                     const std::map<std::string, double>& parameters) {
    return warmUpOrder(replicaInFlight(place, parameters) - 1, microbatches);
}

/// Stage s of p warms up with p - 1 - s forwards, so that p - s microbatches are in flight at most (DAPPLE,
/// III-A; PipeDream-Flush).
std::vector<StageOp> oneForwardOneBackwardOrder(int stage, int stages, int microbatches,
                                                const std::map<std::string, double>& parameters) {
    return roundRobinOrder({1, stages - stage, stages - 1 - stage}, microbatches, parameters);
}

}  // namespace stagecraft
