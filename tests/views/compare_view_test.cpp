#include "core/base/units.h"
#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"
#include "core/runs/standing.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/figures_sample_run.h"
#include "tests/views/view_tests.h"
#include "views/common/theme.h"
#include "views/compare/bubble_memory_chart.h"
#include "views/compare/compare_model.h"
#include "views/compare/compare_view.h"
#include "views/compare/plan_details.h"
#include "views/compare/trade_off_chart.h"

#include <QToolButton>
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTextBrowser>

using namespace stagecraft;

namespace {

const int timeColumn = CompareModel::columnOf("iteration_time_s");
const int speedUpColumn = CompareModel::columnOf("speedup_over_reference");
const int againstColumn = CompareModel::columnOf("time_against_reference");
const int throughputColumn = CompareModel::columnOf("throughput_samples_per_s");
const int bubbleColumn = CompareModel::columnOf("bubble_fraction");
const int memoryColumn = CompareModel::columnOf("tightest_peak_bytes");
const int boundColumn = CompareModel::columnOf("plan_bound_s");
const int gapColumn = CompareModel::columnOf("gap_to_plan_bound");
const int stagesColumn = CompareModel::columnOf("stages");
const int planningColumn = CompareModel::columnOf("planning_time_s");

std::shared_ptr<PlanRun> named(const char* name, const char* planner, double iterationTimeS) {
    auto run = sample::run(iterationTimeS);
    run->result.plan.name = name;
    run->result.plan.planner = planner;
    return run;
}

std::shared_ptr<PlanRun> infeasible() {
    auto run = std::make_shared<PlanRun>();
    run->costs = sample::costs();
    run->result.status = PlanStatus::infeasible;
    run->result.reason = "stage 1 needs 18.0 GiB of 16.0 GiB on s0g2";
    run->result.plan.name = "Tight";
    return run;
}

std::shared_ptr<PlanRun> tooLarge() {
    auto run = named("Large", "gpipe", 0.4);
    auto evaluation = std::make_shared<Evaluation>(*run->evaluation);
    evaluation->metrics.fitsMemory = false;
    evaluation->metrics.devices[1].peakMemoryBytes = 18.0 * 1024 * 1024 * 1024;
    evaluation->metrics.excesses = {{1, 0.04, 2.0 * 1024 * 1024 * 1024, MemoryKind::activations}};
    evaluation->violations = {{Rule::memoryLimit, "device s0g1 holds 18 GiB of 16 GiB at 0.04 s", noBlock}};
    run->evaluation = evaluation;
    return run;
}

std::shared_ptr<PlanRun> spp() {
    auto run = named("SPP", "spp", 0.25);
    for (int stages = 1; stages <= 3; ++stages)
        run->result.attempts.push_back(
            {stages, 0.5 / stages, 0.2 + 0.05 * std::abs(stages - 2), {}, stages == 2});
    run->result.guarantees = {{"Lemma 1", 0.9, 0, "(M + 4|S| - 4) C + max A", true},
                              {"Theorem 1", 0, 6.5, "(2 + (4V - 4)/M)(1 + 0.5)", true}};
    run->result.notes = {"All three devices are used & none twice"};
    return run;
}

/// In the order in which a project might hold them: not sorted.
PlanRuns everyStatus() { return {named("GPipe", "gpipe", 0.5), infeasible(), spp(), tooLarge()}; }

std::string headingOf(const QTableView& table, int column) {
    return table.model()->headerData(column, Qt::Horizontal).toString().toStdString();
}

/// From the menu at the first row, with the mouse.
void chooseCopy(QTableView& table, const TableFormat& format) {
    const QPoint at = table.visualRect(table.model()->index(0, 0)).center();
    emit table.customContextMenuRequested(at);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu);
    QMenu* copies = nullptr;
    for (QAction* action : menu->actions())
        if (action->text() == QLatin1String("Copy table as")) copies = action->menu();
    QVERIFY(copies);
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(copies->menuAction()).center());
    QTRY_VERIFY(copies->isVisible());
    for (QAction* action : copies->actions())
        if (action->text() == QString::fromStdString(std::string(format.title)))
            QTest::mouseClick(copies, Qt::LeftButton, {}, copies->actionGeometry(action).center());
    QVERIFY(!copies->isVisible());
}

