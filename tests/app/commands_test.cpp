#include "core/formats/text_file.h"
#include "core/planners/planner.h"
#include "core/formats/files/project_file.h"
#include "core/schedules/families.h"
#include "tests/support/window_rooms.h"
#include "tests/app/command_call.h"
#include "tests/app/sample_files.h"
#include "tests/support/qt_program.h"

#include <set>

#include <QtTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;
using nlohmann::json;
using namespace stagecraft;
using testing::call, testing::mentions, testing::Outcome;
using testing::samplePath;
using testing::toyFile;

namespace {

const std::string cluster = samplePath("clusters/bert-8x4.cluster.json");
const std::string vgg = std::string(STAGECRAFT_SHARED_DIR) + "/profiles/pipedream/vgg16.graph.txt";

}  // namespace

class CommandsTest : public QObject {
    Q_OBJECT

private slots:
    void init() { QVERIFY(folder_.isValid()); }
    void helpAndVersionNeedNothing();
    void wrongUsageExitsWithTwoAndSaysWhatWasExpected_data();
    void wrongUsageExitsWithTwoAndSaysWhatWasExpected();
    void wordsThatMayBeFilesOpenTheWindow();
    void planJsonHasEveryFieldOfTheContract();
    void sharesOfLessThanASampleAreNotedInTableAndJson();
    void planTableNamesEveryPlanner();
    void planTableIsPrintedForADocument();
    void aTableOfPlansSaysWhyThereIsNone();
    void planMeasuresAgainstTheReferenceThatIsAskedFor();
    void pipeDreamProfilesArePlannedByEveryPlannerAndEachPlanChecks_data();
    void pipeDreamProfilesArePlannedByEveryPlannerAndEachPlanChecks();
    void setupOptionsChangeTheProblem();
    void planIsTheSameOnEveryRun();
    void outWritesAPlanOrAProject();
    void badInputExitsWithTwoAndWritesNothing_data();
    void badInputExitsWithTwoAndWritesNothing();
    void checkRefusesPlansBrokenOnPurpose_data();
    void checkRefusesPlansBrokenOnPurpose();
    void importConvertsAndTellsWhatItDid();
    void importMakesAProjectOfAProfileWithASplit();
    void importTakesAMeasurementOfSeveralFiles();
    void importAsksForWhatAnOnnxModelDoesNotSay();
    void exportWritesEveryFormat();
    void renderDrawsEveryView();
    void everyViewHasItsPictureInTheResources();
    void plannersListsParameters();
    void schedulesListsFamiliesAndPlanRunsEachOfThem();
    void plansAreFoundByTheirNamesInAnyCase();
    void anOrderIsKeptUnderANameAndUsedWithAnotherProfile();
    void schedulesOverMicrobatchesAreAnExperiment();
    void onePeriodOfTheSteadyStateIsWritten();
    void theTablesOfTheSchedulesPageAreWhatItsCommandsPrint();
    void aScheduleThatDoesNotApplyIsRefusedInWords();
    void memoryOfMixedPrecisionIsMarkedAsUnderstated();

private:
    std::string file(const std::string& name) const {
        return (fs::path(folder_.path().toStdString()) / name).string();
    }
    std::string fileWith(const std::string& name, const std::string& text) const {
        std::ofstream(file(name)) << text;
        return file(name);
    }
    /// The toy sample planned by SPP, as JSON.
    json planned() const {
        call({"plan", toyFile, "--planner", "spp", "--out", file("toy.plan.json")});
        return json::parse(readTextFile(file("toy.plan.json")));
    }
    QTemporaryDir folder_;
};

void CommandsTest::helpAndVersionNeedNothing() {
    QCOMPARE(call({"--help"}).status, 0);
    QVERIFY(mentions(call({"--version"}).out, "stagecraft 0."));
    for (const char* command : {"plan", "check", "export", "render", "import", "generate", "planners"}) {
        const Outcome outcome = call({command, "--help"});
        QCOMPARE(outcome.status, 0);
        QVERIFY2(mentions(outcome.out, std::string("stagecraft ") + command), command);
        QCOMPARE(call({"help", command}).out, outcome.out);
    }
    QCOMPARE(call({"-V"}).out, call({"--version"}).out);
    QCOMPARE(call({"help"}).out, call({"--help"}).out);
    QCOMPARE(call({"help", "plna"}).status, 2);
    QVERIFY(isCommand({"-V"}));
}

