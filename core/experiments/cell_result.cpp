#include "core/experiments/cell_result.h"

#include "core/analysis/utilisation.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace stagecraft {

namespace {

/// How long the whole iteration takes on the cluster's fastest device alone, memory let be.
double onOneDeviceS(const PlanRun& run) {
    const CostModel& costs = *run.costs;
    double speed = 0;
    for (const Device& device : costs.problem().cluster.devices) speed = std::max(speed, device.speed);
    const int last = costs.layerCount() - 1;
    const double microbatchS = (costs.forwardS(0, last) + costs.backwardS(0, last)) / speed;
    return run.perIteration(microbatchS * costs.problem().setup.microbatches);
}

std::map<std::string, double> metricsOf(const PlanRun& run) {
    const Metrics& metrics = run.evaluation->metrics;
    const Plan& plan = run.result.plan;
    std::map<std::string, double> values;
    values["iteration_time_s"] = run.iterationTimeS();
    values["iteration_time_per_layer_s"] = run.iterationTimeS() / run.costs->problem().profile.layerCount();
    values["throughput_samples_per_s"] = metrics.throughputSamplesPerS;
    values["speedup"] = onOneDeviceS(run) / run.iterationTimeS();
    values["bubble_fraction"] = metrics.bubbleFraction;
    values["span_bubble_fraction"] = metrics.spanBubbleFraction;
    values["stages"] = static_cast<double>(plan.stages.size());
    std::set<int> used;
    for (const Stage& stage : plan.stages) used.insert(stage.devices.begin(), stage.devices.end());
    values["devices"] = static_cast<double>(used.size());
    double peak = 0;
    for (const DeviceMetrics& device : metrics.devices) peak = std::max(peak, device.peakMemoryBytes);
    values["peak_memory_bytes"] = peak;
    values["fits_memory"] = metrics.fitsMemory ? 1 : 0;
    values["plan_bound_s"] = run.perIteration(metrics.planBound.seconds);
    values["problem_bound_s"] = run.perIteration(metrics.problemBound.seconds);
    if (run.result.predictedS) values["predicted_s"] = run.perIteration(*run.result.predictedS);
    const double path =
        metrics.criticalPath.computeS + metrics.criticalPath.communicationS + metrics.criticalPath.waitingS;
    if (path > 0) values["critical_communication_share"] = metrics.criticalPath.communicationS / path;
    const std::vector<DeviceUtilisation> devices =
        utilisation(*run.costs, plan, metrics, run.evaluation->timeline);
    const UtilisationMeans means = meansOver(plan, devices);
    values["effective_utilisation"] = means.useful;
    values["total_utilisation"] = means.usefulAndRepeated;
    values["recompute_share"] = means.recompute;
    for (const Attempt& attempt : run.result.attempts)
        if (attempt.chosen && attempt.objectiveS > 0) values["objective_s"] = attempt.objectiveS;
    const auto largest =
        std::max_element(run.result.attempts.begin(), run.result.attempts.end(),
                         [](const Attempt& a, const Attempt& b) { return a.stages < b.stages; });
    if (largest != run.result.attempts.end() && largest->objectiveS > 0) {
        values["last_attempt_objective_s"] = largest->objectiveS;
        values["last_attempt_time_s"] = largest->iterationTimeS;
    }
    return values;
}

}  // namespace

std::optional<double> CellResult::metric(const std::string& name) const {
    const auto found = metrics.find(name);
    if (found == metrics.end()) return std::nullopt;
    return found->second;
}

