#pragma once

#include "core/analysis/utilisation.h"
#include "core/runs/plan_run.h"
#include "views/vpipe/hover_drawing.h"

namespace stagecraft::views::vpipe {

/// What the GPUs do under one plan, and how fast it is. Shares are as core/simulation/utilisation.h has them.
struct UtilisationRow {
    QString title;
    QString obstacle;  ///< why there is no plan; else empty
    std::vector<DeviceUtilisation> devices;
    std::vector<QString> names;  ///< of the devices
    double throughput = 0;       ///< samples per second
    double ideal = 0;            ///< the same without memory limit and always balanced
};
/// @param reference whose microbatch is the measure of useful work; null: the plan's own
UtilisationRow utilisationRow(const PlanRun& run, const CostModel* reference = nullptr);

/// Useful work and, unfilled on top, what is recomputed, of each GPU (vPipe Figs. 10 and 11), one row per
/// plan; where a GPU is busy for longer than that takes at the reference microbatch, a frame says for how
/// long. Beside it the throughput against the ideal one as a line.
HoverDrawing drawUtilisation(const std::vector<UtilisationRow>& rows, const DrawingLook& look);

/// The same numbers as a table: a line for each plan and device.
std::string utilisationCsv(const std::vector<UtilisationRow>& rows);

}  // namespace stagecraft::views::vpipe
