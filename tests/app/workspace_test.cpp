// The document and the jobs, without a window.
#include "app/document/problems_model.h"
#include "tests/support/window_rooms.h"
#include "app/document/samples.h"
#include "app/document/workspace.h"
#include "app/jobs/planning_controller.h"
#include "core/planners/planned_run.h"
#include "core/editing/cluster_edit.h"
#include "tests/support/qt_program.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <random>

using namespace stagecraft;

namespace {

std::shared_ptr<const PlanRun> runOf(const Workspace& workspace, const std::string& planner) {
    auto costs = std::make_shared<const CostModel>(workspace.problem());
    PlanRun run = runAndEvaluate(*findPlanner(planner), costs, {});
    run.result.planningTimeS = 0;  // the one thing that differs from run to run
    return std::make_shared<const PlanRun>(std::move(run));
}

void setMicrobatches(Workspace& workspace, int microbatches) {
    TrainingSetup setup = workspace.problem().setup;
    setup.microbatches = microbatches;
    workspace.setSetup(setup);
}

}  // namespace

class WorkspaceTest : public QObject {
    Q_OBJECT

    static void openToy(Workspace& workspace) {
        workspace.openProject(*findSample(QStringLiteral("fig2-toy"))->project, {});
    }

private slots:
    void editsOfOneFieldInARowAreOneStep() {
        Workspace workspace;
        openToy(workspace);
        const Project before = workspace.project();
        setMicrobatches(workspace, 5);
        setMicrobatches(workspace, 6);
        setMicrobatches(workspace, 7);
        QCOMPARE(workspace.undoStack()->count(), 1);
        workspace.undoStack()->undo();
        QVERIFY(workspace.project() == before);
        workspace.undoStack()->redo();
        QCOMPARE(workspace.problem().setup.microbatches, 7);
    }

    void anEditThatComesBackToWhereItBeganIsNoStep() {
        Workspace workspace;
        openToy(workspace);
        const int before = workspace.problem().setup.microbatches;
        setMicrobatches(workspace, before + 1);
        setMicrobatches(workspace, before);
        QCOMPARE(workspace.undoStack()->count(), 0);
        QVERIFY(!workspace.isDirty());
    }

    void differentFieldsAreDifferentSteps() {
        Workspace workspace;
        openToy(workspace);
        setMicrobatches(workspace, 5);
        TrainingSetup setup = workspace.problem().setup;
        setup.optimizer = setup.optimizer == Optimizer::adam ? Optimizer::sgd : Optimizer::adam;
        workspace.setSetup(setup);
        QCOMPARE(workspace.undoStack()->count(), 2);
    }

    void undoBringsBackTheRunsOfTheProblemBefore() {
        Workspace workspace;
        openToy(workspace);
        const int id = workspace.addRun(runOf(workspace, "gpipe"));
        const auto run = workspace.plan(id)->run;
        setMicrobatches(workspace, 5);
        QVERIFY2(!workspace.plan(id)->run, "a run of another problem must not be shown");
        workspace.undoStack()->undo();
        QCOMPARE(workspace.plan(id)->run, run);
    }

    void runsOfStepsFarBackAreLetGoAndWorkedOutAnewWhenOneGoesThere() {
        Workspace workspace;
        PlanningController planning(workspace);
        openToy(workspace);
        const int id = workspace.addRun(runOf(workspace, "gpipe"));
        const std::weak_ptr<const PlanRun> run = workspace.plan(id)->run;
        const double timeS = run.lock()->iterationTimeS();
        workspace.removePlan(id);
        const auto takeSteps = [&workspace](int steps) {
            for (int step = 0; step < steps; ++step)
                workspace.setFigures({KeptFigure{"figure " + std::to_string(step)}}, QStringLiteral("Keep"));
        };
        takeSteps(15);
        QVERIFY2(!run.expired(), "a step that is near brings its plan back at once");
        takeSteps(15);
        QVERIFY2(run.expired(), "what was planned in hours would fill memory");
        for (int step = 0; step < 31; ++step) workspace.undoStack()->undo();
        QVERIFY(workspace.plan(id));
        QTRY_VERIFY(workspace.plan(id)->run);
        QCOMPARE(workspace.plan(id)->run->iterationTimeS(), timeS);
    }

