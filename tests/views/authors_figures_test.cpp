// What authors ask of printed figures: readable numbers, memory in one frame, panels in a grid, published
// times.
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/figures_sample_run.h"
#include "tests/views/view_tests.h"
#include "views/common/theme.h"
#include "views/figures/compare_figure.h"
#include "views/figures/link_figure.h"
#include "views/figures/memory_figure.h"
#include "views/figures/panels_figure.h"
#include "views/figures/partition_figure.h"
#include "views/figures/published_times.h"
#include "views/interconnect/bandwidth_figure.h"
#include "views/pareto/pareto_figure.h"

#include <QRandomGenerator>
#include <QTest>

#include <cmath>
#include <set>

using namespace stagecraft;

namespace {

double luminanceSeen(const QColor& colour) {
    const auto linear = [](double v) {
        return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

double contrastSeen(const QColor& a, const QColor& b) {
    const double one = luminanceSeen(a), other = luminanceSeen(b);
    return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

/// CIE L*.
double lightnessOfFill(const Fill& fill) { return 116 * std::cbrt(luminanceSeen(fill.colour)) - 16; }

/// Two devices with two chunks each, by hand.
std::shared_ptr<PlanRun> chunkedRun() {
    auto run = sample::run();
    run->result.plan.stages = {{0, 0, {0}}, {1, 1, {2}}, {2, 2, {0}}, {3, 3, {2}}};
    auto evaluation = std::make_shared<Evaluation>(*run->evaluation);
    evaluation->timeline = {};
    using enum BlockKind;
    sample::addLane(evaluation->timeline, {LaneKind::compute, {0}},
                    {{forward, 0, 0, 0, 0.02},
                     {forward, 2, 0, 0.04, 0.06},
                     {backward, 2, 0, 0.10, 0.14},
                     {backward, 0, 0, 0.18, 0.22}});
    sample::addLane(evaluation->timeline, {LaneKind::compute, {2}},
                    {{forward, 1, 0, 0.02, 0.04},
                     {forward, 3, 0, 0.06, 0.08},
                     {backward, 3, 0, 0.08, 0.10},
                     {backward, 1, 0, 0.14, 0.18}});
    evaluation->metrics.criticalPath = {};
    run->evaluation = evaluation;
    return run;
}

/// For each text in a lane the ground on which it is: the last shape under it.
std::vector<std::pair<FigureText, QColor>> numbersOnGrounds(const Figure& figure) {
    std::vector<std::pair<FigureText, QColor>> numbers;
    for (std::size_t i = 0; i < figure.items.size(); ++i) {
        const auto* text = std::get_if<FigureText>(&figure.items[i]);
        const auto inLane = [&](const FigureLane& lane) { return text && lane.rect.contains(text->at); };
        if (std::none_of(figure.lanes.begin(), figure.lanes.end(), inLane)) continue;
        QColor ground;
        for (std::size_t below = 0; below < i; ++below)
            if (const auto* rect = std::get_if<FigureRectangle>(&figure.items[below]))
                if (rect->fill.colour.isValid() && rect->rect.contains(text->at)) ground = rect->fill.colour;
        numbers.emplace_back(*text, ground);
    }
    return numbers;
}

std::vector<const FigureRectangle*> rectanglesOf(const Figure& figure, const std::string& role) {
    std::vector<const FigureRectangle*> found;
    for (const FigureItem& item : figure.items)
        if (const auto* rect = std::get_if<FigureRectangle>(&item); rect && rect->role == role)
            found.push_back(rect);
    return found;
}

std::vector<FigureLine> linesOfRole(const Figure& figure, const std::string& role) {
    std::vector<FigureLine> found;
    for (const FigureItem& item : figure.items)
        if (const auto* line = std::get_if<FigureLine>(&item); line && line->role == role)
            found.push_back(*line);
    return found;
}

std::vector<FigurePolygon> linesOfMemory(const Figure& figure) {
    std::vector<FigurePolygon> found;
    for (const FigureItem& item : figure.items)
        if (const auto* line = std::get_if<FigurePolygon>(&item);
            line && !line->closed && line->role.starts_with("memory of "))
            found.push_back(*line);
    return found;
}

std::shared_ptr<PlanRun> titled(const char* name, double seconds) {
    auto run = sample::run(seconds);
    run->result.plan.name = name;
    return run;
}

}  // namespace

class AuthorsFiguresTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsReadableHasEnoughContrastOnAnyColour() {
        QRandomGenerator random(7);
        for (int i = 0; i < 20'000; ++i) {
            const QColor ground = QColor::fromRgb(random.generate() | 0xFF000000u);
            QVERIFY2(contrastSeen(readableOn(ground), ground) >= 4.5, qPrintable(ground.name()));
        }
    }

    void numbersCanBeReadInEveryColouringAndInGrey() {
        const auto run = chunkedRun();
        for (const BlockColouring by :
             {BlockColouring::kind, BlockColouring::chunk, BlockColouring::microbatch, BlockColouring::stage})
            for (const PaletteKind palette :
                 {PaletteKind::standard, PaletteKind::okabeIto, PaletteKind::viridis, PaletteKind::grey})
                for (const bool grey : {false, true}) {
                    ScheduleFigureOptions options;
                    options.colouring = by;
                    options.palette = palette;
                    options.grey = grey;
                    options.widthMm = 178;
                    const auto numbers = numbersOnGrounds(scheduleFigure(*run, options));
                    QCOMPARE(numbers.size(), std::size_t(8));
                    for (const auto& [text, ground] : numbers)
                        QVERIFY2(contrastSeen(text.colour, ground) >= 4.5,
                                 qPrintable(QString("%1 on %2").arg(text.text, ground.name())));
                }
    }

    void chunksCanBeToldApartInGrey() {
        ScheduleFigureOptions options;
        options.colouring = BlockColouring::chunk;
        options.grey = true;
        const Figure figure = scheduleFigure(*chunkedRun(), options);
        std::map<std::string, Fill> fills;
        for (const char* role :
             {"chunk 0 forward", "chunk 0 backward", "chunk 1 forward", "chunk 1 backward"}) {
            const auto found = rectanglesOf(figure, role);
            QVERIFY2(!found.empty(), role);
            fills[role] = found.front()->fill;
        }
        for (const auto& [a, one] : fills)
            for (const auto& [b, other] : fills)
                if (a < b)
                    QVERIFY2(std::abs(lightnessOfFill(one) - lightnessOfFill(other)) > 9,
                             qPrintable(QString::fromStdString(a + " and " + b)));
        QVERIFY(fills["chunk 0 backward"].hatch != fills["chunk 1 backward"].hatch);
    }

    void viridisHasAStepForEachMicrobatch() {
        auto run = sample::run();
        auto evaluation = std::make_shared<Evaluation>(*run->evaluation);
        evaluation->timeline = {};
        constexpr int count = 17;
        std::vector<sample::Block> blocks;
        for (int i = 0; i < count; ++i)
            blocks.push_back({BlockKind::forward, 0, i, 0.01 * i, 0.01 * (i + 1)});
        sample::addLane(evaluation->timeline, {LaneKind::compute, {0, 1}}, blocks);
        evaluation->metrics.criticalPath = {};
        run->evaluation = evaluation;
        ScheduleFigureOptions options;
        options.colouring = BlockColouring::microbatch;
        for (const PaletteKind palette : {PaletteKind::standard, PaletteKind::viridis}) {
            options.palette = palette;
            std::set<QRgb> colours;
            for (const FigureItem& item : scheduleFigure(*run, options).items)
                if (const auto* rect = std::get_if<FigureRectangle>(&item);
                    rect && rect->role.starts_with("microbatch") && rect->rect.width() > 2)
                    colours.insert(rect->fill.colour.rgb());
            QCOMPARE(colours.size(), palette == PaletteKind::viridis ? std::size_t(count) : std::size_t(12));
        }
    }

    void memoryInOneFrameHasALinePerDeviceAndTheLimitOnce() {
        const auto run = sample::run();
        ScheduleFigureOptions options;
        const Figure panels = memoryFigure(*run, options);
        options.memoryLines = true;
        const Figure frame = memoryFigure(*run, options);
        const std::vector<FigurePolygon> lines = linesOfMemory(frame);
        QCOMPARE(lines.size(), std::size_t(3));
        QVERIFY(frame.heightMm < panels.heightMm);
        QCOMPARE(linesOfRole(frame, "memory limit").size(), std::size_t(2));  // and in the legend
        std::set<QRgb> colours;
        for (const FigurePolygon& line : lines) colours.insert(line.stroke.colour.rgb());
        QCOMPARE(colours.size(), lines.size());
        // The device with the highest peak has the highest line, by as much as its bytes say.
        const auto top = [](const FigurePolygon& line) {
            double least = INFINITY;
            for (const QPointF& point : line.points) least = std::min(least, point.y());
            return least;
        };
        const auto bottom = [](const FigurePolygon& line) {
            double most = 0;
            for (const QPointF& point : line.points) most = std::max(most, point.y());
            return most;
        };
        // Measured by the axis: its 0 and the limit of 16 GiB.
        double zeroMm = 0;
        for (const FigureItem& item : frame.items)
            if (const auto* text = std::get_if<FigureText>(&item); text && text->anchor == TextAnchor::end)
                zeroMm = std::max(zeroMm, text->text.toDouble() == 0 ? text->at.y() : 0);
        const double limitMm = linesOfRole(frame, "memory limit").front().from.y();
        QVERIFY(std::abs((zeroMm - top(lines[0])) / (zeroMm - limitMm) - 9.4 / 16) < 1e-6);
        // 9.4, 8.4 and 7.4 GiB at most; 5 GiB in the end.
        const double perGib = (bottom(lines[0]) - top(lines[0])) / 4.4;
        for (int device = 0; device < 3; ++device)
            QVERIFY(std::abs(bottom(lines[std::size_t(device)]) - top(lines[std::size_t(device)]) -
                             perGib * (4.4 - device)) < 1e-6);
    }

    void aLimitFarAboveIsSaidOnce() {
        auto run = sample::run();
        auto evaluation = std::make_shared<Evaluation>(*run->evaluation);
        for (MemoryCurve& curve : evaluation->memory) curve.limitBytes = 80 * gib;
        run->evaluation = evaluation;
        ScheduleFigureOptions options;
        for (const bool lines : {false, true}) {
            options.memoryLines = lines;
            QCOMPARE(std::ranges::count_if(textsOf(memoryFigure(*run, options)),
                                           [](const QString& text) { return text.startsWith("limit"); }),
                     1);
        }
    }

    void lessThanTwoGibibytesAreReadInMebibytes() {
        auto run = sample::run();
        auto evaluation = std::make_shared<Evaluation>(*run->evaluation);
        for (MemoryCurve& curve : evaluation->memory) {
            MemorySteps steps = *curve.steps;
            for (auto& kind : steps.bytes)
                for (double& bytes : kind) bytes *= 765.0 / (9.4 * 1024);
            curve.steps = std::make_shared<const MemorySteps>(std::move(steps));
        }
        run->evaluation = evaluation;
        ScheduleFigureOptions options;
        options.laneNames = "{n}";
        const std::vector<QString> texts = textsOf(memoryFigure(*run, options));
        QVERIFY2(std::ranges::find(texts, QString("GPU 1 (MiB)")) != texts.end(),
                 qPrintable(QStringList(texts.begin(), texts.end()).join('|')));
        QVERIFY(std::ranges::find(texts, QString("500")) != texts.end());
    }

    void panelsInAGridStandSideBySideOnOneScale() {
        std::vector<FigurePanel> panels;
        for (const char* name : {"one", "two", "three"})
            panels.push_back({titled(name, 0.25), PanelView::schedule, {}});
        PanelsFigureOptions options;
        options.drawing.widthMm = 178;
        options.columns = 2;
        const Figure figure = panelsFigure(panels, options);
        QCOMPARE(figure.widthMm, 178.0);
        std::vector<const FigureRectangle*> bubbles;
        for (const FigureRectangle* rect : rectanglesOf(figure, "bubble"))
            if (rect->rect.width() > 20) bubbles.push_back(rect);
        QCOMPARE(bubbles.size(), std::size_t(6));  // two lanes each
        QCOMPARE(bubbles[0]->rect.top(), bubbles[2]->rect.top());
        QCOMPARE(bubbles[0]->rect.left(), bubbles[4]->rect.left());
        QVERIFY(bubbles[2]->rect.left() > bubbles[0]->rect.right());
        QVERIFY(bubbles[4]->rect.top() > bubbles[1]->rect.bottom());
        for (const FigureRectangle* each : bubbles)
            QVERIFY(std::abs(each->rect.width() - bubbles[0]->rect.width()) < 1e-9);
        // An axis below each column, a legend for all.
        const std::vector<QString> texts = textsOf(figure);
        QCOMPARE(std::ranges::count_if(texts, [](const QString& text) { return text.startsWith("time ("); }),
                 2);
        QCOMPARE(std::ranges::count(texts, QString("forward")), 1);
        options.drawing.widthMm = 60;
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, panelsFigure(panels, options));
    }

    void everyPanelOfASharedAxisHasItsGridLines() {
        PanelsFigureOptions options;
        const std::vector<FigurePanel> panels = {{titled("one", 0.25), PanelView::schedule, {}},
                                                 {titled("two", 0.25), PanelView::schedule, {}}};
        std::map<double, int> perTop;
        for (const FigureLine& line : linesOfRole(panelsFigure(panels, options), "grid"))
            ++perTop[line.from.y()];
        QCOMPARE(perTop.size(), std::size_t(2));
        QCOMPARE(perTop.begin()->second, perTop.rbegin()->second);
    }

    void anArrowMayEndInAnotherPanel() {
        ChartNote arrow;
        arrow.atS = 0.03;
        arrow.device = "s0g0";
        arrow.shape = NoteShape::arrow;
        arrow.end = NoteEnd{0.10, "s0g2", 1};
        const std::vector<FigurePanel> panels = {{titled("one", 0.25), PanelView::schedule, {arrow}},
                                                 {titled("two", 0.25), PanelView::schedule, {}}};
        for (const int columns : {1, 2}) {
            PanelsFigureOptions options;
            options.drawing.widthMm = 178;
            options.columns = columns;
            const Figure figure = panelsFigure(panels, options);
            const std::vector<FigureLine> lines = linesOfRole(figure, "note");
            QCOMPARE(lines.size(), std::size_t(1));
            std::vector<const FigureRectangle*> bubbles;
            for (const FigureRectangle* rect : rectanglesOf(figure, "bubble"))
                if (rect->rect.width() > 20) bubbles.push_back(rect);
            QVERIFY(bubbles[0]->rect.contains(lines[0].from));
            QVERIFY(bubbles[3]->rect.contains(lines[0].to));
            const QRectF& lane = bubbles[3]->rect;
            QVERIFY(std::abs((lines[0].to.x() - lane.left()) / lane.width() - 0.10 / 0.25) < 0.02);
        }
        // By itself the plan has nowhere to point.
        ScheduleFigureOptions alone;
        alone.notes = {arrow};
        QVERIFY(linesOfRole(scheduleFigure(*titled("one", 0.25), alone), "note").empty());
    }

    void publishedTimesAreReadAndWhatIsNoneIsNamed() {
        const auto times = publishedTimes(
            QStringLiteral(u"GPipe = 1.05 s|A=B=531 ms ± 12 ms|C=2 s (1.5 s–3 s)").toStdString());
        QCOMPARE(times.size(), std::size_t(3));
        QCOMPARE(times[0].timeS, 1.05);
        QVERIFY(!times[0].hasRange());
        QCOMPARE(times[1].plan, std::string("A=B"));
        QVERIFY(std::abs(times[1].leastS - 0.519) < 1e-12 && std::abs(times[1].mostS - 0.543) < 1e-12);
        QCOMPARE(times[2].leastS, 1.5);
        QCOMPARE(times[2].mostS, 3.0);
        QVERIFY(publishedTimes("").empty());
        for (const char* wrong : {"SPP", "SPP=fast", "SPP=1 s (2 s-3 s)", "SPP=1 s (2 s)", "SPP=531"}) try {
                publishedTimes(wrong);
                QFAIL(wrong);
            } catch (const std::invalid_argument& error) {
                QVERIFY2(QString(error.what()).contains(wrong) && QString(error.what()).contains("expected"),
                         error.what());
            }
    }

    void publishedTimesAreMarksOnTheAxisOfTheBars() {
        CompareFigureOptions options;
        options.published = publishedTimes("Fast=0.4 s (0.3 s-0.5 s)");
        const Figure figure = compareFigure({titled("Fast", 0.25), titled("Slow", 0.5)}, options);
        std::vector<QPointF> diamond;
        for (const FigureItem& item : figure.items)
            if (const auto* polygon = std::get_if<FigurePolygon>(&item);
                polygon && polygon->role == "published" && diamond.empty())
                diamond = polygon->points;
        QCOMPARE(diamond.size(), std::size_t(4));
        const FigureRectangle& bar = *rectanglesOf(figure, "fastest").front();
        const double perS = bar.rect.width() / 0.25;
        QVERIFY(std::abs(diamond[0].x() - (bar.rect.left() + 0.4 * perS)) < 1e-6);
        QVERIFY(std::abs(diamond[0].y() + 1 - bar.rect.center().y()) < 1e-6);
        const FigureLine whisker = linesOfRole(figure, "published").front();
        QVERIFY(std::abs(whisker.to.x() - whisker.from.x() - 0.2 * perS) < 1e-6);
        // The number is to the right of all of it.
        for (const FigureItem& item : figure.items)
            if (const auto* text = std::get_if<FigureText>(&item); text && text->text == "250 ms")
                QVERIFY(text->at.x() > whisker.to.x());
        // Where it has room before a mark far off it stays at its bar, and is not read as the mark's.
        options.published = publishedTimes("Fast=2 s");
        const Figure far = compareFigure({titled("Fast", 0.25), titled("Slow", 0.5)}, options);
        const double end = rectanglesOf(far, "fastest").front()->rect.right();
        for (const FigureItem& item : far.items)
            if (const auto* text = std::get_if<FigureText>(&item); text && text->text == "0.250 s")
                QVERIFY(std::abs(text->at.x() - end - 0.8) < 1e-9);
        const std::vector<QString> texts = textsOf(far);
        QVERIFY(std::ranges::find(texts, QString("0.250 s")) != texts.end());
        options.published = publishedTimes("Unknown=1 s");
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, compareFigure({titled("Fast", 0.25)}, options));
    }

