#include "core/experiments/measured/measured_project.h"

#include "core/base/units.h"

namespace stagecraft::experiments {

Project projectOfRow(const MeasuredSet& set, const MeasuredRow& row) {
    MeasuredProject made = row.project();
    Project project;
    project.name = row.name + " (" + set.id + ")";
    project.problem = std::move(made.problem);
    std::string& source = project.problem.profile.source;
    source += (source.empty() ? "" : " ") + std::string("Measured: ") + formatNumber(row.measured) + " " +
              unitOf(set.quantity) + " (" + set.source + "). Predicted from: " + set.basis + " " +
              set.calibration;
    made.plan.name = row.name;
    project.plans = {std::move(made.plan)};
    return project;
}

}  // namespace stagecraft::experiments
