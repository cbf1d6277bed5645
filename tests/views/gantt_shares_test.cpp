#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "views/timeline/busy_levels.h"
#include "views/timeline/memory_series.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace stagecraft;

class GanttSharesTest : public QObject {
    Q_OBJECT
private slots:
    void sharesEqualIntegrationOverAllBlocks();
    void sharesOfAColouringEqualIntegrationToo();
    void sharesHoldWhereAlmostAllBlocksCrowdIntoOneMoment();
    void sharesOfManyBlocksAColumnEqualIntegration();
    void lookUpsEqualAScan();
    void memoryExtremesEqualAScanOverAllSteps();
    void devicesWithEqualCurvesShareOneSeries();
};

namespace {

std::mt19937 blockGenerator(7);
double secondsBetween(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(blockGenerator);
}
int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(blockGenerator); }

/// Lanes of blocks with and without gaps between them, of any kind, some of which take no time and are in the
/// middle of the block before. `crowd`: nearly all of them very short.
Timeline randomTimeline(int lanes, int blocksPerLane, bool crowd) {
    Timeline timeline;
    timeline.resize(static_cast<std::uint32_t>(lanes * blocksPerLane));
    std::uint32_t block = 0;
    for (int lane = 0; lane < lanes; ++lane) {
        Lane it;
        it.firstBlock = block;
        double timeS = secondsBetween(0, 1);
        for (int i = 0; i < blocksPerLane; ++i, ++block) {
            if (i > 0 && whole(0, 9) == 0) {
                const double insideS = secondsBetween(timeline.startS[block - 1], timeS);
                timeline.startS[block] = timeline.endS[block] = insideS;
                timeline.kind[block] = BlockKind::update;
                timeline.iteration[block] = i / 20;
                continue;
            }
            if (whole(0, 2) == 0) timeS += secondsBetween(0, 2) * (crowd ? 1e-5 : 1);
            timeline.startS[block] = timeS;
            const double length = whole(0, 9) == 0 ? 0 : secondsBetween(0, 1) * (crowd ? 1e-5 : 1);
            timeS += crowd && i == blocksPerLane / 2 ? 1000 : length;
            timeline.endS[block] = timeS;
            timeline.kind[block] = static_cast<BlockKind>(whole(0, blockKindCount - 1));
            timeline.iteration[block] = i / 20;
        }
        it.endBlock = block;
        timeline.lanes.push_back(it);
    }
    return timeline;
}

double integrated(const Timeline& timeline, int lane, const BlockClasses& classes, std::uint8_t wanted,
                  double fromS, double toS) {
    double busy = 0;
    const Lane& range = timeline.lanes[static_cast<std::size_t>(lane)];
    for (std::uint32_t b = range.firstBlock; b < range.endBlock; ++b)
        if (classes.column(timeline)[b] == wanted)
            busy += std::max(0.0, std::min(toS, timeline.endS[b]) - std::max(fromS, timeline.startS[b]));
    return busy / (toS - fromS);
}

void compareShares(const Timeline& timeline, double t0, double t1, int columns,
                   const BlockClasses& classes = {}) {
    const BusyLevels busy(timeline, classes);
    const double columnS = (t1 - t0) / columns;
    std::vector<float> shares;
    for (int lane = 0; lane < static_cast<int>(timeline.lanes.size()); ++lane) {
        busy.columnShares(timeline, lane, t0, columnS, columns, shares, classes);
        const auto& present = busy.classes(lane);
        QCOMPARE(shares.size(), present.size() * static_cast<std::size_t>(columns));
        for (int column = 0; column < columns; ++column)
            for (std::size_t k = 0; k < present.size(); ++k) {
                const double from = t0 + column * columnS;
                const double expected = integrated(timeline, lane, classes, present[k], from, from + columnS);
                const double got = double(shares[static_cast<std::size_t>(column) * present.size() + k]);
                QVERIFY2(std::abs(got - expected) < 1e-4, qPrintable(QString("lane %1 column %2: %3, not %4")
                                                                         .arg(lane)
                                                                         .arg(column)
                                                                         .arg(got)
                                                                         .arg(expected)));
            }
    }
}

}  // namespace

