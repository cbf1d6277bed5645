#pragma once

#include "core/model/layer_profile.h"

#include <optional>

namespace stagecraft::editing {

/// What differs between two lists: single entries if they are equally long, else a stretch.
template <class T>
struct StretchDelta {
    struct Change {
        std::size_t index = 0;
        T before, after;
    };
    std::vector<Change> changed;
    std::size_t at = 0;            ///< where the stretch begins
    std::vector<T> before, after;  ///< the stretch
    bool isEmpty() const { return changed.empty() && before.empty() && after.empty(); }
};

/// What differs between two profiles, as large as the difference: a step of an undo stack without limit.
struct ProfileDelta {
    template <class T>
    struct Field {
        T before, after;
    };
    StretchDelta<Layer> layers, nodes;
    StretchDelta<LayerEdge> edges, nodeEdges;
    StretchDelta<int> layerOf;
    StretchDelta<TimesAtSize> otherSizes;
    std::optional<Field<std::string>> name, source;
    std::optional<Field<int>> microbatchSize;
    std::optional<Field<std::optional<bool>>> causalSequence;
    std::optional<Field<std::vector<RooflineTerm>>> roofline;
    std::optional<Field<std::optional<int>>> elementBytes;
    std::optional<Field<DivisibleParts>> divisible;
    std::optional<Field<std::optional<double>>> peakFlops;

    bool isEmpty() const;
    /// Changes the profile before into the one after. Applied to any other profile it does harm.
    void apply(LayerProfile& profile) const;
    /// The way back.
    void revert(LayerProfile& profile) const;
};

ProfileDelta profileDelta(const LayerProfile& before, const LayerProfile& after);

}  // namespace stagecraft::editing
