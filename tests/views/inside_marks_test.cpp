// What is sent within a stage whose GPUs divide its layers, in charts and figures.

#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"
#include "tests/core/support/two_servers.h"
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "views/common/theme.h"
#include "views/figures/inside_marks.h"
#include "views/figures/schedule_figure.h"
#include "views/plan/plan_view.h"
#include "views/play/play_canvas.h"
#include "views/play/play_data.h"
#include "views/play/play_view.h"
#include "views/resources/link_data.h"
#include "views/timeline/block_text.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/inside_overlay.h"
#include "views/timeline/legend.h"
#include "views/timeline/play_clock.h"
#include "views/timeline/time_plot.h"
#include "views/topology/topology_canvas.h"

#include <QTest>

#include <algorithm>

using namespace stagecraft;

class InsideMarksTest : public QObject {
    Q_OBJECT

private slots:
    void sharesOfColumnsAreThoseOfTheSteps();
    void chartsShowWhenRanksSend();
    void figuresShowItWithItsEntryUnlessToldNotTo();
    void aPassThatAFigureCutsOffKeepsItsTimes();
    void whatOthersSlowDownIsLongerInChartsAndCards();
    void packetsGoRoundTheRanksWhileTheySendAndNotWhileTheyCompute();

private:
    /// Four stages of eight tensor-parallel GPUs; or the same without groups.
    static std::shared_ptr<const PlanRun> runOf(bool groups) {
        Project project = openProject(STAGECRAFT_SOURCE_DIR "/samples/llama-3-70b.stagecraft.json");
        Plan plan = project.plans.front();
        if (!groups)
            for (Stage& stage : plan.stages) stage.group = {};
        for (Device& device : project.problem.cluster.devices) device.memoryBytes = 1e13;
        return std::make_shared<const PlanRun>(
            evaluatePlan(std::make_shared<const CostModel>(project.problem), plan));
    }
    /// Two copies of a layer, each divided among one GPU of either server: a forward of 1 s computing and 2 s
    /// sending, which they do at once over one link, and so in 4 s.
    static std::shared_ptr<const PlanRun> slowedRun() {
        test::TwoServers made(10);
        Layer layer{"block", 2, 4, 0, 0, 0, 0, 1};
        layer.division = LayerDivision{.forwardShare = 1,
                                       .backwardShare = 1,
                                       .weightGradientShare = 1,
                                       .entryBytes = 20,
                                       .exitBytes = 20};
        made.problem.profile.layers = {layer};
        made.problem.profile.divisible = {2, 2, 0};
        made.plan.stages = {{0, 0, {0, 2}, 0}, {0, 0, {1, 3}, 1}};
        for (Stage& stage : made.plan.stages) stage.group.tensor = 2;
        return std::make_shared<const PlanRun>(
            evaluatePlan(std::make_shared<const CostModel>(made.problem), made.plan));
    }
    static bool isReddish(QRgb pixel, const QColor& colour) {
        return std::abs(qRed(pixel) - colour.red()) < 40 && std::abs(qGreen(pixel) - colour.green()) < 40 &&
               std::abs(qBlue(pixel) - colour.blue()) < 40;
    }
};

void InsideMarksTest::sharesOfColumnsAreThoseOfTheSteps() {
    const std::vector<InsideStep> steps = {{0, InsideKind::computing, 0, 0.25},
                                           {0, InsideKind::tensor, 0.25, 0.5},
                                           {1, InsideKind::computing, 0.5, 0.9},
                                           {1, InsideKind::expert, 0.9, 1}};
    const auto expect = [&](double from, double to, const std::vector<double>& shares) {
        const std::vector<double> found = sentShares(steps, from, to, static_cast<int>(shares.size()));
        for (std::size_t column = 0; column < shares.size(); ++column)
            QVERIFY2(std::abs(found[column] - shares[column]) < 1e-9,
                     qPrintable(QString::number(found[column])));
    };
    expect(0, 1, {0, 1, 0, 0.4});
    expect(0, 1, {0.35});
    expect(0.25, 0.5, {1, 1, 1});
    expect(0, 0.25, {0, 0});
}