void GanttSharesTest::sharesEqualIntegrationOverAllBlocks() {
    for (int round = 0; round < 20; ++round) {
        const Timeline timeline = randomTimeline(2, whole(0, 400), false);
        const double end = timeline.lastEndS() + 1;
        compareShares(timeline, -0.5, end, 60);
        const double from = secondsBetween(0, end);
        compareShares(timeline, from, from + secondsBetween(0.1, 5), 60);
    }
}

void GanttSharesTest::sharesOfAColouringEqualIntegrationToo() {
    for (int round = 0; round < 10; ++round) {
        const Timeline timeline = randomTimeline(2, whole(0, 400), false);
        const BlockClasses classes(BlockColouring::miniBatch, timeline, {}, nullptr);
        compareShares(timeline, -0.5, timeline.lastEndS() + 1, 60, classes);
    }
    const Timeline crowded = randomTimeline(1, 5000, true);
    compareShares(crowded, 0, crowded.lastEndS(), 40,
                  BlockClasses(BlockColouring::miniBatch, crowded, {}, nullptr));
}

void GanttSharesTest::sharesHoldWhereAlmostAllBlocksCrowdIntoOneMoment() {
    const Timeline timeline = randomTimeline(1, 5000, true);
    compareShares(timeline, 0, timeline.lastEndS(), 40);
    const double start = timeline.startS.front();
    compareShares(timeline, start, start + 0.01, 40);
}

/// What is read there is not the blocks but what was kept of them in small.
void GanttSharesTest::sharesOfManyBlocksAColumnEqualIntegration() {
    for (int round = 0; round < 6; ++round) {
        const Timeline timeline = randomTimeline(2, whole(2500, 4000), false);
        const double end = timeline.lastEndS();
        compareShares(timeline, -0.01 * end, 1.01 * end, 24);
        const double from = secondsBetween(0, 0.3 * end);
        compareShares(timeline, from, from + 0.6 * end, 24);
        compareShares(timeline, from, from + 0.6 * end, 24,
                      BlockClasses(BlockColouring::miniBatch, timeline, {}, nullptr));
    }
}

void GanttSharesTest::lookUpsEqualAScan() {
    const Timeline timeline = randomTimeline(2, 700, false);
    const BusyLevels busy(timeline);
    for (int i = 0; i < 2000; ++i) {
        const int lane = whole(0, 1);
        const Lane& range = timeline.lanes[static_cast<std::size_t>(lane)];
        const auto some = static_cast<std::uint32_t>(whole(int(range.firstBlock), int(range.endBlock) - 1));
        const double timeS = i % 2 ? timeline.startS[some] : secondsBetween(-1, timeline.lastEndS() + 1);
        std::uint32_t first = range.firstBlock;
        while (first < range.endBlock && timeline.startS[first] < timeS) ++first;
        QCOMPARE(busy.firstFrom(timeline, lane, timeS), first);
        const std::uint32_t hit = busy.blockAt(timeline, lane, timeS);
        if (hit != noBlock) {
            QVERIFY(timeline.startS[hit] <= timeS && timeS <= timeline.endS[hit]);
        } else {
            for (std::uint32_t b = range.firstBlock; b < range.endBlock; ++b)
                QVERIFY(!(timeline.startS[b] <= timeS && timeS < timeline.endS[b]));
        }
    }
}