void CommandsTest::wrongUsageExitsWithTwoAndSaysWhatWasExpected_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("message");
    const QString project = QString::fromStdString(toyFile);
    const auto row = [](const char* name, const QStringList& words, const char* message) {
        QTest::newRow(name) << words << message;
    };
    row("unknown command", {"plna"}, "no command 'plna' (did you mean 'plan'?)");
    row("unknown option", {"plan", project, "--jsno"}, "no option '--jsno' (did you mean '--json'?)");
    row("no value", {"plan", project, "--planner"}, "--planner has no value");
    row("value of a flag", {"plan", project, "--json=1"}, "--json takes no value");
    row("given twice", {"plan", project, "--out", "a", "--out", "b"}, "--out is given twice");
    row("no project", {"plan"},
        "PROJECT (or --profile F or --model MODEL, with --cluster F or --machines WORDS) is missing");
    row("no project of files", {"pareto"}, "PROJECT (or --profile F --cluster F) is missing");
    row("half a project", {"plan", "--profile", project}, "--cluster (or --machines) is missing");
    row("too much", {"plan", project, project}, "unexpected argument");
    row("unknown planner", {"plan", project, "--planner", "spp,gpip"}, "(did you mean 'gpipe'?)");
    row("planner twice", {"plan", project, "--planner", "spp,spp"}, "names 'spp' twice");
    row("unknown parameter", {"plan", project, "--planner", "spp", "--set", "max_stage=2"},
        "no parameter 'max_stage' (did you mean 'max_stages'?)");
    row("parameter of no sense", {"plan", project, "--planner", "spp", "--set", "max_stages=-2"},
        "parameter 'max_stages' cannot be '-2'");
    row("bad number", {"plan", project, "--microbatches", "0"}, "--microbatches cannot be '0'");
    row("bad choice", {"plan", project, "--channel", "half-duplx"}, "(did you mean 'half_duplex'?)");
    row("bad boolean", {"plan", project, "--allreduce-overlaps", "yes"}, "expected true or false");
    row("no format", {"export", project, "--out", "x"}, "--format is missing");
    row("bad size", {"render", project, "--view", "plan", "--out", "x", "--size", "0x7"},
        "--size cannot be '0x7'");
    row("generate what", {"generate", "clustre", "--out", "x"}, "(did you mean 'cluster'?)");
    row("generate model", {"generate", "profile", "alexnet", "--out", "x"}, "alexnet");
    row("generate a GPU", {"generate", "cluster", "pcie", "--set", "gpu=T4-16Gb", "--out", "x"},
        "(did you mean 'T4-16GB'?)");
    row("generate a bandwidth without a unit",
        {"generate", "cluster", "switched", "--set", "network_bandwidth=100", "--out", "x"},
        "'100' has no unit; expected a bandwidth with its unit");
    row("generate a parameter", {"generate", "cluster", "fat-tree", "--set", "spine=2", "--out", "x"},
        "(did you mean 'spines'?)");
    row("generate two models", {"generate", "profile", "vgg-19", "--model", "vgg-19", "--out", "x"},
        "unexpected argument 'vgg-19'");
    row("generate an option of other models", {"generate", "profile", "vgg-19", "--depth", "3", "--out", "x"},
        "--depth means nothing for vgg-19");
    row("generate numbers that do not fit",
        {"generate", "profile", "bert-large", "--heads", "7", "--out", "x"}, "heads that divide the width");
    row("generate with a vain option", {"generate", "cluster", "dgx1", "--seed", "3", "--out", "x"},
        "--seed means nothing");
}

void CommandsTest::wrongUsageExitsWithTwoAndSaysWhatWasExpected() {
    QFETCH(QStringList, words);
    QFETCH(QString, message);
    std::vector<std::string> arguments;
    for (const QString& word : words) arguments.push_back(word.toStdString());
    const Outcome outcome = call(arguments);
    QCOMPARE(outcome.status, 2);
    QVERIFY2(outcome.err.starts_with("stagecraft: "), outcome.err.c_str());
    QVERIFY2(mentions(outcome.err, message.toStdString()), outcome.err.c_str());
    QVERIFY(outcome.out.empty());
}

void CommandsTest::wordsThatMayBeFilesOpenTheWindow() {
    QVERIFY(isCommand({"plan"}));
    QVERIFY(isCommand({"--help"}));
    QVERIFY(isCommand({"plna"}));
    QVERIFY(!isCommand({}));
    QVERIFY(isCommand({"--frobnicate"}));
    QVERIFY(!isCommand({"my.stagecraft.json"}));
    QVERIFY(!isCommand({"-platform", "offscreen"}));
}

void CommandsTest::sharesOfLessThanASampleAreNotedInTableAndJson() {
    const std::string note = "Stage 0 splits each microbatch of 1 sample over 4 GPUs";
    QVERIFY(mentions(call({"plan", toyFile, "--planner", "data-parallel"}).out, note));
    const json result =
        json::parse(call({"plan", toyFile, "--planner", "data-parallel", "--json"}).out)["results"][0];
    QVERIFY(mentions(result["notes"][0].get<std::string>(), note));
    QVERIFY(!mentions(call({"plan", toyFile, "--planner", "gpipe"}).out, "splits each microbatch"));
}

void CommandsTest::planJsonHasEveryFieldOfTheContract() {
    const Outcome outcome = call({"plan", toyFile, "--json"});
    QCOMPARE(outcome.status, 0);
    const json results = json::parse(outcome.out)["results"];
    QCOMPARE(results.size(), allPlanners().size());
    for (const json& result : results) {
        // The project has a barrier, which two of the planners do without.
        const bool withoutBarrier = result["planner"] == "xpipe" || result["planner"] == "madpipe";
        QCOMPARE(result["status"], withoutBarrier ? "infeasible" : "ok");
        if (withoutBarrier) continue;
        for (const char* field : {"planner", "stages", "iteration_time_s", "predicted_s",
                                  "throughput_samples_per_s", "bubble_fraction", "lower_bound_s", "guarantee",
                                  "peak_memory_bytes", "fits_memory", "valid", "planning_time_s"})
            QVERIFY2(result.contains(field), field);
        QVERIFY(result["valid"]);
        QVERIFY(result["lower_bound_s"] <= result["iteration_time_s"].get<double>() * (1 + 1e-9));
    }
    QCOMPARE(results[0]["planner"], "spp");
    QCOMPARE(results[0]["guarantee"]["name"], "Theorem 1");
    QVERIFY(results[0]["guarantee"]["bound_s"] > results[0]["iteration_time_s"]);
}

void CommandsTest::planTableNamesEveryPlanner() {
    const Outcome outcome = call({"plan", toyFile});
    QCOMPARE(outcome.status, 0);
    for (const char* id : {"spp", "data-parallel", "gpipe", "pipedream", "hetpipe"})
        QVERIFY2(mentions(outcome.out, std::string("\n") + id), outcome.out.c_str());
}

