#include "core/simulation/execution_graph.h"

#include <algorithm>

namespace stagecraft::simulation {

TaskRef TaskGraph::taskOf(std::uint32_t id) const {
    const auto after =
        std::upper_bound(rows.begin(), rows.end(), id,
                         [](std::uint32_t task, const TaskRow& row) { return task < row.firstTask; });
    const int row = static_cast<int>(after - rows.begin()) - 1;
    return {row, id - rows[static_cast<std::size_t>(row)].firstTask};
}

}  // namespace stagecraft::simulation
