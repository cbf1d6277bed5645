#include "app/plan/what_if.h"

#include "app/workspace.h"
#include "core/model/profile_edit.h"

#include <unordered_map>

namespace stagecraft {

std::vector<int> linksBetweenServers(const Cluster& cluster) {
    std::unordered_map<std::string, std::string> serverOf;
    for (const Device& device : cluster.devices) serverOf[device.id] = device.server;
    for (const Switch& each : cluster.switches) serverOf[each.id] = each.server;
    std::vector<int> between;
    for (std::size_t link = 0; link < cluster.links.size(); ++link)
        if (serverOf[cluster.links[link].a] != serverOf[cluster.links[link].b])
            between.push_back(static_cast<int>(link));
    return between;
}

Problem changedBy(const Problem& problem, const WhatIf& change) {
    Problem changed = problem;
    switch (change.kind) {
        case WhatIf::Kind::microbatches:
            changed.setup.microbatches = std::max(1, static_cast<int>(std::lround(change.value)));
            break;
        case WhatIf::Kind::memoryLimit:
            changed.setup.memoryLimitBytes = change.value;
            break;
        case WhatIf::Kind::bandwidth:
            for (const int link :
                 change.target < 0 ? linksBetweenServers(problem.cluster) : std::vector<int>{change.target})
                changed.cluster.links.at(static_cast<std::size_t>(link)).bandwidthBps *= change.value;
            break;
        case WhatIf::Kind::layerTime:
            changed.profile =
                scaleLayers(problem.profile, {change.target}, ProfileNumbers::times, change.value);
            break;
    }
    return changed;
}

void keep(Workspace& workspace, const WhatIf& change) {
    const Problem changed = changedBy(workspace.problem(), change);
    workspace.setSetup(changed.setup);
    if (change.kind == WhatIf::Kind::bandwidth)
        workspace.editCluster(changed.cluster, Workspace::tr("Change bandwidth"));
    if (change.kind == WhatIf::Kind::layerTime)
        workspace.editProfile(changed.profile, Workspace::tr("Change time of layer %1").arg(change.target));
}

void putBack(Workspace& workspace, const Problem& before) {
    workspace.undoStack()->beginMacro(Workspace::tr("Reset what was tried"));
    workspace.setSetup(before.setup);
    workspace.setCluster(before.cluster);
    workspace.setProfile(before.profile);
    workspace.undoStack()->endMacro();
}

}  // namespace stagecraft
