// The schedule of a plan, chosen in the window from all families.

#include "app/compare/compare_page.h"
#include "app/experiments/builder/experiment_builder.h"
#include "app/experiments/experiments_window.h"
#include "app/panels/parameter_form.h"
#include "app/plan/schedule_panel.h"
#include "core/base/process.h"
#include "core/base/units.h"
#include "core/programs/programs_folder.h"
#include "core/schedules/families.h"
#include "tests/app/command_call.h"
#include "tests/app/edit_fixture.h"
#include "tests/core/programs/custom_program.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/timeline/legend.h"

#include <algorithm>

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>

using namespace stagecraft;
using testing::call;
using testing::mentions;
using testing::Outcome;

namespace {

/// The window with the list of schedules for SPP's plan.
struct OpenSchedules : OpenWindow {
    OpenSchedules() {
        QTest::mouseClick(&editor().bar().scheduleButton(), Qt::LeftButton);
        [this] { QTRY_VERIFY(!panel().isWorking() && list().count() > 0); }();
    }
    SchedulePanel& panel() { return editor().schedule(); }
    QListWidget& list() { return panel().list(); }
    int rowOf(const QString& title) {
        for (int row = 0; row < list().count(); ++row)
            if (list().item(row)->text().section('\n', 0, 0).endsWith(title)) return row;
        return -1;
    }
    QString textOf(const QString& title) { return list().item(rowOf(title))->text(); }
    void click(const QString& title) {
        QListWidgetItem* item = list().item(rowOf(title));
        list().scrollToItem(item);
        QTest::mouseClick(list().viewport(), Qt::LeftButton, {}, list().visualItemRect(item).center());
    }
    const FamilySchedule& policy() { return std::get<FamilySchedule>(plan().schedule.order); }
};

}  // namespace

class ScheduleTest : public QObject {
    Q_OBJECT
private slots:
    void aClickTakesAScheduleInOneStep();
    void arrowKeysTryAndEscapePutsBack();
    void whatDoesNotApplySaysWhyAndOffersEqualLayers();
    void aScheduleOfSeveralStagesPerGpuIsGreyUntilStagesAreSplitAndJoinsThemAgain();
    void slicesAreOfferedForCausalSequencesAlone();
    void aPlanOfAnotherScheduleSaysSoInItsName();
    void parametersAreFieldsBesideIt();
    void aboveThemIsWhichScheduleThePlanHasAndWhereItDiffers();
    void allThatApplyAreCompared();
    void oneClickMakesAnExperimentOverMicrobatches();
    void anOrderIsKeptAndUsedAndDeleted();
    void aProgramOfTheFolderIsAmongThem();
    void theParametersOfAProgramAreSetBelowTheList();

private:
    PrivateHome home_;
};

void ScheduleTest::aClickTakesAScheduleInOneStep() {
    OpenSchedules open;
    QCOMPARE(open.list().count(), static_cast<int>(scheduleFamilies().size()));
    QVERIFY(open.textOf("PE").startsWith("✓"));
    QCOMPARE(open.list().currentRow(), open.rowOf("PE"));
    const Plan before = open.plan();
    open.click("ZB-H1");
    QTRY_COMPARE(open.undo().count(), 1);
    QCOMPARE(open.undo().undoText(), QStringLiteral("Schedule: ZB-H1"));
    QCOMPARE(open.policy().name, std::string("zb-h1"));
    QVERIFY(open.plan().schedule.splitBackward);
    QVERIFY(open.plan().stages == before.stages);
    QTRY_VERIFY(open.textOf("ZB-H1").startsWith("✓"));
    const auto* legend = open.page().findChild<Legend*>();
    QTRY_VERIFY(legend->texts().contains("input gradient"));
    QVERIFY(!legend->texts().contains("backward"));
    QVERIFY(open.textOf("ZB-H1").contains(
        QString::fromStdString(formatSeconds(open.item().run->iterationTimeS()))));
    open.undo().undo();
    QTRY_VERIFY(open.plan() == before);
}

void ScheduleTest::arrowKeysTryAndEscapePutsBack() {
    OpenSchedules open;
    open.list().setFocus();
    QTest::keyClick(&open.list(), Qt::Key_Home);
    QTRY_VERIFY(open.page().shownRun() != open.page().run());
    QCOMPARE(std::get<FamilySchedule>(open.page().shownRun()->result.plan.schedule.order).name,
             std::string("gpipe"));
    QCOMPARE(open.undo().count(), 0);
    QTest::keyClick(&open.list(), Qt::Key_Escape);
    QTRY_VERIFY(open.page().shownRun() == open.page().run());
    QCOMPARE(open.list().currentRow(), open.rowOf("PE"));
    QTest::keyClick(&open.list(), Qt::Key_Home);
    QTest::keyClick(&open.list(), Qt::Key_Return);
    QTRY_COMPARE(open.undo().count(), 1);
    QCOMPARE(open.policy().name, std::string("gpipe"));
}