void InsideMarksTest::chartsShowWhenRanksSend() {
    for (const bool groups : {true, false}) {
        const auto run = runOf(groups);
        QVERIFY(run->ok());
        PlanView view;
        view.resize(1200, 800);
        view.setRun(run);
        view.show();
        QTRY_VERIFY(view.isReady());
        const Timeline& timeline = run->evaluation->timeline;
        const std::uint32_t block = timeline.find(BlockKind::forward, 1, 0, 0);
        QVERIFY(block != noBlock);
        const double startS = timeline.startS[block], lastsS = timeline.durationS(block);
        view.setVisibleRange(startS - lastsS, startS + 2 * lastsS);
        const QRectF where = view.gantt().blockRect(block);
        QVERIFY(where.width() > 200);
        const QImage shot = view.gantt().plot().grab().toImage();
        int marked = 0;
        const int bottom = static_cast<int>(where.bottom()) - 3;
        for (int x = static_cast<int>(where.left()) + 2; x < static_cast<int>(where.right()) - 2; ++x)
            marked += isReddish(shot.pixel(x, bottom), insideColour());
        QCOMPARE(view.findChild<Legend*>()->texts().contains(QStringLiteral("sent within the stage")),
                 groups);
        if (!groups) {
            QCOMPARE(marked, 0);
            continue;
        }
        double share = 0;
        for (const InsideStep& step : insideSteps(*run->costs, run->result.plan, 1, BlockKind::forward))
            if (step.kind != InsideKind::computing) share += step.to - step.from;
        QVERIFY2(std::abs(marked - share * where.width()) < 0.15 * where.width(),
                 qPrintable(QStringLiteral("%1 of %2, share %3").arg(marked).arg(where.width()).arg(share)));
    }
}

void InsideMarksTest::whatOthersSlowDownIsLongerInChartsAndCards() {
    const auto run = slowedRun();
    QVERIFY(run->ok());
    PlanView view;
    view.resize(1200, 800);
    view.setRun(run);
    view.show();
    QTRY_VERIFY(view.isReady());
    const Timeline& timeline = run->evaluation->timeline;
    const std::uint32_t block = timeline.find(BlockKind::forward, 0, 0, 0);
    QCOMPARE(timeline.durationS(block), 5.0);
    const QRectF where = view.gantt().blockRect(block);
    const QImage shot = view.gantt().plot().grab().toImage();
    int marked = 0;
    for (int x = static_cast<int>(where.left()) + 2; x < static_cast<int>(where.right()) - 2; ++x)
        marked += isReddish(shot.pixel(x, static_cast<int>(where.bottom()) - 3), insideColour());
    QVERIFY2(std::abs(marked - 0.8 * where.width()) < 0.05 * where.width(),
             qPrintable(QStringLiteral("%1 of %2").arg(marked).arg(where.width())));
    const auto chart = std::make_shared<const ChartData>(run);
    const QString card = blockCard(*chart, block);
    QVERIFY2(card.contains("3.00 s; it had to share links"), qPrintable(card));
    QVERIFY2(card.contains("inside, alone"), qPrintable(card));
    const LinkData links(chart);
    for (std::size_t link = 0; link < links.links.size(); ++link) {
        if (links.links[link].ways.front() != QStringLiteral("a-switch → b-switch")) continue;
        const auto carriedAt = [&](double timeS) {
            double all = 0;
            for (const double bps : links.bpsAt(link, timeS)) all += bps;
            return all;
        };
        QCOMPARE(carriedAt(0.5), 0.0);
        QCOMPARE(carriedAt(2), 10.0);
        return;
    }
    QFAIL("no link joins the servers");
}

void InsideMarksTest::figuresShowItWithItsEntryUnlessToldNotTo() {
    const auto count = [](const Figure& figure) {
        int rectangles = 0, entries = 0;
        for (const FigureItem& item : figure.items) {
            if (const auto* rect = std::get_if<FigureRectangle>(&item)) rectangles += rect->role == "inside";
            if (const auto* text = std::get_if<FigureText>(&item))
                entries += text->text == "sent within the stage";
        }
        return std::pair(rectangles, entries);
    };
    const auto run = runOf(true);
    ScheduleFigureOptions options;
    options.widthMm = 178;
    const Timeline& timeline = run->evaluation->timeline;
    const double firstS = timeline.durationS(timeline.find(BlockKind::forward, 0, 0, 0));
    options.timeRangeS = {0, 8 * firstS};
    const auto [rectangles, entries] = count(scheduleFigure(*run, options));
    QVERIFY(rectangles > 40);
    QCOMPARE(entries, 1);
    options.insides = false;
    QCOMPARE(count(scheduleFigure(*run, options)), std::pair(0, 0));
    // From near the strip says how it is sent.
    const auto words = [&] {
        const Figure figure = scheduleFigure(*run, options);
        return std::ranges::count_if(figure.items, [](const FigureItem& item) {
            const auto* text = std::get_if<FigureText>(&item);
            return text && text->text == "ring";
        });
    };
    options.timeRangeS = {0, firstS / 4};
    options.laneMm = 14;
    QCOMPARE(words(), 0);
    options.insides = true;
    QVERIFY(words() > 0);
    options.laneMm = 0;
    options.timeRangeS = {0, 8 * firstS};
    options.insides = true;
    QCOMPARE(count(scheduleFigure(*runOf(false), options)), std::pair(0, 0));
}

