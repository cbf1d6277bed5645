#pragma once

#include "tests/views/results_fixture.h"
#include "tests/support/window_rooms.h"
#include "views/experiments/chart_choice.h"
#include "views/experiments/results_pane.h"
#include "views/experiments/results_table.h"

#include <QTest>

namespace stagecraft {

inline const double noTime = std::nan("");  ///< in the place of a time: no plan fits

/// Time grows with microbatches and falls with the network; GPipe takes twice as long.
inline double plain(const std::vector<std::size_t>& at, std::size_t planner) {
    return (1 + static_cast<double>(at[0])) / (1 + static_cast<double>(at[1])) * (planner + 1.0);
}

/// Made-up results of two axes in a pane of their own; of the first point no plan fits.
struct Shown {
    explicit Shown(ChartKind kind, const std::string& axes = twoAxes(8, 6)) : grid(gridOf(axes)) {
        cells = madeUp(*grid, [](const auto& at, std::size_t planner) {
            return at[0] == 0 && at[1] == 0 ? noTime : plain(at, planner);
        });
        pane.resize(1000, 560);
        pane.setGrid(grid);
        pane.setCells(cells);
        pane.setReasons([this](std::size_t cell) { return QString::fromStdString(cells[cell].reason); });
        pane.setChoice(choiceFor(*grid, kind));
        pane.show();
        (void)QTest::qWaitForWindowExposed(&pane);
    }
    QPoint at(std::size_t series, std::size_t point) {
        return pane.chart().pointOf({series, point}).toPoint();
    }

    std::shared_ptr<const Grid> grid;
    std::vector<CellResult> cells;
    ResultsPane pane;
};

}  // namespace stagecraft
