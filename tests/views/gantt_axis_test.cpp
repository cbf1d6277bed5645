#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "views/common/text.h"
#include "views/timeline/time_axis.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace stagecraft;

class GanttAxisTest : public QObject {
    Q_OBJECT
private slots:
    void devicesAreNamedShorterAndShorter();
    void pixelsAndTimesRoundTrip();
    void zoomKeepsTheInstantUnderThePointer();
    void panningMovesWhatIsShownByPixels();
    void clampingNeverLeavesTheRange();
    void ticksAreEvenAndInsideAndDistinct();
    void instantsSayAsMuchAsTheResolutionNeeds();
};

namespace {
std::mt19937 axisGenerator(20260101);
double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(axisGenerator);
}
TimeAxis randomAxis() {
    TimeAxis axis;
    axis.t0 = between(-1, 100);
    axis.t1 = axis.t0 + std::pow(10, between(-7, 3));
    axis.x0 = between(0, 200);
    axis.width = between(50, 3000);
    return axis;
}
}  // namespace

void GanttAxisTest::devicesAreNamedShorterAndShorter() {
    Cluster cluster;
    for (const char* id : {"s0g0", "s0g1", "s1g0", "s1g1"}) {
        Device device;
        device.id = id;
        cluster.devices.push_back(device);
    }
    QCOMPARE(deviceSummaries(cluster, {2}), QStringList({"s1g0"}));
    QCOMPARE(deviceSummaries(cluster, {1, 2}), QStringList({"s0g1, s1g0", "s0g1 (×2)"}));
    QCOMPARE(deviceSummaries(cluster, {0, 1, 2, 3}),
             QStringList({"s0g0 … s1g1 (×4)", "s0g0 … s1g1", "s0g0 (×4)"}));
    QCOMPARE(deviceSummary(cluster, {0, 1, 2, 3}), QString("s0g0 … s1g1 (×4)"));
}

void GanttAxisTest::pixelsAndTimesRoundTrip() {
    for (int i = 0; i < 500; ++i) {
        const TimeAxis axis = randomAxis();
        const double x = between(axis.x0 - 100, axis.x0 + axis.width + 100);
        QVERIFY(std::abs(axis.toX(axis.toTime(x)) - x) < 1e-3);
        QCOMPARE(axis.toX(axis.t0), axis.x0);
        QCOMPARE(axis.toX(axis.t1), axis.x0 + axis.width);
    }
}

void GanttAxisTest::zoomKeepsTheInstantUnderThePointer() {
    for (int i = 0; i < 500; ++i) {
        const TimeAxis axis = randomAxis();
        const double x = between(axis.x0, axis.x0 + axis.width), factor = between(0.5, 2);
        const TimeAxis zoomed = axis.zoomedAt(x, factor);
        QVERIFY(std::abs(zoomed.toTime(x) - axis.toTime(x)) < 1e-6 * axis.spanS() + 1e-12);
        QVERIFY(std::abs(zoomed.spanS() * factor - axis.spanS()) < 1e-6 * axis.spanS() + 1e-12);
    }
}

void GanttAxisTest::panningMovesWhatIsShownByPixels() {
    const TimeAxis axis{2, 4, 10, 100};
    const TimeAxis moved = axis.panned(25);
    QCOMPARE(moved.toX(3.0), axis.toX(3.0) + 25);
    QCOMPARE(moved.spanS(), axis.spanS());
}

void GanttAxisTest::clampingNeverLeavesTheRange() {
    for (int i = 0; i < 500; ++i) {
        const double begin = between(-5, 5), end = begin + between(0.1, 50), least = (end - begin) * 1e-6;
        const TimeAxis inside = randomAxis().clampedTo(begin, end, least);
        QVERIFY(inside.t0 >= begin - 1e-9 && inside.t1 <= end + 1e-9);
        QVERIFY(inside.spanS() >= least * 0.999999);
    }
    const TimeAxis untouched = TimeAxis{1, 2, 0, 100}.clampedTo(0, 10, 1e-6);
    QCOMPARE(untouched.t0, 1.0);
    QCOMPARE(untouched.t1, 2.0);
    const TimeAxis pushedBack = TimeAxis{9.5, 10.5, 0, 100}.clampedTo(0, 10, 1e-6);
    QCOMPARE(pushedBack.t0, 9.0);
    QCOMPARE(pushedBack.t1, 10.0);
}

void GanttAxisTest::ticksAreEvenAndInsideAndDistinct() {
    for (int i = 0; i < 500; ++i) {
        const TimeAxis axis = randomAxis();
        const std::vector<TimeTick> ticks = timeTicks(axis, 80);
        for (std::size_t k = 0; k < ticks.size(); ++k) {
            const double x = axis.toX(ticks[k].timeS);
            QVERIFY(x >= axis.x0 - 1e-3 && x <= axis.x0 + axis.width + 1e-3);
            if (k == 0) continue;
            QVERIFY(x - axis.toX(ticks[k - 1].timeS) >= 80 - 1e-2);
            QVERIFY2(ticks[k].label != ticks[k - 1].label, ticks[k].label.c_str());
        }
    }
    const std::vector<TimeTick> ticks = timeTicks({0, 0.531, 0, 1000}, 100);
    QCOMPARE(QString::fromStdString(ticks[1].label), QString("100 ms"));
}

void GanttAxisTest::instantsSayAsMuchAsTheResolutionNeeds() {
    QCOMPARE(QString::fromStdString(formatInstant(0.5310, 1e-3)), QString("531 ms"));
    QCOMPARE(QString::fromStdString(formatInstant(0.5310, 1e-4)), QString("531.0 ms"));
    QCOMPARE(QString::fromStdString(formatInstant(12, 0.1)), QString("12.0 s"));
    QCOMPARE(QString::fromStdString(formatInstant(3.5e-6, 1e-7)), QString("3.5 µs"));
}

STAGECRAFT_TEST_NEEDING(events, GanttAxisTest)
#include "gantt_axis_test.moc"
