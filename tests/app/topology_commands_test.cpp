#include "core/generation/network.h"
#include "core/formats/files/project_file.h"
#include "core/model/link_technologies.h"
#include "tests/support/window_rooms.h"
#include "tests/app/command_call.h"
#include "tests/support/qt_program.h"

#include <QtTest>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;
using nlohmann::json;
using namespace stagecraft;
using testing::call, testing::mentions, testing::Outcome;

namespace {

const std::string smiText =
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
    void theTypeOfGpuAloneLeavesTheRestGuessedAndIsNamedAsChosen();
    void aGpuThatNobodyKnowsIsRefused();
    void noCommandOverwritesWhatItReads();
    void gpusOfAnotherTypeAreSaidAndGivenTheirSpeedWhereAsked();
    void exportWritesAGraphAndATableThatImportsAgain();
    void generateMakesFilesThatCanBePlanned();
    void measurementsGoOntoACluster();
    void ratesAreChosenAlikeForImportsAndTemplates();

private:
    std::string file(const std::string& name) const {
        return folder_.filePath(QString::fromStdString(name)).toStdString();
    }
    std::string pasted() const {
        std::ofstream(file("pasted.txt")) << smiText;
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

void TopologyCommandsTest::ratesAreChosenAlikeForImportsAndTemplates() {
    const auto pcieOf = [&](const std::string& name) {
        return openCluster(file(name)).devices.front().hostBandwidthBps;
    };
    for (const std::string rates : {"reached", "data-sheet"}) {
        const Outcome imported =
            call({"import", pasted(), "--out", file("i.json"), "--gpu", "V100-SXM2-16GB", "--rates", rates});
        QCOMPARE(imported.status, 0);
        QVERIFY2(mentions(imported.err, "chosen: Link rates: " + rates), imported.err.c_str());
        QCOMPARE(call({"generate", "cluster", "nvlink-ring", "--set", "gpus=4", "--set", "rates=" + rates,
                       "--out", file("t.json")})
                     .status,
                 0);
        const bool isSheet = rates == "data-sheet";
        QCOMPARE(openCluster(file("i.json")).links.front().bandwidthBps, isSheet ? 50e9 : 40e9);
        QCOMPARE(openCluster(file("t.json")).links.back().bandwidthBps, isSheet ? 75e9 : 60e9);
        QCOMPARE(pcieOf("i.json"), pcieOf("t.json"));
        QCOMPARE(pcieOf("i.json") > 15e9, isSheet);
    }
    const Outcome wrong = call({"import", pasted(), "--out", file("w.json"), "--rates", "nominal"});
    QCOMPARE(wrong.status, 2);
    QVERIFY2(mentions(wrong.err, "--rates"), wrong.err.c_str());
    QVERIFY(mentions(call({"import", "--help"}).out, "stated | reached | data-sheet"));
    const std::string table = call({"generate", "links"}).out;
    QVERIFY2(
        mentions(table, "nvlink-4: NVLink 4 (H100, H200, GH200), one way per link: data sheet 25 GB/s ("),
        table.c_str());
    QVERIFY(mentions(table, "reached no source"));
    const json links = json::parse(call({"generate", "links", "--json"}).out)["links"];
    QCOMPARE(links.size(), linkTechnologies().size());
}

void TopologyCommandsTest::measurementsGoOntoACluster() {
    QCOMPARE(call({"import", pasted(), "--out", file("c.json")}).status, 0);
    std::ofstream(file("osu.txt"))
        << "# OSU MPI Bandwidth Test v7.5\n# Size Bandwidth (MB/s)\n4194304 31000.0\n";
    const Outcome alone = call({"import", file("osu.txt"), "--out", file("m.json")});
    QCOMPARE(alone.status, 2);
    QVERIFY(mentions(alone.err, "--cluster F says of which cluster"));
    const Outcome put = call({"import", file("osu.txt"), "--cluster", file("c.json"), "--between",
                              "s0g0,s0g1", "--out", file("m.json")});
    QCOMPARE(put.status, 0);
    QVERIFY(mentions(put.err, "took: 1 link measured by osu_bw"));
    const Cluster before = openCluster(file("c.json")), after = openCluster(file("m.json"));
    QCOMPARE(after.links.front().bandwidthBps, 31e9);
    QCOMPARE(after.links.front().derivedBps, before.links.front().bandwidthBps);
    std::ofstream(file("nv.txt"))
        << "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)\n 0 1\n0 N/A 33.5\n1 33.7 N/A\n";
    QCOMPARE(call({"import", file("nv.txt"), "--cluster", file("m.json"), "--server", "s0", "--out",
                   file("n.json")})
                 .status,
             0);
    QCOMPARE(openCluster(file("n.json")).links.front().bandwidthBps, 33.5e9);
    QCOMPARE(openCluster(file("n.json")).links.front().derivedBps, before.links.front().bandwidthBps);
}

void TopologyCommandsTest::theTypeOfGpuAloneLeavesTheRestGuessedAndIsNamedAsChosen() {
    const Outcome outcome = call({"import", pasted(), "--out", file("c.json"), "--gpu", "H100-SXM5-80GB"});
    QCOMPARE(outcome.status, 0);
    QVERIFY(mentions(outcome.err, "chosen: GPU: H100-SXM5-80GB"));
    QVERIFY(mentions(outcome.err, "assumed: The text does not say how fast PCIe is; 16 lanes of Gen 5"));
    QCOMPARE(openCluster(file("c.json")).devices.front().hostBandwidthBps, 48e9);
}

void TopologyCommandsTest::aGpuThatNobodyKnowsIsRefused() {
    const Outcome outcome = call({"import", pasted(), "--out", file("none.json"), "--gpu", "nonsense"});
    QCOMPARE(outcome.status, 2);
    QVERIFY2(mentions(outcome.err, "--gpu: the catalogue has no GPU 'nonsense'; the nearest are "),
             outcome.err.c_str());
    QVERIFY(!fs::exists(file("none.json")));
    QCOMPARE(
        call({"import", pasted(), "--out", file("c.json"), "--gpu", "mine", "--memory", "20 GiB"}).status, 0);
}

void TopologyCommandsTest::noCommandOverwritesWhatItReads() {
    const auto bytes = [&](const std::string& name) { return readTextFile(file(name)); };
    const auto refuses = [&](const std::vector<std::string>& words) {
        const Outcome outcome = call(words);
        return outcome.status == 2 && mentions(outcome.err, "is an input, which would be overwritten");
    };
    const std::string source = pasted();
    QVERIFY(refuses({"import", source, "--out", source}));
    QCOMPARE(bytes("pasted.txt"), smiText);
    QVERIFY2(refuses({"import", source, "--out", folder_.path().toStdString() + "/./pasted.txt"}),
             "by another name it is the same file");
    fs::create_symlink(source, file("link.txt"));
    QVERIFY(refuses({"import", source, "--out", file("link.txt")}));
    QCOMPARE(call({"import", source, "--out", file("c.json")}).status, 0);
    const std::string cluster = bytes("c.json");
    QVERIFY(refuses({"export", file("c.json"), "--format", "csv", "--out", file("c.json")}));
    QVERIFY(refuses({"plan", "--profile", "nothing", "--cluster", file("c.json"), "--out", file("c.json")}));
    QCOMPARE(bytes("c.json"), cluster);
}

void TopologyCommandsTest::gpusOfAnotherTypeAreSaidAndGivenTheirSpeedWhereAsked() {
    const std::string profile = file("p.json"), cluster = file("c.json");
    QCOMPARE(
        call({"generate", "profile", "--model", "resnet-50", "--gpu", "V100-SXM2-16GB", "--out", profile})
            .status,
        0);
    QCOMPARE(call({"generate", "cluster", "pcie", "--set", "gpu=B200-SXM-180GB", "--out", cluster}).status,
             0);
    const auto plan = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words = {"plan",      "--profile",     profile,  "--cluster",      cluster,
                                          "--planner", "data-parallel", "--json", "--microbatches", "4"};
        words.insert(words.end(), more.begin(), more.end());
        return call(words);
    };
    const Outcome plain = plan({}), fast = plan({"--gpu-speeds"});
    QCOMPARE(plain.status, 0);
    QVERIFY2(mentions(plain.err,
                      "the layer times are those of a V100-SXM2-16GB at fp32, and the cluster has 4 "
                      "B200-SXM-180GB with speed 1 where it would be 5.76: 80 against 15.7 TFLOP/s"),
             plain.err.c_str());
    QVERIFY(mentions(plain.err, "--gpu-speeds"));
    QVERIFY(!mentions(plain.out, "TFLOP/s"));
    QCOMPARE(fast.status, 0);
    const auto time = [](const Outcome& outcome) {
        const std::string field = "\"iteration_time_s\": ";
        return std::stod(outcome.out.substr(outcome.out.find(field) + field.size()));
    };
    QVERIFY(time(fast) < time(plain));
    QCOMPARE(call({"generate", "cluster", "pcie", "--set", "gpu=V100-SXM2-16GB", "--out", cluster}).status,
             0);
    QVERIFY2(!mentions(plan({}).err, "layer times"), "the profile's own GPU");
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
    std::ofstream(file("cut.txt")) << smiText.substr(0, smiText.size() - 20);
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

void TopologyCommandsTest::generateMakesFilesThatCanBePlanned() {
    QCOMPARE(
        call({"generate", "profile", "vgg-19", "--microbatch-size", "8", "--out", file("p.json")}).status, 0);
    QCOMPARE(call({"generate", "cluster", "spp", "--seed", "5", "--out", file("c.json")}).status, 0);
    QCOMPARE(openProfile(file("p.json")).profile.microbatchSize, 8);
    QCOMPARE(openCluster(file("c.json")).deviceCount(), 32);
    QCOMPARE(
        call({"plan", "--profile", file("p.json"), "--cluster", file("c.json"), "--planner", "spp"}).status,
        0);
    const std::string once = readTextFile(file("c.json"));
    call({"generate", "cluster", "spp", "--set", "seed=5", "--out", file("c.json")});
    QCOMPARE(readTextFile(file("c.json")), once);
    call({"generate", "cluster", "spp", "--seed", "6", "--out", file("c.json")});
    QVERIFY(readTextFile(file("c.json")) != once);

    QCOMPARE(call({"generate", "profile", "--model", "vgg-19", "--microbatch-size", "8", "--out",
                   file("named.json")})
                 .status,
             0);
    QCOMPARE(readTextFile(file("named.json")), readTextFile(file("p.json")));
    QCOMPARE(call({"generate", "cluster", "fat-tree", "--set", "servers=6", "--set",
                   "network_bandwidth=40 Gbit/s", "--gpus-per-server", "2", "--out", file("tree.json")})
                 .status,
             0);
    QCOMPARE(openCluster(file("tree.json")).deviceCount(), 12);
    QCOMPARE(call({"generate", "profile", "--model", "bert-large", "--depth", "2", "--microbatch-sizes",
                   "4,1", "--out", file("short.json")})
                 .status,
             0);
    QCOMPARE(openProfile(file("short.json")).profile.layerCount(), 5);
    QCOMPARE(openProfile(file("short.json")).profile.otherSizes.size(), 1u);
    call({"generate", "profile", "bert-large", "--set", "depth=2", "--set", "microbatch_sizes=4,1", "--out",
          file("set.json")});
    QCOMPARE(readTextFile(file("set.json")), readTextFile(file("short.json")));
    const json models = json::parse(call({"generate", "models", "--json"}).out)["models"];
    QCOMPARE(models.size(), modelNames().size());
    QVERIFY(mentions(call({"generate", "models"}).out, "--set experts=8"));
    const json templates = json::parse(call({"generate", "templates", "--json"}).out)["templates"];
    QVERIFY(templates.size() >= 8);
    QVERIFY(mentions(call({"generate", "templates"}).out, "--set socket_bandwidth='10 GB/s'"));
}

STAGECRAFT_TEST(TopologyCommandsTest)
#include "topology_commands_test.moc"
