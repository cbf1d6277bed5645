// Drawing on the canvas, with mouse and keys.
#include "core/generation/server_templates.h"
#include "views/topology/cluster_clipboard.h"
#include "views/topology/cluster_editor.h"
#include "tests/support/window_rooms.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

#include "core/formats/native/formats.h"
#include "tests/support/qt_program.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMimeData>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

using namespace stagecraft;

namespace {

Cluster servers(int count, int gpus) {
    Cluster cluster;
    for (int s = 0; s < count; ++s) {
        const std::string name = "s" + std::to_string(s);
        for (int g = 0; g < gpus; ++g) {
            cluster.devices.push_back({name + "g" + std::to_string(g), name, "V100", 16e9, 1, 12e9});
            cluster.links.push_back({cluster.devices.back().id, name + "pcie0", 12e9, 0, "pcie", ""});
        }
        cluster.switches.push_back({name + "pcie0", name});
        cluster.links.push_back({name + "pcie0", "network0", 12.5e9, 0, "ethernet", ""});
    }
    cluster.switches.push_back({"network0", ""});
    return cluster;
}

/// A view whose edits come back to it, as in the window.
class Desk {
public:
    explicit Desk(const Cluster& start = {}) {
        view.resize(1000, 700);
        view.makeEditable();
        view.setCluster(start);
        QObject::connect(&view, &TopologyView::clusterEdited, &view,
                         [this](const Cluster& after, const QString& text) {
                             texts << text;
                             before = cluster();
                             view.updateCluster(after);
                         });
        view.show();
        canvas.setSnapSettings({false, false});
        canvas.setFocus();
    }

    const Cluster& cluster() const { return view.scene().cluster(); }
    QPoint at(QPointF scenePoint) const { return canvas.viewport().toScreen(scenePoint).toPoint(); }
    QPoint atDevice(int i) const { return at(view.scene().layout().devices[std::size_t(i)].center()); }
    QPoint atSwitch(int i) const { return at(view.scene().layout().switches[std::size_t(i)].center()); }
    QPoint atHeader(int server) const {
        return at(view.scene().layout().servers[std::size_t(server)].box.topLeft() + QPointF(40, 10));
    }
    void click(QPoint point, Qt::KeyboardModifiers keys = {}) {
        QTest::mouseClick(&canvas, Qt::LeftButton, keys, point);
    }
    void drag(QPoint from, QPoint to, Qt::KeyboardModifiers keys = {}, bool release = true) {
        QTest::mouseMove(&canvas, from);
        QTest::mousePress(&canvas, Qt::LeftButton, keys, from);
        QTest::mouseMove(&canvas, (from + to) / 2);
        QTest::mouseMove(&canvas, to);
        if (release) QTest::mouseRelease(&canvas, Qt::LeftButton, keys, to);
    }
    void palette(const char* part) {
        auto* button = view.findChild<QToolButton*>(QStringLiteral("palette.") + QLatin1String(part));
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
    }

    TopologyView view;
    TopologyCanvas& canvas = *view.canvas();
    ClusterEditor& editor() { return *view.editor(); }
    QStringList texts;
    Cluster before;
};

}  // namespace

class ClusterEditorTest : public QObject {
    Q_OBJECT

private slots:
    void oneOfSeveralThatAreChosenIsLinkedForAll() {
        Cluster start;
        for (int g = 0; g < 8; ++g)
            start.devices.push_back({"s0g" + std::to_string(g), "s0", "H100-SXM5-80GB", 80e9, 1, 48e9});
        start.switches.push_back({"s0nvswitch0", "s0"});
        Desk desk(start);
        for (int g = 0; g < 8; ++g) desk.click(desk.atDevice(g), g ? Qt::ShiftModifier : Qt::NoModifier);
        QCOMPARE(desk.editor().selection().devices.size(), std::size_t(8));
        desk.palette("link");
        desk.click(desk.atDevice(2));
        desk.click(desk.atSwitch(0));
        QCOMPARE(desk.cluster().links.size(), std::size_t(8));
        QCOMPARE(desk.texts.back(), QStringLiteral("Add 8 links"));
        for (const Link& link : desk.cluster().links) {
            QCOMPARE(link.b, std::string("s0nvswitch0"));
            QCOMPARE(link.kind, std::string("nvlink"));
            // All eighteen, as NCCL counts them, and not a number that a person set.
            QCOMPARE(link.bandwidthBps, 18 * 20.6e9);
            QVERIFY(link.source.find("H100-SXM5-80GB") != std::string::npos);
        }
    }