QStringList plansShown(const CompareView& view) {
    QStringList names;
    const QAbstractItemModel* model = view.findChild<QTableView*>("compareTable")->model();
    for (int row = 0; row < model->rowCount(); ++row) names << cell(*model, row, CompareModel::planColumn);
    return names;
}

}  // namespace

class CompareViewTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void modelAndItsOrderKeepTheRulesOfItemModels() {
        CompareModel model;
        CompareOrder order;
        order.setSourceModel(&model);
        QAbstractItemModelTester modelTester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QAbstractItemModelTester orderTester(&order, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRuns(everyStatus());
        order.sort(timeColumn, Qt::DescendingOrder);
        QCOMPARE(order.rowCount(), 4);
        model.setRuns({});
        QCOMPARE(order.rowCount(), 0);
        model.setRuns(everyStatus());
    }

    void cellsShowTheNumbersOfTheMetrics() {
        CompareModel model;
        const PlanRuns runs = everyStatus();
        model.setRuns(runs);
        for (const int row : {0, 2, 3}) {
            const Metrics& metrics = runs[std::size_t(row)]->evaluation->metrics;
            QCOMPARE(cell(model, row, timeColumn),
                     QString::fromStdString(formatSeconds(metrics.iterationTimeS)));
            QCOMPARE(cell(model, row, bubbleColumn),
                     QString::fromStdString(formatPercent(metrics.bubbleFraction)));
            QCOMPARE(cell(model, row, boundColumn),
                     QString::fromStdString(formatSeconds(metrics.planBound.seconds)));
            QCOMPARE(cell(model, row, throughputColumn),
                     QString::fromStdString(formatNumber(metrics.throughputSamplesPerS)));
            QCOMPARE(cell(model, row, stagesColumn), QString("2"));
            QCOMPARE(cell(model, row, planningColumn), QString("4.00 ms"));
            QVERIFY(cell(model, row, boundColumn, Qt::ToolTipRole)
                        .contains(QString::fromStdString(metrics.planBound.because)));
        }
    }

    void differencesSayTheirDirection() {
        CompareModel model;
        model.setRuns({spp(), named("Slow", "gpipe", 0.3), named("Fast", "dapple", 0.2)});
        // The slowest that fits is what they are measured against, whoever planned it.
        QCOMPARE(cell(model, 0, againstColumn), QString("16.7 % shorter"));
        QCOMPARE(cell(model, 1, againstColumn), QString("reference"));
        QCOMPARE(cell(model, 2, againstColumn), QString("33.3 % shorter"));
        QCOMPARE(cell(model, 1, speedUpColumn), QString("1×"));
        QCOMPARE(cell(model, 2, speedUpColumn), QString("1.5×"));
        QCOMPARE(cell(model, 0, gapColumn), QString("+25.0 %"));
        QCOMPARE(cell(model, 2, gapColumn), QString("0 %"));
        model.setRuns({spp(), named("Slow", "gpipe", 0.3), named("Fast", "dapple", 0.2)}, 0);
        QCOMPARE(cell(model, 1, againstColumn), QString("20.0 % longer"));
        QCOMPARE(cell(model, 2, againstColumn), QString("20.0 % shorter"));
        QCOMPARE(cell(model, 2, speedUpColumn), QString("1.25×"));
        QVERIFY(cell(model, 2, speedUpColumn, Qt::ToolTipRole).contains("times as fast as SPP"));
    }

    void statusMemoryAndReasonsAreShown() {
        CompareModel model;
        model.setRuns(everyStatus());
        QCOMPARE(cell(model, 0, CompareModel::statusColumn), QString("ok"));
        QCOMPARE(cell(model, 1, CompareModel::statusColumn), QString("infeasible"));
        QVERIFY(
            cell(model, 1, CompareModel::statusColumn, Qt::ToolTipRole).contains("stage 1 needs 18.0 GiB"));
        QCOMPARE(cell(model, 3, CompareModel::statusColumn), QString("invalid"));
        QVERIFY(cell(model, 3, CompareModel::statusColumn, Qt::ToolTipRole).contains("device s0g1 holds"));
        QCOMPARE(cell(model, 0, memoryColumn), QString("9.40 of 16.0 GiB"));
        QCOMPARE(cell(model, 3, memoryColumn), QString("18.0 > 16.0 GiB"));
        QVERIFY(cell(model, 3, memoryColumn, Qt::ToolTipRole).contains("s0g1 lacks 2.00 GiB"));
        QCOMPARE(model.index(3, memoryColumn).data(Qt::ForegroundRole).value<QColor>(),
                 Theme::current().error);
        for (int column = timeColumn; column < model.columnCount(); ++column)
            QVERIFY(model.index(0, column).data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight);
    }

