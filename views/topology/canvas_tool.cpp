#include "views/topology/canvas_tool.h"

#include "core/generation/machines.h"
#include "core/generation/template_catalogue.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/topology/topology_scene.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace stagecraft::views::topology {

const std::vector<PaletteEntry>& paletteEntries() {
    const auto tr = [](const char* text) { return QCoreApplication::translate("Palette", text); };
    static const std::vector<PaletteEntry> entries = {
        {PalettePart::gpu, "gpu", "gpu", tr("GPU"), tr("inside a server, or as its own server")},
        {PalettePart::server, "server", "server", tr("server"), tr("four GPUs on a PCIe switch")},
        {PalettePart::pcieSwitch, "pcieSwitch", "switch-pcie", tr("PCIe switch"), tr("inside a server")},
        {PalettePart::nvSwitch, "nvSwitch", "switch-nv", tr("NVSwitch"), tr("inside a server")},
        {PalettePart::networkSwitch, "networkSwitch", "switch-network", tr("network switch"),
         tr("between servers")},
        {PalettePart::socket, "socket", "socket", tr("CPU socket"),
         tr("inside a server, above PCIe switches")},
        {PalettePart::nic, "nic", "nic", tr("network card"),
         tr("inside a server, where links to others leave")},
        {PalettePart::machine, "machine", "search", tr("named server"),
         tr("DGX H100, MI300X, a rack of GB200 and others")},
        {PalettePart::rack, "rack", "rack", tr("rack"), tr("equal servers below a top-of-rack switch")},
    };
    return entries;
}

const PaletteEntry& paletteEntry(PalettePart part) {
    return *std::find_if(paletteEntries().begin(), paletteEntries().end(),
                         [part](const PaletteEntry& entry) { return entry.part == part; });
}

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

bool CanvasTool::setPlacing(std::optional<PalettePart> part) {
    if (part == placing_ && !linking_) return false;
    linking_ = false;
    placing_ = part;
    preview_.reset();
    return true;
}

bool CanvasTool::setPlacing(MachineChoice machine) {
    machine_ = std::move(machine);
    placing_.reset();
    return setPlacing(machine_.part);
}

bool CanvasTool::setLinking(bool linking) {
    if (linking == linking_ && !placing_) return false;
    placing_.reset();
    preview_.reset();
    linking_ = linking;
    return true;
}

void CanvasTool::paint(QPainter& painter, const TopologyScene& scene, const Viewport& viewport) const {
    if (!preview_) return;
    const auto& [part, at] = *preview_;
    QColor fill = Theme::current().accent;
    fill.setAlpha(40);
    painter.setPen(QPen(Theme::current().accent, 1.5, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    const QPointF middle = viewport.toScene(at);
    const int server = scene.serverAt(middle);
    const bool joins =
        part != PalettePart::server && part != PalettePart::networkSwitch && !isChosenByName(part);
    if (server >= 0 && joins)
        painter.drawRoundedRect(
            viewport.toScreen(scene.layout().servers[static_cast<std::size_t>(server)].box), 8, 8);
    painter.setBrush(fill);
    const QRectF box = viewport.toScreen(outline(part, middle));
    painter.drawRoundedRect(box, 6, 6);
    painter.setPen(Theme::current().text);
    const bool named = isChosenByName(part) && placing_ == part;
    painter.drawText(box, Qt::AlignCenter, named ? machine_.name : paletteEntry(part).name);
}

QRectF CanvasTool::outline(PalettePart part, QPointF middle) const {
    QRectF outline(QPointF(), switchSize);
    if (part == PalettePart::gpu) outline.setSize(tileSize);
    if (part == PalettePart::server) outline.setSize(QSizeF(556, 180));
    // One that is dragged from the palette has no name yet.
    if (isChosenByName(part)) outline.setSize(placing_ == part ? machine_.size : QSizeF(556, 180));
    outline.moveCenter(middle);
    return outline;
}

}  // namespace stagecraft::views::topology
