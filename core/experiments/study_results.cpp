#include "core/experiments/study_results.h"
#include "core/planners/planned_run.h"

#include "core/analysis/utilisation.h"
#include "core/experiments/operator_graph.h"
#include "core/model/profile_sizes.h"
#include "core/planners/vpipe/changing_network.h"
#include "core/planners/vpipe/vpipe_planner.h"
#include "core/training/training.h"
#include "core/training/training_settings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace stagecraft::experiments {

namespace {

using training::EpochResult;
using vpipe::ThroughputPoint;

PlanRun planRun(Problem problem, const AskedPlanner& asked, const ParameterValues& values,
                const WorkContext& context) {
    return runAndEvaluate(*findPlanner(asked.planner), std::make_shared<const CostModel>(std::move(problem)),
                          values, context);
}

/// The problem with microbatches of a size, as many that a mini-batch has as many samples as before.
Problem atMicrobatchSize(Problem problem, int size) {
    const int whole = problem.profile.microbatchSize;
    if (size == whole) return problem;
    problem.setup.microbatches *= whole / size;
    problem.profile = profileAtSize(problem.profile, size);
    return problem;
}

PlanRun runOfLargestMicrobatch(const Problem& problem, const AskedPlanner& asked,
                               const ParameterValues& values, const WorkContext& context) {
    PlanRun run;
    for (int size = problem.profile.microbatchSize; size >= 1; size /= 2) {
        run = planRun(atMicrobatchSize(problem, size), asked, values, context);
        if (run.ok() && run.evaluation->metrics.fitsMemory) return run;
    }
    if (run.ok()) {
        run.evaluation = nullptr;
        run.result.status = PlanStatus::infeasible;
        run.result.reason = "even a microbatch of one sample does not fit the memory";
    }
    return run;
}

/// Time of blocks of some kinds for a microbatch, over all stages.
double perMicrobatchS(const PlanRun& run, const std::vector<BlockKind>& kinds) {
    const Timeline& timeline = run.evaluation->timeline;
    double sum = 0;
    int iterations = 1;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        iterations = std::max(iterations, timeline.iteration[block] + 1);
        if (std::find(kinds.begin(), kinds.end(), timeline.kind[block]) != kinds.end())
            sum += timeline.durationS(block);
    }
    return sum / (static_cast<double>(iterations) * run.costs->problem().setup.microbatches);
}

/// What vPipe's Table 3 and Fig. 12 report, in units of devices: shares of the time summed over them. Useful
/// work is given in devices that compute all the time at the microbatch size that was asked for, where small
/// ones are slower by the sample (the paper's ALU utilisation).
CellResult largestMicrobatchResult(const Problem& problem, const PlanRun& run,
                                   const std::vector<std::string>& metrics) {
    const CostModel whole(problem);
    CellResult result = resultOf(run, metrics);
    if (!run.ok()) return result;
    const Metrics& measured = run.evaluation->metrics;
    const std::vector<DeviceUtilisation> shares =
        utilisation(*run.costs, run.result.plan, measured, run.evaluation->timeline, &whole);
    double hostLink = 0, memory = 0;
    for (const DeviceUtilisation& device : shares) hostLink += device.hostLink;
    for (const DeviceMetrics& device : measured.devices)
        if (device.limitBytes > 0) memory += device.peakMemoryBytes / device.limitBytes;
    auto& values = result.metrics;
    values["useful_devices"] = usefulDevices(*run.costs, shares);
    values["useful_and_recompute_devices"] = usefulAndRepeatedDevices(*run.costs, shares);
    const UtilisationMeans means = meansOver(run.result.plan, shares);
    values["effective_utilisation"] = means.useful;
    values["total_utilisation"] = means.usefulAndRepeated;
    values["host_link_devices"] = hostLink;
    values["memory_devices"] = memory;
    values["microbatch_size"] = run.costs->problem().profile.microbatchSize;
    values["microbatch_forward_s"] = perMicrobatchS(run, {BlockKind::forward});
    values["microbatch_backward_s"] = perMicrobatchS(run, {BlockKind::backward, BlockKind::inputGradient,
                                                           BlockKind::weightGradient, BlockKind::recompute});
    return result;
}