    void plansThatDoNotFitOrAreOutOfDateAreNeitherBestNorFirstNorAReference() {
        auto large = tooLarge();
        auto evaluation = std::make_shared<Evaluation>(*large->evaluation);
        evaluation->violations.clear();
        evaluation->metrics.iterationTimeS = 0.1;
        large->evaluation = evaluation;
        auto old = named("Old", "spp", 0.05);
        old->age = PlanAge::outOfDate;
        old->changed = "setup";
        const PlanRuns runs = {old, large, named("Slow", "gpipe", 0.3), named("Fast", "dapple", 0.2)};
        CompareModel model;
        model.setRuns(runs);
        QCOMPARE(cell(model, 0, CompareModel::statusColumn), QString("out of date"));
        QCOMPARE(cell(model, 1, CompareModel::statusColumn), QString("does not fit"));
        for (const int row : {0, 1})
            QVERIFY(model.index(row, CompareModel::statusColumn).data(Qt::ForegroundRole).value<QColor>() !=
                    Theme::current().ok);
        for (const int row : {0, 1})
            for (int column = 0; column < model.columnCount(); ++column)
                QVERIFY(!model.index(row, column).data(CompareModel::bestRole).toBool());
        QVERIFY(model.index(3, timeColumn).data(CompareModel::bestRole).toBool());
        QCOMPARE(cell(model, 0, speedUpColumn), QString("–"));
        QCOMPARE(cell(model, 0, againstColumn), QString("–"));
        QVERIFY(!model.index(0, timeColumn).data(CompareModel::barRole).isValid());
        QCOMPARE(model.headerData(againstColumn, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QString("vs Slow"));
        QCOMPARE(model.headerData(speedUpColumn, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QString("Speed-up"));
        CompareView view;
        view.resize(1400, 800);
        view.setRuns(runs);
        QCOMPARE(plansShown(view), QStringList({"Fast", "Slow", "Large", "Old"}));
    }

    void titlesSayWhatIsMeasuredAgainstAndAPersonChoosesIt() {
        CompareView view;
        view.resize(1400, 800);
        const PlanRuns runs = {spp(), named("Slow", "gpipe", 0.3), named("Fast", "dapple", 0.2)};
        view.setRuns(runs, {11, 12, 13});
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        auto* table = view.findChild<QTableView*>("compareTable");
        const auto title = [&](int column) {
            return table->model()->headerData(column, Qt::Horizontal).toString();
        };
        QCOMPARE(title(speedUpColumn), QString("Speed-up"));
        QCOMPARE(title(againstColumn), QString("vs Slow"));
        QSignalSpy chosen(&view, &CompareView::referenceChosen);
        QHeaderView* header = table->horizontalHeader();
        const QPoint at(header->sectionViewportPosition(speedUpColumn) + 4, 4);
        emit header->customContextMenuRequested(at);
        auto* menu = view.findChild<QMenu*>();
        QVERIFY(menu);
        for (QAction* it : menu->actions())
            if (it->text().endsWith("Fast")) it->trigger();
        menu->close();
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(view.reference(), 13);
        QCOMPARE(title(speedUpColumn), QString("Speed-up"));
        QCOMPARE(title(againstColumn), QString("vs Fast"));
        const auto shown = [&](int row, int column) {
            return table->model()->index(row, column).data().toString();
        };
        QCOMPARE(shown(0, speedUpColumn), QString("1×"));
        QCOMPARE(shown(2, againstColumn), QString("50.0 % longer"));
        // The plan is known by its id: its place among the others does not matter.
        view.setRuns({runs[2], runs[0]}, {13, 11});
        QCOMPARE(title(againstColumn), QString("vs Fast"));
        view.setRuns({runs[0], runs[1]}, {11, 12});
        QCOMPARE(title(againstColumn), QString("vs Slow"));
    }

    void aLongNameIsCutAfterAWordInTitlesAndWholeInTheirTips() {
        const std::pair<const char*, const char*> names[] = {{"Data parallelism", "vs Data parallelism"},
                                                             {"vPipe, swap alone", "vs vPipe, swap…"},
                                                             {"Hand-made plan of mine", "vs Hand-made plan…"},
                                                             {"HetPipe2", "vs HetPipe2"}};
        for (const auto& [name, title] : names) {
            CompareModel model;
            model.setRuns({named(name, "gpipe", 0.3), named("Fast", "dapple", 0.2)});
            QCOMPARE(model.headerData(againstColumn, Qt::Horizontal, Qt::DisplayRole).toString(),
                     QString(title));
            QVERIFY(
                model.headerData(againstColumn, Qt::Horizontal, Qt::ToolTipRole).toString().contains(name));
        }
    }

    void aValueThatIsMissingSaysWhy() {
        CompareModel model;
        model.setRuns(everyStatus());
        QCOMPARE(cell(model, 1, timeColumn, Qt::ToolTipRole),
                 QString("No plan (stage 1 needs 18.0 GiB of 16.0 GiB on s0g2)."));
    }

    void detailsGoBelowTheChartsWhereBothHaveNoRoomBesideEachOther() {
        for (const int width : {470, 1000}) {
            CompareView view;
            view.resize(width, 600);
            view.setRuns(everyStatus());
            view.show();
            QVERIFY(QTest::qWaitForWindowExposed(&view));
            QVERIFY(view.findChild<QTextBrowser*>("planDetails")->width() >= 300);
        }
    }

    void detailsSayHowAPlanDiffersFromTheReference() {
        CompareView view;
        view.setRuns(everyStatus());
        auto* details = view.findChild<QTextBrowser*>("planDetails");
        QVERIFY2(details->toPlainText().contains("than GPipe"), qPrintable(details->toPlainText()));
        view.selectPlan(0);
        QVERIFY(!details->toPlainText().contains("than GPipe"));
        view.setReference(3);
        QVERIFY(details->toPlainText().contains("than SPP"));
    }

    void attemptsOfAPlanThatIsOutOfDateAreMarkedInTheirChart() {
        CompareView view;
        auto run = spp();
        view.setRuns({run});
        auto* chart = view.findChild<TradeOffChart*>();
        QCOMPARE(chart->title(), QString("Stages tried by SPP"));
        auto old = std::make_shared<PlanRun>(*run);
        old->age = PlanAge::outOfDate;
        view.setRuns({old});
        QCOMPARE(chart->title(), QString("Stages tried by SPP (out of date)"));
    }

    void theBestOfAColumnIsMarkedAndAColumnOfEqualsIsNot() {
        CompareModel model;
        model.setRuns(everyStatus());
        const auto best = [&](int row, int column) {
            return model.index(row, column).data(CompareModel::bestRole).toBool();
        };
        QVERIFY(best(2, timeColumn) && !best(0, timeColumn));
        QVERIFY(best(2, speedUpColumn) && best(2, throughputColumn));
        QVERIFY(!best(1, timeColumn));
        for (int row = 0; row < 4; ++row) QVERIFY(!best(row, bubbleColumn));
        QVERIFY(std::abs(model.index(2, timeColumn).data(CompareModel::barRole).toDouble() - 0.5) < 1e-12);
    }

    void fastestComesFirstAndPlansWithoutTimeStayLastInBothDirections() {
        CompareView view;
        view.resize(1400, 800);
        view.setRuns(everyStatus());
        QCOMPARE(plansShown(view), QStringList({"SPP", "GPipe", "Large", "Tight"}));
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        auto* header = view.findChild<QTableView*>("compareTable")->horizontalHeader();
        const auto click = [&](int column) {
            QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                              {header->sectionViewportPosition(column) + header->sectionSize(column) / 2,
                               header->height() / 2});
        };
        click(timeColumn);
        QCOMPARE(plansShown(view), QStringList({"GPipe", "Large", "SPP", "Tight"}));
        click(CompareModel::planColumn);
        QCOMPARE(plansShown(view), QStringList({"GPipe", "Large", "SPP", "Tight"}));
    }

    void allColumnsFitAThousandPixelsWithoutScrolling() {
        CompareView view;
        PlanRuns runs = everyStatus();
        runs.push_back(named("Data parallelism", "data-parallel", 1.2345));
        view.setRuns(runs);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        auto* table = view.findChild<QTableView*>("compareTable");
        const auto* header = table->horizontalHeader();
        for (const int width : {1000, 1400, 1000}) {
            view.resize(width, 700);
            QTest::qWait(1);
            QVERIFY2(header->length() <= table->viewport()->width(),
                     qPrintable(QString("%1 of %2").arg(header->length()).arg(table->viewport()->width())));
            for (int column = CompareModel::statusColumn; column < header->count(); ++column) {
                if (header->isSectionHidden(column)) continue;
                const QString title = header->model()->headerData(column, Qt::Horizontal).toString();
                QVERIFY2(table->columnWidth(column) >= header->fontMetrics().horizontalAdvance(title) + 12,
                         qPrintable(title));
                for (int row = 0; row < table->model()->rowCount(); ++row)
                    QVERIFY(table->columnWidth(column) >=
                            table->sizeHintForIndex(table->model()->index(row, column)).width());
            }
        }
    }

    void plansNamesAreReadWholeHoweverNarrowTheTable() {
        CompareView view;
        PlanRuns runs = everyStatus();
        runs.push_back(named("Data parallelism", "data-parallel", 1.2345));
        runs.push_back(named("PipeDream (edited)", "pipedream", 1.3));
        view.setRuns(runs);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        auto* table = view.findChild<QTableView*>("compareTable");
        for (const int width : {420, 640, 1400}) {
            view.resize(width, 700);
            QTest::qWait(1);
            for (int row = 0; row < table->model()->rowCount(); ++row) {
                const QModelIndex name = table->model()->index(row, CompareModel::planColumn);
                QVERIFY2(
                    table->columnWidth(CompareModel::planColumn) >= table->sizeHintForIndex(name).width(),
                    qPrintable(QString("%1 at %2").arg(name.data().toString()).arg(width)));
            }
        }
    }

    void enterAndDoubleClickActivateThePlanOfTheRow() {
        CompareView view;
        view.resize(1400, 800);
        view.setRuns(everyStatus());
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        auto* table = view.findChild<QTableView*>("compareTable");
        QSignalSpy activated(&view, &CompareView::planActivated);
        QSignalSpy selected(&view, &CompareView::planSelected);
        QCOMPARE(view.selectedPlan(), 2);
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Down);
        QCOMPARE(view.selectedPlan(), 0);
        QCOMPARE(selected.takeLast().first().toInt(), 0);
        QTest::keyClick(table, Qt::Key_Return);
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated.takeLast().first().toInt(), 0);
        const QPoint third = table->visualRect(table->model()->index(2, CompareModel::planColumn)).center();
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, third);
        QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, third);
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated.takeLast().first().toInt(), 3);
    }

    void copyingGivesTheTableAsItIsSorted() {
        CompareView view;
        view.setRuns(everyStatus());
        auto* table = view.findChild<QTableView*>("compareTable");
        QTest::keySequence(table, QKeySequence::Copy);
        const QStringList lines = QGuiApplication::clipboard()->text().split('\n');
        QCOMPARE(lines.size(), 6);
        QVERIFY(lines[0].startsWith("Plan\tStatus\tIteration\t"));
        QVERIFY(lines[1].startsWith("SPP\tok\t250 ms\t2×\t50.0 % shorter\t"));
        QVERIFY(lines[4].startsWith("Tight\tinfeasible: stage 1 needs 18.0 GiB of 16.0 GiB on s0g2\t–\t"));
    }

    void utilisationHasAColumnWhereItIsKnown() {
        const Project project = openProject(STAGECRAFT_SOURCE_DIR "/samples/llama-3-8b.stagecraft.json");
        const auto costs = std::make_shared<const CostModel>(project.problem);
        const auto known = std::make_shared<const PlanRun>(evaluatePlan(costs, project.plans.front()));
        CompareView view;
        view.show();
        auto* table = view.findChild<QTableView*>("compareTable");
        const int column = CompareModel::columnOf("mfu");
        view.setRuns(everyStatus());
        QVERIFY(table->isColumnHidden(column));
        view.setRuns({known});
        QVERIFY(!table->isColumnHidden(column) && table->columnWidth(column) > 20);
        QVERIFY(table->model()->index(0, column).data().toString().endsWith(QLatin1String(" %")));
        view.setRuns(everyStatus());
        QVERIFY(table->isColumnHidden(column));
    }

    void aCopyIsTheTableAsItIsShown() {
        CompareView view;
        view.resize(1400, 800);
        view.setRuns(everyStatus());
        view.show();
        auto* table = view.findChild<QTableView*>("compareTable");
        table->setColumnHidden(bubbleColumn, true);
        table->horizontalHeader()->moveSection(table->horizontalHeader()->visualIndex(memoryColumn), 1);
        const TextCells cells = view.cells();
        QCOMPARE(int(cells.columns.size()),
                 table->model()->columnCount() - table->horizontalHeader()->hiddenSectionCount());
        QCOMPARE(cells.columns[1].heading, headingOf(*table, memoryColumn));
        for (const TextCells::Column& column : cells.columns)
            QVERIFY(column.heading != headingOf(*table, bubbleColumn));
        QCOMPARE(cells.rows[0][0], std::string("SPP"));
        QCOMPARE(cells.rows[0][1], std::string("9.40 of 16.0 GiB"));
        QCOMPARE(cells.rows[3][2], std::string("infeasible: stage 1 needs 18.0 GiB of 16.0 GiB on s0g2"));
        for (const TableFormat& format : tableFormats()) {
            chooseCopy(*table, format);
            QCOMPARE(QGuiApplication::clipboard()->text().toStdString(), format.write(cells));
        }
    }

    void selectionStaysOnItsPlanWhenMoreArrive() {
        CompareView view;
        PlanRuns runs = everyStatus();
        view.setRuns(runs);
        view.selectPlan(0);
        runs.insert(runs.begin(), named("New", "pipedream", 0.1));
        view.setRuns(runs);
        QCOMPARE(view.selectedPlan(), 1);
        QCOMPARE(plansShown(view).first(), QString("New"));
        runs.erase(runs.begin() + 1);
        view.setRuns(runs);
        QCOMPARE(view.selectedPlan(), 0);
    }

    void anEmptyViewOffersToPlan() {
        CompareView view;
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QSignalSpy requested(&view, &CompareView::planningRequested);
        auto* button = view.findChild<QPushButton*>("runPlanners");
        QVERIFY(button->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(requested.count(), 1);
        view.setRuns(everyStatus());
        QVERIFY(!button->isVisible());
        view.setRuns({});
        QVERIFY(button->isVisible());
    }

    void aClickOnAPointOfTheTradeOffNamesItsNumberOfStages() {
        CompareView view;
        view.resize(1400, 800);
        view.setRuns(everyStatus());
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        auto* chart = view.findChild<TradeOffChart*>("tradeOffChart");
        QCOMPARE(chart->attemptCount(), 3);
        QSignalSpy activated(&view, &CompareView::attemptActivated);
        QTest::mouseClick(chart, Qt::LeftButton, {}, chart->pointOf(3).toPoint());
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated.first()[0].toInt(), 2);
        QCOMPARE(activated.first()[1].toInt(), 3);
        QTest::mouseClick(chart, Qt::LeftButton, {}, QPoint(2, 2));
        QCOMPARE(activated.count(), 1);
        chart->setFocus();
        QTest::keyClick(chart, Qt::Key_Left);
        QTest::keyClick(chart, Qt::Key_Enter);
        QCOMPARE(activated.last()[1].toInt(), 2);
    }

    void plansAreShownByBubblesAndMemoryAndAClickSelectsOne() {
        CompareView view;
        view.resize(1400, 800);
        view.setRuns(everyStatus());
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        auto* chart = view.findChild<BubbleMemoryChart*>("bubbleMemoryChart");
        QVERIFY(!chart->isVisible());  // a planner has tried several numbers of stages
        QTest::mouseClick(view.findChild<QToolButton*>("showBubbles"), Qt::LeftButton);
        QVERIFY(chart->isVisible());
        int compared = 0, other = -1;
        const auto runs = everyStatus();
        for (std::size_t run = 0; run < runs.size(); ++run) {
            const PlanRun& it = *runs[run];
            QCOMPARE(!chart->pointOf(static_cast<int>(run)).isNull(), it.ok() && isCompared(it));
            if (!it.ok() || !isCompared(it)) continue;
            ++compared;
            if (static_cast<int>(run) != view.selectedPlan()) other = static_cast<int>(run);
        }
        QCOMPARE(chart->pointCount(), compared);
        QVERIFY(other >= 0);
        QTest::mouseClick(chart, Qt::LeftButton, {}, chart->pointOf(other).toPoint());
        QCOMPARE(view.selectedPlan(), other);
        view.selectPlan(0);
        QVERIFY(chart->isVisible());  // what a person chose stays
    }

    void theTradeOffMarksWhatWasChosenAndGrowsWithTime() {
        TradeOffChart chart;
        chart.resize(600, 300);
        auto attempts = spp()->result.attempts;
        attempts.push_back({4, INFINITY, INFINITY, {}, false});
        chart.setAttempts(attempts, "SPP");
        QCOMPARE(chart.attemptCount(), 3);
        QVERIFY(chart.pointOf(2).y() > chart.pointOf(1).y());  // a shorter makespan is lower
        QVERIFY(chart.pointOf(1).x() < chart.pointOf(2).x());
        QVERIFY(chart.pointOf(4).isNull());
        const QImage image = chart.grab().toImage();
        const auto ringed = [&](int stages) {
            const QPointF point = chart.pointOf(stages);
            int accents = 0;
            for (int dx = -11; dx <= 11; ++dx)
                for (int dy = -11; dy <= 11; ++dy)
                    accents +=
                        image.pixelColor(int(point.x()) + dx, int(point.y()) + dy) == Theme::current().accent;
            return accents > 15;
        };
        QVERIFY(ringed(2));
        QVERIFY(!ringed(1) && !ringed(3));
    }

    void detailsNameGuaranteesBoundsPathAndNotes() {
        CompareView view;
        view.setRuns(everyStatus());
        const QString text = view.findChild<QTextBrowser*>("planDetails")->toPlainText();
        for (const char* part :
             {"Lemma 1", "250 ms ≤ 900 ms", "(M + 4|S| - 4) C + max A", "Theorem 1", "6.5× the optimum",
              "stage 0: 0.12 s of work", "all work over the sum of speeds", "Critical path (9 blocks)",
              "80.0 %", "All three devices are used & none twice"})
            QVERIFY2(text.contains(part), qPrintable(part + ("\nnot in\n" + text)));
        view.selectPlan(3);
        const QString large = view.findChild<QTextBrowser*>("planDetails")->toPlainText();
        QVERIFY(large.contains("s0g1") && large.contains("+2.00 GiB") &&
                large.contains("most of it is activations"));
        view.selectPlan(1);
        QVERIFY(
            view.findChild<QTextBrowser*>("planDetails")->toPlainText().contains("stage 1 needs 18.0 GiB"));
    }

    void devicesThatExceedAlikeShareARow() {
        auto run = tooLarge();
        auto evaluation = std::make_shared<Evaluation>(*run->evaluation);
        MemoryExcess other = evaluation->metrics.excesses.front();
        evaluation->metrics.excesses.push_back(other);
        evaluation->metrics.excesses.back().device = 2;
        run->evaluation = evaluation;
        QVERIFY(planDetails(*run).contains(QString::fromUtf8("s0g1 … s0g2 (×2)")));
        other.excessBytes *= 2;
        evaluation->metrics.excesses.back() = other;
        QVERIFY(!planDetails(*run).contains(QString::fromUtf8("(×2)")));
    }

    void aChangeOfThemeRepaintsTheDetails() {
        CompareView view;
        view.setRuns(everyStatus());
        applyTheme(*qApp, ThemeChoice::dark);
        QApplication::processEvents();
        const QString html = planDetails(*everyStatus()[2]);
        QVERIFY(html.contains(Theme::night().mutedText.name()));
        QVERIFY(
            view.findChild<QTextBrowser*>("planDetails")->toHtml().contains(Theme::night().mutedText.name()));
        applyTheme(*qApp, ThemeChoice::light);
        QApplication::processEvents();
        QVERIFY(
            view.findChild<QTextBrowser*>("planDetails")->toHtml().contains(Theme::light().mutedText.name()));
    }
};

STAGECRAFT_TEST(CompareViewTest)
#include "compare_view_test.moc"
