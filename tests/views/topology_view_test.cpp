#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/view_tests.h"
#include "views/common/theme.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

#include <QListWidget>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <ctime>

using namespace stagecraft;

namespace {

Cluster grid(int servers, int each) {
    Cluster cluster;
    for (int s = 0; s < servers; ++s) {
        const std::string server = "server" + std::to_string(s);
        for (int d = 0; d < each; ++d)
            cluster.devices.push_back(
                {server + "g" + std::to_string(d), server, "V100-SXM2-16GB", 16.0 * (1 << 30), 0.5, 0});
    }
    for (int a = 0; a < servers * each; ++a)
        for (int b = a + 1; b < servers * each; ++b)
            cluster.links.push_back({cluster.devices[static_cast<std::size_t>(a)].id,
                                     cluster.devices[static_cast<std::size_t>(b)].id,
                                     a / each == b / each ? 12e9 : 1.5e9, 2e-6, "ethernet"});
    return cluster;
}

/// Stage n holds devices 2n and 2n+1 of a 2 × 4 cluster; numbers that can be recognised.
std::shared_ptr<const PlanRun> clusterRun(const Cluster& cluster, int pipelines = 1) {
    auto run = std::make_shared<PlanRun>();
    run->result.status = PlanStatus::ok;
    auto evaluation = std::make_shared<Evaluation>();
    const int stages = cluster.deviceCount() / 2;
    for (int s = 0; s < stages; ++s) {
        Stage stage{s * 3, s * 3 + 2, {2 * s, 2 * s + 1}};
        stage.pipeline = s * pipelines / stages;
        run->result.plan.stages.push_back(stage);
    }
    for (int d = 0; d < cluster.deviceCount(); ++d) {
        DeviceMetrics metrics;
        metrics.device = d;
        metrics.bubbleFraction = 0.271;
        metrics.peakMemoryBytes = 9.5 * (1 << 30);
        metrics.limitBytes = 16.0 * (1 << 30);
        evaluation->metrics.devices.push_back(metrics);
    }
    for (std::size_t l = 0; l < cluster.links.size(); ++l)
        evaluation->metrics.links.push_back({static_cast<int>(l), 1024.0 * 1024, 0.125});
    run->evaluation = evaluation;
    return run;
}

QPoint centreOf(const TopologyView& view, int device) {
    return view.canvas()
        ->viewport()
        .toScreen(view.scene().layout().devices[static_cast<std::size_t>(device)].center())
        .toPoint();
}

void showTopology(TopologyView& view) {
    view.resize(1100, 700);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
}

}  // namespace

class TopologyViewTest : public QObject {
    Q_OBJECT
private slots:
    void hoveringOverATileNamesItsDevice() {
        TopologyView view;
        view.setCluster(grid(2, 4));
        showTopology(view);
        QSignalSpy hovered(&view, &TopologyView::deviceHovered);
        QTest::mouseMove(view.canvas(), centreOf(view, 5));
        QTRY_COMPARE(hovered.size(), 1);
        QCOMPARE(hovered.takeFirst().at(0).toInt(), 5);
        QTest::mouseMove(view.canvas(), QPoint(2, 2));
        QTRY_COMPARE(hovered.size(), 1);
        QCOMPARE(hovered.takeFirst().at(0).toInt(), -1);
    }

