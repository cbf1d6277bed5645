#include "core/simulation/execution_graph.h"

#include <algorithm>

namespace stagecraft::simulation {

LaneProgram& ExecutionGraph::ordered(int lane) {
    LaneProgram& program = programs[static_cast<std::size_t>(lane)];
    program.discipline = LaneDiscipline::ordered;
    return program;
}

void ExecutionGraph::append(TaskRef task) {
    for (const int lane : variant(rows[static_cast<std::size_t>(task.row)], task.entry).lanes)
        ordered(lane).order.push_back(task);
}

TaskRef TaskGraph::taskOf(std::uint32_t id) const {
    const auto after =
        std::upper_bound(rows.begin(), rows.end(), id,
                         [](std::uint32_t task, const TaskRow& row) { return task < row.firstTask; });
    const int row = static_cast<int>(after - rows.begin()) - 1;
    return {row, id - rows[static_cast<std::size_t>(row)].firstTask};
}

}  // namespace stagecraft::simulation
