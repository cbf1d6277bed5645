// The document and the jobs, without a window.
#include "app/planning_jobs.h"
#include "app/problems_model.h"
#include "app/start/samples.h"
#include "app/workspace.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include <atomic>

using namespace stagecraft;

namespace {

std::shared_ptr<const PlanRun> runOf(const Workspace& workspace, const std::string& planner) {
    auto costs = std::make_shared<const CostModel>(workspace.problem());
    return std::make_shared<const PlanRun>(runAndEvaluate(*findPlanner(planner), costs, {}));
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

    void theOrderOfPlansDoesNotDependOnWhichPlannerFinishedFirst() {
        Workspace one, other;
        for (Workspace* workspace : {&one, &other}) {
            Project project = *findSample(QStringLiteral("fig2-toy"))->project;
            project.plans.clear();
            workspace->openProject(project, {});
        }
        for (const auto& planner : planners()) one.addRun(runOf(one, planner->description().id));
        for (auto planner = planners().rbegin(); planner != planners().rend(); ++planner)
            other.addRun(runOf(other, (*planner)->description().id));
        QVERIFY(one.project() == other.project());
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
        jobs.start(QStringLiteral("same"), [&started](const PlanningContext& context) -> PlanRun {
            started = true;
            while (!context.stop.stop_requested()) QThread::msleep(1);
            return {};  // ready after all, but of no use to anybody
        });
        QTRY_VERIFY(started);
        const int newer =
            jobs.start(QStringLiteral("same"), [](const PlanningContext&) { return PlanRun{}; });
        QTRY_COMPARE(ended.count(), 2);
        QCOMPARE(finished.count(), 1);
        QCOMPARE(finished.front().front().toInt(), newer);
    }

    void notMoreThanTwoJobsRunAtOnce() {
        PlanningJobs jobs;
        QSignalSpy ended(&jobs, &PlanningJobs::ended);
        std::atomic<int> running = 0, most = 0;
        for (int i = 0; i < 6; ++i)
            jobs.start(QString::number(i), [&running, &most](const PlanningContext&) {
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

    void progressIsThrottledAndAJobThatThrowsFails() {
        PlanningJobs jobs;
        QSignalSpy progress(&jobs, &PlanningJobs::progressed), failed(&jobs, &PlanningJobs::failed);
        jobs.start(QStringLiteral("busy"), [](const PlanningContext& context) -> PlanRun {
            for (int i = 0; i < 200'000; ++i) context.report(i / 200'000.0);
            throw std::runtime_error("no luck");
        });
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(failed.front().back().toString(), QStringLiteral("no luck"));
        QVERIFY2(progress.count() < 100, qPrintable(QString::number(progress.count())));
    }
};

QTEST_MAIN(WorkspaceTest)
#include "workspace_test.moc"
