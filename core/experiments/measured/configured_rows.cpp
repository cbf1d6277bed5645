#include "core/experiments/measured/configured_rows.h"

#include "core/formats/configurations/configuration_formats.h"
#include "core/generation/asked_machines.h"
#include "core/programs/configured_plan.h"

#include <stdexcept>

namespace stagecraft::experiments {

MeasuredProject configuredProject(const std::string& text, const std::string& name,
                                  const std::string& machines) {
    const Configuration configuration = readConfiguration(text, name);
    Cluster cluster = machinesAsked(machines.empty() ? configuration.machines : machines).make();
    const ConfiguredLayout layout = layoutOn(configuration, cluster.deviceCount(), name);
    LayerProfile profile = profileOf(configuration, layout, cluster, name);
    ConfiguredPlan planned =
        configuredPlan(configuration, layout, std::move(profile), std::move(cluster), name);
    for (const ConfigurationItem& item : planned.items)
        if (item.kind == ItemKind::unknown)
            throw std::invalid_argument(name + ": \"" + item.argument + "\" is not understood");
    return {std::move(planned.problem), std::move(planned.plan)};
}

}  // namespace stagecraft::experiments
