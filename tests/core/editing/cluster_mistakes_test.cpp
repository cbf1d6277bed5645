#include "core/editing/cluster_mistakes.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace stagecraft {
namespace {

using Mistake = ClusterMistake::Kind;
using Place = ClusterMistake::Place;

Cluster pair() {
    Cluster cluster;
    cluster.devices = {{"a", "s0", "", 1e9, 1, 0}, {"b", "s0", "", 1e9, 1, 0}};
    cluster.switches = {{"hub", ""}};
    cluster.links = {{"a", "hub", 1e9, 0, "", ""}, {"b", "hub", 1e9, 0, "", ""}};
    return cluster;
}

/// The only mistake of a cluster.
ClusterMistake only(const Cluster& cluster) {
    const std::vector<ClusterMistake> found = clusterMistakes(cluster);
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? ClusterMistake{} : found.front();
}

void expectAt(const ClusterMistake& mistake, Mistake kind, Place place, int index) {
    EXPECT_EQ(mistake.kind, kind) << mistake.text;
    EXPECT_EQ(mistake.place, place) << mistake.text;
    EXPECT_EQ(mistake.index, index) << mistake.text;
}

TEST(ClusterMistakes, AGoodClusterAndAnEmptyOneHaveNone) {
    EXPECT_TRUE(clusterMistakes(pair()).empty());
    EXPECT_TRUE(clusterMistakes({}).empty());
}

TEST(ClusterMistakes, ASecondThingOfOneIdIsFoundWhereItStands) {
    Cluster cluster = pair();
    cluster.switches.push_back({"a", ""});
    expectAt(only(cluster), Mistake::sharedId, Place::switchNode, 1);
}

TEST(ClusterMistakes, LinksAreChecked) {
    Cluster cluster = pair();
    cluster.links.push_back({"b", "b", 1e9, 0, "", ""});
    expectAt(only(cluster), Mistake::selfLink, Place::link, 2);
    cluster.links.back() = {"a", "b", 0, 0, "", ""};
    expectAt(only(cluster), Mistake::bandwidth, Place::link, 2);
    cluster.links.back() = {"a", "b", NAN, 0, "", ""};
    expectAt(only(cluster), Mistake::bandwidth, Place::link, 2);
    cluster.links.back() = {"a", "b", 1e-300, 0, "", ""};
    expectAt(only(cluster), Mistake::bandwidth, Place::link, 2);
    EXPECT_NE(only(cluster).text.find("from 1e-12 to 1e+30 B/s"), std::string::npos) << only(cluster).text;
    cluster.links.back() = {"a", "nobody", 1e9, 0, "", ""};
    expectAt(only(cluster), Mistake::looseEnd, Place::link, 2);
    cluster.links.back() = {"a", "b", 1e9, -1, "", ""};
    expectAt(only(cluster), Mistake::number, Place::link, 2);
}

TEST(ClusterMistakes, EachPartThatNothingReachesIsOne) {
    Cluster cluster = pair();
    cluster.devices.insert(cluster.devices.begin(), {"alone", "s1", "", 1e9, 1, 0});
    expectAt(only(cluster), Mistake::unreachable, Place::device, 0);
    cluster.links[0].bandwidthBps = 0;  // nothing reaches anything now
    EXPECT_EQ(clusterMistakes(cluster).size(), 3u);
}

TEST(ClusterMistakes, ASpeedOfZeroIsOne) {
    Cluster cluster = pair();
    cluster.devices[1].speed = 0;
    expectAt(only(cluster), Mistake::number, Place::device, 1);
}

RC_GTEST_PROP(ClusterMistakes, AnEditAfterWhichThereAreStillNoneIsToldWithoutASearch, ()) {
    const auto number = [] {
        return *rc::gen::weightedElement<double>({{8, 1.0}, {8, 2e9}, {1, 0.0}, {1, -1.0}, {1, INFINITY}});
    };
    const auto id = [] { return *rc::gen::element<std::string>("a", "b", "hub", "hub", "nobody"); };
    const auto now = [] { return *rc::gen::arbitrary<bool>(); };
    Cluster before = pair();
    before.links.push_back({"a", "b", 2e9, 1, "", ""});
    RC_ASSERT(clusterMistakes(before).empty());
    Cluster after = before;
    for (Device& device : after.devices) {
        if (now()) device.speed = number();
        if (now()) device.memoryBytes = number();
    }
    for (Link& link : after.links) {
        if (now()) link.bandwidthBps = number();
        if (now()) link.latencyS = number();
    }
    if (now()) after.links[0].kind = "nvlink";
    switch (*rc::gen::inRange(0, 8)) {
        case 0:
            after.devices[1].id = id();
            break;
        case 1:
            after.switches[0].id = id();
            break;
        case 2:
            after.links[2].a = id();
            break;
        case 3:
            after.links[0].b = id();
            break;
        case 4:
            after.links.pop_back();
            break;
        default:
            RC_ASSERT(areJoinedAlike(after, before));
    }
    const bool hasNone = clusterMistakes(after).empty();
    RC_TAG(hasNone, areJoinedAlike(after, before));
    if (areJoinedAlike(after, before)) RC_ASSERT(isStillWithoutMistakes(after, before) == hasNone);
    if (isStillWithoutMistakes(after, before)) RC_ASSERT(hasNone);
}

}  // namespace
}  // namespace stagecraft
