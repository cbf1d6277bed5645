// Memory with what swap and recompute save, what is alive at an instant, and the load of links, under a
// chart.
#include "core/planners/planned_run.h"
#include "core/base/indices.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/plan_view_fixture.h"
#include "tests/views/saving_run.h"
#include "views/plan/details_pane.h"
#include "views/plan/resource_charts.h"
#include "views/resources/alive_list.h"
#include "views/resources/link_chart.h"
#include "views/common/theme.h"
#include "views/resources/memory_chart.h"
#include "views/timeline/block_text.h"

#include <QAction>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <cmath>
#include <random>
#include <set>

using namespace stagecraft;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-3 + 1e-6 * std::abs(b); }

}  // namespace

class ResourceChartsTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { view_.reset(); }

    void bandsShowWhatSwapAndRecomputeSave();
    void listTellsWhatIsSaved();
    void clickOnACurveListsWhatIsAlive();
    void clickOnThePeakAsksForIt();
    void rowsLeadToTheBlockThatTookIt();
    void everyInstantAddsUp();
    void linksReplaceMemoryOnTheSameAxis();
    void namesOfManyLinksShowBothEndsInTheList();
    void linkReadOutIsTheLoadAtThePointer();
    void linkRowShowsWhatItCarries();
    void clickOnALinkSelectsItsTransfer();
    void columnsOfALinkHoldItsBytes();
    void zoomedOutALinkShowsItsHighestBesideItsMean();
    void cardOfASwapTellsWhatEachDeviceMoves();
    void cardOfARecomputationSaysHow();
    void choiceComesBackAsItWasSaved();
    void manyBlocksArePreparedOffTheGuiThread();
    void hundredsOfMemoryLinesReachTheirHighestEverywhere();
    void thePeakIsNeverWrittenOverTheLimit();
    void unlikeLimitsAreEachDrawn();

private:
    MemoryChart& memory() { return view_->memory(); }
    LinkChart& links() { return view_->resources().links(); }
    AliveList& alive() { return view_->resources().alive(); }
    const ChartData& data() { return *view_->gantt().scene().data; }
    void showLinks();
    QImage shot(TimePlot& plot) {
        QTest::qWait(20);
        return plot.grab().toImage();
    }
    /// Of what a person would point at: where a curve of the memory chart is at an instant.
    QPoint pointOf(double timeS, double bytes) {
        const QRect area = memory().plot().area();
        return QPoint(qRound(memory().plot().axis().toX(timeS)),
                      qRound(area.bottom() + 1 - bytes / memory().scene().ceilingBytes() * area.height()));
    }

    std::shared_ptr<PlanRun> run_;
    std::unique_ptr<PlanView> view_;
};

void ResourceChartsTest::init() {
    applyTheme(*qApp, ThemeChoice::light);
    run_ = savingRun();
    view_ = std::make_unique<PlanView>();
    view_->resize(1000, 700);
    view_->setRun(run_);
    view_->show();
    QTest::qWait(20);
}

void ResourceChartsTest::showLinks() {
    for (QToolButton* button : view_->resources().findChildren<QToolButton*>())
        if (button->text() == "Links") QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(links().isVisible() && !memory().isVisible());
}

