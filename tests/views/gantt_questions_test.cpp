#include "core/base/units.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/plan_view_fixture.h"
#include "views/common/theme.h"
#include "views/plan/details_pane.h"
#include "views/plan/questions.h"
#include "views/plan/range_bars.h"
#include "views/plan/range_section.h"

#include <QPushButton>
#include <QAction>
#include <QClipboard>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTest>

using namespace stagecraft;

class GanttQuestionsTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { shown_.reset(); }

    void draggingOutARangeTellsWhatItHolds();
    void barsShowWhatEachGpuDoesInARange();
    void aMarkedRangeScrollsThePaneToItself();
    void bytesHaveAColumnWhereSomeAreMoved();
    void theTableOfARangeIsCopiedAsCsv();
    void clickingIdleTimeLightsUpWhatItWaitsFor();
    void clickingABlockInTheAnswerSelectsIt();
    void escapeClearsTheMarkThenTheIdleStretch();
    void theSelectedBlockHasItsSlack();
    void theCardUnderThePointerHasTheSlackOnceItIsKnown();
    void thePaneSaysWhatBoundsThePlan();
    void anotherPlanForgetsWhatWasAsked();
    void largeTimelinesAreAnsweredOffTheGuiThread();

private:
    TimePlot& plot() { return shown_->plot(); }
    const Timeline& timeline() const { return shown_->timeline(); }
    Questions& questions() { return shown_->view.questions(); }
    DetailsPane& pane() { return shown_->view.details(); }
    QPoint at(int lane, double timeS) {
        const quint32 block = timeline().lanes[static_cast<std::size_t>(lane)].firstBlock;
        const double y = shown_->centreOf(block).y();
        return QPointF(plot().axis().toX(timeS), y).toPoint();
    }
    void mark(int lane, double fromS, double toS);
    /// The middle of the longest idle stretch of a lane between two of its blocks.
    double longestIdleS(int lane) const;

    std::unique_ptr<ShownPlanView> shown_;
};

void GanttQuestionsTest::init() {
    shown_ = std::make_unique<ShownPlanView>();
    QVERIFY(QTest::qWaitForWindowExposed(&shown_->view));
    shown_->view.setFocus();
    shown_->view.fitAll();
}

void GanttQuestionsTest::mark(int lane, double fromS, double toS) {
    QTest::mousePress(&plot(), Qt::LeftButton, Qt::ShiftModifier, at(lane, fromS));
    const QPoint to = at(lane, toS);
    QMouseEvent move(QEvent::MouseMove, QPointF(to), plot().mapToGlobal(QPointF(to)), Qt::NoButton,
                     Qt::LeftButton, Qt::ShiftModifier);
    QApplication::sendEvent(&plot(), &move);
    QTest::mouseRelease(&plot(), Qt::LeftButton, Qt::ShiftModifier, to);
}

double GanttQuestionsTest::longestIdleS(int lane) const {
    const Lane& range = timeline().lanes[static_cast<std::size_t>(lane)];
    double longest = 0, middleS = 0;
    for (std::uint32_t block = range.firstBlock + 1; block < range.endBlock; ++block) {
        const double gapS = timeline().startS[block] - timeline().endS[block - 1];
        if (gapS <= longest) continue;
        longest = gapS;
        middleS = timeline().startS[block] - gapS / 2;
    }
    return middleS;
}

