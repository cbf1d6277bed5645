#include "core/schedules/schedule.h"

#include <algorithm>

namespace stagecraft {

const std::vector<ScheduleFamily>& scheduleFamilies() {
    static const std::vector<ScheduleFamily> families = [] {
        ScheduleFamily gpipe{"gpipe", "GPipe: all forwards, then all backwards", "Huang et al., NeurIPS 2019",
                             &gpipeOrder};
        ScheduleFamily alternating{"1f1b", "1F1B: one forward, one backward",
                                   "Narayanan et al., SOSP 2019; Fan et al., PPoPP 2021",
                                   &oneForwardOneBackwardOrder};
        alternating.streams = true;
        alternating.replicaOrder = &roundRobinOrder;
        ScheduleFamily pe{"pe", "PE: pipeline execution", "Luo et al. (SPP), Alg. 1", &peOrder};
        pe.ordersChannels = true;
        ScheduleFamily greedy{"greedy", "Greedy: whatever is ready, backward first", "", nullptr};
        greedy.greedy = true;
        greedy.streams = true;
        return std::vector<ScheduleFamily>{gpipe, alternating, pe, greedy};
    }();
    return families;
}

const ScheduleFamily* findScheduleFamily(const std::string& id) {
    const std::vector<ScheduleFamily>& all = scheduleFamilies();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const ScheduleFamily& family) { return family.id == id; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace stagecraft