void CommandsTest::planMeasuresAgainstTheReferenceThatIsAskedFor() {
    const auto plan = [](const std::vector<std::string>& more) {
        std::vector<std::string> words = {"plan", toyFile, "--planner", "spp,gpipe"};
        words.insert(words.end(), more.begin(), more.end());
        return call(words);
    };
    QVERIFY(!mentions(plan({}).out, "over gpipe"));
    const Outcome table = plan({"--reference", "gpipe"});
    QCOMPARE(table.status, 0);
    for (const char* part : {"over gpipe", "against gpipe", "reference", " shorter"})
        QVERIFY2(mentions(table.out, part), table.out.c_str());
    QVERIFY(!mentions(plan({"--json"}).out, "over_reference"));
    const json results = json::parse(plan({"--json", "--reference", "gpipe"}).out)["results"];
    const double sppS = results[0]["iteration_time_s"], gpipeS = results[1]["iteration_time_s"];
    QCOMPARE(results[0]["speedup_over_reference"].get<double>(), gpipeS / sppS);
    QCOMPARE(results[0]["time_against_reference"].get<double>(), sppS / gpipeS - 1);
    QCOMPARE(results[1]["speedup_over_reference"].get<double>(), 1.0);
    const Outcome unknown = plan({"--reference", "hetpipe"});
    QCOMPARE(unknown.status, 2);
    QVERIFY2(mentions(unknown.err, "expected one of spp, gpipe"), unknown.err.c_str());
}

void CommandsTest::planTableIsPrintedForADocument() {
    const auto plan = [](const std::vector<std::string>& more) {
        // Saved, for how long planning takes differs from run to run.
        std::vector<std::string> words = {"plan", STAGECRAFT_SOURCE_DIR "/samples/gpipe-1f1b.stagecraft.json",
                                          "--saved"};
        words.insert(words.end(), more.begin(), more.end());
        return call(words);
    };
    const Outcome csv = plan({"--table", "csv"});
    QCOMPARE(csv.status, 0);
    const QStringList lines = QString::fromStdString(csv.out).split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 3);
    QVERIFY(lines[0].startsWith("planner,status,") && lines[1].startsWith("GPipe,ok,"));
    // The same cells as the plain table has, and in the other formats.
    const std::string plain = plan({}).out, markdown = plan({"--table", "markdown"}).out;
    QStringList cells = lines[1].split(',');
    cells.removeLast();  // the planning time, which each run measures anew
    for (const QString& cell : cells) {
        QVERIFY2(mentions(plain, cell.toStdString()), qPrintable(cell));
        QVERIFY2(mentions(markdown, "| " + cell.toStdString() + " |"), qPrintable(cell));
    }
    const std::string latex = plan({"--table", "latex"}).out;
    QVERIFY2(mentions(latex, "\\toprule") && mentions(latex, "GPipe & ok & "), latex.c_str());
    const Outcome unknown = plan({"--table", "html"});
    QVERIFY2(unknown.status == 2 && mentions(unknown.err, "latex"), unknown.err.c_str());
    QCOMPARE(plan({"--table", "csv", "--json"}).status, 2);
}

void CommandsTest::aTableOfPlansSaysWhyThereIsNone() {
    const std::vector<std::string> words = {"plan", toyFile, "--planner", "xpipe"};
    std::vector<std::string> asTable = words, asJson = words;
    asTable.insert(asTable.end(), {"--table", "csv"});
    asJson.push_back("--json");
    const std::string reason = json::parse(call(asJson).out)["results"][0]["reason"];
    QVERIFY(!reason.empty());
    const Outcome outcome = call(asTable);
    QVERIFY2(mentions(outcome.out, ": " + reason), outcome.out.c_str());
}

void CommandsTest::pipeDreamProfilesArePlannedByEveryPlannerAndEachPlanChecks_data() {
    QTest::addColumn<QString>("model");
    // A chain, one with a split, and a graph; PublishedProfiles plans each of them.
    for (const char* model : {"vgg16", "vgg16_partitioned", "gnmt"}) QTest::newRow(model) << model;
}

void CommandsTest::pipeDreamProfilesArePlannedByEveryPlannerAndEachPlanChecks() {
    if (!fs::exists(vgg)) QSKIP("the shipped profiles are not here");
    QFETCH(QString, model);
    const std::string profile = fs::path(vgg).parent_path() / (model.toStdString() + ".graph.txt");
    const std::string project = file("planned.stagecraft.json");
    const Outcome outcome = call({"plan", "--profile", profile, "--cluster", cluster, "--planner", "all",
                                  "--json", "--microbatches", "4", "--out", project});
    QCOMPARE(outcome.status, 0);
    QVERIFY(mentions(outcome.err, "derived: samples in a minibatch: "));
    const json results = json::parse(outcome.out)["results"];
    const auto plans = std::count_if(results.begin(), results.end(),
                                     [](const json& result) { return result["status"] == "ok"; });
    QVERIFY(plans >= 5);
    for (std::ptrdiff_t i = 0; i < plans; ++i) {
        const Outcome checked = call({"check", project, "--plan", std::to_string(i)});
        QVERIFY2(checked.status == 0, (checked.out + checked.err).c_str());
    }
}

void CommandsTest::setupOptionsChangeTheProblem() {
    const auto result = [](const std::vector<std::string>& options) {
        std::vector<std::string> words = {"plan", toyFile, "--planner", "gpipe", "--json"};
        words.insert(words.end(), options.begin(), options.end());
        return json::parse(call(words).out)["results"][0];
    };
    const json before = result({});
    QVERIFY(result({"--microbatches", "50"})["iteration_time_s"] > before["iteration_time_s"]);
    const json small = result({"--memory-limit-bytes=1"});
    QCOMPARE(small["status"], "ok");
    QCOMPARE(small["fits_memory"], false);
    QVERIFY(!small["memory_excess"].empty());
}

