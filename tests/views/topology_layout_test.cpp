#include "tests/support/qt_program.h"
#include "tests/support/window_rooms.h"
#include "views/topology/cluster_layout.h"
#include "views/topology/topology_scene.h"
#include "views/common/viewport.h"

#include <QTest>

#include <random>

using namespace stagecraft;

namespace {

Link link(const std::string& a, const std::string& b, double bandwidthBps) {
    return {a, b, bandwidthBps, 0, "pcie"};
}

/// Servers of any size, with and without switches and direct links, under any number of network switches.
Cluster randomCluster(std::mt19937& random) {
    const auto upTo = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
    Cluster cluster;
    const int servers = 1 + upTo(12);
    const int networkSwitches = upTo(4);
    for (int i = 0; i < networkSwitches; ++i) cluster.switches.push_back({"net" + std::to_string(i), ""});
    for (int s = 0; s < servers; ++s) {
        const std::string server = "s" + std::to_string(s);
        const int inside = upTo(5);
        for (int i = 0; i < inside; ++i)
            cluster.switches.push_back({server + "sw" + std::to_string(i), server});
        const int devices = 1 + upTo(11);
        for (int d = 0; d < devices; ++d) {
            const std::string id = server + "g" + std::to_string(d);
            cluster.devices.push_back({id, server, "V100", 16e9, 1, 0});
            if (inside > 0 && upTo(3) > 0)
                cluster.links.push_back(link(id, server + "sw" + std::to_string(upTo(inside - 1)), 1e10));
            if (d > 0 && upTo(2) == 0)
                cluster.links.push_back(link(id, server + "g" + std::to_string(upTo(d - 1)), 2e10));
            if (networkSwitches > 0 && upTo(2) == 0)
                cluster.links.push_back(link(id, "net" + std::to_string(upTo(networkSwitches - 1)), 1e9));
        }
        for (int i = 1; i < inside; ++i)
            if (upTo(1))
                cluster.links.push_back(link(server + "sw0", server + "sw" + std::to_string(i), 1e10));
    }
    for (int i = 1; i < networkSwitches; ++i)
        if (upTo(1)) cluster.links.push_back(link("net0", "net" + std::to_string(i), 1e9));
    return cluster;
}

Cluster completeCluster(int servers, int each) {
    Cluster cluster;
    for (int i = 0; i < servers * each; ++i)
        cluster.devices.push_back(
            {"g" + std::to_string(i), "s" + std::to_string(i / each), "V100", 16e9, 1, 0});
    for (int a = 0; a < servers * each; ++a)
        for (int b = a + 1; b < servers * each; ++b)
            cluster.links.push_back(
                link("g" + std::to_string(a), "g" + std::to_string(b),
                     a / each == b / each ? 12e9 + (a + b) % 5 * 1e9 : 1e9 + (a + b) % 7 * 1e8));
    return cluster;
}

TopologyLayout layoutOf(const Cluster& cluster) { return layOut(cluster, ClusterGraph(cluster)); }

bool anyOverlap(const std::vector<QRectF>& boxes) {
    for (std::size_t a = 0; a < boxes.size(); ++a)
        for (std::size_t b = a + 1; b < boxes.size(); ++b)
            if (boxes[a].intersects(boxes[b])) return true;
    return false;
}

}  // namespace

class TopologyLayoutTest : public QObject {
    Q_OBJECT
private slots:
    void nothingOverlapsInRandomClusters() {
        std::mt19937 random(7);
        for (int round = 0; round < 300; ++round) {
            const Cluster cluster = randomCluster(random);
            const TopologyLayout layout = layoutOf(cluster);
            std::vector<QRectF> outer;
            for (const ServerBox& server : layout.servers) outer.push_back(server.box);
            std::vector<QRectF> inner = layout.devices;
            for (std::size_t i = 0; i < layout.switches.size(); ++i)
                (layout.serverOfSwitch[i] < 0 ? outer : inner).push_back(layout.switches[i]);
            QVERIFY2(!anyOverlap(outer),
                     qPrintable(QString("servers or network switches, round %1").arg(round)));
            QVERIFY2(!anyOverlap(inner), qPrintable(QString("tiles, round %1").arg(round)));
        }
    }

