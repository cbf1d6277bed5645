// Files of every released version open, and still say what they said: a folder of tests/data/versions for
// each.
#include "core/experiments/results.h"
#include "core/formats/orders/order_table.h"
#include "core/formats/orders/pipelining_csv.h"
#include "core/formats/profiles/network_script.h"
#include "core/formats/recordings/import.h"
#include "core/lessons/results.h"
#include "core/planners/planned_run.h"
#include "core/recordings/recorded_passes.h"
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "app/document/version.h"
#include "app/figures/export_choice.h"
#include "app/lessons/lesson_library.h"

#include <QTest>

#include <algorithm>
#include <filesystem>

using namespace stagecraft;

namespace {

namespace fs = std::filesystem;

const fs::path versionsFolder = fs::path(STAGECRAFT_SOURCE_DIR) / "tests/data/versions";

/// The folder of the version that is tested now.
fs::path here() {
    QFETCH_GLOBAL(QString, version);
    return versionsFolder / version.toStdString();
}

}  // namespace

class VersionsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase_data() {
        QTest::addColumn<QString>("version");
        std::vector<std::string> versions;
        for (const auto& entry : fs::directory_iterator(versionsFolder))
            if (entry.is_directory()) versions.push_back(entry.path().filename().string());
        std::sort(versions.begin(), versions.end());
        QVERIFY2(std::find(versions.begin(), versions.end(), app::document::version()) != versions.end(),
                 "files of the version that is about to be released are missing");
        for (const std::string& version : versions)
            QTest::addRow("%s", version.c_str()) << QString::fromStdString(version);
    }

    void aProfileSaysItsLayers() {
        const LayerProfile profile = openProfile(here() / "chain.profile.json").profile;
        QCOMPARE(profile.name, std::string("Chain of four"));
        QCOMPARE(profile.source, std::string("Made by hand for the test of versions"));
        QCOMPARE(profile.microbatchSize, 3);
        QCOMPARE(profile.layerCount(), 4);
        for (int i = 0; i < 4; ++i) {
            const Layer& layer = profile.layers[static_cast<std::size_t>(i)];
            QCOMPARE(layer.name, "block " + std::to_string(i));
            QCOMPARE(layer.forwardS, 0.01);
            QCOMPARE(layer.backwardS, 0.02);
            QCOMPARE(layer.weightGradientS, 0.008);
            QCOMPARE(layer.parameterBytes, 4e6);
            QCOMPARE(layer.outputBytes, 1e7);
            QCOMPARE(layer.outputGradientBytes, i == 3 ? 5e6 : 1e7);
            QCOMPARE(layer.storedActivationBytes, 2e7);
        }
    }

    void aClusterSaysItsMachines() {
        const Cluster cluster = openCluster(here() / "pair.cluster.json");
        QCOMPARE(cluster.name, std::string("two servers"));
        QCOMPARE(cluster.deviceCount(), 2);
        const Device& second = cluster.devices[1];
        QCOMPARE(second.id, std::string("s1g0"));
        QCOMPARE(second.server, std::string("s1"));
        QCOMPARE(second.gpu, std::string("V100-SXM2-16GB"));
        QCOMPARE(second.memoryBytes, 8589934592.0);
        QCOMPARE(second.speed, 0.5);
        QCOMPARE(second.hostBandwidthBps, 12e9);
        QCOMPARE(cluster.switches.size(), std::size_t(1));
        QCOMPARE(cluster.links.size(), std::size_t(2));
        QCOMPARE(cluster.links[1].bandwidthBps, 5e9);
        QCOMPARE(cluster.links[1].latencyS, 2e-6);
    }

    void aProjectSaysItsSetupPlansNotesFiguresAndRecordings() {
        const Project project = openProject(here() / "two-stages.stagecraft.json");
        QCOMPARE(project.name, std::string("Chain of four"));
        QVERIFY(project.profileFile == "chain.profile.json");
        QVERIFY(project.problem.cluster == openCluster(here() / "pair.cluster.json"));
        const TrainingSetup& setup = project.problem.setup;
        QCOMPARE(setup.microbatches, 4);
        QVERIFY(setup.mode == TrainingMode::synchronous && setup.optimizer == Optimizer::adam);
        QVERIFY(setup.channel == ChannelMode::halfDuplex && !setup.allreduceOverlaps);
        std::vector<std::string> titles;
        for (const Plan& plan : project.plans) titles.push_back(titleOf(plan));
        QVERIFY(titles == (std::vector<std::string>{"PipeDream", "GPipe", "By hand", "Edited"}));
        QVERIFY(project.origins[0].report->predictedS == 0.48);
        QCOMPARE(project.planless.size(), std::size_t(1));
        QCOMPARE(project.planless.front().planner, std::string("madpipe"));
        QVERIFY(project.planless.front().status == PlanStatus::infeasible);
        const std::vector<ChartNote>& notes = project.notes[2];
        QCOMPARE(notes.size(), std::size_t(2));
        QVERIFY(notes[0].atS == 0.02 && notes[0].untilS == 0.04 && notes[0].device == "s0g0");
        QCOMPARE(notes[0].text, std::string("the second microbatch"));
        QCOMPARE(project.figures.size(), std::size_t(1));
        QCOMPARE(project.figures.front().name, std::string("two stages"));
        QCOMPARE(project.figures.front().plan, std::string("By hand"));
        QVERIFY(project.recordings.front().files == std::vector<std::string>{"1f1b.passes.csv"});
    }

    void plansOfAProjectAreAsTheyWereMade() {
        const Project project = openProject(here() / "two-stages.stagecraft.json");
        QCOMPARE(std::get<FamilySchedule>(project.plans[1].schedule.order).name, std::string("gpipe"));
        const auto& order = std::get<ExplicitSchedule>(project.plans[2].schedule.order);
        QCOMPARE(order.orders.at(1).size(), std::size_t(8));
        QVERIFY(order.orders.at(1)[4] == (Task{TaskKind::backward, 1, 0}));
        QVERIFY(project.plans[2].layerMemory(0) == LayerMemory::swap);
        QCOMPARE(project.plans[3].stages.front().lastLayer, 2);
        QVERIFY(project.plans[3].layerMemory(1) == LayerMemory::checkpoint);
        const auto costs = std::make_shared<const CostModel>(project.problem);
        for (std::size_t i = 0; i < project.plans.size(); ++i) {
            const PlanRun run = reopenPlan(costs, project.plans[i], project.origins[i]);
            QVERIFY2(run.ok() && run.evaluation->valid(), run.result.reason.c_str());
            QVERIFY2(run.age == PlanAge::current, run.title().c_str());
            // The first forward with its transfer, the slower stage's 4 · (40 + 80) ms, a transfer and a
            // backward.
            if (run.title() == "GPipe") QVERIFY(std::abs(run.iterationTimeS() - 0.544006) < 1e-9);
        }
    }

    void aPlanSaysItsProblemStagesAndBounds() {
        const PlanFile file = openPlan(here() / "spp.plan.json");
        QCOMPARE(file.plan.planner, std::string("spp"));
        QCOMPARE(file.plan.parameters.at("max_stages"), std::string("2"));
        QCOMPARE(file.problem.profile.layerCount(), 4);
        QCOMPARE(file.problem.setup.microbatches, 4);
        const PlanRun run =
            reopenPlan(std::make_shared<const CostModel>(file.problem), file.plan, file.origin);
        QVERIFY(run.ok() && run.evaluation->valid() && run.age == PlanAge::current);
        QVERIFY(file.origin.report->predictedS == 0.36);
        QCOMPARE(file.origin.report->guarantees.front().name, std::string("Lemma 1"));
        QCOMPARE(file.origin.report->guarantees.front().boundS, 0.72);
        const PlanFile edited = openPlan(here() / "edited.plan.json");
        QCOMPARE(edited.plan.planner, std::string("hand"));
        QVERIFY(!edited.origin.report);
        QCOMPARE(edited.plan.stages.front().layerCount(), 3);
    }

    void ordersSayWhoRunsWhat() {
        const Cluster cluster = openCluster(here() / "pair.cluster.json");
        const TabledOrder order =
            readOrderTable(readTextFile(here() / "gpipe.order.csv"), "gpipe.order.csv", cluster);
        QVERIFY(order.devices == (std::vector<std::vector<int>>{{0}, {1}}));
        const auto& tasks = std::get<ExplicitSchedule>(order.schedule.order).orders.at(0);
        QCOMPARE(tasks.size(), std::size_t(8));
        QVERIFY(tasks[3] == (Task{TaskKind::forward, 0, 3}) && tasks[4] == (Task{TaskKind::backward, 0, 0}));
    }

    void aTableOfPassesIsARecording() {
        const std::vector<fs::path> files = {here() / "1f1b.passes.csv"};
        const Recording recording = readRecording(files);
        QCOMPARE(recording.stageCount(), 2);
        QCOMPARE(recording.iterations.size(), std::size_t(1));
        QCOMPARE(recording.timeline.blockCount(), std::size_t(8));
        QCOMPARE(recording.timeline.lastEndS(), 0.271);
    }

    void aFigureStyleSaysHowFiguresLook() {
        const FigureStyle style = openFigureStyle(here() / "column.figure-style.json");
        QCOMPARE(style.name, std::string("Column of a paper"));
        QCOMPARE(style.widthMm, 84.0);
        QVERIFY(style.axis == FigureAxis::blocks && style.palette == PaletteKind::viridis);
        QCOMPARE(style.laneNames, std::string("GPU {n}"));
    }

    void anExperimentAndItsResultsSayWhatWasFound() {
        const Experiment experiment = openExperiment(here() / "microbatches.experiment.json");
        QCOMPARE(experiment.name, std::string("Microbatches of a chain"));
        QCOMPARE(experiment.axes.front().values.size(), std::size_t(2));
        QCOMPARE(experiment.planners.size(), std::size_t(2));
        QCOMPARE(experiment.claims.front().atMost, 1.0);
        const ExperimentResults results = openResults(here() / "microbatches.results.json");
        QVERIFY(results.complete());
        QCOMPARE(results.cells.size(), std::size_t(4));
        const CellResult& gpipe = results.cells[2];
        QVERIFY(gpipe.status == CellStatus::ok);
        QVERIFY(std::abs(*gpipe.metric("iteration_time_s") - 0.544006) < 1e-9);
    }

    void aLessonSaysItsStepsAndTasks() {
        const Lesson lesson = openLesson(here() / "two-stages.lesson.md");
        QCOMPARE(lesson.title, std::string("Two stages"));
        QCOMPARE(lesson.minutes, 2);
        QCOMPARE(lesson.steps.size(), std::size_t(3));
        QCOMPARE(lesson.steps[0].show.plan, std::string("By hand"));
        QCOMPARE(std::get<Deed>(lesson.steps[1].task).block, std::string("stage:1 kind:forward mb:0"));
        QCOMPARE(std::get<double>(std::get<Question>(lesson.steps[2].task).number), 4.0);
    }

    void resultsOfALessonSayTheScore() {
        const std::string name = "ada.lesson-results.json";
        const LessonResults results = stagecraft::lessons::readResults(readTextFile(here() / name), name);
        QCOMPARE(results.name, std::string("Ada"));
        QCOMPARE(results.tasks[1].tries, 2);
        QCOMPARE(results.score(), 0.5);
    }

    void aNetworkScriptSaysItsEvents() {
        const std::string name = "layers-move.script.json";
        const NetworkScript script = readNetworkScript(readTextFile(here() / name), name);
        QCOMPARE(script.durationS, 1500.0);
        QCOMPARE(script.events.size(), std::size_t(2));
    }
};

STAGECRAFT_TEST(VersionsTest)
#include "versions_test.moc"
