#include "core/cost/widest_switches.h"

#include "core/base/indices.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace stagecraft::cost {

namespace {

struct Joint {
    int a = 0, b = 0;
    double bandwidthBps = 0;
};

/// By falling width; those of equal width in their order.
std::vector<Joint> jointsOf(const NetworkHops& hops, int devices) {
    std::vector<Joint> joints;
    for (int node = devices; node < static_cast<int>(hops.size()); ++node)
        for (const NetworkHop& hop : hops[at(node)])
            if (hop.node > node) joints.push_back({node - devices, hop.node - devices, hop.bandwidthBps});
    std::ranges::stable_sort(joints, std::greater<>(), &Joint::bandwidthBps);
    return joints;
}

}  // namespace

WidestSwitches::WidestSwitches(const NetworkHops& hops, int devices)
    : devices_(devices), devicesAt_(at(devices)), switchesAt_(at(devices)) {
    for (int device = 0; device < devices; ++device) {
        for (const NetworkHop& hop : hops[at(device)])
            (hop.node < devices ? devicesAt_ : switchesAt_)[at(device)].push_back(
                {hop.node < devices ? hop.node : hop.node - devices, hop.bandwidthBps});
        for (auto* ends : {&devicesAt_[at(device)], &switchesAt_[at(device)]}) {
            std::ranges::sort(*ends, [](const End& a, const End& b) {
                return a.node != b.node ? a.node < b.node : a.bandwidthBps > b.bandwidthBps;
            });
            // Not std::ranges::unique: Clang 14, which fuzzing is built with, cannot compile GCC 12's.
            ends->erase(std::unique(ends->begin(), ends->end(),
                                    [](const End& a, const End& b) { return a.node == b.node; }),
                        ends->end());
        }
    }
    const std::size_t switches = hops.size() - at(devices);
    above_.assign(switches, -1);
    widthBps_.assign(switches, infinity);
    // Joins hang as low as can be: each is the top of all below it, found over shortened ways.
    std::vector<int> shortcut(switches);
    std::iota(shortcut.begin(), shortcut.end(), 0);
    const auto rootOf = [&](int node) {
        while (shortcut[at(node)] != node) node = shortcut[at(node)] = shortcut[at(shortcut[at(node)])];
        return node;
    };
    std::vector<int> topJoin(switches);  // by root of the shortcuts
    std::iota(topJoin.begin(), topJoin.end(), 0);
    std::vector<int> size(switches, 1);
    for (const Joint& joint : jointsOf(hops, devices)) {
        int a = rootOf(joint.a), b = rootOf(joint.b);
        if (a == b) continue;
        if (size[at(a)] < size[at(b)]) std::swap(a, b);
        shortcut[at(b)] = a;
        size[at(a)] += size[at(b)];
        int& top = topJoin[at(a)];
        const int lower = std::min(top, topJoin[at(b)]), upper = std::max(top, topJoin[at(b)]);
        // Joins of one width are one: ways up stay short where a switch has many links alike.
        if (upper >= static_cast<int>(switches) && widthBps_[at(upper)] == joint.bandwidthBps) {
            above_[at(lower)] = top = upper;
            continue;
        }
        const int join = static_cast<int>(above_.size());
        above_.push_back(-1);
        widthBps_.push_back(joint.bandwidthBps);
        above_[at(upper)] = above_[at(lower)] = top = join;
    }
    // Where both tops were of that width one hangs below the other: thousands in a row on large networks.
    for (std::size_t node = above_.size(); node-- > 0;) {
        const int upper = above_[node];
        if (upper < 0 || above_[at(upper)] < 0) continue;
        if (widthBps_[at(above_[at(upper)])] == widthBps_[at(upper)]) above_[node] = above_[at(upper)];
    }
}

int WidestSwitches::topOf(int node) const {
    while (above_[at(node)] >= 0) node = above_[at(node)];
    return node;
}

bool WidestSwitches::joinsAll() const {
    int top = -1;
    for (const std::vector<End>& ends : switchesAt_) {
        if (ends.empty()) return false;
        for (const End& end : ends) {
            const int own = topOf(end.node);
            if (top < 0) top = own;
            if (own == top) break;
            if (&end == &ends.back()) return false;
        }
    }
    return true;
}

double WidestSwitches::betweenSwitches(int a, int b) const {
    // Joins are numbered as they were made, so that the lower of two is never above the other.
    while (a != b) {
        int& lower = a < b ? a : b;
        lower = above_[at(lower)];
        if (lower < 0) return 0;
    }
    return widthBps_[at(a)];
}

double WidestSwitches::bandwidthBps(int a, int b) const {
    if (a == b) return infinity;
    const auto direct = std::ranges::lower_bound(devicesAt_[at(a)], b, {}, &End::node);
    double width = direct != devicesAt_[at(a)].end() && direct->node == b ? direct->bandwidthBps : 0;
    for (const End& from : switchesAt_[at(a)])
        for (const End& to : switchesAt_[at(b)])
            if (const double ends = std::min(from.bandwidthBps, to.bandwidthBps); ends > width)
                width = std::max(width, std::min(ends, betweenSwitches(from.node, to.node)));
    return width;
}

}  // namespace stagecraft::cost