const std::vector<MetricDescription>& metricDescriptions() {
    static const std::vector<MetricDescription> all = {
        {"iteration_time_s", "Iteration time", "s",
         "for the microbatches asked for; in steady state without a barrier"},
        {"throughput_samples_per_s", "Throughput", "samples/s", "samples over the time of their iteration",
         false},
        {"speedup", "Speedup", "", "over all layers on the fastest device alone", false},
        {"bubble_fraction", "Bubbles", "", "idle share of the iteration, mean over the cluster's devices"},
        {"span_bubble_fraction", "Bubbles within spans", "",
         "idle share between a device's first and last block, mean over the devices that compute"},
        {"peak_memory_bytes", "Peak memory", "B", "of the device with the most"},
        {"fits_memory", "Fits", "", "1 if no device exceeds its memory at any instant, else 0", false},
        {"predicted_s", "Predicted time", "s", "what the planner itself expected"},
        {"objective_s", "Objective", "s", "of the planner's chosen attempt; SPP: W"},
        {"iteration_time_per_layer_s", "Iteration time per layer", "s",
         "iteration time over the number of layers"},
        {"last_attempt_objective_s", "Objective of the last attempt", "s",
         "of the attempt with the most stages; with SPP's max_stages that of so many: W"},
        {"last_attempt_time_s", "Time of the last attempt", "s", "the same attempt's iteration time"},
        {"plan_bound_s", "Plan's bound", "s", "no schedule of this plan is faster"},
        {"problem_bound_s", "Problem's bound", "s", "no plan of this problem is faster"},
        {"critical_communication_share", "Communication on the critical path", "",
         "share of transfers, AllReduce and swaps"},
        {"effective_utilisation", "Effective utilisation", "",
         "useful arithmetic: the mini-batch's work at the reference microbatch's speed, over the time of "
         "the plan's devices",
         false},
        {"total_utilisation", "Total utilisation", "", "the same, with what is recomputed", false},
        {"recompute_share", "Recompute", "",
         "share of the time in work that is done a second time, likewise"},
        {"stages", "Stages", "", "of the plan"},
        {"devices", "Devices", "", "that the plan uses"},
        {"validation_loss", "Validation loss", "", "after the epoch; training study", true, true},
        {"validation_accuracy", "Validation accuracy", "", "after the epoch; training study", false, true},
        {"training_loss", "Training loss", "", "mean over the epoch; training study", true, true},
        {"least_validation_loss", "Least validation loss", "", "of the epochs so far; training study", true,
         true},
        {"best_validation_accuracy", "Best validation accuracy", "", "of the epochs so far; training study",
         false, true},
        {"epochs_to_target", "Epochs to the target", "",
         "the first with the accuracy that the training study names", true, true},
        {"ideal_throughput_samples_per_s", "Ideal throughput", "samples/s",
         "without a limit of memory and always balanced; study of a changing network", false, true},
        {"first_stage_layers", "Layers of stage 0", "", "at that time; study of a changing network", true,
         true},
        {"migration_stall_s", "Stalls for layers that move", "s",
         "up to that time; study of a changing network", true, true},
        {"stop_and_copy_stall_s", "The same if it stopped to move them", "s",
         "up to that time; study of a changing network", true, true},
        {"microbatch_size", "Microbatch size", "", "the largest that fits, where a study looks for it", false,
         true},
        {"useful_devices", "Useful work in devices", "",
         "devices that always compute, with the microbatch asked for, do as much; study of the largest "
         "microbatch",
         false, true},
        {"useful_and_recompute_devices", "Useful and repeated work in devices", "",
         "the same with what is recomputed", true, true},
        {"memory_devices", "Memory in devices", "", "peaks over limits, summed; same study", true, true},
        {"host_link_devices", "Host links in devices", "",
         "shares of the time in which they swap, summed; same study", true, true},
        {"microbatch_forward_s", "Forward of a microbatch", "s", "over all stages; same study", true, true},
        {"microbatch_backward_s", "Backward of a microbatch", "s",
         "over all stages, with what is recomputed; same study", true, true},
        {"graph_nodes", "Operators", "", "of the graph; study of partitions", true, true},
        {"graph_edges", "Edges", "", "of the graph; study of partitions", true, true},
        {"partitioned_nodes", "Nodes after coarsening", "", "study of partitions", true, true},
        {"partitioned_edges", "Edges after coarsening", "", "study of partitions", true, true},
        {"cut_bytes_per_sample", "Bytes cut", "B", "between parts, forward; study of partitions", true, true},
        {"slowest_part_over_mean", "Slowest part over the mean", "", "study of partitions", true, true},
    };
    return all;
}

const MetricDescription* findMetric(const std::string& name) {
    const auto& all = metricDescriptions();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const MetricDescription& metric) { return metric.name == name; });
    return found == all.end() ? nullptr : &*found;
}

CellResult resultOf(const PlanRun& run) {
    CellResult result;
    if (!run.ok()) {
        result.status =
            run.result.status == PlanStatus::infeasible ? CellStatus::infeasible : CellStatus::failed;
        result.reason = run.result.reason;
        return result;
    }
    result.status = run.evaluation->valid() ? CellStatus::ok : CellStatus::invalid;
    if (!run.evaluation->valid()) result.reason = run.evaluation->violations.front().message;
    result.metrics = metricsOf(run);
    std::erase_if(result.metrics, [](const auto& entry) { return !std::isfinite(entry.second); });
    return result;
}

}  // namespace stagecraft
