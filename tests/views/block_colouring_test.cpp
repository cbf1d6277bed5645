// Blocks coloured by microbatch, chunk and copy of the network, on the screen and in print.
#include "core/base/indices.h"
#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"
#include "views/figures/palette.h"
#include "views/figures/schedule_figure.h"
#include "views/plan/plan_view.h"
#include "views/timeline/block_raster.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/legend.h"

#include <QComboBox>
#include <QTest>

#include <set>

using namespace stagecraft;

class BlockColouringTest : public QObject {
    Q_OBJECT
private slots:
    void microbatchesTakeTurnsWithTwelveHues();
    void stagesOfADeviceAreChunksFromZero();
    void directionsAreCopies();
    void everyPlanHasStages();
    void forwardAndBackwardDifferInGrey();
    void keysColourAPlanWithABarrier();
    void aFigureShowsChunksAndSaysSo();
    void aPairHasTheColoursOfItsForwardAndItsBackward();
    void thePixelsOfAPairAreOfBothColours();
    void figuresShowBothColoursOfAPair();
    void aLegendNamesWhatCanBeSeen();

private:
    /// A plan of the sample that has all families, with as many microbatches.
    static std::shared_ptr<const PlanRun> runOf(const std::string& family, int microbatches = 8) {
        static const Project project =
            openProject(STAGECRAFT_SOURCE_DIR "/samples/schedules.stagecraft.json");
        Problem problem = project.problem;
        problem.setup.microbatches = microbatches;
        const auto costs = std::make_shared<const CostModel>(std::move(problem));
        for (const Plan& plan : project.plans)
            if (std::get<FamilySchedule>(plan.schedule.order).name == family)
                return std::make_shared<const PlanRun>(evaluatePlan(costs, plan));
        return nullptr;
    }
    static BlockClasses classesOf(const PlanRun& run, BlockColouring by) {
        return {by, run.evaluation->timeline, run.result.plan.stages, nullptr};
    }
    /// The colour of a stage's pass.
    static QColor colourOf(const PlanRun& run, const BlockClasses& classes, BlockKind kind, int stage,
                           int microbatch) {
        const Timeline& timeline = run.evaluation->timeline;
        return classes.colour(classes.column(timeline)[timeline.find(kind, stage, microbatch, 0)]);
    }
};

void BlockColouringTest::microbatchesTakeTurnsWithTwelveHues() {
    const auto run = runOf("1f1b", 14);
    const BlockClasses classes = classesOf(*run, BlockColouring::microbatch);
    const auto colour = [&](BlockKind kind, int stage, int microbatch) {
        return colourOf(*run, classes, kind, stage, microbatch);
    };
    QCOMPARE(colour(BlockKind::forward, 0, 1), colour(BlockKind::forward, 3, 1));
    QCOMPARE(colour(BlockKind::forward, 0, 0), colour(BlockKind::forward, 0, 12));
    for (const BlockKind kind : {BlockKind::forward, BlockKind::backward}) {
        std::set<QRgb> hues;
        for (int microbatch = 0; microbatch < 12; ++microbatch) hues.insert(colour(kind, 0, microbatch).rgb());
        QCOMPARE(hues.size(), 12u);
    }
    QCOMPARE(classes.steps().size(), 12u);
    QCOMPARE(classes.steps().front().label, QString("0, 12"));
    QCOMPARE(classes.steps().back().label, QString("11"));
}

void BlockColouringTest::stagesOfADeviceAreChunksFromZero() {
    const auto run = runOf("zb-v");  // stages s and 7 - s on device s
    const BlockClasses classes = classesOf(*run, BlockColouring::chunk);
    QCOMPARE(classes.steps().size(), 2u);
    for (int stage = 0; stage < 8; ++stage)
        QCOMPARE(colourOf(*run, classes, BlockKind::forward, stage, 0),
                 classes.steps()[stage < 4 ? 0 : 1].forward);
    QCOMPARE(classesOf(*runOf("1f1b"), BlockColouring::chunk).steps().size(), 1u);
}

void BlockColouringTest::directionsAreCopies() {
    const auto run = runOf("chimera");
    const BlockClasses classes = classesOf(*run, BlockColouring::copy);
    QCOMPARE(classes.steps().size(), 2u);
    QCOMPARE(colourOf(*run, classes, BlockKind::forward, 0, 0), classes.steps()[0].forward);
    QCOMPARE(colourOf(*run, classes, BlockKind::backward, 4, 1), classes.steps()[1].backward);
}

