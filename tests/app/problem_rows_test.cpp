// What the problems panel says about a document, and what its buttons do.
#include "app/document/problems_model.h"
#include "app/document/samples.h"
#include "app/document/workspace.h"
#include "app/panels/problems_panel.h"
#include "core/editing/cluster_edit.h"
#include "core/planners/planned_run.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

using namespace stagecraft;

class ProblemRowsTest : public QObject {
    Q_OBJECT

    static void openToy(Workspace& workspace) {
        workspace.openProject(*findSample(QStringLiteral("fig2-toy"))->project, {});
    }

    static const ProblemRow* fixable(const ProblemsModel& model) {
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.row(row).fix) return &model.row(row);
        return nullptr;
    }

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void ofTheSameWeightTheNewestIsFirst() {
        Workspace workspace;
        openToy(workspace);
        ProblemsModel model(workspace);
        const auto add = [&](Severity severity, const char* text) {
            model.addInput({severity, QStringLiteral("a file"), QString::fromLatin1(text), {}});
        };
        add(Severity::error, "first");
        add(Severity::warning, "less");
        add(Severity::error, "second");
        QCOMPARE(model.row(0).text, QStringLiteral("second"));
        QCOMPARE(model.row(1).text, QStringLiteral("first"));
        QCOMPARE(model.row(2).text, QStringLiteral("less"));
        model.refresh();  // nothing is new: nothing moves
        QCOMPARE(model.row(0).text, QStringLiteral("second"));
    }

    void aLongProblemIsReadWhole() {
        Workspace workspace;
        openToy(workspace);
        ProblemsModel model(workspace);
        ProblemsPanel panel(model);
        const QString text = QStringLiteral("the order cannot run: stage 0 waits for stage 1 ").repeated(12);
        model.addInput({Severity::error, QStringLiteral("a plan"), text, {}});
        panel.resize(1000, 200);
        panel.show();
        auto* list = panel.findChild<QTreeView*>(QStringLiteral("problems"));
        const auto holdsIt = [&] {
            const QRect cell = list->visualRect(model.index(0, ProblemsModel::textColumn));
            const QRect needed =
                list->fontMetrics().boundingRect(QRect(0, 0, cell.width() - 8, 0), Qt::TextWordWrap, text);
            return cell.height() >= needed.height();
        };
        QTRY_VERIFY(holdsIt());
        panel.resize(500, 200);
        QTRY_VERIFY(holdsIt());
    }

    void aRowThatKnowsWhatToDoHasAButtonThatDoesItAsAStep() {
        Workspace workspace;
        openToy(workspace);
        ProblemsModel model(workspace);
        ProblemsPanel panel(model);
        auto* list = panel.findChild<QTreeView*>(QStringLiteral("problems"));
        connect(&panel, &ProblemsPanel::fixRequested, this,
                [&workspace](const ProblemFix& fix) { fix.apply(workspace); });
        model.addInput({Severity::note, QStringLiteral("a file"), QStringLiteral("grouped"), {}});
        QVERIFY(list->isColumnHidden(ProblemsModel::fixColumn));
        const int before = workspace.problem().setup.microbatches;
        const auto more = [](Workspace& changed) {
            TrainingSetup setup = changed.problem().setup;
            setup.microbatches += 3;
            changed.setSetup(setup);
        };
        model.addInput({Severity::warning,
                        QStringLiteral("Setup"),
                        QStringLiteral("too few"),
                        {},
                        {QStringLiteral("Three more"), more}});
        panel.resize(600, 200);
        panel.show();
        QVERIFY(!list->isColumnHidden(ProblemsModel::fixColumn));
        auto* button =
            qobject_cast<QPushButton*>(list->indexWidget(model.index(0, ProblemsModel::fixColumn)));
        QVERIFY(button);
        QCOMPARE(button->text(), QStringLiteral("Three more"));
        QVERIFY(button->width() >= button->sizeHint().width());
        QVERIFY(list->visualRect(model.index(0, ProblemsModel::fixColumn)).contains(button->geometry()));
        QVERIFY(!list->indexWidget(model.index(1, ProblemsModel::fixColumn)));
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_COMPARE(workspace.problem().setup.microbatches, before + 3);
        workspace.undoStack()->undo();
        QCOMPARE(workspace.problem().setup.microbatches, before);
    }

    void gpusOfAnotherTypeThanTheProfilesAreARowWhoseButtonSetsTheirSpeeds() {
        Workspace workspace;
        workspace.openProject(*findSample(QStringLiteral("bert-large-8x4"))->project, {});
        ProblemsModel model(workspace);
        ProblemsPanel panel(model);
        connect(&panel, &ProblemsPanel::fixRequested, this,
                [&workspace](const ProblemFix& fix) { fix.apply(workspace); });
        model.refresh();
        QVERIFY2(!fixable(model), "the sample's GPUs are the profile's");
        Cluster cluster = workspace.problem().cluster;
        for (std::size_t device = 0; device < 4; ++device) cluster.devices[device].gpu = "B200-SXM-180GB";
        workspace.editCluster(cluster, QStringLiteral("Change type"));
        const ProblemRow* row = fixable(model);
        QVERIFY(row);
        QCOMPARE(row->severity, Severity::warning);
        QCOMPARE(row->jump.selection.devices, (std::vector<int>{0, 1, 2, 3}));
        QVERIFY2(row->text.startsWith(QStringLiteral(
                     "The layer times are those of a V100-SXM2-16GB at fp32, and the cluster has 4 "
                     "B200-SXM-180GB with speed 1 where it would be 5.29: 80 against 15.7 TFLOP/s at fp32")),
                 qPrintable(row->text));
        panel.resize(900, 200);
        panel.show();
        auto* button = panel.findChild<QPushButton*>(QStringLiteral("fix"));
        QVERIFY(button);
        QCOMPARE(button->text(), QStringLiteral("Set speeds"));
        QVERIFY2(button->height() >= button->fontMetrics().height(), "it is not cut");
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(!fixable(model));
        QCOMPARE(workspace.problem().cluster.devices[3].speed, 5.29);
        QCOMPARE(workspace.problem().cluster.devices[4].speed, 1.0);
        QCOMPARE(workspace.undoStack()->undoText(), QStringLiteral("Set speeds by type of GPU"));
        workspace.undoStack()->undo();
        QVERIFY(fixable(model));
        QCOMPARE(workspace.problem().cluster.devices[3].speed, 1.0);
    }

    void speedsOfGpusWhoseTimesWereMeasuredAreSaidToBeOfNoUse() {
        Workspace workspace;
        Project project = *findSample(QStringLiteral("fig2-toy"))->project;
        for (Layer& layer : project.problem.profile.layers)
            layer.onRanks = {{.tensor = 1,
                              .microbatchSize = project.problem.profile.microbatchSize,
                              .times = LayerTimes{1, 2, 1},
                              .gpu = "V100"}};
        Device& device = project.problem.cluster.devices[1];
        device.gpu = "Tesla V100-PCIE-32GB";
        device.speed = 0.5;
        workspace.openProject(project, {});
        ProblemsModel model(workspace);
        model.refresh();
        const auto row = [&]() -> const ProblemRow* {
            for (int index = 0; index < model.rowCount(); ++index)
                if (model.row(index).text.contains("measured on V100")) return &model.row(index);
            return nullptr;
        };
        QVERIFY(row());
        QCOMPARE(row()->severity, Severity::note);
        QCOMPARE(row()->jump.selection.devices, (std::vector<int>{1}));
        Cluster cluster = workspace.problem().cluster;
        cluster.devices[1].speed = 1;
        workspace.editCluster(cluster, QStringLiteral("Speed"));
        model.refresh();
        QVERIFY(!row());
    }

    void aProfileInTwoBytesWhoseStatesAreToIsARowWhoseButtonSetsMixedPrecision() {
        Workspace workspace;
        Project project = *findSample(QStringLiteral("fig2-toy"))->project;
        project.problem.profile.elementBytes = 2;
        workspace.openProject(project, {});
        ProblemsModel model(workspace);
        ProblemsPanel panel(model);
        connect(&panel, &ProblemsPanel::fixRequested, this,
                [&workspace](const ProblemFix& fix) { fix.apply(workspace); });
        model.refresh();
        const ProblemRow* row = fixable(model);
        QVERIFY(row);
        QCOMPARE(row->severity, Severity::warning);
        QCOMPARE(row->jump.place, JumpTarget::Place::setup);
        panel.resize(900, 200);
        panel.show();
        QTest::mouseClick(panel.findChild<QPushButton*>(QStringLiteral("fix")), Qt::LeftButton);
        QTRY_COMPARE(workspace.problem().setup.precision, StatePrecision::mixed);
        QVERIFY(!fixable(model));
        // The other way: mixed precision of a profile in 4 bytes is refused, and a button takes it back.
        LayerProfile full = workspace.problem().profile;
        full.elementBytes = 4;
        workspace.setProfile(full);
        row = fixable(model);
        QVERIFY(row);
        QCOMPARE(row->severity, Severity::error);
        QVERIFY2(row->text.contains(QStringLiteral("has elements of 4 bytes")), qPrintable(row->text));
        row->fix.apply(workspace);
        QCOMPARE(workspace.problem().setup.precision, StatePrecision::uniform);
        QVERIFY(!fixable(model));
    }

    void manyMistakesOfAKindAreOneRowThatSelectsThemAll() {
        Workspace workspace;
        workspace.openProject(*findSample(QStringLiteral("fig2-toy"))->project, {});
        Cluster cluster = workspace.problem().cluster;
        for (int device = 0; device < 1024; ++device) {
            Device bad = cluster.devices[0];
            bad.id = "d" + std::to_string(device);
            bad.memoryBytes = -1;
            cluster.links.push_back({cluster.devices[0].id, bad.id, 1e9, 0, "", ""});
            cluster.devices.push_back(std::move(bad));
        }
        workspace.editCluster(cluster, QStringLiteral("Draw badly"));
        ProblemsModel model(workspace);
        model.refresh();
        QVERIFY2(model.rowCount() < 10, qPrintable(QString::number(model.rowCount())));
        bool counted = false;
        for (int row = 0; row < model.rowCount(); ++row)
            counted =
                counted || (model.row(row).text.contains(QStringLiteral("and 1,023 more of this kind")) &&
                            model.row(row).jump.selection.devices.size() == 1024);
        QVERIFY(counted);
    }

    void aPlanThatFitsOnNoGpuIsOneRow() {
        Workspace workspace;
        Project project = *findSample(QStringLiteral("bert-large-8x4"))->project;
        project.problem.setup.memoryLimitBytes = 1e9;
        workspace.openProject(project, {});
        const auto costs = std::make_shared<const CostModel>(workspace.problem());
        const PlanRun run = runAndEvaluate(*findPlanner("data-parallel"), costs, {});
        QVERIFY(!run.evaluation->metrics.fitsMemory);
        const std::vector<ProblemRow> rows = problemsOf(run, 1);
        QCOMPARE(std::count_if(rows.begin(), rows.end(),
                               [](const ProblemRow& row) { return row.severity == Severity::warning; }),
                 1);
        QVERIFY2(rows.front().text.startsWith(QStringLiteral("32 GPUs lack ")),
                 qPrintable(rows.front().text));
    }

    void aPlanThatLacksAsynchronousTrainingHasAButtonThatSetsIt() {
        Workspace workspace;
        openToy(workspace);
        const auto costs = std::make_shared<const CostModel>(workspace.problem());
        for (const auto& [planner, values] :
             {std::pair<std::string, ParameterValues>{"xpipe", {}},
              std::pair<std::string, ParameterValues>{"vpipe", {{"over", std::string("pipedream")}}}}) {
            const PlanRun run = runAndEvaluate(*findPlanner(planner), costs, values);
            const std::vector<ProblemRow> rows = problemsOf(run, 1);
            QCOMPARE(rows.size(), std::size_t{1});
            QCOMPARE(rows[0].severity, Severity::error);
            QVERIFY(rows[0].fix);
            rows[0].fix.apply(workspace);
            QCOMPARE(workspace.problem().setup.mode, TrainingMode::asynchronous);
            workspace.undoStack()->undo();
            QCOMPARE(workspace.problem().setup.mode, TrainingMode::synchronous);
        }
    }

    void aPlanThatSplitsSamplesHasANoteWithTheNumbers() {
        Workspace workspace;
        openToy(workspace);
        Problem problem = workspace.problem();
        problem.profile.microbatchSize = 1;
        const auto costs = std::make_shared<const CostModel>(problem);
        const std::vector<ProblemRow> rows =
            problemsOf(runAndEvaluate(*findPlanner("data-parallel"), costs, {}), 1);
        QCOMPARE(rows.size(), std::size_t{1});
        QCOMPARE(rows[0].severity, Severity::note);
        QVERIFY2(rows[0].text.startsWith(QStringLiteral("Stage 0 splits each microbatch of 1 sample over")),
                 qPrintable(rows[0].text));
        // A pipeline without replicas has nothing to split.
        QVERIFY(problemsOf(runAndEvaluate(*findPlanner("gpipe"), costs, {}), 1).empty());
    }

    void rowsThatSayTheSameAreLeftAsTheyAre() {
        Workspace workspace;
        openToy(workspace);
        ProblemsModel model(workspace);
        const auto costs = std::make_shared<const CostModel>(workspace.problem());
        const auto runOf = [&costs](const char* planner) {
            return std::make_shared<const PlanRun>(runAndEvaluate(*findPlanner(planner), costs, {}));
        };
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        const int id = workspace.addRun(runOf("gpipe"));
        workspace.setRun(id, runOf("gpipe"));
        QCOMPARE(reset.count(), 0);
        workspace.addRun(runOf("xpipe"));  // which trains without a barrier only
        QVERIFY(reset.count() > 0);
        reset.clear();
        const int rows = model.rowCount();
        workspace.setRun(id, runOf("gpipe"));
        QCOMPARE(reset.count(), 0);
        QCOMPARE(model.rowCount(), rows);
    }

    void aButtonFollowsTheProblemThoughItSaysTheSame() {
        Workspace workspace;
        openToy(workspace);
        workspace.removePlan(workspace.plans().front().id);
        ProblemsModel model(workspace);
        model.addInput(
            {Severity::note, QStringLiteral("a file"), QStringLiteral("odd"), {}, {"Mend", [](Workspace&) {
                                                                                   }}});
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        model.refresh();
        QCOMPARE(reset.count(), 0);
        TrainingSetup setup = workspace.problem().setup;
        ++setup.microbatches;
        workspace.setSetup(setup);
        QVERIFY(reset.count() > 0);
    }

    void whatIsNotThereYetIsNoProblem() {
        Workspace workspace;
        ProblemsModel model(workspace);
        workspace.openProject(Project{"", newProblem(), {}, {}, {}}, {});
        QCOMPARE(model.rowCount(), 0);
        // Half of a project: a note that says what is missing.
        Problem half = newProblem();
        half.profile = findSample(QStringLiteral("fig2-toy"))->project->problem.profile;
        workspace.openProject(Project{"", half, {}, {}, {}}, {});
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.faultCount(), 0);
        QVERIFY2(model.row(0).text.contains(QStringLiteral("no device")), qPrintable(model.row(0).text));
        // But plans have lost what they rest on.
        openToy(workspace);
        workspace.setProfile({});
        QCOMPARE(model.errorCount(), 1);
    }
};

STAGECRAFT_TEST(ProblemRowsTest)
#include "problem_rows_test.moc"
