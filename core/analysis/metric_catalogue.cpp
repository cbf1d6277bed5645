#include "core/analysis/metric_catalogue.h"

#include "core/analysis/flops_utilisation.h"
#include "core/analysis/memory_lack.h"
#include "core/analysis/mixed_precision.h"
#include "core/base/units.h"
#include "core/model/prices.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace stagecraft::analysis {

namespace {

constexpr double secondsPerHour = 3600;
constexpr std::string_view flopsMissing =
    "The profile does not know its operations, or not the peak of its GPU: those that are computed do.";
constexpr std::string_view tokensMissing = "The profile does not say how many tokens a sample has.";
/// NaN is no value.
constexpr double none = std::numeric_limits<double>::quiet_NaN();

const Metrics& metricsOf(const MeasuredPlan& of) { return of.evaluation->metrics; }

/// How long the whole iteration takes on the cluster's fastest device alone, ignoring memory.
double onOneDeviceS(const MeasuredPlan& of) {
    const int last = of.costs.layerCount() - 1;
    double microbatchS = std::numeric_limits<double>::infinity();
    for (int device = 0; device < of.costs.deviceCount(); ++device)
        microbatchS = std::min(microbatchS, of.costs.bothAt(of.costs.paceOf(device), 0, last));
    return of.perIteration(microbatchS * of.costs.problem().setup.microbatches);
}

double devicesUsed(const MeasuredPlan& of) { return static_cast<double>(usedDevices(of.plan).size()); }

double peakMemoryBytes(const MeasuredPlan& of) {
    if (!saysMemory(of.costs.problem().profile)) return none;
    double peak = 0;
    for (const DeviceMetrics& device : metricsOf(of).devices) peak = std::max(peak, device.peakMemoryBytes);
    return peak;
}

std::optional<FlopsUtilisation> flopsOf(const MeasuredPlan& of) {
    return flopsUtilisation(of.costs, of.plan, metricsOf(of));
}

/// Tokens that go through the network in a second.
double tokensPerSecond(const MeasuredPlan& of) {
    const int tokens = of.costs.problem().profile.divisible.tokens;
    const double samples = metricsOf(of).throughputSamplesPerS;
    return tokens > 0 && samples > 0 ? tokens * samples : none;
}

/// Of what all of the plan's GPUs take in a second.
double perBillionTokens(const MeasuredPlan& of, double perSecond) {
    constexpr double billion = 1e9;
    return perSecond > 0 ? perSecond * billion / tokensPerSecond(of) : none;
}

double tightestPeakBytes(const MeasuredPlan& of) {
    const DeviceMetrics* device = tightestDevice(metricsOf(of));
    return device && saysMemory(of.costs.problem().profile) ? device->peakMemoryBytes : none;
}

double speedUp(const MeasuredPlan& of) {
    const double ownS = of.iterationTimeS(), otherS = of.reference->iterationTimeS();
    return ownS > 0 && otherS > 0 ? otherS / ownS : none;
}

double longerThanReference(const MeasuredPlan& of) {
    const double ownS = of.iterationTimeS(), otherS = of.reference->iterationTimeS();
    return ownS > 0 && otherS > 0 ? ownS / otherS - 1 : none;
}

double gapToBound(const MeasuredPlan& of) {
    const Metrics& metrics = metricsOf(of);
    if (!(metrics.planBound.seconds > 0)) return none;
    const double gap =
        of.perIteration(metrics.iterationTimeS) / of.perIteration(metrics.planBound.seconds) - 1;
    constexpr double rounding = 1e-9;  // of sums of the same times in another order
    return std::fabs(gap) < rounding ? 0 : gap;
}

double criticalCommunicationShare(const MeasuredPlan& of) {
    const CriticalPath& critical = metricsOf(of).criticalPath;
    const double path = critical.computeS + critical.communicationS + critical.waitingS;
    return path > 0 ? critical.communicationS / path : none;
}

double chosenObjectiveS(const MeasuredPlan& of) {
    double objectiveS = none;
    for (const Attempt& attempt : of.report.attempts)
        if (attempt.chosen && attempt.objectiveS > 0) objectiveS = attempt.objectiveS;
    return objectiveS;
}

/// The attempt with the most stages; null if there is none that has an objective.
const Attempt* lastAttempt(const MeasuredPlan& of) {
    const std::vector<Attempt>& attempts = of.report.attempts;
    const auto largest =
        std::max_element(attempts.begin(), attempts.end(),
                         [](const Attempt& a, const Attempt& b) { return a.stages < b.stages; });
    return largest != attempts.end() && largest->objectiveS > 0 ? &*largest : nullptr;
}

std::string tenDigits(double value) {
    char digits[32];
    const auto end = std::to_chars(digits, std::end(digits), value, std::chars_format::general, 10).ptr;
    return {digits, end};
}

std::string percent(double value, const MeasuredPlan&) { return formatPercent(value); }
std::string count(double value, const MeasuredPlan&) { return std::to_string(std::llround(value)); }
std::string perSecond(double value, const MeasuredPlan&) { return formatNumber(value) + "/s"; }
std::string timesAsFast(double value, const MeasuredPlan&) { return formatNumber(value) + "×"; }

std::string longerOrShorter(double value, const MeasuredPlan& of) {
    if (of.isReference()) return "reference";
    if (std::fabs(value) < 5e-4) return "same";
    return formatPercent(std::fabs(value)) + (value > 0 ? " longer" : " shorter");
}

/// "+7.27 %"
std::string above(double value, const MeasuredPlan&) {
    if (value == 0) return "0 %";
    return (value > 0 ? "+" : "") + formatPercent(value);
}

std::optional<MixedPrecision> mixedPrecisionOf(const MeasuredPlan& of) {
    return mixedPrecision(of.costs, of.plan, metricsOf(of));
}

std::string marked(std::string text, const MeasuredPlan& of) {
    return mixedPrecisionOf(of) ? text + ", " + understatedMark : text;
}

std::string ofLimit(double value, const MeasuredPlan& of) {
    return marked(formatBytes(value) + " of " + formatBytes(tightestDevice(metricsOf(of))->limitBytes), of);
}

/// "9.40 of 16.0 GiB", or "18.0 > 16.0 GiB": the unit once where both have the same.
std::string ofLimitShort(double value, const MeasuredPlan& of) {
    const double limit = tightestDevice(metricsOf(of))->limitBytes;
    std::string part = formatBytes(value);
    if (!(limit > 0)) return marked(std::move(part), of);
    const std::string all = formatBytes(limit);
    const std::size_t unit = part.find(' ');
    if (unit != std::string::npos && part.substr(unit) == all.substr(std::min(all.find(' '), all.size())))
        part.resize(unit);
    return marked(part + (value > limit ? " > " : " of ") + all, of);
}

std::string exactPeak(double value, const MeasuredPlan& of) {
    const DeviceList& devices = of.costs.problem().cluster.devices;
    const int device = tightestDevice(metricsOf(of))->device;
    std::string text = devices[static_cast<std::size_t>(device)].id + ": " + formatFixed(value, 0) + " bytes";
    for (const std::string& lack : describeExcesses(metricsOf(of).excesses, devices)) text += "\n" + lack;
    if (const auto mixed = mixedPrecisionOf(of)) text += "\n" + mixed->sentence(devices);
    return text;
}

std::string exactBubbles(double value, const MeasuredPlan& of) {
    const bool steady = of.costs.problem().setup.mode == TrainingMode::asynchronous;
    return tenDigits(100 * value) + " % of the iteration, mean over all devices\n" +
           tenDigits(100 * metricsOf(of).spanBubbleFraction) +
           (steady ? " % of the steady state, mean over those that compute"
                   : " % of the devices' own spans, from their first start to their last end");
}

constexpr Metric catalogue[] = {
    {.id = "iteration_time_s",
     .title = "Iteration time",
     .unit = "s",
     .meaning = "for the microbatches asked for; in steady state without a barrier",
     .value = [](const MeasuredPlan& of) { return of.iterationTimeS(); },
     .compared = {"Iteration"},
     .tip = "Iteration time: from the first start to the last end, AllReduce included; asynchronous: the "
            "steady-state time per mini-batch",
     .printed = {"iteration"},
     .field = "iteration_time_s"},
    {.id = "speedup_over_reference",
     .title = "Speed-up over the reference plan",
     .meaning = "the reference plan's iteration time over this one's",
     .better = Better::more,
     .source = MetricSource::reference,
     .value = speedUp,
     .missing = "There is no other plan that it is compared with.",
     .compared = {"Speed-up", timesAsFast},
     .tip = "The reference plan's iteration time over this one's; right-click to choose that plan",
     .printed = {"speed-up", timesAsFast, "over "},
     .field = "speedup_over_reference",
     .inExperiments = InExperiments::never,
     .exact =
         [](double value, const MeasuredPlan& of) {
             return tenDigits(value) + " times as fast as " + of.referenceTitle;
         }},
    {.id = "time_against_reference",
     .title = "Iteration time against the reference plan",
     .meaning = "by what share of the reference plan's iteration time this one's is longer",
     .better = Better::neither,
     .source = MetricSource::reference,
     .value = longerThanReference,
     .missing = "There is no other plan that it is compared with.",
     .compared = {"Against", longerOrShorter, "vs "},
     .tip = "How much longer or shorter an iteration takes than with the reference plan; right-click to "
            "choose that plan",
     .printed = {"against", longerOrShorter, "against "},
     .field = "time_against_reference",
     .inExperiments = InExperiments::never,
     .exact =
         [](double value, const MeasuredPlan& of) {
             return tenDigits(100 * value) + " % of the iteration time of " + of.referenceTitle;
         }},
    {.id = "throughput_samples_per_s",
     .title = "Throughput",
     .unit = "samples/s",
     .meaning = "samples over the time of their iteration",
     .better = Better::more,
     .value = [](const MeasuredPlan& of) { return metricsOf(of).throughputSamplesPerS; },
     .compared = {"Samples/s"},
     .tip = "Throughput: samples of a mini-batch over the iteration time",
     .printed = {"samples", perSecond},
     .field = "throughput_samples_per_s",
     .exact = [](double value, const MeasuredPlan&) { return tenDigits(value) + " samples per second"; }},
    {.id = "speedup",
     .title = "Speedup",
     .meaning = "over all layers on the fastest device alone",
     .better = Better::more,
     .value = [](const MeasuredPlan& of) { return onOneDeviceS(of) / of.iterationTimeS(); }},
    {.id = "bubble_fraction",
     .title = "Bubbles",
     .meaning = "idle share of the iteration, mean over the cluster's devices",
     .value = [](const MeasuredPlan& of) { return metricsOf(of).bubbleFraction; },
     .compared = {"Bubbles", percent},
     .tip = "Share of the devices' time in which they do no forward, backward or weight gradient",
     .printed = {"bubbles", percent},
     .field = "bubble_fraction",
     .exact = exactBubbles},
    {.id = "span_bubble_fraction",
     .title = "Bubbles within spans",
     .meaning = "idle share between a device's first and last block, mean over the devices that compute; "
                "without a barrier in the steady state",
     .value = [](const MeasuredPlan& of) { return metricsOf(of).spanBubbleFraction; },
     .field = "span_bubble_fraction"},
    {.id = "peak_memory_bytes",
     .title = "Peak memory",
     .unit = "B",
     .meaning = "of the device with the most",
     .value = peakMemoryBytes,
     .missing = memoryUnknownSentence},
    {.id = "tightest_peak_bytes",
     .title = "Peak memory",
     .unit = "B",
     .meaning = "of the device closest to its limit",
     .value = tightestPeakBytes,
     .missing = memoryUnknownSentence,
     .compared = {"Peak memory", ofLimitShort},
     .tip = "Of the device closest to its limit; > where it exceeds the limit",
     .printed = {"peak memory", ofLimit},
     .inExperiments = InExperiments::never,
     .exact = exactPeak,
     .alarming =
         [](const MeasuredPlan& of) {
             const auto mixed = mixedPrecisionOf(of);
             return !metricsOf(of).fitsMemory || (mixed && !mixed->fits);
         }},
    {.id = "fits_memory",
     .title = "Fits",
     .meaning = "1 if no device exceeds its memory at any instant, else 0",
     .better = Better::more,
     .value = [](const MeasuredPlan& of) { return metricsOf(of).fitsMemory ? 1.0 : 0.0; }},
    {.id = "predicted_s",
     .title = "Predicted time",
     .unit = "s",
     .meaning = "what the planner itself expected",
     .source = MetricSource::planner,
     .value =
         [](const MeasuredPlan& of) {
             return of.report.predictedS ? of.perIteration(*of.report.predictedS) : none;
         },
     .missing = "Its planner predicted nothing.",
     .field = "predicted_s"},
    {.id = "objective_s",
     .title = "Objective",
     .unit = "s",
     .meaning = "of the planner's chosen attempt; SPP: W",
     .source = MetricSource::planner,
     .value = chosenObjectiveS,
     .missing = "Its planner tried nothing that has an objective."},
    {.id = "iteration_time_per_layer_s",
     .title = "Iteration time per layer",
     .unit = "s",
     .meaning = "iteration time over the number of layers",
     .value =
         [](const MeasuredPlan& of) {
             return of.iterationTimeS() / of.costs.problem().profile.layerCount();
         }},
    {.id = "last_attempt_objective_s",
     .title = "Objective of the last attempt",
     .unit = "s",
     .meaning = "of the attempt with the most stages; with SPP's max_stages that of so many: W",
     .source = MetricSource::planner,
     .value =
         [](const MeasuredPlan& of) {
             const Attempt* last = lastAttempt(of);
             return last ? last->objectiveS : none;
         },
     .missing = "Its planner tried nothing that has an objective."},
    {.id = "last_attempt_time_s",
     .title = "Time of the last attempt",
     .unit = "s",
     .meaning = "the same attempt's iteration time",
     .source = MetricSource::planner,
     .value =
         [](const MeasuredPlan& of) {
             const Attempt* last = lastAttempt(of);
             return last ? last->iterationTimeS : none;
         },
     .missing = "Its planner tried nothing that has an objective."},
    {.id = "plan_bound_s",
     .title = "Plan's bound",
     .unit = "s",
     .meaning = "no schedule of this plan is faster",
     .better = Better::neither,
     .value = [](const MeasuredPlan& of) { return of.perIteration(metricsOf(of).planBound.seconds); },
     .compared = {"Bound"},
     .tip = "Lower bound: what no schedule of this plan can beat",
     .printed = {"lower bound"},
     .field = "lower_bound_s",
     .exact =
         [](double value, const MeasuredPlan& of) {
             return tenDigits(value) + " s\n" + metricsOf(of).planBound.because;
         }},
    {.id = "gap_to_plan_bound",
     .title = "Gap",
     .meaning = "by what share of the plan's bound the iteration time exceeds it",
     .value = gapToBound,
     .missing = "This plan's lower bound is zero.",
     .compared = {"Gap", above},
     .tip = "How far the iteration time is above that lower bound",
     .printed = {"gap", above},
     .inExperiments = InExperiments::never,
     .exact =
         [](double value, const MeasuredPlan&) {
             return tenDigits(100 * value) + " % above the lower bound on this plan";
         }},
    {.id = "problem_bound_s",
     .title = "Problem's bound",
     .unit = "s",
     .meaning = "no plan of this problem is faster, unless its devices overlap more of their passes",
     .better = Better::neither,
     .value =
         [](const MeasuredPlan& of) {
             const double seconds = metricsOf(of).problemBound.seconds;
             return seconds > 0 ? of.perIteration(seconds) : none;
         },
     .missing = "Its pairs of passes take the time that was measured of them, which bounds no other plan.",
     .field = "problem_lower_bound_s"},
    {.id = "critical_communication_share",
     .title = "Communication on the critical path",
     .meaning = "share of transfers, AllReduce and swaps, and of what is sent within stages",
     .value = criticalCommunicationShare,
     .missing = "Its critical path takes no time."},
    {.id = "effective_utilisation",
     .title = "Effective utilisation",
     .meaning = "useful arithmetic: the mini-batch's work at the reference microbatch's speed, over the "
                "time of the plan's devices",
     .better = Better::more,
     .value = [](const MeasuredPlan& of) { return of.means().useful; },
     .field = "effective_utilisation"},
    {.id = "total_utilisation",
     .title = "Total utilisation",
     .meaning = "the same, with what is recomputed",
     .better = Better::more,
     .value = [](const MeasuredPlan& of) { return of.means().usefulAndRepeated; },
     .field = "total_utilisation"},
    {.id = "recompute_share",
     .title = "Recompute",
     .meaning = "share of the time spent on recomputation, likewise",
     .value = [](const MeasuredPlan& of) { return of.means().recompute; }},
    {.id = "mfu",
     .title = "Model FLOPs utilisation",
     .meaning = "what forwards and backwards of the model take, over the peak of the plan's devices; what is "
                "recomputed does not count (MFU)",
     .better = Better::more,
     .value =
         [](const MeasuredPlan& of) {
             const auto found = flopsOf(of);
             return found ? found->share() : none;
         },
     .missing = flopsMissing,
     .compared = {"MFU", percent, nullptr, true},
     .tip = "Model FLOPs utilisation: share of the devices' peak, without what is recomputed",
     .field = "mfu",
     .inExperiments = InExperiments::whereAsked},
    {.id = "flops_per_device",
     .title = "FLOP/s of a device",
     .unit = "FLOP/s",
     .meaning = "of the model, likewise, on average",
     .better = Better::more,
     .value =
         [](const MeasuredPlan& of) {
             const auto found = flopsOf(of);
             return found ? found->flopsPerDevice() : none;
         },
     .missing = flopsMissing,
     .field = "flops_per_device",
     .inExperiments = InExperiments::whereAsked,
     .exact = [](double value, const MeasuredPlan&) { return tenDigits(value / 1e12) + " TFLOP/s"; }},
    {.id = "tokens_per_s",
     .title = "Tokens per second",
     .unit = "tokens/s",
     .meaning = "that go through the network",
     .better = Better::more,
     .value = tokensPerSecond,
     .missing = tokensMissing,
     .field = "tokens_per_s",
     .inExperiments = InExperiments::whereAsked},
    {.id = "tokens_per_s_per_device",
     .title = "Tokens per second of a device",
     .unit = "tokens/s",
     .meaning = "that go through the network, over the plan's devices",
     .better = Better::more,
     .value = [](const MeasuredPlan& of) { return tokensPerSecond(of) / devicesUsed(of); },
     .missing = tokensMissing,
     .field = "tokens_per_s_per_device",
     .inExperiments = InExperiments::whereAsked},
    {.id = "dollars_per_billion_tokens",
     .title = "Dollars for a billion tokens",
     .unit = "$",
     .meaning = "of the plan's devices, each at its own price of an hour, or the setup's",
     .value =
         [](const MeasuredPlan& of) {
             return perBillionTokens(of, dollarsPerSecond(of.costs.problem(), of.plan));
         },
     .missing =
         "A device has no price of an hour, nor has the setup, or the profile does not say how many tokens a "
         "sample has.",
     .field = "dollars_per_billion_tokens",
     .inExperiments = InExperiments::whereAsked},
    {.id = "kwh_per_billion_tokens",
     .title = "Energy for a billion tokens",
     .unit = "kWh",
     .meaning = "of the plan's devices, at the setup's power of a GPU",
     .value =
         [](const MeasuredPlan& of) {
             constexpr double wattSecondsPerKwh = 1000 * secondsPerHour;
             return perBillionTokens(
                 of, devicesUsed(of) * of.costs.problem().setup.gpuPowerW / wattSecondsPerKwh);
         },
     .missing = "The setup has no power of a GPU, or the profile does not say how many tokens a sample has.",
     .field = "kwh_per_billion_tokens",
     .inExperiments = InExperiments::whereAsked},
    {.id = "stages",
     .title = "Stages",
     .meaning = "of the plan",
     .better = Better::neither,
     .source = MetricSource::shape,
     .value = [](const MeasuredPlan& of) { return static_cast<double>(of.plan.stages.size()); },
     .compared = {"Stages", count},
     .tip = "Number of stages, of all pipelines together",
     .printed = {"stages", count},
     .exact = [](double value, const MeasuredPlan&) { return tenDigits(value) + " stages"; }},
    {.id = "devices",
     .title = "Devices",
     .meaning = "that the plan uses",
     .better = Better::neither,
     .source = MetricSource::shape,
     .value = devicesUsed},
    {.id = "planning_time_s",
     .title = "Planning time",
     .unit = "s",
     .meaning = "wall clock time of the planner alone",
     .better = Better::neither,
     .source = MetricSource::clock,
     .value =
         [](const MeasuredPlan& of) { return of.report.planningTimeS > 0 ? of.report.planningTimeS : none; },
     .missing = "No planner ran for it here, or the file does not say how long.",
     .compared = {"Planning"},
     .tip = "Planning time: wall clock time of the planner alone",
     .printed = {"planning time"},
     .inExperiments = InExperiments::never},
};

}  // namespace