/// Counted from 1; 0: never.
int firstEpochAt(const std::vector<EpochResult>& epochs, double accuracy) {
    const auto found = std::find_if(epochs.begin(), epochs.end(), [&](const EpochResult& epoch) {
        return epoch.validationAccuracy >= accuracy;
    });
    return found == epochs.end() ? 0 : found->epochsDone;
}

/// Of the samples of an epoch, at the rate that the plan has under the policy once its pipeline is full.
double secondsPerEpoch(const training::PreparedTraining& prepared, const Problem& problem, const Plan& plan,
                       const WorkContext& context) {
    const auto costs =
        std::make_shared<const CostModel>(training::problemUnder(prepared.policy, problemOf(plan, problem)));
    const PlanRun run = evaluatePlan(costs, prepared.plan, context);
    return prepared.iterationsPerEpoch * prepared.settings.batchSize /
           run.evaluation->metrics.throughputSamplesPerS;
}

CellResult afterEpoch(std::vector<EpochResult> epochs, const TrainingStudy& study, double epochS) {
    epochs.resize(std::min(epochs.size(), static_cast<std::size_t>(study.atEpoch)));
    CellResult result;
    result.status = CellStatus::ok;
    auto& values = result.metrics;
    const EpochResult& last = epochs.back();
    values["validation_loss"] = last.validationLoss;
    values["validation_accuracy"] = last.validationAccuracy;
    values["training_loss"] = last.trainingLoss;
    double least = std::numeric_limits<double>::infinity(), best = 0;
    for (const EpochResult& epoch : epochs) {
        if (epoch.validationLoss < least) least = epoch.validationLoss;
        best = std::max(best, epoch.validationAccuracy);
    }
    values["least_validation_loss"] = least;
    values["best_validation_accuracy"] = best;
    values[epochSeconds] = epochS;
    values["time_s"] = epochS * study.atEpoch;
    if (const int epoch = firstEpochAt(epochs, study.targetAccuracy)) {
        values["epochs_to_target"] = epoch;
        values[timeToTarget] = epochS * epoch;
    }
    std::erase_if(values, [](const auto& entry) { return !std::isfinite(entry.second); });
    return result;
}

std::vector<CellResult> trainingResults(const Problem& whole, const AskedPlanner& asked,
                                        const ParameterValues& values, const std::vector<Study>& readings,
                                        const WorkContext& context) {
    const PlanRun run = planOfStudy(whole, asked, values, readings.front(), context);
    if (!run.ok()) return std::vector(readings.size(), resultOf(run));
    const Problem& problem = readings.front().largestMicrobatch ? run.costs->problem() : whole;
    const TrainingStudy& study = *readings.front().training;
    const auto settings = training::trainingChoice(study.values, problem.setup.microbatches).settings;
    const training::Policy policy = training::findPolicy(asked.policy)->policy;
    const auto prepared = training::prepareTraining(problem, run.result.plan, policy, settings, context.stop);
    const training::TrainingRun trained =
        training::train(prepared, study.seed, {.stop = context.stop, .batch = {}, .epoch = {}});
    const double epochS = secondsPerEpoch(prepared, problem, run.result.plan, context);
    std::vector<CellResult> results;
    for (const Study& reading : readings)
        results.push_back(afterEpoch(trained.epochs, *reading.training, epochS));
    return results;
}

CellResult idealAt(const std::vector<ThroughputPoint>& points, double atS) {
    CellResult result;
    result.status = CellStatus::ok;
    for (const ThroughputPoint& point : points)
        if (point.atS <= atS || &point == &points.front())
            result.metrics["throughput_samples_per_s"] = point.ideal;
    return result;
}