void ScheduleTest::whatDoesNotApplySaysWhyAndOffersEqualLayers() {
    OpenSchedules open;
    QVERIFY2(open.textOf("ZB-V").contains("expected stages in a V"), qPrintable(open.textOf("ZB-V")));
    open.click("ZB-V");
    auto* equal = open.panel().findChild<QPushButton*>("scheduleEqualLayers");
    QVERIFY(equal->isVisible());
    QCOMPARE(open.undo().count(), 0);
    QTest::mouseClick(equal, Qt::LeftButton);
    QTRY_COMPARE(open.undo().count(), 1);
    QCOMPARE(open.policy().name, std::string("zb-v"));
    QTRY_VERIFY(open.item().run && open.item().run->ok());
    QVERIFY(open.item().run->evaluation->valid());
}

void ScheduleTest::aScheduleOfSeveralStagesPerGpuIsGreyUntilStagesAreSplitAndJoinsThemAgain() {
    OpenSchedules open;
    const std::vector<Stage> before = open.plan().stages;
    QVERIFY2(open.textOf("Interleaved 1F1B").contains("needs at least 2 stages on each device"),
             qPrintable(open.textOf("Interleaved 1F1B")));
    QVERIFY(open.list().item(open.rowOf("Interleaved 1F1B"))->icon().isNull());
    open.click("Interleaved 1F1B");
    auto* arrange = open.panel().findChild<QPushButton*>("scheduleArrange");
    auto* chunks = open.panel().findChild<QSpinBox*>("scheduleChunks");
    QVERIFY(arrange->isVisible() && chunks->isVisible());
    QCOMPARE(arrange->text(), QStringLiteral("Split each stage in 2"));
    chunks->setFocus();
    QTest::keyClick(chunks, Qt::Key_Up);
    QCOMPARE(arrange->text(), QStringLiteral("Split each stage in 3"));
    QTest::keyClick(chunks, Qt::Key_Down);
    QTest::mouseClick(arrange, Qt::LeftButton);
    QTRY_COMPARE(open.undo().count(), 1);
    QCOMPARE(open.policy().name, std::string("interleaved"));
    QCOMPARE(open.plan().stages.size(), 2 * before.size());
    QCOMPARE(open.item().title(), QStringLiteral("SPP (edited)"));
    QTRY_VERIFY(open.item().run && open.item().run->ok());
    QVERIFY(open.item().run->evaluation->valid());
    QTRY_VERIFY(!open.panel().isWorking() && !arrange->isVisible());
    open.click("1F1B");
    QTRY_VERIFY(arrange->isVisible());
    QVERIFY(!chunks->isVisible());
    QCOMPARE(arrange->text(), QStringLiteral("Join the stages of each GPU"));
    QTest::mouseClick(arrange, Qt::LeftButton);
    QTRY_COMPARE(open.policy().name, std::string("1f1b"));
    QVERIFY(open.plan().stages == before);
}

void ScheduleTest::slicesAreOfferedForCausalSequencesAlone() {
    OpenSchedules open;
    QVERIFY2(open.textOf("Seq1F1B").contains("needs causal sequences"), qPrintable(open.textOf("Seq1F1B")));
    QVERIFY(open.list().item(open.rowOf("Seq1F1B"))->icon().isNull());
    QAction* causal = open.window.actionRegister().action("profile.causal");
    QVERIFY(causal->isEnabled() && !causal->isChecked());
    causal->trigger();
    QVERIFY(causal->isChecked());
    QTRY_VERIFY(open.rowOf("Seq1F1B") >= 0 && open.textOf("Seq1F1B").contains("bubbles"));
    open.undo().undo();
    QVERIFY(!causal->isChecked());
}

void ScheduleTest::aPlanOfAnotherScheduleSaysSoInItsName() {
    OpenSchedules open;
    Workspace& workspace = open.window.workspace();
    Plan own = open.plan();
    own.planner = "hand";
    own.name = "Mine";
    const int id = workspace.addPlan(own);
    QTRY_VERIFY(!open.window.planning().isBusy());
    Plan moved = own;
    --moved.stages[0].lastLayer;
    --moved.stages[1].firstLayer;
    workspace.editPlan(id, moved, nullptr, "Move");
    QCOMPARE(workspace.plan(id)->title(), QStringLiteral("Mine"));
    Plan other = moved;
    other.schedule.order = FamilySchedule{"gpipe", {}};
    workspace.editPlan(id, other, nullptr, "Schedule");
    QCOMPARE(workspace.plan(id)->title(), QStringLiteral("Mine (edited)"));
    workspace.undoStack()->undo();
    QCOMPARE(workspace.plan(id)->title(), QStringLiteral("Mine"));
}

