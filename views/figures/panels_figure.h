#pragma once

#include "core/base/enum_names.h"
#include "views/figures/schedule_figure.h"

#include <memory>
#include <vector>

namespace stagecraft::views::figures {

/// What a panel shows of its plan.
enum class PanelView { schedule, memory, links };
inline constexpr EnumName<PanelView> panelViewNames[] = {
    {PanelView::schedule, "schedule"}, {PanelView::memory, "memory"}, {PanelView::links, "links"}};

/// How the time axes of a figure's panels are related.
enum class PanelTime {
    shared,  ///< one axis below the last panel
    equal,   ///< an axis for each, the same millimetres per second
    own,     ///< an axis for each, as long as the page is wide
};
inline constexpr EnumName<PanelTime> panelTimeNames[] = {
    {PanelTime::shared, "shared"}, {PanelTime::equal, "equal"}, {PanelTime::own, "own"}};

struct FigurePanel {
    std::shared_ptr<const PlanRun> run;
    PanelView view = PanelView::schedule;
    std::vector<ChartNote> notes;  ///< of the plan's chart, by time
    int plan = 0;                  ///< whatever tells who asked which plan it is; lanes say it again
};

struct PanelsFigureOptions {
    ScheduleFigureOptions drawing;  ///< of each panel; its notes are not used
    PanelTime time = PanelTime::shared;
    bool letters = true;  ///< "(a)", "(b)" before the panels' titles
    bool titles = true;   ///< the names of the plans, and what of them is shown
    std::string names;    ///< "A|B": what panels are called instead; missing ones stay as they are
    int columns = 1;      ///< panels side by side, row by row
};
inline constexpr int mostPanelColumns = 6;

/// Several plans, or several sides of one, below each other, or in a grid: names of lanes end and time begins
/// at one place of each column for all, and one legend lists what any of them has. Arrows that end in another
/// panel are drawn over all of them.
/// @throws std::invalid_argument if there are no panels, if columns become too narrow, or as the panels' own
/// figures do
Figure panelsFigure(const std::vector<FigurePanel>& panels, const PanelsFigureOptions& options = {});

}  // namespace stagecraft::views::figures
