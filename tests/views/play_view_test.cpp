// A plan that is played: its clock, its cluster, and the presentation.

#include "tests/support/qt_program.h"
#include "tests/support/every_room.h"
#include "tests/views/gantt_fixture.h"
#include "tests/views/saving_run.h"
#include "views/common/theme.h"
#include "views/play/play_data.h"
#include "views/play/play_view.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/play_clock.h"
#include "views/topology/topology_canvas.h"

#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>

using namespace stagecraft;

class PlayViewTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { view_.reset(); }

    void theClockRunsAsFastAsItIsAskedTo();
    void theClockStopsAtTheEndOrBeginsAgain();
    void keysPlayPauseStepAndJump();
    void theSliderScrubs();
    void theChartFollowsTheCursor();
    void theTimeCoversNoPhase();
    void gpusLightUpWhileTheyCompute();
    void gaugesFillWhileSomethingIsHeld();
    void packetsTravelFromSenderToReceiver();
    void swapsTravelToTheHostAndBack();
    void aClickOnABlockGoesThere();
    void presentingLeavesChartClusterAndCursor();
    void withoutAPlanItSaysSo();

private:
    const PlayData& data() { return *view_->data(); }
    QImage canvasAt(double timeS) {
        view_->clock().setTime(timeS);
        return view_->canvas().grab().toImage();
    }
    QRectF tile(std::size_t device) {
        return view_->canvas().viewport().toScreen(data().scene->layout().devices[device]);
    }
    /// Inside the tile, clear of name, number and gauge.
    QPoint quietSpot(std::size_t device) {
        const QRectF it = tile(device);
        return QPointF(it.left() + 0.1 * it.width(), it.bottom() - 0.2 * it.height()).toPoint();
    }

    std::shared_ptr<PlanRun> run_;
    std::unique_ptr<PlayView> view_;
};

void PlayViewTest::init() {
    applyTheme(*qApp, ThemeChoice::light);
    run_ = madeUpRun();
    view_ = std::make_unique<PlayView>();
    view_->resize(1200, 700);
    view_->setRun(run_);
    view_->show();
    QVERIFY(QTest::qWaitForWindowExposed(view_.get()));
    QTRY_VERIFY(view_->data());
    view_->setFocus();
}

void PlayViewTest::theClockRunsAsFastAsItIsAskedTo() {
    for (const double wallS : {10.0, 40.0}) {
        PlayClock clock;
        clock.setSpan(1, 3);
        clock.setWallS(wallS);
        QElapsedTimer wall;
        wall.start();
        clock.setRunning(true);
        QTest::qWait(600);
        clock.setRunning(false);
        const double passedS = static_cast<double>(wall.elapsed()) / 1000, expected = passedS * 2 / wallS;
        QVERIFY2(clock.timeS() - 1 > 0.5 * expected && clock.timeS() - 1 < 1.05 * expected,
                 qPrintable(QStringLiteral("%1 of %2").arg(clock.timeS() - 1).arg(expected)));
        const double paused = clock.timeS();
        QTest::qWait(50);
        QCOMPARE(clock.timeS(), paused);
    }
}

void PlayViewTest::theClockStopsAtTheEndOrBeginsAgain() {
    PlayClock clock;
    clock.setSpan(0, 0.1);
    clock.setWallS(0);  // as long as it lasts
    QSignalSpy running(&clock, &PlayClock::runningChanged);
    clock.setRunning(true);
    QTRY_VERIFY(!clock.isRunning());
    QCOMPARE(clock.timeS(), 0.1);
    QCOMPARE(running.size(), 2);
    clock.setLoop(true);
    QSignalSpy times(&clock, &PlayClock::timeChanged);
    clock.setRunning(true);
    QCOMPARE(clock.timeS(), 0.0);
    const auto beganAgain = [&] {
        for (qsizetype i = 2; i < times.size(); ++i)
            if (times[i][0].toDouble() < times[i - 1][0].toDouble()) return true;
        return false;
    };
    QTRY_VERIFY(beganAgain());
    QVERIFY(clock.isRunning());
    clock.setTime(7);
    QCOMPARE(clock.timeS(), 0.1);
}