    void entriesOfEveryLegendMayHaveOtherWords() {
        PartitionFigureOptions partition;
        partition.legendNames = "forward=F|backward=B";
        const std::vector<QString> texts = textsOf(partitionFigure(*sample::run(), partition));
        QVERIFY(std::ranges::find(texts, QString("F")) != texts.end());
        QVERIFY(std::ranges::any_of(texts, [](const QString& text) { return text.startsWith("B (of"); }));
        ScheduleFigureOptions links;
        const std::vector<QString> usual = textsOf(linkFigure(*sample::run(), links));
        links.legendNames = usual.back().toStdString() + "=other words";
        const std::vector<QString> named = textsOf(linkFigure(*sample::run(), links));
        QCOMPARE(named.back(), QString("other words"));
        QCOMPARE(named.size(), usual.size());
    }

    void theLegendOfAPartitionSaysHowLayersAreRecomputed() {
        const auto legendOf = [](const std::map<int, LayerMemory>& layers, const std::string& names = {}) {
            PlanRun run = *sample::run();
            run.result.plan.memory.layers = layers;
            PartitionFigureOptions options;
            options.legendNames = names;
            return textsOf(partitionFigure(run, options)).back();
        };
        QVERIFY(legendOf({}).startsWith("backward"));
        QCOMPARE(legendOf({{0, LayerMemory::recompute}}), QString("recompute (of a microbatch)"));
        QCOMPARE(legendOf({{0, LayerMemory::checkpoint}}), QString("full recompute (of a microbatch)"));
        QCOMPARE(legendOf({{0, LayerMemory::selective}, {1, LayerMemory::checkpoint}}),
                 QString("selective + full recompute (of a microbatch)"));
        QCOMPARE(legendOf({{0, LayerMemory::checkpoint}}, "recompute=again"),
                 QString("again (of a microbatch)"));
    }

