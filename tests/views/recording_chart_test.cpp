// Charts and figures of what was recorded, without a plan.
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "tests/views/plan_view_fixture.h"
#include "tests/views/recorded_fixture.h"
#include "views/figures/figure_writers.h"
#include "views/figures/schedule_figure.h"
#include "views/plan/answer_text.h"
#include "views/plan/details_pane.h"
#include "views/plan/plan_search.h"
#include "views/plan/plan_view_actions.h"
#include "views/plan/questions.h"
#include "views/plan/range_section.h"
#include "views/plan/resource_charts.h"
#include "views/plan/search_bar.h"
#include "views/resources/memory_chart.h"
#include "views/timeline/block_text.h"
#include "views/timeline/lane_labels.h"
#include "views/timeline/legend_content.h"
#include "views/timeline/plan_lanes.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QTest>
#include <QTextDocumentFragment>
#include <QToolButton>

using namespace stagecraft;

namespace {

QString textOfHtml(const QString& html) { return QTextDocumentFragment::fromHtml(html).toPlainText(); }

/// A recording in a view of usual size.
struct ShownRecording {
    std::shared_ptr<const RecordedRun> run;
    PlanView view;

    explicit ShownRecording(Recording recording) : run(recorded(std::move(recording))) {
        applyTheme(*qApp, ThemeChoice::light);
        view.resize(1000, 700);
        view.setRecorded(run);
        view.show();
        view.setFocus();
    }
    const Timeline& timeline() const { return run->recording->timeline; }
    QStringList labels() {
        QStringList names;
        for (const LaneRow& row : view.gantt().scene().rows) names << row.label;
        return names;
    }
    /// Clicks a lane's name as a person does.
    void clickName(int row) {
        auto* names = view.gantt().findChild<LaneLabels*>();
        const LaneRow& it = view.gantt().scene().rows[static_cast<std::size_t>(row)];
        QTest::mouseClick(names, Qt::LeftButton, {},
                          QPoint(20, view.gantt().plot().area().top() + it.top + it.height / 2));
    }
};

}  // namespace

class RecordingChartTest : public QObject {
    Q_OBJECT
private slots:
    void theChartIsThatOfThePlanThatWasRecorded();
    void theCardSaysNothingThatOnlyAPlanKnows();
    void noPanelIsEmpty();
    void memoryIsShownWhereItWasRecorded();
    void aRangeCountsWhatThePlansDoes();
    void aSearchFindsBlocksAndLabels();
    void idleTimeIsExplainedByWhatWasWaitedFor();
    void aPassSaysHowLongWhatItWaitedForHadBeenThere();
    void sharesLeaveOutIterationsThatWarmUp();
    void streamsOpenBelowTheirLaneByAClick();
    void streamsOpenWhereTheZoomLetsThemBeRead();
    void kernelsAloneAreTheRows();
    void aFigureIsThatOfThePlan();
    void aPlanIsOutlinedOverTheBlocks();
};

void RecordingChartTest::theChartIsThatOfThePlanThatWasRecorded() {
    ShownPlanView planned;
    planned.view.gantt().setCriticalPath(false);
    ShownRecording shown(recordingOf(*planned.run));
    QVERIFY(QTest::qWaitForWindowExposed(&shown.view));
    QStringList names;
    for (const LaneRow& row : planned.view.gantt().scene().rows) names << row.label;
    QCOMPARE(shown.labels().size(), names.size());
    for (qsizetype i = 0; i < names.size(); ++i)  // a recording does not say which collectives they are
        if (!names[i].startsWith(QStringLiteral("AllReduce"))) QCOMPARE(shown.labels()[i], names[i]);
    const quint32 block = planned.block(BlockKind::backward, 2, 3);
    QCOMPARE(shown.view.gantt().blockRect(block).width(), planned.view.gantt().blockRect(block).width());
}

void RecordingChartTest::theCardSaysNothingThatOnlyAPlanKnows() {
    const auto run = madeUpRun();
    const ChartData data(recorded(recordingOf(*run)));
    const quint32 block = run->evaluation->timeline.find(BlockKind::forward, 1, 2, 0);
    const QString card = textOfHtml(blockCard(data, block));
    QVERIFY2(card.startsWith(QStringLiteral("Forward of microbatch 2 on stage 1")), qPrintable(card));
    QVERIFY(card.contains(QStringLiteral("duration")));
    for (const char* word : {"bytes", "slack", "weights", "inside", "activations"})
        QVERIFY2(!card.contains(QLatin1String(word)), word);
}

