// Plans that are edited are beside their planners' own, what is tried is no edit, and copies.

#include "app/figures/figure_dialog.h"
#include "app/figures/figure_settings.h"
#include "app/panels/project_tree.h"
#include "app/plan/what_if_panel.h"
#include "tests/app/edit_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QSlider>
#include <QStatusBar>
#include <QTimer>
#include <QToolButton>

using namespace stagecraft;

class EditedPlansTest : public QObject {
    Q_OBJECT
private slots:
    void whatIfIsATryUntilItIsApplied();
    void whatIsTriedOnAllLinksIsSaidAndTakenBackByEscAndByClosing();
    void aPictureOfATrialSaysSo();
    void anExportDuringATryIsOfThePlanAndSaysSo();
    void theStatusLineForgetsAnEditThatIsUndone();
    void anEditedPlanStandsBesideThePlannersOwn();
    void aPlannersPlanThatIsEditedTwiceGivesTwoPlans();
    void aPlanIsDuplicatedFromMenuContextMenuAndPalette();

private:
    PrivateHome home_;
};

void EditedPlansTest::whatIfIsATryUntilItIsApplied() {
    OpenWindow open;
    click(open.editor().bar(), QStringLiteral("whatIf"));
    WhatIfPanel& panel = open.editor().whatIf();
    QVERIFY(panel.isVisible());
    auto* apply = panel.findChild<QPushButton*>(QStringLiteral("whatIfApply"));
    auto* changes = panel.findChild<QLabel*>(QStringLiteral("whatIfChanges"));
    QVERIFY(!apply->isEnabled());
    const Problem before = open.window.workspace().problem();
    const double timeBefore = open.timeS();
    using Kind = WhatIf::Kind;
    const auto pull = [&](Kind kind) {
        QSlider* slider = panel.slider(kind);
        slider->setSliderDown(true);
        slider->setValue(slider->value() + (slider->maximum() - slider->value()) / 2);
        slider->setSliderDown(false);
    };
    for (const Kind kind : {Kind::microbatches, Kind::bandwidth, Kind::layerTime, Kind::memoryLimit}) {
        const int position = panel.slider(kind)->value();
        const auto shownBefore = open.page().shownRun();
        pull(kind);
        const int tried = panel.slider(kind)->value();
        QVERIFY(tried != position);
        QTRY_VERIFY(open.page().shownRun() != shownBefore);
        QVERIFY(open.page().shownRun()->result.plan == open.plan());
        QTest::qWait(800);  // longer than a slider that keys moved once waited before it wrote
        QCOMPARE(panel.slider(kind)->value(), tried);
        QCOMPARE(open.undo().count(), 0);
        QVERIFY(open.window.workspace().problem() == before);
        QVERIFY(!open.window.workspace().isDirty());
    }
    QVERIFY2(open.editor().bar().text().startsWith(QStringLiteral("What if, not applied")),
             qPrintable(open.editor().bar().text()));
    // All four together are what Apply sets, in one step.
    const std::vector<WhatIf> tries = panel.tries();
    QCOMPARE(tries.size(), std::size_t(4));
    for (const WhatIf& each : tries) QVERIFY(changes->text().contains(describe(before, each)));
    const double tried = open.page().shownRun()->iterationTimeS();
    click(panel, QStringLiteral("whatIfApply"));
    QVERIFY(open.window.workspace().problem() == changedBy(before, tries));
    QCOMPARE(open.undo().count(), 1);
    QVERIFY(panel.tries().empty() && !apply->isEnabled());
    QTRY_VERIFY(!open.window.planning().isBusy() && open.item().run && open.item().run->ok());
    QCOMPARE(open.timeS(), tried);
    open.undo().undo();
    QVERIFY(open.window.workspace().problem() == before);
    QTRY_VERIFY(open.item().run && open.item().run->ok());
    QCOMPARE(open.timeS(), timeBefore);
}

