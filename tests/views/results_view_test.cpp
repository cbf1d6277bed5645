// Results of an experiment: what charts show of them, and how a person reaches a point with mouse and keys.

#include "core/experiments/experiment_json.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/shown_results.h"
#include "tests/views/view_tests.h"
#include "views/common/theme.h"
#include "views/experiments/chart_bar.h"
#include "views/figures/colour_map.h"
#include "views/figures/figure_writers.h"
#include "views/figures/painter_writer.h"

#include <QTableView>
#include <QApplication>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

#include <QTimer>
#include <set>

using namespace stagecraft;

namespace {

QByteArray resultsSvg(const Grid& grid, const std::vector<CellResult>& cells, const ChartChoice& choice) {
    return writeSvg(resultsFigure(grid, cells, choice));
}

}  // namespace

class ResultsViewTest : public QObject {
    Q_OBJECT

private slots:
    void aSpreadHasTheQuartilesBetweenItsNumbers();
    void theFrontIsWhatNoPointOutdoes();
    void aRatioDividesSeedBySeed();
    void everyChartOfEveryKindIsTheSameInItsFile();
    void theKindIsChosenByTheAxes();
    void aHeatMapHatchesWhatHasNoPlanAndSaysSo();
    void coloursGrowLighterStepByStep();
    void aTitleHasAUnitOnlyWhereLabelsHaveNone();
    void withoutResultsNoNumbersStandOnAnAxis();
    void aFigureIsTheSameInEveryFormat();
    void everyPanelHasItsValue();
    void namesOfAxesNeverOverlap();
    void aLineGoesThroughAllOfItsPoints();
    void theWheelZoomsAtThePointerAndADragPans();
    void aDragPicksNothingAndAClickDoes();
    void theCardHasAllCoordinatesAndMetrics();
    void keysWalkTheRowsOfAHeatMap();
    void theMenuIsReachedByKey();
    void printedNumbersAreDrawnBesideTheResults();
    void printedNumbersAreDividedAsResultsAre();
    void aHeatMapHasADiamondInACellWhoseNumberIsPrinted();
    void underParetoADiamondIsWhereBothNumbersArePrinted();
    void theCardSaysWhereANumberIsPrinted();
};

namespace {

/// SPP and GPipe over two bandwidths; the source prints SPP's times, one where there is no plan here.
std::shared_ptr<const Grid> printedGrid() {
    const char axes[] = R"([{"name": "network", "pointer": "/cluster/links/0/bandwidth_Bps",
        "values": [{"label": "slow", "value": 1e9}, {"label": "fast", "value": 4e9}]}])";
    return std::make_shared<const Grid>(readExperiment(
        replaced(smallExperiment(axes), R"("claims": )",
                 R"("printed": [{"place": "Table 7", "metric": "iteration_time_s", "along": "network",
                     "values": {"SPP": {"slow": 4, "fast": 2}, "GPipe": {"slow": 8}}}], "claims": )"),
        "test", {}));
}
/// No plan fits for GPipe at slow.
double printedTimes(const std::vector<std::size_t>& at, std::size_t planner) {
    return planner == 1 && at[0] == 0 ? noTime : 3.0;
}
std::size_t drawnAs(const Figure& figure, const std::string& role) {
    return static_cast<std::size_t>(
        std::count_if(figure.items.begin(), figure.items.end(), [&](const FigureItem& item) {
            const auto* polygon = std::get_if<FigurePolygon>(&item);
            return polygon && polygon->closed && polygon->role == role;
        }));
}

}  // namespace