    void plansAreAddedRenamedAndRemovedUndoably() {
        Workspace workspace;
        openToy(workspace);
        const Project start = workspace.project();
        const int id = workspace.addRun(runOf(workspace, "gpipe"));
        workspace.renamePlan(id, QStringLiteral("  baseline "));
        QCOMPARE(workspace.plan(id)->title(), QStringLiteral("baseline"));
        const Project named = workspace.project();
        workspace.removePlan(id);
        QVERIFY(!workspace.plan(id));
        workspace.undoStack()->undo();
        QVERIFY(workspace.project() == named);
        while (workspace.undoStack()->canUndo()) workspace.undoStack()->undo();
        QVERIFY(workspace.project() == start);
        while (workspace.undoStack()->canRedo()) workspace.undoStack()->redo();
        QVERIFY(!workspace.plan(id));
    }

    void aMemoryLimitAndThePlanMadeForItAreOneStepAndABetterPlanBelongsToIt() {
        Workspace workspace;
        openToy(workspace);
        const int id = workspace.addRun(runOf(workspace, "gpipe"));
        const int other = workspace.addRun(runOf(workspace, "data-parallel"));
        const Project before = workspace.project();
        const auto run = workspace.plan(id)->run;
        const int steps = workspace.undoStack()->count();
        constexpr double limit = 3e9;
        workspace.replan(id, limit, runOf(workspace, "pipedream"));
        QCOMPARE(workspace.problem().setup.memoryLimitBytes, std::optional(limit));
        QCOMPARE(workspace.plan(id)->plan.planner, std::string("pipedream"));
        QVERIFY(workspace.plan(id)->run);
        QVERIFY(!workspace.plan(other)->run);  // it has to be worked out afresh
        workspace.replan(id, limit, runOf(workspace, "hetpipe"));
        QCOMPARE(workspace.plan(id)->plan.planner, std::string("hetpipe"));
        QCOMPARE(workspace.undoStack()->count(), steps + 1);
        const Project after = workspace.project();
        workspace.undoStack()->undo();
        QVERIFY(workspace.project() == before);
        QCOMPARE(workspace.plan(id)->run, run);
        QVERIFY(workspace.plan(other)->run);
        workspace.undoStack()->redo();
        QVERIFY(workspace.project() == after);
        // Another limit is another step, and so is what comes after another edit.
        workspace.replan(id, std::nullopt, nullptr);
        QCOMPARE(workspace.undoStack()->count(), steps + 2);
        setMicrobatches(workspace, 9);
        workspace.replan(id, std::nullopt, runOf(workspace, "gpipe"));
        QCOMPARE(workspace.undoStack()->count(), steps + 4);
        // Nothing to do is no step.
        workspace.replan(id, std::nullopt, nullptr);
        QCOMPARE(workspace.undoStack()->count(), steps + 4);
    }

    void theOrderOfPlansDoesNotDependOnWhichPlannerFinishedFirst() {
        Workspace one, other;
        for (Workspace* workspace : {&one, &other}) {
            Project project = *findSample(QStringLiteral("fig2-toy"))->project;
            project.plans.clear();
            workspace->openProject(project, {});
        }
        for (const auto& planner : allPlanners()) one.addRun(runOf(one, planner->description().id));
        for (auto planner = allPlanners().rbegin(); planner != allPlanners().rend(); ++planner)
            other.addRun(runOf(other, (*planner)->description().id));
        QVERIFY(one.project() == other.project());
    }

    void editsOfTheClusterAreStepsAndMergeByTheirKey() {
        Workspace workspace;
        openToy(workspace);
        const Project before = workspace.project();
        Cluster cluster = before.problem.cluster;
        workspace.editCluster(cluster, QStringLiteral("Nothing"));
        QCOMPARE(workspace.undoStack()->count(), 0);
        for (const double bandwidth : {1e9, 2e9, 3e9}) {
            cluster.links[0].bandwidthBps = bandwidth;
            workspace.editCluster(cluster, QStringLiteral("Set bandwidth"), QStringLiteral("links/0"));
        }
        QCOMPARE(workspace.undoStack()->count(), 1);
        cluster.links[1].bandwidthBps = 1e9;
        workspace.editCluster(cluster, QStringLiteral("Set bandwidth"), QStringLiteral("links/1"));
        QCOMPARE(workspace.undoStack()->count(), 2);
        const Project after = workspace.project();
        workspace.undoStack()->undo();
        workspace.undoStack()->undo();
        QVERIFY(workspace.project() == before);
        workspace.undoStack()->redo();
        workspace.undoStack()->redo();
        QVERIFY(workspace.project() == after);
    }