void EditedPlansTest::whatIsTriedOnAllLinksIsSaidAndTakenBackByEscAndByClosing() {
    OpenWindow open;
    click(open.editor().bar(), QStringLiteral("whatIf"));
    WhatIfPanel& panel = open.editor().whatIf();
    auto* changes = panel.findChild<QLabel*>(QStringLiteral("whatIfChanges"));
    QSlider* bandwidth = panel.slider(WhatIf::Kind::bandwidth);
    const auto links = linksBetweenServers(open.window.workspace().problem().cluster).size();
    QVERIFY(links > 1);
    QTest::keyClick(bandwidth, Qt::Key_PageUp);
    QVERIFY2(changes->text().contains(QStringLiteral("all %1 links between servers").arg(links)),
             qPrintable(changes->text()));
    QTRY_VERIFY(open.page().shownRun() != open.page().run());
    QTest::keyClick(bandwidth, Qt::Key_Escape);
    QCOMPARE(bandwidth->value(), 0);
    QVERIFY(changes->isHidden());
    QVERIFY(open.page().shownRun() == open.page().run());
    // A slider that is moved back by hand tries nothing, and closing the pane ends a trial.
    QTest::keyClick(bandwidth, Qt::Key_PageUp);
    QTest::keyClick(bandwidth, Qt::Key_PageDown);
    QVERIFY(panel.tries().empty() && open.page().shownRun() == open.page().run());
    QTest::keyClick(bandwidth, Qt::Key_PageUp);
    QTRY_VERIFY(open.page().shownRun() != open.page().run());
    click(open.editor().bar(), QStringLiteral("whatIf"));
    QVERIFY(open.page().shownRun() == open.page().run());
    QVERIFY(!open.editor().bar().text().contains(QStringLiteral("What if")));
    QCOMPARE(open.undo().count(), 0);
}

void EditedPlansTest::aPictureOfATrialSaysSo() {
    OpenWindow open;
    const auto copied = [&open] {
        open.window.actionRegister().action(QStringLiteral("edit.copyPicture"))->trigger();
        return QGuiApplication::clipboard()->image();
    };
    click(open.editor().bar(), QStringLiteral("whatIf"));
    QTest::keyClick(open.editor().whatIf().slider(WhatIf::Kind::bandwidth), Qt::Key_PageUp);
    QTRY_VERIFY(open.page().shownRun() != open.page().run());
    QTRY_VERIFY(open.page().view().isReady());
    QVERIFY(open.editor().trialText().contains(QStringLiteral("between servers ×")));
    const QImage tried = copied();
    QTest::keyClick(open.editor().whatIf().slider(WhatIf::Kind::bandwidth), Qt::Key_Escape);
    QVERIFY(open.page().shownRun() == open.page().run());
    // The words are above the chart.
    const QImage plain = copied();
    QCOMPARE(tried.width(), plain.width());
    const int caption = tried.height() - plain.height();
    QVERIFY2(caption > 20, qPrintable(QString::number(caption)));
    int inked = 0;
    for (int x = 0; x < tried.width(); ++x)
        for (int y = 0; y < caption; ++y) inked += tried.pixel(x, y) == Theme::current().text.rgb();
    QVERIFY2(inked > 200, qPrintable(QString::number(inked)));
}