void ResultsViewTest::printedNumbersAreDrawnBesideTheResults() {
    const auto grid = printedGrid();
    const std::vector<CellResult> cells = madeUp(*grid, printedTimes);
    for (const ChartKind kind : {ChartKind::bars, ChartKind::lines}) {
        const Figure figure = resultsFigure(*grid, cells, choiceFor(*grid, kind));
        QCOMPARE(drawnAs(figure, "SPP printed"), std::size_t{2});
        QCOMPARE(drawnAs(figure, "GPipe printed"), std::size_t{1});  // though it has no plan there
        QCOMPARE(drawnAs(figure, "printed"), std::size_t{1});        // in the legend
        QVERIFY(writeSvg(figure).contains("printed in the paper"));
        // The axis reaches the printed 8 s, where results end at 3.
        QVERIFY(writeSvg(figure).contains(">8<"));
    }
    const auto none = gridOf(twoAxes(3, 2));
    QVERIFY(!resultsSvg(*none, madeUp(*none, plain), choiceFor(*none, ChartKind::bars)).contains("printed"));
}

void ResultsViewTest::printedNumbersAreDividedAsResultsAre() {
    const auto grid = printedGrid();
    ChartChoice choice = choiceFor(*grid, ChartKind::bars);
    choice.relativeTo = 0;
    const auto series = seriesOf(*grid, ResultsNumbers(madeUp(*grid, printedTimes)), choice);
    QCOMPARE(series[1].without.size(), std::size_t{1});
    QCOMPARE(series[1].without.front().printed, std::optional(2.0));  // 8 s over SPP's 4
    QCOMPARE(series[0].points.front().printed, std::optional(1.0));
    QVERIFY(!series[1].points.front().printed);
}

void ResultsViewTest::aHeatMapHasADiamondInACellWhoseNumberIsPrinted() {
    const auto grid = std::make_shared<const Grid>(readExperiment(
        replaced(smallExperiment(twoAxes(3, 2)), R"("claims": )",
                 R"("printed": [{"place": "Fig. 3", "metric": "iteration_time_s", "along": "microbatches",
                     "at": {"network": "2"}, "values": {"SPP": {"1": 4, "3": 50}}}], "claims": )"),
        "test", {}));
    const ChartChoice choice = choiceFor(*grid, ChartKind::heat);
    // A number at the first point, no plan at the other.
    const auto times = [](const std::vector<std::size_t>& at, std::size_t) {
        return at[0] == 2 ? noTime : 3.0;
    };
    const Figure figure = resultsFigure(*grid, madeUp(*grid, times), choice);
    QCOMPARE(drawnAs(figure, "cell printed"), std::size_t{2});
    QCOMPARE(drawnAs(figure, "printed"), std::size_t{1});  // in the legend
    QVERIFY(writeSvg(figure).contains("printed in the paper"));
    QVERIFY(writeSvg(figure).contains(">50<"));  // of the scale, which reaches what is printed
    // Filled as the cell would be with that number: unlike each other, and unlike the cells.
    std::set<QString> fills;
    for (const FigureItem& item : figure.items) {
        if (const auto* sign = std::get_if<FigurePolygon>(&item); sign && sign->role == "cell printed")
            fills.insert(sign->fill.colour.name());
        if (const auto* cell = std::get_if<FigureRectangle>(&item); cell && cell->role == "cell")
            fills.insert(cell->fill.colour.name());
    }
    QCOMPARE(fills.size(), std::size_t{3});
    const auto none = gridOf(twoAxes(3, 2));
    QVERIFY(!resultsSvg(*none, madeUp(*none, plain), choiceFor(*none, ChartKind::heat)).contains("printed"));
}

