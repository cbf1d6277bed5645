// Throughput versus memory, and the slider for the memory limit.
#include "core/base/units.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/common/theme.h"
#include "views/figures/figure_writers.h"
#include "views/figures/painter_writer.h"
#include "views/pareto/memory_limit_bar.h"
#include "views/pareto/pareto_view.h"

#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <memory>

using namespace stagecraft;

namespace {

ParetoPoint point(double memoryGib, double periodS, double expectedS) {
    ParetoPoint point;
    point.memoryBytes = memoryGib * gib;
    point.periodS = periodS;
    point.proven = true;
    point.expectedS = expectedS;
    point.plan.stages = {{0, 3, {0}}, {4, 7, {1}}};
    return point;
}

/// 8 samples per microbatch.
std::vector<ParetoSeries> curves() {
    return {{"contiguous", {point(12, 0.3, 0.3), point(8, 0.4, 0.4), point(6, 0.8, 0.8)}},
            {"madpipe", {point(11, 0.25, 0.2), point(7, 0.35, 0.3)}}};
}

struct ShownPareto {
    ParetoView view;
    ShownPareto() {
        view.resize(1000, 700);
        view.setLimit(16 * gib);
        view.setSeries(curves(), 8);
        view.show();
        [] { QTest::qWait(20); }();
    }
    QString textOf(const char* name) { return view.findChild<QLabel*>(QLatin1String(name))->text(); }
    void ask(const char* field, double value) {
        view.findChild<QDoubleSpinBox*>(QLatin1String(field))->setValue(value);
    }
};

struct ShownBar {
    MemoryLimitBar bar;
    MarkedSlider* slider;
    QSignalSpy moved{&bar, &MemoryLimitBar::moved}, settled{&bar, &MemoryLimitBar::settled},
        discarded{&bar, &MemoryLimitBar::discarded};

    ShownBar() : slider(bar.findChild<MarkedSlider*>()) {
        bar.resize(900, 36);
        bar.setRange(20 * gib, 16 * gib);
        bar.setLimit(12 * gib);
        bar.show();
        bar.activateWindow();
        [] { QTest::qWait(20); }();
    }
    QPoint at(double gibs) const {
        const double share = gibs / 20;
        return {slider->pixelOf(qRound(share * slider->maximum())), slider->height() / 2};
    }
    void drag(double from, double to) {
        QTest::mousePress(slider, Qt::LeftButton, {}, at(from));
        const QPoint a = at(from), b = at(to);
        for (int i = 1; i <= 10; ++i) {
            QMouseEvent move(QEvent::MouseMove, QPointF(a + (b - a) * i / 10),
                             slider->mapToGlobal(QPointF(a + (b - a) * i / 10)), Qt::NoButton, Qt::LeftButton,
                             Qt::NoModifier);
            QApplication::sendEvent(slider, &move);
        }
    }
    void release(double at_) { QTest::mouseRelease(slider, Qt::LeftButton, {}, at(at_)); }
};

}  // namespace

class ParetoViewTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void theSliderTellsEachStepWhileItIsDraggedAndSettlesWhenLetGo() {
        ShownBar it;
        it.drag(12, 6);
        QVERIFY(it.moved.count() >= 5);
        QCOMPARE(it.settled.count(), 0);
        QVERIFY(it.bar.isMoving());
        QVERIFY(std::abs(it.bar.limitBytes() - 6 * gib) < 0.1 * gib);
        it.release(6);
        QCOMPARE(it.settled.count(), 1);
        QCOMPARE(it.settled[0][0].toDouble(), it.bar.limitBytes());
        QVERIFY(!it.bar.isMoving());
    }

    void withoutARangeNothingCanBeAsked() {
        MemoryLimitBar bar;
        bar.resize(900, 36);
        bar.show();
        QSignalSpy moved(&bar, &MemoryLimitBar::moved);
        QTest::mouseClick(bar.findChild<MarkedSlider*>(), Qt::LeftButton, {}, QPoint(60, 10));
        QCOMPARE(moved.count(), 0);
        bar.setRange(20 * gib, 16 * gib);
        QTest::mouseClick(bar.findChild<MarkedSlider*>(), Qt::LeftButton, {}, QPoint(60, 10));
        QVERIFY(moved.count() > 0);
    }

    void aClickBesideTheHandleTakesItThere() {
        ShownBar it;
        QTest::mouseClick(it.slider, Qt::LeftButton, {}, it.at(4));
        QVERIFY(std::abs(it.bar.limitBytes() - 4 * gib) < 0.1 * gib);
        QCOMPARE(it.settled.count(), 1);
    }

    void nearTheMarkTheLimitIsExactlyWhatTheDevicesHave() {
        ShownBar it;
        it.drag(12, 16.1);
        it.release(16.1);
        QCOMPARE(it.bar.limitBytes(), 16 * gib);
    }

    void escapeGivesUpADragThoughTheMouseGoesOn() {
        ShownBar it;
        it.drag(12, 6);
        QTest::keyClick(it.slider, Qt::Key_Escape);
        QCOMPARE(it.discarded.count(), 1);
        QCOMPARE(it.bar.limitBytes(), 12 * gib);
        const int before = it.moved.count();
        QTest::mouseMove(it.slider, it.at(5));
        it.release(5);
        QCOMPARE(it.moved.count(), before);
        QCOMPARE(it.settled.count(), 0);
        QCOMPARE(it.bar.limitBytes(), 12 * gib);
    }

    void keysMoveItAndItSettlesOnceTheyRest() {
        ShownBar it;
        it.slider->setFocus();
        for (int i = 0; i < 3; ++i) QTest::keyClick(it.slider, Qt::Key_Left);
        QCOMPARE(it.moved.count(), 3);
        QCOMPARE(it.settled.count(), 0);
        QTRY_COMPARE(it.settled.count(), 1);
        QVERIFY(it.bar.limitBytes() < 12 * gib);
        QTest::keyClick(it.slider, Qt::Key_PageDown);
        QTest::keyClick(it.slider, Qt::Key_Return);
        QCOMPARE(it.settled.count(), 2);
    }

    void aTypedNumberSettlesWithReturnAndEscapeTakesItBack() {
        ShownBar it;
        auto* number = it.bar.findChild<QDoubleSpinBox*>();
        number->setFocus();
        number->selectAll();
        QTest::keyClicks(number, QStringLiteral("5.5"));
        QTest::keyClick(number, Qt::Key_Return);
        QCOMPARE(it.settled.count(), 1);
        QCOMPARE(it.bar.limitBytes(), 5.5 * gib);
        QTest::keyClick(number, Qt::Key_Up);
        QCOMPARE(it.bar.limitBytes(), 5.75 * gib);
        QTest::keyClick(number, Qt::Key_Escape);
        QCOMPARE(it.bar.limitBytes(), 5.5 * gib);
        QCOMPARE(it.discarded.count(), 1);
    }

    void whatIsBeingTypedSettlesNothingWhenTheBarIsDestroyed() {
        auto it = std::make_unique<ShownBar>();
        auto* number = it->bar.findChild<QDoubleSpinBox*>();
        number->setFocus();
        QTest::keyClick(number, Qt::Key_Up);
        QVERIFY(it->bar.isMoving() && number->hasFocus());
        QSignalSpy settled(&it->bar, &MemoryLimitBar::settled);
        it.reset();
        QCOMPARE(settled.count(), 0);
    }

    void aLongObstacleIsCutAndToldWhole() {
        ShownBar it;
        const QString text = QStringLiteral("Nothing fits into 2 GiB: ").repeated(20);
        it.bar.setObstacle(text);
        QTest::qWait(10);
        auto* label = it.bar.findChild<QLabel*>(QStringLiteral("memoryObstacle"));
        QVERIFY(label->text().size() < text.size());
        QCOMPARE(label->toolTip(), text);
        QVERIFY(label->fontMetrics().horizontalAdvance(label->text()) <= label->width());
    }

    void bothQuestionsAreAnsweredFromTheCurves() {
        ShownPareto it;
        it.ask("askedMemory", 9);
        QVERIFY(it.textOf("askedMemoryAnswer0").contains(QStringLiteral("400 ms")));
        QVERIFY(it.textOf("askedMemoryAnswer1").contains(QStringLiteral("350 ms")));
        QVERIFY(it.textOf("askedMemoryAnswer1").contains(QStringLiteral("7.00 GiB")));
        it.ask("askedMemory", 6.5);
        QVERIFY(it.textOf("askedMemoryAnswer0").contains(QStringLiteral("800 ms")));
        QCOMPARE(it.textOf("askedMemoryAnswer1"), QStringLiteral("not possible"));
        QVERIFY(!it.view.findChild<QPushButton*>(QStringLiteral("askedMemoryOpen1"))->isEnabled());
        it.ask("askedSpeed", 20);  // 0.4 s a microbatch
        QVERIFY(it.textOf("askedSpeedAnswer0").contains(QStringLiteral("8.00 GiB")));
        QVERIFY(it.textOf("askedSpeedAnswer1").contains(QStringLiteral("7.00 GiB")));
        it.ask("askedSpeed", 30);
        QCOMPARE(it.textOf("askedSpeedAnswer0"), QStringLiteral("not possible"));
        QVERIFY(it.textOf("askedSpeedAnswer1").contains(QStringLiteral("11.0 GiB")));
    }

    void whatIsAskedIsReadWithItsUnit() {
        ShownPareto it;
        it.ask("askedMemory", 192);
        it.ask("askedSpeed", 1333.33);
        for (const char* name : {"askedMemory", "askedSpeed"}) {
            const auto* field = it.view.findChild<QDoubleSpinBox*>(QLatin1String(name));
            const auto* text = field->findChild<QLineEdit*>();
            QVERIFY2(text->fontMetrics().horizontalAdvance(field->text()) + 4 <= text->width(),
                     qPrintable(field->text()));
        }
    }

    void anAnswersButtonAndAClickOnAPointAskForItsPlan() {
        ShownPareto it;
        QSignalSpy asked(&it.view, &ParetoView::planRequested);
        it.ask("askedSpeed", 20);
        QTest::mouseClick(it.view.findChild<QPushButton*>(QStringLiteral("askedSpeedOpen1")), Qt::LeftButton);
        QCOMPARE(asked.count(), 1);
        QVERIFY(asked[0][0].value<ParetoPlace>() == (ParetoPlace{1, 1}));
        QTest::mouseClick(&it.view.chart(), Qt::LeftButton, {}, it.view.chart().pointOf({0, 2}).toPoint());
        QCOMPARE(asked.count(), 2);
        QVERIFY(asked[1][0].value<ParetoPlace>() == (ParetoPlace{0, 2}));
        QTest::mouseClick(&it.view.chart(), Qt::LeftButton, {}, QPoint(5, 5));
        QCOMPARE(asked.count(), 2);
    }

    void hoverAndArrowKeysTellAboutPoints() {
        ShownPareto it;
        ParetoChart& chart = it.view.chart();
        QTest::mouseMove(&chart, chart.pointOf({1, 0}).toPoint());
        QVERIFY(chart.current() == (ParetoPlace{1, 0}));
        QVERIFY(chart.accessibleDescription().contains("250&nbsp;ms"));
        QVERIFY(chart.accessibleDescription().contains("200&nbsp;ms"));  // expected
        QTest::mouseMove(&chart, QPoint(3, 3));
        QVERIFY(!chart.current());
        chart.setFocus();
        QTest::keyClick(&chart, Qt::Key_Left);
        QVERIFY(chart.current() == (ParetoPlace{0, 0}));
        QTest::keyClick(&chart, Qt::Key_Left);
        QVERIFY(chart.current() == (ParetoPlace{0, 1}));
        QTest::keyClick(&chart, Qt::Key_Down);
        QVERIFY(chart.current() == (ParetoPlace{1, 1}));
        QSignalSpy picked(&chart, &ParetoChart::picked);
        QTest::keyClick(&chart, Qt::Key_Return);
        QCOMPARE(picked.count(), 1);
    }

    void dashedIsDrawnOnlyWhereAnExpectationDiffers() {
        const Figure figure = paretoFigure(curves());
        int contiguous = 0, madpipe = 0;
        for (const FigureItem& item : figure.items)
            if (const auto* line = std::get_if<FigurePolygon>(&item)) {
                contiguous += line->role == "contiguous expected";
                madpipe += line->role == "madpipe expected";
                if (line->role.ends_with("expected")) QVERIFY(!line->stroke.dashMm.empty());
                if (line->role == "madpipe") QVERIFY(line->stroke.dashMm.empty());
            }
        QCOMPARE(contiguous, 0);
        QCOMPARE(madpipe, 1);
    }

    void theFigureIsWrittenInEveryFormat() {
        ParetoFigureOptions options;
        options.samples = 8;
        for (const bool throughput : {false, true}) {
            options.throughput = throughput;
            const Figure figure = paretoFigure(curves(), options);
            QVERIFY(writeSvg(figure).contains(throughput ? "throughput" : "period"));
            QVERIFY(writePdf(figure).startsWith("%PDF"));
            QVERIFY(writeTikz(figure).contains("stagecraft madpipe expected"));
            QVERIFY(!pngBytes(QImage(4, 4, QImage::Format_RGB32)).isEmpty());
        }
        QVERIFY_EXCEPTION_THROWN(paretoFigure({{"contiguous", {}}}), std::invalid_argument);
    }

    void moreThroughputIsHigherAndAShorterPeriodLower() {
        ShownPareto it;
        ParetoChart& chart = it.view.chart();
        QVERIFY(chart.pointOf({0, 0}).y() > chart.pointOf({0, 2}).y());
        auto* axis = it.view.findChild<QComboBox*>(QStringLiteral("paretoAxis"));
        QVERIFY(axis);
        axis->setCurrentIndex(1);
        QVERIFY(chart.pointOf({0, 0}).y() < chart.pointOf({0, 2}).y());
    }

    void beforeTheFirstCurveAButtonSaysWhatToDo() {
        ParetoView view;
        view.show();
        QSignalSpy start(&view, &ParetoView::startRequested);
        auto* button = view.findChild<QPushButton*>(QStringLiteral("firstStartPareto"));
        QVERIFY(button->isVisible());
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(start.count(), 1);
        view.setRunning(true);
        QVERIFY(!button->isVisible());
    }
};

STAGECRAFT_TEST(ParetoViewTest)
#include "pareto_view_test.moc"
