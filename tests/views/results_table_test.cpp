// The table of an experiment's results: its order, its filter, and what it shares with the chart.

#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "tests/views/shown_results.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>

using namespace stagecraft;

class ResultsTableTest : public QObject {
    Q_OBJECT

private slots:
    void theTableSortsWithWhatHasNoNumberLast();
    void theFilterTakesWordsAndBounds();
    void chartAndTableShareTheirSelection();
    void theTableIsCopiedAsItStands();
    void printedNumbersStandBesideTheirMetric();
};

void ResultsTableTest::printedNumbersStandBesideTheirMetric() {
    const auto grid = std::make_shared<const Grid>(readExperiment(
        replaced(smallExperiment(), R"("claims": )",
                 R"("printed": [{"place": "Table 7", "metric": "iteration_time_s", "along": "microbatches",
                     "values": {"SPP": {"2": 4}, "GPipe": {"2": "OOM"}}}], "claims": )"),
        "test", {}));
    ResultsModel model;
    model.setResults(
        grid, std::make_shared<ResultsNumbers>(madeUp(*grid, [](const auto&, std::size_t) { return 3.0; })));
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    int time = 0;
    while (model.headerData(time, Qt::Horizontal, Qt::DisplayRole) != "Iteration time") ++time;
    QCOMPARE(model.headerData(time + 1, Qt::Horizontal, Qt::DisplayRole).toString(), QString("Printed"));
    QCOMPARE(model.headerData(time + 2, Qt::Horizontal, Qt::DisplayRole).toString(), QString("Over printed"));
    QCOMPARE(model.data(model.index(0, time + 1), Qt::DisplayRole).toString(), QString("4.00 s"));
    QCOMPARE(model.data(model.index(0, time + 2), Qt::DisplayRole).toString(), QString("0.75"));
    QCOMPARE(model.data(model.index(1, time + 1), Qt::DisplayRole).toString(), QString("out of memory"));
    QVERIFY(model.data(model.index(1, time + 2), Qt::DisplayRole).toString().isEmpty());
    QVERIFY(
        model.csv({0}).contains("iteration_time_s,iteration_time_s_printed,iteration_time_s_over_printed"));
    model.sort(time + 1, Qt::DescendingOrder);
    QCOMPARE(model.data(model.index(0, time + 1), Qt::DisplayRole).toString(), QString("4.00 s"));
}

void ResultsTableTest::theTableSortsWithWhatHasNoNumberLast() {
    Shown shown(ChartKind::lines);
    shown.pane.showTable(true);
    ResultsModel& model = shown.pane.table().model();
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    int time = -1;
    for (int column = 0; column < model.columnCount(); ++column)
        if (model.headerData(column, Qt::Horizontal, Qt::DisplayRole) == "Iteration time") time = column;
    QVERIFY(time > 0);
    const auto numbers = ResultsNumbers(shown.cells);
    for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        shown.pane.table().table().sortByColumn(time, order);
        QCOMPARE(model.rowCount(), static_cast<int>(shown.cells.size()));
        for (int row = 1; row < model.rowCount(); ++row) {
            const double above = numbers.at(metricIndex("iteration_time_s"), model.cellOf(row - 1));
            const double below = numbers.at(metricIndex("iteration_time_s"), model.cellOf(row));
            if (!std::isfinite(below)) continue;
            QVERIFY(std::isfinite(above));
            QVERIFY(order == Qt::AscendingOrder ? above <= below : above >= below);
        }
        QVERIFY(
            !std::isfinite(numbers.at(metricIndex("iteration_time_s"), model.cellOf(model.rowCount() - 1))));
    }
    // More results come in while it is sorted.
    shown.pane.addCell(0, {CellStatus::ok, "", {{"iteration_time_s", 1e6}}});
    shown.pane.refresh();
    QTRY_COMPARE(model.cellOf(0), std::size_t{0});
}

void ResultsTableTest::theFilterTakesWordsAndBounds() {
    Shown shown(ChartKind::lines);
    shown.pane.showTable(true);
    ResultsTable& table = shown.pane.table();
    const auto rowsOf = [&](const char* text) {
        table.filter().clear();
        QTest::keyClicks(&table.filter(), QLatin1String(text));
        return table.model().rowCount();
    };
    QCOMPARE(rowsOf(""), 8 * 6 * 2);
    QCOMPARE(rowsOf("gpipe"), 8 * 6);
    QCOMPARE(rowsOf("gpipe microbatches>=7"), 2 * 6);
    QCOMPARE(rowsOf("microbatches>6 microbatches<8 network=3"), 2);
    QCOMPARE(rowsOf("infeasible"), 2);
    QCOMPARE(rowsOf("iteration_time_s<=0.5 spp"), 9);
    QCOMPARE(rowsOf("no-such-word"), 0);
    QCOMPARE(rowsOf("iteration_time_s<=500ms spp"), 9);
    QCOMPARE(rowsOf("\"network\"=\"3\" \"spp"), 8);  // a quotation that is not ended yet
    QCOMPARE(rowsOf("=3"), 0);                       // a word as any other
    const auto mistakeIn = [&](const char* text) {
        return ResultsFilter(QString::fromUtf8(text), shown.grid).mistake();
    };
    QCOMPARE(mistakeIn("gpipe network=3 network=none"), QString());
    QCOMPARE(mistakeIn("colour=3"), QStringLiteral("no axis or metric is called “colour”"));
    QCOMPARE(mistakeIn("iteration_time_s<5GB"), QStringLiteral("“5GB” is no number"));
    QCOMPARE(mistakeIn("network>many"), QStringLiteral("“many” is no number"));
    QCOMPARE(mistakeIn("\"gp"), QStringLiteral("unterminated quotation mark"));
}

void ResultsTableTest::chartAndTableShareTheirSelection() {
    Shown shown(ChartKind::lines);
    shown.pane.showTable(true);
    ResultsChart& chart = shown.pane.chart();
    ResultsTable& table = shown.pane.table();
    QSignalSpy picked(&shown.pane, &ResultsPane::cellPicked);
    QTest::mouseClick(&chart, Qt::LeftButton, {}, shown.at(1, 3));
    const std::size_t cell = chart.series()[1].points[3].cells.front();
    QCOMPARE(table.model().cellOf(table.table().currentIndex().row()), cell);
    const int row = *table.model().rowOf(chart.series()[0].points[5].cells.front());
    table.table().scrollTo(table.model().index(row, 0));
    QTest::mouseClick(table.table().viewport(), Qt::LeftButton, {},
                      table.table().visualRect(table.model().index(row, 0)).center());
    QVERIFY(chart.selected() == (ResultsPlace{0, 5}));
    QTest::keyClick(&table.table(), Qt::Key_Return);
    QCOMPARE(picked.back().front().value<std::size_t>(), chart.series()[0].points[5].cells.front());
}

void ResultsTableTest::theTableIsCopiedAsItStands() {
    Shown shown(ChartKind::lines);
    shown.pane.showTable(true);
    ResultsTable& table = shown.pane.table();
    QTest::keyClicks(&table.filter(), QStringLiteral("gpipe network=2"));
    table.table().setFocus();
    QTest::keyClick(&table.table(), Qt::Key_C, Qt::ControlModifier);
    const QStringList lines = QApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 1 + 8);
    QVERIFY(lines[0].startsWith("microbatches,network,planner,iteration_time_s,status,"));
    QVERIFY2(lines[3].startsWith("3,2,GPipe,3,ok,"), qPrintable(lines[3]));
}

STAGECRAFT_TEST(ResultsTableTest)
#include "results_table_test.moc"