void ResultsViewTest::underParetoADiamondIsWhereBothNumbersArePrinted() {
    const char axes[] = R"([{"name": "network", "pointer": "/cluster/links/0/bandwidth_Bps",
        "values": [{"label": "slow", "value": 1e9}, {"label": "fast", "value": 4e9}]}])";
    const auto grid = std::make_shared<const Grid>(readExperiment(
        replaced(smallExperiment(axes), R"("claims": )",
                 R"("printed": [{"place": "Table 7", "metric": "iteration_time_s", "along": "network",
                     "values": {"SPP": {"slow": 4, "fast": 2}, "GPipe": {"slow": 8}}},
                    {"place": "Table 8", "metric": "peak_memory_bytes", "along": "network",
                     "values": {"SPP": {"slow": 4e9}, "GPipe": {"slow": 9e9, "fast": 1e9}}}], "claims": )"),
        "test", {}));
    ChartChoice choice = choiceFor(*grid, ChartKind::pareto);
    choice.metric = "iteration_time_s";
    choice.acrossMetric = "peak_memory_bytes";
    choice.fixed.assign(1, everyValue);
    const std::vector<CellResult> cells = madeUp(*grid, printedTimes);
    const auto series = seriesOf(*grid, ResultsNumbers(cells), choice);
    QCOMPARE(series[0].points.size(), std::size_t{2});
    QCOMPARE(series[1].without.size(), std::size_t{1});  // no plan, and both are printed
    QCOMPARE(series[1].without.front().printedAcross, std::optional(9e9));
    const Figure figure = resultsFigure(*grid, cells, choice);
    QCOMPARE(drawnAs(figure, "SPP printed"), std::size_t{1});
    QCOMPARE(drawnAs(figure, "GPipe printed"), std::size_t{1});
    QCOMPARE(drawnAs(figure, "printed"), std::size_t{1});
    const auto lines = std::count_if(figure.items.begin(), figure.items.end(), [](const FigureItem& item) {
        const auto* line = std::get_if<FigureLine>(&item);
        return line && line->role == "to printed";
    });
    QCOMPARE(lines, 1);                         // from SPP's plan at slow; GPipe has none there
    QVERIFY(writeSvg(figure).contains(">8<"));  // the axis reaches what is printed
}

void ResultsViewTest::theCardSaysWhereANumberIsPrinted() {
    const auto grid = printedGrid();
    ResultsChart chart;
    chart.setResults(grid, std::make_shared<ResultsNumbers>(madeUp(*grid, printedTimes)),
                     choiceFor(*grid, ChartKind::bars));
    const QString card = chart.describe({0, 0});
    QVERIFY2(card.contains("printed in Table 7"), qPrintable(card));
    QVERIFY2(card.contains("found over printed") && card.contains("0.75"), qPrintable(card));
}

void ResultsViewTest::aSpreadHasTheQuartilesBetweenItsNumbers() {
    std::vector<double> numbers = {4, 1, 3, 2};
    const Spread spread = Spread::of(numbers);
    QCOMPARE(spread.mean, 2.5);
    QCOMPARE(spread.least, 1.0);
    QCOMPARE(spread.lower, 1.75);
    QCOMPARE(spread.upper, 3.25);
    QCOMPARE(spread.most, 4.0);
    const auto grid = gridOf(twoAxes(3, 2, 4));
    const ResultsNumbers made(madeUp(*grid, [](const auto& at, std::size_t) { return 1.0 + double(at[2]); }));
    for (const ResultsSeries& series : seriesOf(*grid, made, choiceFor(*grid, ChartKind::lines)))
        for (const ResultsPoint& point : series.points) {
            QCOMPARE(point.spread.count, std::size_t{4});
            QCOMPARE(point.spread.lower, 1.75);
        }
}

void ResultsViewTest::theFrontIsWhatNoPointOutdoes() {
    const auto grid = gridOf(twoAxes(7, 6));
    std::vector<CellResult> cells = madeUp(*grid, plain);
    for (std::size_t cell = 0; cell < cells.size(); ++cell)
        cells[cell].metrics["peak_memory_bytes"] = static_cast<double>(cell * 7919 % 31);
    for (const char* metric : {"iteration_time_s", "throughput_samples_per_s"}) {
        ChartChoice choice = choiceFor(*grid, ChartKind::pareto);
        choice.metric = metric;
        const double sign = findMetric(metric)->lessIsBetter ? 1 : -1;
        const auto all = seriesOf(*grid, ResultsNumbers(cells), choice);
        std::vector<const ResultsPoint*> points;
        for (const ResultsSeries& series : all)
            for (const ResultsPoint& point : series.points) points.push_back(&point);
        QCOMPARE(points.size(), cells.size());
        for (const ResultsPoint* one : points) {
            const bool dominated = std::any_of(points.begin(), points.end(), [&](const ResultsPoint* other) {
                const double x = other->across.mean - one->across.mean;
                const double y = sign * (other->spread.mean - one->spread.mean);
                return x <= 0 && y <= 0 && (x < 0 || y < 0);
            });
            QCOMPARE(one->best, !dominated);
        }
    }
}

