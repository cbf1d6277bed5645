#include "core/model/problem_hash.h"

#include "core/base/digest.h"
#include "tests/support/every_room.h"

#include <gtest/gtest.h>

#include <set>

namespace stagecraft {
namespace {

std::string sha256(std::string_view text) {
    Sha256 hash;
    hash.add(text);
    return hash.hex();
}

Problem twoServers() {
    Problem problem;
    problem.profile.name = "net";
    problem.profile.microbatchSize = 4;
    problem.profile.layers = {
        {"a", 1, 2, 3, 4, 5, 0, 1}, {"b", 2, 3, 4, 5, 6, 4, 1.5}, {"c", 1, 1, 1, 1, 1, 5, 0}};
    Cluster& cluster = problem.cluster;
    cluster.devices = {{"s0g0", "s0", "V100", 16e9, 1, 12e9},
                       {"s0g1", "s0", "V100", 16e9, 1, 12e9},
                       {"s1g0", "s1", "V100", 16e9, 1, 12e9}};
    cluster.switches = {{"hub", ""}};
    for (const Device& device : cluster.devices)
        cluster.links.push_back({device.id, "hub", 12e9, 1e-6, "pcie", ""});
    problem.setup.microbatches = 8;
    return problem;
}

// FIPS 180-4's own examples, and lengths about the end of a block.
TEST(Digest, IsSha256) {
    EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    EXPECT_EQ(sha256(std::string(55, 'a')),
              "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
    EXPECT_EQ(sha256(std::string(64, 'a')),
              "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

TEST(Digest, DoesNotDependOnThePieces) {
    Sha256 pieces;
    for (const char* piece : {"ab", "", "c"}) pieces.add(piece);
    EXPECT_EQ(pieces.hex(), sha256("abc"));
}

// Plans of today's files are compared with hashes of tomorrow's program: these must never change.
TEST(ProblemHash, IsTheSameOnEveryMachineAndInEveryVersion) {
    const ProblemHash hash = hashOf(twoServers());
    EXPECT_EQ(hash.network, "31a9d1891324d40c0408465131fbe6b8");
    EXPECT_EQ(hash.profile, "092857ec39661dc916ec1742d1d50b97");
    EXPECT_EQ(hash.cluster, "3898fb84c0ab2469951b7e7727be4d86");
    EXPECT_EQ(hash.setup, "cd94028856bcd64ce7fefc7212a24dec");
}

TEST(ProblemHash, LeavesOutWhatPlannersDoNotLookAt) {
    const Problem before = twoServers();
    Problem after = before;
    after.profile.source = "measured";
    after.profile.layers[0].flops = 5;
    after.profile.peakFlops = 7;
    after.profile.edges = {{0, 1}, {1, 2}};  // the chain that it is
    after.profile.layers[0].backwardS = 2 + 0.0;
    after.profile.layers[0].storedActivationBytes = -0.0;
    after.cluster.name = "ours";
    after.cluster.layout["s0g0"] = {3, 4};
    after.cluster.source = "drawn";
    after.cluster.assumptions = {"none"};
    for (Device& device : after.cluster.devices) device.gpu = "H100";
    for (Device& device : after.cluster.devices) device.id = "gpu " + device.id;
    for (Device& device : after.cluster.devices) device.server += "-renamed";
    for (Link& link : after.cluster.links) {
        link.a = "gpu " + link.a;
        link.kind = "nvlink";
        link.source = "a table";
        std::swap(link.a, link.b);  // links have no direction
    }
    EXPECT_EQ(hashOf(after), hashOf(before));
}

TEST(ProblemHash, DiffersWithEverythingThatPlannersLookAt) {
    using Change = void (*)(Problem&);
    const std::vector<Change> changes = {
        [](Problem& p) { p.profile.microbatchSize = 5; },
        [](Problem& p) { p.profile.layers[1].forwardS *= 1 + 1e-15; },
        [](Problem& p) { p.profile.layers[1].backwardS = 9; },
        [](Problem& p) { p.profile.layers[1].parameterBytes = 9; },
        [](Problem& p) { p.profile.layers[1].outputBytes = 9; },
        [](Problem& p) { p.profile.layers[1].outputGradientBytes = 9; },
        [](Problem& p) { p.profile.layers[1].storedActivationBytes = 9; },
        [](Problem& p) { p.profile.layers[1].weightGradientS = 1; },
        [](Problem& p) {
            p.profile.layers[1].storedParts = {{ActivationCause::other, 0}};
        },
        [](Problem& p) {
            p.profile.layers[1].storedParts = {{ActivationCause::input, 0}};
        },
        [](Problem& p) { p.profile.layers[1].scoresRecomputeS = 0.5; },
        [](Problem& p) { p.profile.layers[1].expertParameterBytes = 0.5; },
        [](Problem& p) {
            p.profile.edges = {{0, 1}, {0, 2}};
        },
        [](Problem& p) { p.profile.layers.pop_back(); },
        [](Problem& p) {
            p.profile.otherSizes = {{1, {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}}};
        },
        [](Problem& p) {
            p.profile.operators = {p.profile.layers, {{0, 1}, {1, 2}}, {0, 1, 2}};
        },
        [](Problem& p) { p.cluster.devices[0].memoryBytes = 1; },
        [](Problem& p) { p.cluster.devices[0].speed = 2; },
        [](Problem& p) { p.cluster.devices[0].hostBandwidthBps = 1; },
        [](Problem& p) { p.cluster.devices[0].server = "s1"; },
        [](Problem& p) { p.cluster.devices.pop_back(); },
        [](Problem& p) {
            p.cluster.switches.push_back({"other", ""});
        },
        [](Problem& p) { p.cluster.links[0].bandwidthBps = 1; },
        [](Problem& p) { p.cluster.links[0].latencyS = 1; },
        [](Problem& p) { p.cluster.links[0].b = "s0g1"; },
        [](Problem& p) { p.cluster.links.pop_back(); },
        [](Problem& p) { p.setup.microbatches = 9; },
        [](Problem& p) { p.setup.mode = TrainingMode::asynchronous; },
        [](Problem& p) { p.setup.optimizer = Optimizer::adam; },
        [](Problem& p) { p.setup.channel = ChannelMode::halfDuplex; },
        [](Problem& p) { p.setup.network = LinkSharing::shared; },
        [](Problem& p) { p.setup.memoryLimitBytes = 1e9; },
        [](Problem& p) { p.setup.allreduceOverlaps = false; }};
    const ProblemHash before = hashOf(twoServers());
    std::set<std::string> seen;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        Problem problem = twoServers();
        changes[i](problem);
        const ProblemHash after = hashOf(problem);
        EXPECT_NE(planAge(before, after), PlanAge::current) << "change " << i;
        EXPECT_TRUE(seen.insert(after.profile + after.cluster + after.setup).second) << "change " << i;
    }
}

TEST(ProblemHash, TellsAnEditFromAnotherNetwork) {
    const ProblemHash before = hashOf(twoServers());
    const auto ageAfter = [&before](auto change) {
        Problem problem = twoServers();
        change(problem);
        return planAge(before, hashOf(problem));
    };
    EXPECT_EQ(ageAfter([](Problem& p) { p.profile.layers[0].forwardS = 7; }), PlanAge::outOfDate);
    EXPECT_EQ(ageAfter([](Problem& p) { p.profile.layers[0].name = "first"; }), PlanAge::current)
        << "a name alone makes no difference to a planner";
    EXPECT_EQ(ageAfter([](Problem& p) {
                  for (Layer& layer : p.profile.layers) {
                      layer.name += "'";
                      layer.forwardS *= 3;
                  }
              }),
              PlanAge::otherProfile)
        << "as many layers, but of another network";
    EXPECT_EQ(ageAfter([](Problem& p) { p.profile.layers.insert(p.profile.layers.begin(), Layer{"new"}); }),
              PlanAge::otherProfile)
        << "layer 1 is another now";
    EXPECT_EQ(ageAfter([](Problem& p) { p.setup.microbatches = 300; }), PlanAge::outOfDate);
}

TEST(ProblemHash, NamesThePartsThatChanged) {
    const ProblemHash before{"n", "p", "c", "s"};
    EXPECT_EQ(changedParts(before, before), "");
    EXPECT_EQ(changedParts(before, {"n", "p", "c", "t"}), "setup");
    EXPECT_EQ(changedParts(before, {"n", "q", "c", "t"}), "profile and setup");
    EXPECT_EQ(changedParts(before, {"n", "q", "d", "t"}), "profile, cluster and setup");
}

}  // namespace
}  // namespace stagecraft
