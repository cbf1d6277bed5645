// Planning under a memory limit in the window: the slider, the pattern, throughput versus memory.
#include "app/commands/commands.h"
#include "app/document/samples.h"
#include "app/pareto/pareto_page.h"
#include "app/plan/plan_page.h"
#include "app/shell/workbench.h"
#include "app/start/sample_grid.h"
#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"
#include "views/pareto/memory_limit_bar.h"
#include "views/pattern/pattern_view.h"

#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QLabel>
#include <QMouseEvent>
#include <QTabBar>
#include <QToolButton>

#include <sstream>

using namespace stagecraft;

namespace {

const std::string madpipeFile = STAGECRAFT_SOURCE_DIR "/samples/madpipe-resnet-50.stagecraft.json";
const QString madpipeCard = QStringLiteral("sample:madpipe-resnet-50");

/// The sample opened by its card.
struct OpenSample {
    MainWindow window;

    OpenSample() {
        window.resize(1280, 800);
        window.show();
        click(window, madpipeCard);
        [this] { QTRY_VERIFY(page().run() && page().run()->ok()); }();
    }
    ~OpenSample() { window.workspace().undoStack()->setClean(); }
    int id() { return window.workbench().currentPlan(); }
    PlanPage& page() { return *window.workbench().planPage(window.workspace().plans().front().id); }
    MemoryLimitBar& bar() { return *page().limitBar(); }
    MarkedSlider& slider() { return *bar().findChild<MarkedSlider*>(); }
    std::optional<double> limit() { return window.workspace().problem().setup.memoryLimitBytes; }

    QPointF at(double gibs) {
        auto* number = bar().findChild<QDoubleSpinBox*>();
        return QPointF(slider().pixelOf(qRound(gibs / number->maximum() * slider().maximum())),
                       slider().height() / 2.0);
    }
    void drag(double toGib) {
        QTest::mousePress(&slider(), Qt::LeftButton, {}, at(bar().limitBytes() / gib).toPoint());
        move(toGib);
    }
    void move(double toGib) {
        QMouseEvent move(QEvent::MouseMove, at(toGib), slider().mapToGlobal(at(toGib)), Qt::NoButton,
                         Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&slider(), &move);
    }
    void release() { QTest::mouseRelease(&slider(), Qt::LeftButton, {}, slider().rect().center()); }
    void waitUntilAtRest() {
        QTRY_VERIFY_WITH_TIMEOUT(bar().findChild<QLabel*>(QStringLiteral("memoryActivity"))->text().isEmpty(),
                                 60'000);
    }
    double peakShown() {
        double peak = 0;
        for (const MemoryCurve& curve : page().shownRun()->evaluation->memory)
            peak = std::max(peak, curve.peakBytes());
        return peak;
    }
};

}  // namespace

class MemoryWindowTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void theCardOpensTheSamplesPlanWithSliderAndPattern() {
        OpenSample it;
        QVERIFY(it.id() != 0);
        QVERIFY(it.bar().isVisible());
        QVERIFY(it.page().hasPattern());
        QVERIFY(it.page().run()->evaluation->valid());
        QVERIFY(std::abs(it.bar().limitBytes() - 12e9) < 1);
    }

    void sliderAndSwitchStandInPlaceBeforeThePlanIsWorkedOut() {
        // Nobody works out the plans of this document.
        Workspace workspace;
        workspace.openProject(openProject(madpipeFile), {});
        const int id = workspace.plans().front().id;
        PlanPage page(workspace, id);
        page.resize(1280, 700);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        QVERIFY(!page.run());
        QVERIFY(page.limitBar() && page.limitBar()->isEnabled());
        QVERIFY(std::abs(page.limitBar()->limitBytes() - 12e9) < 1);
        const QRect before = page.limitBar()->geometry();
        page.setRun(std::make_shared<const PlanRun>(
            evaluatePlan(std::make_shared<const CostModel>(workspace.problem()), workspace.plan(id)->plan)));
        QTest::qWait(20);
        QVERIFY(page.hasPattern());
        QCOMPARE(page.limitBar()->geometry(), before);
    }

    void tabsThatNobodyLooksAtStayWithoutChartsWhenTheLimitChanges() {
        OpenSample it;
        it.drag(9);
        it.release();
        it.waitUntilAtRest();
        for (const PlanItem& item : it.window.workspace().plans()) {
            QTRY_VERIFY(item.run);
            const bool seen = item.id == it.id();
            QCOMPARE(it.window.workbench().planPage(item.id)->findChild<PlanView*>() != nullptr, seen);
        }
    }

