#include "core/editing/cluster_rebase.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace stagecraft {
namespace {

Cluster servers(int count, double bps) {
    Cluster cluster{.name = "imported", .source = "text"};
    for (int server = 0; server < count; ++server) {
        const std::string name = "s" + std::to_string(server);
        for (int gpu = 0; gpu < 2; ++gpu)
            cluster.devices.push_back({name + "g" + std::to_string(gpu), name, "A", 16e9, 1, bps});
        cluster.switches.push_back({name + "cpu", name});
        for (int gpu = 0; gpu < 2; ++gpu)
            cluster.links.push_back(
                {name + "g" + std::to_string(gpu), name + "cpu", bps, 0, "pcie", "guess"});
    }
    return cluster;
}

/// A few edits as a person makes them.
Cluster edited(Cluster cluster) {
    const int edits = *rc::gen::inRange(0, 5);
    for (int edit = 0; edit < edits; ++edit) {
        const int what = *rc::gen::inRange(0, 5);
        const auto device = static_cast<std::size_t>(*rc::gen::inRange(0, cluster.deviceCount()));
        if (what == 0) cluster.devices[device].memoryBytes = *rc::gen::inRange(1, 5) * 1e9;
        if (what == 1 && !cluster.links.empty())
            cluster.links[device % cluster.links.size()].bandwidthBps = *rc::gen::inRange(1, 5) * 1e9;
        if (what == 2) cluster.devices.push_back({"added" + std::to_string(edit), "s0", "B", 1e9, 2, 0});
        if (what == 3) cluster.layout[cluster.devices[device].id] = {1.0 * edit, 2};
        if (what == 4 && cluster.deviceCount() > 1) {
            const std::string gone = cluster.devices[device].id;
            cluster.links.eraseIf([&](const Link& link) { return link.a == gone || link.b == gone; });
            cluster.layout.erase(gone);
            cluster.devices.erase(cluster.devices.begin() + static_cast<std::ptrdiff_t>(device));
        }
    }
    return cluster;
}

TEST(ClusterRebase, WithoutEditsItIsTheNewClusterAndWithoutNewsTheEditedOne) {
    EXPECT_TRUE(rc::check([] {
        const Cluster before = servers(*rc::gen::inRange(1, 4), 12e9);
        const Cluster after = servers(*rc::gen::inRange(1, 4), 24e9);
        RC_ASSERT(rebased(before, before, after) == after);
        const Cluster mine = edited(before);
        RC_ASSERT(rebased(before, mine, before) == mine);
    }));
}

TEST(ClusterRebase, EditsStayAndEverythingElseFollows) {
    EXPECT_TRUE(rc::check([] {
        const int count = *rc::gen::inRange(1, 4);
        const Cluster before = servers(count, 12e9), after = servers(count, 24e9), mine = edited(before);
        const Cluster both = rebased(before, mine, after);
        RC_ASSERT(both.layout == mine.layout);
        RC_ASSERT(both.devices.size() == mine.devices.size());
        for (std::size_t i = 0; i < mine.devices.size(); ++i) {
            RC_ASSERT(both.devices[i].id == mine.devices[i].id);
            RC_ASSERT(both.devices[i].memoryBytes == mine.devices[i].memoryBytes);
            const bool isOld = before.deviceIndex(mine.devices[i].id) >= 0;
            RC_ASSERT(both.devices[i].hostBandwidthBps == (isOld ? 24e9 : mine.devices[i].hostBandwidthBps));
        }
        RC_ASSERT(both.links.size() == mine.links.size());
        for (std::size_t i = 0; i < mine.links.size(); ++i)
            RC_ASSERT(both.links[i].bandwidthBps ==
                      (mine.links[i].bandwidthBps == 12e9 ? 24e9 : mine.links[i].bandwidthBps));
    }));
}

TEST(ClusterRebase, ServersComeAndGoBeneathAnEdit) {
    const Cluster one = servers(1, 12e9);
    Cluster mine = one, three = servers(3, 12e9);
    for (Device& device : three.devices) device.pricePerHour = 3;
    mine.devices[1].pricePerHour = 2;
    mine.devices[1].memoryBytes = 80e9;
    const Cluster grown = rebased(one, mine, three);
    EXPECT_EQ(grown.deviceCount(), 6);
    EXPECT_EQ(grown.devices[1].memoryBytes, 80e9);
    EXPECT_EQ(grown.devices[0].pricePerHour, 3);
    EXPECT_EQ(grown.devices[1].pricePerHour, 2);
    Cluster drawn = three;
    drawn.devices.push_back({"mine", "s9", "B", 1e9, 1, 0});
    drawn.links.push_back({"mine", "s2cpu", 1e9, 0, "pcie", ""});
    const Cluster shrunk = rebased(three, drawn, one);
    EXPECT_EQ(shrunk.deviceCount(), 3) << "what was drawn stays";
    EXPECT_EQ(shrunk.links.size(), 2u) << "its link led to a server that has gone";
}

}  // namespace
}  // namespace stagecraft
