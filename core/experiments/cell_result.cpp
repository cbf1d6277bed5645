#include "core/experiments/cell_result.h"

#include "core/analysis/utilisation.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

namespace stagecraft {

namespace {

/// How long the whole iteration takes on the cluster's fastest device alone, ignoring memory.
double onOneDeviceS(const PlanRun& run) {
    const CostModel& costs = *run.costs;
    double speed = 0;
    for (const Device& device : costs.problem().cluster.devices) speed = std::max(speed, device.speed);
    const int last = costs.layerCount() - 1;
    const double microbatchS = (costs.forwardS(0, last) + costs.backwardS(0, last)) / speed;
    return run.perIteration(microbatchS * costs.problem().setup.microbatches);
}

int devicesUsed(const Plan& plan) {
    std::set<int> used;
    for (const Stage& stage : plan.stages) used.insert(stage.devices.begin(), stage.devices.end());
    return static_cast<int>(used.size());
}

/// A run and what several metrics are read off.
struct MeasuredRun {
    explicit MeasuredRun(const PlanRun& given)
        : run(given),
          metrics(given.evaluation->metrics),
          means(meansOver(given.result.plan, utilisation(*given.costs, given.result.plan, metrics,
                                                         given.evaluation->timeline))) {}

    const PlanRun& run;
    const Metrics& metrics;
    const UtilisationMeans means;
};

double peakMemoryBytes(const MeasuredRun& of) {
    double peak = 0;
    for (const DeviceMetrics& device : of.metrics.devices) peak = std::max(peak, device.peakMemoryBytes);
    return peak;
}

/// NaN is no value.
constexpr double none = std::numeric_limits<double>::quiet_NaN();

double criticalCommunicationShare(const MeasuredRun& of) {
    const auto& critical = of.metrics.criticalPath;
    const double path = critical.computeS + critical.communicationS + critical.waitingS;
    return path > 0 ? critical.communicationS / path : none;
}

double chosenObjectiveS(const MeasuredRun& of) {
    double objectiveS = none;
    for (const Attempt& attempt : of.run.result.attempts)
        if (attempt.chosen && attempt.objectiveS > 0) objectiveS = attempt.objectiveS;
    return objectiveS;
}

/// The attempt with the most stages; null if there is none that has an objective.
const Attempt* lastAttempt(const MeasuredRun& of) {
    const std::vector<Attempt>& attempts = of.run.result.attempts;
    const auto largest =
        std::max_element(attempts.begin(), attempts.end(),
                         [](const Attempt& a, const Attempt& b) { return a.stages < b.stages; });
    return largest != attempts.end() && largest->objectiveS > 0 ? &*largest : nullptr;
}

/// A metric of plans and how it is read off a run.
struct PlanMetric {
    MetricDescription description;
    double (*value)(const MeasuredRun& of);
};

const PlanMetric planMetrics[] = {
    {{"iteration_time_s", "Iteration time", "s",
      "for the microbatches asked for; in steady state without a barrier"},
     [](const MeasuredRun& of) { return of.run.iterationTimeS(); }},
    {{"throughput_samples_per_s", "Throughput", "samples/s", "samples over the time of their iteration",
      false},
     [](const MeasuredRun& of) { return of.metrics.throughputSamplesPerS; }},
    {{"speedup", "Speedup", "", "over all layers on the fastest device alone", false},
     [](const MeasuredRun& of) { return onOneDeviceS(of.run) / of.run.iterationTimeS(); }},
    {{"bubble_fraction", "Bubbles", "", "idle share of the iteration, mean over the cluster's devices"},
     [](const MeasuredRun& of) { return of.metrics.bubbleFraction; }},
    {{"span_bubble_fraction", "Bubbles within spans", "",
      "idle share between a device's first and last block, mean over the devices that compute"},
     [](const MeasuredRun& of) { return of.metrics.spanBubbleFraction; }},
    {{"peak_memory_bytes", "Peak memory", "B", "of the device with the most"}, peakMemoryBytes},
    {{"fits_memory", "Fits", "", "1 if no device exceeds its memory at any instant, else 0", false},
     [](const MeasuredRun& of) { return of.metrics.fitsMemory ? 1.0 : 0.0; }},
    {{"predicted_s", "Predicted time", "s", "what the planner itself expected"},
     [](const MeasuredRun& of) {
         return of.run.result.predictedS ? of.run.perIteration(*of.run.result.predictedS) : none;
     }},
    {{"objective_s", "Objective", "s", "of the planner's chosen attempt; SPP: W"}, chosenObjectiveS},
    {{"iteration_time_per_layer_s", "Iteration time per layer", "s",
      "iteration time over the number of layers"},
     [](const MeasuredRun& of) {
         return of.run.iterationTimeS() / of.run.costs->problem().profile.layerCount();
     }},
    {{"last_attempt_objective_s", "Objective of the last attempt", "s",
      "of the attempt with the most stages; with SPP's max_stages that of so many: W"},
     [](const MeasuredRun& of) {
         const Attempt* last = lastAttempt(of);
         return last ? last->objectiveS : none;
     }},
    {{"last_attempt_time_s", "Time of the last attempt", "s", "the same attempt's iteration time"},
     [](const MeasuredRun& of) {
         const Attempt* last = lastAttempt(of);
         return last ? last->iterationTimeS : none;
     }},
    {{"plan_bound_s", "Plan's bound", "s", "no schedule of this plan is faster"},
     [](const MeasuredRun& of) { return of.run.perIteration(of.metrics.planBound.seconds); }},
    {{"problem_bound_s", "Problem's bound", "s", "no plan of this problem is faster"},
     [](const MeasuredRun& of) { return of.run.perIteration(of.metrics.problemBound.seconds); }},
    {{"critical_communication_share", "Communication on the critical path", "",
      "share of transfers, AllReduce and swaps"},
     criticalCommunicationShare},
    {{"effective_utilisation", "Effective utilisation", "",
      "useful arithmetic: the mini-batch's work at the reference microbatch's speed, over the time of "
      "the plan's devices",
      false},
     [](const MeasuredRun& of) { return of.means.useful; }},
    {{"total_utilisation", "Total utilisation", "", "the same, with what is recomputed", false},
     [](const MeasuredRun& of) { return of.means.usefulAndRepeated; }},
    {{"recompute_share", "Recompute", "", "share of the time spent on recomputation, likewise"},
     [](const MeasuredRun& of) { return of.means.recompute; }},
    {{"stages", "Stages", "", "of the plan"},
     [](const MeasuredRun& of) { return static_cast<double>(of.run.result.plan.stages.size()); }},
    {{"devices", "Devices", "", "that the plan uses"},
     [](const MeasuredRun& of) { return static_cast<double>(devicesUsed(of.run.result.plan)); }},
};

std::map<std::string, double> metricsOf(const PlanRun& run) {
    const MeasuredRun measured(run);
    std::map<std::string, double> values;
    for (const PlanMetric& metric : planMetrics) values[metric.description.name] = metric.value(measured);
    return values;
}

const MetricDescription studyMetrics[] = {
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
    {"first_stage_layers", "Layers of stage 0", "", "at that time; study of a changing network", true, true},
    {"migration_stall_s", "Stalls for layers that move", "s", "up to that time; study of a changing network",
     true, true},
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

}  // namespace

std::optional<double> CellResult::metric(const std::string& name) const {
    const auto found = metrics.find(name);
    if (found == metrics.end()) return std::nullopt;
    return found->second;
}

const std::vector<MetricDescription>& metricDescriptions() {
    static const std::vector<MetricDescription> all = [] {
        std::vector<MetricDescription> list;
        for (const PlanMetric& metric : planMetrics) list.push_back(metric.description);
        list.insert(list.end(), std::begin(studyMetrics), std::end(studyMetrics));
        return list;
    }();
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
