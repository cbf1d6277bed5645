#include "core/editing/profile_delta.h"

#include <algorithm>

namespace stagecraft::editing {

namespace {

template <class T>
StretchDelta<T> stretchDelta(const std::vector<T>& before, const std::vector<T>& after) {
    StretchDelta<T> delta;
    if (before.size() == after.size()) {
        for (std::size_t i = 0; i < before.size(); ++i)
            if (!(before[i] == after[i])) delta.changed.push_back({i, before[i], after[i]});
        return delta;
    }
    const std::size_t shorter = std::min(before.size(), after.size());
    while (delta.at < shorter && before[delta.at] == after[delta.at]) ++delta.at;
    std::size_t same = 0;
    while (same < shorter - delta.at && before[before.size() - 1 - same] == after[after.size() - 1 - same])
        ++same;
    const auto stretch = [&](const std::vector<T>& list) {
        return std::vector<T>(list.begin() + static_cast<std::ptrdiff_t>(delta.at),
                              list.end() - static_cast<std::ptrdiff_t>(same));
    };
    delta.before = stretch(before);
    delta.after = stretch(after);
    return delta;
}

template <class T>
void exchange(std::vector<T>& list, const StretchDelta<T>& delta, bool forward) {
    for (const auto& change : delta.changed) list[change.index] = forward ? change.after : change.before;
    const std::vector<T>& out = forward ? delta.before : delta.after;
    const std::vector<T>& in = forward ? delta.after : delta.before;
    const auto at = list.begin() + static_cast<std::ptrdiff_t>(delta.at);
    const auto place = list.erase(at, at + static_cast<std::ptrdiff_t>(out.size()));
    list.insert(place, in.begin(), in.end());
}

template <class T>
std::optional<ProfileDelta::Field<T>> changedField(const T& before, const T& after) {
    if (before == after) return std::nullopt;
    return ProfileDelta::Field<T>{before, after};
}

template <class T>
void exchange(T& field, const std::optional<ProfileDelta::Field<T>>& delta, bool forward) {
    if (delta) field = forward ? delta->after : delta->before;
}

void exchange(LayerProfile& profile, const ProfileDelta& delta, bool forward) {
    exchange(profile.layers, delta.layers, forward);
    exchange(profile.edges, delta.edges, forward);
    exchange(profile.otherSizes, delta.otherSizes, forward);
    exchange(profile.operators.nodes, delta.nodes, forward);
    exchange(profile.operators.edges, delta.nodeEdges, forward);
    exchange(profile.operators.layerOf, delta.layerOf, forward);
    exchange(profile.name, delta.name, forward);
    exchange(profile.source, delta.source, forward);
    exchange(profile.microbatchSize, delta.microbatchSize, forward);
    exchange(profile.causalSequence, delta.causalSequence, forward);
    exchange(profile.roofline, delta.roofline, forward);
    exchange(profile.divisible, delta.divisible, forward);
    exchange(profile.elementBytes, delta.elementBytes, forward);
    exchange(profile.peakFlops, delta.peakFlops, forward);
}

}  // namespace

bool ProfileDelta::isEmpty() const {
    return layers.isEmpty() && nodes.isEmpty() && edges.isEmpty() && nodeEdges.isEmpty() &&
           layerOf.isEmpty() && otherSizes.isEmpty() && !name && !source && !microbatchSize &&
           !causalSequence && !elementBytes && !roofline && !divisible && !peakFlops;
}

void ProfileDelta::apply(LayerProfile& profile) const { exchange(profile, *this, true); }
void ProfileDelta::revert(LayerProfile& profile) const { exchange(profile, *this, false); }

ProfileDelta profileDelta(const LayerProfile& before, const LayerProfile& after) {
    return {stretchDelta(before.layers, after.layers),
            stretchDelta(before.operators.nodes, after.operators.nodes),
            stretchDelta(before.edges, after.edges),
            stretchDelta(before.operators.edges, after.operators.edges),
            stretchDelta(before.operators.layerOf, after.operators.layerOf),
            stretchDelta(before.otherSizes, after.otherSizes),
            changedField(before.name, after.name),
            changedField(before.source, after.source),
            changedField(before.microbatchSize, after.microbatchSize),
            changedField(before.causalSequence, after.causalSequence),
            changedField(before.roofline, after.roofline),
            changedField(before.elementBytes, after.elementBytes),
            changedField(before.divisible, after.divisible),
            changedField(before.peakFlops, after.peakFlops)};
}

}  // namespace stagecraft::editing