void ResourceChartsTest::bandsShowWhatSwapAndRecomputeSave() {
    memory().selectDevice(0);
    const MemorySeries& series = data().memory.front();
    QVERIFY(series.saved());
    const SavedMemory& saved = *series.saved()->memory;
    // Where both save for longer than a few pixels.
    const double pixelS = memory().plot().axis().secondsPerPixel();
    std::size_t step = 0;
    for (std::size_t i = 0; i + 1 < saved.timeS.size(); ++i)
        if (saved.bySwap[i] > 0 && saved.byRecompute[i] > 0 &&
            saved.timeS[i + 1] - saved.timeS[i] > 8 * pixelS)
            step = i;
    QVERIFY(saved.bySwap[step] > 0 && saved.byRecompute[step] > 0);
    const double timeS = saved.timeS[step] + 4 * pixelS;
    const QImage chart = shot(memory().plot());
    const auto paleOrInk = [](QColor pixel, QColor ink) {
        const QColor surface = Theme::current().surface;
        const auto between = [](int value, int a, int b) {
            return value >= std::min(a, b) - 1 && value <= std::max(a, b) + 1;
        };
        return pixel != surface && between(pixel.red(), ink.red(), surface.red()) &&
               between(pixel.green(), ink.green(), surface.green()) &&
               between(pixel.blue(), ink.blue(), surface.blue());
    };
    const auto pixelAt = [&](double bytes) { return chart.pixelColor(pointOf(timeS, bytes)); };
    const double held = saved.held[step], swap = saved.bySwap[step], kept = saved.keptAt(step);
    QVERIFY(paleOrInk(pixelAt(held + swap / 2), savedColour(SavedBand::swap)));
    QVERIFY(paleOrInk(pixelAt(held + swap + saved.byRecompute[step] / 2), savedColour(SavedBand::recompute)));
    QVERIFY(memory().scene().ceilingBytes() > kept);
    QCOMPARE(pixelAt(held - data().memory.front().curve().bytes()[at(int(MemoryKind::activations))]
                                                                 [series.curve().stepAt(timeS)] /
                                2),
             memoryColour(MemoryKind::activations));
    // Nothing is hatched for a device that keeps all.
    QVERIFY(!data().memory.back().saved());
}

void ResourceChartsTest::listTellsWhatIsSaved() {
    const int rowsBefore = memory().list().sizeHint().height();
    memory().selectDevice(3);
    const int withoutSaving = memory().list().sizeHint().height() - rowsBefore;
    memory().selectDevice(0);
    const int withSaving = memory().list().sizeHint().height() - rowsBefore;
    QCOMPARE(withSaving - withoutSaving, 2 * memory().list().rowRect(0).height());
}

void ResourceChartsTest::clickOnACurveListsWhatIsAlive() {
    memory().selectDevice(1);
    QVERIFY(!view_->details().isVisible());
    const double timeS = 0.4 * data().endS;
    const MemorySeries& series = data().memory[1];
    QTest::mouseClick(&memory().plot(), Qt::LeftButton, {}, pointOf(timeS, series.totalAt(timeS) / 2));
    QVERIFY(view_->details().isVisible() && alive().isVisible());
    QCOMPARE(alive().series(), 1);
    QVERIFY(std::abs(alive().timeS() - timeS) < 2 * memory().plot().axis().secondsPerPixel());
    QVERIFY(memory().scene().askedS);
    double sum = 0;
    for (const AliveList::Row& row : alive().rows())
        if (row.what == AliveList::Row::What::holder) sum += row.bytes;
    QVERIFY(near(sum, series.totalAt(alive().timeS())));
    QVERIFY(near(alive().rows().front().bytes, sum));
}

void ResourceChartsTest::clickOnThePeakAsksForIt() {
    const MemorySeries& series = data().memory[2];
    memory().selectDevice(2);
    QTest::mouseClick(&memory().plot(), Qt::LeftButton, {},
                      pointOf(series.peakTimeS(), series.peakBytes()) + QPoint(3, 2));
    QCOMPARE(alive().timeS(), series.peakTimeS());
    QVERIFY(near(alive().rows().front().bytes, series.peakBytes()));
    // From another instant the list leads there.
    view_->resources().askAlive(2, 0);
    int row = 0;
    while (alive().rows()[at(row)].what != AliveList::Row::What::peak) ++row;
    QTest::mouseClick(&alive(), Qt::LeftButton, {}, alive().rowRect(row).center());
    QCOMPARE(alive().timeS(), series.peakTimeS());
}

void ResourceChartsTest::rowsLeadToTheBlockThatTookIt() {
    const MemorySeries& series = data().memory[0];
    view_->resources().askAlive(0, series.peakTimeS());
    int found = -1;
    for (int row = 0; row < static_cast<int>(alive().rows().size()); ++row)
        if (alive().rows()[at(row)].what == AliveList::Row::What::holder &&
            alive().rows()[at(row)].block != noBlock)
            found = row;
    QVERIFY(found >= 0);
    const quint32 block = alive().rows()[at(found)].block;
    QTest::mouseClick(&alive(), Qt::LeftButton, {}, alive().rowRect(found).center());
    QCOMPARE(view_->selectedBlock(), block);
}

