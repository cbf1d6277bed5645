#include "core/puzzles/family_orders.h"

#include "core/base/indices.h"
#include "core/runs/chosen_schedule.h"
#include "core/schedules/device_orders.h"
#include "core/schedules/families.h"
#include "core/schedules/order_difference.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::puzzles {

namespace {

/// A whole backward is split where the puzzle's are.
std::vector<std::vector<Task>> inPassesOf(const Puzzle& puzzle, const ExplicitSchedule& schedule) {
    std::vector<std::vector<Task>> orders(at(puzzle.devices));
    for (const auto& [device, tasks] : schedule.orders)
        for (const Task& task : tasks) {
            if (!puzzle.split || task.kind != TaskKind::backward) {
                orders[at(device)].push_back(task);
                continue;
            }
            for (const TaskKind part : {TaskKind::inputGradient, TaskKind::weightGradient}) {
                orders[at(device)].push_back(task);
                orders[at(device)].back().kind = part;
            }
        }
    return orders;
}

bool hasOnlyPassesOf(const Puzzle& puzzle, const ExplicitSchedule& schedule) {
    const std::vector<TaskKind>& kinds = passKindsOf(puzzle);
    for (const auto& [device, tasks] : schedule.orders)
        for (const Task& task : tasks) {
            const bool known = std::find(kinds.begin(), kinds.end(), task.kind) != kinds.end() ||
                               (puzzle.split && task.kind == TaskKind::backward);
            if (!known || task.paired || task.slice > 0) return false;
        }
    return true;
}

std::vector<Stage> stagesOf(const Puzzle& puzzle) {
    std::vector<Stage> stages;
    for (int stage = 0; stage < puzzle.stages(); ++stage)
        stages.push_back({.firstLayer = stage, .lastLayer = stage, .devices = {puzzle.deviceOf(stage)}});
    return stages;
}

/// The values of its parameters with which a family is tried.
std::vector<ScheduleParameters> parametersFor(const Puzzle& puzzle, const ScheduleFamily& family) {
    std::vector<ScheduleParameters> all = {{}};
    for (const Parameter& parameter : family.parameters)
        if (parameter.name == limitParameter && puzzle.memoryLimit > 0)
            all.push_back({{limitParameter, double(puzzle.memoryLimit) / puzzle.chunks}});
    return all;
}

/// @throws std::invalid_argument if the family does not take the puzzle's shape
ExplicitSchedule scheduleOf(const Puzzle& puzzle, const ScheduleFamily& family,
                            const ScheduleParameters& parameters) {
    if (family.deviceOrders)
        return spelledOut(family, stagesOf(puzzle), puzzle.microbatches, parameters, shapeOf(puzzle).times);
    ExplicitSchedule schedule;
    for (int stage = 0; stage < puzzle.stages(); ++stage)
        for (const StageOp& pass : family.order(stage, puzzle.stages(), puzzle.microbatches, parameters))
            schedule.orders[puzzle.deviceOf(stage)].push_back({pass.kind, stage, pass.microbatch});
    return schedule;
}

OrdersByDevice byDevice(const std::vector<std::vector<Task>>& orders) {
    OrdersByDevice result;
    for (std::size_t device = 0; device < orders.size(); ++device)
        result[static_cast<int>(device)] = orders[device];
    return result;
}

}  // namespace

std::vector<FamilyOrders> ordersOfFamilies(const Puzzle& puzzle) {
    std::vector<FamilyOrders> found;
    for (const ScheduleFamily& family : scheduleFamilies()) {
        if (family.placement != puzzle.placement || family.evicts || cutsSequences(family) ||
            sharesVocabulary(family) || (!family.deviceOrders && !family.order))
            continue;
        for (const ScheduleParameters& parameters : parametersFor(puzzle, family)) try {
                const ExplicitSchedule schedule = scheduleOf(puzzle, family, parameters);
                if (hasOnlyPassesOf(puzzle, schedule))
                    found.push_back({shortTitle(family), inPassesOf(puzzle, schedule)});
            } catch (const std::invalid_argument&) {
                // It does not take this shape.
            }
    }
    return found;
}

std::vector<std::string> familiesOf(const PuzzleBoard& board) {
    std::vector<std::string> titles;
    if (!board.score().complete()) return titles;
    const OrdersByDevice own = byDevice(board.orders());
    for (const FamilyOrders& family : ordersOfFamilies(board.puzzle())) {
        const bool known = std::find(titles.begin(), titles.end(), family.title) != titles.end();
        if (!known && differenceOf(own, byDevice(family.orders)).isNone()) titles.push_back(family.title);
    }
    return titles;
}

}  // namespace stagecraft::puzzles