    void whichOfPatternAndTimelineWasShownIsKept() {
        const QString path = home_.file(QStringLiteral("kept.stagecraft.json"));
        {
            OpenSample it;
            click(it.page(), QStringLiteral("showPattern"));
            QVERIFY(it.window.saveTo(path));
            it.window.close();
        }
        MainWindow window;
        window.show();
        QSignalSpy opened(&window, &MainWindow::openingDone);
        window.openFile(path);
        QVERIFY(opened.wait(5000));
        const auto& plans = window.workspace().plans();
        QTRY_VERIFY(window.workbench().planPage(plans[0].id)->patternShown());
        window.workbench().showPlan(plans[1].id);
        QTRY_VERIFY(window.workbench().planPage(plans[1].id)->run());
        QVERIFY(!window.workbench().planPage(plans[1].id)->patternShown());
    }

    void everyCellOfTheGridOpensWithAClickAndIsPlanned() {
        const std::vector<MadPipeCell>& cells = madPipeCells();
        QCOMPARE(cells.size(), std::size_t(7 * 2 * 10));
        const Problem& sample = findSample(QStringLiteral("madpipe-resnet-50"))->project->problem;
        for (const auto& [gpus, rate, memory] : {std::tuple(4, 12e9, 12e9), std::tuple(8, 24e9, 5e9)}) {
            const auto found = std::find_if(cells.begin(), cells.end(), [&](const MadPipeCell& cell) {
                return cell.gpus == gpus && cell.linkBps == rate && cell.memoryBytes == memory;
            });
            MainWindow window;
            window.resize(1280, 800);
            window.show();
            auto* grid = window.findChild<SampleGrid*>();
            QTest::mouseClick(grid, Qt::LeftButton, {},
                              grid->cellRect(static_cast<int>(found - cells.begin())).center());
            QCOMPARE(window.workspace().problem().cluster.deviceCount(), gpus);
            QCOMPARE(*window.workspace().problem().setup.memoryLimitBytes, memory);
            if (gpus == 4) QVERIFY(window.workspace().problem() == sample);
            QTRY_COMPARE(window.workspace().plans().size(), std::size_t(1));
            const PlanItem& item = window.workspace().plans().front();
            QTRY_VERIFY(item.run && item.run->ok());
            QCOMPARE(window.workbench().currentPlan(), item.id);
            QVERIFY(std::abs(item.run->evaluation->metrics.throughputSamplesPerS / *found->samplesPerS - 1) <
                    1e-3);
            QVERIFY(!window.workspace().isDirty());  // it is the sample's plan, as if it had come along
        }
    }

    void aCellOfTheGridInWhichNothingFitsSaysWhy() {
        MainWindow window;
        window.show();
        auto* grid = window.findChild<SampleGrid*>();
        QVERIFY(grid->describe(0).contains(QStringLiteral("nothing fits")));
        grid->setFocus();
        QTest::keyClick(grid, Qt::Key_Right);
        QTest::keyClick(grid, Qt::Key_Return);
        QCOMPARE(*window.workspace().problem().setup.memoryLimitBytes, 4e9);
        QTRY_COMPARE(window.workspace().plans().size(), std::size_t(1));
        const PlanItem& item = window.workspace().plans().front();
        QVERIFY(!item.isPlan() && !item.run->result.reason.empty());
        QCOMPARE(window.workbench().currentPlan(), item.id);
    }

    void plansOfPlannersThatIgnoreMemoryHaveNoSlider() {
        MainWindow window;
        window.show();
        click(window, QStringLiteral("sample:fig2-toy"));
        PlanPage& page = *window.workbench().planPage(window.workspace().plans().front().id);
        QVERIFY(!page.findChild<MemoryLimitBar*>());
        QVERIFY(!page.hasPattern());
    }