void ScheduleTest::parametersAreFieldsBesideIt() {
    OpenSchedules open;
    open.click("Zero-bubble search");
    QTRY_COMPARE(open.policy().name, std::string("zb-search"));
    QTRY_VERIFY(open.panel().form());
    auto* field = open.panel().form()->findChild<QSpinBox*>("limit");
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, "2");
    QTRY_VERIFY(open.policy().parameters.contains("limit"));
    QCOMPARE(open.policy().parameters.at("limit"), 2.0);
    QTRY_VERIFY(!open.panel().isWorking());
    QCOMPARE(open.panel().form()->findChild<QSpinBox*>("limit"), field);
}

void ScheduleTest::aboveThemIsWhichScheduleThePlanHasAndWhereItDiffers() {
    OpenSchedules open;
    auto* line = open.panel().findChild<QLabel*>("recognisedSchedule");
    QVERIFY(line->isVisible());
    QVERIFY2(line->text().startsWith("This is PE"), qPrintable(line->text()));
    // The first two forwards change places.
    open.view().selectBlock(open.timeline().find(BlockKind::forward, 0, 0, 0));
    open.view().setFocus();
    QTest::keyClick(&open.view(), Qt::Key_Right, Qt::ControlModifier);
    QTRY_COMPARE(open.undo().count(), 1);
    QTRY_VERIFY(!open.panel().isWorking() && line->text().startsWith("Nearest: PE"));
    QVERIFY2(line->text().contains("F1 where PE has F0"), qPrintable(line->text()));
    open.view().selectBlock(noBlock);
    for (int y = 1; y < line->height() && open.view().selectedBlock() == noBlock; y += 3)
        QTest::mouseClick(line, Qt::LeftButton, {}, QPoint(12, y));
    QCOMPARE(open.view().selectedBlock(), open.timeline().find(BlockKind::forward, 0, 1, 0));
    open.undo().undo();
    QTRY_VERIFY(line->text().startsWith("This is PE"));
}

void ScheduleTest::allThatApplyAreCompared() {
    OpenSchedules open;
    int applying = 0;
    for (int row = 0; row < open.list().count(); ++row)
        applying += open.list().item(row)->icon().isNull() ? 0 : 1;
    QVERIFY(applying > 5);
    QTest::mouseClick(open.panel().findChild<QPushButton*>("compareSchedules"), Qt::LeftButton);
    auto* compare = open.window.findChild<ComparePage*>();
    QVERIFY(compare->isVisible());
    QTRY_VERIFY(!compare->trials().isWorking());
    QCOMPARE(static_cast<int>(compare->trials().items().size()), applying - 1);
    for (const TrialPlans::Item& item : compare->trials().items()) QVERIFY(item.run->ok());
}

void ScheduleTest::oneClickMakesAnExperimentOverMicrobatches() {
    OpenSchedules open;
    QTest::mouseClick(open.panel().findChild<QPushButton*>("scheduleExperiment"), Qt::LeftButton);
    ExperimentsWindow* window = nullptr;
    for (QWidget* top : QApplication::topLevelWidgets())
        if (auto* each = qobject_cast<ExperimentsWindow*>(top)) window = each;
    QVERIFY(window && window->isVisible());
    const ExperimentDraft& draft = window->builder().draft();
    // BERT's sequences are not causal, and the sample does not say which layers are of words.
    const auto shared = std::ranges::count_if(scheduleFamilies(), sharesVocabulary);
    QCOMPARE(std::ssize(draft.experiment.planners), std::ssize(scheduleFamilies()) - 1 - shared);
    QVERIFY(draft.experiment.about.find("Left out: Seq1F1B") != std::string::npos);
    QCOMPARE(draft.axes.size(), std::size_t{1});
    QVERIFY(check(draft).experiment);
    window->close();
}