void CommandsTest::planIsTheSameOnEveryRun() {
    const auto withoutClock = [](json document) {
        for (json& result : document["results"]) result.erase("planning_time_s");
        return document.dump();
    };
    const std::string first = withoutClock(json::parse(call({"plan", toyFile, "--json"}).out));
    for (int i = 0; i < 4; ++i)
        QCOMPARE(withoutClock(json::parse(call({"plan", toyFile, "--json"}).out)), first);
}

void CommandsTest::outWritesAPlanOrAProject() {
    QCOMPARE(planned()["format"], "stagecraft/plan");
    QCOMPARE(openPlan(file("toy.plan.json")).plan.planner, "spp");
    const std::string project = file("toy.stagecraft.json");
    QCOMPARE(call({"plan", toyFile, "--planner", "spp,gpipe", "--out", project}).status, 0);
    QCOMPARE(call({"plan", project, "--planner", "gpipe", "--out", project}).status, 0);
    const std::vector<Plan> plans = openProject(project).plans;
    const auto unnamed = [&](const char* id) {
        return std::count_if(plans.begin(), plans.end(),
                             [&](const Plan& plan) { return plan.name.empty() && plan.planner == id; });
    };
    QCOMPARE(unnamed("gpipe"), 1);
    QCOMPARE(unnamed("spp"), 1);
}

void CommandsTest::badInputExitsWithTwoAndWritesNothing_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("message");
    const json good = json::parse(readTextFile(toyFile));
    const auto row = [&](const char* name, const json& patch, const char* message) {
        QTest::newRow(name) << QString::fromStdString(good.patch(patch).dump()) << message;
    };
    QTest::newRow("empty") << ""
                           << "line 1, column 1: the file is empty";
    QTest::newRow("not JSON") << "hello"
                              << "line 1, column 1";
    QTest::newRow("cut short") << QString::fromStdString(good.dump().substr(0, 200))
                               << "unexpected end of input";
    QTest::newRow("wrong kind") << QString::fromStdString(readTextFile(cluster)) << "/format: the format is";
    row("missing", json::parse(R"([{"op": "remove", "path": "/setup"}])"), "the field 'setup' is missing");
    row("unknown", json::parse(R"([{"op": "add", "path": "/profil", "value": 1}])"),
        "(did you mean 'profile'?)");
    row("negative", json::parse(R"([{"op": "replace", "path": "/profile/layers/0/forward_s", "value": -1}])"),
        "/profile/layers/0/forward_s: the number is negative");
    row("newer", json::parse(R"([{"op": "replace", "path": "/version", "value": 2}])"), "version 2 is newer");
    row("no layer", json::parse(R"([{"op": "replace", "path": "/profile/layers", "value": []},
                                    {"op": "replace", "path": "/plans", "value": []}])"),
        "the profile has no layer");
    row("two pieces", json::parse(R"([{"op": "replace", "path": "/cluster/links", "value": []}])"),
        "the cluster is not connected: there is no path from");
}

void CommandsTest::badInputExitsWithTwoAndWritesNothing() {
    QFETCH(QString, text);
    QFETCH(QString, message);
    const std::string input = fileWith("bad.json", text.toStdString()), target = file("never.json");
    const Outcome outcome = call({"plan", input, "--out", target});
    QCOMPARE(outcome.status, 2);
    QVERIFY2(outcome.err.starts_with("stagecraft: " + input + ": "), outcome.err.c_str());
    QVERIFY2(mentions(outcome.err, message.toStdString()), outcome.err.c_str());
    QVERIFY(!fs::exists(target));
}

/// Two stages of the toy with every order spelled out, which holds; then broken by a JSON merge patch.
void CommandsTest::checkRefusesPlansBrokenOnPurpose_data() {
    QTest::addColumn<QString>("patch");
    QTest::addColumn<QString>("line");
    const auto row = [](const char* name, const char* patch, const char* line) {
        QTest::newRow(name) << patch << line;
    };
    row("layer in no stage", R"({"stages": [{"layers": [0, 1], "devices": ["s0g0"]},
                                            {"layers": [3, 5], "devices": ["s0g1"]}]})",
        "layer-coverage: ");
    row("layer in two stages", R"({"stages": [{"layers": [0, 2], "devices": ["s0g0"]},
                                              {"layers": [2, 5], "devices": ["s0g1"]}]})",
        "layer-coverage: ");
    row("device that the planner must use", R"({"planner": "spp"})", "known-devices: ");
    row("microbatch left out", R"({"schedule": {"orders": {"s0g1": ["F0", "F1", "B0", "B1", "B2"]}}})",
        "simulation: the plan deadlocks");
    row("microbatch too many",
        R"({"schedule": {"orders": {"s0g1": ["F0", "B0", "F1", "B1", "F2", "B2", "F3"]}}})",
        "simulation: the order of device s0g1 holds a task that it cannot run");
    row("circle", R"({"schedule": {"orders": {"s0g0": ["F0", "B0", "B1", "F1", "F2", "B2"]}}})",
        "simulation: the plan deadlocks");
    row("no order", R"({"schedule": {"orders": {"s0g1": null}}})",
        "simulation: device s0g1 holds a stage but has no order");
    row("too large",
        R"({"memory": {"claims_to_fit": true}, "problem": {"setup": {"memory_limit_bytes": 1}}})",
        "memory-limit: ");
    row("weights of another mode", R"({"weights": {"policy": "stashing"}})", "weight-version: ");
    row("unknown policy", R"({"schedule": {"orders": null, "policy": "1f1c"}})",
        "simulation: no schedule policy '1f1c'");
    row("impossible pattern", R"({"schedule": {"orders": null, "pattern": {"period_s": 100, "operations": [
            {"kind": "forward", "stage": 0, "start_s": 0, "shift": 0},
            {"kind": "transfer_forward", "stage": 0, "start_s": 0, "shift": 0},
            {"kind": "forward", "stage": 1, "start_s": 0, "shift": 0},
            {"kind": "backward", "stage": 1, "start_s": 50, "shift": 0},
            {"kind": "transfer_backward", "stage": 0, "start_s": 60, "shift": 0},
            {"kind": "backward", "stage": 0, "start_s": 70, "shift": 0}]}}})",
        "data-dependency: ");
}