void GanttQuestionsTest::draggingOutARangeTellsWhatItHolds() {
    QVERIFY(!pane().isVisible());
    const quint32 first = timeline().lanes[0].firstBlock + 2;
    mark(0, timeline().startS[first], timeline().endS[first + 3]);
    QVERIFY(pane().isVisible());
    const auto marked = plot().markedRange();
    QVERIFY(marked);
    QCOMPARE(marked->first, timeline().startS[first]);
    QCOMPARE(marked->second, timeline().endS[first + 3]);
    const RangeStatistics expected = rangeStatistics(
        BlockBytes(*shown_->run->costs, shown_->run->result.plan, shown_->run->evaluation->lowered().edges),
        timeline(), shown_->run->evaluation->memory, marked->first, marked->second);
    RangeSection& section = questions().rangeSection();
    QVERIFY(section.isVisible());
    QVERIFY(section.summary().contains(QStringLiteral("%1 blocks").arg(expected.blocks)));
    QCOMPARE(section.devices().rowCount(), int(expected.devices.size()));
    QCOMPARE(section.devices().item(0, 0)->text(), QStringLiteral("s0g0"));
    QVERIFY(section.kinds().rowCount() >= 2);
    QCOMPARE(section.kinds().item(0, 0)->text(), QStringLiteral("forward"));
    QCOMPARE(section.kinds().item(0, 2)->text(), QString::number(expected.kinds[0].blocks));
}

void GanttQuestionsTest::barsShowWhatEachGpuDoesInARange() {
    mark(0, 0, timeline().lastEndS() * 0.6);
    const auto marked = plot().markedRange();
    QVERIFY(marked);
    RangeBars& bars = questions().rangeSection().bars();
    const RangeStatistics expected = rangeStatistics(
        BlockBytes(*shown_->run->costs, shown_->run->result.plan, shown_->run->evaluation->lowered().edges),
        timeline(), shown_->run->evaluation->memory, marked->first, marked->second);
    QCOMPARE(bars.rowCount(), int(expected.devices.size()));
    QTRY_VERIFY(bars.isVisible());
    const QImage shot = bars.viewport()->grab().toImage();
    const double ratio = shot.devicePixelRatio();
    int seen = 0, idle = 0;
    for (int row = 0; row < bars.rowCount(); ++row) {
        const DeviceRange& device = expected.devices[static_cast<std::size_t>(row)];
        const QRect cell = bars.visualItemRect(bars.item(row, 1));
        const std::vector<RangeStretch> stretches = computeStretches(device);
        QVERIFY(std::abs(stretches.back().to - 1) < 1e-9);
        double computed = 0;
        for (const RangeStretch& stretch : stretches) {
            if (stretch.kind < 0) {
                ++idle;
                QVERIFY(std::abs(stretch.to - stretch.from - (1 - device.busyShare())) < 1e-9);
                continue;
            }
            computed += stretch.to - stretch.from;
            const double share =
                device.kinds[static_cast<std::size_t>(stretch.kind)].seconds / (device.busyS + device.idleS);
            QVERIFY(std::abs(stretch.to - stretch.from - share) < 1e-9);
            const double middle = cell.left() + 3 + (stretch.from + stretch.to) / 2 * (cell.width() - 6);
            if ((stretch.to - stretch.from) * cell.width() < 6) continue;
            ++seen;
            QCOMPARE(shot.pixelColor(QPointF(middle, cell.top() + 7).toPoint() * ratio),
                     shownBlockColour(static_cast<BlockKind>(stretch.kind)));
        }
        QVERIFY(std::abs(computed - device.busyShare()) < 1e-9);
        QVERIFY(bars.item(row, 1)->toolTip().contains("forward"));
    }
    QVERIFY(seen >= 2 * bars.rowCount() && idle > 0);
}

void GanttQuestionsTest::aMarkedRangeScrollsThePaneToItself() {
    shown_->view.viewActions().details->setChecked(true);
    // Something tall above it, as sliders are.
    auto* tall = new QWidget;
    tall->setMinimumHeight(900);
    pane().addSection("Tall", tall, true);
    pane().setSectionShown(tall, true);
    pane().verticalScrollBar()->setValue(0);
    const double endS = timeline().lastEndS();
    mark(0, 0, endS / 2);
    auto* range = pane().findChild<RangeSection*>();
    QVERIFY(range && !range->isHidden());
    QTRY_VERIFY(pane().verticalScrollBar()->value() > 0);
    const auto top = [&] { return range->mapTo(pane().viewport(), QPoint()).y(); };
    QTRY_VERIFY(top() >= 0 && top() < pane().viewport()->height());
}

