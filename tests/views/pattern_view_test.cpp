// A pattern as a chart of one period.
#include "core/formats/files/project_file.h"
#include "core/planners/planned_run.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/view_tests.h"
#include "views/common/theme.h"
#include "views/compare/plan_details.h"
#include "views/figures/figure_writers.h"
#include "views/pattern/pattern_view.h"

#include <QTest>

using namespace stagecraft;

namespace {

const std::filesystem::path sample = STAGECRAFT_SOURCE_DIR "/samples/madpipe-resnet-50.stagecraft.json";

/// Plan 0 has a GPU with two stages, plan 1 one stage per GPU.
std::shared_ptr<const PlanRun> patternRun(std::size_t plan) {
    const Project project = openProject(sample);
    return std::make_shared<const PlanRun>(
        reopenPlan(std::make_shared<const CostModel>(project.problem), project.plans[plan],
                   plan < project.origins.size() ? project.origins[plan] : PlanOrigin{}));
}

const PeriodicSchedule& patternOf(const PlanRun& run) {
    return std::get<PeriodicSchedule>(run.result.plan.schedule.order);
}

}  // namespace

class PatternViewTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void aProcessorThatHoldsTwoStagesHasOneLane() {
        const PatternChart chart = patternChart(*patternRun(0));
        int processors = 0;
        for (const PatternLane& lane : chart.lanes) processors += lane.link ? 0 : 1;
        QCOMPARE(processors, 4);
        QCOMPARE(chart.lanes.front().stages, (std::vector<int>{0, 4}));
        QCOMPARE(PatternChart::stagesText(chart.lanes.front()), QStringLiteral("stages 0, 4"));
        QVERIFY(chart.lanes[1].link);
        QCOMPARE(chart.batches.size(), std::size_t(5));
    }

    void lanesHaveTheAuthorsNamesAndStagesCountFromOne() {
        PatternFigureOptions options;
        options.widthMm = 178;
        options.laneNames = "P{n}";
        options.firstStage = 1;
        QStringList words;
        for (const FigureItem& item : patternFigure(*patternRun(0), options).items)
            if (const auto* text = std::get_if<FigureText>(&item)) words << text->text;
        QVERIFY2(words.contains("P1") && words.contains("P4") && words.contains(QString("P1–P2")),
                 qPrintable(words.join('|')));
        QVERIFY2(words.filter("F0").isEmpty() && words.filter("s0g0").isEmpty(), qPrintable(words.join('|')));
    }

    void everyOperationIsDrawnOnceWithItsWholeDurationInsideThePeriod() {
        for (const std::size_t plan : {0, 1}) {
            const auto run = patternRun(plan);
            const PatternChart chart = patternChart(*run);
            for (const PatternOperation& operation : patternOf(*run).operations) {
                double drawn = 0, duration = 0;
                int pieces = 0;
                for (const PatternBlock& block : chart.blocks) {
                    QVERIFY(block.fromS >= 0 && block.toS <= chart.periodS * (1 + 1e-9));
                    if (block.kind != operation.kind || block.stage != operation.stage) continue;
                    QCOMPARE(block.shift, operation.shift);
                    drawn += block.toS - block.fromS;
                    duration = block.durationS;
                    ++pieces;
                }
                QVERIFY(pieces == 1 || pieces == 2);
                QVERIFY(std::abs(drawn - duration) < 1e-9);
            }
        }
    }

    void blocksOfALaneDoNotOverlap() {
        const PatternChart chart = patternChart(*patternRun(0));
        for (const PatternBlock& a : chart.blocks)
            for (const PatternBlock& b : chart.blocks)
                if (&a != &b && a.lane == b.lane) QVERIFY(a.toS <= b.fromS + 1e-9 || b.toS <= a.fromS + 1e-9);
    }

    void groupsOfOneForwardOneBackwardStarFallFromTheFirstStageToTheLast() {
        const PatternChart chart = patternChart(*patternRun(1));
        int above = 1000;
        for (const PatternLane& lane : chart.lanes) {
            QVERIFY(lane.group() > 0);
            QVERIFY(lane.group() <= above);
            above = lane.group();
        }
        QCOMPARE(chart.lanes.back().group(), 1);
    }

    void shiftsBracketsAndThePeriodStandInTheFigure() {
        const auto run = patternRun(1);
        const Figure figure = patternFigure(*run, {181.9});
        const std::vector<QString> texts = textsOf(figure);
        const auto has = [&](const QString& text) {
            return std::count(texts.begin(), texts.end(), text) > 0;
        };
        for (const PatternOperation& operation : patternOf(*run).operations)
            if (operation.kind == BlockKind::forward)
                QVERIFY(has(QStringLiteral("F%1 (%2)").arg(operation.stage).arg(operation.shift)) ||
                        has(QStringLiteral("(%1)").arg(operation.shift)));
        QVERIFY(has(QStringLiteral("group 1")));
        QVERIFY(std::any_of(texts.begin(), texts.end(),
                            [](const QString& text) { return text.startsWith(QStringLiteral("T = ")); }));
    }

    void theFigureIsWrittenInEveryFormatAndStaysInsideItsWidth() {
        for (const double width : {84.7, 181.9}) {
            const Figure figure = patternFigure(*patternRun(0), {width});
            QCOMPARE(figure.widthMm, width);
            for (const FigureItem& item : figure.items) {
                if (const auto* box = std::get_if<FigureRectangle>(&item))
                    QVERIFY(box->rect.right() <= width + 1e-6 && box->rect.left() >= 0);
                if (const auto* text = std::get_if<FigureText>(&item);
                    text && text->anchor == TextAnchor::end)
                    QVERIFY2(text->at.x() - textWidthMm(text->text, text->sizePt) >= -0.01,
                             qPrintable(text->text));
                if (const auto* text = std::get_if<FigureText>(&item);
                    text && text->anchor == TextAnchor::start)
                    QVERIFY2(text->at.x() + textWidthMm(text->text, text->sizePt) <= width + 0.01,
                             qPrintable(text->text));
            }
            QVERIFY(writeSvg(figure).contains("(1)"));
            QVERIFY(writePdf(figure).startsWith("%PDF"));
            QVERIFY(writeTikz(figure).contains("stagecraft forward"));
            QCOMPARE(writeSvg(figure), writeSvg(patternFigure(*patternRun(0), {width})));
        }
    }

    void aPlanWithoutAPatternIsRefused() {
        auto run = std::make_shared<PlanRun>(*patternRun(0));
        run->result.plan.schedule.order = FamilySchedule{};
        QVERIFY_EXCEPTION_THROWN(patternFigure(*run), std::invalid_argument);
    }

    void hoveringABlockTellsWhatItIs() {
        PatternView view;
        view.resize(1000, 700);
        view.setRun(patternRun(0));
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        PatternPicture& picture = view.picture();
        for (std::size_t i = 0; i < picture.chart().blocks.size(); ++i) {
            const PatternBlock& block = picture.chart().blocks[i];
            if (block.continued || picture.blockRect(static_cast<int>(i)).width() < 4) continue;
            QTest::mouseMove(&picture, picture.blockRect(static_cast<int>(i)).center().toPoint());
            QCOMPARE(picture.currentBlock(), static_cast<int>(i));
            const QString text = picture.accessibleDescription();
            QVERIFY(text.contains(block.kind == BlockKind::forward    ? "Forward"
                                  : block.kind == BlockKind::backward ? "Backward"
                                                                      : "Transfer"));
            QVERIFY(text.contains("Index&nbsp;shift"));
            if (block.kind == BlockKind::forward)
                QVERIFY(
                    text.contains(QStringLiteral("%1&nbsp;batch")
                                      .arg(picture.chart().batches[static_cast<std::size_t>(block.stage)])));
        }
        QTest::mouseMove(&picture, QPoint(1, 1));
        QCOMPARE(picture.currentBlock(), -1);
    }

    void arrowKeysGoFromBlockToBlock() {
        PatternView view;
        view.resize(1000, 700);
        view.setRun(patternRun(1));
        view.show();
        QVERIFY(QTest::qWaitForWindowActive(&view));
        PatternPicture& picture = view.picture();
        picture.setFocus();
        QTest::keyClick(&picture, Qt::Key_Right);
        QCOMPARE(picture.currentBlock(), 0);
        QTest::keyClick(&picture, Qt::Key_Right);
        QCOMPARE(picture.currentBlock(), 1);
        QTest::keyClick(&picture, Qt::Key_Left);
        QCOMPARE(picture.currentBlock(), 0);
        QTest::keyClick(&picture, Qt::Key_Escape);
        QCOMPARE(picture.currentBlock(), -1);
    }

    void whatWasExpectedAndWhatIsProvenStandsBesideThePattern() {
        PatternView view;
        view.setRun(patternRun(0));
        QVERIFY(view.facts().contains("the first phase expected"));
        QVERIFY(view.facts().contains("possible is"));
        QVERIFY(view.facts().contains("proven by"));
        view.setRun(nullptr);
        QVERIFY(view.facts().isEmpty());
    }

    void theDetailsSayWhatWasExpectedWhatWasPossibleAndWhoProvedIt() {
        const QString several = planDetails(*patternRun(0));
        QVERIFY(several.contains("Period expected by the first phase"));
        QVERIFY(several.contains("Period that was possible"));
        QVERIFY(several.contains("% longer"));
        QVERIFY(several.contains("proven by the built-in search"));
        QVERIFY(several.contains("4, 4, 3, 2, 1"));
        const QString contiguous = planDetails(*patternRun(1));
        QVERIFY(contiguous.contains("Proposition 1"));
        QVERIFY(!contiguous.contains("% longer"));
    }

    void bothThemesShowThePatternOnTheirOwnGround() {
        PatternView view;
        view.resize(900, 500);
        view.setRun(patternRun(0));
        view.show();
        applyTheme(*qApp, ThemeChoice::dark);
        QTest::qWait(20);
        const QImage dark = view.picture().picture(1);
        QCOMPARE(dark.pixelColor(2, 2), Theme::night().surface);
        applyTheme(*qApp, ThemeChoice::light);
        QTest::qWait(20);
        QCOMPARE(view.picture().picture(1).pixelColor(2, 2), Theme::light().surface);
    }
};

STAGECRAFT_TEST(PatternViewTest)
#include "pattern_view_test.moc"