void CommandsTest::checkRefusesPlansBrokenOnPurpose() {
    QFETCH(QString, patch);
    QFETCH(QString, line);
    json plan = planned();
    plan["planner"] = "gpipe";  // which need not use all devices
    plan["problem"]["setup"]["microbatches"] = 3;
    plan.merge_patch(json::parse(R"({"stages": [{"layers": [0, 1], "devices": ["s0g0"]},
                                                {"layers": [2, 5], "devices": ["s0g1"]}]})"));
    const json order = {"F0", "F1", "F2", "B0", "B1", "B2"};
    plan["schedule"] = {{"orders", {{"s0g0", order}, {"s0g1", order}}}};
    const Outcome good = call({"check", fileWith("good.plan.json", plan.dump())});
    QVERIFY2(good.status == 0, (good.out + good.err).c_str());
    plan.merge_patch(json::parse(patch.toStdString()));
    const Outcome broken = call({"check", fileWith("broken.plan.json", plan.dump())});
    QVERIFY2(broken.status == 1, (broken.out + broken.err).c_str());
    QVERIFY2(broken.out.starts_with(line.toStdString()), broken.out.c_str());
}

void CommandsTest::importConvertsAndTellsWhatItDid() {
    if (!fs::exists(vgg)) QSKIP("the shipped profiles are not here");
    const Outcome outcome = call({"import", vgg, "--out", file("vgg.profile.json")});
    QCOMPARE(outcome.status, 0);
    QVERIFY(mentions(outcome.err, "derived: samples in a minibatch: 128"));
    QCOMPARE(openProfile(file("vgg.profile.json")).profile, openProfile(vgg).profile);
    QCOMPARE(call({"import", vgg, "--out", file("x.json"), "--as", "cluster"}).status, 2);
    QCOMPARE(call({"import", cluster, "--out", file("again.cluster.json")}).status, 0);
    QCOMPARE(openCluster(file("again.cluster.json")), openCluster(cluster));
    QCOMPARE(call({"import", toyFile, "--out", file("x.json")}).status, 2);
    const Outcome broken = call({"import", fileWith("cut.json", "{ \"for"), "--out", file("x.json")});
    QVERIFY2(broken.status == 2 && mentions(broken.err, "line 1, column"), broken.err.c_str());
    QVERIFY(!fs::exists(file("x.json")));
}

void CommandsTest::importTakesAMeasurementOfSeveralFiles() {
    const std::string folder = STAGECRAFT_SOURCE_DIR "/tests/data/profiles/",
                      project = file("m.stagecraft.json");
    const std::string one = folder + "metis/mbs1_tmp1.json", two = folder + "metis/mbs1_tmp2.json",
                      many = folder + "metis/mbs16_tmp1.json";
    const Outcome done = call({"import", one, two, many, "--cluster", cluster, "--microbatches", "4",
                               "--tensor", "2", "--out", project});
    QVERIFY2(done.status == 0 && mentions(done.err, "on 1 and 2 GPUs, at microbatches of 1 and 16 samples"),
             done.err.c_str());
    const Outcome planned = call({"plan", project, "--planner", "gpipe", "--json"});
    QVERIFY2(planned.status == 0 && mentions(planned.out, "\"valid\": true"), planned.out.c_str());
    const Outcome refused = call({"plan", project, "--planner", "gpipe", "--tensor", "4"});
    QVERIFY2(
        mentions(refused.out + refused.err, "was measured tensor parallel by 2, not tensor parallel by 4"),
        (refused.out + refused.err).c_str());
    const Outcome apart = call({"import", one, folder + "sailor/llm_info.json", "--out", file("x.json")});
    QVERIFY2(apart.status == 2 && mentions(apart.err, "llm_info.json"), apart.err.c_str());
    const Outcome alone =
        call({"import", STAGECRAFT_SOURCE_DIR "/tests/data/public/16-backward-in-two-columns.csv", one,
              "--out", file("x.json")});
    QVERIFY2(alone.status == 2 && mentions(alone.err, "unexpected argument"), alone.err.c_str());
    const std::string galvatron = folder + "galvatron/computation_profiling_bf16_llama-7b_all.json";
    QCOMPARE(call({"import", galvatron, "--layers", "32", "--out", file("l.profile.json")}).status, 0);
    QCOMPARE(openProfile(file("l.profile.json")).profile.layerCount(), 34);
}