void ScheduleTest::anOrderIsKeptAndUsedAndDeleted() {
    OpenSchedules open;
    const int families = open.list().count();
    open.click("GPipe");
    QTRY_COMPARE(open.policy().name, std::string("gpipe"));
    QTRY_VERIFY(open.item().run && open.item().run->ok());
    auto* name = open.panel().findChild<QLineEdit*>("customScheduleName");
    auto* keep = open.panel().findChild<QPushButton*>("keepSchedule");
    QVERIFY(!keep->isEnabled());
    QTest::mouseClick(name, Qt::LeftButton);
    QTest::keyClicks(name, "All forward first");
    QTRY_VERIFY(keep->isEnabled());
    QTest::mouseClick(keep, Qt::LeftButton);
    QTRY_COMPARE(open.list().count(), families + 1);
    QTRY_VERIFY(!open.panel().isWorking());
    const double gpipeS = open.timeS();
    open.click("1F1B");
    QTRY_COMPARE(open.policy().name, std::string("1f1b"));
    QTRY_VERIFY(!open.panel().isWorking());
    open.click("All forward first");
    QTRY_VERIFY(std::holds_alternative<ExplicitSchedule>(open.plan().schedule.order));
    QTRY_VERIFY(open.textOf("All forward first").startsWith("✓"));
    QTRY_VERIFY(open.item().run && open.item().run->ok());
    QCOMPARE(open.timeS(), gpipeS);

    const Outcome listed = call({"schedules"});
    QVERIFY2(mentions(listed.out, "All forward first\n    Custom order, for "), listed.out.c_str());
    QCOMPARE(call({"schedules", "--forget", "All backward first"}).status, 2);

    open.list().setFocus();
    open.list().setCurrentRow(open.rowOf("All forward first"));
    QTest::keyClick(&open.list(), Qt::Key_Delete);
    QTRY_COMPARE(open.list().count(), families);
    QTRY_VERIFY(!open.panel().isWorking());
    QVERIFY(!mentions(call({"schedules"}).out, "All forward first"));
    QVERIFY(std::holds_alternative<ExplicitSchedule>(open.plan().schedule.order));  // the plan keeps it
}

void ScheduleTest::aProgramOfTheFolderIsAmongThem() {
    if (!isOnPath("python3")) QSKIP("python3 is not installed");
    const custom_program::Folder folder;
    std::filesystem::copy_file(STAGECRAFT_SOURCE_DIR "/samples/planners/warm_up_1f1b.py",
                               folder.path() / "warm_up_1f1b.py");
    QCOMPARE(std::ssize(readProgramsFolder(folder.path()).families), 1);
    OpenSchedules open;
    const QString title = QString::fromStdString(addedFamilies().front().described().title);
    QTRY_VERIFY(!open.panel().isWorking());
    QVERIFY(open.rowOf(title) > 0);
    open.click(title);
    QTRY_VERIFY(std::holds_alternative<ExplicitSchedule>(open.plan().schedule.order));
    QTRY_VERIFY(open.item().run && open.item().run->ok());
    QVERIFY(open.item().run->evaluation->valid());
    readProgramsFolder({});
}

void ScheduleTest::theParametersOfAProgramAreSetBelowTheList() {
    if (!isOnPath("python3")) QSKIP("python3 is not installed");
    const custom_program::Folder folder;
    std::filesystem::copy_file(STAGECRAFT_SOURCE_DIR "/samples/planners/warm_up_1f1b.py",
                               folder.path() / "warm_up_1f1b.py");
    readProgramsFolder(folder.path());
    OpenSchedules open;
    const QString title = QString::fromStdString(addedFamilies().front().described().title);
    QTRY_VERIFY(!open.panel().isWorking());
    open.click(title);
    const auto ordersOf = [&] {
        const auto* schedule = std::get_if<ExplicitSchedule>(&open.plan().schedule.order);
        return schedule ? schedule->orders : decltype(ExplicitSchedule::orders){};
    };
    QTRY_VERIFY(!ordersOf().empty());
    const auto before = ordersOf();
    auto* field = open.panel().form()->findChild<QSpinBox*>("more");
    QVERIFY(field);
    QCOMPARE(field->value(), 1);
    QVERIFY(open.panel().form()->findChild<QWidget*>("time_limit_s"));
    field->setValue(3);
    QVERIFY(open.panel().isWorking());
    QTRY_VERIFY(ordersOf() != before);
    QVERIFY(open.item().run->ok());
    QCOMPARE(open.panel().form()->values().at("more"), ParameterValue(3));
    QCOMPARE(open.undo().undoText(), "Schedule: " + title);
    // It stays set while the list is elsewhere.
    open.list().setCurrentRow(0);
    open.list().setCurrentRow(open.rowOf(title));
    QCOMPARE(open.panel().form()->values().at("more"), ParameterValue(3));
    readProgramsFolder({});
}

STAGECRAFT_TEST(ScheduleTest)
#include "schedule_test.moc"
