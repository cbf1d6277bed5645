// The load of links as a printed figure.
#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "tests/views/figures_sample_run.h"
#include "tests/views/saving_run.h"
#include "views/figures/link_figure.h"

#include <QTest>

#include <cmath>

using namespace stagecraft;

class LinkFigureTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsFilledIsWhatTheLinkCarries();
    void whatCannotBeToldApartIsDrawnAsItsMean();
    void theBusiestComeFirstAndNoMoreThanFit();
    void oneLinkOrThoseOfSomeLanesCanBeAskedFor();
    void aPlanWithoutTransfersHasNoSuchFigure();
    void whatIsWantedOfASharedLinkIsALineAboveWhatItCarries();

private:
    /// Square millimetres.
    static double areaOf(const FigurePolygon& polygon) {
        double twice = 0;
        for (std::size_t i = 0; i < polygon.points.size(); ++i) {
            const QPointF a = polygon.points[i], b = polygon.points[(i + 1) % polygon.points.size()];
            twice += a.x() * b.y() - b.x() * a.y();
        }
        return std::abs(twice) / 2;
    }
    static double filled(const Figure& figure) {
        double sum = 0;
        for (const FigureItem& item : figure.items)
            if (const auto* polygon = std::get_if<FigurePolygon>(&item)) sum += areaOf(*polygon);
        return sum;
    }
    static std::vector<FigureLine> linesOf(const Figure& figure, const std::string& role) {
        std::vector<FigureLine> lines;
        for (const FigureItem& item : figure.items)
            if (const auto* line = std::get_if<FigureLine>(&item); line && line->role == role)
                lines.push_back(*line);
        return lines;
    }
    static ScheduleFigureOptions withoutLegend() {
        ScheduleFigureOptions options;
        options.legend = false;
        options.laneMm = 10;
        return options;
    }
    /// What the links of the run carry, as the area that it is to take in the panels.
    static double expectedArea(const PlanRun& run, const Figure& figure, const std::vector<int>& links) {
        const Timeline& timeline = run.evaluation->timeline;
        const std::vector<LinkUse> uses =
            linkUses(*run.costs, run.result.plan, run.evaluation->lowered().edges, timeline);
        const FigureLine first = linesOf(figure, "bandwidth").front();
        const double mmPerS =
            (first.to.x() - first.from.x()) / (timeline.lastEndS() - timeline.firstStartS());
        double area = 0;
        for (const int link : links) {
            const LoadCurve curve = loadCurve(timeline, uses[static_cast<std::size_t>(link)]);
            const double bandwidth = uses[static_cast<std::size_t>(link)].bandwidthBps();
            const double mmOfAll = 10 / (1.15 * std::max(1.0, curve.peakBps() / bandwidth));
            area += curve.bytes() / bandwidth * mmPerS * mmOfAll;
        }
        return area;
    }
    static int linkCount(const PlanRun& run) {
        return static_cast<int>(
            linkUses(*run.costs, run.result.plan, run.evaluation->lowered().edges, run.evaluation->timeline)
                .size());
    }
};

void LinkFigureTest::whatIsFilledIsWhatTheLinkCarries() {
    const auto run = sample::run();
    for (int link = 0; link < linkCount(*run); ++link) {
        const Figure figure = linkFigure(*run, withoutLegend(), link);
        const double expected = expectedArea(*run, figure, {link});
        QVERIFY(expected > 1);
        QVERIFY2(std::abs(filled(figure) - expected) < 1e-6 * expected,
                 qPrintable(QString("%1 %2").arg(filled(figure)).arg(expected)));
    }
}

