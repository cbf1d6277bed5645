// Searches that get better with time: their progress is shown, and what they have found can be taken.
#include "app/jobs/planning_jobs.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"

#include <QComboBox>
#include <QLabel>
#include <QThread>

using namespace stagecraft;

class SearchTest : public QObject {
    Q_OBJECT
    PrivateHome home_;

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void aJobTellsWhereItStandsAndSettlesForWhatItHas() {
        PlanningJobs jobs;
        QSignalSpy told(&jobs, &PlanningJobs::statusChanged), finished(&jobs, &PlanningJobs::finished);
        const int job = jobs.start(QStringLiteral("search"), [](const WorkContext& context) {
            context.says("Period 1 s, proven within 2 %");
            while (!context.enough.stop_requested() && !context.stop.stop_requested()) QThread::msleep(1);
            PlanRun run;
            run.result.reason = "the best so far";
            return run;
        });
        QTRY_COMPARE(told.count(), 1);
        QCOMPARE(told.front().back().toString(), QStringLiteral("Period 1 s, proven within 2 %"));
        QTest::qWait(50);
        QCOMPARE(finished.count(), 0);
        jobs.takeBest(job);
        QTRY_COMPARE(finished.count(), 1);
        const auto run = finished.front().back().value<std::shared_ptr<const PlanRun>>();
        QCOMPARE(run->result.reason, std::string("the best so far"));
    }

    void nothingIsHeardOfACancelledSearch() {
        PlanningJobs jobs;
        QSignalSpy told(&jobs, &PlanningJobs::statusChanged), ended(&jobs, &PlanningJobs::ended);
        std::atomic<bool> started = false;
        const int job = jobs.start(QStringLiteral("search"), [&started](const WorkContext& context) {
            started = true;
            while (!context.stop.stop_requested()) QThread::msleep(1);
            context.says("too late");
            return PlanRun{};
        });
        QTRY_VERIFY(started);
        jobs.cancel(job);
        QTRY_COMPARE(ended.count(), 1);
        QTest::qWait(20);
        QCOMPARE(told.count(), 0);
    }

    void thePanelOffersTheBestSoFarWhileASearchGoesOn() {
        MainWindow window;
        window.show();
        click(window, QStringLiteral("sample:bert-large-8x4"));
        TrainingSetup setup = window.workspace().problem().setup;
        setup.microbatches = 100'000;
        window.workspace().setSetup(setup);
        auto* run = window.findChild<QPushButton*>(QStringLiteral("run"));
        const QString before = run->text();
        window.findChild<QComboBox*>(QStringLiteral("plannerChoice"))->setCurrentIndex(1);
        click(window, QStringLiteral("run"));
        QVERIFY(window.planning().isPlanning());
        QVERIFY(!run->isEnabled());
        const int height = run->parentWidget()->sizeHint().height();
        emit window.planning().searching(QStringLiteral("MadPipe: Period 1 s, proven within 2 %"));
        QVERIFY(run->isEnabled());
        QCOMPARE(run->text(), QStringLiteral("Take best so far"));
        const QList<QLabel*> labels = window.findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text() == QLatin1String("MadPipe: Period 1 s, proven within 2 %");
        }));
        QVERIFY(run->parentWidget()->sizeHint().height() <= height);
        click(window, QStringLiteral("run"));
        QVERIFY2(window.planning().isPlanning(), "it settles, and is not started once more");
        click(window, QStringLiteral("cancel"));
        QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isPlanning(), 5000);
        QCOMPARE(run->text(), before);
        QVERIFY(run->isEnabled());
    }
};

STAGECRAFT_TEST(SearchTest)
#include "search_test.moc"