void PlayViewTest::keysPlayPauseStepAndJump() {
    PlayClock& clock = view_->clock();
    QCOMPARE(clock.timeS(), 0.0);
    QTest::keyClick(view_.get(), Qt::Key_Space);
    QVERIFY(clock.isRunning());
    QTRY_VERIFY(clock.timeS() > 0);
    QTest::keyClick(view_.get(), Qt::Key_Space);
    QVERIFY(!clock.isRunning());
    QTest::keyClick(view_.get(), Qt::Key_Home);
    QCOMPARE(clock.timeS(), 0.0);
    QTest::keyClick(view_.get(), Qt::Key_N);
    const Timeline& timeline = run_->evaluation->timeline;
    const double second = timeline.startS[timeline.find(BlockKind::forward, 0, 1, 0)];
    QCOMPARE(clock.timeS(), second);
    QVERIFY2(view_->stepText().contains("forward of microbatch 1"), qPrintable(view_->stepText()));
    QTest::keyClick(view_.get(), Qt::Key_N, Qt::ShiftModifier);
    QCOMPARE(clock.timeS(), 0.0);
    QTest::keyClick(view_.get(), Qt::Key_End);
    QCOMPARE(clock.timeS(), data().chart->endS);
    QCOMPARE(view_->stepText(), QString("The end: all is done"));
    auto* speed = view_->findChild<QComboBox*>("speed");
    const double before = clock.wallS();
    QTest::keyClick(view_.get(), Qt::Key_Plus);
    QVERIFY(clock.wallS() < before);
    QTest::keyClick(view_.get(), Qt::Key_Minus);
    QCOMPARE(clock.wallS(), before);
    QCOMPARE(speed->currentData().toDouble(), before);
    QTest::keyClick(view_.get(), Qt::Key_L);
    QVERIFY(clock.loops());
}

void PlayViewTest::theSliderScrubs() {
    auto* slider = view_->findChild<QSlider*>("scrub");
    QTest::mousePress(slider, Qt::LeftButton, {}, {slider->width() / 2, slider->height() / 2});
    const double half = data().chart->endS / 2;
    QVERIFY(std::abs(view_->clock().timeS() - half) < 0.02 * half);
    QTest::mouseMove(slider, {slider->width() / 4, slider->height() / 2});
    QVERIFY(std::abs(view_->clock().timeS() - half / 2) < 0.04 * half);
    QTest::mouseRelease(slider, Qt::LeftButton, {}, {slider->width() / 4, slider->height() / 2});
    QTest::mouseClick(view_->findChild<QToolButton*>("nextEvent"), Qt::LeftButton);
    QVERIFY(view_->clock().timeS() > half / 2 * 0.96);
    QTest::mouseClick(view_->findChild<QToolButton*>("playPause"), Qt::LeftButton);
    QVERIFY(view_->clock().isRunning());
}

void PlayViewTest::theChartFollowsTheCursor() {
    for (int i = 0; i < 6; ++i) QTest::keyClick(view_.get(), Qt::Key_W);
    const auto first = view_->visibleRange();
    QVERIFY(first.second < data().chart->endS / 2);
    for (double part = 0; part <= 1; part += 0.05) {
        const double timeS = part * data().chart->endS;
        view_->clock().setTime(timeS);
        QVERIFY(timeS >= view_->visibleRange().first && timeS <= view_->visibleRange().second);
    }
    QVERIFY(view_->visibleRange().first > first.second);
}

