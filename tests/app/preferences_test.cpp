// What a person decides once, on its page: found by search, changed with mouse and keys, kept, and taken
// back.
#include "tests/app/window_fixture.h"

#include "app/figures/figure_source.h"
#include "app/panels/planner_panel.h"
#include "app/preferences/preferences_dialog.h"
#include "app/shell/preference_actions.h"
#include "core/base/number_style.h"
#include "core/planners/planned_run.h"
#include "tests/app/sample_files.h"
#include "tests/support/qt_program.h"
#include "views/common/text_size.h"

#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QSpinBox>

using namespace stagecraft;

class PreferencesTest : public QObject {
    Q_OBJECT

    /// Opens the page with its key.
    static PreferencesDialog* pageOf(MainWindow& window) {
        window.show();
        if (!QTest::qWaitForWindowActive(&window)) return nullptr;
        QTest::keyClick(&window, Qt::Key_Comma, Qt::ControlModifier);
        auto* page = window.findChild<PreferencesDialog*>();
        return page && QTest::qWaitForWindowActive(page) ? page : nullptr;
    }

    static QStringList idsOf(const MainWindow& window) {
        QStringList ids;
        for (const Preference& each : window.findChild<PreferenceActions*>()->preferences()) ids << each.id;
        return ids;
    }

    static QString standardProblem(const MainWindow& window) {
        for (const Preference& each : window.findChild<PreferenceActions*>()->preferences())
            if (each.value() != each.standard) return each.id;
        return {};
    }

private slots:
    void cleanup() {
        QSettings().clear();
        setNumberStyle({});
        applyTextSize(*qApp, 100);
        applyTheme(*qApp, ThemeChoice::light);
    }

    void everyRowSaysWhatItIsAndBeginsAsTheProgramDoes() {
        MainWindow window;
        PreferencesDialog* page = pageOf(window);
        QVERIFY(page);
        QCOMPARE(page->shown(), idsOf(window));
        QSet<QString> ids;
        for (const Preference& each : window.findChild<PreferenceActions*>()->preferences()) {
            QVERIFY2(!each.label.isEmpty() && !each.help.isEmpty() && !each.group.isEmpty(),
                     qPrintable(each.id));
            QVERIFY2(each.value() == each.standard, qPrintable(each.id));
            QVERIFY2(page->findChild<QWidget*>(each.id), qPrintable(each.id));
            ids.insert(each.id);
        }
        QCOMPARE(ids.size(), idsOf(window).size());
        QVERIFY(!page->findChild<QPushButton*>(QStringLiteral("resetPreferences"))->isEnabled());
    }

    void theSearchFindsRowsByAnyOfTheirWords() {
        MainWindow window;
        PreferencesDialog* page = pageOf(window);
        QVERIFY(page);
        auto* search = page->findChild<QLineEdit*>(QStringLiteral("preferenceSearch"));
        QTRY_VERIFY(search->hasFocus());
        QTest::keyClicks(search, QStringLiteral("gib"));
        QCOMPARE(page->shown(), QStringList{QStringLiteral("byteUnit")});
        QTest::keyClicks(search, QStringLiteral(" zzz"));
        QVERIFY(page->shown().isEmpty());
        QVERIFY(page->findChild<QLabel*>(QStringLiteral("noPreference"))->isVisible());
        search->clear();
        // Return in the field neither closes the page nor takes anything back.
        Preferences::setTextPercent(150);
        QTest::keyClick(search, Qt::Key_Return);
        QVERIFY(page->isVisible());
        QCOMPARE(Preferences::textPercent(), 150);
        QCOMPARE(page->shown(), idsOf(window));
    }

    void coloursAndTextSizeActAtOnce() {
        applyTheme(*qApp, ThemeChoice::light);
        MainWindow window;
        PreferencesDialog* page = pageOf(window);
        QVERIFY(page);
        auto* colours = page->findChild<QComboBox*>(QStringLiteral("theme"));
        colours->setFocus();
        QTest::keyClick(colours, Qt::Key_End);
        QTRY_VERIFY(Theme::current().dark);
        QVERIFY(Preferences::theme() == ThemeChoice::dark);
        QVERIFY(window.actionRegister().action(QStringLiteral("view.themeDark"))->isChecked());
        const double before = QApplication::font().pointSizeF();
        auto* size = page->findChild<QSpinBox*>(QStringLiteral("textSize"));
        size->setFocus();
        QTest::keyClick(size, Qt::Key_Up);
        QTest::keyClick(size, Qt::Key_Up);
        QCOMPARE(Preferences::textPercent(), 120);
        QCOMPARE(QApplication::font().pointSizeF(), before * 1.2);
    }

    void numbersAreKeptForTheNextStart() {
        MainWindow window;
        PreferencesDialog* page = pageOf(window);
        QVERIFY(page);
        auto* unit = page->findChild<QComboBox*>(QStringLiteral("byteUnit"));
        unit->setFocus();
        QTest::keyClick(unit, Qt::Key_Down);
        auto* figures = page->findChild<QSpinBox*>(QStringLiteral("figures"));
        figures->setFocus();
        QTest::keyClick(figures, Qt::Key_Up);
        QVERIFY(Preferences::numbers() == (NumberStyle{true, 4}));
        QVERIFY(numberStyle() == NumberStyle{});
    }