/// The highest and the lowest total at any instant of [from, to).
std::pair<double, double> scanned(const MemoryCurve& curve, double from, double to) {
    double high = -1, low = 1e9;
    for (std::size_t step = 0; step < curve.timeS().size(); ++step) {
        const double ends = step + 1 < curve.timeS().size() ? curve.timeS()[step + 1] : 1e18;
        if (curve.timeS()[step] >= to || (ends <= from && curve.timeS()[step] < from)) continue;
        high = std::max(high, curve.totalAt(step));
        low = std::min(low, curve.totalAt(step));
    }
    return {high, low};
}

void GanttSharesTest::memoryExtremesEqualAScanOverAllSteps() {
    for (int round = 0; round < 60; ++round) {
        MemorySteps steps;
        double timeS = 0;
        for (int step = whole(1, 900); step > 0; --step) {
            steps.timeS.push_back(timeS);
            for (auto& kind : steps.bytes) kind.push_back(double(whole(0, 50)));
            // In some rounds steps crowd, with long ones among them, and some end as soon as they begin.
            const bool crowd = round % 3 != 0 && whole(0, 20) > 0;
            timeS += crowd ? (whole(0, 9) == 0 ? 0 : secondsBetween(1e-5, 1e-3)) : secondsBetween(0.01, 1);
        }
        const MemoryCurve curve{0, 0, std::make_shared<const MemorySteps>(std::move(steps))};
        const MemorySeries series(curve);
        const double t0 = round % 2 ? secondsBetween(0, timeS) : secondsBetween(-0.1, 0.1) * timeS;
        const double columnS = timeS * secondsBetween(0.001, 0.05), grainS = MemorySeries::grainOf(columnS);
        std::vector<MemorySeries::Extremes> columns;
        series.extremes(t0, columnS, 40, columns);
        QCOMPARE(columns.size(), std::size_t(40));
        for (int column = 0; column < 40; ++column) {
            const double from = t0 + column * columnS, to = t0 + (column + 1) * columnS;
            const auto [high, low] = scanned(curve, from, to);
            const auto [highest, lowest] = scanned(curve, from - grainS, to + grainS);
            const MemorySeries::Extremes& found = columns[static_cast<std::size_t>(column)];
            if (high < 0) {  // before the first step
                QCOMPARE(found.endStep, 0u);
                continue;
            }
            QVERIFY(found.highBytes >= high && found.highBytes <= highest);
            QVERIFY(found.lowBytes <= low && found.lowBytes >= lowest);
            QCOMPARE(curve.totalAt(series.highestStep(found)), found.highBytes);
            if (round % 3 == 0 && columnS < 0.04) {  // each step is longer than a grain
                QCOMPARE(found.highBytes, high);
                QCOMPARE(found.lowBytes, low);
            }
        }
        const double instant = secondsBetween(0, timeS);
        QCOMPARE(series.totalAt(instant), curve.totalAt(curve.stepAt(instant)));
        QCOMPARE(series.totalAt(curve.timeS().back()), curve.totalAt(curve.timeS().size() - 1));
        QCOMPARE(series.peakBytes(), curve.peakBytes());
    }
}

void GanttSharesTest::devicesWithEqualCurvesShareOneSeries() {
    std::vector<MemoryCurve> curves(4);
    for (int device = 0; device < 4; ++device) {
        curves[static_cast<std::size_t>(device)].device = device;
        MemorySteps steps;
        steps.timeS = {0, 1};
        for (auto& kind : steps.bytes)
            kind =
                device == 3 ? std::vector<double>{0, 0} : std::vector<double>{1.0, device == 1 ? 5.0 : 2.0};
        curves[static_cast<std::size_t>(device)].steps =
            std::make_shared<const MemorySteps>(std::move(steps));
    }
    const std::vector<MemorySeries> series = memorySeries(curves);
    QCOMPARE(series.size(), std::size_t(2));  // device 3 holds nothing
    QCOMPARE(series[0].devices, (std::vector<int>{0, 2}));
    QCOMPARE(series[1].devices, (std::vector<int>{1}));
}

STAGECRAFT_TEST_NEEDING(events, GanttSharesTest)
#include "gantt_shares_test.moc"