    void aThousandEditsUndosAndRedosLeaveTheDocumentEqualToItsReplay() {
        Workspace workspace;
        openToy(workspace);
        workspace.addRun(runOf(workspace, "data-parallel"));
        QUndoStack& undo = *workspace.undoStack();
        const int start = undo.index();
        const auto plansOf = [](const Workspace& of) {
            std::vector<Plan> plans;
            for (const PlanItem& item : of.plans()) plans.push_back(item.plan);
            return plans;
        };
        // What the document was at each place of the stack.
        std::vector<std::pair<Cluster, std::vector<Plan>>> states(
            std::size_t(start) + 1, {workspace.problem().cluster, plansOf(workspace)});
        std::mt19937_64 random(7);
        const auto below = [&random](std::size_t count) { return int(random() % count); };
        for (int i = 0; i < 1000; ++i) {
            const int what = below(4);
            if (what == 0 && undo.index() > start) {
                undo.undo();
            } else if (what == 1 && undo.canRedo()) {
                undo.redo();
            } else {
                Cluster cluster = workspace.problem().cluster;
                QString key;
                switch (below(5)) {
                    case 0:
                        addDevice(cluster, {"", "", "V100", 16e9, 1, 0}, "s0", {1.0 * i, 0});
                        break;
                    case 1:
                        if (cluster.deviceCount() > 2)
                            removePart(cluster, {{below(cluster.devices.size())}, {}, {}});
                        break;
                    case 2:
                        if (cluster.devices.size() < 40)
                            duplicatePart(cluster, {{below(cluster.devices.size())}, {}, {}}, {{5, 5}});
                        break;
                    case 3:
                        movePart(cluster, {{below(cluster.devices.size())}, {}, {}}, {1, 1});
                        key = QStringLiteral("nudge");
                        break;
                    default:
                        if (cluster.links.empty()) break;
                        cluster.links[std::size_t(below(cluster.links.size()))].bandwidthBps = 1e9 * below(4);
                }
                workspace.editCluster(std::move(cluster), QStringLiteral("Edit"), key);
                if (undo.canRedo()) continue;  // it changed nothing
                states.resize(std::size_t(undo.index()) + 1);
                states.back() = {workspace.problem().cluster, plansOf(workspace)};
            }
            const auto& [cluster, plans] = states[std::size_t(undo.index())];
            QVERIFY(workspace.problem().cluster == cluster);
            QVERIFY(plansOf(workspace) == plans);
        }
        const Project before = workspace.project();
        const int index = undo.index();
        undo.setIndex(start);
        undo.setIndex(index);
        QVERIFY(workspace.project() == before);
    }

    void mergedEditsThatComeBackToWhereTheyBeganAreNoStep() {
        Workspace workspace;
        openToy(workspace);
        const int state = workspace.clusterState();
        Cluster cluster = workspace.problem().cluster;
        const Cluster before = cluster;
        cluster.links[0].bandwidthBps = 1;
        workspace.editCluster(cluster, QStringLiteral("Set bandwidth"), QStringLiteral("key"));
        workspace.editCluster(before, QStringLiteral("Set bandwidth"), QStringLiteral("key"));
        QCOMPARE(workspace.undoStack()->count(), 0);
        QCOMPARE(workspace.clusterState(), state);
    }

    void positionsDoNotVoidTheRunsAndBandwidthsDo() {
        Workspace workspace;
        openToy(workspace);
        const int id = workspace.addRun(runOf(workspace, "gpipe"));
        Cluster cluster = workspace.problem().cluster;
        QSignalSpy changed(&workspace, &Workspace::problemChanged);
        cluster.layout[cluster.devices[0].id] = {10, 20};
        workspace.editCluster(cluster, QStringLiteral("Move"));
        QVERIFY(workspace.plan(id)->run);
        QCOMPARE(changed.back().front().toUInt(), unsigned(drawingPart));
        cluster.links[0].bandwidthBps /= 4;
        workspace.editCluster(cluster, QStringLiteral("Set bandwidth"));
        QVERIFY(!workspace.plan(id)->run);
    }