    void everyDeviceHasOneTileInsideItsServersBox() {
        std::mt19937 random(11);
        for (int round = 0; round < 300; ++round) {
            const Cluster cluster = randomCluster(random);
            const TopologyLayout layout = layoutOf(cluster);
            std::vector<int> tiles(cluster.devices.size());
            for (const ServerBox& server : layout.servers) {
                for (const int device : server.devices) {
                    ++tiles[static_cast<std::size_t>(device)];
                    QCOMPARE(cluster.devices[static_cast<std::size_t>(device)].server, server.name);
                    QVERIFY(server.box.contains(layout.devices[static_cast<std::size_t>(device)]));
                    QVERIFY(layout.devices[static_cast<std::size_t>(device)].top() >=
                            server.box.top() + serverHeader);
                }
                for (const int index : server.switches)
                    QVERIFY(server.box.contains(layout.switches[static_cast<std::size_t>(index)]));
                QVERIFY(layout.bounds.contains(server.box));
            }
            QVERIFY(std::all_of(tiles.begin(), tiles.end(), [](int count) { return count == 1; }));
        }
    }

    void rowsOfServersAreFullWhereThatCostsLittle() {
        const auto rows = [](int servers) {
            std::map<double, int> perRow;
            for (const ServerBox& server : layoutOf(completeCluster(servers, 4)).servers)
                ++perRow[server.box.top()];
            std::vector<int> counts;
            for (const auto& [top, count] : perRow) counts.push_back(count);
            return counts;
        };
        QVERIFY(rows(1) == std::vector<int>({1}));
        QVERIFY(rows(4) == std::vector<int>({2, 2}));
        QVERIFY(rows(6) == std::vector<int>({3, 3}));
        QVERIFY(rows(8) == std::vector<int>({4, 4}));
        QVERIFY(rows(9) == std::vector<int>({3, 3, 3}));
        QVERIFY(rows(16) == std::vector<int>({4, 4, 4, 4}));
    }

    void theSameClusterIsLaidOutTheSameWay() {
        std::mt19937 random(3);
        const Cluster cluster = randomCluster(random);
        const TopologyLayout first = layoutOf(cluster);
        for (int round = 0; round < 5; ++round) {
            const TopologyLayout again = layoutOf(Cluster(cluster));
            QVERIFY(first.devices == again.devices);
            QVERIFY(first.switches == again.switches);
            QCOMPARE(first.bounds, again.bounds);
        }
    }

    void aSwitchStandsAboveTheDevicesThatItJoins() {
        Cluster cluster;
        for (int i = 0; i < 8; ++i)
            cluster.devices.push_back({"g" + std::to_string(i), "s", "V100", 16e9, 1, 0});
        for (int i = 0; i < 4; ++i) cluster.switches.push_back({"p" + std::to_string(i), "s"});
        cluster.switches.push_back({"root", "s"});
        for (int i = 0; i < 8; ++i)  // interleaved, so that the row has to be sorted
            cluster.links.push_back(link("g" + std::to_string(i), "p" + std::to_string(i % 4), 1e10));
        for (int i = 0; i < 4; ++i) cluster.links.push_back(link("p" + std::to_string(i), "root", 1e10));
        const TopologyLayout layout = layoutOf(cluster);
        for (std::size_t i = 0; i < 4; ++i) {
            const QRectF& box = layout.switches[i];
            QVERIFY(box.bottom() < layout.devices[i].top());
            QVERIFY(layout.switches[4].bottom() < box.top());
            QCOMPARE(box.center().x(),
                     (layout.devices[i].center().x() + layout.devices[i + 4].center().x()) / 2);
        }
    }

    void manySwitchesDoNotMakeAServerWiderThanItsDevices() {
        Cluster cluster;
        for (int i = 0; i < 8; ++i) cluster.devices.push_back({"g" + std::to_string(i), "s", "", 1, 1, 0});
        const double narrow = layOut(cluster, ClusterGraph(cluster)).servers[0].box.width();
        cluster.switches.push_back({"pcie", "s"});
        for (int i = 0; i < 8; ++i) cluster.links.push_back(link("g" + std::to_string(i), "pcie", 1e10));
        const double plain = layOut(cluster, ClusterGraph(cluster)).servers[0].box.width();
        QVERIFY(plain >= narrow);
        for (int i = 0; i < 16; ++i) {
            cluster.switches.push_back({"nic" + std::to_string(i), "s"});
            cluster.links.push_back(link("nic" + std::to_string(i), "pcie", 1e10));
        }
        QCOMPARE(layOut(cluster, ClusterGraph(cluster)).servers[0].box.width(), plain);
    }

