#pragma once

#include "core/model/cluster.h"
#include "views/topology/palette_part.h"
#include "views/topology/pick_popup.h"

#include <QSizeF>
#include <QString>

#include <memory>
#include <vector>

namespace stagecraft::views {

/// A machine that people know by its name, to be put onto the canvas as a whole.
struct MachineChoice {
    PalettePart part = PalettePart::machine;
    QString name;                            ///< "DGX H100 (HGX H100)"
    std::shared_ptr<const Cluster> cluster;  ///< one of it; null: none is chosen
    QSizeF size;                             ///< as it is drawn, scene units
};

/// Whether every word is in the text, in capitals or not.
bool hasWords(const QString& text, const QString& words);

/// Machines whose name or description has every word, in the order in which templates offer them.
std::vector<PickEntry> machinesFor(const QString& words);
/// Those servers that racks are made of.
std::vector<PickEntry> rackServersFor(const QString& words);
/// The machine that an entry stands for.
MachineChoice machineOf(int index);
/// A rack of so many of the server that an entry represents.
MachineChoice rackOf(int index, int servers);

}  // namespace stagecraft::views