    void thePlanIsMadeAnewWhileTheSliderMovesAndStaysUnderTheLine() {
        OpenSample it;
        const auto before = it.page().shownRun();
        it.drag(9);
        const double asked = it.bar().limitBytes();
        QTRY_VERIFY(it.page().shownRun() != before);
        it.waitUntilAtRest();
        QVERIFY(it.page().shownRun()->evaluation->valid());
        QVERIFY(it.peakShown() <= asked);
        QVERIFY(it.bar().obstacle().isEmpty());
        // Nothing of that is the document's yet.
        QCOMPARE(it.page().run(), before);
        QCOMPARE(*it.limit(), 12e9);
        QVERIFY(!it.window.workspace().undoStack()->canUndo());
        // A newer limit voids the older one.
        it.move(8);
        it.move(10);
        const double newer = it.bar().limitBytes();
        it.waitUntilAtRest();
        QCOMPARE(it.page().shownRun()->costs->problem().setup.memoryLimitBytes, std::optional(newer));
        it.release();
        it.waitUntilAtRest();
    }

    void lettingGoIsOneStepThatCanBeUndone() {
        OpenSample it;
        const Plan plan = it.window.workspace().plans().front().plan;
        it.drag(9);
        const double asked = it.bar().limitBytes();
        it.release();
        it.waitUntilAtRest();
        QCOMPARE(it.limit(), std::optional(asked));
        QCOMPARE(it.window.workspace().undoStack()->count(), 1);
        const PlanItem& item = it.window.workspace().plans().front();
        QVERIFY(!(item.plan.stages == plan.stages && item.plan.schedule == plan.schedule));
        QCOMPARE(item.plan.parameters, plan.parameters);  // not the quick ones
        QTRY_VERIFY(item.run && item.run->ok());
        QCOMPARE(it.page().shownRun(), item.run);
        QVERIFY(it.peakShown() <= asked);
        it.window.workspace().undoStack()->undo();
        QCOMPARE(*it.limit(), 12e9);
        QCOMPARE(it.window.workspace().plans().front().plan, plan);
        QTRY_VERIFY(it.page().shownRun() == it.window.workspace().plans().front().run);
        QVERIFY(std::abs(it.bar().limitBytes() - 12e9) < 1);
        it.window.workspace().undoStack()->redo();
        QCOMPARE(it.limit(), std::optional(asked));
    }

    void theOtherPlansAreWorkedOutUnderTheNewLimit() {
        OpenSample it;
        it.drag(9);
        it.release();
        it.waitUntilAtRest();
        for (const PlanItem& item : it.window.workspace().plans()) {
            QTRY_VERIFY(item.run);
            QCOMPARE(item.run->costs->problem().setup.memoryLimitBytes, it.limit());
        }
    }

    void escapeLeavesEverythingAsItWas() {
        OpenSample it;
        const auto before = it.page().shownRun();
        it.drag(9);
        QTRY_VERIFY(it.page().shownRun() != before);
        QTest::keyClick(&it.slider(), Qt::Key_Escape);
        QCOMPARE(it.page().shownRun(), before);
        it.release();
        QTest::qWait(50);
        QCOMPARE(it.page().shownRun(), before);
        QCOMPARE(*it.limit(), 12e9);
        QVERIFY(std::abs(it.slider().pixelOf(it.slider().value()) - it.at(12e9 / gib).x()) < 2);
        QVERIFY(!it.window.workspace().undoStack()->canUndo());
    }

    void whereNothingFitsThePlanSaysSoAndTheLastOneStays() {
        OpenSample it;
        const auto before = it.page().shownRun();
        it.drag(1);
        QTRY_VERIFY(it.bar().obstacle().startsWith(QStringLiteral("Nothing fits into")));
        QVERIFY(it.bar().obstacle().contains(QStringLiteral("are missing")));
        QVERIFY(!QApplication::activeModalWidget());
        QVERIFY(it.page().shownRun()->ok());
        // Back up it fits again.
        it.move(12);
        QTRY_VERIFY(it.bar().obstacle().isEmpty());
        QTest::keyClick(&it.slider(), Qt::Key_Escape);
        it.release();
        QCOMPARE(it.page().shownRun(), before);
    }

    void aChangeOfTheProjectEndsAPreview() {
        OpenSample it;
        const auto before = it.page().shownRun();
        it.drag(9);
        QTRY_VERIFY(it.page().shownRun() != before);
        TrainingSetup setup = it.window.workspace().problem().setup;
        setup.microbatches = 16;
        it.window.workspace().setSetup(setup);
        it.release();
        QTRY_VERIFY(it.page().run() && it.page().run() != before);
        QCOMPARE(*it.limit(), 12e9);
        QTRY_VERIFY(it.page().shownRun() == it.page().run());
    }