    void aNewLinkHasTheRatesThatTheClusterHas() {
        const Gpu& gpu = *findGpu("H100-SXM5-80GB");
        for (const LinkRates rates : {LinkRates::reached, LinkRates::dataSheet}) {
            Cluster start;
            for (const char* id : {"s0g0", "s0g1"})
                start.devices.push_back({id, "s0", gpu.name, 80e9, 1, 48e9});
            start.switches.push_back({"s0nvswitch0", "s0"});
            start.links.push_back(
                {"s0g0", "s0g1", linkBps(gpu, rates), 0, "nvlink", nvlinkSource(gpu, 1, rates)});
            Desk desk(start);
            desk.palette("link");
            desk.click(desk.atDevice(1));
            desk.click(desk.atSwitch(0));
            QCOMPARE(desk.cluster().links.size(), std::size_t(2));
            QCOMPARE(desk.cluster().links[1].bandwidthBps, 18 * linkBps(gpu, rates));
        }
    }

    void ringAndMeshAreLinkedInOneStep() {
        for (const auto& [shape, links] : {std::pair(LinkShape::ring, 4), {LinkShape::mesh, 6}}) {
            Cluster start;
            for (int g = 0; g < 4; ++g)
                start.devices.push_back({"s0g" + std::to_string(g), "s0", "MI300X-192GB", 192e9, 1, 48e9});
            Desk desk(start);
            desk.editor().selectAll();
            desk.editor().linkChosen(shape);
            QCOMPARE(desk.cluster().links.size(), std::size_t(links));
            QCOMPARE(desk.texts.size(), 1);
            std::set<std::pair<std::string, std::string>> pairs;
            for (const Link& link : desk.cluster().links) {
                QCOMPARE(link.kind, std::string("xgmi"));
                pairs.insert(std::minmax(link.a, link.b));
            }
            QCOMPARE(pairs.size(), std::size_t(links));
            desk.editor().select({{0, 1}, {}, {}});
            desk.editor().linkChosen(LinkShape::ring);
            QCOMPARE(desk.cluster().links.size(), std::size_t(links + 1));  // not there and back
        }
    }

    void aClickOnThePaletteAndOneOnTheCanvasPlacesAPart() {
        Desk desk;
        desk.palette("server");
        desk.click({400, 300});
        QCOMPARE(int(desk.cluster().devices.size()), 4);
        QCOMPARE(int(desk.cluster().links.size()), 4);
        desk.palette("gpu");
        desk.click(desk.atHeader(0));
        QCOMPARE(desk.cluster().devices.back().server, desk.cluster().devices.front().server);
        desk.palette("networkSwitch");
        desk.click({500, 40});
        QVERIFY(desk.cluster().switches.back().server.empty());
        QVERIFY(!desk.canvas.placing());
        QCOMPARE(desk.texts.size(), 3);
    }

    void shiftPlacesSeveral() {
        Desk desk;
        desk.palette("networkSwitch");
        desk.click({200, 100}, Qt::ShiftModifier);
        desk.click({500, 100}, Qt::ShiftModifier);
        QCOMPARE(int(desk.cluster().switches.size()), 2);
        QTest::keyClick(&desk.canvas, Qt::Key_Escape);
        QVERIFY(!desk.canvas.placing());
    }

    void aPartIsDraggedFromThePalette() {
        Desk desk;
        auto* button = desk.view.findChild<QToolButton*>(QStringLiteral("palette.gpu"));
        const QPoint to = button->mapFromGlobal(desk.canvas.mapToGlobal(QPoint(300, 200)));
        QTest::mousePress(button, Qt::LeftButton);
        QTest::mouseMove(button, button->rect().center() + QPoint(40, 0));
        QTest::mouseMove(button, to);
        QTest::mouseRelease(button, Qt::LeftButton, {}, to);
        QCOMPARE(desk.cluster().deviceCount(), 1);
        const QPointF centre = desk.view.scene().layout().devices[0].center();
        QCOMPARE(desk.at(centre), QPoint(300, 200));
        QVERIFY(!desk.canvas.placing());
    }

    void clicksChooseAndModifiersAdd() {
        Desk desk(servers(2, 2));
        desk.click(desk.atDevice(1));
        QCOMPARE(desk.view.selection(), (ClusterSelection{{1}, {}, {}}));
        desk.click(desk.atDevice(3), Qt::ControlModifier);
        desk.click(desk.atSwitch(0), Qt::ShiftModifier);
        QCOMPARE(desk.view.selection(), (ClusterSelection{{1, 3}, {0}, {}}));
        desk.click(desk.atDevice(1), Qt::ControlModifier);
        QCOMPARE(desk.view.selection(), (ClusterSelection{{3}, {0}, {}}));
        desk.click(desk.atHeader(0));
        QCOMPARE(desk.view.selection(), (ClusterSelection{{0, 1}, {0}, {}}));
        desk.click({3, 3});
        QVERIFY(desk.view.selection().isEmpty());
    }

    void aRubberBandChoosesWhatItTouchesAndEscapeBringsBackWhatWas() {
        Desk desk(servers(2, 2));
        desk.click(desk.atDevice(3));
        desk.drag({2, 2}, desk.at(desk.view.scene().layout().devices[1].center()));
        QVERIFY(desk.view.selection().devices.size() >= 2);
        desk.click(desk.atDevice(3));
        desk.drag({2, 2}, {desk.canvas.width() - 2, desk.canvas.height() - 40}, {}, false);
        QCOMPARE(int(desk.view.selection().devices.size()), 4);
        QTest::keyClick(&desk.canvas, Qt::Key_Escape);
        QCOMPARE(desk.view.selection(), (ClusterSelection{{3}, {}, {}}));
        QTest::mouseRelease(&desk.canvas, Qt::LeftButton, {}, {50, 50});
        QCOMPARE(desk.view.selection(), (ClusterSelection{{3}, {}, {}}));
    }