void ResultsViewTest::aRatioDividesSeedBySeed() {
    const auto grid = gridOf(twoAxes(2, 2, 3));
    // GPipe's results differ from seed to seed, the ratio does not.
    const ResultsNumbers made(madeUp(
        *grid, [](const auto& at, std::size_t planner) { return (1 + double(at[2])) * (planner ? 2 : 1); }));
    ChartChoice choice = choiceFor(*grid, ChartKind::lines);
    choice.relativeTo = 1;
    const auto series = seriesOf(*grid, made, choice);
    for (const ResultsPoint& point : series[0].points) {
        QCOMPARE(point.spread.least, 0.5);
        QCOMPARE(point.spread.most, 0.5);
    }
    QCOMPARE(series[1].points[0].spread.mean, 1.0);
    QVERIFY(metricText(*grid, choice).contains("GPipe"));
}

void ResultsViewTest::everyChartOfEveryKindIsTheSameInItsFile() {
    const auto grid = gridOf(twoAxes(5, 4, 2));
    for (const ChartKind kind : {ChartKind::lines, ChartKind::bars, ChartKind::heat, ChartKind::pareto}) {
        ChartChoice choice = choiceFor(*grid, kind);
        choice.metric = "throughput_samples_per_s";
        choice.logarithmicMetric = true;
        if (kind == ChartKind::heat) choice.planner = 1;
        if (kind == ChartKind::lines) choice.fixed[1] = 2, choice.relativeTo = 1;
        if (kind == ChartKind::bars) choice.panels = 1;
        if (kind == ChartKind::pareto) choice.fixed[0] = 3;
        Experiment experiment = grid->experiment();
        experiment.chart = chartOf(choice, experiment);
        const std::string text = writeExperiment(experiment);
        const Experiment again = readExperiment(text, "test", {});
        QVERIFY(firstChoice(again) == choice);
        QCOMPARE(writeExperiment(again), text);
    }
}

void ResultsViewTest::theKindIsChosenByTheAxes() {
    QVERIFY(firstChoice(gridOf(twoAxes(5, 4))->experiment()).kind == ChartKind::lines);
    QVERIFY(firstChoice(gridOf("[]")->experiment()).kind == ChartKind::bars);
    const auto names = gridOf(R"([{"name": "memory", "cases": [
        {"label": "few", "set": {"/setup/microbatches": 2}},
        {"label": "many", "set": {"/setup/microbatches": 8}}]}])");
    QVERIFY(firstChoice(names->experiment()).kind == ChartKind::bars);
    Experiment one = gridOf(twoAxes(5, 4))->experiment();
    one.planners.resize(1);
    const ChartChoice heat = firstChoice(one);
    QVERIFY(heat.kind == ChartKind::heat);
    QVERIFY(heat.axis != heat.upright);
    QVERIFY(!suits(ChartKind::heat, names->experiment()));
    ChartChoice ratio = choiceFor(*gridOf(twoAxes(5, 4)), ChartKind::lines);
    ratio.relativeTo = 0;
    ratio = ofKind(ratio, ChartKind::heat, gridOf(twoAxes(5, 4))->experiment());
    QVERIFY(ratio.relativeTo == std::size_t{0} && ratio.planner == 1);
    const auto factors = gridOf(R"([{"name": "microbatches", "pointer": "/setup/microbatches",
        "range": {"from": 1, "to": 64, "factor": 2}}])");
    QVERIFY(firstChoice(factors->experiment()).logarithmicAcross);
    QVERIFY(!firstChoice(gridOf(twoAxes(5, 4))->experiment()).logarithmicAcross);
}

