#include "core/experiments/cell_result.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace stagecraft::experiments {

const char* statusName(CellStatus status) {
    for (const auto& entry : cellStatusNames)
        if (entry.value == status) return entry.name;
    return "";
}

namespace {

std::map<std::string, double> metricsOf(const PlanRun& run, const std::vector<std::string>& asked) {
    const MeasuredPlan measured = run.measured();
    std::map<std::string, double> values;
    for (const Metric& metric : metricCatalogue())
        if (metric.inExperiments == InExperiments::always || std::ranges::count(asked, metric.id) > 0)
            if (const auto value = metric.of(measured); value && std::isfinite(*value))
                values.emplace(metric.id, *value);
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
    {epochSeconds, "Time of an epoch", "s", "its samples at the plan's simulated throughput; training study",
     true, true},
    {"time_s", "Time", "s", "of the epochs so far; training study", true, true},
    {timeToTarget, "Time to the target", "s", "of the epochs to the target; training study", true, true},
    {"ideal_throughput_samples_per_s", "Ideal throughput", "samples/s",
     "without a limit of memory and always balanced; study of a changing network", false, true},
    {"first_stage_layers", "Layers of stage 0", "", "at that time; study of a changing network", true, true},
    {"migration_stall_s", "Stalls for layers that move", "s", "up to that time; study of a changing network",
     true, true},
    {"stop_and_copy_stall_s", "The same if it stopped to move them", "s",
     "up to that time; study of a changing network", true, true},
    {"migration_peak_Bps", "Peak data rate of layers that move", "B/s",
     "within a second, up to that time; study of a changing network", true, true},
    {"migration_least_utilisation", "Least utilisation while layers move", "",
     "share of 0.1 s that the devices train, on average, up to that time; study of a changing network", false,
     true},
    {"stop_and_copy_least_utilisation", "The same if it stopped to move them", "",
     "up to that time; study of a changing network", false, true},
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
        for (const Metric& metric : metricCatalogue())
            if (metric.inExperiments != InExperiments::never)
                list.push_back({std::string(metric.id), std::string(metric.title), std::string(metric.unit),
                                std::string(metric.meaning), metric.better != Better::more});
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

std::vector<std::string> askedAlone(const std::vector<std::string>& metrics) {
    std::vector<std::string> alone;
    for (const Metric& metric : metricCatalogue())
        if (metric.inExperiments == InExperiments::whereAsked && std::ranges::count(metrics, metric.id) > 0)
            alone.emplace_back(metric.id);
    return alone;
}

CellResult resultOf(const PlanRun& run, const std::vector<std::string>& metrics) {
    CellResult result;
    if (!run.ok()) {
        result.status =
            run.result.status == PlanStatus::infeasible ? CellStatus::infeasible : CellStatus::failed;
        result.reason = run.result.reason;
        return result;
    }
    result.status = run.evaluation->valid() ? CellStatus::ok : CellStatus::invalid;
    if (!run.evaluation->valid()) result.reason = run.evaluation->violations.front().message;
    result.metrics = metricsOf(run, askedAlone(metrics));
    return result;
}

}  // namespace stagecraft::experiments
