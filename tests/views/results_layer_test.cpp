// What the screen shows of results is what is printed, and planners are told apart.

#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "tests/views/results_fixture.h"
#include "views/experiments/chart_bar.h"
#include "views/experiments/results_figure.h"
#include "views/experiments/results_layer.h"
#include "views/figures/painter_writer.h"

#include <QComboBox>
#include <QPainter>
#include <QTest>

#include <set>

using namespace stagecraft;

namespace {

constexpr double pixelsPerMm = 4;

/// How far two pictures are apart on average, a channel, of 255.
double difference(const QImage& one, const QImage& other) {
    double sum = 0;
    for (int y = 0; y < one.height(); ++y)
        for (int x = 0; x < one.width(); ++x) {
            const QColor a = one.pixelColor(x, y), b = other.pixelColor(x, y);
            sum +=
                std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue());
        }
    return sum / 3 / one.width() / one.height();
}

/// The corners of a sign about the origin, to a hundredth.
std::vector<std::pair<long, long>> shapeOf(std::size_t planner) {
    std::vector<std::pair<long, long>> shape;
    for (const QPointF& corner : plotSign(planner, {0, 0}, 1))
        shape.emplace_back(std::lround(100 * corner.x()), std::lround(100 * corner.y()));
    std::sort(shape.begin(), shape.end());
    return shape;
}

}  // namespace

class ResultsLayerTest : public QObject {
    Q_OBJECT

private slots:
    void theScreenShowsWhatIsPrinted_data();
    void theScreenShowsWhatIsPrinted();
    void aFillEndsWhereItIsClipped();
    void tenPlannersHaveSignsAndColoursOfTheirOwn();
    void aLineMarksWhatHasNoPlan();
    void theMetricStaysNarrow();
};

void ResultsLayerTest::theScreenShowsWhatIsPrinted_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("values");
    for (const ChartKind kind : {ChartKind::lines, ChartKind::bars, ChartKind::heat, ChartKind::pareto})
        for (const int values : {12, 150})
            QTest::addRow("%d %d", static_cast<int>(kind), values) << static_cast<int>(kind) << values;
}

void ResultsLayerTest::theScreenShowsWhatIsPrinted() {
    QFETCH(int, kind);
    QFETCH(int, values);
    const auto grid = gridOf(twoAxes(values, 2, 3));
    const auto cells = madeUp(*grid, [](const auto& at, std::size_t planner) {
        return at[0] == 1 ? std::nan("")
                          : 1 + static_cast<double>((at[0] * 7919 + at[2] * 31) % 17) / 5 + double(planner);
    });
    const Figure figure = resultsFigure(*grid, cells, choiceFor(*grid, static_cast<ChartKind>(kind)),
                                        {.widthMm = 200, .heightMm = 110});
    const QSize size(static_cast<int>(figure.widthMm * pixelsPerMm),
                     static_cast<int>(figure.heightMm * pixelsPerMm));
    QImage quick(size, QImage::Format_RGB32);
    quick.fill(Qt::white);
    QImage printed = quick.copy(), blank = quick.copy();
    paintLayer(quick, figure, {{0, 0}, pixelsPerMm});
    QPainter painter(&printed);
    paintFigure(painter, figure, pixelsPerMm);
    painter.end();
    QVERIFY(difference(printed, blank) > 2);
    const double apart = difference(quick, printed);
    QVERIFY2(apart < 2.2, qPrintable(QString::number(apart)));
}

void ResultsLayerTest::aFillEndsWhereItIsClipped() {
    Figure figure;
    figure.widthMm = figure.heightMm = 10;
    figure.add(ClipBegin{QRectF(2, 2, 5, 5)});
    figure.add(FigureRectangle{QRectF(-100, 3, 1000, 2.125), {QColor(Qt::red)}, {}, "bar"});
    figure.add(ClipEnd{});
    QImage picture(40, 40, QImage::Format_RGB32);
    picture.fill(Qt::white);
    paintLayer(picture, figure, {{0, 0}, pixelsPerMm});
    QCOMPARE(picture.pixelColor(7, 14), QColor(Qt::white));
    QCOMPARE(picture.pixelColor(8, 14), QColor(Qt::red));
    QCOMPARE(picture.pixelColor(27, 14), QColor(Qt::red));
    QCOMPARE(picture.pixelColor(28, 14), QColor(Qt::white));
    // Half of the last row of pixels is covered.
    QCOMPARE(picture.pixelColor(20, 19), QColor(Qt::red));
    const QColor half = picture.pixelColor(20, 20);
    QVERIFY2(std::abs(half.green() - 128) < 3 && half.red() > 250, qPrintable(half.name()));
    QCOMPARE(picture.pixelColor(20, 21), QColor(Qt::white));
}

void ResultsLayerTest::tenPlannersHaveSignsAndColoursOfTheirOwn() {
    std::set<std::vector<std::pair<long, long>>> shapes;
    for (std::size_t planner = 0; planner < 10; ++planner) shapes.insert(shapeOf(planner));
    QCOMPARE(shapes.size(), std::size_t{10});
    for (const bool dark : {false, true}) {
        std::set<QRgb> colours;
        for (std::size_t planner = 0; planner < 10; ++planner)
            colours.insert(seriesColour(planner, dark).rgb());
        QCOMPARE(colours.size(), std::size_t{10});
        std::set<std::pair<QRgb, std::vector<std::pair<long, long>>>> pairs;
        for (std::size_t planner = 0; planner < 70; ++planner)
            pairs.emplace(seriesColour(planner, dark).rgb(), shapeOf(planner));
        QCOMPARE(pairs.size(), std::size_t{70});
    }
}

void ResultsLayerTest::aLineMarksWhatHasNoPlan() {
    const auto grid = gridOf(twoAxes(6, 1));
    for (const bool some : {true, false}) {
        const auto cells = madeUp(*grid, [&](const auto& at, std::size_t planner) {
            return some && at[0] == 2 && planner == 1 ? std::nan("") : 1.0 + double(planner);
        });
        const Figure figure = resultsFigure(*grid, cells, choiceFor(*grid, ChartKind::lines));
        int crosses = 0, words = 0;
        for (const FigureItem& item : figure.items) {
            const auto* line = std::get_if<FigureLine>(&item);
            const auto* text = std::get_if<FigureText>(&item);
            crosses += line && line->role == "GPipe no plan";
            words += text && text->text == "no plan fits";
            QVERIFY(!line || line->role != "SPP no plan");
        }
        QCOMPARE(crosses, some ? 2 : 0);
        QCOMPARE(words, some ? 1 : 0);
    }
}

void ResultsLayerTest::theMetricStaysNarrow() {
    const auto grid = gridOf(twoAxes(6, 5));
    ChartBar bar;
    bar.resize(1200, 200);
    bar.setGrid(grid, choiceFor(*grid, ChartKind::lines));
    auto* metric = bar.findChild<QComboBox*>(QStringLiteral("experimentMetric"));
    int widest = 0;
    for (int i = 0; i < metric->count(); ++i)
        widest = std::max(widest, metric->fontMetrics().horizontalAdvance(metric->itemText(i)));
    bar.show();
    QVERIFY(QTest::qWaitForWindowExposed(&bar));
    QVERIFY(widest > 170);
    QVERIFY(metric->width() <= 170);
    for (const QWidget* part : bar.findChildren<QComboBox*>(QString(), Qt::FindDirectChildrenOnly))
        QVERIFY(!part->isVisible() || part->y() < metric->y() + metric->height());
}

STAGECRAFT_TEST(ResultsLayerTest)
#include "results_layer_test.moc"