void ResultsViewTest::aHeatMapHatchesWhatHasNoPlanAndSaysSo() {
    const auto grid = gridOf(twoAxes(6, 5));
    auto cells = madeUp(*grid, [](const auto& at, std::size_t planner) {
        return at[0] + at[1] < 2 ? noTime : plain(at, planner);
    });
    const ChartChoice choice = choiceFor(*grid, ChartKind::heat);
    const Figure figure = resultsFigure(*grid, cells, choice);
    int hatched = 0, coloured = 0;
    bool said = false;
    for (const FigureItem& item : figure.items) {
        if (const auto* box = std::get_if<FigureRectangle>(&item)) {
            hatched += box->role == "no plan" && box->fill.hatch == Hatch::rising;
            coloured += box->role == "cell";
        }
        if (const auto* text = std::get_if<FigureText>(&item)) said = said || text->text == "no plan fits";
    }
    QCOMPARE(hatched, 3 + 1);  // and that of the legend
    QCOMPARE(coloured, 30 - 3);
    QVERIFY(said);
    for (CellResult& cell : cells)
        if (cell.status == CellStatus::infeasible) cell = {};
    QVERIFY(!resultsSvg(*grid, cells, choice).contains("no plan"));
    // Over another planner the middle of the colours is 1, and GPipe takes twice as long everywhere.
    ChartChoice ratio = choice;
    ratio.relativeTo = 1;
    for (const FigureItem& item : resultsFigure(*grid, cells, ratio).items)
        if (const auto* box = std::get_if<FigureRectangle>(&item))
            if (box->role == "cell") QCOMPARE(box->fill.colour, divergingColour(0));
}

void ResultsViewTest::coloursGrowLighterStepByStep() {
    const auto lightness = [](const QColor& colour) {
        const auto linear = [](double part) {
            return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
        };
        const double y = 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
                         0.0722 * linear(colour.blueF());
        return 116 * std::cbrt(y) - 16;  // CIE L*
    };
    constexpr int steps = 20;
    for (int i = 0; i < steps; ++i) {
        const double grown =
            lightness(sequentialColour((i + 1.0) / steps)) - lightness(sequentialColour(double(i) / steps));
        QVERIFY2(grown > 1.5 && grown < 7, qPrintable(QString::number(grown)));
        const double below = lightness(divergingColour(0.5 * i / steps)),
                     above = lightness(divergingColour(1 - 0.5 * i / steps));
        QVERIFY(lightness(divergingColour(0.5 * (i + 1) / steps)) > below);
        QVERIFY2(std::abs(below - above) < 6, qPrintable(QString::number(below - above)));
    }
}

void ResultsViewTest::aTitleHasAUnitOnlyWhereLabelsHaveNone() {
    Axis axis;
    axis.name = "memory";
    axis.unit = "B";
    axis.values = {{"8 GB", 8e9, {}}, {"16 GB", 16e9, {}}};
    QCOMPARE(axisText(axis), QStringLiteral("memory"));
    axis.values = {{"8", 8, {}}, {"1.6e1", 16, {}}};
    QCOMPARE(axisText(axis), QStringLiteral("memory (B)"));
}

void ResultsViewTest::withoutResultsNoNumbersStandOnAnAxis() {
    const auto grid = gridOf(twoAxes(3, 2));
    for (const ChartKind kind : {ChartKind::lines, ChartKind::bars, ChartKind::pareto}) {
        const ChartChoice choice = choiceFor(*grid, kind);
        std::vector<CellResult> cells(grid->cellCount());
        const auto textsOf = [&] {
            int texts = 0;
            const auto series = seriesOf(*grid, ResultsNumbers(cells), choice);
            for (const FigureItem& item :
                 drawResults(*grid, series, choice, {}, PlotLook::paper()).figure.items)
                texts += std::holds_alternative<FigureText>(item);
            return texts;
        };
        const int before = textsOf();
        cells = madeUp(*grid, plain);
        QVERIFY2(textsOf() >= before + 3, qPrintable(QString::number(before)));
    }
}

