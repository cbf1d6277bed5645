#include "core/editing/cluster_mistakes.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace stagecraft
