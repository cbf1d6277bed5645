#include "core/formats/formats.h"
#include "tests/app/command_call.h"

#include <QtTest>

#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;
using namespace stagecraft;
using testing::call, testing::mentions, testing::Outcome;

namespace {

const std::string text =
    "$ nvidia-smi topo -m\n\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV2\t0-11\nGPU1\tNV2\t X \t0-11\n";

}  // namespace

class TopologyCommandsTest : public QObject {
    Q_OBJECT

private slots:
    void init() { QVERIFY(folder_.isValid()); }
    void importTellsWhatItTookAndAssumed();
    void optionsSettleWhatTheTextDoesNotSay();
    void severalTopologiesBecomeServers();
    void wrongOptionsAndFilesExitWithTwoAndWriteNothing();
    void planTakesATopologyAsItsCluster();
    void exportWritesAGraphAndATableThatImportsAgain();

private:
    std::string file(const std::string& name) const {
        return folder_.filePath(QString::fromStdString(name)).toStdString();
    }
    std::string pasted() const {
        std::ofstream(file("pasted.txt")) << text;
        return file("pasted.txt");
    }

    QTemporaryDir folder_;
};

void TopologyCommandsTest::importTellsWhatItTookAndAssumed() {
    const Outcome outcome = call({"import", pasted(), "--out", file("c.json")});
    QCOMPARE(outcome.status, 0);
    QVERIFY(mentions(outcome.err, "took: 2 GPUs"));
    QVERIFY(mentions(outcome.err, "assumed: The text does not name the GPUs"));
    const Cluster cluster = openCluster(file("c.json"));
    QCOMPARE(cluster.deviceCount(), 2);
    QCOMPARE(cluster.name, "pasted");
    QVERIFY(!cluster.assumptions.empty());
    QVERIFY(mentions(cluster.links.front().source, "2 × NVLink"));
}

void TopologyCommandsTest::optionsSettleWhatTheTextDoesNotSay() {
    const Outcome outcome = call({"import", pasted(), "--out", file("c.json"), "--gpu", "V100-SXM2-32GB",
                                  "--pcie-generation", "4", "--memory", "30 GiB", "--name", "pair"});
    QCOMPARE(outcome.status, 0);
    QVERIFY(!mentions(outcome.err, "does not say"));
    const Cluster cluster = openCluster(file("c.json"));
    QCOMPARE(cluster.name, "pair");
    QCOMPARE(cluster.devices.front().gpu, "V100-SXM2-32GB");
    QCOMPARE(cluster.devices.front().memoryBytes, 30.0 * (1 << 30));
    QCOMPARE(cluster.devices.front().hostBandwidthBps, 24e9);
}

void TopologyCommandsTest::severalTopologiesBecomeServers() {
    const std::string one = pasted();
    QCOMPARE(call({"import", one, one, "--out", file("c.json"), "--network-rate", "10 Gbit/s"}).status, 0);
    const Cluster cluster = openCluster(file("c.json"));
    QCOMPARE(cluster.servers().size(), 2u);
    QVERIFY(std::any_of(cluster.links.begin(), cluster.links.end(),
                        [](const Link& link) { return link.b == "network" && link.bandwidthBps == 1.25e9; }));
}

void TopologyCommandsTest::wrongOptionsAndFilesExitWithTwoAndWriteNothing() {
    const std::string one = pasted(), target = file("none.json");
    for (const std::vector<std::string>& extra : {std::vector<std::string>{"--pcie-generation", "9"},
                                                  {"--network-rate", "fast"},
                                                  {"--cpu", "abacus"},
                                                  {"--as", "hwloc"}}) {
        std::vector<std::string> arguments = {"import", one, "--out", target};
        arguments.insert(arguments.end(), extra.begin(), extra.end());
        const Outcome outcome = call(arguments);
        QCOMPARE(outcome.status, 2);
        QVERIFY2(mentions(outcome.err, "expected"), outcome.err.c_str());
    }
    std::ofstream(file("cut.txt")) << text.substr(0, text.size() - 20);
    const Outcome cut = call({"import", file("cut.txt"), "--out", target});
    QCOMPARE(cut.status, 2);
    QVERIFY2(mentions(cut.err, "cut.txt: "), cut.err.c_str());
    QVERIFY(!fs::exists(target));
}

void TopologyCommandsTest::planTakesATopologyAsItsCluster() {
    const std::string profile = std::string(STAGECRAFT_SOURCE_DIR) + "/samples/profiles/vgg-19.profile.json";
    if (!fs::exists(profile)) QSKIP("no sample profile");
    const Outcome outcome = call({"plan", "--profile", profile, "--cluster", pasted(), "--planner", "spp"});
    QCOMPARE(outcome.status, 0);
    QVERIFY(mentions(outcome.err, "took: 2 GPUs"));
}

void TopologyCommandsTest::exportWritesAGraphAndATableThatImportsAgain() {
    const std::string one = pasted();
    QCOMPARE(call({"export", one, "--format", "dot", "--out", file("c.dot")}).status, 0);
    QVERIFY(mentions(readTextFile(file("c.dot")), "\"s0g0\" -- \"s0g1\" [label=\"24.0 GB/s\""));
    QCOMPARE(call({"export", one, "--format", "csv", "--out", file("c.csv")}).status, 0);
    QCOMPARE(readTextFile(file("c.csv")), "GB/s,s0g0,s0g1\ns0g0,,24\ns0g1,24,\n");
    QCOMPARE(call({"import", file("c.csv"), "--out", file("c.json")}).status, 0);
    QCOMPARE(openCluster(file("c.json")).links.front().bandwidthBps, 24e9);
    QCOMPARE(call({"export", one, "--format", "perfetto", "--out", file("x")}).status, 2);
}

QTEST_MAIN(TopologyCommandsTest)
#include "topology_commands_test.moc"