    void aPlanForTheEditedClusterStandsBesideTheOneBefore() {
        Workspace workspace;
        openToy(workspace);
        const int old = workspace.addRun(runOf(workspace, "gpipe"));
        const Plan oldPlan = workspace.plan(old)->plan;
        Cluster cluster = workspace.problem().cluster;
        cluster.links[0].bandwidthBps /= 4;
        workspace.editCluster(cluster, QStringLiteral("Set bandwidth"));
        const int next = workspace.addRun(runOf(workspace, "gpipe"));
        QVERIFY(next != old);
        QVERIFY(workspace.plan(old)->plan == oldPlan);
        QVERIFY2(workspace.plan(old)->title() != workspace.plan(next)->title(),
                 qPrintable(workspace.plan(next)->title()));
        QCOMPARE(workspace.planIndex(next), workspace.planIndex(old) + 1);
        QCOMPARE(workspace.addRun(runOf(workspace, "gpipe")), next);
        workspace.undoStack()->undo();  // the second run of the two
        workspace.undoStack()->undo();
        workspace.undoStack()->undo();  // the edit
        QCOMPARE(workspace.addRun(runOf(workspace, "gpipe")), old);
    }

    void plansFollowTheirDevicesAndSayWhichAreGone() {
        Workspace workspace;
        openToy(workspace);
        const int id = workspace.addRun(runOf(workspace, "data-parallel"));
        const Plan before = workspace.plan(id)->plan;
        const auto count = static_cast<int>(before.stages[0].devices.size());
        Cluster cluster = workspace.problem().cluster;
        const Device first = cluster.devices.front();
        cluster.devices.erase(cluster.devices.begin());
        workspace.editCluster(cluster, QStringLiteral("Delete"));
        const PlanItem* item = workspace.plan(id);
        QCOMPARE(item->goneDevices, std::vector<std::string>{first.id});
        QCOMPARE(int(item->plan.stages[0].devices.size()), count);
        const std::vector<int>& devices = item->plan.stages[0].devices;
        for (std::size_t i = 0; i < devices.size(); ++i)
            QCOMPARE(devices[i], before.stages[0].devices[i] - 1);
        const auto gone = std::count_if(workspace.plans().begin(), workspace.plans().end(),
                                        [](const PlanItem& plan) { return !plan.goneDevices.empty(); });
        QCOMPARE(workspace.project().plans.size() + std::size_t(gone), workspace.plans().size());
        // Back at another place.
        cluster.devices.push_back(first);
        workspace.editCluster(cluster, QStringLiteral("Paste"));
        QVERIFY(workspace.plan(id)->goneDevices.empty());
        workspace.undoStack()->undo();
        workspace.undoStack()->undo();
        QVERIFY(workspace.plan(id)->plan == before);
    }

    void aPlanWhoseDevicesAreGoneSaysSoAndRunsAgainAfterUndo() {
        Workspace workspace;
        openToy(workspace);
        PlanningController planning(workspace);
        const int id = workspace.addRun(runOf(workspace, "data-parallel"));
        // A part that planning does not need, so that the rest can be planned on.
        Cluster cluster = workspace.problem().cluster;
        const Cluster whole = cluster;
        const Device extra{"extra", "s9", "", 16e9, 1, 0};
        cluster.devices.push_back(extra);
        cluster.links.push_back({"extra", cluster.devices[0].id, 1e9, 0, "", ""});
        workspace.editCluster(cluster, QStringLiteral("Add"));
        const int wide = workspace.addRun(runOf(workspace, "data-parallel"));
        QVERIFY(wide != id);
        workspace.editCluster(whole, QStringLiteral("Delete"));
        QTRY_VERIFY(workspace.plan(wide)->run);
        QVERIFY(!workspace.plan(wide)->run->ok());
        const QString reason = QString::fromStdString(workspace.plan(wide)->run->result.reason);
        QVERIFY2(reason.contains(QStringLiteral("'extra'")), qPrintable(reason));
        QTRY_VERIFY(workspace.plan(id)->run && workspace.plan(id)->run->ok());
        workspace.undoStack()->undo();
        QTRY_VERIFY(workspace.plan(wide)->run && workspace.plan(wide)->run->ok());
    }