    void clickingSelectsAndEscapeLetsGo() {
        TopologyView view;
        view.setCluster(grid(2, 4));
        showTopology(view);
        QSignalSpy selected(&view, &TopologyView::deviceSelected);
        QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, centreOf(view, 6));
        QCOMPARE(view.selectedDevice(), 6);
        QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, centreOf(view, 6));
        QTest::keyClick(view.canvas(), Qt::Key_Escape);
        QCOMPARE(selected.size(), 2);
        QCOMPARE(selected[0].at(0).toInt(), 6);
        QCOMPARE(selected[1].at(0).toInt(), -1);
        QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, centreOf(view, 2));
        QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, QPoint(2, 2));
        QCOMPARE(view.selectedDevice(), -1);
    }

    void arrowsWalkFromTileToTile() {
        TopologyView view;
        view.setCluster(grid(2, 4));
        showTopology(view);
        const auto& tiles = view.scene().layout().devices;
        QTest::keyClick(view.canvas(), Qt::Key_Right);
        QCOMPARE(view.selectedDevice(), 0);
        QTest::keyClick(view.canvas(), Qt::Key_Right);
        const auto at = [&] { return tiles[static_cast<std::size_t>(view.selectedDevice())]; };
        QVERIFY(at().left() > tiles[0].right());
        QCOMPARE(at().top(), tiles[0].top());
        QTest::keyClick(view.canvas(), Qt::Key_Left);
        QCOMPARE(view.selectedDevice(), 0);
        QTest::keyClick(view.canvas(), Qt::Key_Down);
        QVERIFY(at().top() > tiles[0].bottom());
    }

    void theWheelZoomsAtTheCursor() {
        TopologyView view;
        view.setCluster(grid(2, 4));
        showTopology(view);
        const QPointF cursor(300, 200);
        const QPointF before = view.canvas()->viewport().toScene(cursor);
        const double scale = view.canvas()->viewport().scale;
        wheel(*view.canvas(), cursor, 3);
        QVERIFY(view.canvas()->viewport().scale > 1.5 * scale);
        QVERIFY((view.canvas()->viewport().toScene(cursor) - before).manhattanLength() < 1e-6);
    }

    void draggingPansAndDoesNotSelect() {
        for (const Qt::MouseButton button : {Qt::LeftButton, Qt::MiddleButton}) {
            TopologyView view;
            view.setCluster(grid(2, 4));
            showTopology(view);
            const QPoint from = centreOf(view, 0);
            const QPointF offset = view.canvas()->viewport().offset;
            QTest::mousePress(view.canvas(), button, {}, from);
            for (const QPoint& step : {QPoint(20, 0), QPoint(60, 30)}) {
                QMouseEvent move(QEvent::MouseMove, from + step, view.canvas()->mapToGlobal(from + step),
                                 Qt::NoButton, button, Qt::NoModifier);
                QApplication::sendEvent(view.canvas(), &move);
            }
            QTest::mouseRelease(view.canvas(), button, {}, from + QPoint(60, 30));
            QCOMPARE(view.canvas()->viewport().offset - offset, QPointF(60, 30));
            QCOMPARE(view.selectedDevice(), -1);
        }
    }

    void fitBringsEverythingBack() {
        TopologyView view;
        view.setCluster(grid(2, 4));
        showTopology(view);
        for (const Qt::Key key : {Qt::Key_F, Qt::Key_Home}) {
            wheel(*view.canvas(), {10, 10}, 8);
            const QRectF canvas(view.canvas()->rect());
            QVERIFY(!canvas.contains(view.canvas()->viewport().toScreen(view.scene().layout().bounds)));
            QTest::keyClick(view.canvas(), key);
            QVERIFY(canvas.adjusted(-1, -1, 1, 1)
                        .contains(view.canvas()->viewport().toScreen(view.scene().layout().bounds)));
        }
    }

    void fitShowsTheCurvesBetweenServersToo() {
        TopologyView view;
        view.setCluster(grid(8, 2));
        showTopology(view);
        QVERIFY(!view.scene().links().bundles.empty());
        for (const QSize size : {QSize(700, 700), QSize(1400, 420)}) {
            view.resize(size);
            QTest::qWait(1);
            view.fit();
            for (const LinkBundle& bundle : view.scene().links().bundles)
                QVERIFY(QRectF(view.canvas()->rect())
                            .contains(view.canvas()->viewport().toScreen(
                                bundle.route.boundingRect().adjusted(-0.1, -0.1, 0.1, 0.1))));
        }
    }

    void theNoteOnLinksBetweenServersIsReadWholeBelowThePicture() {
        TopologyView view;
        view.setCluster(grid(8, 2));
        view.show();
        const int line = view.canvas()->note().box().height();
        for (const int width : {1200, 500, 240}) {
            view.resize(width, 600);
            QTest::qWait(1);
            view.fit();
            const QRect note = view.canvas()->note().box();
            QVERIFY(view.canvas()->rect().contains(note));
            QVERIFY(view.canvas()->viewport().toScreen(view.scene().layout().bounds).bottom() <= note.top());
        }
        QVERIFY2(view.canvas()->note().box().height() > line, "it is broken into lines");
        view.setCluster(grid(1, 2));
        QVERIFY(view.canvas()->note().box().isEmpty());
    }

    void aClickUnfoldsNetworkCardsAndFoldsThemAgain() {
        Cluster cluster = grid(1, 4);
        cluster.links.clear();
        cluster.switches.push_back({"server0pci0", "server0"});
        for (int i = 0; i < 4; ++i)
            cluster.links.push_back({"server0g" + std::to_string(i), "server0pci0", 1e10, 0, "pcie"});
        for (int i = 0; i < 6; ++i) {
            cluster.switches.push_back({"server0nic" + std::to_string(i), "server0"});
            cluster.links.push_back({"server0nic" + std::to_string(i), "server0pci0", 2e10, 0, "pcie"});
        }
        TopologyView view;
        view.setCluster(cluster);
        showTopology(view);
        QCOMPARE(view.scene().names().ofStack(view.scene().layout(), 1), QString::fromUtf8("6 × NIC"));
        const auto click = [&](QPointF at) {
            QTest::mouseClick(view.canvas(), Qt::LeftButton, {},
                              view.canvas()->viewport().toScreen(at).toPoint());
        };
        click(view.scene().layout().switches[1].center());
        QCOMPARE(view.scene().layout().stackOf[1], -1);
        QVERIFY(!view.scene().layout().switches[1].intersects(view.scene().layout().switches[2]));
        view.fit();
        click(view.scene().layout().servers[0].fold.center());
        QVERIFY(view.scene().layout().stackOf[1] >= 0);
    }

    void aLinkSaysItsEndsAndThatParallelOnesDoNotAddUp() {
        Cluster cluster = grid(1, 2);
        cluster.links.push_back(cluster.links.front());
        cluster.links.front().source = "2 × NVLink at 25 GB/s, V100";
        const TopologyScene scene(cluster, nullptr);
        QCOMPARE(scene.links().inner.size(), std::size_t(2));
        QCOMPARE(linkTitle(scene, 0), QString::fromUtf8("GPU 0 — GPU 1, 2 × 25 GB/s"));
        const QString text = describeItem(scene, {TopologyItem::Kind::link, 0});
        QVERIFY2(text.contains("server0g0") && text.contains("bandwidths are not added"), qPrintable(text));
    }

    void namesAreReadAtAnyZoom() {
        // The same servers with and without names differ wherever a name is painted.
        Cluster named = grid(16, 8), unnamed = named;
        for (Device& device : unnamed.devices) {
            device.server = QString(device.server.c_str()).replace("server", "      ").toStdString();
        }
        for (const double scale : {1.0, 0.3, 0.1, 0.04}) {
            const auto picture = [&](const Cluster& cluster) {
                const TopologyScene scene(cluster, nullptr);
                QImage image(600, 400, QImage::Format_RGB32);
                image.fill(Qt::white);
                QPainter painter(&image);
                const Viewport viewport{scale, QPointF(20, 40)};
                TopologyPainter topology(painter, scene, viewport, QRectF(image.rect()), QFont());
                topology.paintBackground();
                topology.paintForeground({});
                return image;
            };
            QVERIFY2(picture(named) != picture(unnamed), qPrintable(QString::number(scale)));
        }
    }

    void tilesTakeTheColourOfTheirStage() {
        TopologyView view;
        const Cluster cluster = grid(2, 4);
        view.setCluster(cluster);
        showTopology(view);
        view.setRun(clusterRun(cluster));
        QCoreApplication::processEvents();
        const QImage picture = view.canvas()->grab().toImage();
        for (int device = 0; device < 8; ++device) {
            const QRectF tile = view.canvas()->viewport().toScreen(
                view.scene().layout().devices[static_cast<std::size_t>(device)]);
            QCOMPARE(picture.pixelColor((tile.bottomRight() + QPointF(-12, -5)).toPoint()).rgb(),
                     stageColour(device / 2, 4).rgb());
        }
    }

    void theLegendListsStagesWithLayersAndReplicas() {
        TopologyView view;
        const Cluster cluster = grid(2, 4);
        view.setCluster(cluster);
        showTopology(view);
        auto* legend = view.findChild<QListWidget*>();
        QVERIFY(!legend->isVisible());
        view.setRun(clusterRun(cluster));
        QVERIFY(legend->isVisible());
        QCOMPARE(legend->count(), 5);
        QCOMPARE(legend->item(2)->text(), QString::fromUtf8("stage 1: layers 3–5 × 2"));
        view.setRun(clusterRun(cluster, 2));
        QCOMPARE(legend->count(), 6);
        QCOMPARE(legend->item(3)->text(), QString::fromUtf8("Pipeline copy 1: layers × GPUs"));
        view.setRun(nullptr);
        QVERIFY(!legend->isVisible());
    }

    void readOutsCarryTheNumbersOfTheRun() {
        const Cluster cluster = grid(2, 4);
        const TopologyScene scene(cluster, clusterRun(cluster));
        const QString device = describeItem(scene, {TopologyItem::Kind::device, 5});
        for (const char* expected :
             {"server1g1", "V100-SXM2-16GB", "16.0 GiB", "0.5", "stage 2", "9.50 GiB", "72.9 %"})
            QVERIFY2(device.contains(expected), expected);
        QVERIFY(!device.contains("an hour"));
        Cluster priced = cluster;
        priced.devices[5].pricePerHour = 2.5;
        const QString card =
            describeItem(TopologyScene(priced, clusterRun(priced)), {TopologyItem::Kind::device, 5});
        QVERIFY2(card.contains("$2.50 an hour"), qPrintable(card));
        const QString bundle = describeItem(scene, {TopologyItem::Kind::bundle, 0});
        for (const char* expected : {"16", "Ethernet", "1.50 GB/s", "16.0 MiB", "12.5 %"})
            QVERIFY2(bundle.contains(expected), expected);
        const QString link = describeItem(scene, {TopologyItem::Kind::link, 0});
        for (const char* expected : {"12.0 GB/s", "1.00 MiB", "12.5 %"})
            QVERIFY2(link.contains(expected), expected);
    }

    void aRunWithoutAPlanColoursNothing() {
        TopologyView view;
        view.setCluster(grid(2, 4));
        showTopology(view);
        const QImage before = view.grab().toImage();
        auto run = std::make_shared<PlanRun>();
        run->result.status = PlanStatus::infeasible;
        view.setRun(run);
        QCOMPARE(view.grab().toImage(), before);
    }

    void thePictureFollowsTheTheme() {
        TopologyView view;
        view.setCluster(grid(2, 4));
        showTopology(view);
        const auto ground = [&] { return view.canvas()->grab().toImage().pixelColor(3, 3); };
        applyTheme(*qApp, ThemeChoice::dark);
        QCoreApplication::processEvents();
        QCOMPARE(ground().rgb(), Theme::night().window.rgb());
        applyTheme(*qApp, ThemeChoice::light);
        QCoreApplication::processEvents();
        QCOMPARE(ground().rgb(), Theme::light().window.rgb());
    }

    void pointingAtALineReadsItOff() {
        TopologyView view;
        view.setCluster(grid(2, 1));
        showTopology(view);
        const QPolygonF& route = view.scene().links().bundles.at(0).route;
        const QPointF middle = view.canvas()->viewport().toScreen((route.front() + route.back()) / 2);
        QTest::mouseMove(view.canvas(), middle.toPoint());
        QTRY_COMPARE(view.canvas()->hoveredItem().kind, TopologyItem::Kind::bundle);
        QTest::mouseMove(view.canvas(), (middle + QPointF(0, 30)).toPoint());
        QTRY_COMPARE(view.canvas()->hoveredItem().kind, TopologyItem::Kind::none);
    }

    void aRunOfALargerClusterIsDrawnAsFarAsItGoes() {
        TopologyView view;
        view.setCluster(grid(1, 2));
        showTopology(view);
        view.setRun(clusterRun(grid(2, 4)));
        view.canvas()->grab();
        QCOMPARE(view.scene().stagesOf(1), std::vector<int>{0});
    }

    void anEmptyClusterSaysWhatToDo() {
        TopologyView empty;
        showTopology(empty);
        const QImage before = empty.canvas()->grab().toImage();
        QImage blank(before.size(), before.format());
        blank.fill(Theme::current().window);
        blank.setDevicePixelRatio(before.devicePixelRatio());
        QVERIFY(before != blank);
        QTest::keyClick(empty.canvas(), Qt::Key_Right);
        QTest::keyClick(empty.canvas(), Qt::Key_F);
        QTest::mouseClick(empty.canvas(), Qt::LeftButton);
        QCOMPARE(empty.selectedDevice(), -1);
    }

    void aThousandDevicesPanWithinAFrame() {
        TopologyView view;
        view.setCluster(grid(128, 8));
        showTopology(view);
        constexpr int frames = 20;
        const std::clock_t start = std::clock();
        for (int i = 0; i < frames; ++i) {
            QTest::keyClick(view.canvas(), i % 2 ? Qt::Key_A : Qt::Key_D);
            view.canvas()->repaint();
        }
        const double each = 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / frames;
        qInfo("%.1f ms of CPU a frame", each);
        QVERIFY(each < 50);
    }
};

STAGECRAFT_TEST(TopologyViewTest)
#include "topology_view_test.moc"
