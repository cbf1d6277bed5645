#include "views/topology/machine_choice.h"

#include "core/generation/machines.h"
#include "core/generation/template_catalogue.h"
#include "views/common/text.h"
#include "views/topology/topology_scene.h"

#include <QStringList>

#include <algorithm>

namespace stagecraft::views {

bool hasWords(const QString& text, const QString& words) {
    const QStringList all = words.simplified().split(' ', Qt::SkipEmptyParts);
    return std::all_of(all.begin(), all.end(),
                       [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

namespace {

std::vector<PickEntry> offered(const std::vector<ClusterTemplate>& machines, const QString& words) {
    std::vector<PickEntry> found;
    int index = 0;
    for (const ClusterTemplate& machine : machines) {
        if (hasWords(qtText(machine.id + ' ' + machine.title + ' ' + machine.description), words))
            found.push_back({qtText(machine.title), qtText(machine.description), index});
        ++index;
    }
    return found;
}

MachineChoice choiceOf(PalettePart part, const QString& name, Cluster made) {
    const auto cluster = std::make_shared<const Cluster>(std::move(made));
    return {part, name, cluster, TopologyScene(*cluster, nullptr).layout().bounds.size()};
}

}  // namespace

std::vector<PickEntry> machinesFor(const QString& words) { return offered(namedMachines(), words); }
std::vector<PickEntry> rackServersFor(const QString& words) { return offered(rackServers(), words); }

MachineChoice machineOf(int index) {
    const ClusterTemplate machine = namedMachines().at(static_cast<std::size_t>(index));
    return choiceOf(PalettePart::machine, qtText(machine.title), oneOf(machine));
}

MachineChoice rackOf(int index, int servers) {
    const ClusterTemplate server = rackServers().at(static_cast<std::size_t>(index));
    Cluster rack = stagecraft::generation::rackOf(server, servers);
    const QString name = qtText(rack.name);
    return choiceOf(PalettePart::rack, name, std::move(rack));
}

}  // namespace stagecraft::views
