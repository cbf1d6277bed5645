#include "core/runs/memory_table.h"

#include "core/base/indices.h"
#include "core/cost/divided_profile.h"
#include "core/memory/memory_holders.h"

#include <algorithm>
#include <map>

namespace stagecraft::runs {

namespace {

/// What a layer keeps of a microbatch by cause, and what it brings back.
/// @param layer as a rank of the group has it
void addLayer(std::map<ActivationCause, double>& parts, const CostModel& costs, const Layer& layer, int index,
              const Group& group, LayerMemory memory) {
    if (memory == LayerMemory::checkpoint) {
        parts[ActivationCause::input] += costs.keptBytes(index, memory, group);
        return;
    }
    std::vector<StoredPart> own;
    addStoredParts(own, layer);
    for (const StoredPart& part : own)
        if (memory != LayerMemory::selective || part.cause != ActivationCause::scores)
            parts[part.cause] += part.bytes;
}

/// What is held of a stage, in proportion to what its layers keep of a microbatch.
void addStage(std::map<ActivationCause, double>& sums, const PlanRun& run, int stage, double held) {
    std::map<ActivationCause, double> parts;
    const Plan& plan = run.result.plan;
    const Stage& own = plan.stages[at(stage)];
    const LayerProfile& profile = run.costs->problem().profile;
    const double imbalance = run.costs->problem().setup.imbalanceOf(own.group);
    for (int layer = own.firstLayer; layer <= own.lastLayer; ++layer)
        addLayer(parts, *run.costs,
                 dividedLayer(profile.layers[at(layer)], own.group, profile.microbatchSize, imbalance), layer,
                 own.group, plan.layerMemory(layer));
    double whole = 0;
    for (const auto& [cause, bytes] : parts) whole += bytes;
    for (const auto& [cause, bytes] : parts)
        if (bytes > 0) sums[cause] += held * (bytes / whole);
    if (!(whole > 0)) sums[ActivationCause::other] += held;
}

std::vector<StoredPart> activationsBy(const PlanRun& run, const MemoryLedger& ledger, int device,
                                      double atS) {
    std::map<int, double> held;  // by stage
    for (const MemoryHolder& holder : ledger.holders(device, atS))
        if (holder.kind == MemoryKind::activations) held[holder.stage] += holder.bytes;
    std::map<ActivationCause, double> sums;
    for (const auto& [stage, bytes] : held)
        if (bytes > 0) addStage(sums, run, stage, bytes);
    std::vector<StoredPart> parts;
    for (const auto& [cause, bytes] : sums) parts.push_back({cause, bytes});
    return parts;
}

/// Of the device's passes the last that has begun by then.
std::string momentOf(const Timeline& timeline, int device, double atS) {
    const int index = timeline.computeLaneOf(device);
    if (index < 0) return {};
    const Lane& lane = timeline.lanes[at(index)];
    std::uint32_t last = noBlock;
    for (std::uint32_t block = lane.firstBlock; block < lane.endBlock && timeline.startS[block] <= atS;
         ++block)
        if (!isOutOfTurn(timeline.kind[block])) last = block;
    return last == noBlock ? std::string() : describeBlock(timeline, last);
}

}  // namespace

std::vector<MemoryRow> memoryTable(const PlanRun& run) {
    const Plan& plan = run.result.plan;
    const Evaluation& evaluation = *run.evaluation;
    const MemoryLedger ledger(*run.costs, plan, evaluation.lowered().edges, evaluation.timeline);
    std::map<const MemorySteps*, std::size_t> rowOf;
    std::vector<MemoryRow> rows;
    for (const MemoryCurve& curve : evaluation.memory) {
        if (!(curve.peakBytes() > 0)) continue;
        const auto [known, isNew] = rowOf.try_emplace(curve.steps.get(), rows.size());
        if (!isNew) {
            rows[known->second].devices.push_back(curve.device);
            continue;
        }
        MemoryRow& row = rows.emplace_back();
        const std::size_t peak = curve.peakStep();
        row.devices = {curve.device};
        for (int stage = 0; stage < plan.stageCount(); ++stage)
            if (std::ranges::find(plan.stages[at(stage)].devices, curve.device) !=
                plan.stages[at(stage)].devices.end())
                row.stages.push_back(stage);
        for (std::size_t kind = 0; kind < memoryKindCount; ++kind)
            row.bytes[kind] = curve.bytes()[kind][peak];
        row.totalBytes = curve.totalAt(peak);
        row.limitBytes = curve.limitBytes;
        row.atS = curve.timeS()[peak];
        row.activations = activationsBy(run, ledger, curve.device, row.atS);
        row.moment = momentOf(evaluation.timeline, curve.device, row.atS);
    }
    std::ranges::stable_sort(rows, {}, [](const MemoryRow& row) { return row.stages.front(); });
    return rows;
}

}  // namespace stagecraft::runs
