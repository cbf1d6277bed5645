// Stepping through a plan from event to event.

#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "tests/views/plan_view_fixture.h"
#include "views/resources/step_bar.h"
#include "views/timeline/event_steps.h"

#include <QAction>
#include <QTest>
#include <QToolButton>

using namespace stagecraft;

class GanttStepsTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { shown_.reset(); }

    void forthIsEachStartOnceAndBackTheSame();
    void keysStepAndEscapeEnds();
    void buttonsStepWithTheMouse();
    void theTextSaysWhatBegins();
    void whatIsToComeIsFaintAndWhatRunsIsOutlined();
    void numbersOfWhatIsToComeAreReadInBothThemes();
    void theStepStaysInView();
    void playingStopsAtTheEnd();
    void aStepThroughAPlanWithABarrierWorksToo();

private:
    TimePlot& plot() { return shown_->plot(); }
    const ChartData& data() { return *view_->gantt().scene().data; }
    void press(QAction* action);

    std::unique_ptr<ShownPlanView> shown_;
    PlanView* view_ = nullptr;
};

void GanttStepsTest::init() {
    MadeUpPipeline wanted;
    wanted.microbatches = 2;
    wanted.miniBatches = 4;
    wanted.replicas = 1;
    wanted.linkBps = 60e9;
    shown_ = std::make_unique<ShownPlanView>(wanted);
    view_ = &shown_->view;
    QVERIFY(QTest::qWaitForWindowExposed(view_));
    view_->setFocus();
}

void GanttStepsTest::press(QAction* action) {
    for (QToolButton* button : view_->findChildren<QToolButton*>())
        if (button->defaultAction() == action) return QTest::mouseClick(button, Qt::LeftButton);
    QFAIL("the toolbar has no such button");
}

void GanttStepsTest::forthIsEachStartOnceAndBackTheSame() {
    const EventSteps events(view_->gantt().scene().data);
    const Timeline& timeline = data().timeline();
    std::vector<double> instants;
    std::size_t begun = 0;
    for (double at = events.from(0); at < data().endS; at = events.after(at)) {
        instants.push_back(at);
        begun += events.beginningAt(at).size();
        QVERIFY(instants.size() < 10000);
    }
    QVERIFY(std::is_sorted(instants.begin(), instants.end()));
    std::size_t computed = 0;
    for (const Lane& lane : timeline.lanes)
        if (lane.kind == LaneKind::compute)
            for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
                computed += timeline.startS[block] < data().endS;
    QCOMPARE(begun, computed);
    for (std::size_t i = instants.size(); i-- > 1;)
        QVERIFY(std::abs(events.before(instants[i]) - instants[i - 1]) <= data().slackS());
    QCOMPARE(events.before(0), timeline.firstStartS());
}

void GanttStepsTest::keysStepAndEscapeEnds() {
    QVERIFY(!view_->stepTime());
    const quint32 last = shown_->block(BlockKind::backward, 0, 1, 3);
    const auto lastIsFaint = [&] {
        const QImage image = shown_->shot();
        const QPointF corner = view_->gantt().blockRect(last).bottomLeft() + QPointF(5, -5);
        return image.pixelColor(corner.toPoint()) != blockColour(BlockKind::backward);
    };
    QTRY_VERIFY(!lastIsFaint());
    QTest::keyClick(view_, Qt::Key_N);
    QVERIFY(lastIsFaint());
    QCOMPARE(*view_->stepTime(), 0.0);
    QTest::keyClick(view_, Qt::Key_N);
    const double second = *view_->stepTime();
    QVERIFY(second > 0);
    QTest::keyClick(view_, Qt::Key_N);
    QVERIFY(*view_->stepTime() > second);
    QTest::keyClick(view_, Qt::Key_N, Qt::ShiftModifier);
    QCOMPARE(*view_->stepTime(), second);
    QVERIFY(view_->findChild<StepBar*>()->isVisible());
    QTest::keyClick(view_, Qt::Key_Escape);
    QVERIFY(!view_->stepTime());
    QVERIFY(!view_->findChild<StepBar*>()->isVisible());
    QTRY_VERIFY(!lastIsFaint());
}

void GanttStepsTest::buttonsStepWithTheMouse() {
    press(view_->viewActions().nextEvent);
    press(view_->viewActions().nextEvent);
    const double second = *view_->stepTime();
    QVERIFY(second > 0);
    press(view_->viewActions().previousEvent);
    QCOMPARE(*view_->stepTime(), 0.0);
    for (QToolButton* button : view_->findChild<StepBar*>()->findChildren<QToolButton*>())
        QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(!view_->stepTime());
}

