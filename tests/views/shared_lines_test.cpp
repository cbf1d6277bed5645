// Lines that stand for several links: hubs of servers that are linked all to all, inside servers and between
// them, and folded network cards.
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/view_tests.h"
#include "views/topology/cluster_figure.h"
#include "views/topology/link_legend.h"
#include "views/topology/link_tracks.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

#include <QTest>

#include <set>

using namespace stagecraft;

namespace {

/// A cluster that can be edited, and a mouse.
struct Desk {
    explicit Desk(const Cluster& cluster) {
        view.resize(1400, 900);
        view.makeEditable();
        view.setCluster(cluster);
        view.show();
    }
    void click(QPointF scenePoint) {
        QTest::mouseClick(view.canvas(), Qt::LeftButton, {},
                          view.canvas()->viewport().toScreen(scenePoint).toPoint());
    }
    const TopologyScene& scene() const { return view.scene(); }
    TopologyView view;
};

Cluster meshOf(int servers) {
    Cluster cluster;
    for (int i = 0; i < servers; ++i) {
        const std::string name = "s" + std::to_string(i);
        cluster.devices.push_back({name + "g0", name, "V100", 16e9, 1, 0});
        for (int other = 0; other < i; ++other)
            cluster.links.push_back({name + "g0", "s" + std::to_string(other) + "g0", 1e9, 0, "rdma", ""});
    }
    return cluster;
}

}  // namespace

class SharedLinesTest : public QObject {
    Q_OBJECT
private slots:
    void serversThatAreLinkedAllToAllHaveOneHub() {
        const TopologyScene scene(clusterFrom("spp"), nullptr);
        QCOMPARE(scene.links().meshes.size(), 1u);
        const LinkMesh& mesh = scene.links().meshes[0];
        QCOMPARE(mesh.routes.size(), 8u);
        QCOMPARE(mesh.summary.links.size(), 448u);
        QCOMPARE(mesh.text(), QString::fromUtf8("all to all, 4.06–4.81 GB/s"));
        const QRectF& hub = scene.layout().meshes[0].hub;
        QVERIFY(scene.layout().bounds.contains(hub));
        for (const ServerBox& server : scene.layout().servers) QVERIFY(!server.box.intersects(hub));
        for (const QPolygonF& route : mesh.routes) QVERIFY(hub.adjusted(-1, -1, 1, 1).contains(route.back()));
    }

    void fewServersStayLinesAndAMeshWithAHoleToo() {
        QVERIFY(TopologyScene(meshOf(3), nullptr).links().meshes.empty());
        QCOMPARE(TopologyScene(meshOf(4), nullptr).links().meshes.size(), 1u);
        Cluster almost = meshOf(5);
        almost.links.pop_back();
        QVERIFY(TopologyScene(almost, nullptr).links().meshes.empty());
    }

    void aClickOnTheHubOrALineToItChoosesAllItsLinks() {
        Desk desk(clusterFrom("spp"));
        const LinkMesh mesh = desk.scene().links().meshes[0];
        desk.click(desk.scene().layout().meshes[0].hub.center());
        QCOMPARE(desk.view.selection().links, mesh.summary.links);
        desk.click(desk.scene().layout().bounds.topLeft() + QPointF(1, 1));
        QVERIFY(desk.view.selection().isEmpty());
        desk.click((mesh.routes[1][1] + mesh.routes[1][2]) / 2);
        QCOMPARE(desk.view.selection().links, mesh.summary.links);
        const QString tip = describeItem(desk.scene(), {TopologyItem::Kind::mesh, 0});
        for (const char* part : {"8 servers", "448", "RDMA", "4.06"}) QVERIFY2(tip.contains(part), part);
    }

    /// With their places written down, as after any edit, and in rows of any number.
    void theHubIsAlwaysBesideTheServers() {
        for (int servers = 4; servers <= 20; ++servers) {
            const TopologyScene scene(meshOf(servers), nullptr);
            const QRectF hub = scene.layout().meshes[0].hub;
            for (const ServerBox& server : scene.layout().servers) QVERIFY(!server.box.intersects(hub));
            QCOMPARE(TopologyScene(scene.pinned(), nullptr).layout().meshes[0].hub, hub);
            for (const QPolygonF& route : scene.links().meshes[0].routes)
                for (const ServerBox& server : scene.layout().servers)
                    for (qsizetype i = 1; i < route.size(); ++i)
                        QVERIFY2(!QRectF(route[i - 1], route[i])
                                      .normalized()
                                      .adjusted(-0.1, -0.1, 0.1, 0.1)
                                      .intersects(server.box.adjusted(1, 1, -1, -1)),
                                 qPrintable(QString("%1 servers, %2").arg(servers).arg(server.name.c_str())));
        }
    }