    void draggingAServerMovesAllOfItAndNothingElse() {
        Desk desk(servers(2, 2));
        const TopologyLayout before = desk.view.scene().layout();
        desk.drag(desk.atHeader(1), desk.atHeader(1) + QPoint(0, 60));
        const TopologyLayout& after = desk.view.scene().layout();
        const QPointF by = after.devices[2].center() - before.devices[2].center();
        QVERIFY(by.y() > 10);
        QCOMPARE(after.devices[3].center() - before.devices[3].center(), by);
        QCOMPARE(after.switches[1].center() - before.switches[1].center(), by);
        QCOMPARE(after.devices[0], before.devices[0]);
        QCOMPARE(after.switches[2], before.switches[2]);
        QCOMPARE(desk.texts, QStringList{QStringLiteral("Move server s1")});
    }

    void escapeCancelsAMove() {
        Desk desk(servers(2, 2));
        desk.drag(desk.atDevice(0), desk.atDevice(0) + QPoint(80, 80), {}, false);
        QTest::keyClick(&desk.canvas, Qt::Key_Escape);
        QTest::mouseRelease(&desk.canvas, Qt::LeftButton, {}, desk.atDevice(0) + QPoint(80, 80));
        QVERIFY(desk.texts.isEmpty());
    }

    void aGpuDroppedOnAnotherServerMovesIn() {
        Desk desk(servers(2, 2));
        desk.drag(desk.atDevice(0), desk.atDevice(2) + QPoint(10, 10));
        QCOMPARE(desk.cluster().devices[0].server, std::string("s1"));
    }

    void whatIsDraggedOutOfAServerLeavesItAndMayComeBack() {
        Desk desk(servers(2, 2));
        QSignalSpy said(&desk.editor(), &ClusterEditor::said);
        // Within its box and over the edge it is only arranged.
        desk.drag(desk.atDevice(0), desk.atDevice(0) + QPoint(0, 20));
        QCOMPARE(desk.cluster().devices[0].server, std::string("s0"));
        QCOMPARE(said.count(), 0);
        const QRectF box = desk.view.scene().layout().servers[0].box;
        const QRectF& tile = desk.view.scene().layout().devices[0];
        desk.canvas.fit();
        Viewport wide = desk.canvas.viewport();
        wide.zoomAt({500, 350}, 0.5);
        desk.canvas.setViewport(wide);
        desk.drag(desk.atDevice(0), desk.at({tile.center().x(), box.bottom() + tile.height() + 20}));
        QCOMPARE(desk.cluster().devices[0].server, std::string("s2"));
        std::vector<Link> links = servers(2, 2).links;
        links[0].a = "s2g0";  // called as its server is
        QCOMPARE(desk.cluster().links, links);
        QCOMPARE(desk.texts.back(), QStringLiteral("Move s0g0 out of its server"));
        QCOMPARE(said.back().front().toString(),
                 QStringLiteral("s0g0 left its server and is now in server s2"));
        // A PCIe switch does not become one of the network.
        desk.drag(desk.atSwitch(0),
                  desk.at(desk.view.scene().layout().servers[0].box.center()) + QPoint(0, 250));
        QCOMPARE(desk.cluster().switches[0].server, std::string("s3"));
        desk.drag(desk.atDevice(0), desk.atDevice(2) + QPoint(4, 4));
        QCOMPARE(desk.cluster().devices[0].server, std::string("s1"));
        QCOMPARE(said.back().front().toString(), QStringLiteral("s2g0 joined server s1"));
        QCOMPARE(desk.cluster().devices[0].id, std::string("s1g2"));
        QCOMPARE(desk.cluster().switches[0].id, std::string("s3pcie0"));
    }

    void aNetworkCardThatWasPlacedAloneIsOneInTheServerThatItJoins() {
        Desk desk(servers(1, 4));
        Viewport wide = desk.canvas.viewport();
        wide.zoomAt({500, 200}, 0.5);
        desk.canvas.setViewport(wide);
        desk.palette("nic");
        desk.click(QPoint(500, 600));
        QCOMPARE(desk.cluster().switches.back().id, std::string("s1nic0"));
        const int card = int(desk.cluster().switches.size()) - 1;
        desk.drag(desk.atSwitch(card), desk.at(desk.view.scene().layout().servers[0].box.center()));
        QCOMPARE(desk.cluster().switches.back().server, std::string("s0"));
        QCOMPARE(desk.cluster().switches.back().id, std::string("s0nic0"));
        QCOMPARE(desk.view.scene().layout().roles.back(), NodeRole::nic);
        QCOMPARE(desk.view.scene().names().of({ClusterNode::Kind::switchNode, card}),
                 QStringLiteral("NIC 0"));
    }

