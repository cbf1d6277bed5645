// What the simulator says when nothing can start any more: the blocks that wait for each other in a circle.
#include "core/simulation/event_loop.h"

#include <algorithm>

namespace stagecraft {

std::string EventLoop::describe(TaskRef task) const {
    const TaskRow& row = rowOf(task);
    std::string text = blockKindName(row.kind);
    if (row.firstMicrobatch >= 0)
        text += " of microbatch " +
                std::to_string(row.firstMicrobatch +
                               static_cast<int>(task.entry % row.perIteration) * row.microbatchStep);
    text += " on stage " + std::to_string(row.stage);
    if (graph_.iterations > 1) text += " in iteration " + std::to_string(task.entry / row.perIteration);
    return text;
}

std::optional<TaskRef> EventLoop::headOf(std::size_t lane) const {
    const LaneProgram& program = graph_.programs[lane];
    const std::uint32_t position = states_[lane].position;
    const bool stuck = program.discipline == LaneDiscipline::ordered && position < program.order.size();
    return stuck ? std::optional(program.order[position]) : std::nullopt;
}

std::optional<TaskRef> EventLoop::unfinishedPredecessor(TaskRef task) const {
    const std::uint32_t iteration = iterationOf(task);
    for (std::size_t index = 0; index < graph_.rows.size(); ++index) {
        const TaskRow& row = graph_.rows[index];
        const int own = static_cast<int>(index);
        const bool versionOf =
            iteration >= 2 && std::find(row.readBy.begin(), row.readBy.end(), task.row) != row.readBy.end();
        if (versionOf && !done_[row.firstTask + iteration - 2]) return TaskRef{own, iteration - 2};
        const bool feeds = std::find(row.next.begin(), row.next.end(), task.row) != row.next.end();
        if (feeds && !done_[row.firstTask + task.entry]) return TaskRef{own, task.entry};
        if (std::find(row.gatheredBy.begin(), row.gatheredBy.end(), task.row) == row.gatheredBy.end())
            continue;
        for (std::uint32_t entry = task.entry * row.perIteration; entry < (task.entry + 1) * row.perIteration;
             ++entry)
            if (!done_[row.firstTask + entry]) return TaskRef{own, entry};
    }
    return std::nullopt;
}

TaskRef EventLoop::firstForgotten() const {
    for (std::size_t index = 0; index < graph_.rows.size(); ++index)
        for (std::uint32_t entry = 0; entry < graph_.rows[index].perIteration; ++entry) {
            const TaskRef task{static_cast<int>(index), entry};
            if (remaining_[graph_.taskId(task)] == 0 && !done_[graph_.taskId(task)]) return task;
        }
    return {};
}

void EventLoop::reportDeadlock() const {
    // Follow what is waited for from the head of a stuck lane until a task comes up again. A task that is not
    // at the head of its lane waits for that head; one that is waits for the first of its inputs that is not
    // there.
    std::optional<TaskRef> task;
    for (std::size_t lane = 0; lane < graph_.lanes.size() && !task; ++lane) task = headOf(lane);

    std::vector<TaskRef> chain;
    while (task && std::find(chain.begin(), chain.end(), *task) == chain.end()) {
        chain.push_back(*task);
        std::optional<TaskRef> next;
        for (const int lane : graph_.variant(rowOf(*task), task->entry).lanes) {
            const std::optional<TaskRef> head = headOf(static_cast<std::size_t>(lane));
            if (head && *head != *task) next = head;
        }
        task = next ? next : unfinishedPredecessor(*task);
    }
    if (!task)
        throw SimulationError("the plan cannot finish: " + describe(firstForgotten()) +
                              " is not in the order of its device");
    std::string circle;
    for (auto link = std::find(chain.begin(), chain.end(), *task); link != chain.end(); ++link)
        circle += describe(*link) + " waits for ";
    throw SimulationError("the plan deadlocks: " + circle + describe(*task));
}

}  // namespace stagecraft
