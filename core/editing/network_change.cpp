#include "core/editing/network_change.h"

#include "core/editing/profile_edit.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace stagecraft::editing {

namespace {

std::string count(int layers) { return std::to_string(layers) + (layers == 1 ? " layer" : " layers"); }

LayerShift add(StagedNetwork& network, const Stage& stage, int layers) {
    std::vector<Layer> copies;
    const int size = stage.layerCount();
    for (int copy = layers - 1; copy >= 0; --copy)
        copies.push_back(network.profile.layers[static_cast<std::size_t>(stage.lastLayer - copy % size)]);
    network.profile = insertLayers(network.profile, stage.lastLayer + 1, copies);
    return {stage.lastLayer + 1, layers};
}

LayerShift remove(StagedNetwork& network, const Stage& stage, int layers) {
    if (layers >= stage.layerCount())
        throw std::invalid_argument(count(layers) + " cannot be removed from a stage of " +
                                    std::to_string(stage.layerCount()) + "; one at least has to stay");
    std::vector<int> gone(static_cast<std::size_t>(layers));
    std::iota(gone.begin(), gone.end(), stage.lastLayer - layers + 1);
    network.profile = deleteLayers(network.profile, gone);
    return {stage.lastLayer - layers + 1, -layers};
}

}  // namespace

LayerShift applyEvent(StagedNetwork& network, const NetworkEvent& event) {
    if (event.stage < 0 || event.stage >= static_cast<int>(network.stages.size()))
        throw std::invalid_argument("no stage " + std::to_string(event.stage) + "; there are " +
                                    std::to_string(network.stages.size()));
    const Stage stage = network.stages[static_cast<std::size_t>(event.stage)];
    LayerShift shift;
    switch (event.kind) {
        case NetworkEvent::Kind::addLayers:
            shift = add(network, stage, event.layers);
            break;
        case NetworkEvent::Kind::removeLayers:
            shift = remove(network, stage, event.layers);
            break;
        case NetworkEvent::Kind::scaleTimes: {
            std::vector<int> layers(static_cast<std::size_t>(stage.layerCount()));
            std::iota(layers.begin(), layers.end(), stage.firstLayer);
            network.profile = scaleLayers(network.profile, layers, ProfileNumbers::times, event.factor);
            break;
        }
    }
    network.stages = shifted(std::move(network.stages), shift, network.profile.layerCount());
    return shift;
}

std::vector<Stage> shifted(std::vector<Stage> stages, const LayerShift& shift, int layersAfter) {
    const int n = static_cast<int>(stages.size());
    for (int s = 1; s < n; ++s) {
        Stage& stage = stages[static_cast<std::size_t>(s)];
        // What is added is at the end of the stage before; what goes leaves a bound where it was.
        if (stage.firstLayer >= shift.at)
            stage.firstLayer = std::max(shift.at, stage.firstLayer + shift.count);
        const int before = stages[static_cast<std::size_t>(s) - 1].firstLayer;
        stage.firstLayer = std::min(std::max(stage.firstLayer, before + 1), layersAfter - (n - s));
    }
    for (int s = 0; s < n; ++s)
        stages[static_cast<std::size_t>(s)].lastLayer =
            (s + 1 < n ? stages[static_cast<std::size_t>(s) + 1].firstLayer : layersAfter) - 1;
    return stages;
}

}  // namespace stagecraft::editing