    void theSwitchShowsPatternAndTimelineInTurn() {
        OpenSample it;
        click(it.page(), QStringLiteral("showPattern"));
        QVERIFY(it.page().patternShown());
        QVERIFY(it.page().pattern()->isVisible() && !it.page().view().isVisible());
        click(it.page(), QStringLiteral("showUnrolled"));
        QVERIFY(!it.page().patternShown());
        QVERIFY(it.page().view().isVisible());
    }

    void thePatternFollowsTheSlider() {
        OpenSample it;
        click(it.page(), QStringLiteral("showPattern"));
        const double before = it.page().pattern()->picture().chart().periodS;
        it.drag(8);
        QTRY_VERIFY(it.page().pattern()->picture().chart().periodS > before);
        QTest::keyClick(&it.slider(), Qt::Key_Escape);
        it.release();
        QCOMPARE(it.page().pattern()->picture().chart().periodS, before);
    }

    void theShownPatternIsExported() {
        OpenSample it;
        click(it.page(), QStringLiteral("showPattern"));
        ExportChoice choice;
        for (const char* format : {"svg", "pdf", "png", "tikz"}) {
            choice.format = QLatin1String(format);
            const QString path = home_.file(QStringLiteral("pattern.") + choice.format);
            QSignalSpy done(&it.window, &MainWindow::exported);
            it.window.exportTo(path, choice);
            QVERIFY(done.wait(5000));
            QVERIFY(QFileInfo(path).size() > 500);
        }
        QVERIFY(bytesOf(home_.file(QStringLiteral("pattern.svg"))).contains("batches"));
        // The same as the command writes.
        std::ostringstream out, err;
        const std::string same = home_.file(QStringLiteral("same.svg")).toStdString();
        QCOMPARE(runCommand({"export", madpipeFile, "--plan", "madpipe", "--view", "pattern", "--format",
                             "svg", "--out", same},
                            out, err),
                 0);
        QCOMPARE(bytesOf(QString::fromStdString(same)), bytesOf(home_.file(QStringLiteral("pattern.svg"))));
    }

    void theViewOfThePatternIsRendered() {
        std::ostringstream out, err;
        const QString target = home_.file(QStringLiteral("view.png"));
        QCOMPARE(runCommand({"render", madpipeFile, "--plan", "madpipe", "--view", "pattern", "--size",
                             "900x600", "--out", target.toStdString()},
                            out, err),
                 0);
        const QImage image(target);
        QCOMPARE(image.size(), QSize(900, 600));
        QSet<QRgb> colours;
        for (int y = 0; y < image.height(); y += 3)
            for (int x = 0; x < image.width(); x += 3) colours.insert(image.pixel(x, y));
        QVERIFY(colours.size() > 8);
    }

    void theCommandRefusesAPatternWhereThereIsNone() {
        std::ostringstream out, err;
        const std::string target = home_.file(QStringLiteral("none.svg")).toStdString();
        QCOMPARE(runCommand({"export", STAGECRAFT_SOURCE_DIR "/samples/fig2-toy.stagecraft.json", "--view",
                             "pattern", "--format", "svg", "--out", target},
                            out, err),
                 2);
        QVERIFY(err.str().find("repeats a pattern") != std::string::npos);
        QCOMPARE(runCommand({"render", STAGECRAFT_SOURCE_DIR "/samples/fig2-toy.stagecraft.json", "--view",
                             "pattern", "--out", target},
                            out, err),
                 2);
        QVERIFY(!QFileInfo::exists(QString::fromStdString(target)));
        QCOMPARE(runCommand({"export", madpipeFile, "--plan", "madpipe", "--view", "pattern", "--format",
                             "csv", "--out", target},
                            out, err),
                 2);
    }