void RecordingChartTest::noPanelIsEmpty() {
    ShownRecording shown(recordingOf(*madeUpRun()));
    QVERIFY(QTest::qWaitForWindowExposed(&shown.view));
    QVERIFY(!shown.view.resources().isVisible());
    QVERIFY(!shown.view.viewActions().criticalPath->isVisible());
    shown.view.viewActions().details->setChecked(true);
    shown.view.selectBlock(3);
    for (const QLabel* label : shown.view.details().findChildren<QLabel*>())
        if (label->isVisible()) QVERIFY2(!label->text().isEmpty(), qPrintable(label->objectName()));
    QVERIFY(shown.view.questions().boundsText().isEmpty());
    QVERIFY(!textOfHtml(shown.view.questions().blockText()).contains(QStringLiteral("slack")));
    // The plan's are there again with a plan.
    shown.view.setRun(madeUpRun());
    QVERIFY(shown.view.resources().isVisible());
    QVERIFY(shown.view.viewActions().criticalPath->isVisible());
}

void RecordingChartTest::memoryIsShownWhereItWasRecorded() {
    Recording recording = recordingOf(*madeUpRun());
    recording.series.push_back({"allocated", "bytes", 3, {0, 0.01, 0.02}, {1e9, 3e9, 2e9}});
    ShownRecording shown(std::move(recording));
    QVERIFY(QTest::qWaitForWindowExposed(&shown.view));
    QVERIFY(shown.view.resources().isVisible());
    for (const QToolButton* button : shown.view.resources().findChildren<QToolButton*>())
        if (button->text() == QLatin1String("Links")) QVERIFY(!button->isVisible());
    shown.view.memory().selectDevice(3);  // what fills it is not known
    QCOMPARE(shown.view.memory().selectedDevice(), -1);
    QCOMPARE(shown.run->memory[3].peakBytes(), 3e9);
}

void RecordingChartTest::aRangeCountsWhatThePlansDoes() {
    const auto run = madeUpRun();
    const Timeline& timeline = run->evaluation->timeline;
    const double from = 0.01, to = 0.7 * timeline.lastEndS();
    const RangeStatistics own = rangeStatistics(timeline, {}, from, to);
    const RangeStatistics planned =
        rangeStatistics(BlockBytes(*run->costs, run->result.plan, run->evaluation->lowered().edges), timeline,
                        run->evaluation->memory, from, to);
    QCOMPARE(own.blocks, planned.blocks);
    for (std::size_t i = 0; i < own.devices.size(); ++i) {
        QCOMPARE(own.devices[i].busyS, planned.devices[i].busyS);
        QCOMPARE(own.devices[i].bytes, 0.0);
    }
    // Of a device without passes what its streams do.
    const RangeStatistics kernels = rangeStatistics(kernelsAlone(2, 100).timeline, {}, 0, 1e-3);
    QVERIFY(std::abs(kernels.devices[1].busyShare() - 0.9) < 1e-9);
}

void RecordingChartTest::aSearchFindsBlocksAndLabels() {
    Recording recording = recordingOf(*madeUpRun());
    addStreams(recording, 1, 30);
    ShownRecording shown(std::move(recording));
    QVERIFY(QTest::qWaitForWindowExposed(&shown.view));
    const auto found = [&](const QString& text) {
        QTest::keyClick(&shown.view, Qt::Key_F, Qt::ControlModifier);
        QLineEdit& field = shown.view.search().bar().field();
        field.clear();
        QTest::keyClicks(&field, text);
        return shown.view.search().hits() ? shown.view.search().hits()->blocks().size() : 0;
    };
    QCOMPARE(found(QStringLiteral("stage:2 kind:backward mb:3..5")), std::size_t(3));
    QCOMPARE(found(QStringLiteral("sendrecv")), std::size_t(10));
    QCOMPARE(found(QStringLiteral("layer:0")), std::size_t(0));
    QVERIFY(shown.view.search().bar().answer().contains(QStringLiteral("no layer")));
}

void RecordingChartTest::idleTimeIsExplainedByWhatWasWaitedFor() {
    const auto run = madeUpRun();
    Recording recording = recordingOf(*run);
    const Timeline& timeline = recording.timeline;
    const int lane = timeline.computeLaneOf(run->result.plan.stages[2].devices.front());
    const auto known = idleCause(timeline, lane, 1e-4);
    QVERIFY(known && known->known && !known->chain.empty());
    QCOMPARE(known->chain.back().block, timeline.find(BlockKind::forward, 0, 0, 0));
    std::ranges::fill(recording.timeline.waitedFor, noBlock);
    const auto unknown = idleCause(recording.timeline, lane, 1e-4);
    QVERIFY(unknown && !unknown->known);
    QCOMPARE(QString::fromStdString(idleCauseText(timeline, *unknown, "it").back()),
             QStringLiteral("what it waited for is not recorded"));
}

