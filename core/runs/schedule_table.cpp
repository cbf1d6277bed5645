#include "core/runs/schedule_table.h"

#include "core/runs/chosen_schedule.h"
#include "core/runs/plan_run.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stagecraft::runs {

namespace {

constexpr int layersPerDevice = 2;  // as many as the chunks of the families that have several
constexpr double layerBytes = 1e6, deviceBytes = layersPerDevice * layerBytes;  // kept of a microbatch
constexpr double unitS = 1e-3;

Problem problemOf(const UniformPipeline& pipeline) {
    Problem problem;
    problem.profile.name = "equal layers";
    for (int i = 0; i < layersPerDevice * pipeline.devices; ++i) {
        Layer layer;
        layer.name = "layer " + std::to_string(i);
        layer.forwardS = pipeline.forward * unitS / layersPerDevice;
        layer.weightGradientS = pipeline.weightGradient * unitS / layersPerDevice;
        layer.backwardS = pipeline.inputGradient * unitS / layersPerDevice + layer.weightGradientS;
        layer.storedActivationBytes = layerBytes;
        // As much as a device keeps, so that an eviction takes as long as a transfer.
        if (pipeline.transfer > 0) layer.outputBytes = layer.outputGradientBytes = deviceBytes;
        problem.profile.layers.push_back(layer);
    }
    problem.cluster.switches = {{"switch", ""}};
    const double bandwidth = pipeline.transfer > 0 ? deviceBytes / (pipeline.transfer * unitS) : 1e18;
    for (int device = 0; device < pipeline.devices; ++device) {
        const std::string id = "g" + std::to_string(device);
        problem.cluster.devices.push_back({.id = id, .server = "s" + std::to_string(device)});
        problem.cluster.links.push_back({.a = id, .b = "switch", .bandwidthBps = bandwidth});
    }
    problem.setup.microbatches = pipeline.microbatches;
    return problem;
}

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

}  // namespace

std::vector<ScheduleRow> scheduleTable(const UniformPipeline& pipeline) {
    require(pipeline.devices >= 1 && pipeline.microbatches >= 1,
            "expected at least one device and one microbatch");
    for (const double time : {pipeline.forward, pipeline.inputGradient, pipeline.weightGradient})
        require(std::isfinite(time) && time > 0, "expected times above 0");
    require(std::isfinite(pipeline.transfer) && pipeline.transfer >= 0,
            "expected a transfer time of 0 or more");
    const auto costs = std::make_shared<const CostModel>(problemOf(pipeline));
    std::vector<ScheduleRow> rows;
    for (const ScheduleFamily& family : scheduleFamilies()) {
        if (sharesVocabulary(family)) continue;  // the layers are all alike
        ScheduleRow& row = rows.emplace_back(ScheduleRow{&family});
        const ParameterValues values = defaultValues(settingsOf(family));
        try {
            row.reason = whyNotCutUnder(*costs, family, values);
            if (!row.reason.empty()) continue;
            const PlanRun run = evaluatePlan(costs, equalLayersUnder(*costs, family, values), {});
            if (!run.ok() || !run.evaluation->valid()) {
                row.reason = run.ok() ? run.evaluation->violations.front().message : run.result.reason;
                continue;
            }
            row.makespan = run.iterationTimeS() / unitS;
            row.bubbles = catalogueMetric("bubble_fraction").of(run.measured()).value_or(0);
            constexpr auto activations = static_cast<std::size_t>(MemoryKind::activations);
            for (const MemoryCurve& curve : run.evaluation->memory)
                row.peak = std::max(row.peak, std::ranges::max(curve.bytes()[activations]) / deviceBytes);
            row.notes = run.result.notes;
        } catch (const std::invalid_argument& error) {
            row.reason = error.what();
        }
    }
    return rows;
}

}  // namespace stagecraft::runs
