#pragma once

#include "core/model/cluster.h"

#include <QSizeF>
#include <QString>

#include <memory>
#include <vector>

namespace stagecraft::views {

/// A machine that people know by its name, to be put onto the canvas as a whole.
struct MachineChoice {
    QString name;                            ///< "DGX H100 (HGX H100)"
    QString what;                            ///< a sentence or two
    std::shared_ptr<const Cluster> cluster;  ///< one of it; null: none is chosen
    QSizeF size;                             ///< as it is drawn, scene units
};

/// Those whose name or description has every word of the text, in the order in which templates offer them;
/// without their clusters.
std::vector<MachineChoice> machinesFor(const QString& text);
/// The machine of that name with its cluster.
MachineChoice machineNamed(const QString& name);

}  // namespace stagecraft::views
