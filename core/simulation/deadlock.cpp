// What the simulator says when nothing can start any more: the blocks that wait for each other in a circle.
#include "core/simulation/event_loop.h"

#include <algorithm>

namespace stagecraft {

std::string EventLoop::describe(std::uint32_t task) const {
    const TaskRow& row = graph_.rows[static_cast<std::size_t>(graph_.rowOf(task))];
    const std::uint32_t entry = task - row.firstTask;
    std::string text = blockKindName(row.kind);
    if (row.firstMicrobatch >= 0)
        text += " of microbatch " +
                std::to_string(row.firstMicrobatch + static_cast<int>(entry % row.perIteration) * row.microbatchStep);
    text += " on stage " + std::to_string(row.stage);
    if (graph_.iterations > 1) text += " in iteration " + std::to_string(entry / row.perIteration);
    return text;
}

std::uint32_t EventLoop::unfinishedPredecessor(std::uint32_t task) const {
    const int rowIndex = graph_.rowOf(task);
    const std::uint32_t entry = task - graph_.rows[static_cast<std::size_t>(rowIndex)].firstTask;
    for (const TaskRow& row : graph_.rows) {
        const bool feeds = std::find(row.next.begin(), row.next.end(), rowIndex) != row.next.end();
        if (feeds && !done_[row.firstTask + entry]) return row.firstTask + entry;
        if (std::find(row.gatheredBy.begin(), row.gatheredBy.end(), rowIndex) == row.gatheredBy.end()) continue;
        for (std::uint32_t one = entry * row.perIteration; one < (entry + 1) * row.perIteration; ++one)
            if (!done_[row.firstTask + one]) return row.firstTask + one;
    }
    return noBlock;
}

void EventLoop::reportDeadlock() const {
    // Follow what is waited for from the head of a stuck lane until a task comes up again. A task whose inputs are
    // there waits for the head of its lane; one whose inputs are not waits for the first of them.
    const auto headOf = [&](std::size_t lane) {
        const LaneProgram& program = graph_.programs[lane];
        const std::uint32_t position = states_[lane].position;
        const bool stuck = program.discipline == LaneDiscipline::ordered && position < program.order.size();
        return stuck ? program.order[position] : noBlock;
    };
    std::uint32_t task = noBlock;
    for (std::size_t lane = 0; lane < graph_.lanes.size() && task == noBlock; ++lane) task = headOf(lane);

    std::vector<std::uint32_t> chain;
    while (task != noBlock && std::find(chain.begin(), chain.end(), task) == chain.end()) {
        chain.push_back(task);
        const TaskRow& row = graph_.rows[static_cast<std::size_t>(graph_.rowOf(task))];
        std::uint32_t next = noBlock;
        for (const int lane : graph_.variant(row, task - row.firstTask).lanes) {
            const std::uint32_t head = headOf(static_cast<std::size_t>(lane));
            if (head != task && head != noBlock) next = head;
        }
        task = next != noBlock ? next : unfinishedPredecessor(task);
    }
    if (task == noBlock)
        throw SimulationError("the plan cannot finish: " + describe(chain.empty() ? 0 : chain.back()) +
                              " is not in the order of its device");
    std::string circle;
    for (auto link = std::find(chain.begin(), chain.end(), task); link != chain.end(); ++link)
        circle += describe(*link) + " waits for ";
    throw SimulationError("the plan deadlocks: " + circle + describe(task));
}

}  // namespace stagecraft