    void curvesComeInTheWindowAndAsTheCommandsTable() {
        OpenSample it;
        QVERIFY(QTest::qWaitForWindowActive(&it.window));
        QTest::keyClick(&it.window, Qt::Key_5, Qt::AltModifier);
        QCOMPARE(it.window.workbench().currentKey(), QStringLiteral("pareto"));
        ParetoPage& page = *it.window.workbench().pareto();
        QVERIFY(!it.window.actionRegister().action(QStringLiteral("file.export"))->isEnabled());
        click(page, QStringLiteral("firstStartPareto"));
        QVERIFY(page.job().isRunning());
        QTRY_VERIFY_WITH_TIMEOUT(page.hasResults(), 30'000);
        QTRY_VERIFY_WITH_TIMEOUT(!page.job().isRunning(), 120'000);
        QCOMPARE(page.view().series().size(), std::size_t(2));
        QVERIFY(page.view().series()[1].points.size() > 3);
        QVERIFY(it.window.actionRegister().action(QStringLiteral("file.export"))->isEnabled());
        ExportChoice choice;
        choice.format = QStringLiteral("csv");
        const QString path = home_.file(QStringLiteral("curve.csv"));
        QSignalSpy done(&it.window, &MainWindow::exported);
        it.window.exportTo(path, choice);
        QVERIFY(done.wait(5000));
        std::ostringstream out, err;
        const std::string same = home_.file(QStringLiteral("same.csv")).toStdString();
        QCOMPARE(runCommand({"pareto", madpipeFile, "--out", same}, out, err), 0);
        QVERIFY(!bytesOf(path).isEmpty());
        QCOMPARE(bytesOf(path), bytesOf(QString::fromStdString(same)));

        // A click on a point opens its plan, once. What needs more than the limit is shown, and said to.
        const std::vector<ParetoPoint> points = page.view().series()[1].points;
        const auto fits = [](const ParetoPoint& point) { return point.memoryBytes <= 12e9; };
        const auto first = std::find_if(points.begin(), points.end(), fits) - points.begin();
        QVERIFY(first > 0);
        for (const int index : {static_cast<int>(first), static_cast<int>(first) - 1}) {
            const ParetoPlace place{1, index};
            const ParetoPoint& point = points[static_cast<std::size_t>(index)];
            const std::size_t plans = it.window.workspace().plans().size();
            it.window.workbench().showPareto();
            QTest::qWait(20);
            QTest::mouseClick(&page.view().chart(), Qt::LeftButton, {},
                              page.view().chart().pointOf(place).toPoint());
            const int id = it.id();
            QVERIFY(id != 0);
            QCOMPARE(it.window.workspace().plan(id)->plan.stages, point.plan.stages);
            QTRY_VERIFY(it.window.workspace().plan(id)->run);
            const PlanRun& run = *it.window.workspace().plan(id)->run;
            QVERIFY(run.ok() && run.evaluation->valid());
            QCOMPARE(run.evaluation->metrics.excesses.empty(), fits(point));
            double peak = 0;
            for (const MemoryCurve& curve : run.evaluation->memory) peak = std::max(peak, curve.peakBytes());
            QVERIFY(std::abs(peak - point.memoryBytes) < 1);
            QCOMPARE(page.openPlan(place), id);
            if (it.window.workspace().plans().size() == plans) continue;  // it was one of the sample's
            it.window.workspace().undoStack()->undo();
            QCOMPARE(it.window.workspace().plans().size(), plans);
        }
        // Curves of another network are none of this one.
        LayerProfile profile = it.window.workspace().problem().profile;
        profile.layers.front().forwardS *= 2;
        it.window.workspace().setProfile(profile);
        QVERIFY(!page.hasResults());
    }

    void withoutAnyLimitAPlanOfTheCurveIsNotSaidToExceedIt() {
        OpenSample it;
        Cluster cluster = it.window.workspace().problem().cluster;
        for (Device& device : cluster.devices) device.memoryBytes = 0;
        it.window.workspace().setCluster(cluster);
        TrainingSetup setup = it.window.workspace().problem().setup;
        setup.memoryLimitBytes.reset();
        it.window.workspace().setSetup(setup);
        ParetoPage& page = *it.window.workbench().pareto();
        page.start();
        QTRY_VERIFY_WITH_TIMEOUT(page.hasResults(), 30'000);
        page.stop();
        QTRY_VERIFY_WITH_TIMEOUT(!page.job().isRunning(), 30'000);
        const int id = page.openPlan({0, 0});
        QVERIFY(id != 0);
        QVERIFY(it.window.workspace().plan(id)->plan.claims.fitsMemory);
    }

    void stopKeepsWhatWasFoundAndLeavingDoesNotWait() {
        OpenSample it;
        ParetoPage& page = *it.window.workbench().pareto();
        it.window.workbench().showPareto();
        page.start();
        QTRY_VERIFY_WITH_TIMEOUT(page.hasResults(), 30'000);
        if (page.job().isRunning()) click(page, QStringLiteral("startPareto"));
        QTRY_VERIFY_WITH_TIMEOUT(!page.job().isRunning(), 30'000);
        QVERIFY(page.hasResults());
        page.start();  // and the window closes over it
    }
};

STAGECRAFT_TEST(MemoryWindowTest)
#include "memory_window_test.moc"
