// The overview of the run above a plan's charts, and the scroll bar below them.
#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "tests/views/plan_view_fixture.h"
#include "views/plan/charts_frame.h"
#include "views/resources/memory_chart.h"
#include "views/timeline/overview_strip.h"

#include <QScrollBar>
#include <QStyle>
#include <QStyleOptionSlider>
#include <QTest>

#include <cmath>

using namespace stagecraft;

class OverviewTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        shown_ = std::make_unique<ShownPlanView>();
        QTRY_VERIFY(shown_->view.isReady());
        QTest::qWait(20);
        strip_ = shown_->view.findChild<OverviewStrip*>();
        bar_ = shown_->view.findChild<QScrollBar*>("timeBar");
        QVERIFY(strip_ && bar_);
    }
    void cleanup() { shown_.reset(); }

    void itShowsTheRunAboveTheSameColumnsAsTheChart();
    void aDragOverTheWholeRunMarksOutWhatToShow();
    void theBrushAndItsEndsAreDragged();
    void aPressBesideTheBrushGoesThere();
    void aDoubleClickShowsAll();
    void theScrollBarIsThereWhileAPartIsShown();
    void theRunIsDrawnOnceForASize();
    void itHasTheColoursOfTheChart();
    void manyLanesAreDrawnOffTheGuiThread();

private:
    std::pair<double, double> range() const { return shown_->view.visibleRange(); }
    double endS() const { return shown_->timeline().lastEndS(); }
    QPoint at(double timeS) const { return {qRound(strip_->axis().toX(timeS)), strip_->height() / 2}; }
    void drag(QPoint from, QPoint to) {
        QTest::mousePress(strip_, Qt::LeftButton, {}, from);
        QTest::mouseMove(strip_, (from + to) / 2);
        QTest::mouseMove(strip_, to);
        QTest::mouseRelease(strip_, Qt::LeftButton, {}, to);
    }
    double pixelS() const { return strip_->axis().secondsPerPixel(); }
    bool near(double timeS, double wantedS, double pixels = 2) const {
        return std::abs(timeS - wantedS) <= pixels * pixelS();
    }

    std::unique_ptr<ShownPlanView> shown_;
    OverviewStrip* strip_ = nullptr;
    QScrollBar* bar_ = nullptr;
};

void OverviewTest::itShowsTheRunAboveTheSameColumnsAsTheChart() {
    QVERIFY(strip_->isVisible());
    const TimeAxis strip = strip_->axis(), chart = shown_->plot().axis();
    QCOMPARE(strip_->mapTo(&shown_->view, QPoint(qRound(strip.toX(endS() / 2)), 0)).x(),
             shown_->plot().mapTo(&shown_->view, QPoint(qRound(chart.toX(endS() / 2)), 0)).x());
    // The first stage is busy from the start, the last one waits for it.
    const QImage& run = strip_->run();
    QVERIFY(!run.isNull());
    QVERIFY(run.pixelColor(qRound(strip.toX(0) - strip.x0) + 2, 1) != Theme::current().surface);
    QCOMPARE(run.pixelColor(qRound(strip.toX(0) - strip.x0) + 2, run.height() - 2), Theme::current().surface);
}

void OverviewTest::aDragOverTheWholeRunMarksOutWhatToShow() {
    drag(at(0.25 * endS()), at(0.75 * endS()));
    QVERIFY(near(range().first, 0.25 * endS()));
    QVERIFY(near(range().second, 0.75 * endS()));
    QVERIFY(near(strip_->axis().toTime(strip_->brush().left()), 0.25 * endS()));
    const auto before = range();
    QTest::mouseClick(strip_, Qt::LeftButton, {}, at(0.5 * endS()));  // within the brush: nothing happens
    QCOMPARE(range(), before);
}

void OverviewTest::theBrushAndItsEndsAreDragged() {
    shown_->view.setVisibleRange(0.4 * endS(), 0.6 * endS());
    drag(at(0.5 * endS()), at(0.6 * endS()));
    QVERIFY(near(range().first, 0.5 * endS()));
    QVERIFY(near(range().second, 0.7 * endS()));
    drag(at(0.5 * endS()), at(0.3 * endS()));
    QVERIFY(near(range().first, 0.3 * endS()));
    QVERIFY(near(range().second, 0.7 * endS()));
    drag(at(0.7 * endS()), at(0.9 * endS()));
    QVERIFY(near(range().first, 0.3 * endS()));
    QVERIFY(near(range().second, 0.9 * endS()));
    drag(at(0.9 * endS()), at(0.1 * endS()));  // an end does not pass the other
    QVERIFY(near(range().first, 0.3 * endS()));
    QVERIFY(range().second > range().first && range().second < 0.35 * endS());
}