void EditedPlansTest::anExportDuringATryIsOfThePlanAndSaysSo() {
    OpenWindow open;
    const auto [from, to] = std::pair(open.timeline().firstStartS(), open.timeline().lastEndS());
    /// Whether the dialogue says that the figure is not what the chart shows, and has a range of the chart.
    const auto asked = [&] {
        std::pair<bool, bool> saysSo{false, false};
        bool shown = false;
        QTimer::singleShot(0, qApp, [&] {
            auto* dialog = qobject_cast<FigureDialog*>(QApplication::activeModalWidget());
            if (!dialog) return;
            shown = dialog->source().timeS == std::pair(from, to);
            const auto* remark = dialog->findChild<QLabel*>(QStringLiteral("remark"));
            saysSo = {remark->isVisible() && remark->text().contains(QStringLiteral("not been applied")),
                      dialog->choice().part->timeS.has_value()};
            dialog->reject();
        });
        open.window.actionRegister().action(QStringLiteral("file.export"))->trigger();
        [&] { QVERIFY2(shown, "the figure is not of the plan that the project has"); }();
        return saysSo;
    };
    open.view().setVisibleRange(0, to / 2);
    QVERIFY(asked() == std::pair(false, true));
    click(open.editor().bar(), QStringLiteral("whatIf"));
    QTest::keyClick(open.editor().whatIf().slider(WhatIf::Kind::microbatches), Qt::Key_PageUp);
    QTRY_VERIFY(open.page().shownRun() != open.page().run());
    open.view().setVisibleRange(to, 2 * to);  // where the plan has nothing
    QVERIFY(asked() == std::pair(true, false));
    QTest::keyClick(open.editor().whatIf().slider(WhatIf::Kind::microbatches), Qt::Key_Escape);
    QVERIFY(open.page().shownRun() == open.page().run());
    QVERIFY(!asked().first);
}

void EditedPlansTest::theStatusLineForgetsAnEditThatIsUndone() {
    OpenWindow open;
    const auto saysIt = [&open] {
        const auto labels = open.window.statusBar()->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text().contains(QStringLiteral("better")) ||
                   label->text().contains(QStringLiteral("worse"));
        });
    };
    open.dragBoundary(0, -1);
    QTRY_COMPARE(open.undo().count(), 1);
    QVERIFY(saysIt());
    open.undo().undo();
    QVERIFY(!saysIt());
    // What is applied stays in the plan that is shown; a label that is cut to its room finds its text again
    // when the room changes.
    const auto saysApplied = [&open] {
        const auto labels = open.window.statusBar()->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text().startsWith(QStringLiteral("Applied"));
        });
    };
    click(open.editor().bar(), QStringLiteral("whatIf"));
    QTest::keyClick(open.editor().whatIf().slider(WhatIf::Kind::bandwidth), Qt::Key_PageUp);
    click(open.editor().whatIf(), QStringLiteral("whatIfApply"));
    QVERIFY(saysApplied());
    open.undo().undo();
    open.window.resize(open.window.width() + 200, open.window.height());
    QTest::qWait(50);
    QVERIFY(!saysApplied());
}

void EditedPlansTest::anEditedPlanStandsBesideThePlannersOwn() {
    OpenWindow open;
    Workspace& workspace = open.window.workspace();
    const Plan own = open.plan();
    const auto ownRun = open.item().run;
    const int ownId = open.id();
    PlanPage* const page = &open.page();
    const double span = open.timeline().endS.back();
    open.view().setVisibleRange(0.2 * span, 0.6 * span);
    const auto zoom = open.view().visibleRange();
    open.strip().setFocus();
    open.dragBoundary(0, -1);
    QTRY_COMPARE(workspace.plans().size(), std::size_t(2));
    QVERIFY(workspace.plans()[0].plan == own && workspace.plans()[0].run == ownRun);
    QCOMPARE(workspace.plans()[0].title(), QStringLiteral("SPP"));
    QCOMPARE(workspace.plans()[1].title(), QStringLiteral("SPP (edited)"));
    // The view stays: the same charts, zoom and focus, now of the edited plan.
    QCOMPARE(open.id(), workspace.plans()[1].id);
    QCOMPARE(&open.page(), page);
    QCOMPARE(open.view().visibleRange(), zoom);
    QVERIFY(open.strip().hasFocus());
    QCOMPARE(open.window.workbench().tabText(open.window.workbench().currentIndex()),
             QStringLiteral("SPP (edited)"));
    // The next edit changes that one.
    open.dragBoundary(1, -1);
    QTRY_COMPARE(open.undo().count(), 2);
    QCOMPARE(workspace.plans().size(), std::size_t(2));
    QCOMPARE(open.item().title(), QStringLiteral("SPP (edited)"));
    open.undo().undo();
    open.undo().undo();
    QCOMPARE(workspace.plans().size(), std::size_t(1));
    QCOMPARE(open.id(), ownId);
    QVERIFY(open.page().run() == ownRun && open.strip().shownPlan() == own);
    QCOMPARE(open.view().visibleRange(), zoom);
    open.undo().redo();
    QCOMPARE(open.item().title(), QStringLiteral("SPP (edited)"));
    open.window.workbench().showPlan(ownId);
    QTRY_VERIFY(open.page().run() == ownRun && open.page().editor());
    QVERIFY(open.strip().shownPlan() == own);
}

