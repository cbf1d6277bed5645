#pragma once

#include "core/model/plan.h"
#include "views/rooms.h"

#include <QString>

namespace stagecraft::views::profile {

/// A stretch of layers and the stages that hold it: one, or one per pipeline copy that has the same cuts.
struct StageSpan {
    int firstLayer = 0;
    int lastLayer = 0;
    std::vector<int> stages;

    QString label() const;  ///< "S0", "S0, S4", "S0, S4, S8 …"
};

/// One cut of the network into stages, in the order of the layers.
using StageRibbon = std::vector<StageSpan>;

/// The different ways in which the pipelines of a plan cut the network, each once.
std::vector<StageRibbon> stageRibbons(const Plan& plan);
/// Layers at which a stage other than the first begins, ascending, over all pipelines.
std::vector<int> stageBoundaries(const Plan& plan);
/// The stages that hold a layer, ascending.
std::vector<int> stagesOfLayer(const Plan& plan, int layer);

}  // namespace stagecraft::views::profile
