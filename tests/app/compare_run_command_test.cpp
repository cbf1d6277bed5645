// Recordings of runs without a window: what they say, as plans, and beside plans.
#include "core/cost/cost_model.h"
#include "core/formats/files/project_file.h"
#include "core/formats/recordings/import.h"
#include "core/formats/text_file.h"
#include "core/planners/planned_run.h"
#include "tests/app/command_call.h"
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>

using nlohmann::json;
using namespace stagecraft;
using testing::call;
using testing::mentions;

class CompareRunCommandTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string file(const char* name) const { return folder_.filePath(QLatin1String(name)).toStdString(); }
    const std::string measured_ = STAGECRAFT_SOURCE_DIR "/samples/measured/two-stages/";
    const std::string table_ = measured_ + "1f1b.passes.csv";

    /// Of the table, in seconds: from the first start to the last end of those that do not warm up.
    double meanIterationS() const {
        const Recording recording = readRecording({table_});
        double sum = 0, count = 0;
        for (const RecordedIteration& each : recording.iterations)
            if (!each.warmsUp) sum += each.endS - each.startS, ++count;
        return sum / count;
    }

private slots:
    void aRecordingSaysWhatItIs() {
        const auto told = call({"import", table_});
        QCOMPARE(told.status, 0);
        for (const char* line :
             {"1f1b.passes.csv: table of passes\n", "This is 1F1B", "2 stages on 2 ranks, 8 microbatches.\n",
              "An iteration takes ", "what was read:\n  recognised: 272 passes of 2 ranks.\n"})
            QVERIFY2(mentions(told.out, line), (std::string(line) + "\n" + told.out).c_str());
        const json document = json::parse(call({"import", table_, "--as", "recording", "--json"}).out);
        QCOMPARE(document.at("stages").get<int>(), 2);
        QCOMPARE(document.at("exact").get<bool>(), true);
        double idleS = 0;
        for (const auto& [name, seconds] : document.at("idle").items()) idleS += seconds.get<double>();
        double ofRanksS = 0;
        for (const json& rank : document.at("of_ranks")) ofRanksS += rank.at("idle_s").get<double>();
        QVERIFY(std::abs(idleS - ofRanksS) < 1e-9);
    }

    void aRecordingIsWrittenAsATraceAndReadAgain() {
        QCOMPARE(call({"import", table_, "--out", file("run.json")}).status, 0);
        const json once = json::parse(call({"import", table_, "--json"}).out),
                   again = json::parse(call({"import", file("run.json"), "--json"}).out);
        for (const char* same : {"family", "stages", "ranks", "microbatches", "warm_ups"})
            QCOMPARE(again.at(same).dump(), once.at(same).dump());
        QVERIFY(std::abs(again.at("iteration_s").get<double>() - once.at("iteration_s").get<double>()) <
                1e-8);
    }

    void aRecordingBecomesAProfileAPlanAndAProject() {
        QCOMPARE(call({"import", table_, "--as", "plan", "--out", file("p.stagecraft.json")}).status, 0);
        const Project project = openProject(file("p.stagecraft.json"));
        QCOMPARE(project.problem.setup.microbatches, 8);
        QCOMPARE(project.plans.size(), std::size_t{1});
        const auto missing = call({"import", table_, "--as", "plan"});
        QCOMPARE(missing.status, 2);
        QCOMPARE(call({"import", table_, "--as", "plan", "--out", file("p.plan.json")}).status, 0);
        QVERIFY(openPlan(file("p.plan.json")).plan == project.plans.front());
        QCOMPARE(call({"import", table_, "--as", "profile", "--out", file("p.profile.json")}).status, 0);
        QVERIFY(openProfile(file("p.profile.json")).profile == project.problem.profile);
        const auto told = call({"recognise", file("p.stagecraft.json")});
        QVERIFY2(mentions(told.out, "This is 1F1B"), told.out.c_str());
    }

    void aPlanBesideItsRun() {
        QCOMPARE(call({"import", table_, "--as", "plan", "--out", file("p.stagecraft.json")}).status, 0);
        const auto told = call({"compare-run", file("p.stagecraft.json"), table_});
        QCOMPARE(told.status, 0);
        QVERIFY2(mentions(told.out, "recorded order beside 1f1b.passes.csv\nOn the mean the run takes "),
                 told.out.c_str());
        const auto proposed = call({"compare-run", "--propose", table_, "--json"});
        QCOMPARE(proposed.status, 0);
        const json match = json::parse(proposed.out).at("match");
        double parts = 0;
        for (const json& part : match.at("parts")) parts += part.at("seconds").get<double>();
        QVERIFY(std::abs(parts - match.at("difference_s").get<double>()) < 1e-9);
        QCOMPARE(match.at("unplanned").get<int>(), 0);
        QCOMPARE(match.at("missing").get<int>(), 0);
        // A plan is beside the mean iteration; what is not of the run is its own.
        const Project project = openProject(file("p.stagecraft.json"));
        const PlanRun run =
            evaluatePlan(std::make_shared<const CostModel>(project.problem), project.plans.front());
        QVERIFY(std::abs(match.at("planned_s").get<double>() - run.iterationTimeS()) < 1e-9);
        QVERIFY(std::abs(match.at("recorded_s").get<double>() - meanIterationS()) < 1e-9);
        // Where the plan takes half the time for the passes of a stage, these are what is longer.
        Project fast = project;
        for (int layer = 4; layer < 8; ++layer)
            fast.problem.profile.layers[static_cast<std::size_t>(layer)].backwardS /= 2;
        writeFileAtomically(file("fast.stagecraft.json"), writeProject(fast));
        const json missed =
            json::parse(call({"compare-run", file("fast.stagecraft.json"), table_, "--json"}).out)
                .at("match");
        QCOMPARE(missed.at("parts").at(0).at("cause").get<std::string>(), std::string("compute"));
        QCOMPARE(missed.at("parts").at(0).at("stage").get<int>(), 1);
        QCOMPARE(missed.at("parts").at(0).at("where").get<std::string>(), std::string("backward of stage 1"));
        QVERIFY(missed.at("parts").at(0).at("seconds").get<double>() > 0);
        const auto said = call({"compare-run", file("fast.stagecraft.json"), table_});
        QVERIFY2(mentions(said.out, "backward of stage 1"), said.out.c_str());
    }

    void aCalibratedProjectPredictsTheRun() {
        QCOMPARE(call({"import", table_, "--as", "plan", "--out", file("p.stagecraft.json")}).status, 0);
        Project wrong = openProject(file("p.stagecraft.json"));
        for (Layer& layer : wrong.problem.profile.layers) layer.forwardS *= 2;
        writeFileAtomically(file("wrong.stagecraft.json"), writeProject(wrong));
        const auto told = call({"compare-run", file("wrong.stagecraft.json"), table_, "--calibrate",
                                file("real.stagecraft.json"), "--json"});
        QCOMPARE(told.status, 0);
        const json calibration = json::parse(told.out).at("calibration");
        QVERIFY(calibration.at("error_before").get<double>() > 0.1);
        QVERIFY(std::abs(calibration.at("error_after").get<double>()) < 0.05);
        const Project real = openProject(file("real.stagecraft.json"));
        const PlanRun run = evaluatePlan(std::make_shared<const CostModel>(real.problem), real.plans.front());
        QVERIFY(run.ok());
        QVERIFY(std::abs(run.iterationTimeS() - calibration.at("after_s").get<double>()) < 1e-9);
        QCOMPARE(call({"plan", file("real.stagecraft.json"), "--planner", "gpipe"}).status, 0);
    }

    void twoRecordingsBesideEachOther() {
        const auto told = call({"compare-run", table_, measured_ + "gpipe.passes.csv"});
        QCOMPARE(told.status, 0);
        QVERIFY2(mentions(told.out, "On the mean the run takes "), told.out.c_str());
        QCOMPARE(call({"compare-run", table_, table_, "--calibrate", file("x.json")}).status, 2);
        QCOMPARE(call({"compare-run", table_}).status, 2);
    }

    void badFilesAreRefusedByName() {
        const std::string bad = file("bad.json");
        writeFileAtomically(bad, R"({"traceEvents": [{"ph": "X", )");
        const auto told = call({"import", bad});
        QCOMPARE(told.status, 2);
        const auto refused = [](const testing::Outcome& outcome) {
            return outcome.status == 2 && outcome.out.empty() ? outcome.err : "it was not refused";
        };
        QCOMPARE(refused(told), "stagecraft: " + bad +
                                    ": byte 30: the JSON is cut off; expected a Trace Event "
                                    "file as the profiler wrote it\n");
        const std::string other = measured_ + "halves.cluster.json";
        QVERIFY2(mentions(refused(call({"import", other, "--as", "recording"})),
                          other + ": this is no recording; expected one of these: "),
                 refused(call({"import", other, "--as", "recording"})).c_str());
        // Of several files the one that is wrong is named.
        const std::string good = file("rank0.csv"), wrong = file("rank1.csv");
        writeFileAtomically(good, "rank,pass,stage,microbatch,start_ms,end_ms\n0,F,0,0,1,2\n");
        writeFileAtomically(wrong, "rank,pass,stage,microbatch,start_ms,end_ms\n1,Q,0,0,1,2\n");
        QCOMPARE(refused(call({"import", good, wrong})),
                 "stagecraft: " + wrong +
                     ": line 2: 'Q' is no pass; expected F, B, I, W, R, their words, update or a transfer\n");
        QVERIFY2(mentions(refused(call({"compare-run", "--propose", bad})), bad + ": byte 30"),
                 refused(call({"compare-run", "--propose", bad})).c_str());
    }
};

STAGECRAFT_TEST(CompareRunCommandTest)
#include "compare_run_command_test.moc"