    void figuresAreTheSameWhateverTheNumbers() {
        const Project project = openProject(testing::toyFile);
        const auto run = std::make_shared<const PlanRun>(
            evaluatePlan(std::make_shared<const CostModel>(project.problem), project.plans.front()));
        const auto drawn = [&] {
            return figureFormatNamed(QStringLiteral("svg"))->write(memorySource(run).draw({}, {}), {});
        };
        const QByteArray standard = drawn();
        QVERIFY(standard.contains("GiB"));
        setNumberStyle({true, 5});
        QCOMPARE(drawn(), standard);
    }

    void thePlannerIsChosenNowAndInTheNextWindow() {
        {
            MainWindow window;
            PreferencesDialog* page = pageOf(window);
            QVERIFY(page);
            auto* planner = page->findChild<QComboBox*>(QStringLiteral("planner"));
            planner->setFocus();
            QTest::keyClicks(planner, QStringLiteral("GPipe"));
            QCOMPARE(window.findChild<PlannerPanel*>()->chosen(), QStringList{QStringLiteral("gpipe")});
        }
        MainWindow next;
        QCOMPARE(next.findChild<PlannerPanel*>()->chosen(), QStringList{QStringLiteral("gpipe")});
    }

    void planningAgainIsTheSameInTheMenu() {
        MainWindow window;
        PreferencesDialog* page = pageOf(window);
        QVERIFY(page);
        auto* again = page->findChild<QComboBox*>(QStringLiteral("planningAgain"));
        again->setFocus();
        QTest::keyClick(again, Qt::Key_Down);
        QVERIFY(Preferences::plansAgain());
        QVERIFY(window.actionRegister().action(QStringLiteral("plan.alwaysAgain"))->isChecked());
        click(*page, QStringLiteral("reset.planningAgain"));
        QVERIFY(!Preferences::plansAgain());
        QVERIFY(!window.actionRegister().action(QStringLiteral("plan.alwaysAgain"))->isChecked());
        QCOMPARE(again->currentIndex(), 0);
    }

    void newProjectsBeginWithTheSetup() {
        MainWindow window;
        PreferencesDialog* page = pageOf(window);
        QVERIFY(page);
        auto* microbatches = page->findChild<QSpinBox*>(QStringLiteral("newSetup.microbatches"));
        QVERIFY(microbatches);
        microbatches->setFocus();
        microbatches->selectAll();
        QTest::keyClicks(microbatches, QStringLiteral("24"));
        QTest::keyClick(microbatches, Qt::Key_Return);
        QCOMPARE(microbatches->value(), 24);
        QVERIFY(page->isVisible());
        auto* optimizer = page->findChild<QComboBox*>(QStringLiteral("newSetup.optimizer"));
        optimizer->setFocus();
        QTest::keyClick(optimizer, Qt::Key_End);
        QTest::keyClick(page, Qt::Key_Escape);
        window.actionRegister().action(QStringLiteral("file.new"))->trigger();
        QVERIFY(window.workspace().isOpen());
        QCOMPARE(window.workspace().problem().setup.microbatches, 24);
        QVERIFY(window.workspace().problem().setup.optimizer == Optimizer::adam);
        // A project that there is already keeps its own.
        openAndWait(window, QString::fromStdString(testing::toyFile));
        QCOMPARE(window.workspace().problem().setup.microbatches, 3);
    }

    void aValueOfAnotherVersionIsPassedOver() {
        QSettings().setValue(QStringLiteral("newSetup/optimizer"), QStringLiteral("no such"));
        QSettings().setValue(QStringLiteral("newSetup/microbatches"), QStringLiteral("-3"));
        QVERIFY(Preferences::startingProblem() == newProblem());
        Preferences::setPlanner(QStringLiteral("no such"));
        const MainWindow window;
        QVERIFY(window.findChild<PlannerPanel*>()->chosen().size() > 1);
    }

    void aFolderIsChosen() {
        QTemporaryDir folder;
        MainWindow window;
        PreferencesDialog* page = pageOf(window);
        QVERIFY(page);
        QTimer::singleShot(0, qApp, [&folder] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            dialog->findChild<QLineEdit*>()->setText(folder.path());
            QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        });
        click(*page, QStringLiteral("lessonsFolder"));
        QCOMPARE(Preferences::lessonsFolder(), folder.path());
        QVERIFY(page->findChild<QPushButton*>(QStringLiteral("reset.lessonsFolder"))->isVisible());
    }

    void allAreTakenBackAtOnce() {
        Preferences::setTextPercent(150);
        Preferences::setNumbers({true, 5});
        Preferences::setPlanner(QStringLiteral("dapple"));
        Preferences::setLessonsFolder(QStringLiteral("/tmp"));
        MainWindow window;
        PreferencesDialog* page = pageOf(window);
        QVERIFY(page);
        QCOMPARE(page->findChild<QSpinBox*>(QStringLiteral("figures"))->value(), 5);
        QVERIFY(!standardProblem(window).isEmpty());
        click(*page, QStringLiteral("resetPreferences"));
        QCOMPARE(standardProblem(window), QString());
        QCOMPARE(page->findChild<QSpinBox*>(QStringLiteral("figures"))->value(), 3);
        QVERIFY(window.findChild<PlannerPanel*>()->chosen().size() > 1);
    }

private:
    PrivateHome home_;
};

STAGECRAFT_TEST(PreferencesTest)
#include "preferences_test.moc"
