#include "core/analysis/metrics.h"

#include <algorithm>

namespace stagecraft::analysis {

CriticalPath criticalPath(const Timeline& timeline) {
    CriticalPath path;
    std::uint32_t block = noBlock;
    for (std::uint32_t each = 0; each < timeline.blockCount(); ++each)
        if (block == noBlock || timeline.endS[each] > timeline.endS[block]) block = each;
    for (; block != noBlock; block = timeline.waitedFor[block]) path.blocks.push_back(block);
    std::reverse(path.blocks.begin(), path.blocks.end());

    double reachedS = timeline.firstStartS();
    for (const std::uint32_t each : path.blocks) {
        path.waitingS += std::max(0.0, timeline.startS[each] - reachedS);
        reachedS = timeline.endS[each];
        const int lane = timeline.laneOf(each);
        const bool computes = timeline.lanes[static_cast<std::size_t>(lane)].kind == LaneKind::compute;
        (computes ? path.computeS : path.communicationS) += timeline.durationS(each);
    }
    return path;
}

}  // namespace stagecraft::analysis