void RecordingChartTest::aPassSaysHowLongWhatItWaitedForHadBeenThere() {
    Recording recording = recordingOf(*madeUpRun());
    Timeline& timeline = recording.timeline;
    const quint32 pass = timeline.find(BlockKind::forward, 2, 0, 0),
                  input = timeline.find(BlockKind::forward, 1, 0, 0);
    const auto answer = [&](double earlierS) {
        timeline.waitedFor[pass] = input;
        timeline.endS[input] = timeline.startS[pass] - earlierS;
        return textOfHtml(blockAnswer(ChartData(recorded(recording)), pass, std::nullopt));
    };
    const QString late = answer(2e-3);
    QVERIFY2(late.contains(QStringLiteral("microbatch 0 on stage 1, which ended 2.00 ms earlier")),
             qPrintable(late));
    for (const double rounding : {0.0, 1e-15}) {
        const QString at = answer(rounding);
        QVERIFY2(at.contains(QStringLiteral("on stage 1")) && !at.contains(QStringLiteral("earlier")),
                 qPrintable(at));
    }
}

/// As the figures beside the chart do.
void RecordingChartTest::sharesLeaveOutIterationsThatWarmUp() {
    Recording recording;
    recording.cluster.devices.push_back({"rank0", "", "", 0, 1, 0});
    recording.stageDevices = {{0}};
    Timeline& timeline = recording.timeline;
    timeline.lanes = {{LaneKind::compute, {0}, -1, -1, Direction::both, 0, 3}};
    timeline.startS = {0, 10, 20};
    timeline.endS = {1, 18, 28};
    timeline.kind.assign(3, BlockKind::forward);
    timeline.stage.assign(3, 0);
    timeline.microbatch.assign(3, 0);
    timeline.iteration = {0, 1, 2};
    timeline.waitedFor.assign(3, noBlock);
    timeline.waitReason.assign(3, WaitReason::data);
    recording.iterations = {{0, 10}, {10, 20}, {20, 30}};
    ShownRecording whole(recording);
    QCOMPARE(whole.view.gantt().scene().rows.front().share, QStringLiteral("61 %"));  // 17 of 28 s
    recording.iterations.front().warmsUp = true;
    ShownRecording warmed(recording);
    QCOMPARE(warmed.view.gantt().scene().rows.front().share, QStringLiteral("80 %"));
    QVERIFY(warmed.view.gantt().scene().rows.front().shareTip.contains(QStringLiteral("after the warm-up")));
    // Lanes are sorted by what is shown: with its warm-up the first one is busier, after it the second one.
    recording.cluster.devices.push_back({"rank1", "", "", 0, 1, 0});
    recording.stageDevices = {{0}, {1}};
    timeline.lanes = {{LaneKind::compute, {0}, -1, -1, Direction::both, 0, 3},
                      {LaneKind::compute, {1}, -1, -1, Direction::both, 3, 5}};
    timeline.startS = {0, 10, 20, 10, 20};
    timeline.endS = {9, 18, 28, 19, 29};
    timeline.kind.assign(5, BlockKind::forward);
    timeline.stage = {0, 0, 0, 1, 1};
    timeline.microbatch.assign(5, 0);
    timeline.iteration = {0, 1, 2, 1, 2};
    timeline.waitedFor.assign(5, noBlock);
    timeline.waitReason.assign(5, WaitReason::data);
    ShownRecording sorted(recording);
    sorted.view.lanes().setOrder(LaneOrder::busy);
    QTRY_COMPARE(sorted.view.gantt().scene().rows.front().share, QStringLiteral("90 %"));
    QCOMPARE(sorted.view.gantt().scene().rows.front().lane, 1);
    // A stretch of it too narrow to be drawn block by block.
    const ChartData& data = *warmed.view.gantt().scene().data;
    const QString idle = textOfHtml(shareCard(data, 0, 2, 4)), busy = textOfHtml(shareCard(data, 0, 9, 19));
    QCOMPARE(idle, QStringLiteral("Nothing runs for 2.00 s"));
    for (const char* word : {"1 block in 10.0 s", "80.0 %", "20.0 %", "zoom in"})
        QVERIFY2(busy.contains(QLatin1String(word)), qPrintable(busy));
}