void ResourceChartsTest::everyInstantAddsUp() {
    for (int series = 0; series < 4; ++series)
        for (int part = 0; part <= 20; ++part) {
            const double timeS = part / 20.0 * data().endS;
            view_->resources().askAlive(series, timeS);
            double sum = 0, saved = 0;
            for (const AliveList::Row& row : alive().rows()) {
                if (row.what == AliveList::Row::What::holder) sum += row.bytes;
                if (row.what == AliveList::Row::What::saved) saved += row.bytes;
            }
            const MemorySeries& it = data().memory[at(series)];
            QVERIFY(near(sum, it.totalAt(timeS)));
            if (it.saved()) QVERIFY(near(sum + saved, it.saved()->kept.totalAt(timeS)));
        }
}

void ResourceChartsTest::linksReplaceMemoryOnTheSameAxis() {
    view_->setVisibleRange(0.1 * data().endS, 0.3 * data().endS);
    showLinks();
    QVERIFY(!links().scene().data->links.empty());
    const TimeAxis above = view_->gantt().plot().axis(), below = links().plot().axis();
    QCOMPARE(above.t0, below.t0);
    QCOMPARE(above.t1, below.t1);
    QCOMPARE(view_->gantt().plot().mapTo(view_.get(), view_->gantt().plot().area().topLeft()).x(),
             links().plot().mapTo(view_.get(), links().plot().area().topLeft()).x());
    QTest::mousePress(&links().plot(), Qt::LeftButton, Qt::ShiftModifier, QPoint(100, 40));
    QTest::mouseMove(&links().plot(), QPoint(200, 40));
    QTest::mouseRelease(&links().plot(), Qt::LeftButton, Qt::ShiftModifier, QPoint(200, 40));
    QVERIFY(links().plot().markedRange());
    QCOMPARE(view_->gantt().plot().markedRange(), links().plot().markedRange());
    QVERIFY(view_->picture(1).size().isValid());
}

void ResourceChartsTest::namesOfManyLinksShowBothEndsInTheList() {
    // Two stages of four replicas on two servers that are joined GPU by GPU: sixteen links carry alike.
    Problem problem;
    for (int layer = 0; layer < 2; ++layer)
        problem.profile.layers.push_back({"layer", 0.1, 0.2, 1e6, 1e8, 1e8, 1e8, 0.1});
    for (int a = 0; a < 8; ++a) {
        const auto id = [](int device) {
            return "s" + std::to_string(device / 4) + "g" + std::to_string(device % 4);
        };
        problem.cluster.devices.push_back({id(a), "s" + std::to_string(a / 4), "V100", 16e9, 1, 0});
        for (int b = 0; b < a; ++b) problem.cluster.links.push_back({id(b), id(a), 1e10, 0, ""});
    }
    problem.setup.microbatches = 4;
    Plan plan;
    plan.stages = {{0, 0, {0, 1, 2, 3}}, {1, 1, {4, 5, 6, 7}}};
    plan.schedule.order = FamilySchedule{"1f1b", {}};
    auto run = std::make_shared<PlanRun>(evaluatePlan(std::make_shared<const CostModel>(problem), plan));
    QVERIFY2(run->ok(), run->result.reason.c_str());
    view_->setRun(run);
    QTRY_VERIFY(view_->isReady());
    showLinks();
    int many = 0;
    const QFontMetrics font(view_->font());
    for (const LinkSeries& series : links().scene().data->links)
        if (series.ways.size() >= 16) {
            ++many;
            const QString& name = series.names.back();
            QVERIFY2(name.contains(QStringLiteral("s0g0")) && name.contains(QStringLiteral("s1g0")),
                     qPrintable(name));
            QVERIFY2(font.horizontalAdvance(name) <= 100, qPrintable(name));
        }
    QVERIFY(many > 0);
}

void ResourceChartsTest::linkReadOutIsTheLoadAtThePointer() {
    showLinks();
    const LinkData& data = *links().scene().data;
    for (std::size_t i = 0; i < data.links.size(); ++i) {
        QCOMPARE(links().list().bpsOf(i), data.links[i].meanBps);
        QVERIFY(data.links[i].peakBps <= data.links[i].use.bandwidthBps() * (1 + 1e-9));
        if (i > 0)
            QVERIFY(data.links[i - 1].shareOf(data.links[i - 1].meanBps) >=
                    data.links[i].shareOf(data.links[i].meanBps));
    }
    double most = 0;
    for (int x = 60; x < 700; x += 13) {
        QTest::mouseMove(&links().plot(), QPoint(x, 40));
        const double timeS = *links().list().instant();
        for (std::size_t i = 0; i < data.links.size(); ++i) {
            const LoadCurve curve = loadCurve(data.timeline(), data.links[i].use);
            QVERIFY(near(links().list().bpsOf(i), curve.totalAt(curve.stepAt(timeS))));
            most = std::max(most, links().list().bpsOf(i));
        }
    }
    QVERIFY(most > 0);
}

