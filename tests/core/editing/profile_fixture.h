#pragma once

#include "core/graph/grouping.h"
#include "tests/support/every_room.h"
#include "core/model/layer_profile.h"

#include <rapidcheck.h>

namespace stagecraft {

inline Layer anyLayer(const std::string& name) {
    const auto number = [](int most) { return double(*rc::gen::inRange(0, most)); };
    Layer layer{name, number(5), number(8), number(100), number(9), number(9), number(40), 0};
    layer.weightGradientS = layer.backwardS / 2;
    if (*rc::gen::arbitrary<bool>()) {
        layer.storedParts = {{ActivationCause::input, layer.storedActivationBytes / 4},
                             {ActivationCause::scores, layer.storedActivationBytes * 0.75}};
        layer.scoresRecomputeS = layer.forwardS / 2;
        layer.expertParameterBytes = layer.parameterBytes / 4;
    }
    if (*rc::gen::arbitrary<bool>()) layer.flops = number(50);
    return layer;
}

/// A chain or a graph, with or without the nodes that its layers were made of, and times at up to two more
/// sizes.
inline LayerProfile anyProfile() {
    LayerProfile profile;
    profile.microbatchSize = 4;
    for (int terms = *rc::gen::inRange(0, 3); terms > 0; --terms)
        profile.roofline.push_back({1.0 * *rc::gen::inRange(0, 4), 1.0 * terms});
    if (*rc::gen::arbitrary<bool>()) profile.peakFlops = 1.0 + *rc::gen::inRange(0, 9);
    const bool hasNodes = *rc::gen::arbitrary<bool>();
    const int count = *rc::gen::inRange(1, 9);
    std::vector<LayerEdge> edges;
    for (int to = 1; to < count; ++to)
        for (int from = 0; from < to; ++from)
            if (from == to - 1 || *rc::gen::inRange(0, 4) == 0) edges.push_back({from, to});
    std::vector<Layer> items;
    for (int i = 0; i < count; ++i) items.push_back(anyLayer("n" + std::to_string(i)));
    if (hasNodes) {
        profile.operators = {items, edges, std::vector<int>(items.size(), 0)};
        std::vector<int> cuts;
        for (int node = 0; node < count; ++node)
            if (*rc::gen::arbitrary<bool>() || node + 1 == count) cuts.push_back(node);
        groupOperators(profile, cuts);
    } else {
        profile.layers = items;
        profile.edges = edges;
        if (profile.isChain()) profile.edges.clear();
    }
    for (int size = 8; size < *rc::gen::element(8, 9, 17); size *= 2) {
        TimesAtSize other{size, {}};
        for (const Layer& layer : profile.layers)
            other.layers.push_back({layer.forwardS * 1.5, layer.backwardS * 1.5, layer.weightGradientS});
        profile.otherSizes.push_back(other);
    }
    return profile;
}

}  // namespace stagecraft
