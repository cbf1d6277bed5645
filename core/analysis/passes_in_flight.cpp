#include "core/analysis/passes_in_flight.h"

#include <algorithm>

namespace stagecraft::analysis {

std::map<int, int> peakInFlight(const Plan& plan, const Timeline& timeline) {
    const BlockKind last = plan.schedule.splitBackward ? BlockKind::weightGradient : BlockKind::backward;
    std::map<int, int> peaks;
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute) continue;
        int inFlight = 0, peak = 0;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            if (timeline.kind[block] == BlockKind::forward) peak = std::max(peak, ++inFlight);
            if (timeline.kind[block] == last) --inFlight;
        }
        for (const int device : lane.devices) peaks[device] = std::max(peaks[device], peak);
    }
    return peaks;
}

}  // namespace stagecraft::analysis