double MeasuredPlan::perIteration(double seconds) const {
    const int own = costs.problem().setup.microbatches;
    return microbatchesAsked == 0 || own == microbatchesAsked ? seconds : seconds * microbatchesAsked / own;
}

const UtilisationMeans& MeasuredPlan::means() const {
    if (!knownMeans)
        knownMeans = meansOver(plan, utilisation(costs, plan, evaluation->metrics, evaluation->timeline));
    return *knownMeans;
}

std::string MetricColumn::title(const std::string& reference) const {
    return over && !reference.empty() ? over + reference : heading;
}

std::optional<double> Metric::of(const MeasuredPlan& plan) const {
    if (source != MetricSource::clock && !plan.evaluation) return std::nullopt;
    if (source == MetricSource::reference && !(plan.reference && plan.reference->evaluation))
        return std::nullopt;
    const double number = value(plan);
    return std::isnan(number) ? std::nullopt : std::optional(number);
}

std::string Metric::text(const MetricColumn& column, const std::optional<double>& number,
                         const MeasuredPlan& plan) const {
    if (!number) return "–";
    if (column.text) return column.text(*number, plan);
    return unit == "s" ? formatSeconds(*number) : unit == "B" ? formatBytes(*number) : formatNumber(*number);
}

std::string Metric::exactText(double number, const MeasuredPlan& plan) const {
    if (exact) return exact(number, plan);
    return tenDigits(number) + (unit.empty() ? "" : " " + std::string(unit));
}

std::span<const Metric> metricCatalogue() { return catalogue; }

const Metric& catalogueMetric(std::string_view id) {
    for (const Metric& metric : catalogue)
        if (metric.id == id) return metric;
    throw std::out_of_range("no metric '" + std::string(id) + "'");
}

const DeviceMetrics* tightestDevice(const Metrics& metrics) {
    const auto tightest = std::max_element(
        metrics.devices.begin(), metrics.devices.end(), [](const DeviceMetrics& a, const DeviceMetrics& b) {
            return a.peakMemoryBytes * b.limitBytes < b.peakMemoryBytes * a.limitBytes;
        });
    return tightest == metrics.devices.end() ? nullptr : &*tightest;
}

}  // namespace stagecraft::analysis