void GanttStepsTest::theTextSaysWhatBegins() {
    QTest::keyClick(view_, Qt::Key_N);
    QVERIFY2(view_->stepText().startsWith("s0g0: forward of microbatch 0 of mini-batch 0, version 0"),
             qPrintable(view_->stepText()));
    const EventSteps events(view_->gantt().scene().data);
    const double updated = data().timeline().startS[data().updates[0][0]];
    QVERIFY(events.texts(updated).contains("s0g0: update of mini-batch 0, which makes version 1"));
    for (int i = 0; i < 400 && *view_->stepTime() < data().endS; ++i) QTest::keyClick(view_, Qt::Key_N);
    QCOMPARE(view_->stepText(), QString("The end: all is done"));
}

void GanttStepsTest::whatIsToComeIsFaintAndWhatRunsIsOutlined() {
    const quint32 running = shown_->block(BlockKind::forward, 1, 0),
                  later = shown_->block(BlockKind::backward, 3, 0),
                  done = shown_->block(BlockKind::forward, 0, 0);
    const auto colourOf = [&](const QImage& image, quint32 block) {
        return image.pixelColor((view_->gantt().blockRect(block).bottomLeft() + QPointF(5, -5)).toPoint());
    };
    while (!view_->stepTime() || *view_->stepTime() < data().timeline().startS[running])
        QTest::keyClick(view_, Qt::Key_N);
    const QImage image = shown_->shot();
    QCOMPARE(colourOf(image, done), blockColour(BlockKind::forward));
    QCOMPARE(colourOf(image, running), blockColour(BlockKind::forward));
    QVERIFY(colourOf(image, later).lightness() > blockColour(BlockKind::backward).lightness() + 60);
    const QRectF where = view_->gantt().blockRect(running);
    QCOMPARE(image.pixelColor(qRound(where.center().x()), qRound(where.top()) + 1), Theme::current().accent);
}

void GanttStepsTest::numbersOfWhatIsToComeAreReadInBothThemes() {
    // WCAG's contrast of two colours.
    const auto luminance = [](const QColor& colour) {
        const auto linear = [](double part) {
            return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
               0.0722 * linear(colour.blueF());
    };
    const quint32 last = shown_->block(BlockKind::backward, 0, 1, 3);
    const Timeline& timeline = data().timeline();
    for (const ThemeChoice theme : {ThemeChoice::light, ThemeChoice::dark}) {
        applyTheme(*qApp, theme);
        QTest::keyClick(view_, Qt::Key_N);
        view_->setVisibleRange(timeline.startS[last] - timeline.durationS(last), timeline.endS[last]);
        const QImage image = shown_->shot();
        const QRect box = view_->gantt().blockRect(last).toRect().adjusted(4, 4, -4, -4);
        QVERIFY(box.width() > 40);
        const double ground = luminance(image.pixelColor(box.bottomLeft()));
        double most = 1;
        for (int y = box.top(); y <= box.bottom(); ++y)
            for (int x = box.left(); x <= box.right(); ++x) {
                const double own = luminance(image.pixelColor(x, y));
                most = std::max(most, (std::max(own, ground) + 0.05) / (std::min(own, ground) + 0.05));
            }
        QVERIFY2(most >= 3, qPrintable(QString::number(most)));
    }
    applyTheme(*qApp, ThemeChoice::light);
}

void GanttStepsTest::theStepStaysInView() {
    view_->setVisibleRange(0, data().endS / 10);
    for (int i = 0; i < 60; ++i) {
        QTest::keyClick(view_, Qt::Key_N);
        const auto [t0, t1] = view_->visibleRange();
        QVERIFY(*view_->stepTime() >= t0 && *view_->stepTime() <= t1);
    }
    QVERIFY(view_->visibleRange().first > 0);
}

void GanttStepsTest::playingStopsAtTheEnd() {
    QTest::keyClick(view_, Qt::Key_Space);
    QVERIFY(view_->viewActions().play->isChecked());
    const double first = *view_->stepTime();
    QTRY_VERIFY(*view_->stepTime() > first);
    QTest::keyClick(view_, Qt::Key_Space);
    QVERIFY(!view_->viewActions().play->isChecked());
    const double paused = *view_->stepTime();
    QTest::qWait(1200);
    QCOMPARE(*view_->stepTime(), paused);
    while (*view_->stepTime() < data().endS) QTest::keyClick(view_, Qt::Key_N);
    QTest::keyClick(view_, Qt::Key_Space);  // from the start again
    QVERIFY(*view_->stepTime() < data().endS);
    QTest::keyClick(view_, Qt::Key_Escape);
    QVERIFY(!view_->viewActions().play->isChecked());
}

void GanttStepsTest::aStepThroughAPlanWithABarrierWorksToo() {
    view_->setRun(madeUpRun());
    QTest::keyClick(view_, Qt::Key_N);
    QVERIFY2(view_->stepText().contains("forward of microbatch 0") && !view_->stepText().contains("version"),
             qPrintable(view_->stepText()));
}

STAGECRAFT_TEST(GanttStepsTest)
#include "gantt_steps_test.moc"
