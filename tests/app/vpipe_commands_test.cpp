#include "core/base/csv_text.h"
#include "core/formats/files/project_file.h"
#include "tests/support/window_rooms.h"
#include "tests/app/command_call.h"
#include "tests/app/sample_files.h"
#include "tests/support/qt_program.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

using namespace stagecraft;
using testing::call, testing::Outcome;
using testing::samplePath;
using testing::vpipeBertFile;

namespace {

const std::string gnmt = samplePath("vpipe-gnmt.stagecraft.json");

std::string textIn(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

class VpipeCommandsTest : public QObject {
    Q_OBJECT

private slots:
    void init() { QVERIFY(folder_.isValid()); }

    void migratePrintsTheStepsAndTheStallsOfBothWays() {
        const Outcome outcome = call({"migrate", vpipeBertFile, "--out", path("migration.csv")});
        QCOMPARE(outcome.status, 0);
        for (const char* part : {"prepare", "ready", "activations", "parameters",
                                 "live: ", "stop-and-copy: ", "every gradient enters one update"})
            QVERIFY2(outcome.out.find(part) != std::string::npos, part);
        QVERIFY(textIn(path("migration.csv")).starts_with("row,lane,"));
    }

    void migrateWritesDataRatesAndUtilisationOverTime() {
        const Outcome outcome =
            call({"migrate", vpipeBertFile, "--rates", path("rates.csv"), "--window-s", "0.5"});
        QCOMPARE(outcome.status, 0);
        QVERIFY2(outcome.out.find("in any 500 ms: at most ") != std::string::npos, outcome.out.c_str());
        const std::string csv = textIn(path("rates.csv"));
        QVERIFY(csv.starts_with("start_s,end_s,training_Bps,migration_Bps,utilisation,recompute,computing "));
        QVERIFY(csv.find("\r\n0.5,1,") != std::string::npos);
        QVERIFY(call({"migrate", vpipeBertFile}).out.find("in any ") == std::string::npos);
        QCOMPARE(call({"migrate", vpipeBertFile, "--window-s", "0"}).status, 2);
        QCOMPARE(call({"migrate", vpipeBertFile, "--rates", path("r.csv"), "--window-s", "1e-9"}).status, 2);
    }
    void migrateNeedsBothPlansOrNone() {
        QCOMPARE(call({"migrate", vpipeBertFile, "--from", "0"}).status, 2);
        QCOMPARE(call({"migrate", vpipeBertFile, "--from", "0", "--to", "7"}).status, 2);
        QCOMPARE(call({"migrate", vpipeBertFile, "--how", "fast"}).status, 2);
        QCOMPARE(call({"migrate", vpipeBertFile, "--from", "0", "--to", "1"}).status, 0);
    }

    void migrateSaysWhichPlansAreOutOfDate() {
        const std::string changed = path("changed.json");
        std::string text = textIn(vpipeBertFile);
        const std::string asked = "\"microbatches\": 32",
                          said = "Out of date: it was planned for another setup.";
        QVERIFY(text.find(asked) != std::string::npos);
        std::ofstream(changed) << text.replace(text.find(asked), asked.size(), "\"microbatches\": 16");
        QVERIFY(call({"migrate", vpipeBertFile, "--from", "0", "--to", "1"}).err.empty());
        const Outcome outcome = call({"migrate", changed, "--from", "0", "--to", "1"});
        QCOMPARE(outcome.status, 0);
        const std::size_t first = outcome.err.find(said);
        QVERIFY2(first != std::string::npos && outcome.err.find(said, first + 1) != std::string::npos,
                 outcome.err.c_str());
        const std::string own = call({"migrate", changed}).err;  // vPipe's own plans are made now
        QVERIFY2(own.find(said) == std::string::npos, own.c_str());
    }

    void comparisonsSayWhichPlansAreOutOfDate() {
        const std::string changed = path("compared.json");
        std::string text = textIn(vpipeBertFile);
        const std::string asked = "\"microbatches\": 32",
                          said = "Out of date: it was planned for another setup.";
        std::ofstream(changed) << text.replace(text.find(asked), asked.size(), "\"microbatches\": 16");
        const std::vector<std::vector<std::string>> commands = {{"export", "--format", "svg"}, {"render"}};
        for (const std::vector<std::string>& command : commands) {
            const auto compared = [&](const std::string& file) {
                std::vector<std::string> words = command;
                words.insert(words.begin() + 1, file);
                words.insert(words.end(), {"--view", "compare", "--out",
                                           path(command[0] == "export" ? "compared.svg" : "compared.png")});
                return call(words);
            };
            QVERIFY2(compared(vpipeBertFile).err.empty(), command[0].c_str());
            const Outcome outcome = compared(changed);
            QCOMPARE(outcome.status, 0);
            QVERIFY2(outcome.err.find(said) != std::string::npos, outcome.err.c_str());
        }
    }

    void dynamicWritesARowForEachChange() {
        const Outcome outcome =
            call({"dynamic", vpipeBertFile, "--script", samplePath("scripts/vpipe-fig13.json"), "--out",
                  path("throughput.csv")});
        QCOMPARE(outcome.status, 0);
        const std::string csv = textIn(path("throughput.csv"));
        QVERIFY(csv.starts_with("time_s,event,static_samples_per_s,"));
        // Numbers are the shortest that read back exactly.
        const std::size_t row = csv.find('\n') + 1, rate = csv.find(',', csv.find(',', row) + 1) + 1;
        const std::string cell = csv.substr(rate, csv.find(',', rate) - rate);
        std::string again;
        appendNumber(again, std::stod(cell));
        QCOMPARE(cell, again);
        QVERIFY(cell.size() > 12);
        for (const char* part :
             {"0,start,", "342,4 layers added to stage 0,", "layers have migrated", "1500,end,"})
            QVERIFY2(csv.find(part) != std::string::npos, part);
    }

    void aScriptThatTheNetworkDoesNotAllowIsBadInputAndWritesNothing() {
        std::ofstream(path("bad.json"))
            << R"({"format": "stagecraft/network-script", "version": 1, "duration_s": 9, )"
            << R"("events": [{"at_s": 1, "stage": 0, "remove_layers": 1000}]})";
        const Outcome outcome =
            call({"dynamic", gnmt, "--script", path("bad.json"), "--out", path("none.csv")});
        QCOMPARE(outcome.status, 2);
        QVERIFY(outcome.err.find("one at least has to stay") != std::string::npos);
        QVERIFY(!std::filesystem::exists(path("none.csv")));
    }

    void planJsonTellsEffectiveAndTotalUtilisation() {
        const Outcome outcome = call({"plan", gnmt, "--planner", "vpipe", "--set", "over=gpipe", "--json"});
        QCOMPARE(outcome.status, 0);
        for (const char* part :
             {"effective_utilisation", "total_utilisation", "busy_utilisation", "\"effective\"", "\"busy\"",
              "swap_stall", "host_link", "ideal_throughput_samples_per_s", "useful_devices"})
            QVERIFY2(outcome.out.find(part) != std::string::npos, part);
        // Shares, as in experiments; the sum over devices has a name of its own.
        const auto result = nlohmann::json::parse(outcome.out).at("results").at(0);
        const double effective = result.at("effective_utilisation"), total = result.at("total_utilisation"),
                     busy = result.at("busy_utilisation"), devices = result.at("useful_devices");
        QVERIFY(0 < effective && effective <= total && total <= busy + 1e-9 && busy <= 1);
        QVERIFY(devices > 1 && devices > effective);
    }

    void granularityPlansForTheOperatorsOfAProfile() {
        const std::string cells = samplePath("madpipe-resnet-50.stagecraft.json");
        const Outcome outcome = call({"plan", cells, "--granularity", "finest", "--planner", "gpipe", "--out",
                                      path("fine.stagecraft.json")});
        QCOMPARE(outcome.status, 0);
        QVERIFY2(outcome.err.find("are dropped") != std::string::npos, outcome.err.c_str());
        const Project fine = openProject(path("fine.stagecraft.json"));
        QCOMPARE(fine.problem.profile.layers.size(),
                 openProject(cells).problem.profile.operators.nodes.size());
        QCOMPARE(fine.plans.size(), std::size_t(1));
        QCOMPARE(fine.plans[0].stages.back().lastLayer + 1, fine.problem.profile.layerCount());
        QCOMPARE(call({"check", path("fine.stagecraft.json"), "--plan", "0"}).status, 0);
        const Outcome none = call({"plan", vpipeBertFile, "--granularity", "finest"});
        QCOMPARE(none.status, 2);
        QVERIFY2(none.err.find("does not know the operators") != std::string::npos, none.err.c_str());
        QCOMPARE(call({"plan", cells, "--granularity", "fine"}).status, 2);
    }

private:
    std::string path(const char* name) const { return folder_.filePath(name).toStdString(); }

    QTemporaryDir folder_;
};

STAGECRAFT_TEST(VpipeCommandsTest)
#include "vpipe_commands_test.moc"