    void bandwidthsHaveTwoDigitsEach() {
        Cluster cluster;
        const double rates[] = {4.9e9, 4.99e9, 5e9, 12e9, 150e9};
        for (int i = 0; i < 6; ++i)
            cluster.devices.push_back({"g" + std::to_string(i), "s", "V100", gib, 1, 1e10});
        for (int i = 0; i < 5; ++i)
            cluster.links.push_back({"g" + std::to_string(i), "g" + std::to_string(i + 1), rates[i], 0, ""});
        BandwidthFigureOptions options;
        options.widthMm = 178;
        const std::vector<QString> texts = textsOf(bandwidthFigure(cluster, options));
        for (const char* number : {"4.9", "5.0", "12", "150"})
            QVERIFY2(std::ranges::find(texts, QString(number)) != texts.end(), number);
        QVERIFY(std::ranges::find(texts, QString("5")) == texts.end());
    }

    void throughputVersusMemoryHasThreeNumbersOnEachAxis() {
        QRandomGenerator random(3);
        for (int round = 0; round < 200; ++round) {
            ParetoSeries series;
            series.allocation = "contiguous";
            const double from = 1 + random.bounded(40.0), to = from + random.bounded(60.0);
            for (int i = 0; i < 4; ++i)
                series.points.push_back(
                    {(from + (to - from) * i / 3) * gib, (0.1 + random.bounded(1.0)) / (i + 1)});
            ParetoFigureOptions options;
            for (const double widthMm : {60.0, 84.0, 178.0}) {
                options.widthMm = widthMm;
                const Figure figure = paretoFigure({series}, options);
                int across = 0, upright = 0;
                for (const FigureItem& item : figure.items)
                    if (const auto* text = std::get_if<FigureText>(&item);
                        text && !text->text.isEmpty() && text->text[0].isDigit())
                        ++(text->anchor == TextAnchor::end ? upright : across);
                QVERIFY2(across >= 3 && upright >= 3, qPrintable(QString("%1 mm: %2 and %3, %4–%5 GiB")
                                                                     .arg(widthMm)
                                                                     .arg(across)
                                                                     .arg(upright)
                                                                     .arg(from)
                                                                     .arg(to)));
            }
        }
    }
};

STAGECRAFT_TEST(AuthorsFiguresTest)
#include "authors_figures_test.moc"