/// Four transfers want 40 GB/s of an uplink of 20.
void LinkFigureTest::whatIsWantedOfASharedLinkIsALineAboveWhatItCarries() {
    const Project project =
        openProject(std::string(STAGECRAFT_SOURCE_DIR) + "/samples/fat-tree.stagecraft.json");
    const PlanRun run =
        evaluatePlan(std::make_shared<const CostModel>(project.problem), project.plans.front());
    const std::vector<LinkUse> uses =
        linkUses(*run.costs, run.result.plan, run.evaluation->lowered().edges, run.evaluation->timeline);
    int shared = -1;
    for (std::size_t i = 0; i < uses.size(); ++i)
        for (const LinkWay& way : uses[i].ways)
            if (nameOf(project.problem.cluster, way) == "left → spine") shared = static_cast<int>(i);
    QVERIFY(shared >= 0);
    const Figure figure = linkFigure(run, withoutLegend(), shared);
    const double expected = expectedArea(run, figure, {shared}) * 1.0 / 2;  // the scale holds the demand
    QVERIFY2(std::abs(filled(figure) - expected) < 1e-6 * expected,
             qPrintable(QString("%1 %2").arg(filled(figure)).arg(expected)));
    const double bandwidthY = linesOf(figure, "bandwidth").front().from.y();
    double highestY = bandwidthY, lowestY = 0;
    for (const FigureLine& line : linesOf(figure, "demand")) {
        highestY = std::min(highestY, line.from.y());
        lowestY = std::max(lowestY, line.from.y());
    }
    QVERIFY(std::abs((lowestY - highestY) - 2 * (lowestY - bandwidthY)) < 1e-9);
}

void LinkFigureTest::whatCannotBeToldApartIsDrawnAsItsMean() {
    const auto run = savingRun(2000, 2);
    const Figure figure = linkFigure(*run, withoutLegend(), 0);
    std::size_t points = 0;
    for (const FigureItem& item : figure.items)
        if (const auto* polygon = std::get_if<FigurePolygon>(&item)) points += polygon->points.size();
    QVERIFY(points > 0 && points < 8000);  // four a column and kind at most
    const LinkUse use =
        linkUses(*run->costs, run->result.plan, run->evaluation->lowered().edges, run->evaluation->timeline)
            .front();
    const LoadCurve curve = loadCurve(run->evaluation->timeline, use);
    const FigureLine line = linesOf(figure, "bandwidth").front();
    const FigureLine axis = linesOf(figure, "axis").front();
    const double mmPerS = (line.to.x() - line.from.x()) /
                          (run->evaluation->timeline.lastEndS() - run->evaluation->timeline.firstStartS());
    const double expected = curve.bytes() / use.bandwidthBps() * mmPerS * (axis.to.y() - line.from.y());
    QVERIFY2(std::abs(filled(figure) - expected) < 1e-6 * expected,
             qPrintable(QString("%1 %2").arg(filled(figure)).arg(expected)));
}

void LinkFigureTest::theBusiestComeFirstAndNoMoreThanFit() {
    const auto run = savingRun(8, 6);
    QVERIFY(linkCount(*run) > mostLinkPanels);
    const Figure figure = linkFigure(*run, withoutLegend());
    QCOMPARE(static_cast<int>(linesOf(figure, "bandwidth").size()), mostLinkPanels);
    const auto note = std::find_if(figure.items.begin(), figure.items.end(), [](const FigureItem& item) {
        const auto* text = std::get_if<FigureText>(&item);
        return text && text->text.startsWith("the 8 busiest of");
    });
    QVERIFY(note != figure.items.end());
}

void LinkFigureTest::oneLinkOrThoseOfSomeLanesCanBeAskedFor() {
    const auto run = sample::run();
    const Figure all = linkFigure(*run, withoutLegend());
    QCOMPARE(static_cast<int>(linesOf(all, "bandwidth").size()), linkCount(*run));
    QCOMPARE(linesOf(linkFigure(*run, withoutLegend(), 1), "bandwidth").size(), std::size_t{1});
    ScheduleFigureOptions options = withoutLegend();
    options.lanes = {3};  // the AllReduce, on the links of the first stage
    const std::size_t some = linesOf(linkFigure(*run, options), "bandwidth").size();
    QVERIFY(some > 0 && some < linesOf(all, "bandwidth").size());
    QVERIFY_EXCEPTION_THROWN(linkFigure(*run, withoutLegend(), linkCount(*run)), std::invalid_argument);
}

void LinkFigureTest::aPlanWithoutTransfersHasNoSuchFigure() {
    const auto run = sample::run();
    ScheduleFigureOptions options = withoutLegend();
    options.timeRangeS = {0.0, 0.01};  // before the first transfer
    QVERIFY_EXCEPTION_THROWN(linkFigure(*run, options), std::invalid_argument);
}

STAGECRAFT_TEST(LinkFigureTest)
#include "link_figure_test.moc"
