// The training tab's charts and tables, fed by hand.
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/view_tests.h"
#include "views/common/theme.h"
#include "views/figures/figure_writers.h"
#include "views/figures/painter_writer.h"
#include "views/training/curve_chart.h"
#include "views/training/curve_legend.h"
#include "views/training/curves_figure.h"
#include "views/training/policy_style.h"
#include "views/training/policy_table.h"
#include "views/training/training_view.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QToolTip>

#include <malloc.h>

using namespace stagecraft;
using namespace stagecraft::training;

namespace {

/// A loss that falls from 2 by `factor` an epoch; each seed a little higher than the one before.
PolicyRuns falling(Policy policy, double factor, int epochs, int seeds) {
    PolicyRuns runs;
    runs.policy = policy;
    runs.staleness = {{1, 1, 0, 0}, {0, 0, 0, 0}};
    for (int seed = 0; seed < seeds; ++seed) {
        TrainingRun& run = runs.runs.emplace_back();
        double loss = 2 + 0.1 * seed;
        for (int epoch = 1; epoch <= epochs; ++epoch) {
            loss *= factor;
            run.epochs.push_back({epoch, loss, 1 - loss / 4, loss * 1.1, 1 - loss / 3});
            run.addBatchLoss(2 * epoch - 2, loss * 1.05);
            run.addBatchLoss(2 * epoch - 1, loss);
        }
    }
    return runs;
}

TrainingShown shownRuns(int epochs = 4, int seeds = 3) {
    PolicyRuns refused;
    refused.policy = Policy::doubleBuffer;
    refused.refusal = "it wants more microbatches";
    return {{falling(Policy::synchronous, 0.5, epochs, seeds), falling(Policy::stashing, 0.7, epochs, seeds),
             refused, falling(Policy::xpipe, 0.6, epochs, seeds)},
            "SPP",
            "Digits and a perceptron.",
            epochs,
            seeds};
}

QByteArray curvesSvg(const CurvesOptions& options) {
    return writeSvg(curvesFigure(shownRuns().runs, options));
}

}  // namespace

class TrainingViewTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void samplesOfCurvesThatArePaintedOverAndOverTakeNoMoreMemory() {
        QListWidget list;
        list.addItem(QStringLiteral("XPipe"));
        list.setIconSize(policySampleSize);
        list.show();
        const auto paint = [&list] {
            for (int times = 0; times < 200; ++times) {
                list.item(0)->setIcon(policySample(Policy::xpipe));
                list.grab();
            }
            return mallinfo2().uordblks;
        };
        paint();
        const std::size_t before = paint(), after = paint();
        constexpr std::size_t most = 64 << 10;
        QVERIFY2(after < before + most, qPrintable(QString::number(after - before)));
        const QImage shown = policySample(Policy::xpipe).pixmap(policySampleSize).toImage();
        QCOMPARE(shown.size(), policySampleSize);
        const QColor middle = shown.pixelColor(4, policySampleSize.height() / 2);
        QCOMPARE(middle.name(), policyStroke(Policy::xpipe, Theme::current().text, 1).colour.name());
    }

    void modelsKeepTheRulesOfItemModels() {
        PolicyTable table;
        StalenessTable staleness;
        using Mode = QAbstractItemModelTester::FailureReportingMode;
        QAbstractItemModelTester tableTester(&table, Mode::QtTest), stalenessTester(&staleness, Mode::QtTest);
        for (const TrainingShown& shown : {shownRuns(), shownRuns(1, 1), TrainingShown(), shownRuns(2, 5)}) {
            table.setRuns(shown.runs, shown.seeds);
            staleness.setRuns(shown.runs);
        }
        QCOMPARE(table.rowCount(), 4);
        QCOMPARE(staleness.rowCount(), 3);
        QCOMPARE(staleness.columnCount(), 3);
    }

    void theTableShowsWhatTheSummariesSay() {
        PolicyTable table;
        const TrainingShown shown = shownRuns();
        table.setRuns(shown.runs, 3);
        const PolicySummary summary = summaryOf(shown.runs[1]);
        QCOMPARE(cell(table, 1, PolicyTable::leastLossColumn),
                 QStringLiteral("%1 ± %2")
                     .arg(summary.leastLoss.mean, 0, 'f', 3)
                     .arg(summary.leastLoss.deviation, 0, 'f', 3));
        QCOMPARE(cell(table, 0, PolicyTable::accuracyDifferenceColumn), QString(QChar(0x2013)));
        QVERIFY(cell(table, 1, PolicyTable::accuracyDifferenceColumn).startsWith(QChar(0x2212)));
        QVERIFY(cell(table, 1, PolicyTable::lossDifferenceColumn).startsWith('+'));
        QCOMPARE(cell(table, 2, PolicyTable::runsColumn), QStringLiteral("left out"));
        QCOMPARE(cell(table, 2, PolicyTable::runsColumn, Qt::ToolTipRole),
                 QStringLiteral("it wants more microbatches"));
        QVERIFY(cell(table, 1, PolicyTable::leastLossColumn, Qt::ToolTipRole).contains("standard error"));
    }

    void runsThatDivergeAreNamed() {
        TrainingShown shown = shownRuns();
        shown.runs[1].runs[2].epochs.back().validationLoss = NAN;
        PolicyTable table;
        table.setRuns(shown.runs, 3);
        QCOMPARE(cell(table, 1, PolicyTable::runsColumn), QStringLiteral("1 of 3 diverged"));
        CurveChart chart;
        chart.resize(600, 300);
        chart.setCurves(shown.runs, {});
        QVERIFY(chart.describe(0, 4).contains("1&nbsp;diverged"));
    }

    void curvesOfPoliciesDifferInGreyToo() {
        std::vector<std::vector<double>> dashes;
        for (const PolicyDescription& about : policies()) {
            const Stroke stroke = policyStroke(about.policy, Qt::black, 1);
            QVERIFY(std::find(dashes.begin(), dashes.end(), stroke.dashMm) == dashes.end());
            dashes.push_back(stroke.dashMm);
        }
    }

    void aFigureHoldsACurveForEachPolicyThatIsShown() {
        CurvesOptions options;
        const auto curves = [](const Figure& figure, const char* role) {
            return std::count_if(figure.items.begin(), figure.items.end(), [&](const FigureItem& item) {
                const auto* polygon = std::get_if<FigurePolygon>(&item);
                return polygon && polygon->role.starts_with(role);
            });
        };
        const Figure all = curvesFigure(shownRuns().runs, options);
        QCOMPARE(curves(all, "curve"), 2 * 3);
        QCOMPARE(curves(all, "band"), 2 * 3 * 3);  // filled, and two edges
        QVERIFY(all.heightMm > 40);
        options.hidden = {Policy::stashing};
        options.band = CurveBand::none;
        const Figure fewer = curvesFigure(shownRuns().runs, options);
        QCOMPARE(curves(fewer, "curve"), 2 * 2);
        QCOMPARE(curves(fewer, "band"), 0);
        QVERIFY_EXCEPTION_THROWN(curvesFigure({}, options), std::invalid_argument);
        options.measures.clear();
        QVERIFY_EXCEPTION_THROWN(curvesFigure(shownRuns().runs, options), std::invalid_argument);
    }

    void everyChoiceChangesTheFigure() {
        std::set<QByteArray> different = {curvesSvg({})};
        CurvesOptions options;
        const auto isNew = [&](const CurvesOptions& changed) {
            return different.insert(curvesSvg(changed)).second;
        };
        options.band = CurveBand::range;
        QVERIFY(isNew(options));
        options.logarithmic = false;
        QVERIFY(isNew(options));
        options.grey = true;
        QVERIFY(isNew(options));
        options.widthMm = 181.9;
        QVERIFY(isNew(options));
        options.measures = {Measure::batchLoss};
        QVERIFY(isNew(options));
        options.legend = false;
        QVERIFY(isNew(options));
        QCOMPARE(curvesSvg(options), curvesSvg(options));
    }

    void everyFormatTakesCurvesOfAnyShape() {
        TrainingShown shown = shownRuns(1, 1);
        shown.runs[0].runs[0].epochs[0].validationLoss = INFINITY;
        shown.runs[1].runs[0].epochs[0].validationLoss = 1e300;
        shown.runs[3].runs[0].epochs[0].validationLoss = 0;
        for (const bool logarithmic : {false, true}) {
            CurvesOptions options;
            options.logarithmic = logarithmic;
            options.measures = {Measure::validationLoss, Measure::trainingAccuracy, Measure::batchLoss};
            const Figure figure = curvesFigure(shown.runs, options);
            QVERIFY(!writeSvg(figure).isEmpty());
            QVERIFY(!writeTikz(figure, TikzDocument::standalone).isEmpty());
            QVERIFY(!writePdf(figure).isEmpty());
            QVERIFY(!writePng(figure, 100).isEmpty());
        }
    }

    void hoveringShowsTheNumbersOfAnEpoch() {
        CurveChart chart;
        chart.resize(800, 320);
        chart.setCurves(shownRuns().runs, {});
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        const QPointF point = chart.pointOf(0, Policy::stashing, 2);
        QVERIFY(!point.isNull());
        QTest::mouseMove(&chart, point.toPoint());
        QTRY_VERIFY(QToolTip::text().contains("after 3 epochs"));
        QVERIFY(QToolTip::text().contains("Weight stashing"));
        QVERIFY(!QToolTip::text().contains("Double"));
        // The same by keyboard.
        chart.setFocus();
        QTest::keyClick(&chart, Qt::Key_Right);
        QVERIFY(chart.accessibleDescription().contains("after 4 epochs"));
        QTest::keyClick(&chart, Qt::Key_Right);
        QVERIFY(chart.accessibleDescription().contains("after 4 epochs"));
        QTest::keyClick(&chart, Qt::Key_Left);
        QVERIFY(chart.accessibleDescription().contains("after 3 epochs"));
    }

    void theLegendHidesAndShowsAPolicy() {
        TrainingView view;
        view.resize(900, 700);
        view.setShown(shownRuns());
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QCOMPARE(view.chart()->panels()[0].curves.size(), std::size_t(3));
        auto* button = view.findChild<QToolButton*>("curve:stashing");
        QVERIFY(button);
        QVERIFY(!view.findChild<QToolButton*>("curve:2bw"));  // it was left out
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(view.chart()->panels()[0].curves.size(), std::size_t(2));
        QVERIFY(view.options().hidden.contains(Policy::stashing));
        view.setShown(shownRuns(5));  // what is hidden stays so while curves grow
        QCOMPARE(view.chart()->panels()[0].curves.size(), std::size_t(2));
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(view.chart()->panels()[0].curves.size(), std::size_t(3));
    }

    void measuresAreChosenAndOneAlwaysStays() {
        TrainingView view;
        view.setShown(shownRuns());
        view.show();
        QCOMPARE(view.chart()->panels().size(), std::size_t(2));
        const auto click = [&](const char* name) {
            QTest::mouseClick(view.findChild<QToolButton*>(name), Qt::LeftButton);
        };
        click("batchLoss");
        QCOMPARE(view.chart()->panels().size(), std::size_t(3));
        QCOMPARE(view.chart()->panels()[2].curves[0].points.size(), std::size_t(8));
        click("batchLoss");
        click("validationLoss");
        click("validationAccuracy");
        QCOMPARE(view.chart()->panels().size(), std::size_t(1));
        QVERIFY(view.findChild<QToolButton*>("validationAccuracy")->isChecked());
        click("logarithmicLoss");
        QVERIFY(!view.options().logarithmic);
    }

    void buttonsFollowWhatGoesOn() {
        TrainingView view;
        view.resize(900, 700);
        view.show();
        QSignalSpy start(&view, &TrainingView::startRequested), pause(&view, &TrainingView::pauseRequested);
        const auto button = [&](const char* name) { return view.findChild<QPushButton*>(name); };
        QVERIFY(button("firstStartTraining")->isVisible());
        QVERIFY(!button("pauseTraining")->isVisible());
        view.setObstacle("no GPU at all");
        QTest::mouseClick(button("firstStartTraining"), Qt::LeftButton);
        QCOMPARE(start.count(), 0);
        QVERIFY(view.findChild<QLabel*>("trainingObstacle")->text().contains("no GPU"));
        view.setObstacle({});
        QTest::mouseClick(button("firstStartTraining"), Qt::LeftButton);
        QCOMPARE(start.count(), 1);
        view.setShown(shownRuns());
        view.setActivity(TrainingView::Activity::running);
        QTest::mouseClick(button("pauseTraining"), Qt::LeftButton);
        QCOMPARE(pause.takeFirst().first().toBool(), true);
        view.setActivity(TrainingView::Activity::paused);
        QCOMPARE(button("pauseTraining")->text(), QStringLiteral("Resume"));
        QTest::mouseClick(button("pauseTraining"), Qt::LeftButton);
        QCOMPARE(pause.takeFirst().first().toBool(), false);
        view.setActivity(TrainingView::Activity::idle);
        QVERIFY(button("startTraining")->isVisible());
    }

    void theTableIsCopiedAndThePolicyDescribed() {
        TrainingView view;
        view.resize(900, 700);
        view.setShown(shownRuns());
        view.show();
        auto* table = view.findChild<QTableView*>("trainingResults");
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Down);
        const QString text = view.findChild<QLabel*>("policyText")->text();
        QVERIFY2(text.contains("Weight stashing") && text.contains("PipeDream"), qPrintable(text));
        QTest::keyClick(table, Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QGuiApplication::clipboard()->text().startsWith("Policy\tLeast loss"));
        QCOMPARE(QGuiApplication::clipboard()->text().count('\n'), 5);
    }
};

STAGECRAFT_TEST(TrainingViewTest)
#include "training_view_test.moc"
