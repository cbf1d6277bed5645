#include "views/topology/machine_choice.h"

#include "core/generation/machines.h"
#include "views/common/qt_text.h"
#include "views/topology/topology_scene.h"

#include <QStringList>

#include <algorithm>

namespace stagecraft::views {

std::vector<MachineChoice> machinesFor(const QString& text) {
    const QStringList words = text.simplified().split(' ', Qt::SkipEmptyParts);
    std::vector<MachineChoice> found;
    for (const ClusterTemplate& machine : namedMachines()) {
        const QString all = qtText(machine.id + ' ' + machine.title + ' ' + machine.description);
        if (std::all_of(words.begin(), words.end(),
                        [&all](const QString& word) { return all.contains(word, Qt::CaseInsensitive); }))
            found.push_back({qtText(machine.title), qtText(machine.description), nullptr, {}});
    }
    return found;
}

MachineChoice machineNamed(const QString& name) {
    for (const ClusterTemplate& machine : namedMachines()) {
        if (qtText(machine.title) != name) continue;
        const auto cluster = std::make_shared<const Cluster>(oneOf(machine));
        return {name, qtText(machine.description), cluster,
                TopologyScene(*cluster, nullptr).layout().bounds.size()};
    }
    return {};
}

}  // namespace stagecraft::views
