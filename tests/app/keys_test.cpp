// Keys, focus, the palette, and dialogs that one comes back to.
#include "app/actions/command_palette.h"
#include "app/document/samples.h"
#include "app/experiments/builder/axis_card.h"
#include "app/experiments/paper_experiments.h"
#include "app/figures/figure_dialog.h"
#include "app/panels/field_behaviour.h"
#include "app/plan/plan_page.h"
#include "app/profile/generate_dialog.h"
#include "app/shell/workbench.h"
#include "app/start/start_page.h"
#include "core/experiments/experiment_draft.h"
#include "tests/app/sample_files.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"
#include "views/profile/profile_view.h"
#include "views/strip/partition_strip.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_scene.h"
#include "views/topology/topology_view.h"

#include <QTreeWidget>
#include <QAbstractItemView>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QScrollBar>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidgetItemIterator>
#include <QUndoStack>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <QStandardPaths>

using namespace stagecraft;
using testing::toyCard;

namespace {

QWidget* toolWindow(const QWidget& main) {
    for (QWidget* top : QApplication::topLevelWidgets())
        if (top != &main && top->isVisible() && top->windowType() == Qt::Window) return top;
    return nullptr;
}

void press(QWidget* widget, int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::keyClick(widget->focusWidget() ? widget->focusWidget() : widget, Qt::Key(key), modifiers);
}

}  // namespace

class KeysTest : public QObject {
    Q_OBJECT
    PrivateHome home_;

private slots:
    void initTestCase() {
        QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        applyTheme(*qApp, ThemeChoice::light);
    }

    void returnOpensAFocusedCard() {
        MainWindow window;
        window.show();
        auto* card = window.findChild<QAbstractButton*>(toyCard);
        card->setFocus(Qt::TabFocusReason);
        QTest::keyClick(card, Qt::Key_Return);
        QVERIFY(window.workspace().isOpen());
    }

    void returnPressesAButtonOfTheStartPage() {
        MainWindow window;
        window.show();
        QPushButton* button = nullptr;
        for (auto* each : window.findChildren<QPushButton*>())
            if (each->objectName().startsWith(QLatin1String("sample:"))) button = each;
        QVERIFY(button);
        button->setFocus(Qt::TabFocusReason);
        QTest::keyClick(button, Qt::Key_Return);
        QVERIFY(window.workspace().isOpen());
    }

