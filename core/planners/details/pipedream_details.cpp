#include "core/planners/details/detail_makers.h"
#include "core/planners/pipedream/pipedream_input.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace stagecraft::planners {

DetailTable pipeDreamValues(const PlanRun& run, std::size_t most, const WorkContext& context) {
    const PipeDreamChoices choices(parametersOf(run));
    const PipeDreamInput input = pipeDreamInput(*run.costs, choices);
    if (!input.machines.whyNot.empty()) throw std::runtime_error(input.machines.whyNot);
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
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
    for (std::size_t level = 0; level < input.machines.levels.size(); ++level)
        result.notes.push_back("Level " + std::to_string(level) + ": " +
                               std::to_string(input.machines.levels[level].components) + " " +
                               input.machines.names[level] + ".");
    result.notes.emplace_back(
        "A value is the time of one microbatch; of the outermost level only networks from layer 0 on are "
        "asked "
        "about.");
    return result;
}

}  // namespace stagecraft::planners