    void itIsPrinted() {
        for (const double width : {84.0, 178.0}) {
            const Figure figure = clusterFigure(clusterFrom("spp"), nullptr, {.widthMm = width});
            int hubs = 0, lines = 0, words = 0;
            for (const FigureItem& item : figure.items) {
                if (const auto* shape = std::get_if<FigurePolygon>(&item)) {
                    hubs += shape->role == "mesh";
                    lines += shape->role == "network";
                }
                if (const auto* text = std::get_if<FigureText>(&item))
                    words += text->text.startsWith("all to all");
            }
            QCOMPARE(hubs, 1);
            QCOMPARE(lines, 8);
            QCOMPARE(words, 1);
        }
    }

    void aClickOnAHubInsideAServerChoosesAllItsLinks() {
        Desk desk(clusterFrom("infinity-fabric"));
        QCOMPARE(desk.scene().links().hubs.size(), 1u);
        const LinkHub hub = desk.scene().links().hubs[0];
        QCOMPARE(hub.summary.links.size(), 28u);
        desk.click(hub.label.center());
        QCOMPARE(desk.view.selection().links, hub.summary.links);
        desk.click(desk.scene().layout().bounds.topLeft() + QPointF(1, 1));
        const QPolygonF& branch = hub.routes[0];
        desk.click((branch.front() + branch.back()) / 2);
        QCOMPARE(desk.view.selection().links, hub.summary.links);
        const QString tip = describeItem(desk.scene(), {TopologyItem::Kind::hub, 0});
        for (const char* part : {"28", "xGMI", "GB/s"}) QVERIFY2(tip.contains(part), part);
    }

    /// In two rows, and between servers with a hub.
    void theLinesOfADeviceLieBehindNoOther() {
        for (const TopologyScene& scene : {TopologyScene(clusterFrom("infinity-fabric"), nullptr),
                                           TopologyScene(clusterFrom("spp"), nullptr)}) {
            const LinkTracks tracks(scene);
            for (const ClusterGraph::Edge& edge : scene.graph().edges)
                for (const QPolygonF& piece : tracks.piecesOf(edge.link))
                    for (std::size_t i = 0; i < scene.layout().devices.size(); ++i) {
                        const int device = static_cast<int>(i);
                        if (edge.a.index == device || edge.b.index == device) continue;
                        for (qsizetype at = 1; at < piece.size(); ++at)
                            QVERIFY(!QRectF(piece[at - 1], piece[at])
                                         .normalized()
                                         .adjusted(-0.1, -0.1, 0.1, 0.1)
                                         .intersects(scene.layout().devices[i]));
                    }
        }
    }

    void whatADeviceIsLinkedToIsShownAlongTheHub() {
        Desk desk(clusterFrom("infinity-fabric"));
        const std::vector<QRectF> tiles = desk.scene().layout().devices;
        const QPolygonF branch = desk.scene().links().hubs[0].routes[0];
        // Past the middle of a neighbour a straight line would go.
        QPoint beside =
            desk.view.canvas()->viewport().toScreen((tiles[1].center() + tiles[2].center()) / 2).toPoint();
        const QPoint along =
            desk.view.canvas()->viewport().toScreen((branch.front() + branch.back()) / 2).toPoint();
        const QImage before = desk.view.canvas()->grab().toImage();
        desk.click(tiles[0].center());
        QCOMPARE(desk.view.selection().devices, std::vector<int>{0});
        const QImage after = desk.view.canvas()->grab().toImage();
        QCOMPARE(after.pixel(beside), before.pixel(beside));
        QVERIFY(after.pixel(along) != before.pixel(along));
    }

