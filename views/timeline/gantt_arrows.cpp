#include "views/timeline/gantt_arrows.h"

#include <algorithm>

namespace stagecraft::views {

namespace {

/// Blocks without a row (a transfer while communication is off) are replaced by those on their other side.
std::vector<std::uint32_t> withRows(const GanttScene& scene, const std::vector<std::uint32_t>& blocks,
                                    bool backwards) {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t block : blocks) {
        if (scene.rowOf(block)) {
            found.push_back(block);
            continue;
        }
        const Neighbours beyond = neighbours(*scene.data->evaluation().graph, scene.timeline(), block);
        for (const std::uint32_t other : backwards ? beyond.predecessors : beyond.successors)
            if (scene.rowOf(other)) found.push_back(other);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

}  // namespace

void findArrows(GanttScene& scene) {
    scene.arrows.clear();
    scene.weightArrows.clear();
    const std::uint32_t block = scene.selected;
    if (!scene.data || block == noBlock || !scene.rowOf(block)) return;
    const Neighbours around = neighbours(*scene.data->evaluation().graph, scene.timeline(), block);
    for (const std::uint32_t from : withRows(scene, around.predecessors, true))
        scene.arrows.push_back({from, block});
    for (const std::uint32_t to : withRows(scene, around.successors, false))
        scene.arrows.push_back({block, to});
    if (!scene.data->runsOn()) return;
    for (const WeightArrow& arrow : scene.data->weightArrowsOf(block))
        if (scene.rowOf(arrow.from) && scene.rowOf(arrow.to)) scene.weightArrows.push_back(arrow);
}

}  // namespace stagecraft::views
