#pragma once

#include "core/model/layer_profile.h"
#include "core/model/plan.h"

#include <vector>

namespace stagecraft::editing {

/// A network that changes while it trains, as architecture search does (vPipe Sec. 2.3).
struct NetworkEvent {
    enum class Kind { addLayers, removeLayers, scaleTimes };
    double atS = 0;
    Kind kind = Kind::addLayers;
    int stage = 0;      ///< of the partition to start from: its range grows, shrinks or is scaled
    int layers = 0;     ///< to add or to remove, at the end of the range
    double factor = 1;  ///< of the times, when they are scaled
    bool operator==(const NetworkEvent&) const = default;
};

struct NetworkScript {
    double durationS = 0;
    std::vector<NetworkEvent> events;  ///< ascending by time
    bool operator==(const NetworkScript&) const = default;
};

/// A network and ranges of its layers, one per stage, all layers covered in order.
struct StagedNetwork {
    LayerProfile profile;
    std::vector<Stage> stages;
};

/// What was changed: a stretch of layers that came or went. Of another partition it shifts the bounds.
struct LayerShift {
    int at = 0;     ///< the first that came or went
    int count = 0;  ///< negative: they went
};

/// Adds copies of a stage's last layers after them, removes its last layers, or scales its times.
/// @throws std::invalid_argument a sentence, if there is no such stage or too few layers in it
LayerShift applyEvent(StagedNetwork& network, const NetworkEvent& event);

/// The same partition after layers came or went; every stage keeps a layer at least.
std::vector<Stage> shifted(std::vector<Stage> stages, const LayerShift& shift, int layersAfter);

}  // namespace stagecraft::editing
