// Empty lanes, to be printed and drawn in by hand.
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "tests/views/figures_sample_run.h"
#include "views/figures/empty_lanes_figure.h"
#include "views/figures/figure_formats.h"

#include <QTest>

#include <cmath>

using namespace stagecraft;

class EmptyLanesFigureTest : public QObject {
    Q_OBJECT

    template <class Item>
    static std::vector<Item> itemsOf(const Figure& figure, const std::string& role) {
        std::vector<Item> items;
        for (const FigureItem& each : figure.items)
            if (const auto* item = std::get_if<Item>(&each); item && item->role == role)
                items.push_back(*item);
        return items;
    }
    static bool hasText(const Figure& figure, const QString& wanted) {
        return std::any_of(figure.items.begin(), figure.items.end(), [&](const FigureItem& each) {
            const auto* text = std::get_if<FigureText>(&each);
            return text && text->text.contains(wanted);
        });
    }

private slots:
    void thereIsALaneForEachSetOfDevicesAndNoBlock() {
        const auto run = sample::run();
        ScheduleFigureOptions options;
        options.legend = false;
        options.widthMm = 150;
        const Figure figure = emptyLanesFigure(*run, options);
        QCOMPARE(itemsOf<FigureRectangle>(figure, "lane").size(), std::size_t{2});
        std::size_t rectangles = 0;
        for (const FigureItem& each : figure.items)
            rectangles += std::holds_alternative<FigureRectangle>(each);
        QCOMPARE(rectangles, std::size_t{2});
        QVERIFY(hasText(figure, QStringLiteral("Name:")));
        options.nameLine = false;
        const Figure nameless = emptyLanesFigure(*run, options);
        QVERIFY(!hasText(nameless, QStringLiteral("Name:")));
        QCOMPARE(itemsOf<FigureLine>(nameless, "name").size(), std::size_t{0});
        QVERIFY(nameless.heightMm < figure.heightMm);
        options.lanes = {1};
        QCOMPARE(itemsOf<FigureRectangle>(emptyLanesFigure(*run, options), "lane").size(), std::size_t{1});
        options.lanes = {7};
        QVERIFY_EXCEPTION_THROWN(emptyLanesFigure(*run, options), std::invalid_argument);
    }

    void aCellIsAForwardPassAndTimeGoesOnAfterTheEnd() {
        const auto run = sample::run();
        ScheduleFigureOptions options;
        options.widthMm = 150;
        const Figure figure = emptyLanesFigure(*run, options);
        const FigureRectangle lane = itemsOf<FigureRectangle>(figure, "lane").front();
        const std::vector<FigureLine> cells = itemsOf<FigureLine>(figure, "cell");
        // A third more than 0.25 s in whole passes of 0.02 s: 17 cells, so 16 lines in each of two lanes.
        QCOMPARE(cells.size(), std::size_t{2 * 16});
        for (int i = 0; i < 16; ++i)
            QVERIFY(std::abs(cells[std::size_t(i)].from.x() -
                             (lane.rect.left() + (i + 1) * lane.rect.width() / 17)) < 1e-6);
        options.timeRangeS = {0, 0.1};
        QCOMPARE(itemsOf<FigureLine>(emptyLanesFigure(*run, options), "cell").size(), std::size_t{2 * 4});
        // Where a pass would be too narrow to write into, a cell is several.
        options.timeRangeS = {0, 0.4};
        options.widthMm = 60;
        const auto narrow = itemsOf<FigureLine>(emptyLanesFigure(*run, options), "cell");
        QVERIFY(narrow.size() < 2 * 19 && narrow.size() >= 2 * 3);
        QVERIFY(narrow[1].from.x() - narrow[0].from.x() >= 3 - 1e-9);
    }

    void theLegendSaysWhatThereIsToDraw() {
        ScheduleFigureOptions options;
        options.legendNames = "forward=F";
        const Figure figure = emptyLanesFigure(*sample::run(), options);
        QCOMPARE(itemsOf<FigureRectangle>(figure, "forward").size(), std::size_t{1});
        QCOMPARE(itemsOf<FigureRectangle>(figure, "backward").size(), std::size_t{1});
        QVERIFY(itemsOf<FigureRectangle>(figure, "weight gradient").empty());
        QVERIFY(hasText(figure, QStringLiteral("F")) && !hasText(figure, QStringLiteral("forward")));
    }

    void everyFormatWritesIt() {
        const Figure figure = emptyLanesFigure(*sample::run());
        for (const FigureFormat& format : figureFormats()) QVERIFY(!format.write(figure, {}).isEmpty());
    }
};

STAGECRAFT_TEST(EmptyLanesFigureTest)
#include "empty_lanes_figure_test.moc"
