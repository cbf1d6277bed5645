// What a person meets first: a sample planned by all planners, and a project that is still empty.
#include "app/document/samples.h"
#include "tests/support/window_rooms.h"
#include "app/panels/empty_panel.h"
#include "app/panels/planner_panel.h"
#include "app/shell/workbench.h"
#include "core/planners/applicability.h"
#include "core/schedules/families.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QRegularExpression>
#include <QSet>

using namespace stagecraft;

class FirstStepsTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

    static QPushButton* primaryOf(MainWindow& window, const QString& panel) {
        for (auto* button : window.findChild<QWidget*>(panel)->findChildren<QPushButton*>())
            if (button->property("primary").toBool()) return button;
        return nullptr;
    }

    /// Clicks what opens a dialog, and says which it was once it is closed again.
    static QString dialogOf(QPushButton& button) {
        QString opened;
        // Some dialogs keep the click to themselves until they are closed, others return at once.
        QTimer::singleShot(0, qApp, [&opened] {
            for (QWidget* widget : QApplication::topLevelWidgets())
                if (auto* dialog = qobject_cast<QDialog*>(widget); dialog && dialog->isVisible()) {
                    opened = QString::fromLatin1(dialog->metaObject()->className());
                    dialog->reject();
                }
        });
        QTest::mouseClick(&button, Qt::LeftButton);
        QCoreApplication::processEvents();
        return opened;
    }

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void samplesOfReadmeAreCardsOfTheStartPage() {
        QFile readme(QStringLiteral(STAGECRAFT_SOURCE_DIR "/README.md"));
        QVERIFY(readme.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(readme.readAll()).simplified();
        QSet<QString> titles;
        for (const Sample& sample : samples()) {
            titles << sample.title;
            QVERIFY2(
                sample.origin.isEmpty() || !sample.origin[0].isLower() || sample.origin.startsWith("vPipe"),
                "it begins a sentence, or with a name");
        }
        static const QRegularExpression named(QStringLiteral("(?:sample|card|read.|;) \\*\\*([^*]+)\\*\\*"));
        int found = 0;
        for (const auto& match : named.globalMatch(text)) {
            ++found;
            QVERIFY2(titles.contains(match.captured(1)), qPrintable(match.captured(1)));
        }
        QVERIFY2(found >= 5, qPrintable(QString::number(found)));
    }

    void allPlannersSayWhichOfThemTheSetupRulesOutAndAButtonLetsThemIn() {
        MainWindow window;
        window.show();
        click(window, QStringLiteral("sample:fig2-toy"));
        auto* panel = window.findChild<PlannerPanel*>();
        auto* leftOut = panel->findChild<QLabel*>(QStringLiteral("leftOut"));
        auto* button = panel->findChild<QPushButton*>(QStringLiteral("trainAsynchronously"));
        panel->choose({});
        const Workspace& workspace = window.workspace();
        QCOMPARE(workspace.problem().setup.mode, TrainingMode::synchronous);
        QCOMPARE(leftOut->text(),
                 QStringLiteral("XPipe and MadPipe train without a barrier; the setup keeps one."));
        QVERIFY(leftOut->isVisible() && button->isVisible());
        QVERIFY(!panel->chosen().contains(QStringLiteral("xpipe")));
        QCOMPARE(panel->chosen().size(), static_cast<int>(allPlanners().size()) - 2);
        // One of those that are ruled out says so before it is run, the others say nothing.
        panel->choose(QStringLiteral("madpipe"));
        QCOMPARE(leftOut->text(), QStringLiteral("MadPipe trains without a barrier; the setup keeps one."));
        panel->choose(QStringLiteral("spp"));
        QVERIFY(!leftOut->isVisible() && !button->isVisible());
        panel->choose({});
        click(window, QStringLiteral("trainAsynchronously"));
        QCOMPARE(workspace.problem().setup.mode, TrainingMode::asynchronous);
        QVERIFY(!leftOut->isVisible() && !button->isVisible());
        QCOMPARE(panel->chosen().size(), static_cast<int>(allPlanners().size()));
        window.workspace().undoStack()->undo();
        QVERIFY(leftOut->isVisible());
        window.workspace().undoStack()->setClean();
    }

    void oneClickOpensAnyScheduleFamily() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        int families = 0;
        for (const ScheduleFamily& family : scheduleFamilies()) {
            const QString name = QStringLiteral("schedule:") + QString::fromStdString(family.id);
            if (!window.findChild<QAbstractButton*>(name)) continue;
            click(window, name);
            ++families;
            const PlanItem* shown = window.workspace().plan(window.workbench().currentPlan());
            QVERIFY2(shown, family.id.c_str());
            QCOMPARE(std::get<FamilySchedule>(shown->plan.schedule.order).name, family.id);
            window.workspace().close();
        }
        QVERIFY2(families >= 18, qPrintable(QString::number(families)));
    }

    void aNewProjectHasNoProblemAndEightMicrobatches() {
        MainWindow window;
        window.show();
        window.actionRegister().action(QStringLiteral("file.new"))->trigger();
        QVERIFY(window.workspace().isOpen());
        QCOMPARE(window.workspace().problem().setup.microbatches, 8);
        QVERIFY(!window.workspace().isDirty());
        QCOMPARE(window.problems().rowCount(), 0);
        QCOMPARE(window.findChild<QPushButton*>(QStringLiteral("problemsButton"))->text(),
                 QStringLiteral("No problems"));
    }

    void anEmptyProfileOffersToGenerateOneAndAnEmptyClusterATemplate() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        window.actionRegister().action(QStringLiteral("file.new"))->trigger();
        QPushButton* cluster = primaryOf(window, QStringLiteral("emptyCluster"));
        QVERIFY(cluster && cluster->isVisible());
        QCOMPARE(dialogOf(*cluster), QStringLiteral("stagecraft::app::panels::TemplateDialog"));
        window.workbench().showProfile();
        QPushButton* profile = primaryOf(window, QStringLiteral("emptyProfile"));
        QVERIFY(profile && profile->isVisible());
        QCOMPARE(dialogOf(*profile), QStringLiteral("stagecraft::app::profile::GenerateDialog"));
    }

    void runningWhatIsStillEmptyShowsThePageThatSaysWhatToDo() {
        MainWindow window;
        window.show();
        window.actionRegister().action(QStringLiteral("file.new"))->trigger();
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("cluster"));
        click(window, QStringLiteral("run"));
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("profile"));
        QVERIFY(!window.findChild<QWidget*>(QStringLiteral("problems"))->isVisible());
    }
};

STAGECRAFT_TEST(FirstStepsTest)
#include "first_steps_test.moc"