    void givenPlacesAreHonoured() {
        Cluster cluster = completeCluster(3, 4);
        cluster.switches.push_back({"net", ""});
        cluster.layout = {{"g0", {1000, 700}}, {"g1", {1200, 700}}, {"net", {300, -500}}};
        const TopologyLayout layout = layoutOf(cluster);
        QCOMPARE(layout.devices[0].center(), QPointF(1000, 700));
        QCOMPARE(layout.devices[1].center(), QPointF(1200, 700));
        QCOMPARE(layout.switches[0].center(), QPointF(300, -500));
        QVERIFY(!anyOverlap(layout.devices));
        for (const int device : {0, 1, 2, 3})
            QVERIFY(layout.servers[0].box.contains(layout.devices[static_cast<std::size_t>(device)]));
        QVERIFY(!anyOverlap({layout.servers[0].box, layout.servers[1].box, layout.servers[2].box}));
    }

    void aCompleteGraphBecomesOneBundleAServerPair() {
        const Cluster cluster = completeCluster(8, 4);
        QCOMPARE(cluster.links.size(), 496u);
        const TopologyScene scene(cluster, nullptr);
        QCOMPARE(scene.links().bundles.size(), 28u);
        std::size_t links = 0;
        for (const LinkBundle& bundle : scene.links().bundles) {
            QCOMPARE(bundle.summary.links.size(), 16u);
            QVERIFY(!bundle.route.isEmpty());
            for (const int index : bundle.summary.links) {
                QVERIFY(cluster.links[static_cast<std::size_t>(index)].bandwidthBps >= bundle.summary.minBps);
                QVERIFY(cluster.links[static_cast<std::size_t>(index)].bandwidthBps <= bundle.summary.maxBps);
            }
            links += bundle.summary.links.size();
        }
        for (const LinkSummary& server : scene.links().serverSummary) links += server.links.size();
        QCOMPARE(links, cluster.links.size());
        QCOMPARE(scene.links().inner.size(), 8u * 6u);
        QCOMPARE(scene.links().serverSummary[0].text(), QString::fromUtf8("PCIe 12.0–16.0 GB/s"));
    }

    void everyPartCanBePointedAt() {
        std::mt19937 random(5);
        const TopologyScene scene(randomCluster(random), nullptr);
        for (int i = 0; i < scene.cluster().deviceCount(); ++i) {
            const TopologyItem item =
                scene.itemAt(scene.layout().devices[static_cast<std::size_t>(i)].center(), 5);
            QCOMPARE(scene.idOf(item), scene.cluster().devices[static_cast<std::size_t>(i)].id);
        }
        for (std::size_t i = 0; i < scene.cluster().switches.size(); ++i)
            QCOMPARE(scene.idOf(scene.itemAt(scene.layout().switches[i].center(), 5)),
                     scene.cluster().switches[i].id);
        for (const ServerBox& server : scene.layout().servers)
            QCOMPARE(scene.idOf(scene.itemAt(server.box.topLeft() + QPointF(5, 5), 0)), server.name);
        QVERIFY(!scene.itemAt(scene.layout().bounds.topLeft() + QPointF(1, 1), 5));
    }

    void zoomingKeepsTheScenePointUnderTheCursor() {
        Viewport viewport;
        viewport.fit(QRectF(-50, 20, 900, 700), QRectF(0, 0, 640, 480), 1);
        const QPointF cursor(201, 77);
        const QPointF before = viewport.toScene(cursor);
        for (const double factor : {1.25, 1.25, 0.3, 9.0, 1e6, 1e-9}) {
            viewport.zoomAt(cursor, factor);
            QVERIFY((viewport.toScene(cursor) - before).manhattanLength() < 1e-6);
        }
    }

    void fittingShowsAllOfTheScene() {
        Viewport viewport;
        const QRectF scene(-50, 20, 900, 100);
        const QRectF screen(0, 0, 640, 480);
        viewport.fit(scene, screen, 5);
        QVERIFY(screen.adjusted(-1, -1, 1, 1).contains(viewport.toScreen(scene)));
        QCOMPARE(viewport.toScreen(scene).width(), 640.0);
    }
};

STAGECRAFT_TEST_NEEDING(events, TopologyLayoutTest)
#include "topology_layout_test.moc"