void BlockColouringTest::everyPlanHasStages() {
    for (const char* family : {"1f1b", "interleaved", "chimera", "zb-v", "dualpipe-v", "gpipe"}) {
        const auto run = runOf(family);
        QVERIFY2(run, family);
        const BlockClasses classes = classesOf(*run, BlockColouring::stage);
        const std::size_t stages = run->result.plan.stages.size();
        QCOMPARE(classes.steps().size(), std::min<std::size_t>(12, stages));
        const Timeline& timeline = run->evaluation->timeline;
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
            if (timeline.kind[block] != BlockKind::forward) continue;
            const auto step = at(timeline.stage[block] % 12);
            QCOMPARE(classes.colour(classes.column(timeline)[block]), classes.steps()[step].forward);
        }
    }
}

void BlockColouringTest::forwardAndBackwardDifferInGrey() {
    const auto run = runOf("zb-v");
    for (const BlockColouring by :
         {BlockColouring::chunk, BlockColouring::copy, BlockColouring::microbatch, BlockColouring::stage}) {
        const BlockClasses classes = classesOf(*run, by);
        std::vector<int> greys;
        for (const ColourStep& step : classes.steps()) {
            greys.push_back(qGray(step.forward.rgb()));
            greys.push_back(qGray(step.backward.rgb()));
        }
        for (std::size_t i = 0; i + 1 < greys.size(); ++i)
            QVERIFY2(std::abs(greys[i] - greys[i + 1]) >= 10, qPrintable(classes.title()));
    }
}

void BlockColouringTest::keysColourAPlanWithABarrier() {
    PlanView view;
    view.resize(900, 600);
    view.setRun(runOf("zb-v"));
    view.show();
    QTRY_VERIFY(view.isReady());
    auto* box = view.findChild<QComboBox*>("colouring");
    QVERIFY(box->isVisible());
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_C);
    QCOMPARE(view.colouring(), BlockColouring::chunk);
    QTRY_COMPARE(view.gantt().scene().classes().colouring(), BlockColouring::chunk);
    QVERIFY(box->isVisible());
    QVERIFY(view.findChild<Legend*>()->texts().contains("chunk"));
    QTest::keyClick(&view, Qt::Key_T);  // staleness: there is none
    QCOMPARE(view.colouring(), BlockColouring::chunk);
    QTest::keyClick(&view, Qt::Key_K);
    QTRY_COMPARE(view.gantt().scene().classes().colouring(), BlockColouring::kind);
    QVERIFY(box->isVisible());
}

void BlockColouringTest::aFigureShowsChunksAndSaysSo() {
    ScheduleFigureOptions options;
    options.colouring = BlockColouring::chunk;
    QStringList texts;
    for (const FigureItem& item : scheduleFigure(*runOf("interleaved"), options).items)
        if (const auto* text = std::get_if<FigureText>(&item)) texts << text->text;
    QVERIFY(texts.contains("chunk 0"));
    QVERIFY(texts.contains("chunk 1"));
    QVERIFY(!texts.contains("forward"));
    options.colouring = BlockColouring::staleness;
    texts.clear();
    for (const FigureItem& item : scheduleFigure(*runOf("interleaved"), options).items)
        if (const auto* text = std::get_if<FigureText>(&item)) texts << text->text;
    QVERIFY(texts.contains("forward"));
}

void BlockColouringTest::aPairHasTheColoursOfItsForwardAndItsBackward() {
    const std::pair<const char*, BlockColouring> cases[] = {{"dualpipe-v", BlockColouring::microbatch},
                                                            {"dualpipe-v", BlockColouring::chunk},
                                                            {"dualpipe", BlockColouring::copy}};
    for (const auto& [family, by] : cases) {
        const auto run = runOf(family);
        const Timeline& timeline = run->evaluation->timeline;
        const BlockClasses classes = classesOf(*run, by);
        QVERIFY(!timeline.pairs.empty());
        bool differ = false;
        for (const PairedBackward& pair : timeline.pairs) {
            const int blockClass = classes.column(timeline)[pair.block];
            QCOMPARE(classes.kindOf(blockClass), BlockKind::pair);
            const PairColours shown = classes.shownPairColours(blockClass);
            // As those passes have where they run alone on the stage.
            const auto number = [&](int stage, int microbatch) {
                if (by == BlockColouring::microbatch) return microbatch % 12;
                return by == BlockColouring::chunk ? int(stage >= 4)
                                                   : run->result.plan.stages[at(stage)].pipeline;
            };
            const int forward = number(timeline.stage[pair.block], timeline.microbatch[pair.block]);
            const int backward = number(pair.stage, pair.microbatch);
            QCOMPARE(shown.forward, classes.steps()[at(forward)].forward);
            QCOMPARE(shown.backward, classes.steps()[at(backward)].backward);
            differ = differ || forward != backward;
        }
        QVERIFY2(differ, family);
    }
    const BlockClasses kinds;
    const PairColours shown = kinds.shownPairColours(static_cast<int>(BlockKind::pair));
    QCOMPARE(shown.forward, shownBlockColour(BlockKind::forward));
    QCOMPARE(shown.backward, shownBlockColour(BlockKind::backward));
}