/// What is sent in the first half of a pass is at the same times where the figure ends in its midst.
void InsideMarksTest::aPassThatAFigureCutsOffKeepsItsTimes() {
    const auto run = runOf(true);
    const double passS =
        run->evaluation->timeline.durationS(run->evaluation->timeline.find(BlockKind::forward, 0, 0, 0));
    // At instants of the first half of stage 0's first pass.
    const auto sending = [&](double untilS) {
        ScheduleFigureOptions options;
        options.widthMm = 178;
        options.timeRangeS = {0, untilS};
        std::vector<FigureRectangle> strip;  // of the topmost lane
        for (const FigureItem& item : scheduleFigure(*run, options).items)
            if (const auto* rect = std::get_if<FigureRectangle>(&item); rect && rect->role == "inside")
                if (strip.empty() || rect->rect.top() == strip.front().rect.top()) strip.push_back(*rect);
        const double leftMm = strip.front().rect.left();
        const double mmPerS = (strip.back().rect.right() - leftMm) / untilS;
        std::vector<bool> sends;
        for (int instant = 0; instant < 1000; ++instant) {
            const double atMm = leftMm + (instant + 0.5) / 2000 * passS * mmPerS;
            sends.push_back(std::ranges::any_of(strip, [&](const FigureRectangle& each) {
                return each.rect.left() <= atMm && atMm < each.rect.right() &&
                       each.fill.colour != QColor(Qt::white);
            }));
        }
        return sends;
    };
    const std::vector<bool> whole = sending(passS), cut = sending(passS * 0.6);
    const auto sent = std::ranges::count(whole, true);
    QVERIFY(sent > 100 && sent < 900);
    int apart = 0;
    for (std::size_t instant = 0; instant < whole.size(); ++instant) apart += whole[instant] != cut[instant];
    QVERIFY2(apart < 100, qPrintable(QString::number(apart)));
}

void InsideMarksTest::packetsGoRoundTheRanksWhileTheySendAndNotWhileTheyCompute() {
    const auto run = runOf(true);
    PlayView view;
    view.resize(1400, 900);
    view.setRuns({run});
    view.show();
    QTRY_VERIFY_WITH_TIMEOUT(!view.plans().empty(), 20'000);
    const PlayData& data = *view.plans().front();
    QVERIFY(view.findChild<Legend*>()->texts().contains(QStringLiteral("sent within the stage")));
    const Timeline& timeline = run->evaluation->timeline;
    const std::uint32_t block = timeline.find(BlockKind::forward, 1, 0, 0);
    QVERIFY(block != noBlock);
    const std::vector<PacketTrack>& tracks = data.insideTracks.at({1, InsideKind::tensor});
    QCOMPARE(tracks.size(), run->result.plan.stages[1].devices.size());
    int sent = 0, computed = 0;
    for (const InsideStep& step : insideSteps(*run->costs, run->result.plan, 1, BlockKind::forward)) {
        if (sent > 2 && computed > 2) break;
        const double share = (step.from + step.to) / 2;
        const double timeS = timeline.startS[block] + share * timeline.durationS(block);
        view.clock().setTime(timeS);
        const QImage image = view.canvas().grab().toImage();
        const QPointF middle = view.canvas().viewport().toScreen(tracks.front().at(0.5));
        const bool packet = isReddish(image.pixel(middle.toPoint()), insideColour());
        QCOMPARE(packet, step.kind != InsideKind::computing);
        QCOMPARE(data.sendingIn(block, timeS).has_value(), packet);
        ++(packet ? sent : computed);
    }
    QVERIFY(sent > 2 && computed > 2);
}

STAGECRAFT_TEST(InsideMarksTest)
#include "inside_marks_test.moc"