void ResourceChartsTest::linkRowShowsWhatItCarries() {
    showLinks();
    const LinkData& data = *links().scene().data;
    int host = -1;
    for (int i = 0; i < static_cast<int>(data.links.size()); ++i)
        if (data.links[at(i)].use.ways.front().device == 0) host = i;
    QVERIFY(host >= 0);
    QTest::mouseClick(&links().list(), Qt::LeftButton, {}, links().list().rowRect(host).center());
    QCOMPARE(links().selectedLink(), host);
    // In the middle of its first swap-out the colour of swap-outs fills the chart up to its rate.
    const quint32 block = data.timeline().find(BlockKind::swapOut, 0, 0, 0);
    QVERIFY(block != noBlock);
    const double middleS = (data.timeline().startS[block] + data.timeline().endS[block]) / 2;
    view_->setVisibleRange(data.timeline().startS[block], data.timeline().endS[block]);
    const QRect area = links().plot().area();
    const QImage chart = shot(links().plot());
    const int x = qRound(links().plot().axis().toX(middleS));
    QCOMPARE(chart.pixelColor(x, area.bottom() - 2), shownBlockColour(BlockKind::swapOut));
    QTest::mouseClick(&links().list(), Qt::LeftButton, {}, links().list().rowRect(-1).center());
    QCOMPARE(links().selectedLink(), -1);
}

void ResourceChartsTest::clickOnALinkSelectsItsTransfer() {
    showLinks();
    const LinkData& data = *links().scene().data;
    const quint32 block = data.timeline().find(BlockKind::transferForward, 1, 2, 0);
    QVERIFY(block != noBlock);
    int link = -1;
    for (int i = 0; i < static_cast<int>(data.links.size()); ++i)
        if (data.links[at(i)].use.carries(data.timeline(), data.timeline().laneOf(block), block)) link = i;
    QVERIFY(link >= 0);
    links().selectLink(link);
    const double middleS = (data.timeline().startS[block] + data.timeline().endS[block]) / 2;
    view_->setVisibleRange(middleS - 0.02, middleS + 0.02);
    QTest::qWait(20);
    QTest::mouseClick(&links().plot(), Qt::LeftButton, {},
                      QPoint(qRound(links().plot().axis().toX(middleS)), links().plot().area().center().y()));
    QCOMPARE(view_->selectedBlock(), block);
    // With all links in sight the nearest line counts.
    view_->selectBlock(noBlock);
    view_->setVisibleRange(middleS - 0.02, middleS + 0.02);
    links().selectLink(-1);
    QTest::qWait(20);
    const LinkSeries& series = data.links[at(link)];
    const double share = series.shareOf(data.bpsAt(at(link), middleS)[0]);
    const QRect area = links().plot().area();
    QTest::mouseClick(&links().plot(), Qt::LeftButton, {},
                      QPoint(qRound(links().plot().axis().toX(middleS)),
                             qRound(area.bottom() - share / links().scene().ceiling() * area.height())));
    const quint32 picked = view_->selectedBlock();
    QVERIFY(picked != noBlock);
    QVERIFY(data.timeline().startS[picked] <= middleS + 1e-3 &&
            data.timeline().endS[picked] >= middleS - 1e-3);
}

