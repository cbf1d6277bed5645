// Plans that were made for another problem: marked everywhere, compared nowhere, planned again by one button;
// and what planners said, which is saved and never planned for.

#include "app/panels/age_bar.h"
#include "tests/support/window_rooms.h"
#include "app/plan/plan_page.h"
#include "app/shell/workbench.h"
#include "core/planners/planned_run.h"
#include "core/runs/seen_problem.h"
#include "core/runs/standing.h"
#include "tests/app/command_call.h"
#include "tests/app/sample_files.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"
#include "views/compare/compare_model.h"
#include "views/compare/compare_view.h"

#include <QLabel>
#include <QSettings>
#include <QTableView>
#include <QTabBar>
#include <QTreeWidget>

#include <nlohmann/json.hpp>

#include <fstream>

using namespace stagecraft;
using testing::call, testing::mentions;

namespace {

constexpr int aWhile = 30'000;

void chooseMicrobatches(MainWindow& window, int microbatches) {
    TrainingSetup setup = window.workspace().problem().setup;
    setup.microbatches = microbatches;
    window.workspace().setSetup(setup);
}

/// SPP's, GPipe's and data parallelism's plans of the smallest sample, and XPipe's answer that it has none.
struct Planned {
    MainWindow window;

    Planned() {
        window.resize(1400, 900);
        window.show();
        click(window, QStringLiteral("sample:fig2-toy"));
        for (const int id : ids()) window.workspace().removePlan(id);
        window.planning().run({"spp", "gpipe", "data-parallel", "xpipe"}, {});
        settle();
    }
    ~Planned() { window.workspace().undoStack()->setClean(); }

    std::vector<int> ids() {
        std::vector<int> all;
        for (const PlanItem& item : window.workspace().plans()) all.push_back(item.id);
        return all;
    }
    void settle() {
        [this] { QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isBusy(), aWhile); }();
    }
    const PlanItem& of(const char* planner) {
        const auto& plans = window.workspace().plans();
        return *std::find_if(plans.begin(), plans.end(),
                             [planner](const PlanItem& item) { return item.plan.planner == planner; });
    }
    QString inTree(const char* planner) {
        auto* tree = window.findChild<QTreeWidget*>(QStringLiteral("projectTree"));
        const QTreeWidgetItem* plans = tree->findItems(QStringLiteral("Plans"), Qt::MatchExactly).front();
        for (int i = 0; i < plans->childCount(); ++i)
            if (plans->child(i)->text(0) == of(planner).title()) return plans->child(i)->text(1);
        return {};
    }
    AgeBar& bar() {
        for (AgeBar* bar : window.findChildren<AgeBar*>())
            if (bar->isVisible()) return *bar;
        qFatal("no bar is visible");
    }
    bool barShown() {
        const auto bars = window.findChildren<AgeBar*>();
        return std::any_of(bars.begin(), bars.end(), [](const AgeBar* bar) { return bar->isVisible(); });
    }
};

}  // namespace

class OutOfDateTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

    std::string file(const char* name) const { return home_.file(QLatin1String(name)).toStdString(); }

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }
    void cleanup() { QSettings().remove(QStringLiteral("plansAgain")); }

    void anEditMarksEveryPlanAndOneButtonPlansThemAllAgain() {
        Planned open;
        Workspace& workspace = open.window.workspace();
        QVERIFY(workspace.agedPlans().empty());
        open.window.workbench().showCompare();
        QVERIFY(!open.barShown());
        const int count = workspace.undoStack()->count();
        chooseMicrobatches(open.window, 40);
        open.settle();
        QCOMPARE(workspace.agedPlans().size(), std::size_t(4));
        for (const char* planner : {"spp", "gpipe", "data-parallel", "xpipe"}) {
            QCOMPARE(open.inTree(planner), QString("out of date"));
            QCOMPARE(standingOf(*open.of(planner).run), Standing::outOfDate);
            Workbench& bench = open.window.workbench();
            const int tab = bench.indexOf(bench.planPage(open.of(planner).id));
            QVERIFY(bench.tabToolTip(tab).startsWith("Out of date"));
        }
        const auto* model = open.window.findChild<QTableView*>(QStringLiteral("compareTable"))->model();
        QCOMPARE(model->rowCount(), 4);
        for (int row = 0; row < 4; ++row)
            QCOMPARE(model->index(row, CompareModel::statusColumn).data().toString(), QString("out of date"));
        QVERIFY2(open.bar().text().contains("4 plans"), qPrintable(open.bar().text()));
        click(open.bar(), QStringLiteral("planAgain"));
        QVERIFY(open.window.planning().isPlanning());
        open.settle();
        QVERIFY(workspace.agedPlans().empty());
        QVERIFY(!open.barShown());
        QCOMPARE(standingOf(*open.of("xpipe").run), Standing::infeasible);
        QCOMPARE(open.of("spp").run->costs->problem().setup.microbatches, 40);
        QCOMPARE(workspace.undoStack()->count(), count + 2);
        workspace.undoStack()->undo();
        open.settle();
        QCOMPARE(workspace.agedPlans().size(), std::size_t(4));
        workspace.undoStack()->undo();
        QVERIFY(workspace.agedPlans().empty());
    }

    void aPlansOwnTabSaysThatItIsOutOfDate() {
        Planned open;
        open.window.workbench().showPlan(open.of("spp").id);
        QVERIFY(!open.barShown());
        chooseMicrobatches(open.window, 40);
        QVERIFY2(open.bar().text().contains("another setup"), qPrintable(open.bar().text()));
        open.settle();
        open.window.workspace().undoStack()->undo();
        QVERIFY(!open.barShown());
    }

    void whatGaveNoPlanKeepsItsReasonAndNothingSpins() {
        Planned open;
        const QString reason = QString::fromStdString(open.of("xpipe").run->result.reason);
        QVERIFY(!reason.isEmpty());
        for (const int microbatches : {5, 6, 7}) {
            chooseMicrobatches(open.window, microbatches);
            QVERIFY(open.of("xpipe").run);
            QCOMPARE(QString::fromStdString(open.of("xpipe").run->result.reason), reason);
            open.settle();
            QVERIFY(open.inTree("xpipe") != QString("…"));
        }
        LayerProfile profile = open.window.workspace().problem().profile;
        profile.layers[0].forwardS *= 2;
        open.window.workspace().editProfile(profile, QStringLiteral("Set forward"));
        Cluster cluster = open.window.workspace().problem().cluster;
        cluster.links[0].bandwidthBps *= 2;
        open.window.workspace().editCluster(cluster, QStringLiteral("Set bandwidth"));
        open.settle();
        QCOMPARE(QString::fromStdString(open.of("xpipe").run->result.reason), reason);
    }

    void editsAndFilesAreSimulatedAndNeverPlanned() {
        Planned open;
        Project project = open.window.workspace().project();
        QCOMPARE(project.plans.size(), std::size_t(3));
        QCOMPARE(project.planless.size(), std::size_t(1));
        // Words that no planner would say.
        for (PlanOrigin& origin : project.origins) origin.report->notes = {"as in the file"};
        project.planless[0].reason = "as in the file";
        std::ofstream(file("said.stagecraft.json")) << writeProject(project);
        MainWindow window;
        window.show();
        openAndWait(window, home_.file(QStringLiteral("said.stagecraft.json")));
        QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isBusy(), aWhile);
        QCOMPARE(window.workspace().plans().size(), std::size_t(4));
        for (const PlanItem& item : window.workspace().plans()) {
            QVERIFY(item.run);
            QCOMPARE(item.run->age, PlanAge::current);
            if (item.isPlan())
                QCOMPARE(item.run->result.notes, std::vector<std::string>{"as in the file"});
            else
                QCOMPARE(item.run->result.reason, std::string("as in the file"));
        }
        QCOMPARE(window.workspace().plans().back().plan.planner, std::string("xpipe"));
        QVERIFY(window.workspace().project() == project);
        chooseMicrobatches(window, 40);
        QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isBusy(), aWhile);
        for (const PlanItem& item : window.workspace().plans())
            QCOMPARE(standingOf(*item.run), Standing::outOfDate);
        window.workspace().undoStack()->undo();
        for (const PlanItem& item : window.workspace().plans())
            if (item.isPlan()) QCOMPARE(item.run->result.notes, std::vector<std::string>{"as in the file"});
    }

    void aFileThatDoesNotSayForWhichProblemItsPlansWereMadeCountsAsMadeForItsOwn() {
        Planned open;
        Project project = open.window.workspace().project();
        project.origins.clear();
        project.planless.clear();
        open.window.workspace().openProject(project, {});
        open.settle();
        QVERIFY(open.window.workspace().agedPlans().empty());
        QVERIFY(open.of("spp").run->reportMissing);
        chooseMicrobatches(open.window, 40);
        QCOMPARE(open.window.workspace().agedPlans().size(), std::size_t(3));
    }

    void theLayersOfAnotherNetworkAreSaidToBeAnothers() {
        Planned open;
        LayerProfile other = open.window.workspace().problem().profile;
        for (Layer& layer : other.layers) {
            layer.name += " of another";
            layer.forwardS *= 3;
        }
        open.window.workspace().setProfile(other);
        open.settle();
        QCOMPARE(open.inTree("spp"), QString("of another profile"));
        QVERIFY(open.of("spp").run->ok());
    }

    void aHandEditDoesNotMakeAPlanCurrentAndOneThatNobodyPlannedIsCompared() {
        Planned open;
        Workspace& workspace = open.window.workspace();
        const int id = open.of("gpipe").id;
        chooseMicrobatches(open.window, 40);
        open.settle();
        Plan edited = workspace.plan(id)->plan;
        edited.planner = "hand";
        workspace.editPlan(id, edited, nullptr, QStringLiteral("Edit"));
        open.settle();
        for (const PlanItem& item : workspace.plans()) {
            if (item.plan.planner == "hand") QVERIFY(workspace.ageOf(item) == PlanAge::outOfDate);
        }
        const int own = workspace.addPlan(edited);
        QVERIFY(workspace.ageOf(*workspace.plan(own)) == PlanAge::current);
        chooseMicrobatches(open.window, 41);
        QVERIFY(workspace.ageOf(*workspace.plan(own)) == PlanAge::current);
        for (const int again : workspace.plansToPlanAgain())
            QVERIFY(workspace.plan(again)->plan.planner != "hand");
    }

    void cancelEndsWhateverIsAtWorkAndLeavesNoSpinner() {
        Planned open;
        auto* cancel = open.window.findChild<QPushButton*>(QStringLiteral("cancel"));
        QVERIFY(!cancel->isEnabled());
        chooseMicrobatches(open.window, 200'000);
        QVERIFY(open.window.planning().isBusy());
        QVERIFY(cancel->isEnabled());
        QTest::mouseClick(cancel, Qt::LeftButton);
        open.settle();
        QVERIFY(!cancel->isEnabled());
        for (const char* planner : {"spp", "gpipe", "data-parallel", "xpipe"})
            QVERIFY2(open.inTree(planner) != QString("…"), planner);
        chooseMicrobatches(open.window, 4);
        open.settle();
        for (const PlanItem& item : open.window.workspace().plans()) QVERIFY(item.run);
    }

    void thePreferencePlansAgainAfterEachEditWithThePlansOwnParameters() {
        Planned open;
        ParameterValues values;
        values["max_stages"] = 1;
        open.window.planning().run({"spp"}, {{"spp", values}});
        open.settle();
        QAction* always = open.window.actionRegister().action(QStringLiteral("plan.alwaysAgain"));
        QVERIFY(always && !always->isChecked());
        always->trigger();
        chooseMicrobatches(open.window, 40);
        QVERIFY(!open.window.workspace().agedPlans().empty());
        QTRY_VERIFY_WITH_TIMEOUT(open.window.workspace().agedPlans().empty(), aWhile);
        open.settle();
        QCOMPARE(open.of("spp").plan.parameters.at("max_stages"), std::string("1"));
        QCOMPARE(open.of("spp").plan.stageCount(), 1);
        // Undo is not answered by planning, which would cut off the way forward.
        QUndoStack& undo = *open.window.workspace().undoStack();
        undo.undo();
        undo.undo();
        QTest::qWait(800);
        QVERIFY(undo.canRedo());
    }

    void theCommandLineMarksThemAndPlansThemAgain() {
        Planned open;
        open.window.workspace().saveAs(home_.file(QStringLiteral("p.stagecraft.json")));
        const auto results = [](const std::string& text) { return nlohmann::json::parse(text)["results"]; };
        const auto saved = call({"plan", file("p.stagecraft.json"), "--saved", "--json"});
        QCOMPARE(saved.status, 0);
        QCOMPARE(results(saved.out).size(), std::size_t(4));
        for (const auto& result : results(saved.out)) QVERIFY(!result.contains("out_of_date"));
        const auto later =
            call({"plan", file("p.stagecraft.json"), "--saved", "--json", "--microbatches", "40"});
        for (const auto& result : results(later.out)) QVERIFY(result["out_of_date"].get<bool>());
        QVERIFY(mentions(call({"plan", file("p.stagecraft.json"), "--saved", "--microbatches", "40"}).out,
                         "out of date"));
        const auto again = call({"plan", file("p.stagecraft.json"), "--again", "--json", "--microbatches",
                                 "40", "--out", file("q.stagecraft.json")});
        QCOMPARE(again.status, 0);
        QCOMPARE(results(again.out).size(), std::size_t(4));
        for (const auto& result : results(again.out)) QVERIFY(!result.contains("out_of_date"));
        const Project written = openProject(file("q.stagecraft.json"));
        QCOMPARE(written.plans.size(), std::size_t(3));
        QCOMPARE(written.planless.size(), std::size_t(1));
        const SeenProblem seen(written.problem);
        for (std::size_t i = 0; i < written.plans.size(); ++i)
            QVERIFY(written.origins[i].plannedFor == seen.by(makerOf(written.plans[i].planner)));
        // One planner of two problems: the other plans that are in the file are those of before.
        call({"plan", file("p.stagecraft.json"), "--planner", "gpipe", "--microbatches", "40", "--out",
              file("mixed.stagecraft.json")});
        const auto mixed = call({"plan", file("mixed.stagecraft.json"), "--saved", "--json"});
        for (const auto& result : results(mixed.out))
            QCOMPARE(result.contains("out_of_date"), result["planner"] != "gpipe");
        QVERIFY(call({"plan", file("p.stagecraft.json"), "--saved", "--planner", "spp"}).status == 2);
    }

    void checkSaysThatAPlanIsOfAnotherProblemAndRefusesOneOfAnotherNetwork() {
        Planned open;
        const Workspace& workspace = open.window.workspace();
        PlanFile plan{workspace.problem(), open.of("spp").plan, open.of("spp").origin};
        const auto checked = [&](const char* command) {
            std::ofstream(file("p.plan.json")) << writePlan(plan);
            return call({command, file("p.plan.json")});
        };
        QCOMPARE(checked("check").status, 0);
        QCOMPARE(checked("check").err, std::string());
        plan.problem.setup.microbatches = 40;
        QCOMPARE(checked("check").status, 0);
        QVERIFY(mentions(checked("check").err, "planned for another setup"));
        QVERIFY(mentions(checked("explain").err, "planned for another setup"));
        for (Layer& layer : plan.problem.profile.layers) {
            layer.name += " of another";
            layer.forwardS *= 3;
        }
        QCOMPARE(checked("check").status, 1);
        QVERIFY(mentions(checked("check").out, "other profile"));
    }

    void theCommandLineSaysWhatDoesNotFit() {
        const auto table =
            call({"plan", testing::toyFile, "--planner", "gpipe", "--memory-limit-bytes", "1"});
        QVERIFY2(mentions(table.out, "does not fit"), table.out.c_str());
        const auto result = nlohmann::json::parse(
            call({"plan", testing::toyFile, "--planner", "gpipe", "--memory-limit-bytes", "1", "--json"})
                .out)["results"][0];
        QCOMPARE(result["status"].get<std::string>(), std::string("ok"));
        QCOMPARE(result["fits_memory"].get<bool>(), false);
    }

    void outFilesAreTheSameOnEveryRun() {
        for (const char* name : {"one.stagecraft.json", "two.stagecraft.json"})
            call({"plan", testing::toyFile, "--planner", "spp,gpipe,xpipe", "--out", file(name)});
        QVERIFY(readTextFile(file("one.stagecraft.json")) == readTextFile(file("two.stagecraft.json")));
    }
};

STAGECRAFT_TEST(OutOfDateTest)
#include "out_of_date_test.moc"