void CommandsTest::importMakesAProjectOfAProfileWithASplit() {
    const std::string node =
        " -- op -- forward_compute_time=1, backward_compute_time=2, activation_size=8, "
        "parameter_size=8 -- stage_id=";
    const std::string graph = fileWith("g.txt", "node1" + node + "0\nnode2" + node + "1\n\tnode1 -- node2\n");
    const Outcome alone = call({"import", graph, "--out", file("g.profile.json")});
    QVERIFY2(alone.status == 0 && mentions(alone.err, "with --cluster F the stages become a plan"),
             alone.err.c_str());
    const std::string project = file("g.stagecraft.json");
    QCOMPARE(call({"import", graph, "--cluster", cluster, "--microbatches", "4", "--at-microbatch-size", "2",
                   "--out", project})
                 .status,
             0);
    const Project made = openProject(project);
    QCOMPARE(made.problem.setup.microbatches, 4);
    QCOMPARE(made.problem.profile.microbatchSize, 2);
    QCOMPARE(made.problem.profile.layers[0].forwardS, 2e-3);
    QCOMPARE(made.plans.size(), std::size_t{1});
    QCOMPARE(made.plans[0].stageCount(), 2);
    QCOMPARE(call({"check", project}).status, 0);
    const std::string conf = fileWith("conf.json", R"({"stage_to_rank_map": {"0": [0, 1], "1": [2]}})");
    QCOMPARE(call({"import", graph, "--split", conf, "--cluster", cluster, "--out", project}).status, 0);
    QCOMPARE(openProject(project).plans[0].stages[0].devices, (std::vector<int>{0, 1}));
    // As finely as can be: the stages keep their nodes.
    const std::string joined =
        fileWith("j.txt", "node1" + node + "0\nnode2" + node + "0\nnode3" + node + "0\nnode4" + node +
                              "1\n\tnode1 -- node2\n\tnode1 -- node3\n\tnode2 -- node4"
                              "\n\tnode3 -- node4\n");
    QCOMPARE(call({"import", joined, "--cluster", cluster, "--out", project}).status, 0);
    QCOMPARE(openProject(project).problem.profile.layerCount(), 3);
    QCOMPARE(
        call({"import", joined, "--granularity", "finest", "--cluster", cluster, "--out", project}).status,
        0);
    const Project fine = openProject(project);
    QCOMPARE(fine.problem.profile.layerCount(), 4);
    QCOMPARE(fine.plans[0].stages[0].lastLayer, 2);
    QCOMPARE(fine.plans[0].stages[1].lastLayer, 3);
    QCOMPARE(call({"check", project}).status, 0);
}

void CommandsTest::importAsksForWhatAnOnnxModelDoesNotSay() {
    const std::string model = STAGECRAFT_SOURCE_DIR "/tests/fuzz/seeds/onnx/convolution.onnx";
    const auto import = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"import", model, "--out", file("o.profile.json")});
        return call(options);
    };
    QVERIFY(mentions(import({}).err, "--gpu NAME"));
    const Outcome open = import({"--gpu", "V100-SXM2-16GB"});
    QVERIFY2(open.status == 2 && mentions(open.err, "the model leaves dimensions open: N (x[0])"),
             open.err.c_str());
    QCOMPARE(import({"--gpu", "V100-SXM2-16GB", "--dim", "N=0"}).status, 2);
    QCOMPARE(import({"--gpu", "V100-SXM2-16GB", "--dim", "N=6"}).status, 0);
    QCOMPARE(openProfile(file("o.profile.json")).profile.microbatchSize, 6);
    QCOMPARE(import({"--gpu", "V100-SXM2-16GB", "--microbatch-size", "4", "--precision", "fp16"}).status, 0);
    QCOMPARE(import({"--gpu", "V100-SXM2-16GB", "--microbatch-size", "4", "--precision", "bf16"}).status, 2);
}

void CommandsTest::exportWritesEveryFormat() {
    planned();
    const std::map<std::string, std::string> beginnings = {
        {"svg", "<?xml"}, {"pdf", "%PDF"}, {"png", "\x89PNG"}, {"tikz", ""}, {"csv", "row,lane"}};
    for (const auto& [format, beginning] : beginnings) {
        const Outcome outcome = call({"export", file("toy.plan.json"), "--format", format, "--out",
                                      file("f." + format), "--width-mm", "100", "--memory"});
        QVERIFY2(outcome.status == 0, outcome.err.c_str());
        const std::string bytes = readTextFile(file("f." + format));
        QVERIFY2(bytes.size() > 100 && bytes.starts_with(beginning), format.c_str());
    }
    QCOMPARE(call({"export", file("toy.plan.json"), "--format", "svg", "--out", file("g.svg"), "--from-s",
                   "9", "--to-s", "1"})
                 .status,
             2);
}

void CommandsTest::renderDrawsEveryView() {
    const std::string project = file("render.stagecraft.json");
    QCOMPARE(call({"plan", toyFile, "--out", project}).status, 0);
    for (const char* view : {"topology", "profile", "plan", "compare"}) {
        const std::string target = file(std::string(view) + ".png");
        const Outcome outcome =
            call({"render", project, "--view", view, "--out", target, "--size", "800x500"});
        QVERIFY2(outcome.status == 0, outcome.err.c_str());
        const QImage image(QString::fromStdString(target));
        QCOMPARE(image.size(), QSize(800, 500));
        QSet<QRgb> colours;
        for (int x = 0; x < image.width(); x += 3)
            for (int y = 0; y < image.height(); y += 3) colours.insert(image.pixel(x, y));
        QVERIFY2(colours.size() > 10, "the picture must not be empty");
    }
}

void CommandsTest::everyViewHasItsPictureInTheResources() {
    const fs::path resources = STAGECRAFT_SOURCE_DIR "/resources";
    const std::string readme = formats::readTextFile(resources / "README.md");
    const QString refusal = QString::fromStdString(call({"render", toyFile, "--out", "x"}).err);
    const QString offered = refusal.section(QStringLiteral("expected "), 1).section(QLatin1Char('\n'), 0, 0);
    const QStringList views = offered.split(QStringLiteral(" | "));
    QVERIFY(views.size() >= 6);
    for (const QString& view : views) {
        const std::string picture = "readme/views/" + view.trimmed().toStdString() + ".png";
        QVERIFY2(mentions(readme, picture), picture.c_str());
        QCOMPARE(QImage(QString::fromStdString(resources / picture)).size(), QSize(1280, 800));
    }
}

void CommandsTest::plannersListsParameters() {
    const json list = json::parse(call({"planners", "--json"}).out)["planners"];
    QVERIFY(list.size() >= 5);
    QCOMPARE(list[0]["id"], "spp");
    QVERIFY(!list[0]["paper"].get<std::string>().empty());
    QVERIFY(!list[0]["parameters"].empty());
    QVERIFY(mentions(call({"planners"}).out, "--set max_stages=0"));
}