void ResultsViewTest::aFigureIsTheSameInEveryFormat() {
    const auto grid = gridOf(twoAxes(6, 5, 3));
    const auto cells = madeUp(*grid, [](const auto& at, std::size_t planner) {
        return at[0] == 0 ? noTime : plain(at, planner) + 0.1 * double(at[2]);
    });
    for (const ChartKind kind : {ChartKind::lines, ChartKind::bars, ChartKind::heat, ChartKind::pareto}) {
        ChartChoice choice = choiceFor(*grid, kind);
        choice.panels = kind == ChartKind::lines ? std::optional<std::size_t>(1) : std::nullopt;
        const Figure figure = resultsFigure(*grid, cells, choice);
        const QByteArray svg = writeSvg(figure), tikz = writeTikz(figure);
        QVERIFY(!writePdf(figure).isEmpty());
        QVERIFY(!writePng(figure, 100).isEmpty());
        int texts = 0;
        for (const FigureItem& item : figure.items) {
            const auto* text = std::get_if<FigureText>(&item);
            if (!text || text->text.isEmpty()) continue;
            ++texts;
            QVERIFY2(text->at.x() > 0 && text->at.x() < figure.widthMm && text->at.y() < figure.heightMm,
                     qPrintable(text->text));
        }
        QCOMPARE(svg.count("<text"), texts);
        QCOMPARE(tikz.count("\\node"), texts);
    }
}

/// However long they are and however many panels share them: each is inside the figure and clear of the
/// others.
void ResultsViewTest::namesOfAxesNeverOverlap() {
    std::string axes = twoAxes(6, 7);
    axes.replace(axes.find("microbatches"), 12,
                 "microbatches of each iteration, of one sample per GPU and stage");
    for (const int panels : {1, 2, 3, 4, 5, 7}) {
        std::string own = axes;
        own.replace(own.find(countedValues(7)), countedValues(7).size(), countedValues(panels));
        const auto grid = gridOf(own);
        ChartChoice choice = choiceFor(*grid, ChartKind::lines);
        if (panels > 1) choice.panels = 1;
        choice.relativeTo = 1;
        const auto series = seriesOf(*grid, ResultsNumbers(madeUp(*grid, plain)), choice);
        for (const double widthMm : {60.0, 88.9, 181.0}) {
            ResultsFigureOptions options;
            options.widthMm = widthMm;
            const Figure figure = drawResults(*grid, series, choice, options, PlotLook::paper()).figure;
            std::vector<QRectF> names;
            for (const FigureItem& item : figure.items)
                if (const auto* text = std::get_if<FigureText>(&item); text && text->text.size() > 12) {
                    const double along = textWidthMm(text->text, text->sizePt),
                                 across = capHeightMm(text->sizePt);
                    const bool upright = text->rotationDeg != 0;
                    const QSizeF size = upright ? QSizeF(across, along) : QSizeF(along, across);
                    if (text->anchor != TextAnchor::middle) continue;
                    names.emplace_back(text->at - QPointF(size.width(), size.height()) / 2, size);
                }
            QVERIFY(names.size() >= 2);
            for (std::size_t a = 0; a < names.size(); ++a) {
                QVERIFY2(names[a].left() >= -0.1 && names[a].right() <= figure.widthMm + 0.1 &&
                             names[a].top() >= -0.1 && names[a].bottom() <= figure.heightMm,
                         qPrintable(QStringLiteral("%1 panels in %2 mm").arg(panels).arg(widthMm)));
                for (std::size_t b = 0; b < a; ++b)
                    QVERIFY2(!names[a].intersects(names[b]),
                             qPrintable(QStringLiteral("%1 panels in %2 mm").arg(panels).arg(widthMm)));
            }
        }
    }
}

