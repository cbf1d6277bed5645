#include "core/cost/kind_sums.h"

#include <algorithm>

namespace stagecraft::cost {

namespace {

double allS(const LayerSums& sums) { return sums.own.forward.back() + sums.own.backward.back(); }

}  // namespace

KindSums::Own::Own(LayerProfile measured)
    : profile(std::move(measured)), whole(profile), groups(std::make_unique<GroupSums>()) {}

KindSums::KindSums(const LayerProfile& profile, GpuKinds kinds) : kinds_(std::move(kinds)) {
    const LayerSums reference(profile);
    for (const std::string& gpu : kinds_.gpus) {
        Own& own = own_.emplace_back(model::profileOn(profile, gpu));
        if (allS(reference) > 0 && allS(own.whole) > 0) own.speed = allS(reference) / allS(own.whole);
    }
}

std::shared_ptr<const KindSums> KindSums::of(const LayerProfile& profile, const Cluster& cluster) {
    model::GpuKinds kinds = model::gpuKinds(profile, cluster);
    if (kinds.areAlike()) return nullptr;
    return std::shared_ptr<const KindSums>(new KindSums(profile, std::move(kinds)));
}

const LayerSums& KindSums::sums(int kind, const Group& group, double imbalance) const {
    const Own& own = ownOf(kind);
    return group.dividesLayers() ? own.groups->of(own.profile, group, imbalance) : own.whole;
}

bool KindSums::haveSizes() const {
    return std::ranges::any_of(own_, [](const Own& own) { return !own.whole.bySize.empty(); });
}

}  // namespace stagecraft::cost
