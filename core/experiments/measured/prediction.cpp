#include "core/experiments/measured/prediction.h"

#include "core/base/units.h"
#include "core/planners/planned_run.h"
#include "core/schedules/families.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <locale>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

namespace stagecraft::experiments {

namespace {

/// "1F1B" for "1f1b"; itself where there is none of that id.
std::string nameOfFamily(const std::string& id) {
    const ScheduleFamily* known = findScheduleFamily(id);
    return known ? known->title.substr(0, known->title.find(':')) : id;
}

std::string familyOfPlan(const Plan& plan) {
    const auto* family = std::get_if<FamilySchedule>(&plan.schedule.order);
    return family ? family->name : std::string();
}

double fullestGib(const PlanRun& run) {
    double most = 0;
    for (const MemoryCurve& curve : run.evaluation->memory) most = std::max(most, curve.peakBytes());
    return most / gib;
}

/// What a GPU has of those kinds when it has most of all.
double bytesAtPeak(const MemoryCurve& curve, std::initializer_list<MemoryKind> kinds) {
    double bytes = 0;
    for (const MemoryKind kind : kinds)
        bytes += curve.bytes()[static_cast<std::size_t>(kind)].at(curve.peakStep());
    return bytes;
}

double leastStatesGib(const PlanRun& run) {
    double least = std::numeric_limits<double>::infinity();
    for (const MemoryCurve& curve : run.evaluation->memory)
        least = std::min(least, bytesAtPeak(curve, {MemoryKind::parameters, MemoryKind::gradients,
                                                    MemoryKind::masterWeights, MemoryKind::optimizerState}));
    return least / gib;
}

/// Blocks are alike: the second layer is the first of them, after the embedding.
double waitingGib(const PlanRun& run) {
    const Plan& plan = run.result.plan;
    constexpr int block = 1;
    const double again =
        run.costs->broughtBackBytes(block, plan.layerMemory(block), plan.stages.front().group);
    return (bytesAtPeak(run.evaluation->memory.front(), {MemoryKind::activations}) - again) / gib;
}

double metricOfRun(const PlanRun& run, std::string_view id) {
    const Metric& metric = catalogueMetric(id);
    const auto value = metric.of(run.measured());
    if (!value) throw std::invalid_argument(std::string(metric.missing));
    return *value;
}

void predictRow(MeasuredPrediction& prediction, const WorkContext& context) {
    try {
        const PlanRun run = runOfRow(*prediction.row, context);
        prediction.family = familyOfPlan(run.result.plan);
        if (run.ok())
            prediction.predicted = predictedOf(*prediction.set, *prediction.row, run);
        else
            prediction.reason = run.result.reason;
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        prediction.reason = error.what();
    }
}

std::string csvText(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char sign : text) quoted += sign == '"' ? "\"\"" : std::string(1, sign);
    return quoted + "\"";
}

}  // namespace

std::string MeasuredPrediction::scheduleName() const { return nameOfFamily(family); }

std::optional<double> MeasuredPrediction::error() const {
    if (!predicted) return std::nullopt;
    return *predicted / row->measured - 1;
}

std::vector<MeasuredPrediction> unpredicted(const std::vector<const MeasuredSet*>& sets) {
    std::vector<MeasuredPrediction> rows;
    for (const MeasuredSet* set : sets)
        for (const MeasuredRow& row : set->rows) rows.push_back({set, &row, {}, {}, {}});
    return rows;
}

PlanRun runOfRow(const MeasuredRow& row, const WorkContext& context) {
    MeasuredProject made = row.project();
    context.throwIfStopped();
    return evaluatePlan(std::make_shared<const CostModel>(std::move(made.problem)), made.plan, context);
}

