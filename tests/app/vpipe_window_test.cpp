// vPipe in detail beside the main window, with real clicks and keys.
#include "app/commands/commands.h"
#include "app/plan/plan_page.h"
#include "app/shell/workbench.h"
#include "app/vpipe/drawing_export.h"
#include "app/vpipe/vpipe_files.h"
#include "app/vpipe/vpipe_window.h"
#include "core/formats/profiles/network_script.h"
#include "tests/app/sample_files.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
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
using testing::vpipeBertFile;

namespace {

const QString vpipeBertCard = QStringLiteral("sample:vpipe-bert");
constexpr int patienceMs = 60'000;

/// The sample opened by its card, and by a key what vPipe does to it.
struct OpenDetail {
    MainWindow window;
    VpipeWindow* detail = nullptr;

    OpenDetail() {
        window.show();
        [this] { QVERIFY(QTest::qWaitForWindowActive(&window)); }();
        click(window, vpipeBertCard);
    }
    ~OpenDetail() { window.workspace().undoStack()->setClean(); }

    void open() {
        QTest::keyClick(&window, Qt::Key_F7);
        detail = window.findChild<VpipeWindow*>();
        QVERIFY(detail);
        waitUntilWorkedOut();
    }
    void waitUntilWorkedOut() { QTRY_VERIFY_WITH_TIMEOUT(!detail->isBusy(), patienceMs); }
    QLabel* label(const char* name) const { return detail->findChild<QLabel*>(QLatin1String(name)); }
    QComboBox* box(const char* name) const { return detail->findChild<QComboBox*>(QLatin1String(name)); }
};

}  // namespace

class VpipeWindowTest : public QObject {
    Q_OBJECT

    PrivateHome home_;
    std::unique_ptr<OpenDetail> opened_;  ///< for tests that change nothing of it

