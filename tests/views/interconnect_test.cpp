#include "core/generation/template_catalogue.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/figures_sample_run.h"
#include "tests/views/view_tests.h"
#include "views/common/theme.h"
#include "views/interconnect/bandwidth_view.h"
#include "views/interconnect/cut_tree.h"
#include "views/interconnect/device_sorting.h"
#include "views/interconnect/traffic_view.h"

#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QTreeWidget>

using namespace stagecraft;

namespace {

std::shared_ptr<const InterconnectData> dataOf(Cluster cluster) {
    auto shared = std::make_shared<const Cluster>(std::move(cluster));
    return std::make_shared<const InterconnectData>(InterconnectData{shared, Interconnect(*shared)});
}

std::shared_ptr<const DeviceCuts> cutsOf(const InterconnectData& data) {
    return std::make_shared<const DeviceCuts>(recursiveCuts(bandwidthGraph(data.interconnect)));
}

void show(QWidget& widget, QSize size) {
    widget.resize(size);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
}

}  // namespace

class InterconnectTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void coloursGrowLighterWithBandwidthWhateverTheEyeSees() {
        int before = -1;
        for (int step = 0; step <= 20; ++step) {
            const int grey = qGray(BandwidthScale::colourAt(step / 20.0).rgb());
            QVERIFY2(grey > before, qPrintable(QString::number(step)));
            before = grey;
        }
        QVERIFY(qGray(BandwidthScale::colourAt(1).rgb()) - qGray(BandwidthScale::colourAt(0).rgb()) > 150);
    }

    void ticksAreRoundAndWithinTheScale() {
        QCOMPARE(BandwidthScale(4e9, 25e9).ticks(5), (std::vector<double>{5e9, 1e10, 2e10}));
        QCOMPARE(BandwidthScale(12e9, 12e9).ticks(5), std::vector<double>{12e9});
        QCOMPARE(BandwidthScale(11e9, 13e9).ticks(5), (std::vector<double>{11e9, 13e9}));
        QVERIFY(BandwidthScale(1e6, 1e12).ticks(4).size() <= 4);
    }

    void aClusterThatIsTooLargeForAMatrixSaysSo() {
        Cluster cluster;
        for (int i = 0; i <= InterconnectJob::mostDevices; ++i)
            cluster.devices.push_back({"g" + std::to_string(i), "s", "", 0, 1, 0});
        InterconnectJob job;
        QSignalSpy ready(&job, &InterconnectJob::matrixReady);
        job.setCluster(std::make_shared<const Cluster>(cluster));
        QCOMPARE(ready.size(), 1);
        QVERIFY(!job.data() && !job.isUpToDate());
        QCOMPARE(job.whyNone(), QStringLiteral("Not worked out for 4,097 GPUs: the limit is 4,096 GPUs"));
        BandwidthView view;
        view.setData(job.data(), job.whyNone());
        QCOMPARE(view.findChild<QLabel*>(QStringLiteral("reading"))->text(), job.whyNone());
        QVERIFY(view.map()->isHidden());
        // A smaller one has its matrix again.
        cluster.devices.resize(4);
        job.setCluster(std::make_shared<const Cluster>(cluster));
        QTRY_COMPARE(ready.size(), 2);
        QVERIFY(job.isUpToDate() && job.whyNone().isEmpty());
        view.setData(job.data(), job.whyNone());
        QVERIFY(!view.map()->isHidden());
    }

    void idsAreSortedByTheNumbersInThem() {
        QVERIFY(comesBefore("s2g9", "s2g10"));
        QVERIFY(comesBefore("s2", "s10"));
        QVERIFY(!comesBefore("g01", "g1") && !comesBefore("g1", "g01"));
        Cluster cluster;
        for (const char* id : {"b10", "b9", "a2", "a11"})
            cluster.devices.push_back({id, std::string(1, id[0]), "", 0, 1, 0});
        QCOMPARE(orderById(cluster), (std::vector<int>{2, 3, 1, 0}));
    }

    void theCellUnderThePointerIsReadOffWithItsWidestPath() {
        const auto data = dataOf(clusterFrom("switched", {"servers=2", "gpus_per_server=2"}));
        BandwidthView view;
        view.setData(data);
        show(view, {320, 460});
        QSignalSpy pairs(&view, &BandwidthView::pairChanged);
        const auto* reading = view.findChild<QLabel*>(QStringLiteral("reading"));
        QTest::mouseMove(view.map(), view.map()->cellRect(0, 3).center().toPoint());
        QCOMPARE(pairs.takeLast(), (QVariantList{0, 3}));
        QCOMPARE(reading->text(), QString::fromUtf8("s0g0 – s1g1: 12.0 GB/s over 4 links"));
        // On the diagonal a device meets itself.
        QTest::mouseMove(view.map(), view.map()->cellRect(2, 2).center().toPoint());
        QCOMPARE(pairs.takeLast(), (QVariantList{-1, -1}));
    }

    void aPairIsKeptByAClickAndMovedByArrows() {
        BandwidthView view;
        view.setData(dataOf(clusterFrom("switched", {"servers=2", "gpus_per_server=2"})));
        show(view, {320, 460});
        QTest::mouseClick(view.map(), Qt::LeftButton, {}, view.map()->cellRect(1, 2).center().toPoint());
        QCOMPARE(view.map()->pair(), (BandwidthMap::Pair{1, 2}));
        QTest::keyClick(view.map(), Qt::Key_Right);
        QTest::mouseMove(&view, {2, 2});
        QCOMPARE(view.map()->pair(), (BandwidthMap::Pair{1, 3}));
        // The diagonal is stepped over.
        QTest::keyClick(view.map(), Qt::Key_Up);
        for (int step = 0; step < 3; ++step) QTest::keyClick(view.map(), Qt::Key_Left);
        QCOMPARE(view.map()->pair(), (BandwidthMap::Pair{0, 1}));
        QTest::keyClick(view.map(), Qt::Key_Escape);
        QVERIFY(!view.map()->pair());
    }

    void sortingByDeviceOrderPutsRowsWhereTheCutsPutDevices() {
        const auto data = dataOf(clusterFrom("spp"));
        BandwidthView view;
        view.setData(data);
        QCOMPARE(view.map()->order(), listedOrder(*data->cluster));
        view.findChild<QComboBox*>(QStringLiteral("sorting"))->setCurrentIndex(2);
        QVERIFY(view.wantsCuts());
        QCOMPARE(view.map()->order(), listedOrder(*data->cluster));
        view.setCuts(cutsOf(*data));
        QCOMPARE(view.map()->order(), cutsOf(*data)->order);
        QVERIFY(view.map()->order() != listedOrder(*data->cluster));
    }

    void theColourOfACellIsThatOfItsBandwidth() {
        const auto data = dataOf(clusterFrom("spp"));
        BandwidthMap map;
        map.setData(data, listedOrder(*data->cluster));
        show(map, {700, 660});
        const QImage image = map.grab().toImage();
        for (const auto& [a, b] : {std::pair{0, 9}, {13, 14}, {31, 2}}) {
            const QPointF corner = map.cellRect(a, b).center() + QPointF(-6, -6);
            const QColor seen = image.pixelColor(corner.toPoint());
            const QColor meant = map.scale().colour(data->interconnect.bandwidthBps(a, b));
            QVERIFY2(std::abs(seen.red() - meant.red()) < 6 && std::abs(seen.green() - meant.green()) < 6 &&
                         std::abs(seen.blue() - meant.blue()) < 6,
                     qPrintable(seen.name() + " " + meant.name()));
        }
    }

    void theWheelZoomsAtThePointerAndFShowsAll() {
        const auto data = dataOf(clusterFrom("spp"));
        BandwidthMap map;
        map.setData(data, listedOrder(*data->cluster));
        show(map, {320, 300});
        const QPointF at = map.cellRect(20, 10).center();
        const double before = map.cellRect(0, 0).width();
        QWheelEvent wheel(at, map.mapToGlobal(at), {}, {0, 360}, {}, {}, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&map, &wheel);
        QVERIFY(map.cellRect(0, 0).width() > 1.5 * before);
        QCOMPARE(map.pairAt(at), (BandwidthMap::Pair{20, 10}));
        QTest::keyClick(&map, Qt::Key_F);
        QCOMPARE(map.cellRect(0, 0).width(), before);
        QTest::keyClick(&map, Qt::Key_Plus);
        QCOMPARE(map.cellRect(0, 0).width(), before * zoomStep);
        const double left = map.cellRect(0, 0).left();
        QTest::keyClick(&map, Qt::Key_D);
        QVERIFY(map.cellRect(0, 0).left() < left);
    }

    void aForkTellsItsSidesAndItsWeight() {
        const auto data = dataOf(clusterFrom("switched", {"servers=2", "gpus_per_server=2"}));
        const auto cuts = cutsOf(*data);
        CutTree tree;
        tree.setCuts(data, cuts);
        show(tree, {300, 300});
        QCOMPARE(tree.forkCount(), 3);
        QSignalSpy forks(&tree, &CutTree::forkChanged);
        for (int fork = 0; fork < tree.forkCount(); ++fork) {
            // Twice: a first move may do no more than enter the window.
            for (const int below : {2, 3})
                QTest::mouseMove(tree.viewport(), tree.forkPosition(fork).toPoint() + QPoint(0, below));
            QTRY_COMPARE(tree.chosenFork(), fork);
            QCOMPARE(forks.back().front().toInt(), fork);
        }
        const CutFork& root = cuts->forks.front();
        QVERIFY(tree.describe(0).startsWith(
            QString("%1 | %2 GPUs").arg(root.split).arg(root.count - root.split)));
        QTest::mouseMove(tree.viewport(), {1, 1});
        QTest::keyClick(&tree, Qt::Key_Right);
        QTest::keyClick(&tree, Qt::Key_Down);
        QCOMPARE(tree.chosenFork(), 1);
        QTest::keyClick(&tree, Qt::Key_Left);
        QCOMPARE(tree.chosenFork(), 0);
        QTest::keyClick(&tree, Qt::Key_Escape);
        QCOMPARE(tree.chosenFork(), -1);
    }

    void theJobAnswersTheNewestClusterAlone() {
        InterconnectJob job;
        QSignalSpy ready(&job, &InterconnectJob::matrixReady);
        QSignalSpy cuts(&job, &InterconnectJob::cutsReady);
        job.wantCuts(true);
        job.setCluster(std::make_shared<const Cluster>(clusterFrom("pcie")));
        job.setCluster(std::make_shared<const Cluster>(clusterFrom("spp")));
        QVERIFY(!job.isUpToDate());
        QTRY_COMPARE(cuts.size(), 1);
        QCOMPARE(ready.size(), 1);
        QCOMPARE(job.data()->cluster->deviceCount(), 32);
        QVERIFY(job.isUpToDate());
        // Positions are no reason to begin again.
        Cluster moved = clusterFrom("spp");
        moved.layout["s0g0"] = {3, 4};
        job.setCluster(std::make_shared<const Cluster>(moved));
        QVERIFY(job.isUpToDate());
        moved.links.front().bandwidthBps = 1;
        job.setCluster(std::make_shared<const Cluster>(moved));
        QTRY_COMPARE(cuts.size(), 2);
    }

    void aRowOfTheTrafficShowsItsLinks() {
        const auto run = sample::run();
        TrafficView view;
        view.setRun(run);
        show(view, {320, 400});
        QTRY_VERIFY(!view.rows().empty());
        auto* list = view.findChild<QTreeWidget*>(QStringLiteral("traffic"));
        QCOMPARE(list->topLevelItemCount(), static_cast<int>(view.rows().size()));
        // Nothing pointed at: all loads.
        const std::size_t all = view.highlights().size();
        for (const LinkHighlight& link : view.highlights()) QCOMPARE(link.bytes, 0.0);
        const QRect row = list->visualItemRect(list->topLevelItem(0));
        QTest::mouseMove(list->viewport(), row.center());
        QTest::mouseMove(list->viewport(), row.center() + QPoint(3, 0));
        QCOMPARE(view.highlights().size(), view.rows()[0].links.size());
        QCOMPARE(view.highlights()[0].bytes, view.rows()[0].links[0].bytes);
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, row.center());
        QCOMPARE(view.highlights().size(), view.rows()[0].links.size());
        view.setRun(nullptr);
        QVERIFY(view.highlights().empty() && (all > 0 || run->evaluation->metrics.links.empty()));
    }
};

STAGECRAFT_TEST(InterconnectTest)
#include "interconnect_test.moc"
