// Whether something can be planned on a large cluster, after one edit and another, against a search for
// mistakes that remembers nothing.
#include "core/editing/cluster_mistakes.h"
#include "core/model/problem.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace stagecraft {
namespace {

int upTo(int most) { return *rc::gen::inRange(0, most + 1); }

/// One switch with as many links as make it large.
Cluster largeStar() {
    Cluster cluster;
    cluster.switches.push_back({"switch", ""});
    for (int i = 0; i < 1100; ++i) {
        const std::string id = "g" + std::to_string(i);
        cluster.devices.push_back({id, "s", "V100", 1e9, 1, 0});
        cluster.links.push_back({id, "switch", 1e9, 0, "pcie", ""});
    }
    return cluster;
}

void editAnything(Cluster& cluster) {
    const auto place = static_cast<std::size_t>(upTo(static_cast<int>(cluster.devices.size()) - 1));
    Device& device = cluster.devices[place];
    Link& link = cluster.links[place];
    switch (upTo(10)) {
        case 0:
            link.bandwidthBps = 0;
            return;
        case 1:
            link.latencyS = -1;
            return;
        case 2:
            link.b = device.id;
            return;
        case 3:
            link.b = "g0";
            return;
        case 4:
            device.speed = 0;
            return;
        case 5:
            device.hostBandwidthBps = upTo(1) ? -1 : 1e9;
            return;
        case 6:
            device.id = "switch";
            return;
        case 7:
            cluster.switches[0].id = "other";
            return;
        default:
            link.bandwidthBps = 1e8 * (1 + upTo(9));
    }
}

RC_GTEST_PROP(PlannableCluster, IsToldAfterEditsAsFromNothing, ()) {
    Problem problem;
    problem.profile.layers.resize(1);
    problem.profile.layers[0] = {"layer", 1, 1, 1, 1, 1, 1};
    problem.cluster = largeStar();
    Problem fine = problem;
    RC_ASSERT(!whyUnplannable(problem));
    for (int edit = 0; edit < 12; ++edit) {
        editAnything(problem.cluster);
        const bool hostsAreFine =
            std::ranges::all_of(std::as_const(problem.cluster.devices),
                                [](const Device& device) { return device.hostBandwidthBps >= 0; });
        // A link that ends nowhere is a mistake, but may do no harm.
        const std::vector<ClusterMistake> mistakes = clusterMistakes(problem.cluster);
        const bool isFine = hostsAreFine && std::ranges::all_of(mistakes, [](const ClusterMistake& mistake) {
                                return mistake.kind == ClusterMistake::Kind::looseEnd;
                            });
        RC_ASSERT(whyUnplannable(problem).has_value() == !isFine);
        if (isFine)
            fine = problem;
        else if (upTo(1))
            problem = fine;
    }
}

}  // namespace
}  // namespace stagecraft