/// A column of bytes has a heading that is wider than nothing: where none are moved it is not there.
void GanttQuestionsTest::bytesHaveAColumnWhereSomeAreMoved() {
    for (const double bytes : {0.0, 4096.0}) {
        RangeStatistics range;
        range.devices.push_back({});
        range.devices[0].bytes = bytes;
        range.kinds[0].blocks = 1;
        range.kinds[0].bytes = bytes;
        Cluster cluster;
        cluster.devices = {{"g", "s", "", 1, 1, 0}};
        RangeSection section;
        section.show(range, cluster);
        int hidden = 0;
        for (const QTableWidget* table : section.findChildren<QTableWidget*>())
            for (int column = 0; column < table->columnCount(); ++column)
                hidden += table->isColumnHidden(column);
        QCOMPARE(hidden, bytes > 0 ? 0 : 2);
    }
}

void GanttQuestionsTest::theTableOfARangeIsCopiedAsCsv() {
    mark(0, 0, timeline().lastEndS() / 2);
    QSignalSpy told(&shown_->view, &PlanView::statusText);
    QTest::mouseClick(questions().rangeSection().findChild<QPushButton*>(), Qt::LeftButton);
    const QString text = QApplication::clipboard()->text();
    QVERIFY(text.startsWith("device,from_s,to_s,busy_share"));
    QCOMPARE(text.count('\n'), int(timeline().lanes[0].devices.size()) * 4 + 2);
    QCOMPARE(told.count(), 1);
}

void GanttQuestionsTest::clickingIdleTimeLightsUpWhatItWaitsFor() {
    const double timeS = longestIdleS(0);
    const QImage before = shown_->shot();
    QTest::mouseClick(&plot(), Qt::LeftButton, {}, at(0, timeS));
    QVERIFY(pane().isVisible());
    const auto cause = shown_->view.gantt().scene().idle;
    QVERIFY(cause);
    QCOMPARE(cause->lane, 0);
    QVERIFY(cause->fromS < timeS && timeS < cause->toS);
    QVERIFY(!cause->chain.empty());
    QVERIFY(questions().idleText().contains("Stage 0"));
    for (const IdleLink& link : cause->chain)
        QVERIFY(questions().idleText().contains(QStringLiteral("href='%1'").arg(link.block)));
    QVERIFY(shown_->shot() != before);
}

void GanttQuestionsTest::clickingABlockInTheAnswerSelectsIt() {
    QTest::mouseClick(&plot(), Qt::LeftButton, {}, at(0, longestIdleS(0)));
    const quint32 waitedFor = shown_->view.gantt().scene().idle->chain.front().block;
    for (QLabel* label : pane().findChildren<QLabel*>())
        if (label->text() == questions().idleText()) emit label->linkActivated(QString::number(waitedFor));
    QCOMPARE(shown_->view.selectedBlock(), waitedFor);
}

void GanttQuestionsTest::escapeClearsTheMarkThenTheIdleStretch() {
    QTest::mouseClick(&plot(), Qt::LeftButton, {}, at(0, longestIdleS(0)));
    mark(0, 0, timeline().lastEndS() / 3);
    QTest::keyClick(&shown_->view, Qt::Key_Escape);
    QVERIFY(!plot().markedRange());
    QVERIFY(!questions().rangeSection().isVisible());
    QVERIFY(shown_->view.gantt().scene().idle);
    QTest::keyClick(&shown_->view, Qt::Key_Escape);
    QVERIFY(!shown_->view.gantt().scene().idle);
}

