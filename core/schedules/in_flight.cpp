#include "core/schedules/in_flight.h"

#include "core/cost/stage_layout.h"
#include "core/schedules/one_forward_one_backward.h"

#include <algorithm>

namespace stagecraft::schedules {

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
