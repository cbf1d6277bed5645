#include "core/analysis/passes_in_flight.h"

#include <algorithm>

namespace stagecraft::analysis {

std::map<int, int> peakInFlight(const Timeline& timeline) {
    std::map<int, int> peaks;
    for (const Lane& lane : timeline.lanes) {
        if (lane.kind != LaneKind::compute) continue;
        int inFlight = 0, peak = 0;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            const BlockKind kind = timeline.kind[block];
            if (kind == BlockKind::forward || kind == BlockKind::pair) peak = std::max(peak, ++inFlight);
            if (endsBackward(kind)) --inFlight;
        }
        for (const int device : lane.devices) peaks[device] = std::max(peaks[device], peak);
    }
    return peaks;
}

}  // namespace stagecraft::analysis
