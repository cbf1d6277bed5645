#include "core/editing/cluster_edit.h"

#include "core/editing/cluster_arrange.h"
#include "core/editing/cluster_delta.h"
#include "core/editing/cluster_mistakes.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace stagecraft {
namespace {

/// Two servers of two devices under a switch each, joined by a network switch.
Cluster pairOfServers() {
    Cluster cluster;
    for (const std::string server : {"s0", "s1"}) {
        for (const std::string gpu : {"g0", "g1"}) {
            cluster.devices.push_back({server + gpu, server, "V100", 16e9, 1, 12e9});
            cluster.links.push_back({server + gpu, server + "pcie0", 12e9, 0, "pcie", ""});
            cluster.layout[server + gpu] = {gpu == "g0" ? 0.0 : 140.0, server == "s0" ? 0.0 : 300.0};
        }
        cluster.switches.push_back({server + "pcie0", server});
        cluster.links.push_back({server + "pcie0", "network0", 12.5e9, 1e-6, "ethernet", ""});
    }
    cluster.switches.push_back({"network0", ""});
    return cluster;
}

TEST(ClusterEdit, WhatIsAddedHasIdsOfItsOwn) {
    Cluster cluster = pairOfServers();
    const int device = addDevice(cluster, cluster.devices[0], "s0", {7, 8});
    EXPECT_EQ(cluster.devices[static_cast<std::size_t>(device)].id, "s0g2");
    EXPECT_EQ(cluster.layout.at("s0g2"), (Point{7, 8}));
    const int lone = addDevice(cluster, {}, "", {0, 0});
    EXPECT_EQ(cluster.devices[static_cast<std::size_t>(lone)].server, "s2");
    const int node = addSwitch(cluster, "network", "", {0, 0});
    EXPECT_EQ(cluster.switches[static_cast<std::size_t>(node)].id, "network1");
}

TEST(ClusterEdit, RemovingTakesTheLinksThatHangOnIt) {
    Cluster cluster = pairOfServers();
    removePart(cluster, {{0}, {2}, {1}});
    EXPECT_EQ(cluster.devices.size(), 3u);
    EXPECT_EQ(cluster.switches.size(), 2u);
    EXPECT_FALSE(cluster.layout.contains("s0g0"));
    ASSERT_EQ(cluster.links.size(), 2u);
    EXPECT_EQ(cluster.links[0].a, "s1g0");
}

TEST(ClusterEdit, OfTwoThingsWithOneIdTheOtherKeepsTheLinks) {
    Cluster cluster = pairOfServers();
    cluster.devices.push_back(cluster.devices[0]);
    const std::size_t links = cluster.links.size();
    removePart(cluster, {{4}, {}, {}});
    EXPECT_EQ(cluster.links.size(), links);
    EXPECT_TRUE(cluster.layout.contains("s0g0"));
}

TEST(ClusterEdit, AServerIsDuplicatedWithEverythingInItAndItsUplinks) {
    Cluster cluster = pairOfServers();
    const ClusterPart server = serverPart(cluster, "s0");
    EXPECT_EQ(server.devices, (std::vector<int>{0, 1}));
    EXPECT_EQ(server.switches, std::vector<int>{0});
    const ClusterPart added = duplicatePart(cluster, server, {{100, 0}, {200, 0}, {300, 0}});
    EXPECT_EQ(added.devices.size(), 6u);
    EXPECT_EQ(added.switches.size(), 3u);
    EXPECT_EQ(added.links.size(), 9u);
    EXPECT_EQ(cluster.devices[4].id, "s2g0");
    EXPECT_EQ(cluster.devices[8].server, "s4");
    EXPECT_EQ(cluster.layout.at("s3g1"), (Point{340, 0}));
    EXPECT_TRUE(clusterMistakes(cluster).empty());
}

TEST(ClusterEdit, APartOfAServerIsDuplicatedInIt) {
    Cluster cluster = pairOfServers();
    duplicatePart(cluster, {{1}, {}, {}}, {{10, 0}});
    EXPECT_EQ(cluster.devices.back().id, "s0g2");
    EXPECT_EQ(cluster.devices.back().server, "s0");
    EXPECT_EQ(cluster.links.back().a, "s0g2");
    EXPECT_EQ(cluster.links.back().b, "s0pcie0");
}

TEST(ClusterEdit, WhatIsPastedIntoAServerIsCalledAsItsOwn) {
    Cluster cluster = pairOfServers();
    const ClusterPart added =
        insertCluster(cluster, extractPart(cluster, {{0}, {}, {}}), {0, 0}, {{"s0", "s1"}});
    EXPECT_EQ(cluster.devices[static_cast<std::size_t>(added.devices[0])].id, "s1g2");
}

TEST(ClusterEdit, WhatIsCutOutAndPastedIsTheSameUnderOtherNames) {
    Cluster cluster = pairOfServers();
    const Cluster fragment = extractPart(cluster, serverPart(cluster, "s1"));
    EXPECT_EQ(fragment.links.size(), 2u);
    Cluster empty;
    const ClusterPart added = insertCluster(empty, fragment, {10, 20});
    EXPECT_EQ(added.size(), 5u);
    EXPECT_EQ(empty.devices[0].id, "s0g0");
    EXPECT_EQ(empty.links[0].b, "s0pcie0");
    EXPECT_EQ(empty.layout.at("s0g0"), (Point{10, 320}));
}

TEST(ClusterEdit, MovingToAnotherServerLeavesNetworkSwitchesAlone) {
    Cluster cluster = pairOfServers();
    movePartToServer(cluster, {{0}, {0, 2}, {}}, "s1");
    EXPECT_EQ(cluster.devices[0].server, "s1");
    EXPECT_EQ(cluster.switches[0].server, "s1");
    EXPECT_EQ(cluster.switches[2].server, "");
}

TEST(ClusterEdit, IdsAndLinksFollowTheServer) {
    Cluster cluster = pairOfServers();
    const Point place = cluster.layout["s0g0"] = {3, 4};
    const std::size_t links = cluster.links.size();
    const auto leadTo = [&](const std::string& id) {
        return std::count_if(cluster.links.begin(), cluster.links.end(),
                             [&](const Link& link) { return link.a == id || link.b == id; });
    };
    const auto before = leadTo("s0g0");
    ASSERT_GT(before, 0);
    movePartToServer(cluster, {{0}, {0}, {}}, "s1");
    EXPECT_EQ(cluster.devices[0].id, "s1g2") << "the next that is free there";
    EXPECT_EQ(cluster.switches[0].id, "s1pcie1");
    EXPECT_EQ(cluster.layout.at("s1g2"), place);
    EXPECT_FALSE(cluster.layout.contains("s0g0"));
    EXPECT_EQ(leadTo("s1g2"), before);
    EXPECT_EQ(leadTo("s0g0"), 0);
    EXPECT_EQ(cluster.links.size(), links);
    moveApart(cluster, {{0, 1}, {0, 2}, {}});
    EXPECT_EQ(cluster.devices[0].id, "s2g2") << "s2 is the first server that is free, and so is the number";
    EXPECT_EQ(cluster.devices[1].server, "s3");
    EXPECT_EQ(cluster.switches[0].id, "s4pcie1");
    EXPECT_EQ(cluster.switches[2].server, "") << "a switch of the network";
    EXPECT_EQ(leadTo("s2g2"), before);
    // An id that somebody chose stays, and so does one that two have.
    cluster.devices[0].id = "mine";
    cluster.devices[1].id = cluster.devices[2].id = "s3g0";
    movePartToServer(cluster, {{0, 1}, {}, {}}, "s9");
    EXPECT_EQ(cluster.devices[0].id, "mine");
    EXPECT_EQ(cluster.devices[1].id, "s3g0");
    EXPECT_EQ(cluster.devices[1].server, "s9");
}

TEST(ClusterArrange, AlignsToTheEdgeOfAll) {
    const std::vector<DrawnBox> boxes = {{0, 0, 10, 10}, {30, 5, 20, 10}};
    EXPECT_EQ(alignment(boxes, Alignment::left), (std::vector<Point>{{0, 0}, {-30, 0}}));
    EXPECT_EQ(alignment(boxes, Alignment::right), (std::vector<Point>{{40, 0}, {0, 0}}));
    EXPECT_EQ(alignment(boxes, Alignment::centre), (std::vector<Point>{{20, 0}, {-15, 0}}));
    EXPECT_EQ(alignment(boxes, Alignment::top), (std::vector<Point>{{0, 0}, {0, -5}}));
    EXPECT_EQ(alignment(boxes, Alignment::bottom), (std::vector<Point>{{0, 5}, {0, 0}}));
    EXPECT_EQ(alignment(boxes, Alignment::middle), (std::vector<Point>{{0, 2.5}, {0, -2.5}}));
}

TEST(ClusterArrange, DistributesWithEqualGaps) {
    const std::vector<DrawnBox> boxes = {{0, 0, 10, 10}, {90, 0, 10, 10}, {12, 0, 20, 10}};
    EXPECT_EQ(distribution(boxes, ArrangeAxis::horizontal), (std::vector<Point>{{0, 0}, {0, 0}, {28, 0}}));
    EXPECT_EQ(distribution({boxes[0], boxes[1]}, ArrangeAxis::horizontal),
              (std::vector<Point>{{0, 0}, {0, 0}}));
}

ClusterPart anyPart(const Cluster& cluster) {
    const auto some = [](std::size_t count) {
        std::set<int> chosen;
        if (count)
            for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
                chosen.insert(*rc::gen::inRange(0, static_cast<int>(count)));
        return std::vector<int>(chosen.begin(), chosen.end());
    };
    return {some(cluster.devices.size()), some(cluster.switches.size()), some(cluster.links.size())};
}

void editSomehow(Cluster& cluster) {
    const auto names = serverNames(cluster);
    switch (*rc::gen::inRange(0, 9)) {
        case 0:
            addDevice(cluster, {"", "", "V100", 16e9, 1, 0}, names.empty() ? "" : names.back(), {1, 2});
            break;
        case 1:
            addSwitch(cluster, "pcie", names.empty() ? "" : names.front(), {3, 4});
            break;
        case 2:
            removePart(cluster, anyPart(cluster));
            break;
        case 3: {
            const ClusterPart part = anyPart(cluster);
            if (cluster.devices.size() < 60) duplicatePart(cluster, part, {{10, 0}, {20, 0}});
            break;
        }
        case 4:
            movePart(cluster, anyPart(cluster), {1, -1});
            break;
        case 5:
            if (cluster.devices.size() < 60) insertCluster(cluster, pairOfServers(), {5, 5});
            break;
        case 6:
            if (*rc::gen::arbitrary<bool>())
                movePartToServer(cluster, anyPart(cluster), "s1");
            else
                moveApart(cluster, anyPart(cluster));
            break;
        case 7:
            if (cluster.deviceCount() > 1)
                cluster.links.push_back({cluster.devices[0].id, cluster.devices[1].id, 1e9, 0, "", ""});
            break;
        default:
            if (!cluster.links.empty()) cluster.links.back().bandwidthBps *= 2;
    }
}

RC_GTEST_PROP(ClusterEdit, NeverMakesTwoThingsOfOneIdNorALooseEnd, ()) {
    Cluster cluster;
    for (int i = 0; i < 30; ++i) editSomehow(cluster);
    for (const ClusterMistake& mistake : clusterMistakes(cluster))
        RC_ASSERT(mistake.kind == ClusterMistake::Kind::unreachable);
    for (const auto& [id, place] : cluster.layout) {
        const bool isSwitch = std::any_of(cluster.switches.begin(), cluster.switches.end(),
                                          [&id = id](const Switch& node) { return node.id == id; });
        RC_ASSERT(isSwitch || cluster.deviceIndex(id) >= 0);
    }
}

RC_GTEST_PROP(ClusterEdit, AThousandEditsUndosAndRedosLeadWhereTheirReplayLeads, ()) {
    Cluster cluster;
    std::vector<Cluster> states = {cluster};  // what a replay of the first n edits gives
    std::vector<ClusterDelta> steps;
    std::size_t now = 0;
    for (int i = 0; i < 1000; ++i) {
        const int what = *rc::gen::inRange(0, 4);
        if (what == 0 && now > 0) {
            steps[--now].revert(cluster);
        } else if (what == 1 && now < steps.size()) {
            steps[now++].apply(cluster);
        } else if (what >= 2) {
            Cluster after = states[now];
            editSomehow(after);
            steps.resize(now);
            states.resize(now + 1);
            steps.push_back(clusterDelta(cluster, after));
            steps.back().apply(cluster);
            states.push_back(std::move(after));
            ++now;
        }
        RC_ASSERT(cluster == states[now]);
    }
}

}  // namespace
}  // namespace stagecraft
