#pragma once

#include "core/planners/plan_run.h"
#include "core/simulation/utilisation.h"
#include "views/vpipe/hover_drawing.h"

namespace stagecraft {

/// What the GPUs do under one plan, and how fast it is.
struct UtilisationRow {
    QString title;
    QString obstacle;  ///< why there is no plan; else empty
    std::vector<DeviceUtilisation> devices;
    std::vector<QString> names;  ///< of the devices
    double throughput = 0;       ///< samples per second
    double ideal = 0;            ///< the same without memory limit and always balanced
};
UtilisationRow utilisationRow(const PlanRun& run);

/// Effective and, unfilled on top, wasted utilisation of each GPU (vPipe Figs. 10 and 11), a row a plan, and
/// beside it the throughput against the ideal one as a line.
HoverDrawing drawUtilisation(const std::vector<UtilisationRow>& rows, const DrawingLook& look);

/// The same numbers as a table: a line for each plan and device.
std::string utilisationCsv(const std::vector<UtilisationRow>& rows);

}  // namespace stagecraft