void ResultsViewTest::everyPanelHasItsValue() {
    const auto grid = gridOf(twoAxes(6, 5));
    const auto cells = madeUp(*grid, plain);
    ChartChoice choice = choiceFor(*grid, ChartKind::lines);
    choice.panels = 1;
    const auto series = seriesOf(*grid, ResultsNumbers(cells), choice);
    QCOMPARE(series.size(), std::size_t{5 * 2});
    for (const ResultsSeries& each : series)
        for (const ResultsPoint& point : each.points)
            QCOMPARE(grid->coordinates(grid->pointOf(point.cells.front()))[1], each.panel);
    const ResultsDrawing drawing = drawResults(*grid, series, choice, {}, PlotLook::paper());
    QCOMPARE(drawing.framesMm.size(), std::size_t{5});
    for (std::size_t a = 0; a < 5; ++a) {
        QVERIFY(QRectF(0, 0, drawing.figure.widthMm, drawing.figure.heightMm).contains(drawing.framesMm[a]));
        for (std::size_t b = 0; b < a; ++b) QVERIFY(!drawing.framesMm[a].intersects(drawing.framesMm[b]));
        for (const QPointF& at : drawing.pointsMm[2 * a])
            QVERIFY(drawing.framesMm[a].adjusted(-0.1, -0.1, 0.1, 0.1).contains(at));
    }
}

void ResultsViewTest::aLineGoesThroughAllOfItsPoints() {
    const auto grid = gridOf(twoAxes(6, 1));
    const auto cells = madeUp(*grid, plain);
    const ChartChoice choice = choiceFor(*grid, ChartKind::lines);
    const auto series = seriesOf(*grid, ResultsNumbers(cells), choice);
    const ResultsDrawing drawing = drawResults(*grid, series, choice, {}, PlotLook::paper());
    for (const std::vector<QPointF>& points : drawing.pointsMm) {
        QCOMPARE(points.size(), std::size_t{6});
        QVERIFY(std::any_of(drawing.figure.items.begin(), drawing.figure.items.end(),
                            [&](const FigureItem& item) {
                                const auto* line = std::get_if<FigurePolygon>(&item);
                                return line && !line->closed && line->points == points;
                            }));
    }
}

void ResultsViewTest::theWheelZoomsAtThePointerAndADragPans() {
    for (const ChartKind kind : {ChartKind::lines, ChartKind::bars, ChartKind::heat, ChartKind::pareto}) {
        Shown shown(kind);
        ResultsChart& chart = shown.pane.chart();
        const QPointF before = chart.pointOf({1, 3});
        wheel(chart, before, 3);
        QVERIFY(chart.shownPart().width() < 0.6);
        const QPointF zoomed = chart.pointOf({1, 3});
        QVERIFY2(QLineF(before, zoomed).length() < 6, qPrintable(QString::number(int(kind))));
        QTest::mousePress(&chart, Qt::LeftButton, {}, before.toPoint());
        QTest::mouseMove(&chart, before.toPoint() + QPoint(-20, 5));
        QTest::mouseMove(&chart, before.toPoint() + QPoint(-60, 10));
        QTest::mouseRelease(&chart, Qt::LeftButton, {}, before.toPoint() + QPoint(-60, 10));
        QVERIFY(QLineF(zoomed + QPointF(-60, 10), chart.pointOf({1, 3})).length() < 8);
        QTest::keyClick(&chart, Qt::Key_F);
        QCOMPARE(chart.shownPart(), QRectF(0, 0, 1, 1));
        QCOMPARE(chart.pointOf({1, 3}), before);
    }
}

