#include "core/model/chart_note.h"

#include "core/model/cluster.h"

#include <algorithm>
#include <numeric>

namespace stagecraft::model {

BlockName nameOfBlock(const Timeline& timeline, std::uint32_t block) {
    return {timeline.kind[block], timeline.stage[block], timeline.microbatch[block],
            timeline.iteration[block], timeline.microbatch[block] < 0 ? 0 : timeline.sliceOf(block)};
}

std::string blockNameText(const BlockName& name) {
    std::string text = blockKindName(name.kind);
    if (name.slice > 0) text += " of slice " + std::to_string(name.slice);
    if (name.microbatch >= 0) text += " of microbatch " + std::to_string(name.microbatch);
    text += (name.microbatch >= 0 ? " on stage " : " of stage ") + std::to_string(name.stage);
    if (name.iteration > 0) text += " in mini-batch " + std::to_string(name.iteration);
    return text;
}

PlacedNotes placeNotes(const std::vector<ChartNote>& notes, const Timeline& timeline,
                       const Cluster& cluster) {
    std::vector<ChartNote> moved = notes;
    std::vector<bool> gone(notes.size(), false);
    for (std::size_t i = 0; i < notes.size(); ++i) {
        if (!notes[i].block) continue;
        const BlockName& name = *notes[i].block;
        const std::uint32_t block =
            timeline.find(name.kind, name.stage, name.microbatch, name.iteration, name.slice);
        gone[i] = block == noBlock;
        if (gone[i]) continue;
        moved[i].atS = timeline.startS[block];
        if (auto& view = moved[i].viewS) {
            const double byS = moved[i].atS - notes[i].atS;
            view = {view->first + byS, view->second + byS};
        }
        moved[i].untilS.reset();
        if (timeline.endS[block] > timeline.startS[block]) moved[i].untilS = timeline.endS[block];
        const Lane& lane = timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))];
        moved[i].device = lane.kind == LaneKind::compute
                              ? cluster.devices[static_cast<std::size_t>(lane.devices.front())].id
                              : std::string();
    }
    PlacedNotes placed;
    placed.from.resize(notes.size());
    std::iota(placed.from.begin(), placed.from.end(), 0);
    const auto at = [&](int note) -> const ChartNote& { return moved[static_cast<std::size_t>(note)]; };
    std::stable_sort(placed.from.begin(), placed.from.end(),
                     [&](int a, int b) { return at(a).atS < at(b).atS; });
    for (const int note : placed.from) {
        placed.notes.push_back(at(note));
        placed.gone.push_back(gone[static_cast<std::size_t>(note)]);
    }
    return placed;
}

}  // namespace stagecraft::model