    void pointerAndFocusLookDifferent() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        auto* card = window.findChild<QAbstractButton*>(toyCard);
        QTest::mouseMove(&window, QPoint(2, 2));
        const QImage plain = card->grab().toImage();
        card->setAttribute(Qt::WA_UnderMouse);
        const QImage hovered = card->grab().toImage();
        card->setAttribute(Qt::WA_UnderMouse, false);
        card->setFocus(Qt::TabFocusReason);
        const QImage focused = card->grab().toImage();
        QVERIFY(plain != hovered);
        QVERIFY(plain != focused);
        QVERIFY(hovered != focused);
    }

    void bothKeysRedo() {
        MainWindow window;
        window.show();
        click(window, toyCard);
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QUndoStack* undo = window.workspace().undoStack();
        TrainingSetup setup = window.workspace().problem().setup;
        setup.microbatches = 7;
        window.workspace().setSetup(setup);
        const QKeySequence keys[] = {QKeySequence(QStringLiteral("Ctrl+Y")),
                                     QKeySequence(QStringLiteral("Ctrl+Shift+Z"))};
        for (const QKeySequence& key : keys) {
            undo->undo();
            QVERIFY(window.workspace().problem().setup.microbatches != 7);
            press(&window, key[0].key(), key[0].keyboardModifiers());
            QCOMPARE(window.workspace().problem().setup.microbatches, 7);
        }
        undo->setClean();
    }

    void toolWindowsCloseByKeys_data() {
        QTest::addColumn<QString>("action");
        for (const char* id : {"plan.details", "plan.vpipe", "plan.playWithCluster", "experiment.papers"})
            QTest::newRow(id) << QString::fromLatin1(id);
    }
    void toolWindowsCloseByKeys() {
        QFETCH(QString, action);
        MainWindow window;
        window.show();
        window.openSample(QStringLiteral("gpipe-1f1b"));
        for (const auto& [key, modifiers] :
             {std::pair(Qt::Key_Escape, Qt::KeyboardModifiers()),
              std::pair(Qt::Key_W, Qt::KeyboardModifiers(Qt::ControlModifier))}) {
            QTRY_VERIFY(window.actionRegister().action(action)->isEnabled());  // once the plan is evaluated
            window.actionRegister().action(action)->trigger();
            QWidget* tool = toolWindow(window);
            QVERIFY(tool);
            QVERIFY(QTest::qWaitForWindowActive(tool));
            press(tool, key, modifiers);
            QVERIFY(!tool->isVisible());
            QVERIFY(window.workspace().isOpen());
        }
    }

    /// Also from a field, which does not want the key.
    void theBuilderClosesByEscape() {
        MainWindow window;
        window.show();
        window.actionRegister().action(QStringLiteral("file.newExperiment"))->trigger();
        QWidget* tool = toolWindow(window);
        QVERIFY(tool);
        QVERIFY(QTest::qWaitForWindowActive(tool));
        tool->findChild<QLineEdit*>()->setFocus();
        press(tool, Qt::Key_Escape);
        QVERIFY(!tool->isVisible());
    }

    void aTypedNumberCountsWithoutReturn() {
        MainWindow window;
        window.show();
        click(window, toyCard);
        QVERIFY(QTest::qWaitForWindowActive(&window));
        auto* field = window.findChild<QSpinBox*>(QStringLiteral("microbatches"));
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, "12");
        QTRY_COMPARE(window.workspace().problem().setup.microbatches, 12);
        field->selectAll();
        QTest::keyClicks(field, "13");
        window.actionRegister().action(QStringLiteral("plan.run"))->trigger();
        QCOMPARE(window.workspace().problem().setup.microbatches, 13);
        QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isPlanning(), 60'000);
        window.workspace().undoStack()->setClean();
    }

    void numbersOfThePaletteWorkOnceTheClusterIsShown() {
        MainWindow window;
        window.show();
        click(window, toyCard);
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.workbench().showProfile();
        window.actionRegister().action(QStringLiteral("view.cluster"))->trigger();
        press(&window, Qt::Key_1);
        QVERIFY(window.workbench().topology()->canvas()->placing());
    }

    void thePaletteFindsByWhatPeopleSay_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("found");
        QTest::newRow("theme") << QStringLiteral("theme") << QStringLiteral("colours");
        QTest::newRow("perfetto") << QStringLiteral("perfetto") << QStringLiteral("Export figure");
        QTest::newRow("microbatch") << QStringLiteral("microbatch") << QStringLiteral("microbatches");
        QTest::newRow("a name before other words")
            << QStringLiteral("dark") << QStringLiteral("Dark colours");
        QTest::newRow("nothing") << QStringLiteral("xyzzy") << QStringLiteral("Nothing found for “xyzzy”");
    }
    void thePaletteFindsByWhatPeopleSay() {
        QFETCH(QString, typed);
        QFETCH(QString, found);
        MainWindow window;
        window.show();
        click(window, toyCard);
        window.actionRegister().action(QStringLiteral("help.palette"))->trigger();
        auto* palette = window.findChild<QDialog*>(QStringLiteral("commandPalette"));
        QVERIFY(palette);
        QTest::keyClicks(palette->findChild<QWidget*>(QStringLiteral("commandSearch")), typed);
        auto* list = palette->findChild<QListWidget*>();
        QVERIFY(list->count() > 0);
        QVERIFY2(list->item(0)->text().contains(found, Qt::CaseInsensitive),
                 qPrintable(list->item(0)->text()));
        palette->close();
    }

    /// Each stop looks otherwise than without the keyboard.
    void tabShowsWhereItIs() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        click(window, toyCard);
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.workbench().showProfile();
        QSet<QWidget*> seen;
        for (int step = 0; step < 60; ++step) {
            press(&window, Qt::Key_Tab);
            QWidget* at = QApplication::focusWidget();
            if (!at || seen.contains(at)) continue;
            seen.insert(at);
            const QImage with = window.grab().toImage();
            at->clearFocus();
            const QImage without = window.grab().toImage();
            QVERIFY2(with != without,
                     qPrintable(QStringLiteral("%1 '%2' does not show the focus")
                                    .arg(QLatin1String(at->metaObject()->className()), at->objectName())));
            at->setFocus(Qt::TabFocusReason);
        }
        QVERIFY(seen.size() > 10);
    }

    /// Which are written once, where its actions are registered.
    /// A menu is read at a glance: what there are many of has a menu of its own. Nothing is in two menus or
    /// in none that says it is in one, and no two entries of a menu share their letter.
    void menusAreShortAndWhole() {
        MainWindow window;
        const ActionRegister& actions = window.actionRegister();
        QList<QAction*> found;
        for (const QMenu* menu : window.menuBar()->findChildren<QMenu*>()) {
            int entries = 0;
            QString letters;
            for (QAction* action : menu->actions()) {
                if (action->isSeparator()) continue;
                ++entries;
                if (!action->menu()) found << action;
                const qsizetype mark = action->text().indexOf('&');
                if (mark >= 0) letters += action->text().at(mark + 1).toLower();
            }
            QVERIFY2(entries <= 20, qPrintable(menu->title() + QStringLiteral(" has %1").arg(entries)));
            if (menu->title() != QLatin1String("&Plan")) continue;
            QVERIFY2(QSet<QChar>(letters.begin(), letters.end()).size() == letters.size(),
                     qPrintable(letters));
        }
        for (QAction* action : actions.all())
            if (!actions.menuOf(action).isEmpty())
                QVERIFY2(found.count(action) == 1, qPrintable(action->objectName()));
        QCOMPARE(actions.pathOf(actions.action(QStringLiteral("plan.present"))),
                 QStringLiteral("Plan > Play > Present"));
        QCOMPARE(actions.pathOf(actions.action(QStringLiteral("file.open"))), QStringLiteral("File > Open"));
        CommandPalette palette(actions, &window);
        palette.findChild<QLineEdit*>()->setText(QStringLiteral("play present"));
        const auto* list = palette.findChild<QListWidget*>();
        QVERIFY2(list->item(0)->text().startsWith(QStringLiteral("Plan  ›  Play  ›  Present")),
                 qPrintable(list->item(0)->text()));
    }

    void tooltipsTellTheKeysOfTheWindowsActions() {
        MainWindow window;
        window.show();
        window.openSample(QStringLiteral("vpipe-transformer"));
        const int plan = window.workspace().plans().front().id;
        window.workbench().showPlan(plan);
        PlanPage& page = *window.workbench().planPage(plan);
        QTRY_VERIFY_WITH_TIMEOUT(page.isPrepared(), 60000);
        const std::pair<const char*, const char*> told[] = {{"exportTraining", "file.export"},
                                                            {"exportPareto", "file.export"},
                                                            {"showPareto", "view.pareto"},
                                                            {"showVpipe", "plan.vpipe"},
                                                            {"train", "view.training"}};
        for (const auto& [button, id] : told) {
            const auto* shown = page.findChild<QWidget*>(QLatin1String(button));
            if (!shown) shown = window.findChild<QWidget*>(QLatin1String(button));
            QVERIFY2(shown, button);
            const QString key = window.actionRegister()
                                    .action(QLatin1String(id))
                                    ->shortcut()
                                    .toString(QKeySequence::NativeText);
            QVERIFY2(!key.isEmpty() && shown->toolTip().endsWith(QStringLiteral(" (%1)").arg(key)),
                     qPrintable(shown->toolTip()));
            QCOMPARE(shown->toolTip().count('('), 1);
        }
        const PlanViewActions& own = page.view().viewActions();
        QVERIFY2(own.find->toolTip().endsWith(QStringLiteral(" (Ctrl+F)")), qPrintable(own.find->toolTip()));
        QVERIFY2(own.colourings[1]->toolTip().endsWith(QStringLiteral(" (B)")),
                 qPrintable(own.colourings[1]->toolTip()));
    }

    void anActionOfTwoViewsCanBeDoneWhereEitherCan() {
        bool first = false, second = false;
        QString done;
        ActionRegister actions;
        QAction* copy = actions.add(
            {"edit.copy", "", QStringLiteral("Copy"), {}}, [&] { done += first ? "1" : ""; },
            [&] { return first; });
        QCOMPARE(actions.share(
                     QStringLiteral("edit.copy"), [&] { done += "2"; }, [&] { return second; }),
                 copy);
        actions.refresh();
        QVERIFY(!copy->isEnabled());
        second = true;
        actions.refresh();
        QVERIFY(copy->isEnabled());
        copy->trigger();
        QCOMPARE(done, QStringLiteral("2"));
        first = true;
        second = false;
        actions.refresh();
        copy->trigger();
        QCOMPARE(done, QStringLiteral("21"));
    }

    void toCancelTheFileLeadsBackToTheDialog() {
        MainWindow window;
        window.show();
        window.openSample(QStringLiteral("bert-large-8x4"));
        bool asked = false, back = false;
        QTimer::singleShot(0, qApp, [&] {
            auto* dialog = qobject_cast<FigureDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            QTimer::singleShot(0, qApp, [&] {
                auto* file = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
                QVERIFY(file);
                asked = true;
                file->reject();
            });
            dialog->accept();
            back = dialog->isVisible() && QApplication::activeModalWidget() == dialog;
            dialog->reject();
        });
        window.actionRegister().action(QStringLiteral("file.export"))->trigger();
        QVERIFY(asked);
        QVERIFY(back);
        window.workspace().undoStack()->setClean();
    }

    /// The wheel passes over fields that do not have the focus, but not over the lists that they drop down.
    void theWheelScrollsTheListOfAField() {
        QWidget panel;
        auto* box = new QComboBox;
        box->setMaxVisibleItems(5);
        for (int i = 0; i < 50; ++i) box->addItem(QString::number(i));
        box->setCurrentIndex(40);
        box->view();  // made before the habits
        (new FieldBehaviour(&panel))->applyTo(*box);
        (new QVBoxLayout(&panel))->addWidget(box);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        box->showPopup();
        QScrollBar* bar = box->view()->verticalScrollBar();
        QTRY_VERIFY(bar->value() > 0);  // it opens at what is chosen
        const int before = bar->value();
        QWidget* port = box->view()->viewport();
        const QPointF at = port->rect().center();
        QWheelEvent turn(at, port->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                         Qt::NoScrollPhase, false);
        QApplication::sendEvent(port, &turn);
        QVERIFY(bar->value() < before);
        box->hidePopup();
    }

    /// From the first card on, without the page jumping to what is below it.
    void tabGoesThroughTheStartPageAsItIsRead() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        auto* page = window.findChild<StartPage*>();
        QList<QWidget*> stops;
        for (int step = 0; step < 120; ++step) {
            QWidget* from = QApplication::focusWidget();
            QTest::keyClick(from ? from : &window, Qt::Key_Tab);
            QWidget* at = QApplication::focusWidget();
            if (!at || !page->isAncestorOf(at)) continue;
            if (stops.contains(at)) break;
            stops << at;
            // Far enough for what has the focus to be seen, and no farther.
            const int now = page->verticalScrollBar()->value();
            const bool fits = at->height() < page->viewport()->height();
            QVERIFY2(!fits || page->viewport()->rect().contains(
                                  QRect(at->mapTo(page->viewport(), QPoint()), at->size())),
                     qPrintable(at->objectName()));
            if (stops.size() <= 2) QCOMPARE(now, 0);
        }
        QVERIFY(stops.size() > 40);
        QVERIFY2(stops.front()->objectName().startsWith(QLatin1String("sample:")),
                 qPrintable(stops.front()->objectName()));
        // Samples are at the top, with what is beside them; then the rest, in its order.
        const auto placeOf = [&](const char* name) {
            return stops.indexOf(page->findChild<QWidget*>(QLatin1String(name)));
        };
        QVERIFY(placeOf("lessons") > 0);
        QVERIFY(placeOf("lessons") < placeOf("sampleGrid"));
        QVERIFY(placeOf("sampleGrid") < placeOf("reproduce"));
    }

    void returnPressesTheButtonWithTheFocus() {
        MainWindow window;
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.actionRegister().action(QStringLiteral("file.new"))->trigger();
        window.workbench().showProfile();
        auto* panel = window.findChild<QWidget*>(QStringLiteral("emptyProfile"));
        QTRY_VERIFY(panel->isVisible());
        for (auto* button : panel->findChildren<QPushButton*>()) {
            int pressed = 0;
            button->disconnect(SIGNAL(clicked(bool)));
            connect(button, &QPushButton::clicked, this, [&] { ++pressed; });
            button->setFocus();
            QTest::keyClick(button, Qt::Key_Return);
            QTest::keyClick(button, Qt::Key_Enter);
            QTest::keyClick(button, Qt::Key_Space);
            QVERIFY2(pressed == 3, qPrintable(button->text()));
        }
        // Tool buttons, too.
        auto* train = window.findChild<QToolButton*>(QStringLiteral("train"));
        train->setFocus();
        QTest::keyClick(train, Qt::Key_Return);
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("training"));
        window.workspace().undoStack()->setClean();
    }

    /// The key that leads to a page leads into its table or drawing, and arrows move there.
    void aPageTakesTheKeyboardByItsKey() {
        MainWindow window;
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.openSample(QStringLiteral("schedules"));
        QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isBusy(), 60'000);
        press(&window, Qt::Key_3, Qt::AltModifier);
        auto* table = window.findChild<QTableView*>(QStringLiteral("compareTable"));
        QVERIFY(table->hasFocus());
        const int row = table->currentIndex().row();
        QTest::keyClick(table, Qt::Key_Down);
        QCOMPARE(table->currentIndex().row(), row + 1);
        press(&window, Qt::Key_2, Qt::AltModifier);
        QVERIFY(window.workbench().profile()->table()->hasFocus());
        press(&window, Qt::Key_1, Qt::AltModifier);
        QVERIFY(window.workbench().topology()->canvas()->hasFocus());
        for (const Qt::Key key : {Qt::Key_4, Qt::Key_5}) {
            press(&window, key, Qt::AltModifier);
            QVERIFY(window.workbench().currentWidget()->isAncestorOf(QApplication::focusWidget()));
        }
        press(&window, Qt::Key_3, Qt::AltModifier);
        QVERIFY(table->hasFocus());
        window.workspace().undoStack()->setClean();
    }

    /// What is filtered away is never taken.
    void aFilteredListTakesWhatItShows() {
        GenerateDialog dialog;
        dialog.show();
        QVERIFY(QTest::qWaitForWindowActive(&dialog));
        auto* find = dialog.findChild<QLineEdit*>(QStringLiteral("findModel"));
        auto* models = dialog.findChild<QListWidget*>(QStringLiteral("models"));
        std::vector<std::string> made;
        connect(&dialog, &GenerateDialog::generated, this,
                [&](const LayerProfile& profile) { made.push_back(profile.name); });
        QTRY_VERIFY(dialog.isReady());
        find->setFocus();
        QTest::keyClicks(find, "mixtral");
        QVERIFY(models->currentItem() && !models->currentItem()->isHidden());
        QVERIFY(models->currentItem()->text().contains(QStringLiteral("mixtral"), Qt::CaseInsensitive));
        // At once, before there is a profile to be taken.
        QTest::keyClick(find, Qt::Key_Return);
        QVERIFY(made.empty());
        QTRY_COMPARE_WITH_TIMEOUT(made.size(), std::size_t(1), 10'000);
        QVERIFY2(
            QString::fromStdString(made.front()).contains(QStringLiteral("mixtral"), Qt::CaseInsensitive),
            made.front().c_str());
        // Arrows move among those that are shown.
        const QString first = models->currentItem()->text();
        QTest::keyClick(find, Qt::Key_Down);
        QVERIFY(models->currentItem()->text() != first && !models->currentItem()->isHidden());
        QTest::keyClick(find, Qt::Key_Up);
        QCOMPARE(models->currentItem()->text(), first);
        // Where nothing is shown there is nothing to take.
        QTest::keyClicks(find, "xyz");
        QVERIFY(!models->currentItem());
        QTest::keyClick(find, Qt::Key_Return);
        QTest::qWait(800);
        QVERIFY(!dialog.isReady());
        QCOMPARE(made.size(), std::size_t(1));
        find->clear();
        QVERIFY(models->currentItem());
        QTRY_VERIFY(dialog.isReady());
    }

    void keysAreFoundByWhatTheyDo() {
        MainWindow window;
        window.show();
        window.actionRegister().action(QStringLiteral("help.keys"))->trigger();
        auto* keys = window.findChild<QDialog*>(QStringLiteral("shortcutHelp"));
        QVERIFY(keys);
        auto* list = keys->findChild<QTreeWidget*>();
        const auto shown = [&] {
            QStringList rows;
            for (QTreeWidgetItemIterator it(list); *it; ++it)
                if ((*it)->parent() && !(*it)->isHidden()) rows << (*it)->text(0) + ' ' + (*it)->text(1);
            return rows;
        };
        const auto all = shown().size();
        QTest::keyClicks(keys->findChild<QLineEdit*>(QStringLiteral("findKey")), "zoom");
        QVERIFY(!shown().isEmpty() && shown().size() < all);
        for (const QString& row : shown())
            QVERIFY2(row.contains(QStringLiteral("zoom"), Qt::CaseInsensitive), qPrintable(row));
        keys->close();
    }

    /// That of the cluster, whichever it is when the dialogue is opened; one that a person chose stays.
    void aGeneratedProfileIsForTheClustersGpu() {
        MainWindow window;
        window.show();
        window.openSample(QStringLiteral("bert-large-8x4"));
        const auto setGpu = [&](const char* gpu) {
            Cluster cluster = window.workspace().problem().cluster;
            for (std::size_t i = 1; i < cluster.devices.size(); ++i) cluster.devices[i].gpu = gpu;
            window.workspace().setCluster(cluster);
        };
        const auto shown = [&] {
            window.actionRegister().action(QStringLiteral("profile.generate"))->trigger();
            auto* dialog = window.findChild<GenerateDialog*>();
            return dialog->findChild<QComboBox*>(QStringLiteral("gpu"));
        };
        setGpu("A100-SXM4-40GB");
        QCOMPARE(shown()->currentData().toString(), QStringLiteral("A100-SXM4-40GB"));
        auto* dialog = window.findChild<GenerateDialog*>();
        QTRY_VERIFY(dialog->isReady());
        QVERIFY(dialog->profile().source.find("A100") != std::string::npos);
        shown()->setCurrentIndex(shown()->findData(QStringLiteral("P100-PCIe-16GB")));
        dialog->hide();
        QCOMPARE(shown()->currentData().toString(), QStringLiteral("P100-PCIe-16GB"));
        setGpu("NVIDIA H100 80GB HBM3");  // as its driver prints it
        QVERIFY2(shown()->currentText().startsWith(QStringLiteral("H100")),
                 qPrintable(shown()->currentText()));
        window.workspace().undoStack()->setClean();
    }

    void downInAFilterGoesIntoTheTable() {
        MainWindow window;
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.openSample(QStringLiteral("bert-large-8x4"));
        window.workbench().showProfile();
        ProfileView& profile = *window.workbench().profile();
        profile.filterField()->setFocus();
        QTest::keyClicks(profile.filterField(), "stage");
        profile.filterField()->clear();
        QTest::keyClick(profile.filterField(), Qt::Key_Down);
        QVERIFY(profile.table()->hasFocus());
        QVERIFY(profile.table()->currentIndex().isValid());
        window.workspace().undoStack()->setClean();
    }

    /// A style sheet reads a role once unless it is polished again.
    void aLineThatWasWrongIsNotRedAfterwards() {
        AxisCard card;
        card.setDraft(draftOf(paperExperiments().front().experiment()).axes.front());
        card.show();
        const auto* message = card.findChild<QLabel*>(QStringLiteral("axisMessage"));
        QVERIFY(message);
        card.setMistake(AxisMistake::Part::list, QStringLiteral("This is wrong"));
        QCOMPARE(message->palette().color(message->foregroundRole()), Theme::current().error);
        card.setMistake({}, {});
        QCOMPARE(message->palette().color(message->foregroundRole()), Theme::current().mutedText);
    }

    void aStageIsMergedWithNeighboursThatThereAre() {
        MainWindow window;
        window.show();
        window.openSample(QStringLiteral("gpipe-1f1b"));
        const PlanItem item = window.workspace().plans().front();
        window.workbench().showPlan(item.id);
        PartitionStrip* strip = nullptr;
        QTRY_VERIFY((strip = window.workbench().planPage(item.id)->findChild<PartitionStrip*>()));
        QTRY_VERIFY(strip->isVisible() && strip->height() > 20);
        QStringList texts;
        for (int x = 4; x < strip->width(); x += 8) {
            QTimer::singleShot(0, qApp, [&] {
                if (auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) {
                    for (const QAction* action : menu->actions()) texts << action->text();
                    menu->close();
                }
            });
            const QPoint at(x, strip->height() / 2);
            QContextMenuEvent event(QContextMenuEvent::Mouse, at, strip->mapToGlobal(at));
            QApplication::sendEvent(strip, &event);
            QCoreApplication::processEvents();
        }
        const int last = item.plan.stageCount() - 1;
        QVERIFY(last > 0);
        QVERIFY(texts.contains(QStringLiteral("Merge with stage %1").arg(last)));
        QVERIFY(texts.contains(QStringLiteral("Merge with stage 0")));
        QVERIFY(!texts.contains(QStringLiteral("Merge with stage -1")));
        QVERIFY(!texts.contains(QStringLiteral("Merge with stage %1").arg(last + 1)));
        window.workspace().undoStack()->setClean();
    }

    /// However small they are drawn: ports are at edges.
    void atFitASwitchIsChosenByItsMiddle() {
        MainWindow window;
        window.resize(1024, 700);
        window.show();
        for (const Sample& sample : samples()) {
            if (sample.testbed) continue;
            window.openSample(sample.id);
            window.workbench().showCluster();
            TopologyView& view = *window.workbench().topology();
            view.fit();
            QTest::qWait(1);
            const TopologyCanvas& canvas = *view.canvas();
            const auto& layout = canvas.scene().layout();
            const std::vector<QRectF> switches = layout.switches;
            const std::vector<int> stackOf = layout.stackOf;  // a click may open a stack
            for (std::size_t i = 0; i < std::min<std::size_t>(switches.size(), 6); ++i) {
                if (stackOf[i] >= 0) continue;
                const QPoint middle = canvas.viewport().toScreen(switches[i]).center().toPoint();
                QTest::mouseMove(view.canvas(), middle);
                QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, middle);
                QVERIFY2(view.selection().switches == std::vector<int>{static_cast<int>(i)},
                         qPrintable(sample.id));
            }
            window.workspace().undoStack()->setClean();
        }
    }

    void aShippedSampleIsNeverSavedOver() {
        const QString shipped = QStringLiteral(STAGECRAFT_SOURCE_DIR "/samples/fig2-toy.stagecraft.json");
        QVERIFY(isShippedSample(shipped));
        QVERIFY(!isShippedSample(home_.file(QStringLiteral("fig2-toy.stagecraft.json"))));
        const QByteArray before = bytesOf(shipped);
        MainWindow window;
        window.show();
        openAndWait(window, shipped);
        TrainingSetup setup = window.workspace().problem().setup;
        setup.microbatches = 9;
        window.workspace().setSetup(setup);
        QString suggested;
        QTimer::singleShot(0, qApp, [&] {
            auto* file = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(file);
            suggested = file->directory().path();
            file->reject();
        });
        window.actionRegister().action(QStringLiteral("file.save"))->trigger();
        QCOMPARE(suggested, QDir::homePath());
        QCOMPARE(bytesOf(shipped), before);
        window.workspace().undoStack()->setClean();
    }

    void whatIsKeptOfASampleIsNotInTheProgramsFolder() {
        const QString shipped = QStringLiteral(STAGECRAFT_SOURCE_DIR "/samples/fig2-toy.stagecraft.json");
        Workspace workspace;
        Recovery recovery(workspace);
        workspace.openProject(openProject(shipped.toStdString()), shipped);
        TrainingSetup setup = workspace.problem().setup;
        setup.microbatches = 9;
        workspace.setSetup(setup);
        recovery.writeNow();
        const QDir folder(QFileInfo(shipped).path());
        const QStringList beside =
            folder.entryList({QStringLiteral(".fig2-toy*")}, QDir::Files | QDir::Hidden);
        QVERIFY2(beside.isEmpty(), qPrintable(beside.join(' ')));
        const QDir kept(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) +
                        QStringLiteral("/recovery"));
        QCOMPARE(kept.entryList({QStringLiteral("*.recovery")}, QDir::Files).size(), 1);
        workspace.undoStack()->undo();
    }
};

STAGECRAFT_TEST(KeysTest)
#include "keys_test.moc"
