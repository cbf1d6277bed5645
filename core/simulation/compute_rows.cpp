#include "core/simulation/compute_rows.h"

#include "core/model/vocabulary.h"
#include "core/schedules/version_difference.h"

#include <algorithm>

namespace stagecraft::simulation {

void ComputeRows::add() {
    for (int s = 0; s < draft_.plan().stageCount(); ++s) draft_.rowsOf(s) = rowsFor(s);
}

StageRows ComputeRows::rowsFor(int s) {
    const bool splits = draft_.plan().schedule.splits();
    StageRows rows;
    const auto addRow = [&](BlockKind kind, auto seconds) {
        const int row = draft_.addRow(kind, s, draft_.onStage(s, seconds), RowTrigger::pass);
        for (TaskVariant& each : draft_.row(row).variants)
            each.sends = draft_.addSendings(s, kind, each.durationS);
        if (const std::optional<TaskKind> after = passKind(kind).after) draft_.follow(rows.of(*after), row);
        return row;
    };
    rows.forward = addRow(BlockKind::forward, [](const StageCost& c) { return c.forwardS; });
    rows.backward = addRow(splits ? BlockKind::inputGradient : BlockKind::backward, [&](const StageCost& c) {
        return splits ? c.backwardS - c.weightGradientS : c.backwardS;
    });
    if (draft_.graph().slices > 1)
        draft_.row(rows.forward).sliceStep = 1, draft_.row(rows.backward).sliceStep = -1;
    if (splits) {
        rows.weightGradient =
            addRow(BlockKind::weightGradient, [](const StageCost& c) { return c.weightGradientS; });
        rows.wholeBackwardSends =
            draft_.addSendings(s, BlockKind::backward, draft_.costs().stage(draft_.plan(), s).backwardS);
    }
    if (recomputes(s)) {
        rows.recompute = addRow(BlockKind::recompute, [](const StageCost& c) { return c.recomputeS; });
        draft_.follow(rows.recompute, rows.backward);
    }
    // Recomputation uses the backward's weights, which are predicted before it then.
    draft_.row(rows.forward).firstBesidesS = predictionS(draft_.costs(), draft_.plan(), s, false);
    draft_.row(rows.firstOfBackward()).firstBesidesS = predictionS(draft_.costs(), draft_.plan(), s, true);
    return rows;
}

bool ComputeRows::recomputes(int s) const {
    const LayerSpan own = passLayers(draft_.costs().problem().profile, draft_.plan(), s);
    const auto& layers = draft_.plan().memory.layers;
    return std::any_of(layers.begin(), layers.end(), [&](const auto& entry) {
        return entry.second != LayerMemory::keep && entry.second != LayerMemory::swap &&
               own.contains(entry.first);
    });
}

}  // namespace stagecraft::simulation