void EditedPlansTest::aPlannersPlanThatIsEditedTwiceGivesTwoPlans() {
    OpenWindow open;
    const int own = open.id();
    open.dragBoundary(0, -1);
    QTRY_COMPARE(open.undo().count(), 1);
    open.window.workbench().showPlan(own);
    QTRY_VERIFY(open.page().run() && open.page().editor());
    open.dragBoundary(1, -1);
    QTRY_COMPARE(open.undo().count(), 2);
    QStringList titles;
    for (const PlanItem& item : open.window.workspace().plans()) titles << item.title();
    titles.sort();
    QCOMPARE(titles, QStringList({"SPP", "SPP (edited 2)", "SPP (edited)"}));
    QCOMPARE(open.item().title(), QStringLiteral("SPP (edited 2)"));
    // An edit of that one keeps its name.
    open.dragBoundary(0, -1);
    QTRY_COMPARE(open.undo().count(), 3);
    QCOMPARE(open.item().title(), QStringLiteral("SPP (edited 2)"));
}

void EditedPlansTest::aPlanIsDuplicatedFromMenuContextMenuAndPalette() {
    OpenWindow open;
    Workspace& workspace = open.window.workspace();
    const Plan own = open.plan();
    const ActionRegister& actions = open.window.actionRegister();
    QAction* duplicate = actions.action(QStringLiteral("plan.duplicate"));
    QVERIFY(duplicate && duplicate->isEnabled());
    const auto& offered = actions.all();  // in the palette
    QVERIFY(std::find(offered.begin(), offered.end(), duplicate) != offered.end());
    bool inMenu = false;
    for (QAction* menu : open.window.menuBar()->actions())
        inMenu = inMenu || menu->menu()->actions().contains(duplicate);
    QVERIFY(inMenu);
    auto* tree = open.window.findChild<ProjectTree*>();
    bool inContext = false;
    QTimer::singleShot(0, [&] {
        auto* shown = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        inContext = shown && shown->actions().contains(duplicate);
        if (shown) shown->close();
    });
    emit tree->contextMenuWanted(open.id(), QPoint(10, 10));
    QVERIFY(inContext);
    duplicate->trigger();
    QCOMPARE(workspace.plans().size(), std::size_t(2));
    QCOMPARE(open.item().title(), QStringLiteral("SPP (copy)"));
    Plan copy = open.plan();
    copy.name = own.name;
    QVERIFY(copy == own);
    QVERIFY(open.item().run && open.item().run->ok());
    duplicate->trigger();
    QCOMPARE(open.item().title(), QStringLiteral("SPP (copy) (copy)"));
    QCOMPARE(open.undo().undoText(), QStringLiteral("Duplicate SPP (copy)"));
    open.undo().undo();
    open.undo().undo();
    QCOMPARE(workspace.plans().size(), std::size_t(1));
    QVERIFY(!workspace.isDirty());
}

STAGECRAFT_TEST(EditedPlansTest)
#include "edited_plans_test.moc"