/// Whatever the columns, what a lane's blocks move in them is what they move between their ends.
void ResourceChartsTest::columnsOfALinkHoldItsBytes() {
    showLinks();
    const LinkData& data = *links().scene().data;
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        const double endS = data.chart->endS;
        const double t0 = endS * (static_cast<double>(random() % 1000) / 1000 - 0.1);
        const double columnS = endS * static_cast<double>(1 + random() % 1000) / (1 + random() % 20000);
        const int count = 1 + static_cast<int>(random() % 40);
        for (const LinkSeries& link : data.links) {
            const LoadCurve curve = loadCurve(data.timeline(), link.use);
            const auto bytesUntil = [&](double timeS) {
                double sum = 0;
                for (std::size_t step = 0; step + 1 < curve.timeS.size() && curve.timeS[step] < timeS; ++step)
                    sum += curve.totalAt(step) * (std::min(timeS, curve.timeS[step + 1]) - curve.timeS[step]);
                return sum;
            };
            std::vector<double> found(at(count), 0);
            for (const LoadSource& source : link.use.sources) {
                std::vector<float> counts;
                data.counts.columns(data.timeline(), source.lane, t0, columnS, count, counts);
                const std::size_t each = data.counts.sourceCount(source.lane);
                for (int c = 0; c < count; ++c)
                    found[at(c)] += source.bytes * double(counts[at(c) * each + data.counts.slotOf(source)]);
            }
            for (int c = 0; c < count; ++c) {
                const double expected = bytesUntil(t0 + (c + 1) * columnS) - bytesUntil(t0 + c * columnS);
                QVERIFY(std::abs(found[at(c)] - expected) <= 1e-4 * link.bytes);
            }
        }
    }
}

void ResourceChartsTest::zoomedOutALinkShowsItsHighestBesideItsMean() {
    // So many transfers that each column of pixels holds several, with pauses between them.
    view_->setRun(savingRun(400, 2));
    QTRY_VERIFY(view_->isReady());
    showLinks();
    QTRY_VERIFY(links().scene().data);
    const LinkData& data = *links().scene().data;
    view_->fitAll();
    shot(links().plot());
    const TimeAxis axis = links().plot().axis();
    const int width = links().plot().area().width();
    bool beyond = false;
    std::mt19937 random(3);
    for (std::size_t link = 0; link < data.links.size(); ++link) {
        const LinkSeries& series = data.links[link];
        const LoadCurve curve = loadCurve(data.timeline(), series.use);
        for (int round = 0; round < 30; ++round) {
            const int column = static_cast<int>(random() % static_cast<unsigned>(width));
            const double part = (column + 0.5) / width;
            const double fromS = axis.t0 + column * axis.spanS() / width, toS = fromS + axis.spanS() / width;
            // At every step within the column and where it begins; a grain of a quarter pixel beside it is
            // not told apart.
            const double grainS = StepSeries::grainOf(axis.spanS() / width);
            double least = 0, most = 0;
            for (std::size_t step = 0; step < curve.timeS.size(); ++step) {
                const double endS = step + 1 < curve.timeS.size() ? curve.timeS[step + 1] : 1e300;
                const double share = series.shareOf(curve.totalAt(step));
                if (curve.timeS[step] < toS && endS > fromS) least = std::max(least, share);
                if (curve.timeS[step] < toS + grainS && endS > fromS - grainS) most = std::max(most, share);
            }
            const double peak = links().painter().paintedPeak(link, part);
            QVERIFY2(peak >= least - 1e-5 && peak <= most + 1e-5,
                     qPrintable(QStringLiteral("%1 of %2 to %3").arg(peak).arg(least).arg(most)));
            QVERIFY(peak >= links().painter().paintedShare(link, part) - 1e-6);
            beyond = beyond || peak > 2 * links().painter().paintedShare(link, part) + 0.1;
        }
    }
    QVERIFY(beyond);  // a burst at full rate is not drawn as a fraction of it alone
}

void ResourceChartsTest::choiceComesBackAsItWasSaved() {
    showLinks();
    links().selectLink(1);
    const PlanViewState saved = view_->viewState();
    QVERIFY(saved.links && saved.link == 1);
    PlanView other;
    other.resize(1000, 700);
    other.setViewState(saved);  // before there is anything to show
    other.setRun(run_);
    QCOMPARE(other.resources().chosen(), Resource::links);
    QCOMPARE(other.viewState().link, 1);
    QVERIFY(!PlanViewState{}.links);
}