    void partsOfSeveralServersLeaveEachTheirOwn() {
        Desk desk(servers(2, 2));
        Viewport wide = desk.canvas.viewport();
        wide.zoomAt({500, 200}, 0.4);
        desk.canvas.setViewport(wide);
        desk.click(desk.atDevice(0));
        desk.click(desk.atDevice(2), Qt::ShiftModifier);
        desk.drag(desk.atDevice(0), desk.atDevice(0) + QPoint(0, 300));
        QCOMPARE(desk.cluster().devices[0].server, std::string("s2"));
        QCOMPARE(desk.cluster().devices[2].server, std::string("s3"));
        QCOMPARE(desk.cluster().devices[1].server, std::string("s0"));
    }

    void aThinSwitchAndALineAreHitAtAnyZoom() {
        for (const double scale : {0.03, 0.1, 0.4, 1.0, 3.0}) {
            Desk desk(servers(4, 4));
            const QRectF network = desk.view.scene().layout().switches.back();
            desk.canvas.setViewport({scale, {}});
            Viewport there = desk.canvas.viewport();
            there.offset = QPointF(500, 350) - there.toScreen(network.center());
            desk.canvas.setViewport(there);
            // Beside its edge by less than what a hand can aim at, and never farther than that.
            const double half = network.height() / 2 * scale;
            desk.click({500, 350 + static_cast<int>(std::max(half - 1, 4.0))});
            QCOMPARE(desk.view.selection(), (ClusterSelection{{}, {4}, {}}));
            desk.click({500, 350 - static_cast<int>(std::max(half, 5.0)) - 12});
            QVERIFY(desk.view.selection().switches.empty() || desk.view.selection().size() > 1);
            if (scale < 0.1) continue;  // nearer to each other than lines can be told apart
            const LinkBundle& bundle = desk.view.scene().links().bundles.front();
            const QPointF middle = (bundle.route[0] + bundle.route[1]) / 2;
            there.offset += QPointF(500, 350) - there.toScreen(middle);
            desk.canvas.setViewport(there);
            desk.click({503, 350});
            QCOMPARE(desk.view.selection().links, bundle.summary.links);
        }
    }

    void fromAfarAServerIsSelectedByTheNameAboveIt() {
        Cluster apart = servers(2, 2);
        apart.links.eraseIf([](const Link& link) { return link.kind == "ethernet"; });
        apart.switches.pop_back();
        Desk desk(apart);
        Viewport far = desk.canvas.viewport();
        far.zoomAt({500, 350}, 0.2);
        desk.canvas.setViewport(far);
        const QPoint corner = desk.at(desk.view.scene().layout().servers[1].box.topLeft());
        desk.click(corner + QPoint(8, -8));
        QCOMPARE(desk.view.selection(), desk.view.scene().serverSelection(1));
        desk.click(corner + QPoint(8, -30));
        QVERIFY(desk.view.selection().isEmpty());
    }

    void whatIsFoundByNameIsSelectedAndZoomedTo() {
        Desk desk(servers(8, 4));
        desk.view.find();
        auto* popup = desk.view.findChild<QWidget*>(QStringLiteral("findPopup"));
        QVERIFY(popup && popup->isVisible());
        auto* words = popup->findChild<QLineEdit*>(QStringLiteral("pickWords"));
        QTest::keyClicks(words, QStringLiteral("gpu 3 s55"));
        QTest::keyClick(words, Qt::Key_Return);
        QVERIFY(popup->isVisible() && desk.view.selection().isEmpty());  // nothing found
        QTest::keyClick(words, Qt::Key_Backspace);
        QTest::keyClick(words, Qt::Key_Return);
        QCOMPARE(desk.view.selection(), (ClusterSelection{{23}, {}, {}}));
        const QRectF tile = desk.canvas.viewport().toScreen(desk.view.scene().layout().devices[23]);
        QVERIFY(desk.canvas.rect().contains(tile.toRect()) && tile.width() > 100);
        desk.view.find();
        popup = desk.view.findChildren<QWidget*>(QStringLiteral("findPopup")).back();
        words = popup->findChild<QLineEdit*>(QStringLiteral("pickWords"));
        QTest::keyClicks(words, QStringLiteral("server s"));
        QTest::keyClick(words, Qt::Key_Down);
        QTest::keyClick(words, Qt::Key_Return);
        QCOMPARE(desk.view.selection(), desk.view.scene().serverSelection(1));
    }

