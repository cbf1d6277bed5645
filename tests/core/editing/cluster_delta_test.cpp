#include "core/editing/cluster_delta.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace stagecraft {
namespace {

Cluster row(int devices) {
    Cluster cluster;
    for (int i = 0; i < devices; ++i) {
        cluster.devices.push_back({"g" + std::to_string(i), "s0", "V100", 16e9, 1, 12e9});
        cluster.layout[cluster.devices.back().id] = {i * 10.0, 0};
    }
    cluster.switches = {{"hub", "s0"}};
    for (const Device& device : cluster.devices)
        cluster.links.push_back({device.id, "hub", 12e9, 0, "pcie", ""});
    return cluster;
}

/// A cluster with few ids, so that they repeat and lists often share entries.
Cluster anyCluster() {
    Cluster cluster;
    const auto id = [] { return "n" + std::to_string(*rc::gen::inRange(0, 5)); };
    for (int i = *rc::gen::inRange(0, 7); i > 0; --i)
        cluster.devices.push_back({id(), "s", "", *rc::gen::inRange(0, 2) * 1e9, 1, 0});
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) cluster.switches.push_back({id(), ""});
    for (int i = *rc::gen::inRange(0, 9); i > 0; --i)
        cluster.links.push_back({id(), id(), *rc::gen::inRange(0, 3) * 1e9, 0, "", ""});
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
        cluster.layout[id()] = {*rc::gen::inRange(0, 2) * 1.0, 0};
    cluster.name = id();
    return cluster;
}

RC_GTEST_PROP(ClusterDelta, LeadsFromAnyClusterToAnyOtherAndBack, ()) {
    const Cluster before = anyCluster(), after = anyCluster();
    const ClusterDelta delta = clusterDelta(before, after);
    Cluster cluster = before;
    delta.apply(cluster);
    RC_ASSERT(cluster == after);
    delta.revert(cluster);
    RC_ASSERT(cluster == before);
    RC_ASSERT(delta.isEmpty() == (before == after));
}

TEST(ClusterDelta, IsAsLargeAsTheDifference) {
    const Cluster before = row(1000);
    Cluster after = before;
    after.devices.erase(after.devices.begin() + 500);
    after.links.erase(after.links.begin() + 500);
    after.layout.erase("g500");
    after.links[2].bandwidthBps = 1e9;
    after.devices.push_back({"new", "s1", "", 1e9, 1, 0});
    const ClusterDelta delta = clusterDelta(before, after);
    EXPECT_EQ(delta.devices.removed.size(), 1u);
    EXPECT_EQ(delta.devices.inserted.size(), 1u);
    EXPECT_EQ(delta.links.removed.size(), 1u);
    EXPECT_EQ(delta.links.changed.size(), 1u);
    EXPECT_EQ(delta.links.inserted.size(), 0u);
    EXPECT_EQ(delta.layout.size(), 1u);
}

TEST(ClusterDelta, ConcernsPlansOnlyWhereAPlannerLooks) {
    const Cluster before = row(4);
    const auto concerns = [&](const auto& change) {
        Cluster after = before;
        change(after);
        return clusterDelta(before, after).concernsPlans();
    };
    EXPECT_FALSE(concerns([](Cluster& c) { c.layout["g1"] = {5, 5}; }));
    EXPECT_FALSE(concerns([](Cluster& c) { c.name = "other"; }));
    EXPECT_FALSE(concerns([](Cluster& c) { c.devices[1].gpu = "A100"; }));
    EXPECT_FALSE(concerns([](Cluster& c) { c.links[1].kind = "nvlink"; }));
    EXPECT_TRUE(concerns([](Cluster& c) { c.links[1].bandwidthBps = 1; }));
    EXPECT_TRUE(concerns([](Cluster& c) { c.links[1].latencyS = 1; }));
    EXPECT_TRUE(concerns([](Cluster& c) { c.devices[1].speed = 2; }));
    EXPECT_TRUE(concerns([](Cluster& c) { c.devices[1].server = "s1"; }));
    EXPECT_TRUE(concerns([](Cluster& c) { c.devices[1].id = "renamed"; }));
    EXPECT_TRUE(concerns([](Cluster& c) { c.links.pop_back(); }));
}

TEST(ClusterDelta, DevicesAreFollowedById) {
    using Ids = std::vector<std::string>;
    EXPECT_EQ(followDevices({"a", "b", "c"}, {"c", "a"}), (std::vector<int>{1, -1, 0}));
    EXPECT_EQ(followDevices({"a", "b"}, {"b", "a"}), (std::vector<int>{1, 0}));
    EXPECT_EQ(followDevices({"a", "b"}, {"a", "renamed"}), (std::vector<int>{0, 1}));
    EXPECT_EQ(followDevices({"a", "a", "b"}, {"x", "a", "a", "b"}), (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(followDevices({"a"}, Ids{}), std::vector<int>{-1});
}

}  // namespace
}  // namespace stagecraft