/// What holds at an instant: the last point that is not after it.
CellResult atInstant(const std::vector<ThroughputPoint>& points, vpipe::Parts parts, double atS) {
    CellResult result;
    double stallS = 0, stopStallS = 0, peakBps = 0, least = 1, stopLeast = 1;
    const ThroughputPoint* now = &points.front();
    for (const ThroughputPoint& point : points) {
        if (point.atS > atS) break;
        now = &point;
        stallS += point.stallS;
        stopStallS += point.stopAndCopyStallS;
        peakBps = std::max(peakBps, point.migrationPeakBps);
        least = std::min(least, point.leastUtilisation);
        stopLeast = std::min(stopLeast, point.stopAndCopyLeastUtilisation);
    }
    const bool full = parts == vpipe::Parts::full;
    const double throughput = full                                   ? now->full
                              : parts == vpipe::Parts::swapRecompute ? now->swapRecompute
                                                                     : now->staticSystem;
    auto& values = result.metrics;
    result.status = throughput > 0 ? CellStatus::ok : CellStatus::infeasible;
    if (!(throughput > 0)) {
        result.reason = "it does not fit the memory at that time";
        return result;
    }
    values["throughput_samples_per_s"] = throughput;
    values["ideal_throughput_samples_per_s"] = now->ideal;
    if (parts == vpipe::Parts::upperSystem) values["microbatch_size"] = now->staticMicrobatchSize;
    if (!full) return result;
    values["first_stage_layers"] = now->layersOfStage.front();
    values["migration_stall_s"] = stallS;
    values["stop_and_copy_stall_s"] = stopStallS;
    if (!(peakBps > 0)) return result;
    values["migration_peak_Bps"] = peakBps;
    values["migration_least_utilisation"] = least;
    values["stop_and_copy_least_utilisation"] = stopLeast;
    return result;
}

std::vector<CellResult> changeResults(const Problem& problem, const AskedPlanner& asked,
                                      const ParameterValues& values, const std::vector<Study>& readings,
                                      const WorkContext& context) {
    if (asked.planner != "vpipe")
        throw std::invalid_argument(
            "only vPipe and the systems it is compared with run while a network changes");
    const vpipe::Settings settings = vpipe::settingsOf(values, problem.setup.mode);
    const auto points = vpipe::changingNetwork(problem, readings.front().change->script, settings, context);
    const bool isIdeal = readings.front().change->isIdeal(asked.label);
    std::vector<CellResult> results;
    for (const Study& reading : readings) {
        const double atS = reading.change->atS;
        results.push_back(isIdeal ? idealAt(points, atS) : atInstant(points, settings.parts, atS));
    }
    return results;
}

CellResult partitionResult(const Problem& problem, const PartitionStudy& study) {
    const vpipe::LayerGraph graph = operatorGraph(problem, study.operatorsPerLayer, study.skipsPerLayer);
    const OperatorPartition partition = operatorPartition(graph, study.stages, study.plain);
    CellResult result;
    result.status = CellStatus::ok;
    result.metrics = {{"graph_nodes", graph.nodeCount()},
                      {"graph_edges", static_cast<double>(graph.edges.size())},
                      {"partitioned_nodes", partition.nodes},
                      {"partitioned_edges", partition.edges},
                      {"cut_bytes_per_sample", partition.cutBytes / problem.profile.microbatchSize},
                      {"slowest_part_over_mean", partition.slowestOverMean}};
    return result;
}

}  // namespace

std::vector<CellResult> studyResults(const Problem& problem, const AskedPlanner& asked,
                                     const ParameterValues& values, const std::vector<Study>& readings,
                                     const std::vector<std::string>& metrics, const WorkContext& context) {
    const Study& study = readings.front();
    if (study.training) return trainingResults(problem, asked, values, readings, context);
    if (study.change) return changeResults(problem, asked, values, readings, context);
    if (study.partition) return std::vector(readings.size(), partitionResult(problem, *study.partition));
    const PlanRun run = planOfStudy(problem, asked, values, study, context);
    return std::vector(readings.size(), study.largestMicrobatch
                                            ? largestMicrobatchResult(problem, run, metrics)
                                            : resultOf(run, metrics));
}

PlanRun planOfStudy(const Problem& problem, const AskedPlanner& asked, const ParameterValues& values,
                    const Study& study, const WorkContext& context) {
    return study.largestMicrobatch ? runOfLargestMicrobatch(problem, asked, values, context)
                                   : planRun(problem, asked, values, context);
}

}  // namespace stagecraft::experiments
