// The chart of a plan whose mini-batches overlap, in the window and on the command line.

#include "app/shell/session.h"
#include "tests/support/window_rooms.h"
#include "app/shell/workbench.h"
#include "tests/app/command_call.h"
#include "tests/app/sample_files.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"

#include <QAction>
#include <QComboBox>

using namespace stagecraft;
using testing::call, testing::Outcome;
using testing::xpipeFile;

class PlanChartTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void keysAndMenusReachThePlanThatIsShown();
    void theColouringIsRememberedWithTheProject();
    void exportColoursAndRefusesUnknownColours();
    void renderShowsTheColouringAskedFor();

private:
    QString projectFile() const { return home_.file(QStringLiteral("overlapping.stagecraft.json")); }
    QString planFile() const { return home_.file(QStringLiteral("overlapping.plan.json")); }
    /// Shows the plan of that planner and waits until its chart is ready.
    PlanView* shownPlan(MainWindow& window, const std::string& planner) {
        auto* workbench = window.findChild<Workbench*>();
        for (std::size_t index = 0; index < window.workspace().plans().size(); ++index) {
            workbench->showKey(QStringLiteral("plan:%1").arg(index));
            PlanView* view = workbench->planView(workbench->currentPlan());
            if (view && QTest::qWaitFor([&] { return view->isReady(); }) &&
                view->run()->result.plan.planner == planner)
                return view;
        }
        return nullptr;
    }

    PrivateHome home_;
};

void PlanChartTest::initTestCase() {
    // A plan of its own, so that the sample may change.
    const Outcome project = call({"plan", xpipeFile, "--planner", "xpipe", "--mode", "asynchronous", "--out",
                                  planFile().toStdString()});
    QVERIFY2(project.status == 0, project.err.c_str());
    const Outcome both = call({"plan", xpipeFile, "--planner", "xpipe,gpipe", "--mode", "asynchronous",
                               "--out", projectFile().toStdString()});
    QVERIFY2(both.status == 0, both.err.c_str());
}

void PlanChartTest::keysAndMenusReachThePlanThatIsShown() {
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    const auto action = [&](const char* id) {
        return window.actionRegister().action(QString::fromLatin1(id));
    };
    QVERIFY(!action("plan.nextEvent")->isEnabled());
    openAndWait(window, projectFile());
    PlanView* view = shownPlan(window, "xpipe");
    QVERIFY(view && view->isReady());
    QVERIFY(action("plan.nextEvent")->isEnabled() && action("plan.colourStaleness")->isEnabled());
    view->setFocus();
    QTest::keyClick(view, Qt::Key_N);
    QVERIFY(view->stepTime());
    QCOMPARE(*view->stepTime(), 0.0);  // once, though the view and the window know the key
    action("plan.nextEvent")->trigger();
    QVERIFY(*view->stepTime() > 0);
    action("plan.previousEvent")->trigger();
    QCOMPARE(*view->stepTime(), 0.0);
    QTest::keyClick(view, Qt::Key_Escape);
    QVERIFY(!view->stepTime());
    action("plan.colourStaleness")->trigger();
    QCOMPARE(view->colouring(), BlockColouring::staleness);
    QTest::keyClick(view, Qt::Key_B);
    QCOMPARE(view->colouring(), BlockColouring::miniBatch);
    QVERIFY(view->findChild<QComboBox*>(QStringLiteral("colouring"))->isVisible());

    QVERIFY(shownPlan(window, "gpipe"));  // which keeps its barrier
    QVERIFY(!action("plan.colourStaleness")->isEnabled());
    QVERIFY(action("plan.nextEvent")->isEnabled());
    window.findChild<Workbench*>()->showKey(QStringLiteral("cluster"));
    QVERIFY(!action("plan.nextEvent")->isEnabled());
}

void PlanChartTest::theColouringIsRememberedWithTheProject() {
    {
        MainWindow window;
        window.show();
        openAndWait(window, projectFile());
        PlanView* view = shownPlan(window, "xpipe");
        QVERIFY(view);
        view->setColouring(BlockColouring::weightVersion);
        view->viewActions().predictions->setChecked(true);
        window.close();
    }
    MainWindow window;
    window.show();
    openAndWait(window, projectFile());
    PlanView* view = shownPlan(window, "xpipe");
    QVERIFY(view);
    QCOMPARE(view->colouring(), BlockColouring::weightVersion);
    QVERIFY(view->viewState().predictions);
}

void PlanChartTest::exportColoursAndRefusesUnknownColours() {
    const QString svg = home_.file(QStringLiteral("figure.svg"));
    const auto exported = [&](std::vector<std::string> more) {
        std::vector<std::string> all = {"export", planFile().toStdString(), "--format", "svg",
                                        "--out",  svg.toStdString()};
        all.insert(all.end(), more.begin(), more.end());
        return call(all);
    };
    QCOMPARE(exported({}).status, 0);
    const QByteArray plain = bytesOf(svg);
    QVERIFY(plain.contains("weight update") && plain.contains("steady state: "));
    QVERIFY(!plain.contains("mini-batch 0") && !plain.contains(">prediction<"));
    QCOMPARE(exported({"--no-marks"}).status, 0);
    QVERIFY(!bytesOf(svg).contains("weight update"));
    QCOMPARE(exported({"--colour", "mini-batch", "--predictions"}).status, 0);
    QVERIFY(bytesOf(svg).contains("mini-batch 0") && bytesOf(svg).contains(">prediction<"));
    QCOMPARE(exported({"--colour", "staleness"}).status, 0);
    QVERIFY(bytesOf(svg).contains("staleness 0"));
    const Outcome unknown = exported({"--colour", "rainbow"});
    QCOMPARE(unknown.status, 2);
    QVERIFY2(unknown.err.find("kind") != std::string::npos, unknown.err.c_str());
}

void PlanChartTest::renderShowsTheColouringAskedFor() {
    const auto rendered = [&](const std::string& colour) {
        const QString png = home_.file(QStringLiteral("view.png"));
        const Outcome outcome = call({"render", planFile().toStdString(), "--view", "plan", "--out",
                                      png.toStdString(), "--size", "900x600", "--colour", colour});
        return outcome.status == 0 ? QImage(png) : QImage();
    };
    const QImage byKind = rendered("kind"), byMiniBatch = rendered("mini-batch");
    QVERIFY(!byKind.isNull() && !byMiniBatch.isNull());
    QVERIFY(byKind != byMiniBatch);
}

STAGECRAFT_TEST(PlanChartTest)
#include "plan_chart_test.moc"
