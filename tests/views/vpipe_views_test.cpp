// vPipe in detail: rounds, utilisation, a network that changes, and migrations.
#include "core/base/units.h"
#include "core/formats/files/project_file.h"
#include "core/planners/vpipe/vpipe_planner.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/plot_complaints.h"
#include "views/common/theme.h"
#include "views/figures/figure_writers.h"
#include "views/figures/painter_writer.h"
#include "views/vpipe/changing_view.h"
#include "views/vpipe/drawing_canvas.h"
#include "views/vpipe/migration_view.h"
#include "views/vpipe/rounds_view.h"
#include "views/vpipe/throughput_chart.h"
#include "views/vpipe/throughput_figure.h"
#include "views/vpipe/utilisation_view.h"

#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

using namespace stagecraft;
using planners::vpipe::ThroughputPoint;

namespace {

std::shared_ptr<const CostModel> costs() {
    Problem problem =
        openProject(std::string(STAGECRAFT_SOURCE_DIR) + "/samples/vpipe-bert.stagecraft.json").problem;
    problem.setup.mode = TrainingMode::synchronous;
    return std::make_shared<CostModel>(std::move(problem));
}

std::shared_ptr<const RoundsStudy> study() {
    static const auto made = [] {
        auto study = std::make_shared<RoundsStudy>();
        study->costs = costs();
        study->rounds = planners::vpipe::rounds(*study->costs, study->settings);
        study->chosen = planners::vpipe::bestRound(study->rounds);
        return study;
    }();
    return made;
}

/// 600 s; at 100 s layers come, at 110 s others have moved.
std::vector<ThroughputPoint> points() {
    return {{0, "start", 40, 8, 60, 80, 100, {4, 4}, 0, 0},
            {100, "4 layers added to stage 0", 0, 0, 40, 50, 90, {8, 4}, 0, 0},
            {110, "layers have migrated", 0, 0, 40, 70, 90, {6, 6}, 10, 0.5},
            {600, "end", 0, 0, 40, 70, 90, {6, 6}, 0, 0}};
}

UtilisationRow row(const QString& title, double effective, double recompute) {
    UtilisationRow row;
    row.title = title;
    row.devices = {{0, effective, effective, recompute, 0.01, 0.2},
                   {1, effective / 2, effective / 2, 0, 0, 0}};
    row.names = {QStringLiteral("g0"), QStringLiteral("g1")};
    row.throughput = 100 * effective;
    row.ideal = 90;
    return row;
}

int countRole(const Figure& figure, const std::string& role) {
    int count = 0;
    for (const FigureItem& item : figure.items)
        std::visit(
            [&](const auto& each) {
                if constexpr (requires { each.role; }) count += each.role == role;
            },
            item);
    return count;
}

QRectF rectOfRole(const Figure& figure, const std::string& role) {
    for (const FigureItem& item : figure.items)
        if (const auto* rectangle = std::get_if<FigureRectangle>(&item); rectangle && rectangle->role == role)
            return rectangle->rect;
    return {};
}

/// The first and the last round of the iteration, live and without a barrier.
MigrationCase migrationCase(planners::vpipe::MigrationKind kind = planners::vpipe::MigrationKind::live) {
    const auto& rounds = study()->rounds;
    MigrationCase shown;
    shown.title = QStringLiteral("Live");
    for (const Stage& stage : rounds.front().stages) shown.deviceOfStage.push_back(stage.devices.front());
    std::vector<Stage> moved = rounds.front().stages;
    moved[0].lastLayer -= 1;
    moved[1].firstLayer -= 1;
    planners::vpipe::MigrationOptions options;
    options.kind = kind;
    options.afterMicrobatch = 2 * static_cast<int>(moved.size());
    shown.migration = std::make_shared<planners::vpipe::Migration>(planners::vpipe::simulateMigration(
        *study()->costs, planners::vpipe::planOf(rounds.front().stages, {}, study()->settings),
        planners::vpipe::planOf(moved, {}, study()->settings), options));
    return shown;
}

template <typename View>
void showIt(View& view) {
    view.resize(1000, 640);
    view.show();
    QTest::qWait(20);
}

}  // namespace

class VpipeViewsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        applyTheme(*qApp, ThemeChoice::light);
        QVERIFY(study()->rounds.size() >= 2);
        QVERIFY(study()->chosen >= 0);
    }

    void theChosenRoundIsShownFirstAndKeysAndButtonsStepThroughAllOfThem() {
        RoundsView view;
        view.setStudy(study());
        showIt(view);
        QCOMPARE(view.round(), study()->chosen);
        while (view.round() > 0) QTest::keyClick(&view, Qt::Key_N, Qt::ShiftModifier);
        auto* previous = view.findChild<QToolButton*>(QStringLiteral("previousRound"));
        auto* next = view.findChild<QToolButton*>(QStringLiteral("nextRound"));
        QVERIFY(!previous->isEnabled());
        const int last = static_cast<int>(study()->rounds.size()) - 1;
        for (int round = 1; round <= last; ++round) {
            QTest::mouseClick(next, Qt::LeftButton);
            QCOMPARE(view.round(), round);
            QCOMPARE(view.findChild<QLabel*>(QStringLiteral("roundBecause"))->text(),
                     QString::fromStdString(study()->rounds[static_cast<std::size_t>(round)].because));
        }
        QVERIFY(!next->isEnabled());
        QTest::keyClick(&view, Qt::Key_N);
        QCOMPARE(view.round(), last);
    }

    void theTimeOfAMiniBatchIsCalledIterationOnlyWhereItIsOne() {
        RoundsView view;
        view.setStudy(study());
        const auto* time =
            view.findChild<QTableWidget*>(QStringLiteral("roundsTable"))->horizontalHeaderItem(3);
        QCOMPARE(time->text(), QStringLiteral("Iteration"));
        auto overlapping = std::make_shared<RoundsStudy>(*study());
        Problem problem = costs()->problem();
        problem.setup.mode = TrainingMode::asynchronous;
        problem.setup.microbatches = 1;  // PipeDream's mini-batch
        overlapping->costs = std::make_shared<const CostModel>(problem);
        view.setStudy(overlapping);
        QCOMPARE(time->text(), QStringLiteral("Mini-batch"));
        QVERIFY2(time->toolTip().contains(QStringLiteral("1 microbatch")), qPrintable(time->toolTip()));
    }

    void theTableTellsOfEachRoundWhatTheAlgorithmDecided() {
        RoundsView view;
        view.setStudy(study());
        auto* table = view.findChild<QTableWidget*>(QStringLiteral("roundsTable"));
        QCOMPARE(table->rowCount(), static_cast<int>(study()->rounds.size()));
        for (int row = 0; row < table->rowCount(); ++row) {
            const planners::vpipe::Round& round = study()->rounds[static_cast<std::size_t>(row)];
            int swapped = 0;
            for (const planners::vpipe::StageRound& stage : round.perStage) swapped += stage.swapped;
            QCOMPARE(table->item(row, 5)->text().toInt(), swapped);
            QCOMPARE(table->item(row, 1)->text().split(' ').size(),
                     static_cast<qsizetype>(round.stages.size()));
            QCOMPARE(table->item(row, 8)->text() == QStringLiteral("no"), !round.fits);
        }
        QCOMPARE(table->item(study()->chosen, 8)->text(), QStringLiteral("yes, chosen"));
    }

    void aRoundShowsEveryLayerWithItsLetterAndEveryStageUnderItsLimit() {
        const HoverDrawing drawing = drawRound(*study(), study()->chosen, {.widthMm = 300, .heightMm = 120});
        const planners::vpipe::Round& round = study()->rounds[static_cast<std::size_t>(study()->chosen)];
        int swapped = 0, recomputed = 0;
        for (const auto& [layer, op] : round.memory.layers) {
            swapped += op == LayerMemory::swap;
            recomputed += op == LayerMemory::recompute;
        }
        QVERIFY(swapped + recomputed > 0);
        // One more each in the legend.
        QCOMPARE(countRole(drawing.figure, "swapped"), swapped + 1);
        QCOMPARE(countRole(drawing.figure, "recomputed"), recomputed + 1);
        QCOMPARE(countRole(drawing.figure, "stage"), static_cast<int>(round.stages.size()));
        QCOMPARE(countRole(drawing.figure, "limit"), static_cast<int>(round.stages.size()));
        QCOMPARE(countRole(drawing.figure, "memory over"), 0);
    }

    void memoryBeyondTheLimitLooksOtherwise() {
        auto over = std::make_shared<RoundsStudy>(*study());
        over->rounds[0].perStage[1].memoryBytes = 2 * limitOf(*over, over->rounds[0].stages[1]);
        QCOMPARE(countRole(drawRound(*over, 0, {}).figure, "memory over"), 1);
    }

    void gapsAreMeasuredAgainstTheExactOptimumAndUnknownWithoutOne() {
        planners::vpipe::StageRound stage;
        stage.times = {1, 2, 0, 0};
        QVERIFY(gapOf(stage) < 0);
        stage.optimumS = 2.5;
        QCOMPARE(gapOf(stage), 0.2);
        planners::vpipe::Round round;
        QVERIFY(widestGap(round) < 0);
        round.perStage = {stage, {}};
        QCOMPARE(widestGap(round), 0.2);
    }

    void pointerAndArrowKeysTellAboutWhatIsDrawn() {
        RoundsView view;
        view.setStudy(study());
        showIt(view);
        DrawingCanvas& canvas = view.canvas();
        QVERIFY(canvas.drawing().spots.size() > 8);
        QTest::mouseMove(&canvas, canvas.spotRect(0).center().toPoint());
        QCOMPARE(canvas.current(), 0);
        QVERIFY(canvas.accessibleDescription().contains(QStringLiteral("Layer")));
        canvas.setFocus();
        QTest::keyClick(&canvas, Qt::Key_Right);
        QCOMPARE(canvas.current(), 1);
        QTest::keyClick(&canvas, Qt::Key_Left);
        QTest::keyClick(&canvas, Qt::Key_Left);
        QCOMPARE(canvas.current(), 0);
        QTest::keyClick(&canvas, Qt::Key_Escape);
        QCOMPARE(canvas.current(), -1);
        // N still steps on, from the chart and from the table.
        view.showRound(0);
        QTest::keyClick(&canvas, Qt::Key_N);
        QCOMPARE(view.round(), 1);
        auto* table = view.findChild<QTableWidget*>(QStringLiteral("roundsTable"));
        table->setFocus();
        QTest::keyClick(table, Qt::Key_N, Qt::ShiftModifier);
        QCOMPARE(view.round(), 0);
        QTest::keyClick(table, Qt::Key_Down);
        QCOMPARE(view.round(), 1);
    }

    void aFrameSaysHowLongAGpuIsBusyForItsUsefulWork() {
        UtilisationRow slow = row(QStringLiteral("a"), 0.4, 0);
        slow.devices[0].busy = 0.9;
        const HoverDrawing drawing = drawUtilisation({slow}, {.widthMm = 200, .heightMm = 60});
        const QRectF useful = rectOfRole(drawing.figure, "useful");
        const QRectF busy = rectOfRole(drawing.figure, "busy");
        QVERIFY(std::abs(busy.height() / useful.height() - 0.9 / 0.4) < 1e-9);
        QCOMPARE(countRole(drawing.figure, "busy"), 2);  // the second device loses nothing; the legend
        QVERIFY(drawing.spots[0].text.contains(QStringLiteral("Useful work")));
        QVERIFY(drawing.spots[0].text.contains(QStringLiteral("40.0&nbsp;%")));
        QVERIFY(drawing.spots[0].text.contains(QStringLiteral("Busy")));
        QVERIFY(drawing.spots[0].text.contains(QStringLiteral("90.0&nbsp;%")));
    }

    void wastedWorkStandsUnfilledOnTopOfTheUseful() {
        const HoverDrawing drawing =
            drawUtilisation({row(QStringLiteral("a"), 0.6, 0.3)}, {.widthMm = 200, .heightMm = 60});
        const QRectF effective = rectOfRole(drawing.figure, "useful");
        const QRectF wasted = rectOfRole(drawing.figure, "recompute");
        QVERIFY(std::abs(wasted.bottom() - effective.top()) < 1e-9);
        QVERIFY(std::abs(effective.height() / wasted.height() - 2) < 1e-9);
        QCOMPARE(countRole(drawing.figure, "recompute"), 2);  // the second device wastes nothing; the legend
        QCOMPARE(countRole(drawing.figure, "ideal"), 2);
        QVERIFY(drawing.spots[0].text.contains(QStringLiteral("90.0&nbsp;%")));
    }

    void aPlanThatDoesNotFitIsARowWithItsReason() {
        UtilisationRow none;
        none.title = QStringLiteral("GPipe");
        none.obstacle = QStringLiteral("no plan fits");
        UtilisationView view;
        view.setRows({none, row(QStringLiteral("b"), 0.5, 0)});
        showIt(view);
        QVERIFY(view.canvas().drawing().spots[0].text.contains(none.obstacle));
        QCOMPARE(utilisationCsv(view.rows()).find("GPipe"), std::string::npos);
        QVERIFY(utilisationCsv(view.rows()).find("\"b\",\"g1\",0.25,0,0.25,0,") != std::string::npos);
    }

    void manyPlansMakeTheChartHigherThanTheWindow() {
        UtilisationView view;
        showIt(view);
        std::vector<UtilisationRow> rows;
        for (int i = 0; i < 40; ++i) rows.push_back(row(QString::number(i), 0.5, 0.1));
        view.setRows(rows);
        QVERIFY(view.canvas().minimumSizeHint().height() > view.height());
        view.setRows({rows[0]});
        QVERIFY(view.canvas().minimumSizeHint().height() <= view.height());
    }

    void aChartThatFillsItsPaneDoesNotMakeTheWindowGrow() {
        std::vector<planners::vpipe::ThroughputPoint> points(3);
        for (int i = 0; i < 3; ++i) {
            points[static_cast<std::size_t>(i)].atS = 100 * i;
            points[static_cast<std::size_t>(i)].full = points[static_cast<std::size_t>(i)].ideal = 3 - i;
            points[static_cast<std::size_t>(i)].layersOfStage = {3, 4};
        }
        for (const int width : {700, 1120, 1600}) {
            ChangingView view;
            showIt(view);
            view.resize(width, 640);
            view.setPoints(points);
            for (int i = 0; i < 20; ++i) QApplication::processEvents();
            QCOMPARE(view.size(), QSize(width, 640));
            // And all of it can be seen.
            const ThroughputChart& chart = view.chart();
            QVERIFY(chart.frameOf(0).bottom() < chart.frameOf(1).top());
            QVERIFY(chart.frameOf(1).bottom() < chart.height());
            QVERIFY(chart.height() <= 640);
        }
    }

    void theThroughputIsPlottedWithoutComplaints() {
        const PlotComplaints complaints;
        ChangingView view;
        view.setPoints(points());
        showIt(view);
        view.setPoints({});
        view.setPoints(points());
        QTest::qWait(20);
        QVERIFY2(complaints.joined().isEmpty(), qPrintable(complaints.joined()));
    }

    void bothPanelsOfTheThroughputShowTheSameTime() {
        ChangingView view;
        view.setPoints(points());
        showIt(view);
        ThroughputChart& chart = view.chart();
        QCOMPARE(chart.frameOf(0).left(), chart.frameOf(1).left());
        for (const std::size_t panel : {0, 1}) {
            const QPointF at = chart.frameOf(panel).center();
            QWheelEvent event(at, chart.mapToGlobal(at), {}, {0, 240}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QApplication::sendEvent(&chart, &event);
            QVERIFY(chart.shownAcross(0).to() < 600);
            QCOMPARE(chart.shownAcross(0).from(), chart.shownAcross(1).from());
            QCOMPARE(chart.shownAcross(0).to(), chart.shownAcross(1).to());
            chart.fit();
        }
    }

    void theEventsOfTheTableAreTheScriptByTime() {
        ChangingView view;
        NetworkScript script;
        script.durationS = 500;
        script.events = {{100, NetworkEvent::Kind::addLayers, 0, 4, 1},
                         {200, NetworkEvent::Kind::scaleTimes, 1, 0, 1.5}};
        view.setScript(script);
        showIt(view);
        QVERIFY(view.script() == script);
        auto* table = view.findChild<QTableWidget*>(QStringLiteral("networkEvents"));
        QSignalSpy edited(&view, &ChangingView::scriptEdited);
        auto* at = qobject_cast<QDoubleSpinBox*>(table->cellWidget(0, 0));
        at->setFocus();
        at->selectAll();
        QTest::keyClicks(at, QStringLiteral("300"));
        QTest::keyClick(at, Qt::Key_Return);
        QCOMPARE(edited.count(), 1);
        QCOMPARE(view.script().events[1].atS, 300);
        QCOMPARE(view.script().events[1].layers, 4);
        auto* change = qobject_cast<QComboBox*>(table->cellWidget(1, 2));
        change->setFocus();
        QTest::keyClick(change, Qt::Key_Up);
        QVERIFY(view.script().events[0].kind == NetworkEvent::Kind::removeLayers);
        QVERIFY(view.script().events[0].layers >= 1);
        QTest::mouseClick(view.findChild<QToolButton*>(QStringLiteral("addEvent")), Qt::LeftButton);
        QCOMPARE(view.script().events.size(), std::size_t(3));
        QVERIFY(view.script().events.back().atS < script.durationS);
        for (int i = 0; i < 3; ++i)
            QTest::mouseClick(view.findChild<QToolButton*>(QStringLiteral("removeEvent")), Qt::LeftButton);
        QVERIFY(view.script().events.empty());
        QVERIFY(!view.findChild<QToolButton*>(QStringLiteral("removeEvent"))->isEnabled());
    }

    void runAndStopAreOfferedInTurn() {
        ChangingView view;
        showIt(view);
        auto* start = view.findChild<QPushButton*>(QStringLiteral("startChanging"));
        auto* stop = view.findChild<QPushButton*>(QStringLiteral("stopChanging"));
        QSignalSpy started(&view, &ChangingView::startRequested),
            stopped(&view, &ChangingView::stopRequested);
        QVERIFY(!stop->isEnabled());
        QTest::mouseClick(start, Qt::LeftButton);
        view.setRunning(true);
        QVERIFY(!start->isEnabled());
        QTest::mouseClick(stop, Qt::LeftButton);
        QCOMPARE(started.count(), 1);
        QCOMPARE(stopped.count(), 1);
    }

    void throughputIsStepsAndHoverTellsAllOfThem() {
        ChangingView view;
        view.setPoints(points());
        showIt(view);
        ThroughputChart& chart = view.chart();
        QCOMPARE(chart.spans().size(), points().size() - 1);
        QVERIFY(chart.describe(1).contains(QStringLiteral("does&nbsp;not&nbsp;fit")));
        QVERIFY(chart.describe(2).contains(QStringLiteral("Migration took")));
        QTest::mouseMove(&chart, chart.spanRect(2).center().toPoint());
        QCOMPARE(chart.current(), 2);
        QTest::keyClick(&chart, Qt::Key_Left);
        QCOMPARE(chart.current(), 1);
        const HoverDrawing drawing = drawThroughput(points(), {.widthMm = 200});
        for (const FigureItem& item : drawing.figure.items)
            if (const auto* line = std::get_if<FigurePolygon>(&item); line && line->role == "vpipe")
                for (std::size_t i = 1; i < line->points.size(); ++i)
                    QVERIFY(line->points[i].x() == line->points[i - 1].x() ||
                            line->points[i].y() == line->points[i - 1].y());
        // An event is marked; a migration that follows from it is not.
        QCOMPARE(countRole(drawing.figure, "event"), 1);
    }

    void labelsOfEventsGetShorterWhereThereIsNoRoom() {
        std::vector<ThroughputPoint> dense = points();
        dense[2] = dense[1];
        dense[2].atS = 200;
        dense[2].migrationS = 0;
        const auto labels = [&](double widthMm) {
            QStringList found;
            for (const FigureItem& item : drawThroughput(dense, {.widthMm = widthMm}).figure.items)
                if (const auto* text = std::get_if<FigureText>(&item); text && text->text.startsWith('+'))
                    found << text->text;
            return found;
        };
        QCOMPARE(labels(300),
                 (QStringList{QStringLiteral("+4 on stage 0"), QStringLiteral("+4 on stage 0")}));
        QCOMPARE(labels(88.9), (QStringList{QStringLiteral("+4 on 0"), QStringLiteral("+4 on 0")}));
    }

    void whatLastsNoTimeIsNotDrawn() {
        // What was there cannot continue: layers have migrated at the event itself.
        std::vector<ThroughputPoint> atOnce = points();
        atOnce[1].full = 0;
        atOnce[2].atS = atOnce[1].atS;
        atOnce[2].migrationS = 0;
        const DrawingLook look{.widthMm = 200, .heightMm = 100};
        const HoverDrawing drawing = drawThroughput(atOnce, look);
        QCOMPARE(throughputSpans(atOnce).size(), std::size_t(2));
        QCOMPARE(countRole(drawing.figure, "event"), 1);
        double lowest = 0;
        for (const FigureItem& item : drawing.figure.items)
            if (const auto* line = std::get_if<FigurePolygon>(&item); line && line->role == "vpipe")
                for (const QPointF& point : line->points) lowest = std::max(lowest, point.y());
        QVERIFY(lowest < drawing.frameMm.bottom() - 1);
    }

    void theThreeStepsOfAMigrationAreDrawnAndTold() {
        MigrationView view;
        view.setCases({migrationCase(), migrationCase(planners::vpipe::MigrationKind::stopAndCopy)});
        showIt(view);
        const Figure& figure = view.canvas().drawing().figure;
        for (const char* role : {"prepare", "ready", "activations", "parameters"})
            QVERIFY2(countRole(figure, role) >= 2, role);  // and in the legend
        QString told;
        for (const DrawingSpot& spot : view.canvas().drawing().spots) told += spot.text;
        for (const char* step : {"Prepare", "Ready", "Activations", "Parameters"})
            QVERIFY2(told.contains(QLatin1String(step)), step);
        auto* table = view.findChild<QTableWidget*>(QStringLiteral("migrationTable"));
        QCOMPARE(table->rowCount(), 2);
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Down);
        QCOMPARE(view.shownCase(), 1);
    }

    void wheelAndKeysZoomAndPanTheTimelineAndFFits() {
        MigrationView view;
        view.setCases({migrationCase()});
        showIt(view);
        const auto all = view.range();
        const auto width = [&view] { return view.range().second - view.range().first; };
        const QPointF middle = view.canvas().rect().center();
        QWheelEvent wheel(middle, view.canvas().mapToGlobal(middle), {}, {0, 120}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&view.canvas(), &wheel);
        QVERIFY(width() < all.second - all.first);
        const auto before = view.range();
        QTest::keyClick(&view, Qt::Key_D);
        QVERIFY(view.range().first > before.first);
        QVERIFY(std::abs(width() - (before.second - before.first)) < 1e-9 * width());
        for (int i = 0; i < 60; ++i) QTest::keyClick(&view, Qt::Key_S);
        const double end = view.cases()[0].migration->timeline.lastEndS();
        QVERIFY(view.range().first >= 0 && view.range().second <= end * (1 + 1e-9));
        QTest::keyClick(&view, Qt::Key_F);
        QVERIFY(view.range() == all);
    }

    void whatCannotBeSimulatedSaysWhyInPlaceOfAChart() {
        MigrationCase none;
        none.title = QStringLiteral("Live");
        none.obstacle = QStringLiteral("not of 1F1B");
        MigrationView view;
        view.setCases({none});
        showIt(view);
        auto* table = view.findChild<QTableWidget*>(QStringLiteral("migrationTable"));
        QCOMPARE(table->item(0, 5)->text(), none.obstacle);
        QVERIFY(!view.findChild<QToolButton*>(QStringLiteral("exportMigration"))->isEnabled());
        QTest::keyClick(&view, Qt::Key_W);
    }

    void allDrawingsAreWrittenInEveryFormat() {
        const MigrationCase shown = migrationCase();
        for (const double widthMm : {88.9, 181.9}) {
            const DrawingLook look{.widthMm = widthMm};
            for (const Figure& figure :
                 {drawRound(*study(), 0, look).figure, drawThroughput(points(), look).figure,
                  drawUtilisation({row(QStringLiteral("a"), 0.6, 0.3)}, look).figure,
                  drawMigration(shown, migrationRange(*shown.migration), look).figure}) {
                QVERIFY(figure.heightMm > 10 && figure.heightMm < 200);
                QVERIFY(writeSvg(figure).contains("<svg"));
                QVERIFY(writePdf(figure).startsWith("%PDF"));
                QVERIFY(writeTikz(figure).contains("tikzpicture"));
                QVERIFY(writePng(figure, 72).startsWith("\x89PNG"));
            }
        }
        QVERIFY_EXCEPTION_THROWN(drawThroughput({}, {}), std::invalid_argument);
    }
};

STAGECRAFT_TEST(VpipeViewsTest)
#include "vpipe_views_test.moc"