    void clustersWithMistakesAreSavedOpenedAndRefusedByThoseWhoPlan() {
        Workspace workspace;
        openToy(workspace);
        Cluster cluster = workspace.problem().cluster;
        cluster.devices.push_back(cluster.devices[0]);
        cluster.links.push_back({cluster.devices[0].id, cluster.devices[0].id, 1e9, 0, "", ""});
        cluster.links[0].bandwidthBps = 0;
        workspace.editCluster(cluster, QStringLiteral("Draw badly"));
        ProblemsModel model(workspace);
        model.refresh();
        int rows = 0;
        for (int row = 0; row < model.rowCount(); ++row) rows += !model.row(row).jump.selection.isEmpty();
        QVERIFY(rows >= 3);
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("drawn.stagecraft.json"));
        workspace.saveAs(path);
        const OpenedDocument document = readDocument(path);
        const auto* project = std::get_if<Project>(&document);
        QVERIFY(project);
        QVERIFY(project->problem.cluster == cluster);
        QVERIFY_EXCEPTION_THROWN(openProject(path.toStdString()), InputError);
        QVERIFY(whyUnplannable(project->problem));
    }

    void editsOfTheProfileAreStepsAndMergeByTheirKey() {
        Workspace workspace;
        openToy(workspace);
        const Project before = workspace.project();
        LayerProfile profile = before.problem.profile;
        workspace.editProfile(profile, QStringLiteral("Nothing"));
        QCOMPARE(workspace.undoStack()->count(), 0);
        for (const double time : {1.0, 2.0, 3.0}) {
            profile.layers[0].forwardS = time;
            workspace.editProfile(profile, QStringLiteral("Set forward"), QStringLiteral("forward/0"));
        }
        QCOMPARE(workspace.undoStack()->count(), 1);
        profile.layers.pop_back();
        workspace.editProfile(profile, QStringLiteral("Delete layer"));
        QCOMPARE(workspace.undoStack()->count(), 2);
        const Project after = workspace.project();
        workspace.undoStack()->undo();
        workspace.undoStack()->undo();
        QVERIFY(workspace.project() == before);
        workspace.undoStack()->redo();
        workspace.undoStack()->redo();
        QVERIFY(workspace.project() == after);
        workspace.undoStack()->undo();
        workspace.editProfile(before.problem.profile, QStringLiteral("Set forward"),
                              QStringLiteral("forward/0"));
        QCOMPARE(workspace.undoStack()->count(), 0);
    }

    void anEditedProfileNoLongerLiesInItsFileUntilTheEditIsUndone() {
        Workspace workspace;
        Project project = *findSample(QStringLiteral("fig2-toy"))->project;
        project.profileFile = "toy.profile.json";
        workspace.openProject(project, {});
        LayerProfile profile = project.problem.profile;
        profile.layers[0].forwardS *= 2;
        workspace.editProfile(profile, QStringLiteral("Set forward"));
        QVERIFY(!workspace.profileFile());
        workspace.undoStack()->undo();
        QCOMPARE(workspace.profileFile().value_or(""), std::string("toy.profile.json"));
    }

    void runsAreWorkedOutAfreshForAnEditedProfile() {
        Workspace workspace;
        openToy(workspace);
        PlanningController planning(workspace);
        const int id = workspace.addRun(runOf(workspace, "gpipe"));
        const double before = workspace.plan(id)->run->evaluation->metrics.iterationTimeS;
        LayerProfile profile = workspace.problem().profile;
        for (Layer& layer : profile.layers) layer.forwardS *= 10, layer.backwardS *= 10;
        workspace.editProfile(profile, QStringLiteral("Scale times"));
        QVERIFY(!workspace.plan(id)->run);
        QTRY_VERIFY(workspace.plan(id)->run);
        QVERIFY(workspace.plan(id)->run->evaluation->metrics.iterationTimeS > 2 * before);
        // Layers that a plan names and that are gone are said, and do no harm.
        profile.layers.resize(1);
        workspace.editProfile(profile, QStringLiteral("Delete layers"));
        QTRY_VERIFY(workspace.plan(id)->run);
        QVERIFY(!workspace.plan(id)->run->ok());
    }

    void theProblemsModelKeepsTheContractOfItemModels() {
        Workspace workspace;
        ProblemsModel model(workspace);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        openToy(workspace);
        workspace.setProfile({});
        QCOMPARE(model.errorCount(), 1);
        model.addInput({Severity::note, QStringLiteral("a file"), QStringLiteral("grouped"), {}});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.row(0).severity, Severity::error);
        workspace.undoStack()->undo();
        model.clearInputs();
        QCOMPARE(model.rowCount(), 0);
    }

    void aNewerJobMakesTheResultOfAnOlderOneVoid() {
        PlanningJobs jobs;
        QSignalSpy finished(&jobs, &PlanningJobs::finished), ended(&jobs, &PlanningJobs::ended);
        std::atomic<bool> started = false;
        jobs.start(QStringLiteral("same"), [&started](const WorkContext& context) -> PlanRun {
            started = true;
            while (!context.stop.stop_requested()) QThread::msleep(1);
            return {};  // ready after all, but of no use to anybody
        });
        QTRY_VERIFY(started);
        const int newer = jobs.start(QStringLiteral("same"), [](const WorkContext&) { return PlanRun{}; });
        QTRY_COMPARE(ended.count(), 2);
        QCOMPARE(finished.count(), 1);
        QCOMPARE(finished.front().front().toInt(), newer);
    }

    void notMoreThanTwoJobsRunAtOnce() {
        PlanningJobs jobs;
        QSignalSpy ended(&jobs, &PlanningJobs::ended);
        std::atomic<int> running = 0, most = 0;
        for (int i = 0; i < 6; ++i)
            jobs.start(QString::number(i), [&running, &most](const WorkContext&) {
                const int now = ++running;
                int seen = most;
                while (now > seen && !most.compare_exchange_weak(seen, now)) {
                }
                QThread::msleep(20);
                --running;
                return PlanRun{};
            });
        QTRY_COMPARE(ended.count(), 6);
        QCOMPARE(most.load(), 2);
    }

    void whatEndsWhileTheThreadIsBusyIsHeardOfInTurns() {
        PlanningJobs jobs;
        std::vector<std::vector<int>> turns(1);
        connect(&jobs, &PlanningJobs::finished, this, [&turns](int job) { turns.back().push_back(job); });
        connect(&jobs, &PlanningJobs::delivered, this, [&turns] { turns.emplace_back(); });
        QSignalSpy ended(&jobs, &PlanningJobs::ended);
        const auto start = [&jobs](const char* key, const char* group) {
            return jobs.start(
                QLatin1String(key), [](const WorkContext&) { return PlanRun{}; }, QLatin1String(group));
        };
        const int first = start("a", ""), one = start("b", "group"), other = start("c", ""),
                  two = start("d", "group"), gone = start("e", "");
        QThread::msleep(200);
        QCoreApplication::sendPostedEvents();
        jobs.cancel(gone);  // it has ended, and is not heard of yet
        QTRY_COMPARE(ended.count(), 5);
        for (std::vector<int>& turn : turns) std::sort(turn.begin(), turn.end());
        std::sort(turns.begin(), turns.end());
        const std::vector<std::vector<int>> expected = {{}, {first}, {one, two}, {other}};
        QVERIFY(turns == expected);  // the one that is gone has no turn, and nothing came since
    }

    void runsThatComeTogetherAreOneChangeOfTheDocument() {
        Workspace workspace;
        openToy(workspace);
        PlanningController planning(workspace);
        for (const char* planner : {"gpipe", "data-parallel", "spp", "dapple"})
            workspace.addRun(runOf(workspace, planner));
        const auto allThere = [&workspace] {
            return std::all_of(workspace.plans().begin(), workspace.plans().end(),
                               [](const PlanItem& plan) { return plan.run != nullptr; });
        };
        QSignalSpy changed(&workspace, &Workspace::runsChanged);
        TrainingSetup setup = workspace.problem().setup;
        setup.microbatches *= 2;
        workspace.setSetup(setup);
        QVERIFY(!allThere());
        QThread::msleep(300);  // the thread is busy, and they are worked out meanwhile
        QTRY_VERIFY(allThere());
        QCOMPARE(changed.count(), 1);
        QSignalSpy plansChanged(&workspace, &Workspace::plansChanged);
        changed.clear();
        planning.planAgain();
        QThread::msleep(300);
        QTRY_VERIFY(!planning.isPlanning());
        QCOMPARE(plansChanged.count(), 1);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(workspace.agedPlans().size(), std::size_t{0});
    }

    void progressIsThrottledAndAJobThatThrowsFails() {
        PlanningJobs jobs;
        QSignalSpy progress(&jobs, &PlanningJobs::progressed), failed(&jobs, &PlanningJobs::failed);
        jobs.start(QStringLiteral("busy"), [](const WorkContext& context) -> PlanRun {
            for (int i = 0; i < 200'000; ++i) context.report(i / 200'000.0);
            throw std::runtime_error("no luck");
        });
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(failed.front().back().toString(), QStringLiteral("no luck"));
        QVERIFY2(progress.count() < 100, qPrintable(QString::number(progress.count())));
    }
};

STAGECRAFT_TEST(WorkspaceTest)
#include "workspace_test.moc"
