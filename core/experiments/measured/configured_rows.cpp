#include "core/experiments/measured/configured_rows.h"

#include "core/formats/configurations/configuration_formats.h"
#include "core/generation/asked_machines.h"
#include "core/programs/configured_plan.h"

namespace stagecraft::experiments {

MeasuredProject configuredProject(const std::string& text, const std::string& name,
                                  const std::string& machines) {
    const Configuration configuration = readConfiguration(text, name);
    Cluster cluster = machinesAsked(machines.empty() ? configuration.machines : machines).make();
    const ConfiguredLayout layout = layoutOn(configuration, cluster.deviceCount(), name);
    LayerProfile profile = profileOf(configuration, layout, cluster, name);
    ConfiguredPlan planned =
        configuredPlan(configuration, layout, std::move(profile), std::move(cluster), name);
    return {std::move(planned.problem), std::move(planned.plan)};
}

}  // namespace stagecraft::experiments
