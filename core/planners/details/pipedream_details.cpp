#include "core/planners/details/detail_makers.h"
#include "core/planners/pipedream/pipedream_input.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace stagecraft::planners {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

void addLevelNotes(const std::vector<PipeDreamLevel>& levels, const std::vector<std::string>& names,
                   DetailTable& table) {
    for (std::size_t level = 0; level < levels.size(); ++level)
        table.notes.push_back("Level " + std::to_string(level) + ": " +
                              std::to_string(levels[level].components) + " " + names[level] + ".");
}

/// The layer after which the state cuts; NaN: inside of one.
double layerAfter(const PipeDreamStates& states, int state) {
    const int layer = state < 0 ? -1 : states.lastLayer[static_cast<std::size_t>(state)];
    return layer < 0 ? nothing : layer;
}

/// Of variant=released.
DetailTable releasedValues(const PlanRun& run, const PipeDreamChoices& choices, std::size_t most,
                           const WorkContext& context) {
    const PipeDreamMachines machines = pipeDreamMachines(*run.costs, choices);
    if (!machines.whyNot.empty()) throw std::runtime_error(machines.whyNot);
    const ReleasedInput input = releasedInput(*run.costs, choices, machines, context);
    const PipeDreamStates& states = input.antichains ? *input.antichains : input.layers;
    const std::vector<PipeDreamLevel>& levels = input.antichains ? machines.levels : input.layerLevels;
    DetailTable result;
    result.columns = {{"level", "Level", DetailUnit::count},
                      {"i", "i", DetailUnit::count},
                      {"j", "j", DetailUnit::count},
                      {"last_layer", "Up to layer", DetailUnit::count},
                      {"m", "m", DetailUnit::count},
                      {"a_s", "A(i → j, m)", DetailUnit::seconds},
                      {"reached", "Reached by", DetailUnit::text},
                      {"cut_after", "Cut after state", DetailUnit::count},
                      {"cut_after_layer", "Cut after layer", DetailUnit::count},
                      {"last_replicas", "m′ of the last stage", DetailUnit::count},
                      {"before_s", "A before", DetailUnit::seconds},
                      {"transfer_s", "Transfer", DetailUnit::seconds},
                      {"last_stage_s", "Last stage", DetailUnit::seconds}};
    const auto add = [&](const ReleasedCell& cell) {
        if (result.rows.size() == most) {
            result.cut = true;
            return false;
        }
        const bool whole = cell.cut < 0;
        const auto ofSplit = [&](double value) { return whole ? nothing : value; };
        result.rows.push_back({double(cell.level), double(cell.first), double(cell.last),
                               layerAfter(states, cell.last), double(cell.machines), cell.periodS,
                               std::string(whole ? "a single stage" : "a split"), ofSplit(cell.cut),
                               layerAfter(states, cell.cut), double(cell.lastMachines), ofSplit(cell.beforeS),
                               ofSplit(cell.transferS), cell.lastStageS});
        return true;
    };
    forEachReleasedCell(states, levels, input.options, add, context);
    addLevelNotes(levels, machines.names, result);
    result.notes.push_back(input.antichains
                               ? "States are the antichains of the graph, i and j count them; where one ends "
                                 "inside of a layer no layer is named."
                               : "The graph has too many antichains: states are layers.");
    result.notes.emplace_back(
        "A value is the time of one microbatch; of the outermost level only networks from state 0 on are "
        "asked "
        "about.");
    return result;
}

}  // namespace

DetailTable pipeDreamValues(const PlanRun& run, std::size_t most, const WorkContext& context) {
    const PipeDreamChoices choices(parametersOf(run));
    if (choices.variant == "released") return releasedValues(run, choices, most, context);
    const PipeDreamInput input = pipeDreamInput(*run.costs, choices);
    if (!input.machines.whyNot.empty()) throw std::runtime_error(input.machines.whyNot);
    DetailTable result;
    result.columns = {{"level", "Level", DetailUnit::count},
                      {"replicas_above", "Replicas above", DetailUnit::count},
                      {"i", "i", DetailUnit::count},
                      {"j", "j", DetailUnit::count},
                      {"m", "m", DetailUnit::count},
                      {"a_s", "A(i → j, m)", DetailUnit::seconds},
                      {"reached", "Reached by", DetailUnit::text},
                      {"cut_after", "Cut after layer", DetailUnit::count},
                      {"last_replicas", "m′ of the last stage", DetailUnit::count},
                      {"before_s", "A before", DetailUnit::seconds},
                      {"transfer_s", "Transfer", DetailUnit::seconds},
                      {"last_stage_s", "Last stage", DetailUnit::seconds},
                      {"stages", "Stages", DetailUnit::count}};
    const auto add = [&](const PipeDreamCell& cell) {
        if (result.rows.size() == most) {
            result.cut = true;
            return false;
        }
        const bool whole = cell.cut < 0;
        const auto ofSplit = [&](double value) { return whole ? nothing : value; };
        result.rows.push_back({double(cell.level), double(cell.outer), double(cell.first), double(cell.last),
                               double(cell.components), cell.periodS,
                               std::string(whole ? "a single stage" : "a split"), ofSplit(cell.cut),
                               double(cell.lastComponents), ofSplit(cell.beforeS), ofSplit(cell.transferS),
                               cell.lastStageS, double(cell.stages)});
        return true;
    };
    forEachPipeDreamCell(input.work, input.machines.levels, input.rules, add, context);
    addLevelNotes(input.machines.levels, input.machines.names, result);
    result.notes.emplace_back(
        "A value is the time of one microbatch; of the outermost level only networks from layer 0 on are "
        "asked "
        "about.");
    return result;
}

}  // namespace stagecraft::planners
