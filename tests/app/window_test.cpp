// A person's way through the window, with real clicks and keys.
#include "app/document/run_summary.h"
#include "app/panels/project_tree.h"
#include "app/plan/plan_page.h"
#include "app/shell/session.h"
#include "app/shell/workbench.h"
#include "app/start/sample_card.h"
#include "core/base/units.h"
#include "core/planners/planned_run.h"
#include "tests/app/sample_files.h"
#include "tests/app/window_fixture.h"
#include "tests/app/window_stretch.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/restyling.h"
#include "views/common/style_lookups.h"
#include "views/common/widgets.h"
#include "views/compare/compare_view.h"
#include "views/timeline/gantt_chart.h"
#include "views/topology/topology_view.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>

#include <malloc.h>

#include <algorithm>

using namespace stagecraft;
using testing::toyCard;

namespace {

const QString bertCard = QStringLiteral("sample:bert-large-8x4");

}  // namespace

class WindowTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

    /// A run that takes long enough to be interrupted.
    void startLongRun(MainWindow& window) {
        click(window, bertCard);
        TrainingSetup setup = window.workspace().problem().setup;
        setup.microbatches = 100'000;
        window.workspace().setSetup(setup);
        window.findChild<QComboBox*>(QStringLiteral("plannerChoice"))->setCurrentIndex(1);
        click(window, QStringLiteral("run"));
        QVERIFY(window.planning().isPlanning());
        QTest::qWait(100);
        QVERIFY2(window.planning().isPlanning(), "the run was meant to take longer");
    }

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void aClickOnASampleOpensAnUnsavedCopyOfIt() {
        MainWindow window;
        window.show();
        QVERIFY(window.findChildren<SampleCard*>().size() >= 3);
        click(window, bertCard);
        QVERIFY(window.workspace().isOpen());
        QVERIFY(window.workspace().path().isEmpty());
        QVERIFY(!window.workspace().isDirty());
        QVERIFY(window.windowTitle().startsWith(QStringLiteral("BERT-large on 8 servers of 4 GPUs")));
        QCOMPARE(window.workspace().problem().cluster.deviceCount(), 32);
    }

    void everyPageIsInTheMenuUnderItsKeyAndIsFoundAgainByASession() {
        MainWindow window;
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        click(window, bertCard);
        Workbench& workbench = window.workbench();
        QSet<QString> keys;
        QSet<int> numbers;
        for (const Page* page : workbench.pages()) {
            const Page::About& about = page->about();
            if (!page->isOffered()) {  // there is nothing for it in this project
                QVERIFY(!workbench.isTabVisible(workbench.indexOf(page)));
                keys << about.key;
                numbers << about.number;
                continue;
            }
            workbench.showKey(QStringLiteral("cluster"));
            QTest::keyClick(&window, static_cast<Qt::Key>(Qt::Key_0 + about.number), Qt::AltModifier);
            QCOMPARE(workbench.currentPage(), page);
            QCOMPARE(workbench.currentKey(), about.key);
            workbench.showKey(QStringLiteral("cluster"));
            workbench.showKey(about.key);
            QCOMPARE(workbench.currentPage(), page);
            const QAction* action = window.actionRegister().action(QStringLiteral("view.") + about.key);
            QVERIFY(action);
            QCOMPARE(action->text(), about.menuText);
            QCOMPARE(workbench.tabText(workbench.indexOf(page)), about.title);
            QVERIFY(!workbench.tabIcon(workbench.indexOf(page)).isNull());
            keys << about.key;
            numbers << about.number;
        }
        QCOMPARE(keys.size(), static_cast<qsizetype>(workbench.pages().size()));
        QCOMPARE(numbers.size(), keys.size());
    }

    void allPlannersRunFromThePanelAndTheFastestIsFirst() {
        MainWindow window;
        window.show();
        click(window, bertCard);
        runAndWait(window);
        // The setup keeps a barrier: who plans without one is not asked.
        std::vector<std::string> asked;
        for (const std::unique_ptr<Planner>& planner : allPlanners())
            if (planner->description().plansWithBarrier) asked.push_back(planner->description().id);
        QCOMPARE(window.workspace().plans().size(), asked.size());
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const PlanItem& item = window.workspace().plans()[i];
            // The order of the project is that in which planners are offered, not that in which threads
            // finished.
            QCOMPARE(item.plan.planner, asked[i]);
            QVERIFY(item.run->ok() && item.run->evaluation->valid());
        }
        QCOMPARE(window.problems().faultCount(), 0);
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("compare"));
        const auto* table = window.workbench().currentWidget()->findChild<QTableView*>();
        QVERIFY(table);
        // The search looks at SPP's stages, too; DAPPLE's best plan is as fast as SPP's within one per cent.
        QStringList first;
        for (int row = 0; row < 3; ++row) first << table->model()->index(row, 0).data().toString();
        QVERIFY2(first.front().startsWith("Schedule search: "), qPrintable(first.front()));
        QVERIFY2(first.contains("SPP"), qPrintable(first.join(", ")));
        // What it chose is in its name, and is not said again beside it.
        for (const PlanItem& item : window.workspace().plans()) {
            window.workbench().showPlan(item.id);
            const QString said = window.findChild<QLabel*>(QStringLiteral("summary"))->toolTip() +
                                 window.findChild<QLabel*>(QStringLiteral("summary"))->text();
            if (item.title().startsWith(QLatin1String("Schedule search")))
                QVERIFY2(app::document::summaryOf(*item.run, item.title()).count(item.title()) == 0 &&
                             !said.contains(": Schedule"),
                         qPrintable(said));
        }
    }

    void theStatusBarNamesThePlanningTimeOfThePlanInViewAlone() {
        MainWindow window;
        window.show();
        click(window, bertCard);
        runAndWait(window);
        const auto* shown = window.findChild<QLabel*>(QStringLiteral("planningTime"));
        QVERIFY(shown);
        const PlanItem* item = window.workbench().planInView();
        QVERIFY(item && item->run->result.planningTimeS > 0);
        QCOMPARE(shown->text(), QStringLiteral("planning time ") +
                                    QString::fromStdString(formatSeconds(item->run->result.planningTimeS)));
        while (!window.workspace().plans().empty())
            window.workspace().removePlan(window.workspace().plans().front().id);
        QCOMPARE(shown->text(), QString());
    }

    void theLemma1SampleShowsItsPointAtOneClick() {
        MainWindow window;
        window.show();
        click(window, QStringLiteral("sample:lemma1-fifo-counterexample"));
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("plan:0"));
        auto* problems = window.findChild<QWidget*>(QStringLiteral("problems"));
        QVERIFY(problems);
        QTRY_VERIFY(problems->isVisible());
        QCOMPARE(window.problems().rowCount(), 1);
        const ProblemRow& note = window.problems().row(0);
        QCOMPARE(note.severity, Severity::note);
        QVERIFY2(note.text.startsWith(QStringLiteral("takes 96.0 ms where Lemma 1 would allow 90.0 ms")),
                 qPrintable(note.text));
        // In the order of the schedule the lemma holds, and nothing is left to say but that it is another
        // setup.
        TrainingSetup setup = window.workspace().problem().setup;
        setup.channel = ChannelMode::halfDuplex;
        window.workspace().setSetup(setup);
        QTRY_VERIFY(window.workspace().plans().front().run);
        QCOMPARE(window.problems().rowCount(), 1);
        QVERIFY(window.problems().row(0).text.startsWith(QStringLiteral("out of date")));
        window.workspace().undoStack()->setClean();
    }

    void theKeysOfAChartWorkAsSoonAsItsTabOpens() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        click(window, toyCard);
        PlanView* view = window.workbench().planView(window.workbench().currentPlan());
        QVERIFY(view);
        QTRY_VERIFY(view->isReady());
        const auto all = view->visibleRange();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_W);
        QTRY_VERIFY(view->visibleRange().second - view->visibleRange().first < all.second - all.first);
        // And by a click on the tab, coming from a field.
        const int tab = window.workbench().currentIndex();
        window.workbench().showCluster();
        window.findChild<QSpinBox*>(QStringLiteral("microbatches"))->setFocus();
        const QTabBar* tabs = window.workbench().tabBar();
        QTest::mouseClick(const_cast<QTabBar*>(tabs), Qt::LeftButton, {}, tabs->tabRect(tab).center());
        QTRY_VERIFY(QApplication::focusWidget() &&
                    (view == QApplication::focusWidget() || view->isAncestorOf(QApplication::focusWidget())));
    }

    void aDeviceChosenInTheClusterIsMarkedInTheChart() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        click(window, toyCard);
        PlanView* view = window.workbench().planView(window.workbench().currentPlan());
        QTRY_VERIFY(view->isReady());
        QTest::qWait(50);
        const QImage plain = view->gantt().grab().toImage();
        auto* topology = window.workbench().findChild<TopologyView*>();
        window.workbench().showCluster();
        topology->selectDevice(0);
        window.workbench().showPlan(window.workspace().plans().front().id);
        QVERIFY(view->gantt().grab().toImage() != plain);
        topology->selectDevice(-1);
        QCOMPARE(view->gantt().grab().toImage(), plain);
    }

    void planningTwiceReplacesThePlanUnlessItHasAName() {
        MainWindow window;
        window.show();
        click(window, toyCard);
        const std::size_t before = window.workspace().plans().size();
        window.findChild<QComboBox*>(QStringLiteral("plannerChoice"))->setCurrentIndex(2);
        runAndWait(window);
        runAndWait(window);
        QCOMPARE(window.workspace().plans().size(), before + 1);
        window.workspace().renamePlan(window.workbench().currentPlan(), QStringLiteral("mine"));
        runAndWait(window);
        QCOMPARE(window.workspace().plans().size(), before + 2);
    }

    void cancelStopsARunAndLeavesNoPlan() {
        MainWindow window;
        window.show();
        startLongRun(window);
        click(window, QStringLiteral("cancel"));
        QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isPlanning(), 5000);
        QVERIFY(window.workspace().plans().empty());
        QVERIFY(window.findChild<QPushButton*>(QStringLiteral("run"))->isEnabled());
    }

    void closingDuringARunIsClean() {
        auto window = std::make_unique<MainWindow>();
        window->show();
        startLongRun(*window);
        QElapsedTimer clock;
        clock.start();
        answer(QMessageBox::Discard);
        QVERIFY(window->close());
        window.reset();
        QVERIFY2(clock.elapsed() < 5000, "closing waited for the run");
    }

    /// With plans in it, and with windows beside it that were opened later and listen too.
    void theDocumentOutlivesAllThatListenToIt() {
        auto window = std::make_unique<MainWindow>();
        window->show();
        window->openSample(QStringLiteral("gpipe-1f1b"));
        QVERIFY(!window->workspace().plans().empty());
        for (const char* id : {"plan.details", "plan.vpipe", "plan.playWithCluster"}) {
            QAction* action = window->actionRegister().action(QLatin1String(id));
            QTRY_VERIFY(action->isEnabled());
            action->trigger();
        }
        TrainingSetup setup = window->workspace().problem().setup;
        ++setup.microbatches;
        window->workspace().setSetup(setup);  // an undo stack that is not empty signals its own end
        QList<QPointer<QWidget>> listeners;
        for (QWidget* each : window->findChildren<QWidget*>()) listeners << each;
        QVERIFY(listeners.size() > 100);
        int left = -1;
        connect(&window->workspace(), &QObject::destroyed, this, [&] {
            left = static_cast<int>(std::count_if(listeners.begin(), listeners.end(),
                                                  [](const auto& each) { return !each.isNull(); }));
        });
        window.reset();
        QCOMPARE(left, 0);
    }

    /// tests/bench measures by how much: what is meant here is that nothing long is done on the window's
    /// thread.
    void noStepKeepsTheWindowFromAnsweringForATenthOfASecond() {
        const auto longestMs = [] {
            const WindowStretches longest = windowStretches(bertCard);
            return std::max({longest.openingMs, longest.planningMs, longest.turningTabsMs});
        };
        // A machine that others use computes more slowly at times; what is long, is so each time.
        double ms = longestMs();
        for (int again = 0; again < 2 && ms >= 100 * slowness; ++again) ms = std::min(ms, longestMs());
        QVERIFY2(ms > 0 && ms < 100 * slowness, qPrintable(QString::number(ms)));
    }

    void setupEditsAreUndoneAndRedone() {
        MainWindow window;
        window.show();
        click(window, toyCard);
        auto* field = window.findChild<QSpinBox*>(QStringLiteral("microbatches"));
        const int before = window.workspace().problem().setup.microbatches;
        QTest::mouseDClick(field, Qt::LeftButton);
        field->selectAll();
        QTest::keyClicks(field, QStringLiteral("12"));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(window.workspace().problem().setup.microbatches, 12);
        QVERIFY(window.workspace().isDirty());
        QVERIFY(QTest::qWaitForWindowActive(&window));
        // With the focus still in the field: the document's undo, not that of the text.
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(window.workspace().problem().setup.microbatches, before);
        QCOMPARE(field->value(), before);
        QVERIFY(!window.workspace().isDirty());
        window.actionRegister().action(QStringLiteral("edit.redo"))->trigger();
        QCOMPARE(field->value(), 12);
        // What follows from the plan is worked out again for the new setup.
        QTRY_VERIFY(window.workspace().plans().front().run);
        QCOMPARE(window.workspace().plans().front().run->costs->problem().setup.microbatches, 12);
        window.workspace().undoStack()->setClean();
    }

    void savedClosedAndReopenedEverythingIsThere() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        click(window, bertCard);
        runAndWait(window);
        const int spp = window.workspace().plans().front().id;
        window.workbench().showPlan(spp);
        QTRY_VERIFY(window.workbench().planView(spp)->isReady());
        window.workbench().planView(spp)->setVisibleRange(0.1, 0.2);
        const Project saved = window.workspace().project();
        const double time = window.workspace().plans().front().run->evaluation->metrics.iterationTimeS;
        const QString path = home_.file(QStringLiteral("bert.stagecraft.json"));
        QVERIFY(window.saveTo(path));
        QVERIFY(!window.workspace().isDirty());

        window.actionRegister().action(QStringLiteral("file.close"))->trigger();
        QVERIFY(!window.workspace().isOpen());
        openAndWait(window, path);
        QVERIFY(window.workspace().project() == saved);
        QVERIFY(!window.workspace().isDirty());
        QTRY_VERIFY_WITH_TIMEOUT(window.workspace().plans().front().run, 10'000);
        QCOMPARE(window.workspace().plans().front().run->evaluation->metrics.iterationTimeS, time);
        // How it was looked at is kept apart from the project, and comes back as well.
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("plan:0"));
        PlanView* view = window.workbench().planView(window.workbench().currentPlan());
        QTRY_VERIFY(view->isReady());
        QVERIFY(std::abs(view->visibleRange().first - 0.1) < 1e-3);
        QVERIFY(std::abs(view->visibleRange().second - 0.2) < 1e-3);
    }

    void aPlanIsExportedInTheWidthAskedFor() {
        MainWindow window;
        window.show();
        click(window, toyCard);
        QTRY_VERIFY(window.workspace().plans().front().run);
        const QString pdf = home_.file(QStringLiteral("toy.pdf"));
        QSignalSpy exported(&window, &MainWindow::exported);
        window.exportTo(pdf, ExportChoice{});
        QVERIFY(exported.wait(10'000));
        QFile file(pdf);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        QVERIFY(bytes.startsWith("%PDF"));
        const QRegularExpression box(QStringLiteral("/MediaBox \\[\\s*(\\S+) \\S+ (\\S+) "));
        const QRegularExpressionMatch found = box.match(QString::fromLatin1(bytes));
        QVERIFY(found.hasMatch());
        // 88.9 mm are 3.5 inches of 72 points.
        QCOMPARE(found.captured(2).toDouble() - found.captured(1).toDouble(), 252.0);

        ExportChoice table;
        table.format = QStringLiteral("csv");
        table.part = FigurePart{};
        const QString csv = home_.file(QStringLiteral("toy.csv"));
        window.exportTo(csv, table);
        QVERIFY(exported.wait(10'000));
        QFile rows(csv);
        QVERIFY(rows.open(QIODevice::ReadOnly));
        const auto blocks = window.workspace().plans().front().run->evaluation->timeline.blockCount();
        QCOMPARE(rows.readAll().trimmed().count('\n'), static_cast<qsizetype>(blocks));
    }

    void theComparisonIsExportedWhileItIsShown() {
        MainWindow window;
        window.show();
        click(window, toyCard);
        QTRY_VERIFY(window.workspace().plans().front().run);
        window.workbench().showCompare();
        QVERIFY(window.actionRegister().action(QStringLiteral("file.export"))->isEnabled());
        ExportChoice choice;
        choice.format = QStringLiteral("svg");
        const QString path = home_.file(QStringLiteral("comparison.svg"));
        QSignalSpy exported(&window, &MainWindow::exported);
        window.exportTo(path, choice);
        QVERIFY(exported.wait(10'000));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QVERIFY(text.contains("width=\"88.9mm\""));
        QVERIFY(text.contains("The plan of Fig. 2"));
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("compare"));
    }

    void everyActionStandsInTheListOfKeysUnderItsOwnShortcut() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, Qt::Key_Question);
        auto* help = window.findChild<QDialog*>(QStringLiteral("shortcutHelp"));
        QVERIFY(help);
        const auto* list = help->findChild<QTreeWidget*>();
        QSet<QString> seen;
        for (const QAction* action : window.actionRegister().all()) {
            const QString keys = action->shortcut().toString(QKeySequence::NativeText);
            if (keys.isEmpty()) continue;
            // Some keys belong to a view: another view may have them for something else.
            const bool ofView = action->shortcutContext() == Qt::WidgetWithChildrenShortcut;
            const QString where = ofView ? action->objectName().section('.', 0, 0) : QStringLiteral("window");
            const QString inWindow = QStringLiteral("window ") + keys, own = where + ' ' + keys;
            QVERIFY2(!seen.contains(own) && !seen.contains(inWindow),
                     qPrintable(keys + QStringLiteral(" does two things")));
            seen.insert(own);
            QVERIFY2(!list->findItems(keys, Qt::MatchExactly | Qt::MatchRecursive, 1).isEmpty(),
                     qPrintable(keys));
        }
        QVERIFY(seen.size() > 15);
    }

    void aThemeThatIsInForceStylesNothingAnew() {
        struct Counter : QObject {
            int changes = 0;
            bool eventFilter(QObject*, QEvent* event) override {
                changes += event->type() == QEvent::PaletteChange ? 1 : 0;
                return false;
            }
        } counter;
        QWidget widget;
        widget.show();
        widget.installEventFilter(&counter);
        applyTheme(*qApp, ThemeChoice::light);
        QCOMPARE(counter.changes, 0);
        applyTheme(*qApp, ThemeChoice::dark);
        QVERIFY(counter.changes > 0);
        applyTheme(*qApp, ThemeChoice::light);
    }

    void arrowsThatArePaintedOverAndOverTakeNoMoreMemory() {
        QToolButton button;
        button.setArrowType(Qt::DownArrow);
        button.show();
        const auto inUse = [] { return mallinfo2().uordblks; };
        const auto paint = [&button] {
            for (int times = 0; times < 200; ++times) button.grab();
        };
        paint();
        const std::size_t before = inUse();
        paint();
        constexpr std::size_t most = 64 << 10;
        QVERIFY2(inUse() < before + most, qPrintable(QString::number(inUse() - before)));
    }

    void swatchesThatArePaintedOverAndOverTakeNoMoreMemory() {
        QListWidget list;
        list.addItem(QStringLiteral("Stage 0"));
        list.show();
        const auto paint = [&list] {
            for (int times = 0; times < 200; ++times) {
                list.item(0)->setIcon(colourSwatch(Qt::red));
                list.grab();
            }
            return mallinfo2().uordblks;
        };
        paint();
        const std::size_t before = paint(), after = paint();
        constexpr std::size_t most = 64 << 10;
        QVERIFY2(after < before + most, qPrintable(QString::number(after - before)));
        QCOMPARE(colourSwatch(Qt::red).pixmap(14, 14).toImage().pixelColor(7, 7), QColor(Qt::red));
    }

    void fieldsThatComeAndGoTakeNoMoreMemory() {
        auto* lookups = qApp->findChild<StyleLookups*>();
        QVERIFY(lookups && lookups->findChild<QTimer*>()->isActive());
        // All at a time and each time in other places, so that few have the address of one before them.
        constexpr int fields = 200, blocks = 1000, rounds = 6;
        std::vector<std::unique_ptr<char[]>> between;
        between.reserve(blocks * rounds);
        std::size_t taken = 0, before = 0, after = 0;
        for (int round = 0; round < rounds; ++round) {
            std::vector<std::unique_ptr<QWidget>> made;
            for (int count = 0; count < fields; ++count) {
                auto box = std::make_unique<QComboBox>();
                box->view();
                made.push_back(std::move(box));
                made.push_back(std::make_unique<QSpinBox>());
            }
            made.clear();
            lookups->forget();
            (round == 0 ? before : after) = mallinfo2().uordblks - taken;
            for (int count = 0; count < blocks; ++count) {
                between.push_back(std::make_unique<char[]>(400));
                taken += malloc_usable_size(between.back().get());
            }
        }
        constexpr std::size_t most = 512 << 10;
        QVERIFY2(after < before + most, qPrintable(QString::number(after - before)));
    }

    void aSheetThatIsLookedUpAnewLooksTheSame() {
        MainWindow window;
        window.show();
        click(window, bertCard);
        const QImage before = window.grab().toImage();
        qApp->findChild<StyleLookups*>()->forget();
        QCOMPARE(window.grab().toImage(), before);
    }

    void whatIsNotSeenTakesAThemeOnAsItIsShownOrInTime() {
        // More than are styled at once.
        constexpr int many = 1500;
        QWidget page;
        std::vector<QPushButton*> buttons;
        for (int i = 0; i < many; ++i) buttons.push_back(new QPushButton(&page));
        page.show();
        page.hide();
        QPushButton seen;
        seen.show();
        const auto inTheme = [](const QPushButton* button) {
            return button->palette().color(QPalette::ButtonText) == Theme::current().text;
        };
        const auto styled = [&] { return std::count_if(buttons.begin(), buttons.end(), inTheme); };
        QCOMPARE(styled(), many);
        applyTheme(*qApp, ThemeChoice::dark);
        QVERIFY(inTheme(&seen));
        QVERIFY(styled() < many);
        page.show();
        QCOMPARE(styled(), many);
        page.hide();
        // In the middle of it another.
        for (const ThemeChoice theme : {ThemeChoice::light, ThemeChoice::dark, ThemeChoice::light})
            applyTheme(*qApp, theme);
        QVERIFY(inTheme(&seen));
        QTRY_VERIFY(Restyling::of(*qApp).isDone());
        QCOMPARE(styled(), many);
    }

    void rowsOfTheProjectAreMadeAnewForOtherPlansOnly() {
        Workspace workspace;
        ProjectTree tree(workspace);
        workspace.openProject(*findSample(QStringLiteral("fig2-toy"))->project, {});
        const int id = workspace.plans().front().id;
        const auto costs = std::make_shared<const CostModel>(workspace.problem());
        const auto run =
            std::make_shared<const PlanRun>(reopenPlan(costs, workspace.plans().front().plan, {}));
        workspace.setRun(id, run);
        QSignalSpy changed(tree.model(), &QAbstractItemModel::dataChanged),
            removed(tree.model(), &QAbstractItemModel::rowsRemoved);
        workspace.setRun(id, run);
        QCOMPARE(changed.count(), 0);
        workspace.planAgain({{id, run}}, 1);
        QCOMPARE(removed.count(), 0);
        workspace.renamePlan(id, QStringLiteral("Mine"));
        QVERIFY(changed.count() > 0);
        const QTreeWidgetItem* row = tree.findItems(QStringLiteral("Mine"), Qt::MatchRecursive).value(0);
        QVERIFY(row);
        applyTheme(*qApp, ThemeChoice::dark);
        const QImage dark = row->icon(0).pixmap(16).toImage();
        applyTheme(*qApp, ThemeChoice::light);
        QVERIFY(row->icon(0).pixmap(16).toImage() != dark);
        QCOMPARE(row->text(0), QStringLiteral("Mine"));
        workspace.removePlan(id);
        QVERIFY(tree.findItems(QStringLiteral("Mine"), Qt::MatchRecursive).isEmpty());
    }

    void openingAnotherProjectTurnsToOneTab() {
        MainWindow window;
        window.show();
        window.openSample(QStringLiteral("fig2-toy"));
        QTRY_VERIFY(window.workbench().planPage(window.workbench().currentPlan())->isPrepared());
        const int before = window.workbench().count();
        QSignalSpy turned(&window.workbench(), &QTabWidget::currentChanged);
        window.openSample(QStringLiteral("fig2-toy"));
        QCOMPARE(turned.count(), 1);
        QCOMPARE(window.workbench().count(), before);
        QCOMPARE(window.workbench().currentPlan(), window.workspace().plans().front().id);
        QCOMPARE(window.workbench().indexOf(window.workbench().currentPage()), 2);  // after the profile
    }

    /// Whether each action can be done is asked at every change of the document.
    void theFolderOfPlannersIsReadFromTheSettingsOnce() {
        MainWindow window;
        QAction* without = window.actionRegister().action(QStringLiteral("plan.noCustom"));
        QVERIFY(!without->isEnabled());
        Preferences::setProgramsFolder(home_.file({}));
        window.openSample(QStringLiteral("fig2-toy"));
        QVERIFY(!without->isEnabled());  // the window has not read that folder
        Preferences::setProgramsFolder({});
    }

    /// Widgets do not hear of it as of another style: nothing is measured anew, and no lists are made.
    void aThemeThatIsChangedLooksAsIfWindowsHadBeenMadeInIt() {
        const auto pictures = [](MainWindow& window, std::optional<ThemeChoice> then) {
            window.resize(1280, 800);
            window.show();
            window.openSample(QStringLiteral("fig2-toy"));
            Workbench& workbench = window.workbench();
            const auto turn = [&](std::vector<QImage>* shown) {
                for (int i = 0; i < workbench.count(); ++i) {
                    workbench.setCurrentIndex(i);
                    const auto* plan = qobject_cast<PlanPage*>(workbench.currentWidget());
                    if (!QTest::qWaitFor([&] { return !plan || plan->isPrepared(); })) return;
                    QTest::qWait(30);
                    if (shown) shown->push_back(window.grab().toImage());
                }
            };
            turn(nullptr);
            if (then) {
                const qsizetype before = QApplication::allWidgets().size();
                applyTheme(*qApp, *then);
                if (QApplication::allWidgets().size() != before) return std::vector<QImage>();
            }
            std::vector<QImage> shown;
            turn(&shown);
            return shown;
        };
        MainWindow before;
        const std::vector<QImage> changed = pictures(before, ThemeChoice::dark);
        before.hide();
        MainWindow after;
        const std::vector<QImage> made = pictures(after, std::nullopt);
        applyTheme(*qApp, ThemeChoice::light);
        QVERIFY(made.size() > 3);
        QCOMPARE(changed.size(), made.size());
        for (std::size_t i = 0; i < made.size(); ++i)
            QVERIFY2(changed[i] == made[i],
                     qPrintable(after.workbench().tabText(static_cast<int>(i)) + " looks otherwise"));
    }

    void aPlanWhoseTabIsPassedByHasNoChartsMadeForIt() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.openSample(QStringLiteral("schedules"));
        const std::vector<PlanItem>& plans = window.workspace().plans();
        QVERIFY(plans.size() > 2);
        Workbench& workbench = window.workbench();
        for (const PlanItem& plan : plans) workbench.showPlan(plan.id);
        QTRY_VERIFY(workbench.planPage(plans.back().id)->isPrepared());
        for (std::size_t i = 0; i + 1 < plans.size(); ++i)
            QVERIFY2(!workbench.planPage(plans[i].id)->isPrepared(), qPrintable(plans[i].title()));
        // It has them once it is looked at.
        workbench.showPlan(plans[1].id);
        QTRY_VERIFY(workbench.planPage(plans[1].id)->isPrepared());
    }

    void pagesOfPlansThatAreGoneAreTakenApartOneByOne() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.openSample(QStringLiteral("schedules"));
        Workbench& workbench = window.workbench();
        const std::vector<PlanItem> plans = window.workspace().plans();
        for (int i = 0; i < 3; ++i) {
            workbench.showPlan(plans[i].id);
            QTRY_VERIFY(workbench.planPage(plans[i].id)->isPrepared());
        }
        const QList<PlanPage*> gone = workbench.findChildren<PlanPage*>();
        QCOMPARE(gone.size(), qsizetype(plans.size()));
        window.openSample(QStringLiteral("fig2-toy"));
        std::vector<QPointer<PlanPage>> left(gone.begin(), gone.end());
        const auto count = [&left] {
            return std::count_if(left.begin(), left.end(), [](const auto& page) { return !page.isNull(); });
        };
        for (const auto& page : left) QVERIFY(!page.isNull() && !page->isVisible());
        for (auto before = count(); before > 0; before = count()) {
            QCoreApplication::processEvents();
            const auto now = count();
            QVERIFY2(before - now <= 1, qPrintable(QString::number(before) + " to " + QString::number(now)));
        }
        for (const PlanItem& plan : window.workspace().plans()) QVERIFY(workbench.planPage(plan.id));
    }

    void manyPlansChangeAtOnceAndTheComparisonIsFilledOnce() {
        MainWindow window;
        window.show();
        window.openSample(QStringLiteral("schedules"));
        const auto isWorkedOut = [](const PlanItem& plan) { return plan.run != nullptr; };
        const std::vector<PlanItem>& plans = window.workspace().plans();
        QTRY_VERIFY(std::all_of(plans.begin(), plans.end(), isWorkedOut));
        window.workbench().showCompare();
        const auto* table = window.findChild<QTableView*>(QStringLiteral("compareTable"));
        QVERIFY(table && table->model()->rowCount() == static_cast<int>(plans.size()));
        QSignalSpy filled(table->model(), &QAbstractItemModel::modelReset);
        window.workspace().removePlan(plans.back().id);
        QCOMPARE(table->model()->rowCount(), static_cast<int>(plans.size()));
        QCOMPARE(filled.size(), 1);
    }

    void theCommandPaletteRunsWhatIsTyped() {
        MainWindow window;
        window.show();
        click(window, toyCard);
        window.actionRegister().action(QStringLiteral("help.palette"))->trigger();
        auto* palette = window.findChild<QDialog*>(QStringLiteral("commandPalette"));
        QVERIFY(palette);
        QWidget* field = palette->findChild<QWidget*>(QStringLiteral("commandSearch"));
        QVERIFY(field);
        QTest::keyClicks(field, QStringLiteral("view compare"));
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE(window.workbench().currentKey(), QStringLiteral("compare"));
    }

    void theCommandPaletteFindsWhatPeopleCallThings() {
        MainWindow window;
        window.show();
        window.actionRegister().action(QStringLiteral("help.palette"))->trigger();
        auto* palette = window.findChild<QDialog*>(QStringLiteral("commandPalette"));
        QVERIFY(palette);
        auto* field = palette->findChild<QLineEdit*>(QStringLiteral("commandSearch"));
        const auto* list = palette->findChild<QListWidget*>();
        for (const auto& [word, command] : {std::pair("configuration", "Plan a model"),
                                            {"torchtitan", "Plan a model"},
                                            {"accuracy", "How near are predictions"}}) {
            field->clear();
            QTest::keyClicks(field, QLatin1String(word));
            bool found = false;
            for (int row = 0; row < list->count(); ++row)
                found = found || list->item(row)->text().contains(QLatin1String(command));
            QVERIFY2(found, word);
        }
    }
};

STAGECRAFT_TEST(WindowTest)
#include "window_test.moc"
