#include "core/base/units.h"
#include "core/planners/details/detail_makers.h"
#include "core/planners/madpipe/delay.h"
#include "core/planners/madpipe/madpipe_planner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace stagecraft::planners {

namespace {

/// What the first phase sees of the plan's problem.
struct FirstPhaseInput {
    explicit FirstPhaseInput(const PlanRun& run)
        : chain(madPipeChain(*run.costs)),
          processors(run.costs->deviceCount()),
          memoryBytes(run.costs->problem().leastMemoryLimitBytes()),
          options(madPipeOptions(parametersOf(run))) {}

    /// Of the layers; a link may be several.
    std::string layersText(int first, int last) const {
        const int from = chain.firstLayer(first), to = chain.lastLayer[static_cast<std::size_t>(last)];
        return std::to_string(from) + (from == to ? "" : "–" + std::to_string(to));
    }
    std::string stagesText(const MadPipeAllocation& allocation) const {
        std::string text;
        for (const MadPipeStage& stage : allocation.stages)
            text +=
                (text.empty() ? "" : " ") + layersText(stage.first, stage.last) + (stage.special ? "*" : "");
        return text;
    }

    MadPipeChain chain;
    int processors;
    double memoryBytes;
    MadPipeOptions options;
};

}  // namespace

DetailTable madPipePeriods(const PlanRun& run, std::size_t, const WorkContext& context) {
    const FirstPhaseInput phase(run);
    const PeriodSearch search = searchPeriod(phase.chain, phase.processors, phase.memoryBytes,
                                             phase.options.grid, phase.options.iterations, context, true);
    DetailTable result;
    result.columns = {
        {"i", "Step", DetailUnit::count},           {"target_s", "T̂", DetailUnit::seconds},
        {"period_s", "T", DetailUnit::seconds},     {"reached_s", "max(T, T̂)", DetailUnit::seconds},
        {"returned", "Returned", DetailUnit::text}, {"stages", "Stages", DetailUnit::text}};
    int step = 0;
    bool isReturned = false;
    for (const PeriodSearchStep& each : search.steps) {
        const double reachedS = std::max(each.periodS, each.targetS);
        const bool returned = !isReturned && reachedS == search.periodS;
        isReturned = isReturned || returned;
        result.rows.push_back({double(step++), each.targetS, each.periodS, reachedS,
                               std::string(returned ? "yes" : ""), phase.stagesText(each.allocation)});
    }
    result.notes.emplace_back("Stages as layers; * marks those of the special device.");
    return result;
}

DetailTable madPipeStates(const PlanRun& run, std::size_t most, const WorkContext& context) {
    const FirstPhaseInput phase(run);
    const WorkContext first{context.stop, [&](double share) { context.report(share / 2); }};
    const PeriodSearch search = searchPeriod(phase.chain, phase.processors, phase.memoryBytes,
                                             phase.options.grid, phase.options.iterations, first);
    DetailTable result;
    result.columns = {{"l", "l layers left", DetailUnit::count},
                      {"p", "p devices left", DetailUnit::count},
                      {"t_p_s", "t_P", DetailUnit::seconds},
                      {"m_p_bytes", "m_P", DetailUnit::bytes},
                      {"v_s", "V", DetailUnit::seconds},
                      {"period_s", "Longest so far", DetailUnit::seconds},
                      {"placed", "Placed last", DetailUnit::text},
                      {"on", "On", DetailUnit::text},
                      {"in_allocation", "In the allocation", DetailUnit::text}};
    if (!search.allocation.found()) {
        result.notes.emplace_back("Algorithm 1 has found no allocation.");
        return result;
    }
    double targetS = search.periodS;
    for (const PeriodSearchStep& step : search.steps)
        if (step.allocation.stages == search.allocation.stages) targetS = step.targetS;
    const auto add = [&](const MadPipeState& state) {
        if (result.rows.size() == most) {
            result.cut = true;
            return false;
        }
        const bool begins = state.placedLast < 0;
        const int layers =
            state.links == 0 ? 0 : phase.chain.lastLayer[static_cast<std::size_t>(state.links) - 1] + 1;
        result.rows.push_back({double(layers), double(state.normals), state.loadS, state.memoryBytes,
                               state.delayS, state.periodS,
                               begins ? "" : phase.layersText(state.links, state.placedLast),
                               std::string(begins          ? ""
                                           : state.special ? "the special device"
                                                           : "a device of its own"),
                               std::string(state.chosen ? "yes" : "")});
        return true;
    };
    forEachMadPipeState(phase.chain, phase.processors, phase.memoryBytes, targetS, phase.options.grid,
                        search.allocation.periodS, add, context);
    result.notes.push_back(
        "At the target period " + formatSeconds(targetS) +
        "; states that another one is nowhere worse than, or that cannot reach the period " +
        formatSeconds(search.allocation.periodS) + " any more, are left out.");
    return result;
}