void BlockColouringTest::thePixelsOfAPairAreOfBothColours() {
    const auto run = runOf("dualpipe-v");
    const Timeline& timeline = run->evaluation->timeline;
    const BlockClasses classes = classesOf(*run, BlockColouring::chunk);
    const std::uint8_t blockClass = classes.column(timeline)[timeline.pairs.front().block];
    QImage image(8, 20, QImage::Format_RGB32);
    BlockRaster raster(image, RasterColours::current(classes), std::vector<bool>(8, false), 1);
    raster.fillBackground();
    raster.paintLane(0, 20, {blockClass}, std::vector<float>(8, 1.0f), {}, 8, 8);
    const PairColours shown = classes.shownPairColours(blockClass);
    QCOMPARE(QColor(image.pixel(4, 5)), shown.forward);
    QCOMPARE(QColor(image.pixel(4, 15)), shown.backward);
    QVERIFY(shown.forward != shown.backward);
    // A column that is half of it, on the ground of the chart.
    raster.paintLane(0, 20, {blockClass}, std::vector<float>(8, 0.5f), {}, 8, 8);
    const auto half = [](const QColor& colour) {
        return mixed(Theme::current().surface.rgb(), colour.rgb(), 0.5f);
    };
    QVERIFY(std::abs(qRed(image.pixel(4, 15)) - qRed(half(shown.backward))) <= 1);
    QVERIFY(std::abs(qGreen(image.pixel(4, 5)) - qGreen(half(shown.forward))) <= 1);
}

void BlockColouringTest::figuresShowBothColoursOfAPair() {
    ScheduleFigureOptions options;
    options.colouring = BlockColouring::chunk;
    const auto run = runOf("dualpipe-v");
    const BlockClasses classes = classesOf(*run, BlockColouring::chunk);
    const int steps = static_cast<int>(classes.steps().size());
    const auto printed = [&](int step) {  // as light as can be told apart in grey
        const ColourStep& own = classes.steps()[static_cast<std::size_t>(step)];
        return spreadInLightness(step, steps, {own.forward, own.backward});
    };
    int above = 0, below = 0;
    const double laneMm = options.laneMm = 4;
    for (const FigureItem& item : scheduleFigure(*run, options).items)
        if (const auto* box = std::get_if<FigureRectangle>(&item); box && box->rect.height() == laneMm / 2) {
            above += box->role == "chunk 0 forward" && box->fill.colour == printed(0).first;
            below += box->role == "chunk 1 backward" && box->fill.colour == printed(1).second;
        }
    QVERIFY(above > 0);
    QVERIFY(below > 0);
}

void BlockColouringTest::aLegendNamesWhatCanBeSeen() {
    const auto run = runOf("dualpipe");  // whose AllReduce takes next to no time
    const Timeline& timeline = run->evaluation->timeline;
    const auto reduces = std::find(timeline.kind.begin(), timeline.kind.end(), BlockKind::allReduce);
    QVERIFY(reduces != timeline.kind.end());
    ScheduleFigureOptions options;
    const auto texts = [&] {
        QStringList all;
        for (const FigureItem& item : scheduleFigure(*run, options).items)
            if (const auto* text = std::get_if<FigureText>(&item)) all << text->text;
        return all;
    };
    QVERIFY(texts().contains("overlapped pair"));
    QVERIFY(!texts().contains("AllReduce"));
    const auto zoomTo = [&](auto found) {
        const auto block = static_cast<std::uint32_t>(found - timeline.kind.begin());
        options.timeRangeS = {timeline.startS[block], timeline.endS[block]};
    };
    // The first runs under blocks of its GPUs, which cover it; the last after all of them.
    zoomTo(reduces);
    QVERIFY(!texts().contains("AllReduce"));
    zoomTo(std::find(reduces + 1, timeline.kind.end(), BlockKind::allReduce));
    QVERIFY(texts().contains("AllReduce"));
}

STAGECRAFT_TEST(BlockColouringTest)
#include "block_colouring_test.moc"