void OverviewTest::aPressBesideTheBrushGoesThere() {
    shown_->view.setVisibleRange(0.1 * endS(), 0.2 * endS());
    QTest::mouseClick(strip_, Qt::LeftButton, {}, at(0.8 * endS()));
    QVERIFY(near((range().first + range().second) / 2, 0.8 * endS()));
    QVERIFY(near(range().second - range().first, 0.1 * endS()));
}

void OverviewTest::aDoubleClickShowsAll() {
    const auto all = range();
    shown_->view.setVisibleRange(0.1 * endS(), 0.2 * endS());
    QVERIFY(range() != all);
    QTest::mouseDClick(strip_, Qt::LeftButton, {}, at(0.5 * endS()));
    QCOMPARE(range(), all);
}

void OverviewTest::theScrollBarIsThereWhileAPartIsShown() {
    QVERIFY(!bar_->isVisible());
    const int chartHeight = shown_->view.gantt().height();
    shown_->view.setVisibleRange(0, 0.25 * endS());
    QVERIFY(bar_->isVisible());
    QCOMPARE(shown_->view.gantt().height(), chartHeight);
    QStyleOptionSlider option;
    option.initFrom(bar_);
    option.minimum = bar_->minimum();
    option.maximum = bar_->maximum();
    option.pageStep = bar_->pageStep();
    option.sliderPosition = option.sliderValue = bar_->value();
    option.orientation = Qt::Horizontal;
    const QRect slider =
        bar_->style()->subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarSlider, bar_);
    QTest::mousePress(bar_, Qt::LeftButton, {}, slider.center());
    QTest::mouseMove(bar_, slider.center() + QPoint(bar_->width() / 2, 0));
    QTest::mouseRelease(bar_, Qt::LeftButton, {}, slider.center() + QPoint(bar_->width() / 2, 0));
    QVERIFY(std::abs(range().first - 0.5 * endS()) < 0.08 * endS());
    QVERIFY(near(range().second - range().first, 0.25 * endS(), 0.01));
    // Ranges from elsewhere are not rounded to its steps.
    shown_->view.setVisibleRange(endS() / 3, endS() / 2);
    QCOMPARE(range(), std::pair(endS() / 3, endS() / 2));
    shown_->view.fitAll();
    QVERIFY(!bar_->isVisible());
}

void OverviewTest::theRunIsDrawnOnceForASize() {
    const int drawings = strip_->drawings();
    for (int i = 1; i < 6; ++i) {
        shown_->view.setVisibleRange(0.1 * i * endS(), 0.1 * (i + 2) * endS());
        strip_->grab();
    }
    QCOMPARE(strip_->drawings(), drawings);
    shown_->view.resize(1100, 700);
    strip_->grab();
    QCOMPARE(strip_->drawings(), drawings + 1);
}

void OverviewTest::itHasTheColoursOfTheChart() {
    const QImage kinds = strip_->run();
    shown_->view.setFocus();
    QTest::keyClick(&shown_->view, Qt::Key_S, Qt::ShiftModifier);
    QCOMPARE(shown_->view.colouring(), BlockColouring::stage);
    strip_->grab();
    QVERIFY(strip_->run() != kinds);
    QTest::keyClick(&shown_->view, Qt::Key_K);
    strip_->grab();
    QCOMPARE(strip_->run(), kinds);
}

void OverviewTest::manyLanesAreDrawnOffTheGuiThread() {
    MadeUpPipeline wanted;
    wanted.stages = 100;
    wanted.replicas = 1;
    shown_ = std::make_unique<ShownPlanView>(wanted);
    strip_ = shown_->view.findChild<OverviewStrip*>();
    QTRY_VERIFY(shown_->view.isReady());
    QTRY_VERIFY(!strip_->run().isNull());
    // 100 lanes in 12 lines: each is the mean of several, and the stairs of the warm-up go down.
    const QImage& run = strip_->run();
    const auto firstBusy = [&run](int y) {
        int x = 0;
        while (x < run.width() && run.pixelColor(x, y) == Theme::current().surface) ++x;
        return x;
    };
    QVERIFY(firstBusy(0) < firstBusy(run.height() / 2));
    QVERIFY(firstBusy(run.height() / 2) < firstBusy(run.height() - 1));
}

STAGECRAFT_TEST(OverviewTest)
#include "overview_test.moc"
