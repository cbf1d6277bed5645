#include "app/commands/plan_report.h"
#include "core/analysis/memory_lack.h"
#include "core/analysis/mixed_precision.h"
#include "core/analysis/passes_in_flight.h"
#include "core/analysis/utilisation.h"
#include "core/base/enum_names.h"
#include "core/formats/json_writer.h"
#include "core/memory/memory_saved.h"
#include "core/runs/cautions.h"
#include "core/runs/standing.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::app::commands {

using nlohmann::ordered_json;

namespace {

ordered_json numberOrNull(double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

constexpr EnumName<PlanStatus> statusNames[] = {
    {PlanStatus::ok, "ok"}, {PlanStatus::infeasible, "infeasible"}, {PlanStatus::failed, "failed"}};

const char* statusName(PlanStatus status) { return nameOf(statusNames, status); }

ordered_json stages(const Plan& plan, const Cluster& cluster) {
    ordered_json list = ordered_json::array();
    for (const Stage& stage : plan.stages) {
        ordered_json entry = {{"layers", ordered_json::array({stage.firstLayer, stage.lastLayer})},
                              {"devices", ordered_json::array()}};
        for (const int device : stage.devices)
            entry["devices"].push_back(cluster.devices[static_cast<std::size_t>(device)].id);
        if (stage.pipeline != 0) entry["pipeline"] = stage.pipeline;
        if (stage.group != Group{})
            entry["group"] = {{"tensor", stage.group.tensor},
                              {"context", stage.group.context},
                              {"expert", stage.group.expert},
                              {"sequence_parallel", stage.group.sequenceParallel}};
        list.push_back(std::move(entry));
    }
    return list;
}

ordered_json guaranteeJson(const Guarantee& guarantee) {
    ordered_json entry = {
        {"name", guarantee.name},
        {"bound_s", guarantee.boundS > 0 ? numberOrNull(guarantee.boundS) : ordered_json()}};
    if (guarantee.factor > 0) entry["factor"] = numberOrNull(guarantee.factor);
    entry["holds"] = guarantee.holds;
    entry["because"] = guarantee.because;
    return entry;
}

/// The last that bounds the iteration time: planners give them from the nearest to the farthest-reaching.
ordered_json mainGuarantee(const std::vector<Guarantee>& guarantees) {
    const auto found = std::find_if(guarantees.rbegin(), guarantees.rend(),
                                    [](const Guarantee& guarantee) { return guarantee.boundS > 0; });
    return found == guarantees.rend() ? ordered_json() : guaranteeJson(*found);
}

/// vPipe's Figs. 10 and 11, summed over the devices as in its Table 3.
void addUtilisation(ordered_json& out, const PlanRun& run) {
    const Plan& plan = run.result.plan;
    const Cluster& cluster = run.costs->problem().cluster;
    ordered_json devices = ordered_json::object();
    const Metrics& metrics = run.evaluation->metrics;
    const std::vector<DeviceUtilisation> shares =
        utilisation(*run.costs, plan, metrics, run.evaluation->timeline);
    for (const DeviceUtilisation& device : shares)
        devices[cluster.devices[static_cast<std::size_t>(device.device)].id] = {
            {"effective", numberOrNull(device.useful)},
            {"busy", numberOrNull(device.busy)},
            {"recompute", numberOrNull(device.recompute)},
            {"swap_stall", numberOrNull(device.swapStall)},
            {"host_link", numberOrNull(device.hostLink)}};
    out["busy_utilisation"] = numberOrNull(meansOver(plan, shares).busy);
    out["useful_devices"] = numberOrNull(usefulDevices(*run.costs, shares));
    out["useful_and_recompute_devices"] = numberOrNull(usefulAndRepeatedDevices(*run.costs, shares));
    out["utilisation"] = std::move(devices);
    const std::optional<double> ideal = idealThroughputOf(*run.costs, plan, metrics);
    out["ideal_throughput_samples_per_s"] = ideal ? numberOrNull(*ideal) : ordered_json();
}

/// Of devices where the plan swaps, evicts or recomputes.
void addSavedMemory(ordered_json& out, const PlanRun& run) {
    const Plan& plan = run.result.plan;
    if (!savesMemory(plan, run.evaluation->timeline)) return;
    const Cluster& cluster = run.costs->problem().cluster;
    ordered_json& devices = out["memory_saved"] = ordered_json::object();
    const std::vector<MemoryCurve>& curves = run.evaluation->memory;
    const SavedMemories all =
        savedMemory(*run.costs, plan, run.evaluation->lowered().edges, run.evaluation->timeline, curves);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (const SavedMemory& saved = *all[i]; !saved.timeS.empty())
            devices[cluster.devices[static_cast<std::size_t>(curves[i].device)].id] = {
                {"by_swap_bytes", numberOrNull(saved.mostBySwap())},
                {"by_recompute_bytes", numberOrNull(saved.mostByRecompute())},
                {"peak_without_bytes", numberOrNull(saved.keptPeakBytes())}};
}

/// A family's id; null where the plan spells out its orders or repeats a pattern.
ordered_json scheduleJson(const Plan& plan) {
    const auto* policy = std::get_if<FamilySchedule>(&plan.schedule.order);
    return policy ? ordered_json(policy->name) : ordered_json();
}

ordered_json inFlightJson(const PlanRun& run) {
    ordered_json devices = ordered_json::object();
    for (const auto& [device, peak] : peakInFlight(run.evaluation->timeline))
        devices[run.costs->problem().cluster.devices[static_cast<std::size_t>(device)].id] = peak;
    return devices;
}

ordered_json triedJson(const TriedSchedule& tried) {
    ordered_json out = {{"schedule", tried.family},
                        {"chunks", tried.chunks},
                        {"partition", tried.partition},
                        {"recomputes", tried.recomputes}};
    if (tried.offloads) out["offloads"] = true;
    if (tried.microbatchSize > 0) out["microbatch_size"] = tried.microbatchSize;
    if (!tried.leftOut.empty()) {
        out["left_out"] = tried.leftOut;
        return out;
    }
    out["iteration_time_s"] = tried.iterationTimeS;
    out["peak_memory_bytes"] = tried.peakBytes;
    out["fits_memory"] = tried.lackingBytes <= 0;
    out["chosen"] = tried.chosen;
    return out;
}

/// Of those that are read off one of `sources`; not known is null.
void addFields(ordered_json& out, const MeasuredPlan& plan, std::initializer_list<MetricSource> sources) {
    for (const Metric& metric : metricCatalogue()) {
        if (!metric.field || std::find(sources.begin(), sources.end(), metric.source) == sources.end())
            continue;
        if (metric.source == MetricSource::reference && !plan.reference) continue;
        const std::optional<double> value = metric.of(plan);
        out[metric.field] = value ? numberOrNull(*value) : ordered_json();
    }
}

void addMemory(ordered_json& out, const PlanRun& run) {
    const Metrics& metrics = run.evaluation->metrics;
    const Cluster& cluster = run.costs->problem().cluster;
    ordered_json& peaks = out["peak_memory_bytes"] = ordered_json::object();
    for (const DeviceMetrics& device : metrics.devices)
        peaks[cluster.devices[static_cast<std::size_t>(device.device)].id] =
            saysMemory(run.costs->problem().profile) ? numberOrNull(device.peakMemoryBytes) : ordered_json();
    addSavedMemory(out, run);
    addUtilisation(out, run);
    out["fits_memory"] = metrics.fitsMemory;
    if (const auto mixed = mixedPrecision(*run.costs, run.result.plan, metrics))
        out["memory_understated"] = {{"counted_bytes_per_parameter", mixed->countedBytes},
                                     {"mixed_precision_bytes_per_parameter", mixed->neededBytes},
                                     {"device", cluster.devices[static_cast<std::size_t>(mixed->device)].id},
                                     {"peak_bytes", numberOrNull(mixed->peakBytes)},
                                     {"fits_memory", mixed->fits}};
    if (metrics.excesses.empty()) return;
    ordered_json& excesses = out["memory_excess"] = ordered_json::array();
    for (const MemoryExcess& excess : metrics.excesses)
        excesses.push_back({{"device", cluster.devices[static_cast<std::size_t>(excess.device)].id},
                            {"first_at_s", numberOrNull(excess.timeS)},
                            {"excess_bytes", numberOrNull(excess.excessBytes)},
                            {"largest_part", memoryKindName(excess.largest)}});
}

ordered_json outcomeJson(const PlannerOutcome& outcome, const MeasuredPlan* reference) {
    const PlanningResult& result = outcome.run.result;
    const Cluster& cluster = outcome.run.costs->problem().cluster;
    ordered_json out = {{"planner", outcome.planner}, {"status", statusName(result.status)}};
    if (!result.plan.name.empty()) out["name"] = result.plan.name;
    if (!isCompared(outcome.run)) out["out_of_date"] = true;
    if (outcome.run.age == PlanAge::otherProfile) out["other_profile"] = true;
    if (!outcome.run.ok()) {
        out["reason"] = result.reason;
        out["planning_time_s"] = result.planningTimeS;
        return out;
    }
    const Evaluation& evaluation = *outcome.run.evaluation;
    out["stages"] = stages(result.plan, cluster);
    out["schedule"] = scheduleJson(result.plan);
    out["peak_in_flight"] = inFlightJson(outcome.run);
    const MeasuredPlan plan = measuredBeside(outcome.run, reference);
    addFields(out, plan, {MetricSource::simulation, MetricSource::reference, MetricSource::shape});
    addMemory(out, outcome.run);
    addFields(out, plan, {MetricSource::planner});
    out["guarantee"] = mainGuarantee(result.guarantees);
    out["guarantees"] = ordered_json::array();
    for (const Guarantee& guarantee : result.guarantees)
        out["guarantees"].push_back(guaranteeJson(guarantee));
    out["valid"] = evaluation.valid();
    if (!evaluation.valid()) {
        ordered_json& violations = out["violations"] = ordered_json::array();
        for (const Violation& violation : evaluation.violations)
            violations.push_back({{"rule", ruleName(violation.rule)}, {"message", violation.message}});
    }
    if (ordered_json versions = versionTableJson(outcome.run); !versions.is_null())
        out["version_differences"] = std::move(versions);
    if (std::vector<std::string> notes = remarksOn(outcome.run); !notes.empty())
        out["notes"] = std::move(notes);
    for (const TriedSchedule& tried : result.tried) out["tried"].push_back(triedJson(tried));
    out["planning_time_s"] = result.planningTimeS;
    return out;
}

}  // namespace

std::string planReportJson(const std::vector<PlannerOutcome>& outcomes, const PlannerOutcome* reference) {
    const auto other = reference ? std::optional(reference->run.measured()) : std::nullopt;
    ordered_json results = ordered_json::array();
    for (const PlannerOutcome& outcome : outcomes)
        results.push_back(outcomeJson(outcome, other ? &*other : nullptr));
    return formatJson({{"results", std::move(results)}});
}

}  // namespace stagecraft::app::commands
