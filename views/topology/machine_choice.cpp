#include "views/topology/machine_choice.h"

#include "core/generation/machines.h"
#include "views/common/qt_text.h"
#include "views/topology/topology_scene.h"

#include <QStringList>

#include <algorithm>

namespace stagecraft::views {

bool hasWords(const QString& text, const QString& words) {
    const QStringList all = words.simplified().split(' ', Qt::SkipEmptyParts);
    return std::all_of(all.begin(), all.end(),
                       [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

std::vector<PickEntry> machinesFor(const QString& words) {
    std::vector<PickEntry> found;
    int index = 0;
    for (const ClusterTemplate& machine : namedMachines()) {
        if (hasWords(qtText(machine.id + ' ' + machine.title + ' ' + machine.description), words))
            found.push_back({qtText(machine.title), qtText(machine.description), index});
        ++index;
    }
    return found;
}

MachineChoice machineOf(int index) {
    const ClusterTemplate machine = namedMachines().at(static_cast<std::size_t>(index));
    const auto cluster = std::make_shared<const Cluster>(oneOf(machine));
    return {qtText(machine.title), cluster, TopologyScene(*cluster, nullptr).layout().bounds.size()};
}

}  // namespace stagecraft::views