double predictedOf(const MeasuredSet& set, const MeasuredRow& row, const PlanRun& run) {
    switch (set.quantity) {
        case MeasuredQuantity::iterationS:
            return run.iterationTimeS();
        case MeasuredQuantity::samplesPerS:
            return metricOfRun(run, "throughput_samples_per_s");
        case MeasuredQuantity::tokensPerSOfGpu:
            return metricOfRun(run, "tokens_per_s_per_device");
        case MeasuredQuantity::teraflopsOfGpu:
            if (row.flops > 0)
                return row.flops / run.iterationTimeS() / run.costs->problem().cluster.deviceCount() / 1e12;
            return metricOfRun(run, "flops_per_device") / 1e12;
        case MeasuredQuantity::peakGib:
            return fullestGib(run);
        case MeasuredQuantity::statesGib:
            return leastStatesGib(run);
        case MeasuredQuantity::waitingActivationsGib:
            return waitingGib(run);
    }
    return 0;
}

void predictRows(std::vector<MeasuredPrediction>& rows, const PredictionOptions& options) {
    std::atomic<std::size_t> next = 0;
    std::mutex telling;
    const auto work = [&] {
        try {
            for (std::size_t i; (i = next++) < rows.size() && !options.stop.stop_requested();) {
                predictRow(rows[i], {options.stop, {}});
                const std::lock_guard lock(telling);
                if (options.done) options.done(i);
            }
        } catch (const Cancelled&) {
        }
    };
    const std::size_t wanted = options.jobs > 0 ? static_cast<std::size_t>(options.jobs)
                                                : std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(wanted, rows.size()); ++i) threads.emplace_back(work);
    work();
}

std::string errorPercent(double error) {
    const std::string size = formatFixed(100 * std::abs(error), 1);
    return (size == "0.0" ? "" : error < 0 ? "−" : "+") + size + " %";
}

ErrorSummary summaryOf(const std::vector<MeasuredPrediction>& rows,
                       const std::function<bool(const MeasuredPrediction&)>& chosen) {
    ErrorSummary summary;
    std::vector<double> sizes;
    for (const MeasuredPrediction& row : rows) {
        if (!row.isJudged() || (chosen && !chosen(row))) continue;
        const double error = *row.error();
        sizes.push_back(std::abs(error));
        if (std::abs(error) > std::abs(summary.worst)) summary.worst = error;
    }
    summary.judged = static_cast<int>(sizes.size());
    if (sizes.empty()) return summary;
    std::ranges::sort(sizes);
    const std::size_t half = sizes.size() / 2;
    summary.median = sizes.size() % 2 ? sizes[half] : (sizes[half - 1] + sizes[half]) / 2;
    return summary;
}

std::vector<MeasuredSummary> measuredSummaries(const std::vector<MeasuredPrediction>& rows) {
    std::set<std::string> families;
    for (const MeasuredPrediction& row : rows)
        if (!isMemory(row.set->quantity)) families.insert(row.family);
    std::vector<MeasuredSummary> groups;
    const auto add = [&](const std::string& name, const std::function<bool(const MeasuredPrediction&)>& in) {
        const ErrorSummary summary = summaryOf(rows, in);
        if (summary.judged > 0) groups.push_back({name, summary});
    };
    for (const std::string& family : families) {
        add(nameOfFamily(family), [&](const MeasuredPrediction& row) {
            return !isMemory(row.set->quantity) && row.family == family;
        });
    }
    std::ranges::stable_sort(groups, std::greater(),
                             [](const MeasuredSummary& group) { return group.summary.judged; });
    add("all times and rates", [](const MeasuredPrediction& row) { return !isMemory(row.set->quantity); });
    add("all memory", [](const MeasuredPrediction& row) { return isMemory(row.set->quantity); });
    return groups;
}

std::string measuredCsv(const std::vector<MeasuredPrediction>& rows) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(10);
    text << "set,row,name,schedule,unit,measured,predicted,error,judged,reason\n";
    std::map<const MeasuredSet*, int> numbers;
    for (const MeasuredPrediction& row : rows) {
        text << row.set->id << ',' << numbers[row.set]++ << ',' << csvText(row.row->name) << ',' << row.family
             << ',' << unitOf(row.set->quantity) << ',' << row.row->measured << ',';
        if (row.predicted)
            text << *row.predicted << ',' << *row.error();
        else
            text << ',';
        text << ',' << (row.isJudged() ? "yes" : "no") << ',' << csvText(row.reason) << '\n';
    }
    return text.str();
}

}  // namespace stagecraft::experiments
