#include "core/puzzles/real_plan.h"

#include "core/base/counted.h"
#include "core/programs/custom_schedule.h"

#include <stdexcept>

namespace stagecraft::puzzles {

std::string whyNotReal(const Puzzle& puzzle, const Problem& problem) {
    if (problem.cluster.deviceCount() < puzzle.devices)
        return "the cluster has " + counted(problem.cluster.deviceCount(), "GPU") + " and the puzzle needs " +
               std::to_string(puzzle.devices);
    if (problem.profile.layerCount() < puzzle.stages())
        return "the network has " + counted(problem.profile.layerCount(), "layer") + " and the puzzle has " +
               counted(puzzle.stages(), "stage");
    return {};
}

TrainingSetup realSetup(const Puzzle& puzzle, TrainingSetup setup) {
    setup.microbatches = puzzle.microbatches;
    return setup;
}

Plan realPlan(const PuzzleBoard& board, const CostModel& costs, const std::string& name) {
    const PuzzleScore score = board.score();
    if (!score.complete())
        throw std::invalid_argument(counted(score.passes - score.placed, "pass", "passes") +
                                    " of the puzzle are not placed yet");
    if (const std::string why = whyNotReal(board.puzzle(), costs.problem()); !why.empty())
        throw std::invalid_argument(why);
    CustomSchedule schedule;
    schedule.name = name;
    schedule.shape = shapeOf(board.puzzle());
    schedule.shape.times.clear();
    schedule.orders = board.orders();
    return equalLayersUnder(costs, schedule);
}

}  // namespace stagecraft::puzzles