void CommandsTest::schedulesListsFamiliesAndPlanRunsEachOfThem() {
    const json listed = json::parse(call({"schedules", "--json"}).out).at("schedules");
    QVERIFY(listed.size() >= 9);
    QVERIFY(mentions(call({"schedules"}).out, "interleaved: Interleaved 1F1B"));
    for (const json& family : listed) {
        const std::string id = family.at("id");
        for (const char* field : {"title", "source", "placement", "parameters"})
            QVERIFY(family.contains(field));
        // BERT's profile does not say which of its layers are of words.
        const bool shares = sharesVocabulary(*findScheduleFamily(id));
        const std::string sample =
            samplePath(shares ? "llama-3-8b.stagecraft.json" : "bert-large-8x4.stagecraft.json");
        const Outcome outcome = call({"plan", sample, "--schedule", id, "--microbatches", "64", "--json",
                                      "--out", file(id + ".plan.json")});
        QVERIFY2(outcome.status == 0, (id + ": " + outcome.err + outcome.out.substr(0, 400)).c_str());
        const json result = json::parse(outcome.out).at("results").at(0);
        QCOMPARE(result.at("status"), json("ok"));
        QCOMPARE(result.at("schedule"), json(id));
        QVERIFY(result.at("peak_in_flight").size() >= 2);
        const Outcome checked = call({"check", file(id + ".plan.json")});
        QVERIFY2(checked.status == 0, (id + ": " + checked.out + checked.err).c_str());
    }
    const json three = json::parse(call({"plan", samplePath("bert-large-8x4.stagecraft.json"), "--schedule",
                                         "interleaved", "--set", "chunks=1", "--json"})
                                       .out);
    QCOMPARE(three.at("results").at(0).at("stages").size(),
             three.at("results").at(0).at("peak_in_flight").size());
}

void CommandsTest::plansAreFoundByTheirNamesInAnyCase() {
    const std::string schedules = samplePath("schedules.stagecraft.json");
    for (const char* name : {"V-Half", "v-half", "V-HALF"})
        QCOMPARE(call({"explain", schedules, "--plan", name}).status, 0);
    QCOMPARE(call({"explain", schedules, "--plan", "-"}).status, 2);
    const Outcome unknown = call({"explain", schedules, "--plan", "V-Third"});
    QCOMPARE(unknown.status, 2);
    QVERIFY2(mentions(unknown.err, "expected one of GPipe, 1F1B"), unknown.err.c_str());
}

void CommandsTest::anOrderIsKeptUnderANameAndUsedWithAnotherProfile() {
    const std::string sample = samplePath("schedules.stagecraft.json");
    qputenv("XDG_DATA_HOME", folder_.filePath(QStringLiteral("data")).toUtf8());
    const Outcome kept = call({"schedules", "--save", "My V", sample, "--plan", "ZB-V"});
    QVERIFY2(kept.status == 0, kept.err.c_str());
    QVERIFY(mentions(call({"schedules"}).out, "My V\n    Custom order, for 8 stages on 4 devices and 8 "));
    QVERIFY(mentions(call({"schedules", "--json"}).out, "\"id\": \"My V\""));
    const Outcome used = call({"plan", sample, "--schedule", "My V", "--json"});
    QVERIFY2(used.status == 0, used.err.c_str());
    const json result = json::parse(used.out).at("results").at(0);
    QCOMPARE(result.at("valid"), json(true));
    QCOMPARE(result.at("stages").size(), std::size_t{8});
    const Outcome elsewhere = call({"plan", samplePath("fig2-toy.stagecraft.json"), "--schedule", "My V"});
    QVERIFY(elsewhere.status != 0 && mentions(elsewhere.err, "it is for 8 stages on 4 devices"));
    QCOMPARE(call({"schedules", "--save", "1f1b", sample, "--plan", "ZB-V"}).status, 2);
    QCOMPARE(call({"schedules", "--forget", "My V"}).status, 0);
    QCOMPARE(call({"schedules", "--forget", "My V"}).status, 2);
    QCOMPARE(call({"plan", sample, "--schedule", "My V"}).status, 2);
}

void CommandsTest::schedulesOverMicrobatchesAreAnExperiment() {
    const std::string path = file("over.experiment.json");
    const Outcome written =
        call({"schedules", "--experiment", path, samplePath("schedules.stagecraft.json")});
    QVERIFY2(written.status == 0, written.err.c_str());
    const Outcome swept = call({"sweep", path, "--out", file("over.json")});
    QVERIFY2(swept.status == 0, swept.err.c_str());
    const json results = json::parse(readTextFile(file("over.json")));
    QVERIFY(results.dump().find("zb-v") != std::string::npos);
    const json one = json::parse(call({"plan", samplePath("schedules.stagecraft.json"), "--planner",
                                       "schedule", "--set", "family=gpipe", "--json"})
                                     .out);
    QCOMPARE(one.at("results").at(0).at("schedule"), json("gpipe"));
}

void CommandsTest::onePeriodOfTheSteadyStateIsWritten() {
    const std::string sample = samplePath("schedules.stagecraft.json");
    const Outcome whole =
        call({"export", sample, "--plan", "1F1B", "--format", "csv", "--out", file("all.csv")});
    QVERIFY2(whole.status == 0, whole.err.c_str());
    const Outcome steady =
        call({"export", sample, "--plan", "1F1B", "--format", "csv", "--out", file("one.csv"), "--steady"});
    QVERIFY2(steady.status == 0, steady.err.c_str());
    const auto rows = [&](const char* name) {
        const std::string text = readTextFile(file(name));
        return std::count(text.begin(), text.end(), '\n');
    };
    QVERIFY(rows("one.csv") > 1 && rows("one.csv") < rows("all.csv") / 4);
    const Outcome both = call({"export", sample, "--plan", "1F1B", "--format", "csv", "--out", file("no.csv"),
                               "--steady", "--from-s", "0"});
    QVERIFY(both.status == 2 && mentions(both.err, "no --from-s"));
}