    void aSelectionIsRotatedWithoutOverlaps() {
        Desk desk(servers(2, 4));
        desk.editor().select({{0, 1, 2, 3}, {}, {}});
        QVERIFY(desk.editor().canRotate());
        desk.editor().rotate();
        const std::vector<QRectF>& tiles = desk.view.scene().layout().devices;
        for (int i = 1; i < 4; ++i) {
            QVERIFY(std::abs(tiles[std::size_t(i)].center().x() - tiles[0].center().x()) < 0.01);
            QVERIFY(tiles[std::size_t(i)].top() >= tiles[std::size_t(i - 1)].bottom());
        }
        desk.editor().rotate();
        for (int i = 1; i < 4; ++i)
            QVERIFY(tiles[std::size_t(i)].intersects(tiles[std::size_t(i - 1)]) == false);
        QCOMPARE(desk.texts, (QStringList{QStringLiteral("Rotate"), QStringLiteral("Rotate")}));
    }

    void copiesLandInView() {
        Desk desk(servers(1, 4));
        Viewport close = desk.canvas.viewport();
        close.scale = 1;
        const QRectF box = desk.view.scene().layout().servers[0].box;
        close.offset = QPointF(desk.canvas.width(), desk.canvas.height()) -
                       close.toScreen(box.bottomRight()) + close.offset - QPointF(4, 4);
        desk.canvas.setViewport(close);
        desk.click(desk.atHeader(0));
        desk.editor().duplicate();
        const QRectF copy = desk.canvas.viewport().toScreen(desk.view.scene().layout().servers[1].box);
        QVERIFY(QRectF(desk.canvas.rect()).adjusted(-20, -20, 20, 20).contains(copy));
    }

    void theGridHoldsAndControlLetsGo() {
        Desk desk(servers(1, 2));
        desk.canvas.setSnapSettings({true, false});
        desk.drag(desk.atDevice(0), desk.atDevice(0) + QPoint(37, 41));
        const QRectF snapped = desk.view.scene().layout().devices[0];
        QCOMPARE(std::fmod(snapped.left(), SnapSettings::gridStep), 0.0);
        QCOMPARE(std::fmod(snapped.top(), SnapSettings::gridStep), 0.0);
        const double scale = desk.canvas.viewport().scale;
        const QPoint from = desk.atDevice(0);
        desk.drag(from, from + QPoint(37, 41), Qt::ControlModifier);
        const QPointF by = desk.view.scene().layout().devices[0].topLeft() - snapped.topLeft();
        QVERIFY(std::abs(by.x() - 37 / scale) < 0.01 && std::abs(by.y() - 41 / scale) < 0.01);
    }

    void draggingFromAPortJoins() {
        Desk desk(servers(2, 2));
        const std::size_t links = desk.cluster().links.size();
        const QRectF tile = desk.view.scene().layout().devices[0];
        QTest::mouseMove(&desk.canvas, desk.atDevice(0));
        desk.drag(desk.at({tile.center().x(), tile.bottom()}), desk.atDevice(1));
        QCOMPARE(desk.cluster().links.size(), links + 1);
        const Link& link = desk.cluster().links.back();
        QCOMPARE(link.a, std::string("s0g0"));
        QCOMPARE(link.b, std::string("s0g1"));
        QCOMPARE(link.kind, std::string("nvlink"));
        QCOMPARE(desk.view.selection().links, std::vector<int>{int(links)});
    }

    void theLinkToolJoinsByTwoClicksUntilEscape() {
        Desk desk(servers(2, 2));
        const std::size_t links = desk.cluster().links.size();
        desk.palette("link");
        desk.click(desk.atDevice(0));
        desk.click(desk.atSwitch(2));
        QCOMPARE(desk.cluster().links.size(), links + 1);
        QCOMPARE(desk.cluster().links.back().b, std::string("network0"));
        QVERIFY(desk.canvas.isLinking());
        QTest::keyClick(&desk.canvas, Qt::Key_Escape);
        QVERIFY(!desk.canvas.isLinking());
    }

    void linksAreChosenOneByOneAndAsBundles() {
        Cluster cluster = servers(2, 2);
        cluster.links.push_back({"s0g0", "s1g0", 1e9, 0, "rdma", ""});
        cluster.links.push_back({"s0g1", "s1g1", 1e9, 0, "rdma", ""});
        Desk desk(cluster);
        const LinkBundle* bundle = nullptr;
        for (const LinkBundle& each : desk.view.scene().links().bundles)
            if (each.betweenServers) bundle = &each;
        QVERIFY(bundle);
        const QRectF gap = desk.view.scene().layout().servers[0].box;
        const QPoint between =
            desk.at((gap.center() + desk.view.scene().layout().servers[1].box.center()) / 2);
        desk.click(between);
        QCOMPARE(desk.view.selection().links, (std::vector<int>{6, 7}));
        desk.click(between);
        QCOMPARE(desk.view.selection().links, std::vector<int>{6});
        desk.click(between);
        QCOMPARE(desk.view.selection().links, std::vector<int>{7});
        QTest::keyClick(&desk.canvas, Qt::Key_Delete);
        QCOMPARE(int(desk.cluster().links.size()), 7);
    }

    void deletingAServerDeletesWhatHangsOnIt() {
        Desk desk(servers(2, 2));
        desk.click(desk.atHeader(0));
        QTest::keyClick(&desk.canvas, Qt::Key_Delete);
        QCOMPARE(desk.cluster().deviceCount(), 2);
        QCOMPARE(int(desk.cluster().links.size()), 3);
        QCOMPARE(desk.texts.back(), QStringLiteral("Delete server s0"));
        QVERIFY(desk.view.selection().isEmpty());
    }