void RecordingChartTest::streamsOpenBelowTheirLaneByAClick() {
    Recording recording = recordingOf(*madeUpRun({.replicas = 1}));
    addStreams(recording, 2, 5000);
    ShownRecording shown(std::move(recording));
    QVERIFY(QTest::qWaitForWindowExposed(&shown.view));
    const QStringList closed = shown.labels();
    QVERIFY(!closed.contains(QStringLiteral("stream 0")));
    shown.clickName(0);
    QCOMPARE(shown.labels().size(), closed.size() + 1);
    QCOMPARE(shown.labels().count(QStringLiteral("stream 0")), 1);
    shown.clickName(0);
    QCOMPARE(shown.labels(), closed);
}

void RecordingChartTest::streamsOpenWhereTheZoomLetsThemBeRead() {
    Recording recording = recordingOf(*madeUpRun({.replicas = 1}));
    addStreams(recording, 2, 5000);
    ShownRecording shown(std::move(recording));
    QVERIFY(QTest::qWaitForWindowExposed(&shown.view));
    const double endS = shown.timeline().lastEndS();
    const qsizetype closed = shown.labels().size();
    shown.view.setVisibleRange(0.5 * endS, 0.5 * endS + 100 * endS / 5000);
    QCOMPARE(shown.labels().size(), closed + 2);
    shown.view.setVisibleRange(0.5 * endS, 0.5 * endS + 300 * endS / 5000);  // a little back: they stay
    QCOMPARE(shown.labels().size(), closed + 2);
    shown.view.fitAll();
    QCOMPARE(shown.labels().size(), closed);
}

void RecordingChartTest::kernelsAloneAreTheRows() {
    ShownRecording shown(kernelsAlone(3, 200));
    QVERIFY(QTest::qWaitForWindowExposed(&shown.view));
    QCOMPARE(shown.labels(),
             QStringList({QStringLiteral("rank0 · stream 0"), QStringLiteral("rank1 · stream 0"),
                          QStringLiteral("rank2 · stream 0")}));
    for (const LaneRow& row : shown.view.gantt().scene().rows) QVERIFY(!row.thin);
    const quint32 kernel = shown.timeline().lanes.back().firstBlock + 7;
    const QString card = textOfHtml(blockCard(*shown.view.gantt().scene().data, kernel));
    QVERIFY2(card.startsWith(QStringLiteral("Void at::native::elementwise_kernel<4>(int)")),
             qPrintable(card));
    for (const char* word : {"stage", "waited for", "iteration"})
        QVERIFY2(!card.contains(QLatin1String(word)), word);
}

void RecordingChartTest::aFigureIsThatOfThePlan() {
    const auto run = madeUpRun();
    ScheduleFigureOptions options;
    Figure planned = scheduleFigure(*run, options);
    const auto own = recorded(recordingOf(*run));
    Figure shown = scheduleFigure(*own, options);
    shown.title = planned.title;
    QCOMPARE(writeSvg(shown), writeSvg(planned));
}

void RecordingChartTest::aPlanIsOutlinedOverTheBlocks() {
    Recording recording = recordingOf(*madeUpRun());
    const Timeline timeline = recording.timeline;
    ShownRecording shown(std::move(recording));
    QVERIFY(QTest::qWaitForWindowExposed(&shown.view));
    std::vector<PlannedTime> times(timeline.blockCount());
    const quint32 block = timeline.find(BlockKind::forward, 0, 0, 0);
    const double lengthS = timeline.durationS(block);
    times[block] = {timeline.startS[block], timeline.endS[block] - lengthS / 2, true};
    const QImage before = shown.view.gantt().plot().grab().toImage();
    shown.view.setPlanned(std::make_shared<const PlannedOutlines>(timeline, times, QStringLiteral("1F1B")));
    QTest::qWait(30);
    const QImage after = shown.view.gantt().plot().grab().toImage();
    const QPoint middle = shown.view.gantt().blockRect(block).center().toPoint();
    int changed = 0;  // the outline's right edge is in the middle of the block
    for (int x = middle.x() - 2; x <= middle.x() + 2; ++x)
        changed += before.pixelColor(x, middle.y() - 6) != after.pixelColor(x, middle.y() - 6) ? 1 : 0;
    QVERIFY(changed > 0);
    const auto rows = plannedRows(*shown.view.gantt().scene().planned, timeline, block);
    QCOMPARE(rows[1].second, QStringLiteral("as planned"));
    QVERIFY(rows[2].second.endsWith(QStringLiteral("longer")));
    QCOMPARE(plannedRows(*shown.view.gantt().scene().planned, timeline, block + 1).front().second,
             QStringLiteral("not in the plan"));
}

STAGECRAFT_TEST(RecordingChartTest)
#include "recording_chart_test.moc"