void PlayViewTest::theTimeCoversNoPhase() {
    MadeUpPipeline overlapping;
    overlapping.miniBatches = 12;
    overlapping.microbatches = 2;
    run_ = madeUpRun(overlapping);
    view_->setRun(run_);
    QTRY_VERIFY(view_->data() && view_->data()->chart->run == run_);
    TimePlot& plot = view_->chart().plot();
    QVERIFY(plot.bandHeight() > 0);
    view_->clock().setTime(view_->clock().beginS());
    const QRect area = plot.area();
    const int line = qRound(plot.axis().toX(view_->clock().timeS()));
    const QRect beside(line + 2, area.top() - plot.bandHeight() + 1, 30, plot.bandHeight() - 1);
    const QRgb accent = Theme::current().accent.rgb();
    const auto accented = [&](const QRect& where) {
        const QImage image = plot.grab().toImage();
        int count = 0;
        for (int y = where.top(); y <= where.bottom(); ++y)
            for (int x = where.left(); x <= where.right(); ++x) count += image.pixel(x, y) == accent;
        return count;
    };
    QCOMPARE(accented(beside), 0);
    QVERIFY(accented(beside.translated(0, -plot.bandHeight())) > 20);  // the time is above it
}

void PlayViewTest::gpusLightUpWhileTheyCompute() {
    const Timeline& timeline = run_->evaluation->timeline;
    for (const BlockKind kind : {BlockKind::forward, BlockKind::backward}) {
        const quint32 block = timeline.find(kind, 1, 2, 0);
        const QImage image = canvasAt((timeline.startS[block] + timeline.endS[block]) / 2);
        for (const std::size_t device : {std::size_t{2}, std::size_t{3}})
            QCOMPARE(image.pixelColor(quietSpot(device)), blockColour(kind));
    }
    // The last stage waits for its first input.
    QCOMPARE(canvasAt(0).pixelColor(quietSpot(7)), Theme::current().surface);
    QCOMPARE(canvasAt(0).pixelColor(quietSpot(0)), blockColour(BlockKind::forward));
}

void PlayViewTest::gaugesFillWhileSomethingIsHeld() {
    const QColor orange = memoryColour(MemoryKind::activations);
    const auto filled = [&](const QImage& image, std::size_t device) {
        int pixels = 0;
        const QRect it = tile(device).toRect();
        for (int y = it.top(); y <= it.bottom(); ++y)
            for (int x = it.center().x(); x <= it.right(); ++x) pixels += image.pixelColor(x, y) == orange;
        return pixels;
    };
    const MemoryCurve& curve = run_->evaluation->memory[0];
    const double peakS = curve.timeS[curve.peakStep()];
    const int empty = filled(canvasAt(data().chart->endS), 0), full = filled(canvasAt(peakS), 0);
    QCOMPARE(empty, 0);
    QVERIFY2(full > 20, qPrintable(QString::number(full)));
    // Half as much, half as high.
    std::size_t step = 0;
    const auto held = [&](std::size_t it) {
        return curve.bytes[static_cast<std::size_t>(MemoryKind::activations)][it];
    };
    const double most = held(curve.peakStep());
    while (step + 1 < curve.timeS.size() && std::abs(held(step) - most / 2) > most / 8) ++step;
    const int half = filled(canvasAt(curve.timeS[step]), 0);
    QVERIFY2(std::abs(half - full * held(step) / most) < 0.2 * full, qPrintable(QString::number(half)));
}

void PlayViewTest::packetsTravelFromSenderToReceiver() {
    const Timeline& timeline = run_->evaluation->timeline;
    for (const BlockKind kind : {BlockKind::transferForward, BlockKind::transferBackward}) {
        const bool forward = kind == BlockKind::transferForward;
        const quint32 block = timeline.find(kind, forward ? 0 : 1, 1, 0);
        QVERIFY(block != noBlock);
        const auto& tracks = data().tracks[static_cast<std::size_t>(timeline.laneOf(block))];
        QCOMPARE(tracks.size(), std::size_t{2});  // two replicas on each side
        for (const double part : {0.4, 0.6}) {
            const QImage image = canvasAt(timeline.startS[block] + part * timeline.durationS(block));
            const QPointF at = view_->canvas().viewport().toScreen(tracks[0].at(forward ? part : 1 - part));
            QCOMPARE(image.pixelColor(at.toPoint()), blockColour(kind));
        }
    }
    const PacketTrack track(QPolygonF({QPointF(0, 0), QPointF(10, 0), QPointF(10, 30)}), 0);
    QCOMPARE(track.at(0), QPointF(0, 0));
    QCOMPARE(track.at(0.125), QPointF(5, 0));
    QCOMPARE(track.at(0.5), QPointF(10, 10));
    QCOMPARE(track.at(1), QPointF(10, 30));
}