    void arrowsNudgeAndControlArrowsWalk() {
        Desk desk(servers(1, 4));
        desk.click(desk.atDevice(0));
        const QRectF before = desk.view.scene().layout().devices[0];
        QTest::keyClick(&desk.canvas, Qt::Key_Right);
        QCOMPARE(desk.view.scene().layout().devices[0], before.translated(SnapSettings::gridStep, 0));
        QTest::keyClick(&desk.canvas, Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(desk.view.scene().layout().devices[0], before.translated(SnapSettings::gridStep, 1));
        QTest::keyClick(&desk.canvas, Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(desk.view.selection().devices, std::vector<int>{1});
        QTest::keyClick(&desk.canvas, Qt::Key_Tab);
        QCOMPARE(desk.view.selection().devices, std::vector<int>{2});
        QTest::keyClick(&desk.canvas, Qt::Key_Backtab);
        QCOMPARE(desk.view.selection().devices, std::vector<int>{1});
    }

    void whatIsCopiedIsAClusterFileAndIsPastedElsewhere() {
        Desk desk(servers(2, 2));
        desk.click(desk.atHeader(1));
        desk.editor().copy();
        const std::string text = QGuiApplication::clipboard()->text().toStdString();
        const Cluster fragment = readCluster(text, "clipboard");
        QCOMPARE(fragment.deviceCount(), 2);
        Desk other;
        other.editor().paste(QPointF(100, 100));
        QCOMPARE(other.cluster().deviceCount(), 2);
        QCOMPARE(int(other.cluster().links.size()), 2);
        const QRectF box = other.view.scene().layout().servers[0].box;
        QVERIFY((box.center() - QPointF(100, 100)).manhattanLength() < 40);
        QSignalSpy foreign(&other.view, &TopologyView::otherTextPasted);
        QGuiApplication::clipboard()->setText(QStringLiteral("GPU0 X NV2"));
        other.editor().paste();
        QCOMPARE(foreign.count(), 1);
    }

    /// As another program gets it: bytes alone, of which it knows the type.
    void whatIsCopiedReachesAnotherProgramAsBytesAndAsText() {
        Desk desk(servers(2, 2));
        desk.click(desk.atHeader(1));
        desk.editor().copy();
        const QMimeData* held = QGuiApplication::clipboard()->mimeData();
        QVERIFY(held->hasFormat(QLatin1String(clusterMimeType)));
        const QByteArray file = held->data(QLatin1String(clusterMimeType));
        const QString text = held->text();
        QCOMPARE(text.toUtf8(), file);
        for (const bool byType : {true, false}) {
            QGuiApplication::clipboard()->clear();
            Desk empty;
            empty.editor().paste();
            QVERIFY(empty.cluster().devices.empty());
            auto* data = new QMimeData;
            // The type alone counts, whatever text a clipboard manager made of it.
            if (byType) data->setData(QLatin1String(clusterMimeType), file);
            data->setText(byType ? QStringLiteral("a cluster") : text);
            QGuiApplication::clipboard()->setMimeData(data);
            Desk other(servers(1, 3));
            QSignalSpy foreign(&other.view, &TopologyView::otherTextPasted);
            other.editor().paste();
            QCOMPARE(foreign.count(), 0);
            QCOMPARE(other.cluster().deviceCount(), 5);
            QCOMPARE(int(other.cluster().links.size()), 4 + 2);
            QVERIFY(other.cluster().devices[3].id != other.cluster().devices[0].id);
        }
    }

    void whatIsSelectedIsGroupedIntoAServerAndUngroupedAgain() {
        Desk desk(servers(2, 2));
        QVERIFY(!desk.editor().canGroup());
        desk.click(desk.atHeader(0));
        QVERIFY2(!desk.editor().canGroup(), "it is a server already");
        QVERIFY(desk.editor().canUngroup());
        desk.click(desk.atDevice(0));
        QVERIFY(!desk.editor().canGroup());
        QVERIFY(!desk.editor().canUngroup());
        desk.click(desk.atDevice(2), Qt::ShiftModifier);
        desk.click(desk.atSwitch(2), Qt::ShiftModifier);
        QVERIFY(desk.editor().canGroup());
        desk.editor().group();
        const auto serverOf = [&](int device) { return desk.cluster().devices[std::size_t(device)].server; };
        QCOMPARE(serverOf(0), std::string("s2"));
        QCOMPARE(serverOf(2), std::string("s2"));
        QCOMPARE(serverOf(1), std::string("s0"));
        QVERIFY2(desk.cluster().switches[2].server.empty(), "the network is in no server");
        QCOMPARE(desk.texts, QStringList{QStringLiteral("Group into server s2")});
        QCOMPARE(int(desk.cluster().links.size()), int(desk.before.links.size()));
        // Ids follow their server, as the drawing names things by what comes after it.
        QCOMPARE(desk.cluster().devices[0].id, std::string("s2g0"));
        QCOMPARE(desk.cluster().devices[2].id, std::string("s2g1"));
        desk.editor().selectServers();
        desk.editor().ungroup();
        QVERIFY(serverOf(0) != serverOf(2));
        QCOMPARE(serverOf(1), std::string("s0"));
        QVERIFY(!desk.editor().canUngroup());
    }

    void everyWayToAlignAndDistributeDoesWhatItSays() {
        const auto arranged = [](auto arrange) {
            Desk desk(servers(1, 4));
            desk.editor().select({{0}, {}, {}});
            desk.editor().move({-40, 60});
            desk.editor().select({{3}, {}, {}});
            desk.editor().move({30, 130});
            desk.editor().select({{0, 1, 3}, {}, {}});
            arrange(desk.editor());
            const std::vector<QRectF>& tiles = desk.view.scene().layout().devices;
            return std::vector<QRectF>{tiles[0], tiles[1], tiles[3]};
        };
        const std::vector<QRectF> now = arranged([](ClusterEditor&) {});
        const auto hull = now[0] | now[1] | now[2];
        const auto edges = [&](Alignment to, auto edge) {
            const std::vector<QRectF> tiles = arranged([to](ClusterEditor& editor) { editor.align(to); });
            for (const QRectF& tile : tiles)
                if (std::abs(edge(tile) - edge(hull)) > 0.01) return false;
            return true;
        };
        QVERIFY(edges(Alignment::left, [](const QRectF& r) { return r.left(); }));
        QVERIFY(edges(Alignment::right, [](const QRectF& r) { return r.right(); }));
        QVERIFY(edges(Alignment::centre, [](const QRectF& r) { return r.center().x(); }));
        QVERIFY(edges(Alignment::top, [](const QRectF& r) { return r.top(); }));
        QVERIFY(edges(Alignment::bottom, [](const QRectF& r) { return r.bottom(); }));
        QVERIFY(edges(Alignment::middle, [](const QRectF& r) { return r.center().y(); }));
        const auto across =
            arranged([](ClusterEditor& editor) { editor.distribute(ArrangeAxis::horizontal); });
        QVERIFY(std::abs(across[1].left() - across[0].right() - (across[2].left() - across[1].right())) <
                0.01);
        QVERIFY(across[1].left() != now[1].left());
        const auto down = arranged([](ClusterEditor& editor) { editor.distribute(ArrangeAxis::vertical); });
        QVERIFY(std::abs(down[0].top() - down[1].bottom() - (down[2].top() - down[0].bottom())) < 0.01);
        QCOMPARE(down[1].top(), now[1].top());
        QCOMPARE(down[2].top(), now[2].top());
    }

    void aMeasuredRateIsTakenBackOnTheCanvas() {
        Cluster start = servers(1, 2);
        start.links[0].derivedBps = 12e9;
        start.links[0].derivedSource = "PCIe Gen 3 × 16, table";
        start.links[0].bandwidthBps = 10e9;
        start.links[0].source = "measured, nvbandwidth";
        Desk desk(start);
        desk.editor().select({{}, {}, {1}});
        QVERIFY(!desk.editor().canUseDerivedRates());
        desk.editor().select({{}, {}, {0, 1}});
        QVERIFY(desk.editor().canUseDerivedRates());
        desk.editor().useDerivedRates();
        QCOMPARE(desk.cluster().links[0].bandwidthBps, 12e9);
        QCOMPARE(desk.cluster().links[1].bandwidthBps, 12e9);
        QVERIFY(!desk.cluster().links[0].isMeasured());
        QVERIFY(!desk.editor().canUseDerivedRates());
    }

    void aRackIsOfServersByNameAndOfACount() {
        Desk desk;
        desk.palette("rack");
        auto* popup = desk.view.findChild<QWidget*>(QStringLiteral("rackPopup"));
        QVERIFY(popup && popup->isVisible());
        auto* words = popup->findChild<QLineEdit*>(QStringLiteral("pickWords"));
        QTest::keyClicks(words, QStringLiteral("nvl72"));
        QTest::keyClick(words, Qt::Key_Return);
        QVERIFY2(popup->isVisible(), "a rack is of no racks");
        words->clear();
        QTest::keyClicks(words, QStringLiteral("dgx h100"));
        auto* count = popup->findChild<QSpinBox*>(QStringLiteral("pickCount"));
        count->setFocus();
        count->selectAll();
        QTest::keyClicks(count, QStringLiteral("3"));
        QTest::keyClick(count, Qt::Key_Return);
        QCOMPARE(desk.canvas.placing(), std::optional(PalettePart::rack));
        QVERIFY(desk.view.findChild<QToolButton*>(QStringLiteral("palette.rack"))->isChecked());
        desk.click(desk.canvas.rect().center());
        QCOMPARE(desk.cluster().deviceCount(), 24);
        QCOMPARE(desk.texts, QStringList{QString::fromUtf8("Add Rack of 3 × DGX H100 (HGX H100)")});
        const auto& switches = desk.cluster().switches;
        const auto network = std::count_if(switches.begin(), switches.end(),
                                           [](const Switch& each) { return each.server.empty(); });
        QCOMPARE(int(network), 1);
        const auto ports = std::count_if(desk.cluster().links.begin(), desk.cluster().links.end(),
                                         [](const Link& link) { return link.b == "tor"; });
        QCOMPARE(int(ports), 3 * 8);
    }

    void duplicatesMeetNothing() {
        Desk desk(servers(2, 2));
        desk.click(desk.atHeader(0));
        desk.editor().duplicate(5);
        QCOMPARE(desk.cluster().deviceCount(), 14);
        const std::vector<ServerBox>& boxes = desk.view.scene().layout().servers;
        QCOMPARE(int(boxes.size()), 7);
        for (std::size_t i = 0; i < boxes.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) QVERIFY(!boxes[i].box.intersects(boxes[j].box));
        QCOMPARE(int(desk.view.selection().devices.size()), 10);
        QCOMPARE(desk.texts, QStringList{QStringLiteral("Duplicate server s0 5 times")});
    }

    void serversAlignAsAWhole() {
        Desk desk(servers(2, 2));
        desk.drag(desk.atHeader(1), desk.atHeader(1) + QPoint(0, 37));
        desk.editor().selectAll();
        desk.click(desk.atSwitch(2), Qt::ControlModifier);
        desk.editor().align(Alignment::top);
        const std::vector<ServerBox>& boxes = desk.view.scene().layout().servers;
        QCOMPARE(boxes[0].box.top(), boxes[1].box.top());
        QCOMPARE(desk.texts.back(), QStringLiteral("Align"));
    }

    void aFreshLayoutForgetsAllPlaces() {
        Desk desk(servers(2, 2));
        const QRectF before = desk.view.scene().layout().devices[0];
        desk.drag(desk.atDevice(0), desk.atDevice(0) + QPoint(30, 30));
        QVERIFY(!desk.cluster().layout.empty());
        desk.editor().layOutAfresh();
        QVERIFY(desk.cluster().layout.empty());
        QCOMPARE(desk.view.scene().layout().devices[0], before);
    }

    void theFirstEditMovesNothingElse() {
        Desk desk(servers(3, 4));
        const TopologyLayout before = desk.view.scene().layout();
        desk.palette("networkSwitch");
        desk.click({5, 5});
        const TopologyLayout& after = desk.view.scene().layout();
        QCOMPARE(after.devices, before.devices);
        for (std::size_t i = 0; i < before.servers.size(); ++i)
            QCOMPARE(after.servers[i].box, before.servers[i].box);
    }

    void theOverviewShowsWhenThePictureIsLargerAndMovesTheView() {
        Desk desk(servers(8, 4));
        QVERIFY(desk.canvas.overviewRect().isEmpty());
        Viewport close = desk.canvas.viewport();
        close.zoomAt({400, 300}, 4);
        desk.canvas.setViewport(close);
        const QRectF overview = desk.canvas.overviewRect();
        QVERIFY(!overview.isEmpty());
        desk.click(overview.bottomRight().toPoint() - QPoint(8, 8));
        QVERIFY(desk.canvas.middleInScene().x() > desk.view.scene().layout().bounds.center().x());
        QVERIFY(desk.view.selection().isEmpty());
    }

    void mistakesArePaintedAndLinksToThemselvesCanBeTakenAway() {
        Cluster cluster = servers(1, 2);
        cluster.links.push_back({"s0g1", "s0g1", 1e9, 0, "", ""});
        Desk desk(cluster);
        const QRectF loop = desk.view.scene().boundsOfLink(int(cluster.links.size()) - 1);
        desk.click(desk.at(QPointF(loop.right() - 4, loop.center().y())));
        QCOMPARE(desk.view.selection().links, std::vector<int>{int(cluster.links.size()) - 1});
        QTest::keyClick(&desk.canvas, Qt::Key_Delete);
        QVERIFY(desk.view.scene().mistakes().empty());
    }

    void whoOnlyLooksCannotEdit() {
        TopologyView view;
        view.resize(800, 600);
        view.setCluster(servers(2, 2));
        view.show();
        QSignalSpy edits(&view, &TopologyView::clusterEdited);
        const QPoint at =
            view.canvas()->viewport().toScreen(view.scene().layout().devices[0].center()).toPoint();
        QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, at);
        QTest::keyClick(view.canvas(), Qt::Key_Delete);
        QTest::mousePress(view.canvas(), Qt::LeftButton, {}, at);
        QTest::mouseMove(view.canvas(), at + QPoint(60, 60));
        QTest::mouseRelease(view.canvas(), Qt::LeftButton, {}, at + QPoint(60, 60));
        QCOMPARE(edits.count(), 0);
    }
};

STAGECRAFT_TEST(ClusterEditorTest)
#include "cluster_editor_test.moc"
