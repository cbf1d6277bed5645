#pragma once

#include "app/rooms.h"
#include "views/pareto/pareto_figure.h"

namespace stagecraft::app::figures {

/// The allocations of which curves are made, in the order in which they are: stages on a GPU each, and
/// several on one.
struct ParetoKind {
    std::string allocation;  ///< as on the command line
    MadPipeStages stages;
};
const std::vector<ParetoKind>& paretoKinds();

/// What `stagecraft pareto` takes without options, and the window always.
ParetoOptions usualParetoOptions();

/// MadPipe's plans have no barrier, whatever the project asks for.
CostModel paretoCosts(Problem problem);

/// "g0:0-5 g1:6-8 g0:9-17"
std::string paretoStagesText(const Problem& problem, const Plan& plan);

double paretoThroughput(const CostModel& costs, const ParetoPoint& point);  ///< samples per second

/// One row per point; what `stagecraft pareto --out` writes.
std::string paretoCsv(const CostModel& costs, const std::vector<ParetoSeries>& series);

}  // namespace stagecraft::app::figures