void ResourceChartsTest::manyBlocksArePreparedOffTheGuiThread() {
    view_->setRun(savingRun(8000, 2));
    QTRY_VERIFY(view_->isReady());
    QSignalSpy ready(&view_->resources(), &ResourceCharts::linksReady);
    view_->resources().choose(Resource::links);
    view_->resources().selectLink(1);
    QCOMPARE(ready.count(), 0);
    QVERIFY(!links().scene().data);
    QTRY_COMPARE(ready.count(), 1);
    QCOMPARE(links().selectedLink(), 1);
    // What was being prepared for a plan that is gone is not shown.
    view_->setViewState(view_->viewState());
    view_->setRun(savingRun(9000, 2));
    view_->setRun(run_);
    QTest::qWait(200);
    QVERIFY(links().scene().data->chart->run == run_);
}

void ResourceChartsTest::cardOfASwapTellsWhatEachDeviceMoves() {
    const auto run = savingRun();
    const ChartData data(run);
    const Timeline& timeline = data.timeline();
    int swaps = 0;
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        if (timeline.kind[block] != BlockKind::swapOut) continue;
        const double bytes = run->costs->stage(run->result.plan, timeline.stage[block]).swapBytes;
        QVERIFY(bytes > 0);
        const QString said = QStringLiteral("%1 B from each device").arg(QString::number(bytes, 'f', 0));
        const QString card = blockCard(data, block);
        QVERIFY2(card.contains(said), qPrintable(card));
        ++swaps;
    }
    QVERIFY(swaps > 0);
}

void ResourceChartsTest::cardOfARecomputationSaysHow() {
    const auto run = savingRun();
    const auto cardOf = [&](const std::shared_ptr<const PlanRun>& of, BlockKind kind) {
        const ChartData data(of);
        const auto& kinds = data.timeline().kind;
        return blockCard(
            data, static_cast<std::uint32_t>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin()));
    };
    const QString from = QStringLiteral("1 of 3 layers recomputed from the stage's input, 1 of 3 swapped");
    for (const BlockKind kind : {BlockKind::recompute, BlockKind::swapOut})
        QVERIFY2(cardOf(run, kind).contains(from), qPrintable(cardOf(run, kind)));
    QVERIFY(!cardOf(run, BlockKind::forward).contains("recomputed"));
    const auto full = std::make_shared<PlanRun>(*run);
    for (int layer = 0; layer < 3; ++layer) full->result.plan.memory.layers[layer] = LayerMemory::checkpoint;
    QVERIFY2(cardOf(full, BlockKind::recompute).contains(">recomputed fully<"),
             qPrintable(cardOf(full, BlockKind::recompute)));
}