void ResultsViewTest::aDragPicksNothingAndAClickDoes() {
    Shown shown(ChartKind::pareto);
    ResultsChart& chart = shown.pane.chart();
    QSignalSpy picked(&shown.pane, &ResultsPane::cellPicked);
    QSignalSpy beside(&shown.pane, &ResultsPane::cellPickedBeside);
    const QPoint at = shown.at(0, 4);
    QTest::mousePress(&chart, Qt::LeftButton, {}, at);
    QTest::mouseMove(&chart, at + QPoint(30, 0));
    QTest::mouseMove(&chart, at);
    QTest::mouseRelease(&chart, Qt::LeftButton, {}, at);
    QCOMPARE(picked.size(), 0);
    QTest::mouseClick(&chart, Qt::LeftButton, {}, at);
    QCOMPARE(picked.size(), 1);
    const auto cell = picked.front().front().value<std::size_t>();
    QVERIFY(chart.placeOf(cell).has_value());
    QVERIFY(QLineF(chart.pointOf(*chart.placeOf(cell)), at).length() < 3);
    QTest::keyClick(&chart, Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(beside.size(), 1);
    QCOMPARE(beside.front().front().value<std::size_t>(), cell);
}

void ResultsViewTest::theCardHasAllCoordinatesAndMetrics() {
    Shown shown(ChartKind::heat);
    ResultsChart& chart = shown.pane.chart();
    QTest::mouseMove(&chart, shown.at(2, 5));
    const QString card = chart.accessibleDescription();
    for (const char* part :
         {"SPP", "microbatches 6", "network 3", "Iteration time", "Peak memory", "Throughput"})
        QVERIFY2(card.contains(QLatin1String(part)), qPrintable(card));
    // A corner of a cell belongs to it as its middle does.
    const QSizeF cell = chart.drawing().cellMm * 96 / 25.4;
    QTest::mouseMove(&chart,
                     (chart.pointOf({3, 2}) + QPointF(0.4 * cell.width(), -0.4 * cell.height())).toPoint());
    QVERIFY(chart.current() == (ResultsPlace{3, 2}));
    QTest::mouseMove(&chart, shown.at(0, 0));
    QVERIFY2(chart.accessibleDescription().contains("it needs 20 GiB"),
             qPrintable(chart.accessibleDescription()));
}

void ResultsViewTest::keysWalkTheRowsOfAHeatMap() {
    Shown shown(ChartKind::heat);
    ResultsChart& chart = shown.pane.chart();
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Right);
    QVERIFY(chart.current() == (ResultsPlace{0, 0}));
    QTest::keyClick(&chart, Qt::Key_Right);
    QTest::keyClick(&chart, Qt::Key_Up);  // the next row is above
    QVERIFY(chart.current() == (ResultsPlace{1, 1}));
    QVERIFY(chart.pointOf({1, 1}).y() < chart.pointOf({0, 1}).y());
    for (int i = 0; i < 20; ++i) QTest::keyClick(&chart, Qt::Key_Up);
    QVERIFY(chart.current() == (ResultsPlace{5, 1}));
}

void ResultsViewTest::theMenuIsReachedByKey() {
    Shown shown(ChartKind::lines);
    ResultsChart& chart = shown.pane.chart();
    chart.setFocus();
    for (int i = 0; i < 3; ++i) QTest::keyClick(&chart, Qt::Key_Right);
    QVERIFY(chart.current().has_value());
    const std::size_t cell = chart.series()[0].points[chart.current()->point].cells.front();
    QTimer::singleShot(200, [] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        QTest::keyClick(menu, Qt::Key_T);
    });
    QContextMenuEvent byKey(QContextMenuEvent::Keyboard, QPoint(1, 1), chart.mapToGlobal(QPoint(1, 1)));
    QApplication::sendEvent(&chart, &byKey);
    QVERIFY(shown.pane.isTableShown());
    QCOMPARE(shown.pane.table().model().cellOf(shown.pane.table().table().currentIndex().row()), cell);
}

STAGECRAFT_TEST(ResultsViewTest)
#include "results_view_test.moc"