void CommandsTest::theTablesOfTheSchedulesPageAreWhatItsCommandsPrint() {
    const std::string page = readTextFile(STAGECRAFT_SOURCE_DIR "/resources/help/SCHEDULES.md");
    const std::string equal = call({"schedules", "--table"}).out;
    const std::string unequal =
        call({"schedules", "--table", "--times", "1:1.2:0.9", "--transfer", "0.1"}).out;
    QVERIFY(mentions(equal, "| `1f1b` | 117 |") && unequal != equal);
    QVERIFY2(mentions(page, equal), equal.c_str());
    QVERIFY2(mentions(page, unequal), unequal.c_str());
    QVERIFY(mentions(call({"schedules", "--table", "--times", "1:2"}).err, "such as 1:1.2:0.9"));
    QVERIFY(mentions(call({"schedules", "--table", "--times", "1:0:1"}).err, "expected times above 0"));
    QVERIFY(mentions(call({"schedules", "--devices", "4"}).err, "--devices is for --table"));
}

void CommandsTest::aScheduleThatDoesNotApplyIsRefusedInWords() {
    QVERIFY(mentions(call({"plan", toyFile, "--schedule", "zbv"}).err, "did you mean 'zb-v'?"));
    QVERIFY(
        mentions(call({"plan", toyFile, "--schedule", "zb-h1", "--saved"}).err, "expected no --schedule"));
    const Outcome outcome = call({"plan", toyFile, "--planner", "gpipe", "--schedule", "zb-v", "--json"});
    QCOMPARE(outcome.status, 1);
    QVERIFY(mentions(outcome.out, "stage 2 has 1 layer; expected at least 2"));
    const Outcome all = call({"plan", toyFile, "--planner", "gpipe", "--schedule", "all", "--json"});
    QCOMPARE(all.status, 0);
    std::set<std::string> ran;
    const json results = json::parse(all.out).at("results");
    for (const json& result : results) ran.insert(result.at("schedule"));
    QVERIFY(ran.contains("gpipe") && ran.contains("zb-h2") && !ran.contains("zb-v"));
    QVERIFY(mentions(all.err, "left out: the schedule 'zb-v' does not apply"));
    const Outcome under = call({"plan", toyFile, "--planner", "gpipe", "--schedule", "zb-h1", "--json"});
    QCOMPARE(under.status, 0);
    QVERIFY(mentions(under.out, "ZB-H1 (GPipe)"));
}

/// Llama 2 7B in bf16 with Adam on one GPU of 80 GiB: 16 bytes a parameter are 107.8 GB.
void CommandsTest::memoryOfMixedPrecisionIsMarkedAsUnderstated() {
    const std::string profile = file("llama.profile.json"), cluster = file("one.cluster.json");
    QCOMPARE(call({"generate", "profile", "llama", "--precision", "bf16", "--sequence-length", "2048",
                   "--gpu", "A100-SXM4-80GB", "--out", profile})
                 .status,
             0);
    writeFileAtomically(cluster, R"({"format": "stagecraft/cluster", "version": 1, "name": "one",
        "devices": [{"id": "g0", "server": "s0", "gpu": "X", "memory_bytes": 85899345920, "speed": 1}],
        "switches": [], "links": []})");
    const std::vector<std::string> plan = {"plan",      "--profile", profile,
                                           "--cluster", cluster,     "--microbatches",
                                           "1",         "--planner", "data-parallel"};
    // As new projects are planned, nothing is understated.
    const json mixed = json::parse(call({plan[0], plan[1], plan[2], plan[3], plan[4], plan[5], plan[6],
                                         plan[7], plan[8], "--json"})
                                       .out)
                           .at("results")
                           .at(0);
    QVERIFY(!mixed.contains("memory_understated"));
    const auto planned = [&plan](const std::string& optimizer, const std::string& more) {
        std::vector<std::string> all = plan;
        all.insert(all.end(), {"--optimizer", optimizer, "--state-precision", "uniform"});
        if (!more.empty()) all.push_back(more);
        return call(all);
    };
    const json adam = json::parse(planned("adam", "--json").out).at("results").at(0);
    const json& mark = adam.at("memory_understated");
    QCOMPARE(mark.at("counted_bytes_per_parameter"), json(8.0));
    QCOMPARE(mark.at("mixed_precision_bytes_per_parameter"), json(16.0));
    QVERIFY(mark.at("peak_bytes").get<double>() > 107.8e9);
    QCOMPARE(mark.at("fits_memory"), json(false));
    QVERIFY(mentions(adam.at("notes").dump(), "does not fit"));
    const std::string table = planned("adam", "").out;
    QVERIFY2(mentions(table, "may not run") && mentions(table, ", understated"), table.c_str());
    // Printed, too.
    const std::string saved = file("llama.plan.json"), figure = file("llama.svg");
    std::vector<std::string> save = plan;
    save.insert(save.end(), {"--optimizer", "adam", "--state-precision", "uniform", "--out", saved});
    QCOMPARE(call(save).status, 0);
    const Outcome drawn = call({"export", saved, "--view", "memory", "--format", "svg", "--out", figure});
    QVERIFY2(drawn.status == 0, drawn.err.c_str());
    QVERIFY(mentions(readTextFile(figure), "g0, understated"));
    const std::string sgd = planned("sgd", "").out;
    QVERIFY2(mentions(sgd, ", understated") && !mentions(sgd, "may not run"), sgd.c_str());
}

STAGECRAFT_TEST(CommandsTest)
#include "commands_test.moc"