void GanttQuestionsTest::theSelectedBlockHasItsSlack() {
    shown_->view.viewActions().details->trigger();
    const BlockGraph graph(shown_->run->evaluation->graph, timeline());
    const std::vector<double> slack = slacksS(graph);
    const quint32 critical = shown_->run->evaluation->metrics.criticalPath.blocks.front();
    QTest::mouseClick(&plot(), Qt::LeftButton, {}, shown_->centreOf(critical).toPoint());
    QCOMPARE(shown_->view.selectedBlock(), critical);
    QVERIFY2(questions().blockText().contains("It is critical"), qPrintable(questions().blockText()));
    const auto loose = static_cast<quint32>(std::max_element(slack.begin(), slack.end()) - slack.begin());
    shown_->view.selectBlock(loose);
    QVERIFY2(questions().blockText().contains("It could end that much later"),
             qPrintable(questions().blockText()));
}

void GanttQuestionsTest::theCardUnderThePointerHasTheSlackOnceItIsKnown() {
    QVERIFY(!pane().isVisible());
    const BlockGraph graph(shown_->run->evaluation->graph, timeline());
    const std::vector<double> slackS = slacksS(graph);
    const auto isTold = [this](const QString& words) {
        const auto cards = shown_->view.findChildren<HoverCard*>();
        return std::any_of(cards.begin(), cards.end(), [&](const HoverCard* card) {
            return card->isVisible() && card->html().contains("slack") && card->html().contains(words);
        });
    };
    const auto firstOf = [&](bool critical) {
        for (quint32 block = 0; block < timeline().blockCount(); ++block)
            if ((slackS[block] <= 0) == critical && shown_->view.gantt().blockRect(block).width() > 8)
                return block;
        return noBlock;
    };
    for (const bool critical : {true, false}) {
        const quint32 block = firstOf(critical);
        QVERIFY(block != noBlock);
        const QPoint where = shown_->centreOf(block).toPoint();
        QMouseEvent move(QEvent::MouseMove, QPointF(where), plot().mapToGlobal(QPointF(where)), Qt::NoButton,
                         Qt::NoButton, Qt::NoModifier);
        QApplication::sendEvent(&plot(), &move);
        const QString expected = critical ? QStringLiteral("none: it is critical")
                                          : QString::fromStdString(formatSeconds(slackS[block]));
        QTRY_VERIFY2(isTold(expected), qPrintable(expected));
    }
    QVERIFY(!pane().isVisible());
}

void GanttQuestionsTest::thePaneSaysWhatBoundsThePlan() {
    QVERIFY(questions().boundsText().isEmpty());
    QTest::keyClick(&shown_->view, Qt::Key_I);
    QVERIFY(questions().boundsText().contains("bounds the time"));
    QVERIFY(questions().boundsText().contains("To try:"));
}

void GanttQuestionsTest::anotherPlanForgetsWhatWasAsked() {
    QTest::mouseClick(&plot(), Qt::LeftButton, {}, at(0, longestIdleS(0)));
    MadeUpPipeline other;
    other.stages = 2;
    shown_->view.setRun(madeUpRun(other));
    QVERIFY(!shown_->view.gantt().scene().idle);
    QVERIFY(!questions().rangeSection().isVisible());
    QVERIFY(questions().boundsText().contains("bounds the time"));
}

void GanttQuestionsTest::largeTimelinesAreAnsweredOffTheGuiThread() {
    MadeUpPipeline large;
    large.stages = 8;
    large.microbatches = 4000;
    shown_->view.setRun(shown_->run = madeUpRun(large));
    QTRY_VERIFY(shown_->view.isReady());
    shown_->view.fitAll();
    mark(0, 0, timeline().lastEndS());
    QVERIFY(questions().rangeSection().summary().contains("counting"));
    QTRY_VERIFY(questions().rangeSection().summary().contains("blocks"));
    QTRY_VERIFY(questions().boundsText().contains("bounds the time"));
}

STAGECRAFT_TEST(GanttQuestionsTest)
#include "gantt_questions_test.moc"
