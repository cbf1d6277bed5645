// vPipe in detail beside the main window, with real clicks and keys.
#include "app/commands/commands.h"
#include "app/vpipe/drawing_export.h"
#include "app/vpipe/network_script_file.h"
#include "app/vpipe/throughput_csv.h"
#include "app/vpipe/vpipe_window.h"
#include "app/workbench.h"
#include "core/formats/network_script.h"
#include "tests/app/window_fixture.h"
#include "views/vpipe/changing_view.h"
#include "views/vpipe/migration_view.h"
#include "views/vpipe/rounds_view.h"
#include "views/vpipe/throughput_figure.h"
#include "views/vpipe/utilisation_view.h"

#include <QComboBox>
#include <QLabel>
#include <QTabWidget>
#include <QTableWidget>

#include <sstream>

using namespace stagecraft;

namespace {

const QString bert = QStringLiteral("sample:vpipe-bert");
const std::string bertFile = std::string(STAGECRAFT_SOURCE_DIR) + "/samples/vpipe-bert.stagecraft.json";
constexpr int patienceMs = 60'000;

VpipeWindow* openDetail(MainWindow& window) {
    QTest::keyClick(&window, Qt::Key_F7);
    return window.findChild<VpipeWindow*>();
}

QByteArray bytesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class VpipeWindowTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void aKeyOpensItOnASampleWithoutPlansAndAllTabsFill() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        click(window, bert);
        VpipeWindow* detail = openDetail(window);
        QVERIFY(detail);
        QVERIFY(detail->isVisible() && detail->isWindow() && !detail->isModal());
        QTRY_VERIFY_WITH_TIMEOUT(detail->rounds().study() && !detail->isBusy(), patienceMs);
        QVERIFY(detail->rounds().round() >= 0);
        QCOMPARE(detail->utilisation().rows().size(), std::size_t(3));
        QVERIFY(detail->utilisation().rows().back().obstacle.isEmpty());
        QCOMPARE(detail->migration().cases().size(), std::size_t(4));
        for (const MigrationCase& each : detail->migration().cases()) {
            QVERIFY2(each.migration, qPrintable(each.title + each.obstacle));
            QVERIFY2(each.violations.empty(), each.violations.empty() ? "" : each.violations.front().c_str());
        }
        // Live costs less than stopping, with a barrier and without.
        const auto& cases = detail->migration().cases();
        for (const std::size_t live : {0, 2})
            QVERIFY(cases[live].migration->stallS() < cases[live + 1].migration->stallS());
    }

    void theRoundOfAPlanIsTheOneThatItWasMadeFrom() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        click(window, bert);
        const auto run = std::make_shared<PlanRun>(
            runAndEvaluate(*findPlanner("vpipe"), std::make_shared<CostModel>(window.workspace().problem()),
                           vpipeValues(std::nullopt)));
        QVERIFY(run->ok());
        window.workspace().addRun(run);
        VpipeWindow* detail = openDetail(window);
        QTRY_VERIFY_WITH_TIMEOUT(detail->rounds().study() && !detail->isBusy(), patienceMs);
        const RoundsStudy& study = *detail->rounds().study();
        QVERIFY(study.rounds[static_cast<std::size_t>(study.chosen)].stages == run->result.plan.stages);
        QVERIFY(detail->findChild<QLabel*>(QStringLiteral("vpipeTitle"))
                    ->text()
                    .contains(QStringLiteral("plan vPipe")));
        auto* subject = detail->findChild<QComboBox*>(QStringLiteral("utilisationSubject"));
        detail->tabs().setCurrentIndex(1);
        subject->setFocus();
        QTest::keyClick(subject, Qt::Key_Down);
        QCOMPARE(detail->utilisation().rows().size(), std::size_t(1));
        QCOMPARE(detail->utilisation().rows()[0].throughput, run->evaluation->metrics.throughputSamplesPerS);
        window.workspace().undoStack()->setClean();
    }

    void anEditOfTheSetupIsFollowedAndAClosedProjectClosesIt() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        click(window, bert);
        VpipeWindow* detail = openDetail(window);
        QTRY_VERIFY_WITH_TIMEOUT(detail->rounds().study() && !detail->isBusy(), patienceMs);
        const auto before = detail->rounds().study();
        TrainingSetup setup = window.workspace().problem().setup;
        setup.mode =
            setup.mode == TrainingMode::asynchronous ? TrainingMode::synchronous : TrainingMode::asynchronous;
        window.workspace().setSetup(setup);
        QTRY_VERIFY_WITH_TIMEOUT(
            detail->rounds().study() && detail->rounds().study() != before && !detail->isBusy(), patienceMs);
        QVERIFY(detail->rounds().study()->settings.system != before->settings.system);
        window.workspace().undoStack()->setClean();
        window.workspace().close();
        QVERIFY(!detail->isVisible());
    }

    void aChangingNetworkRunsStopsAndExportsTheBytesOfTheCommand() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        click(window, bert);
        VpipeWindow* detail = openDetail(window);
        QTRY_VERIFY_WITH_TIMEOUT(!detail->isBusy(), patienceMs);
        detail->tabs().setCurrentIndex(2);
        click(*detail, QStringLiteral("startChanging"));
        click(*detail, QStringLiteral("stopChanging"));
        QTRY_VERIFY_WITH_TIMEOUT(!detail->isBusy(), patienceMs);
        click(*detail, QStringLiteral("startChanging"));
        QTRY_VERIFY_WITH_TIMEOUT(!detail->isBusy(), patienceMs);
        QVERIFY(!detail->changing().points().empty());
        const QString script = home_.file(QStringLiteral("script.json"));
        writeText(script, QByteArray::fromStdString(networkScriptJson(detail->changing().script())));
        const QString byCommand = home_.file(QStringLiteral("command.csv"));
        std::ostringstream out, err;
        QCOMPARE(runCommand({"dynamic", bertFile, "--script", script.toStdString(), "--out",
                             byCommand.toStdString()},
                            out, err),
                 0);
        QCOMPARE(QByteArray::fromStdString(throughputCsv(detail->changing().points())), bytesOf(byCommand));
    }

    void eventsThatTheNetworkCannotHaveAreToldWithoutABox() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        click(window, bert);
        VpipeWindow* detail = openDetail(window);
        QTRY_VERIFY_WITH_TIMEOUT(!detail->isBusy(), patienceMs);
        NetworkScript script;
        script.durationS = 100;
        script.events = {{50, NetworkEvent::Kind::removeLayers, 0, 900, 1}};
        detail->changing().setScript(script);
        detail->tabs().setCurrentIndex(2);
        auto* status = detail->findChild<QLabel*>(QStringLiteral("changingStatus"));
        click(*detail, QStringLiteral("startChanging"));
        QTRY_VERIFY_WITH_TIMEOUT(!detail->isBusy(), patienceMs);
        QVERIFY2(status->text().contains(QStringLiteral("has to stay")), qPrintable(status->text()));
        script.events[0].atS = 200;
        detail->changing().setScript(script);
        click(*detail, QStringLiteral("startChanging"));
        QVERIFY(!detail->isBusy());
        QVERIFY(status->text().contains(QStringLiteral("after training ends")));
    }

    void aScriptIsReadBackAsItWasWritten() {
        NetworkScript script;
        script.durationS = 12.5;
        script.events = {{1, NetworkEvent::Kind::addLayers, 0, 4, 1},
                         {2, NetworkEvent::Kind::removeLayers, 1, 2, 1},
                         {3.25, NetworkEvent::Kind::scaleTimes, 2, 0, 0.5}};
        QVERIFY(readNetworkScript(networkScriptJson(script), "script") == script);
    }

    void migrationBetweenPlansWithTheSameStagesSaysThatNothingMoves() {
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        click(window, bert);
        VpipeWindow* detail = openDetail(window);
        QTRY_VERIFY_WITH_TIMEOUT(detail->rounds().study() && !detail->isBusy(), patienceMs);
        detail->tabs().setCurrentIndex(3);
        auto* from = detail->findChild<QComboBox*>(QStringLiteral("migrateFrom"));
        auto* to = detail->findChild<QComboBox*>(QStringLiteral("migrateTo"));
        to->setFocus();
        while (to->currentIndex() > from->currentIndex()) QTest::keyClick(to, Qt::Key_Up);
        QVERIFY(detail->migration().cases().empty());
        QVERIFY(detail->findChild<QLabel*>(QStringLiteral("migrationStatus"))
                    ->text()
                    .contains(QStringLiteral("no layer moves")));
        QTest::keyClick(to, Qt::Key_Down);
        QTRY_VERIFY_WITH_TIMEOUT(!detail->isBusy(), patienceMs);
        QCOMPARE(detail->migration().cases().size(), std::size_t(4));
    }

    void figuresAreWrittenInEveryFormatAndNumbersAsATable() {
        std::vector<vpipe::ThroughputPoint> points(2);
        points[0].full = 3;
        points[1].atS = 10;
        const DrawingExport what{QStringLiteral("throughput"),
                                 [&](const DrawingLook& look) { return drawThroughput(points, look); },
                                 [&] { return throughputCsv(points); }};
        for (const auto& [format, begin] : {std::pair("svg", "<?xml"), std::pair("pdf", "%PDF"),
                                            std::pair("tikz", "%"), std::pair("csv", "time_s,")}) {
            ExportChoice choice;
            choice.format = QLatin1String(format);
            choice.grey = true;
            const QString path = home_.file(QStringLiteral("figure.") + choice.format);
            writeDrawing(what, choice, path);
            QVERIFY2(bytesOf(path).startsWith(begin), qPrintable(path + bytesOf(path).left(40)));
        }
        ExportChoice choice;
        QVERIFY_EXCEPTION_THROWN(writeDrawing(what, choice, QStringLiteral("/nowhere/figure.pdf")),
                                 InputError);
    }
};

QTEST_MAIN(VpipeWindowTest)
#include "vpipe_window_test.moc"