void PlayViewTest::swapsTravelToTheHostAndBack() {
    run_ = savingRun();
    view_->setRun(run_);
    QTRY_VERIFY(view_->data() && view_->data()->run == run_);
    const Timeline& timeline = run_->evaluation->timeline;
    for (const BlockKind kind : {BlockKind::swapOut, BlockKind::swapIn}) {
        const quint32 block = timeline.find(kind, 0, 1, 0);
        QVERIFY(block != noBlock);
        const auto& tracks = data().tracks[static_cast<std::size_t>(timeline.laneOf(block))];
        QCOMPARE(tracks.size(), std::size_t{1});
        QCOMPARE(tracks[0].line().front(), data().scene->layout().devices[0].center());
        QCOMPARE(tracks[0].line().back(), data().hosts[0].center());
        for (const double part : {0.4, 0.6}) {
            const QImage image = canvasAt(timeline.startS[block] + part * timeline.durationS(block));
            const double done = kind == BlockKind::swapOut ? part : 1 - part;
            const QPointF at = view_->canvas().viewport().toScreen(tracks[0].at(done));
            QCOMPARE(image.pixelColor(at.toPoint()), blockColour(kind));
        }
    }
}

void PlayViewTest::aClickOnABlockGoesThere() {
    const Timeline& timeline = run_->evaluation->timeline;
    const quint32 block = timeline.find(BlockKind::backward, 2, 3, 0);
    QTest::mouseClick(&view_->chart().plot(), Qt::LeftButton, {},
                      view_->chart().blockRect(block).center().toPoint());
    QCOMPARE(view_->clock().timeS(), timeline.startS[block]);
}

void PlayViewTest::presentingLeavesChartClusterAndCursor() {
    const int plain = view_->chart().preferredLabelWidth();
    QSignalSpy wanted(view_.get(), &PlayView::presentingWanted);
    QTest::mouseClick(view_->findChild<QToolButton*>("present"), Qt::LeftButton);
    QCOMPARE(wanted.size(), 1);
    view_->setPresenting(true);
    QVERIFY(view_->chart().isVisible() && view_->canvas().isVisible());
    QVERIFY(!view_->findChild<QSlider*>("scrub")->isVisible());
    QVERIFY(!view_->findChild<QToolButton*>("present")->isVisible());
    const int large = view_->chart().preferredLabelWidth();
    QVERIFY2(large > plain + 10, qPrintable(QStringLiteral("%1 after %2").arg(large).arg(plain)));
    QVERIFY(view_->findChild<QLabel*>("presentationKeys")->isVisible());
    QTest::keyClick(view_.get(), Qt::Key_Space);
    QVERIFY(view_->clock().isRunning());
    QTest::keyClick(view_.get(), Qt::Key_Escape);
    QCOMPARE(wanted.size(), 2);
    QCOMPARE(wanted[1][0].toBool(), false);
    view_->setPresenting(false);
    QVERIFY(view_->findChild<QSlider*>("scrub")->isVisible());
    QCOMPARE(view_->chart().preferredLabelWidth(), plain);
}

void PlayViewTest::withoutAPlanItSaysSo() {
    view_->setRun(nullptr);
    QVERIFY(!view_->data());
    QVERIFY(!view_->chart().isVisible());
    QTest::keyClick(view_.get(), Qt::Key_Space);
    QTest::keyClick(view_.get(), Qt::Key_N);
    QVERIFY(!view_->clock().isRunning());
}

STAGECRAFT_TEST(PlayViewTest)
#include "play_view_test.moc"
