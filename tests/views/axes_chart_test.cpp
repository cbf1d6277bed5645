// What all charts with plain axes share: ticks and units, zooming, panning, keys, the theme.
#include "core/base/units.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/plot_complaints.h"
#include "views/common/theme.h"
#include "views/plot/axes_chart.h"
#include "views/plot/plot_style.h"

#include <QApplication>
#include <QMouseEvent>
#include <QTest>
#include <QWheelEvent>

using namespace stagecraft;

namespace {

/// Three points over 0 to 8 GiB and 0 to 1 s, in so many panels.
class ThreePoints : public AxesChart {
public:
    explicit ThreePoints(std::size_t panels = 1, bool logarithmic = false)
        : AxesChart(QStringLiteral("Three points"), nullptr), panels_(panels), logarithmic_(logarithmic) {
        resize(600, 400);
        rebuild();
    }
    void showPanels(std::size_t panels) {
        panels_ = panels;
        rebuild();
    }
    void setMost(double bytes) {
        most_ = bytes;
        rebuild();
    }
    std::optional<QPointF> pointed, clicked;
    bool hits = false;
    bool hasBox = false;

protected:
    void build() override {
        std::vector<ChartPanel> panels;
        for (std::size_t i = 0; i < panels_; ++i)
            panels.push_back({QStringLiteral("Panel"),
                              ChartAxis::ofNumbers({logarithmic_ ? kib : 0, most_, logarithmic_}, "B",
                                                   QStringLiteral("memory")),
                              ChartAxis::ofNumbers({0, 1, false}, "s", QStringLiteral("time"))});
        setPanels(std::move(panels));
        for (std::size_t i = 0; i < panels_; ++i) {
            QCPGraph* line = addGraph(axesOf(i), {{1 * gib, 0.2}, {4 * gib, 0.5}, {7 * gib, 0.9}},
                                      QPen(Theme::current().accent, 3));
            addToKey(*line, QStringLiteral("a line in one panel"));
            if (hasBox) new QCPItemRect(&plot());
        }
        if (panels_ == 0) setHint(QStringLiteral("nothing yet"));
    }
    void pointTo(const std::optional<QPointF>& position) override { pointed = position; }
    bool hit(const QPointF& position) override {
        clicked = position;
        return hits;
    }

private:
    std::size_t panels_;
    bool logarithmic_;
    double most_ = 8 * gib;
};

void turnWheel(QWidget& widget, const QPointF& at, int notches) {
    QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&widget, &event);
}

void movePointer(QWidget& widget, const QPoint& to, Qt::MouseButtons held = Qt::NoButton) {
    QMouseEvent move(QEvent::MouseMove, QPointF(to), widget.mapToGlobal(QPointF(to)), Qt::NoButton, held,
                     Qt::NoModifier);
    QApplication::sendEvent(&widget, &move);
}

void drag(QWidget& widget, const QPoint& from, const QPoint& to) {
    QTest::mousePress(&widget, Qt::LeftButton, {}, from);
    movePointer(widget, to, Qt::LeftButton);
    QTest::mouseRelease(&widget, Qt::LeftButton, {}, to);
}

int countColour(const QImage& image, const QColor& colour) {
    int found = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) found += (image.pixel(x, y) | 0xFF000000u) == colour.rgb();
    return found;
}

}  // namespace

class AxesChartTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        applyTheme(*qApp, ThemeChoice::light);
        complaints_.emplace();
    }
    void cleanup() {
        const QString complaints = complaints_->joined();
        complaints_.reset();
        QVERIFY2(complaints.isEmpty(), qPrintable(complaints));
    }

    void itemsAreMadeWhileTheChartIsBuilt() {
        ThreePoints chart(2);
        chart.hasBox = true;
        chart.showPanels(2);
        chart.showPanels(1);
        chart.showPanels(0);
        chart.showPanels(3);
        QCOMPARE(chart.panelCount(), std::size_t{3});
    }

    void ticksAndTitlesAreInTheUnitThatIsReadAndFollowTheZoom() {
        ThreePoints chart;
        QCOMPARE(chart.drawnAcross().title, QStringLiteral("memory (GiB)"));
        QCOMPARE(chart.drawnUpright().title, QStringLiteral("time (ms)"));
        QCOMPARE(chart.drawnAcross().ticks.front().label, QStringLiteral("0"));
        const QPointF origin = chart.frameOf().bottomLeft();
        for (int i = 0; i < 20; ++i) turnWheel(chart, origin, 1);
        QCOMPARE(chart.drawnAcross().title, QStringLiteral("memory (MiB)"));
        for (const PlotTick& tick : chart.drawnAcross().ticks) {
            const double x = chart.pixelsOf(tick.value, 0).x();
            QVERIFY(x >= chart.frameOf().left() - 1 && x <= chart.frameOf().right() + 1);
        }
    }

    void labelsOfTicksHaveRoomBesideEachOther() {
        for (const int width : {260, 400, 700, 1300}) {
            ThreePoints chart;
            chart.resize(width, 300);
            const std::vector<PlotTick> ticks = chart.drawnAcross().ticks;
            QVERIFY(ticks.size() > 1);
            for (std::size_t i = 1; i < ticks.size(); ++i) {
                const double apart =
                    chart.pixelsOf(ticks[i].value, 0).x() - chart.pixelsOf(ticks[i - 1].value, 0).x();
                QVERIFY(apart > 1.1 * chart.fontMetrics().horizontalAdvance(ticks[i].label));
            }
        }
    }

    void theWheelZoomsAtThePointerAndWhatShowsAllLeavesItToOthers() {
        ThreePoints chart;
        const QPointF at = chart.pixelsOf(4 * gib, 0.5);
        turnWheel(chart, at, 3);
        QVERIFY(!chart.isFitted());
        QVERIFY((chart.pixelsOf(4 * gib, 0.5) - at).manhattanLength() < 2);
        QVERIFY(chart.shownAcross().to() - chart.shownAcross().from() < 8 * gib / 1.9);
        turnWheel(chart, at, -10);
        QVERIFY(chart.isFitted());
        QWheelEvent out(at, chart.mapToGlobal(at), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                        Qt::NoScrollPhase, false);
        QApplication::sendEvent(&chart, &out);
        QVERIFY(!out.isAccepted());
    }

    void aDragPansWithinAllThatThereIsAndIsNoClick() {
        ThreePoints chart;
        turnWheel(chart, chart.pixelsOf(4 * gib, 0.5), 4);
        const QPoint from = chart.pixelsOf(4 * gib, 0.5).toPoint();
        drag(chart, from, from + QPoint(60, -40));
        QVERIFY((chart.pixelsOf(4 * gib, 0.5) - QPointF(from + QPoint(60, -40))).manhattanLength() < 3);
        QVERIFY(!chart.clicked);
        drag(chart, from, from + QPoint(5000, 0));
        QVERIFY(std::abs(chart.shownAcross().from()) < 1e-6 * gib);
        QTest::mouseClick(&chart, Qt::LeftButton, {}, from);
        QVERIFY(chart.clicked && chart.clicked->toPoint() == from);
    }

    void aDoubleClickShowsAllUnlessItHitsSomething() {
        ThreePoints chart;
        const QPoint at = chart.frameOf().center().toPoint();
        for (const bool hits : {true, false}) {
            turnWheel(chart, at, 4);
            chart.hits = hits;
            QTest::mouseClick(&chart, Qt::LeftButton, {}, at);
            QTest::mouseDClick(&chart, Qt::LeftButton, {}, at);
            QCOMPARE(chart.isFitted(), !hits);
        }
    }

    void keysZoomPanAndFit() {
        ThreePoints chart;
        QTest::keyClick(&chart, Qt::Key_Plus);
        QTest::keyClick(&chart, Qt::Key_W);
        QVERIFY(!chart.isFitted());
        const double from = chart.shownAcross().from();
        QTest::keyClick(&chart, Qt::Key_D);
        QVERIFY(chart.shownAcross().from() > from);
        QTest::keyClick(&chart, Qt::Key_A);
        QVERIFY(std::abs(chart.shownAcross().from() - from) < 1);
        QTest::keyClick(&chart, Qt::Key_F);
        QVERIFY(chart.isFitted());
    }

    void logarithmicAxesZoomByTheirLogarithms() {
        ThreePoints chart(1, true);
        const double middle = std::sqrt(1024 * 8 * gib);
        QVERIFY(std::abs(chart.pixelsOf(middle, 0).x() - chart.frameOf().center().x()) < 1);
        turnWheel(chart, chart.pixelsOf(middle, 0.5), 4);
        QVERIFY(std::abs(chart.pixelsOf(middle, 0).x() - chart.frameOf().center().x()) < 2);
        QVERIFY(chart.shownAcross().from() > 1024 && chart.shownAcross().to() < 8 * gib);
    }

    void whatIsShownStaysWhileDataGrowsAndWhatShowsAllGoesOnToShowAll() {
        ThreePoints chart;
        chart.setMost(16 * gib);
        QVERIFY(chart.isFitted());
        QCOMPARE(chart.shownAcross().to(), 16 * gib);
        turnWheel(chart, chart.pixelsOf(4 * gib, 0.5), 5);
        const double from = chart.shownAcross().from(), to = chart.shownAcross().to();
        chart.setMost(20 * gib);
        QCOMPARE(chart.shownAcross().from(), from);
        QCOMPARE(chart.shownAcross().to(), to);
        chart.showPanels(2);  // another chart
        QVERIFY(chart.isFitted());
    }

    void panelsAreSideBySideOrBelowEachOtherWithAxesOfOneLength() {
        ThreePoints chart(2);
        QCOMPARE(chart.frameOf(0).top(), chart.frameOf(1).top());
        QVERIFY(chart.frameOf(0).right() < chart.frameOf(1).left());
        QVERIFY(std::abs(chart.frameOf(0).width() - chart.frameOf(1).width()) <= 1);
        chart.resize(300, 500);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        QVERIFY(chart.frameOf(0).bottom() < chart.frameOf(1).top());
        QCOMPARE(chart.frameOf(0).left(), chart.frameOf(1).left());
    }

    void theKeyHasAsManyColumnsAsThereIsRoomFor() {
        ThreePoints chart(5);  // of which each adds an entry
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        const QCPLegend& key = *chart.findChild<QCustomPlot*>()->legend;
        int columns = 0;
        for (const int width : {250, 500, 1100}) {
            chart.resize(width, 700);
            chart.frameOf();
            QVERIFY(key.columnCount() > columns);
            columns = key.columnCount();
            QVERIFY(key.outerRect().right() < width && key.outerRect().bottom() < 700);
            for (int i = 0; i < key.itemCount(); ++i)
                if (const QCPAbstractLegendItem* item = key.item(i))
                    QVERIFY(item->outerRect().right() < width &&
                            item->outerRect().width() >= item->minimumOuterSizeHint().width());
        }
        QCOMPARE(columns, 5);
    }

    void whatIsDrawnFollowsTheTheme() {
        ThreePoints chart;
        const QColor light = Theme::current().accent;
        QVERIFY(countColour(chart.grab().toImage(), light) > 100);
        applyTheme(*qApp, ThemeChoice::dark);
        QApplication::processEvents();
        const QImage dark = chart.grab().toImage();
        QVERIFY(countColour(dark, Theme::current().accent) > 100);
        QCOMPARE(dark.pixelColor(1, 1), Theme::current().surface);
        QCOMPARE(countColour(dark, light), 0);
    }

    void withoutPanelsTheHintIsShownAndNothingCanBeMoved() {
        ThreePoints chart(0);
        const QImage image = chart.grab().toImage();
        QVERIFY(image.width() * image.height() - countColour(image, Theme::current().surface) > 50);
        turnWheel(chart, {100, 100}, 2);
        for (const int key : {Qt::Key_W, Qt::Key_A, Qt::Key_F}) QTest::keyClick(&chart, Qt::Key(key));
        drag(chart, {100, 100}, {200, 200});
        QCOMPARE(chart.panelCount(), std::size_t(0));
    }

    void hoveringDrawsNothingAnew() {
        ThreePoints chart;
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        int drawn = 0;
        connect(chart.findChild<QCustomPlot*>(), &QCustomPlot::afterReplot, this, [&drawn] { ++drawn; });
        movePointer(chart, QPoint(200, 200));
        QCOMPARE(chart.pointed.value_or(QPointF()), QPointF(200, 200));
        QTest::qWait(20);
        QCOMPARE(drawn, 0);
        chart.fit();
        QTRY_COMPARE(drawn, 1);
    }

private:
    std::optional<PlotComplaints> complaints_;
};

STAGECRAFT_TEST(AxesChartTest)
#include "axes_chart_test.moc"