DetailTable madPipeSpecial(const PlanRun& run, std::size_t, const WorkContext&) {
    const FirstPhaseInput phase(run);
    const Plan& plan = run.result.plan;
    const double periodS = std::get<PeriodicSchedule>(plan.schedule.order).periodS;
    std::map<int, int> stagesOn;
    for (const Stage& stage : plan.stages) ++stagesOn[stage.devices.front()];
    DetailTable result;
    result.columns = {
        {"stage", "Stage", DetailUnit::count},           {"first_layer", "First layer", DetailUnit::count},
        {"last_layer", "Last layer", DetailUnit::count}, {"device", "Device", DetailUnit::text},
        {"special", "Special", DetailUnit::text},        {"load_s", "U", DetailUnit::seconds},
        {"delay_s", "V", DetailUnit::seconds},           {"batches", "g", DetailUnit::count},
        {"alone_bytes", "M(g)", DetailUnit::bytes},      {"charged_bytes", "Charged", DetailUnit::bytes},
        {"limit_bytes", "Limit", DetailUnit::bytes},     {"why", "Why there", DetailUnit::text}};
    double delayS = 0;
    int last = phase.chain.links() - 1;
    for (int s = plan.stageCount() - 1; s >= 0; --s) {
        const Stage& stage = plan.stages[static_cast<std::size_t>(s)];
        int first = last;
        while (first > 0 && phase.chain.firstLayer(first) > stage.firstLayer) --first;
        const double loadS = phase.chain.loadS(first, last);
        const int batches = groupOf(delayS, loadS, periodS);
        const bool special = stagesOn[stage.devices.front()] > 1;
        const double alone = phase.chain.memoryBytes(first, last, batches);
        const double charged = phase.chain.memoryBytes(first, last, batches - (special ? 1 : 0));
        const std::string why = !special ? "one stage on a device of its own"
                                : alone > phase.memoryBytes
                                    ? formatBytes(alone - phase.memoryBytes) + " too large for one of its own"
                                    : "would fit on one of its own; there to even the loads out";
        result.rows.push_back(
            {double(s), double(stage.firstLayer), double(stage.lastLayer),
             run.costs->problem().cluster.devices[static_cast<std::size_t>(stage.devices.front())].id,
             std::string(special ? "yes" : ""), loadS, delayS, double(batches), alone, charged,
             phase.memoryBytes, why});
        delayS = joinDelay(delayS, loadS, periodS);
        if (first > 0)
            delayS = joinDelay(delayS, phase.chain.transferS[static_cast<std::size_t>(first) - 1], periodS);
        last = first - 1;
    }
    std::reverse(result.rows.begin(), result.rows.end());
    result.notes.push_back(
        "At the plan's period, " + formatSeconds(periodS) +
        ". A special device's stage is charged g - 1 batches, as printed; what the pattern really "
        "stores is in Pattern.");
    return result;
}

}  // namespace stagecraft::planners