    OpenDetail& opened() {
        if (!opened_) {
            opened_ = std::make_unique<OpenDetail>();
            opened_->open();
        }
        return *opened_;
    }

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }
    void cleanupTestCase() { opened_.reset(); }

    void aKeyOpensItOnTheSampleAndAllTabsFill() {
        OpenDetail& it = opened();
        VpipeWindow& detail = *it.detail;
        QVERIFY(detail.isVisible() && detail.isWindow() && !detail.isModal());
        QVERIFY(detail.rounds().study() && detail.rounds().round() >= 0);
        QCOMPARE(detail.utilisation().rows().size(), std::size_t(3));
        QVERIFY(detail.utilisation().rows().back().obstacle.isEmpty());
        QCOMPARE(detail.migration().cases().size(), std::size_t(4));
        for (const MigrationCase& each : detail.migration().cases()) {
            QVERIFY2(each.migration, qPrintable(each.title + each.obstacle));
            QVERIFY2(each.violations.empty(), each.violations.empty() ? "" : each.violations.front().c_str());
        }
        // Without a barrier live costs less than stopping, for which the pipeline has to run empty; with one
        // it is empty between mini-batches anyway.
        const auto& cases = detail.migration().cases();
        QVERIFY(cases[0].migration->stallS() < cases[1].migration->stallS());
        for (const std::size_t barrier : {2, 3}) QVERIFY(cases[barrier].migration->stallS() >= 0);
    }

    void utilisationIsUsefulWorkAndGoesWithTheThroughput() {
        OpenDetail& it = opened();
        const auto& rows = it.detail->utilisation().rows();
        const auto usefulOf = [](const UtilisationRow& row) {
            double useful = 0;
            for (const DeviceUtilisation& device : row.devices) useful += device.useful;
            return useful;
        };
        QVERIFY(rows.front().throughput < rows.back().throughput);
        QVERIFY(std::abs(usefulOf(rows.front()) / usefulOf(rows.back()) -
                         rows.front().throughput / rows.back().throughput) < 1e-6);
        // PipeDream alone has to do with small microbatches: its GPUs are busy for longer than that.
        QVERIFY(rows.front().devices[0].busy > 1.1 * rows.front().devices[0].useful);
    }

    void theRoundOfAPlanIsTheOneThatItWasMadeFrom() {
        OpenDetail it;
        const PlanItem& item = it.window.workspace().plans().front();
        QTRY_VERIFY(item.run);
        it.open();
        const RoundsStudy& study = *it.detail->rounds().study();
        QVERIFY(study.rounds[static_cast<std::size_t>(study.chosen)].stages == item.plan.stages);
        QVERIFY(it.label("vpipeTitle")->text().contains(QStringLiteral("plan vPipe")));
        it.detail->tabs().setCurrentIndex(1);
        it.box("utilisationSubject")->setFocus();
        QTest::keyClick(it.box("utilisationSubject"), Qt::Key_Down);
        QCOMPARE(it.detail->utilisation().rows().size(), it.window.workspace().plans().size());
        QCOMPARE(it.detail->utilisation().rows()[0].throughput,
                 item.run->evaluation->metrics.throughputSamplesPerS);
    }

    void aButtonBesideThePlanLeadsToIt() {
        OpenDetail it;
        PlanPage& page = *it.window.workbench().planPage(it.window.workspace().plans().front().id);
        QVERIFY(page.isVisible());
        click(page, QStringLiteral("showVpipe"));
        it.detail = it.window.findChild<VpipeWindow*>();
        QVERIFY(it.detail && it.detail->isVisible());
        it.waitUntilWorkedOut();
        QVERIFY(it.label("vpipeTitle")->text().contains(QStringLiteral("plan vPipe")));
        // It has nothing to say about other planners' plans.
        it.window.openSample(QStringLiteral("madpipe-resnet-50"));
        PlanPage& other = *it.window.workbench().planPage(it.window.workspace().plans().front().id);
        QVERIFY(!other.findChild<QWidget*>(QStringLiteral("showVpipe"))->isVisible());
    }

    void anEditOfTheSetupIsFollowedAndAClosedProjectClosesIt() {
        OpenDetail it;
        while (!it.window.workspace().plans().empty())
            it.window.workspace().removePlan(it.window.workspace().plans().front().id);
        it.open();
        const auto before = it.detail->rounds().study();
        TrainingSetup setup = it.window.workspace().problem().setup;
        setup.mode = TrainingMode::synchronous;
        it.window.workspace().setSetup(setup);
        it.waitUntilWorkedOut();
        QVERIFY(it.detail->rounds().study() && it.detail->rounds().study() != before);
        QVERIFY(it.detail->rounds().study()->settings.system != before->settings.system);
        it.window.workspace().undoStack()->setClean();
        it.window.workspace().close();
        QVERIFY(!it.detail->isVisible());
    }

    void anotherProjectLeavesNothingOfTheOldOne() {
        OpenDetail it;
        it.open();
        QVERIFY(it.box("migrateFrom")->count() > 0 && !it.detail->migration().cases().empty());
        it.window.openSample(QStringLiteral("vpipe-amoebanet"));
        // At once, before anything is worked out again: there is nothing to choose and nothing to export.
        QCOMPARE(it.box("migrateFrom")->count(), 0);
        QVERIFY(it.detail->migration().cases().empty());
        QVERIFY(!it.detail->findChild<QWidget*>(QStringLiteral("exportMigration"))->isEnabled());
        QVERIFY(!it.detail->rounds().study() && it.detail->utilisation().rows().empty());
        it.waitUntilWorkedOut();
        QCOMPARE(it.detail->migration().cases().size(), std::size_t(4));
        for (const MigrationCase& each : it.detail->migration().cases())
            for (const auto& ranges : each.migration->forward)
                for (const planners::vpipe::LayerRange& range : ranges)
                    QVERIFY(range.end <= it.window.workspace().problem().profile.layerCount());
    }

    void plansOfLayersThatAreGoneAreNoEndsOfAMigration() {
        OpenDetail it;
        it.open();
        const int before = it.box("migrateFrom")->findText(QStringLiteral("Plan"), Qt::MatchStartsWith);
        QVERIFY(before >= 0);
        LayerProfile profile = it.window.workspace().problem().profile;
        profile.layers.resize(profile.layers.size() - 8);
        it.window.workspace().setProfile(profile);
        it.waitUntilWorkedOut();
        QCOMPARE(it.box("migrateFrom")->findText(QStringLiteral("Plan"), Qt::MatchStartsWith), -1);
        for (const MigrationCase& each : it.detail->migration().cases())
            QVERIFY2(each.migration, qPrintable(each.title + each.obstacle));
    }

    void wherePipeDreamMayNotRunThePlansCanStillMigrate() {
        OpenDetail it;
        it.open();
        TrainingSetup setup = it.window.workspace().problem().setup;
        setup.mode = TrainingMode::synchronous;  // and the plan was asked for over PipeDream
        it.window.workspace().setSetup(setup);
        Plan plan = it.window.workspace().plans().front().plan;
        plan.name = "over PipeDream";
        plan.parameters["over"] = "pipedream";
        it.detail->lookAt(it.window.workspace().addPlan(plan));
        it.waitUntilWorkedOut();
        QVERIFY(!it.detail->rounds().study());
        QTRY_COMPARE(it.box("migrateFrom")->count(),
                     static_cast<int>(std::count_if(
                         it.window.workspace().plans().begin(), it.window.workspace().plans().end(),
                         [](const PlanItem& item) { return item.run && item.run->ok(); })));
    }

    void aChangingNetworkRunsStopsAndExportsTheBytesOfTheCommand() {
        OpenDetail& it = opened();
        VpipeWindow& detail = *it.detail;
        QVERIFY(!detail.changing().script().events.empty());
        detail.tabs().setCurrentIndex(2);
        click(detail, QStringLiteral("startChanging"));
        click(detail, QStringLiteral("stopChanging"));
        it.waitUntilWorkedOut();
        click(detail, QStringLiteral("startChanging"));
        it.waitUntilWorkedOut();
        QVERIFY(!detail.changing().points().empty());
        const QString script = home_.file(QStringLiteral("script.json"));
        writeText(script, QByteArray::fromStdString(networkScriptJson(detail.changing().script())));
        const QString byCommand = home_.file(QStringLiteral("command.csv"));
        std::ostringstream out, err;
        QCOMPARE(runCommand({"dynamic", vpipeBertFile, "--script", script.toStdString(), "--out",
                             byCommand.toStdString()},
                            out, err),
                 0);
        QCOMPARE(QByteArray::fromStdString(throughputCsv(detail.changing().points())), bytesOf(byCommand));
    }

    void eventsThatTheNetworkCannotHaveAreToldWithoutABox() {
        OpenDetail& it = opened();
        NetworkScript script;
        script.durationS = 100;
        script.events = {{50, NetworkEvent::Kind::removeLayers, 0, 900, 1}};
        it.detail->changing().setScript(script);
        it.detail->tabs().setCurrentIndex(2);
        click(*it.detail, QStringLiteral("startChanging"));
        it.waitUntilWorkedOut();
        const QLabel* status = it.label("changingStatus");
        QVERIFY2(status->text().contains(QStringLiteral("has to stay")), qPrintable(status->text()));
        script.events[0].atS = 200;
        it.detail->changing().setScript(script);
        click(*it.detail, QStringLiteral("startChanging"));
        QVERIFY(!it.detail->isBusy());
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
        OpenDetail& it = opened();
        it.detail->tabs().setCurrentIndex(3);
        QComboBox *from = it.box("migrateFrom"), *to = it.box("migrateTo");
        to->setFocus();
        while (to->currentIndex() > from->currentIndex()) QTest::keyClick(to, Qt::Key_Up);
        QVERIFY(it.detail->migration().cases().empty());
        QVERIFY(it.label("migrationStatus")->text().contains(QStringLiteral("no layer moves")));
        QTest::keyClick(to, Qt::Key_Down);
        it.waitUntilWorkedOut();
        QCOMPARE(it.detail->migration().cases().size(), std::size_t(4));
    }

    void figuresAreWrittenInEveryFormatAndNumbersAsATable() {
        std::vector<planners::vpipe::ThroughputPoint> points(2);
        points[0].full = 3;
        points[1].atS = 10;
        const DrawingExport what{QStringLiteral("throughput"),
                                 [&](const DrawingLook& look) { return drawThroughput(points, look); },
                                 [&] { return throughputCsv(points); }};
        for (const auto& [format, begin] : {std::pair("svg", "<?xml"), std::pair("pdf", "%PDF"),
                                            std::pair("tikz", "%"), std::pair("csv", "time_s,")}) {
            ExportChoice choice;
            choice.format = QLatin1String(format);
            choice.style.grey = true;
            const QString path = home_.file(QStringLiteral("figure.") + choice.format);
            writeDrawing(what, choice, path);
            QVERIFY2(bytesOf(path).startsWith(begin), qPrintable(path + bytesOf(path).left(40)));
        }
        ExportChoice choice;
        QVERIFY_EXCEPTION_THROWN(writeDrawing(what, choice, QStringLiteral("/nowhere/figure.pdf")),
                                 InputError);
    }
};

STAGECRAFT_TEST(VpipeWindowTest)
#include "vpipe_window_test.moc"