    void theLegendShowsThicknessAndSaysHowManyKindsItLeavesOut() {
        const auto legendOf = [](const Cluster& cluster) {
            return LinkLegend(TopologyScene(cluster, nullptr).links(), QFont(), 900, 600);
        };
        const LinkLegend dgx = legendOf(clusterFrom("dgx1"));
        const qsizetype single = dgx.texts().indexOf("NVLink 20.0 GB/s"),
                        twofold = dgx.texts().indexOf(QString::fromUtf8("NVLink 2 × 20 GB/s"));
        QVERIFY2(single >= 0 && twofold >= 0, qPrintable(dgx.texts().join(", ")));
        QVERIFY(dgx.thicknesses()[static_cast<std::size_t>(twofold)] >
                dgx.thicknesses()[static_cast<std::size_t>(single)]);
        Cluster cluster = meshOf(3);
        for (int i = 0; i < 12; ++i)
            cluster.links.push_back({"s0g0", "s1g0", 1e9, 0, "kind" + std::to_string(i), ""});
        const LinkLegend many = legendOf(cluster);
        QCOMPARE(many.texts().size(), 9);
        QCOMPARE(many.texts().back(), QString("and 5 more kinds"));
    }

    /// More lines in one server than anyone could follow, and not all to all.
    void linksThatAreNotDrawnAreCountedInWords() {
        Cluster cluster;
        for (int i = 0; i < 16; ++i) {
            cluster.devices.push_back({"g" + std::to_string(i), "s", "X", 16e9, 1, 0});
            for (int other = i == 15 ? 1 : 0; other < i; ++other)
                cluster.links.push_back(
                    {"g" + std::to_string(i), "g" + std::to_string(other), 50e9, 0, "nvlink", ""});
        }
        const TopologyScene scene(cluster, nullptr);
        QCOMPARE(scene.links().undrawn.size(), 1u);
        QCOMPARE(scene.links().undrawn[0].links.size(), 119u);
        QVERIFY(TopologyScene(clusterFrom("dgx1"), nullptr).links().undrawn[0].links.empty());
        QVERIFY(TopologyScene(clusterFrom("infinity-fabric"), nullptr).links().undrawn[0].links.empty());
        QStringList words;
        for (const FigureItem& item : clusterFigure(cluster, nullptr, {.widthMm = 84}).items)
            if (const auto* text = std::get_if<FigureText>(&item)) words << text->text;
        QVERIFY2(words.join(' ').contains("not drawn: 119 links inside servers"),
                 qPrintable(words.join(' ')));
    }

    /// Above the two, because there is no room between them.
    void theRateBetweenTwoSwitchesCanBeRead() {
        Cluster cluster;
        for (const std::string i : {"1", "2"}) {
            cluster.devices.push_back({"g" + i, "s" + i, "X", 16e9, 1, 0});
            cluster.switches.push_back({"leaf" + i, ""});
            cluster.links.push_back({"g" + i, "leaf" + i, 50e9, 0, "infiniband", ""});
        }
        cluster.links.push_back({"leaf1", "leaf2", 100e9, 0, "infiniband", ""});
        Desk desk(cluster);
        const QRectF left = desk.scene().layout().switches[0], right = desk.scene().layout().switches[1];
        QCOMPARE(left.top(), right.top());
        const QRect above =
            desk.view.canvas()
                ->viewport()
                .toScreen(QRectF(left.right() - 20, left.top() - 18, right.left() - left.right() + 40, 14))
                .toRect();
        const QImage picture = desk.view.canvas()->grab().toImage().copy(above);
        std::set<QRgb> colours;
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x) colours.insert(picture.pixel(x, y));
        QVERIFY2(colours.size() > 8, "no letters");
    }

    /// Two cards of a PCIe switch have one line to the bar of cards.
    void aClickOnALineOfFoldedCardsChoosesAllThatItStandsFor() {
        Desk desk(clusterFrom("dgx-a100", {"servers=1"}));
        const TopologyScene& scene = desk.scene();
        const InnerLink* line = nullptr;
        for (const InnerLink& inner : scene.links().inner)
            if (scene.linksOf({TopologyItem::Kind::link, inner.link}).size() > 1) line = &inner;
        QVERIFY(line);
        const std::vector<int> all = scene.linksOf({TopologyItem::Kind::link, line->link});
        QCOMPARE(all.size(), 2u);
        const QPolygonF route = line->route;
        const QString tip = describeItem(scene, {TopologyItem::Kind::link, line->link});
        for (const char* part : {"2 links in one line", "PCIe", "GB/s"}) QVERIFY2(tip.contains(part), part);
        desk.click((route[0] + route[1]) / 2);
        QCOMPARE(desk.view.selection().links, all);
        desk.click((route[0] + route[1]) / 2);
        QCOMPARE(desk.view.selection().links, std::vector<int>{all.front()});
    }
};

STAGECRAFT_TEST(SharedLinesTest)
#include "shared_lines_test.moc"