/// Of that many lines columns are several pixels wide; what is highest in a pixel is still painted there, at
/// its height or that of a pixel close by.
void ResourceChartsTest::hundredsOfMemoryLinesReachTheirHighestEverywhere() {
    MadeUpPipeline wanted;
    wanted.stages = 400;
    wanted.replicas = 1;
    wanted.microbatches = 40;
    const MemoryScene scene{std::make_shared<const ChartData>(madeUpRun(wanted))};
    const QRect area(0, 0, 1601, 300);
    const TimeAxis axis{0, scene.data->endS, 0, double(area.width())};
    QImage image(area.size(), QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    MemoryPainter().paint(painter, scene, area, axis);
    painter.end();
    constexpr int near = 8;  // pixels
    std::vector<double> highest(at(area.width()));
    std::vector<StepSeries::Extremes> columns;
    std::set<QRgb> lines;
    for (std::size_t i = 0; i < scene.data->memory.size(); ++i) {
        lines.insert(scene.colourOf(i).rgb());
        scene.data->memory[i].extremes(0, axis.secondsPerPixel(), area.width(), columns);
        for (std::size_t x = 0; x < columns.size(); ++x)
            highest[x] = std::max(highest[x], columns[x].highBytes);
    }
    const auto rowOf = [&](double bytes) {
        return area.height() - static_cast<int>(bytes / scene.ceilingBytes() * area.height() + 0.5);
    };
    // Clear of the dots of the peaks before, and of the limit's label after.
    for (int x = area.width() / 2; x < area.width() * 9 / 10; ++x) {
        const auto from = highest.begin() + x - near, to = highest.begin() + x + near;
        const int top = rowOf(*std::max_element(from, to)), bottom = rowOf(highest[at(x)]) + 1;
        bool found = false;
        for (int y = top; y <= bottom; ++y) found = found || lines.contains(image.pixel(x, y) | 0xff000000u);
        QVERIFY2(found, qPrintable(QString::number(x)));
    }
}

/// In charts of any width, whatever is in view, and whether the limit is far above the peak or just under it.
void ResourceChartsTest::thePeakIsNeverWrittenOverTheLimit() {
    MemoryScene scene{view_->gantt().scene().data};
    MemoryPainter notes;
    int written = 0, most = 0;
    for (int series = -1; series < static_cast<int>(scene.data->memory.size()); ++series) {
        scene.series = series;
        const double peak = scene.data->memory[at(scene.describedSeries())].peakBytes();
        const double peakS = scene.data->memory[at(scene.describedSeries())].peakTimeS();
        for (const double ofPeak : {0.9, 1.0, 1.02, 1.1, 3.0, 30.0})
            for (int width = 30; width <= 900; width += 29)
                for (const double before : {0.0, 0.3, 0.95}) {
                    scene.askedLimitBytes = ofPeak * peak;
                    const QRect area(0, 0, width, 120);
                    const double spanS = scene.data->endS;
                    const double fromS = before == 0 ? 0 : peakS - before * spanS;
                    QImage image(area.size(), QImage::Format_RGB32);
                    QPainter painter(&image);
                    notes.paint(painter, scene, area, TimeAxis{fromS, fromS + spanS, 0, double(width)});
                    painter.end();
                    ++most;
                    written += !notes.peakNote().isEmpty();
                    QVERIFY(!notes.limitNote().isEmpty());
                    QVERIFY2(
                        !notes.peakNote().intersects(notes.limitNote()),
                        qPrintable(QStringLiteral("%1 wide, limit %2 of the peak").arg(width).arg(ofPeak)));
                    QVERIFY(notes.peakNote().isEmpty() || QRectF(area).contains(notes.peakNote()));
                }
    }
    QVERIFY2(written > most / 2, qPrintable(QStringLiteral("%1 of %2").arg(written).arg(most)));
}

/// Of GPUs of two sizes the lesser limit is not everybody's.
void ResourceChartsTest::unlikeLimitsAreEachDrawn() {
    const auto alike = madeUpRun({});
    Problem problem = alike->costs->problem();
    const Plan& plan = alike->result.plan;
    double peak = 0;
    for (const DeviceMetrics& device : alike->evaluation->metrics.devices)
        peak = std::max(peak, device.peakMemoryBytes);
    for (Device& device : problem.cluster.devices) device.memoryBytes = peak * 2;
    for (const int device : plan.stages.front().devices)
        problem.cluster.devices[at(device)].memoryBytes = peak * 1.25;
    MemoryScene scene{std::make_shared<const ChartData>(std::make_shared<const PlanRun>(
        evaluatePlan(std::make_shared<const CostModel>(problem), plan, PlanMaker{})))};
    const std::map<double, int> limits = scene.limits();
    QCOMPARE(limits.size(), std::size_t{2});
    QCOMPARE(limits.at(peak * 1.25), static_cast<int>(plan.stages.front().devices.size()));
    QCOMPARE(scene.limitBytes(), peak * 1.25);
    const auto rowsOfLimits = [&] {
        const QRect area(0, 0, 400, 200);
        QImage image(area.size(), QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        MemoryPainter().paint(painter, scene, area, TimeAxis{0, scene.data->endS, 0, double(area.width())});
        painter.end();
        int rows = 0;
        for (int y = 0; y < area.height(); ++y)
            rows += image.pixelColor(2, y).rgb() == views::common::Theme::current().error.rgb();
        return rows;
    };
    const int least = rowsOfLimits();  // the other is above the chart
    QVERIFY(least > 0);
    for (Device& device : problem.cluster.devices)
        if (device.memoryBytes > peak * 1.5) device.memoryBytes = peak * 1.3;
    scene.data = std::make_shared<const ChartData>(std::make_shared<const PlanRun>(
        evaluatePlan(std::make_shared<const CostModel>(problem), plan, PlanMaker{})));
    QCOMPARE(rowsOfLimits(), 2 * least);
    scene.askedLimitBytes = peak;
    QCOMPARE(scene.limits().size(), std::size_t{1});
}

STAGECRAFT_TEST(ResourceChartsTest)
#include "resource_charts_test.moc"
