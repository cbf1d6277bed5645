// Every picture of a cluster: no line behind a box, nothing over something else, few crossings.
#include "core/generation/template_catalogue.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/topology_files.h"
#include "tests/views/view_tests.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_painter.h"
#include "views/topology/topology_scene.h"

#include <QTest>

#include <random>

using namespace stagecraft;

namespace {

struct Line {
    QPolygonF route;
    int server = -1;
};

std::vector<QRectF> boxesOf(const TopologyScene& scene, int server) {
    std::vector<QRectF> boxes;
    const ServerBox& box = scene.layout().servers[static_cast<std::size_t>(server)];
    for (const int device : box.devices)
        boxes.push_back(scene.layout().devices[static_cast<std::size_t>(device)]);
    for (const int index : box.switches)
        if (scene.layout().isDrawn(index))
            boxes.push_back(scene.layout().switches[static_cast<std::size_t>(index)]);
    return boxes;
}

/// The lines inside each server.
std::vector<std::vector<QPolygonF>> linesOf(const TopologyScene& scene) {
    std::vector<std::vector<QPolygonF>> lines(scene.layout().servers.size());
    for (const InnerLink& inner : scene.links().inner) {
        const Link& link = scene.cluster().links[static_cast<std::size_t>(inner.link)];
        if (link.a == link.b) continue;
        const ClusterNode end = scene.graph().nodes.at(link.a);
        lines[static_cast<std::size_t>(scene.layout().server(end))].push_back(inner.route);
    }
    for (const LinkBundle& bundle : scene.links().bundles)
        for (const QPolygonF& exit : bundle.exits) lines[static_cast<std::size_t>(bundle.a)].push_back(exit);
    for (std::size_t i = 0; i < lines.size(); ++i)
        for (const DirectHub& hub : scene.layout().servers[i].hubs)
            lines[i].insert(lines[i].end(), hub.routes.begin(), hub.routes.end());
    return lines;
}

/// Whether a line goes through a box that it does not end at.
bool goesBehind(const QPolygonF& line, const QRectF& box) {
    const QRectF reach = box.adjusted(-0.6, -0.6, 0.6, 0.6);
    if (reach.contains(line.front()) || reach.contains(line.back())) return false;
    const QRectF inner = box.adjusted(1, 1, -1, -1);
    for (qsizetype i = 1; i < line.size(); ++i)
        if (QRectF(line[i - 1], line[i]).normalized().adjusted(-0.01, -0.01, 0.01, 0.01).intersects(inner))
            return true;
    return false;
}

QString pointsOf(const QPolygonF& line) {
    QStringList points;
    for (const QPointF& point : line) points << QString("(%1, %2)").arg(point.x()).arg(point.y());
    return points.join(' ');
}

bool areUpright(const QPolygonF& line) {
    for (qsizetype i = 1; i < line.size(); ++i)
        if (std::abs(line[i].x() - line[i - 1].x()) > 0.6 && std::abs(line[i].y() - line[i - 1].y()) > 0.6)
            return false;
    return true;
}

int crossings(const std::vector<QPolygonF>& lines) {
    struct Piece {
        std::size_t line;
        double at, from, to;
    };
    std::vector<Piece> level, upright;
    for (std::size_t i = 0; i < lines.size(); ++i)
        for (qsizetype k = 1; k < lines[i].size(); ++k) {
            const QPointF a = lines[i][k - 1], b = lines[i][k];
            if (std::abs(a.y() - b.y()) < 0.6)
                level.push_back({i, a.y(), std::min(a.x(), b.x()), std::max(a.x(), b.x())});
            else
                upright.push_back({i, a.x(), std::min(a.y(), b.y()), std::max(a.y(), b.y())});
        }
    int count = 0;
    for (const Piece& h : level)
        for (const Piece& v : upright)
            count += h.line != v.line && v.at > h.from + 1 && v.at < h.to - 1 && h.at > v.from + 1 &&
                     h.at < v.to - 1;
    return count;
}

/// What is wrong with a server's titles: something over them, or a line through them.
QString mistakeInTitles(const ServerBox& server, const std::vector<QRectF>& boxes,
                        const std::vector<QPolygonF>& lines) {
    std::vector<QRectF> titles = {server.title()};
    for (const auto& [socket, frame] : server.frames) titles.push_back(ServerBox::titleOf(frame));
    for (std::size_t a = 0; a < titles.size(); ++a) {
        if (!server.box.contains(titles[a])) return QString("title %1 is outside its server").arg(a);
        for (std::size_t b = a + 1; b < titles.size(); ++b)
            if (titles[a].intersects(titles[b])) return QString("titles %1 and %2 overlap").arg(a).arg(b);
        for (const QRectF& box : boxes)
            if (titles[a].intersects(box)) return QString("title %1 is over a box").arg(a);
        for (const QPolygonF& line : lines)
            for (qsizetype i = 1; i < line.size(); ++i)
                if (QRectF(line[i - 1], line[i])
                        .normalized()
                        .adjusted(-0.1, -0.1, 0.1, 0.1)
                        .intersects(titles[a]))
                    return QString("a line goes through title %1: %2").arg(a).arg(pointsOf(line));
    }
    return {};
}

/// What is wrong with the lines between servers and the switches of the network.
QString mistakeInNetwork(const TopologyScene& scene) {
    const TopologyLayout& layout = scene.layout();
    for (const LinkBundle& bundle : scene.links().bundles) {
        if (bundle.mesh >= 0 || bundle.route.isEmpty()) continue;
        if (!areUpright(bundle.route)) return "a line of the network is askew: " + pointsOf(bundle.route);
        for (std::size_t i = 0; i < layout.servers.size(); ++i)
            if (static_cast<int>(i) != bundle.a && static_cast<int>(i) != bundle.b &&
                goesBehind(bundle.route, layout.servers[i].box))
                return QString("a line of the network goes behind server %1").arg(i);
        for (std::size_t i = 0; i < layout.switches.size(); ++i) {
            const bool isEnd = bundleEnd(layout, bundle.a) == layout.switches[i] ||
                               bundleEnd(layout, bundle.b) == layout.switches[i];
            if (layout.serverOfSwitch[i] < 0 && !isEnd && goesBehind(bundle.route, layout.switches[i]))
                return QString("a line of the network goes behind switch %1: %2")
                    .arg(QString::fromStdString(scene.cluster().switches[i].id), pointsOf(bundle.route));
        }
    }
    return {};
}

struct Stretch {
    int end = 0;  ///< the switch, or another number for each line between servers
    bool upright = false;
    double at = 0, low = 0, high = 0;
};

std::vector<Stretch> stretchesOf(const TopologyScene& scene) {
    std::vector<Stretch> all;
    const int servers = static_cast<int>(scene.layout().servers.size());
    int next = -1;
    for (const LinkBundle& bundle : scene.links().bundles) {
        if (bundle.mesh >= 0) continue;
        // Lines to the same switch may be one with branches; of two switches it is the upper one.
        const QRectF &a = bundleEnd(scene.layout(), bundle.a), &b = bundleEnd(scene.layout(), bundle.b);
        const int end = bundle.betweenServers ? next--
                        : bundle.a < servers  ? bundle.b
                        : a.top() < b.top()   ? bundle.a
                        : b.top() < a.top()   ? bundle.b
                                              : next--;
        for (qsizetype i = 1; i < bundle.route.size(); ++i) {
            const QPointF from = bundle.route[i - 1], to = bundle.route[i];
            const bool upright = std::abs(from.x() - to.x()) < 0.01;
            const auto [low, high] =
                upright ? std::minmax({from.y(), to.y()}) : std::minmax({from.x(), to.x()});
            all.push_back({end, upright, upright ? from.x() : from.y(), low, high});
        }
    }
    return all;
}

/// How many pairs of lines to different switches lie upon each other and cannot be told apart.
int linesUponEachOther(const TopologyScene& scene) {
    constexpr double apart = 1.5, shortest = 12;
    const std::vector<Stretch> all = stretchesOf(scene);
    int count = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            count += all[i].end != all[k].end && all[i].upright == all[k].upright &&
                     std::abs(all[i].at - all[k].at) < apart &&
                     std::min(all[i].high, all[k].high) - std::max(all[i].low, all[k].low) > shortest;
    return count;
}

/// Empty, or the first thing that is wrong with the picture of a cluster.
QString mistakeIn(const Cluster& cluster, const std::set<std::string>& open = {}) {
    const TopologyScene scene(cluster, nullptr, open);
    const auto lines = linesOf(scene);
    for (std::size_t server = 0; server < lines.size(); ++server) {
        const ServerBox& own = scene.layout().servers[server];
        const std::vector<QRectF> boxes = boxesOf(scene, static_cast<int>(server));
        for (std::size_t a = 0; a < boxes.size(); ++a) {
            if (!own.box.contains(boxes[a])) return QString("box %1 is outside its server").arg(a);
            for (std::size_t b = a + 1; b < boxes.size(); ++b)
                if (boxes[a].adjusted(0.1, 0.1, -0.1, -0.1).intersects(boxes[b]))
                    return QString("boxes %1 and %2 of server %3 overlap").arg(a).arg(b).arg(server);
        }
        std::vector<QRectF> labels;
        for (const DirectLine& line : own.direct)
            if (!line.label.isEmpty()) labels.push_back(line.label);
        for (const DirectHub& hub : own.hubs) labels.push_back(hub.label);
        for (std::size_t a = 0; a < labels.size(); ++a) {
            for (std::size_t b = a + 1; b < labels.size(); ++b)
                if (labels[a].intersects(labels[b])) return QString("labels %1 and %2 overlap").arg(a).arg(b);
            for (const QRectF& box : boxes)
                if (labels[a].intersects(box)) return QString("label %1 is over a box").arg(a);
        }
        for (const QPolygonF& line : lines[server]) {
            if (!areUpright(line)) return QString("a line of server %1 is askew").arg(server);
            for (std::size_t b = 0; b < boxes.size(); ++b)
                if (goesBehind(line, boxes[b]))
                    return QString("a line of server %1 goes behind box %2: %3")
                        .arg(server)
                        .arg(b)
                        .arg(pointsOf(line));
        }
        if (const QString title = mistakeInTitles(own, boxes, lines[server]); !title.isEmpty())
            return QString("server %1: %2").arg(server).arg(title);
        // A link may cross each of the others twice, and on the average far fewer.
        const double most = 6.0 * static_cast<double>(lines[server].size()) + 12;
        const int found = crossings(lines[server]);
        if (lines[server].size() <= 300 && found > most)
            return QString("%1 crossings of %2 lines").arg(found).arg(lines[server].size());
    }
    return mistakeInNetwork(scene);
}

/// Any machine: sockets with PCIe switches, or one of them alone; network cards; a ring, a mesh or a switch
/// between its GPUs.
void addMachine(Cluster& cluster, const std::string& server, int gpus, std::mt19937& random) {
    const auto upTo = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
    const auto join = [&](const std::string& a, const std::string& b, const char* kind) {
        cluster.links.push_back({a, b, 1e10 * (1 + upTo(3)), 0, kind, ""});
    };
    const int sockets = upTo(3), hubs = upTo(std::min(8, gpus)), cards = upTo(2) ? upTo(4) : upTo(12);
    std::vector<std::string> parents;
    for (int i = 0; i < sockets; ++i) {
        cluster.switches.push_back({server + "cpu" + std::to_string(i), server});
        parents.push_back(server + "cpu" + std::to_string(i));
        if (i) join(parents[0], parents.back(), "socket");
    }
    for (int i = 0; i < hubs; ++i) {
        const std::string id = server + "pci" + std::to_string(i);
        cluster.switches.push_back({id, server});
        if (!parents.empty())
            join(id, parents[static_cast<std::size_t>(upTo(static_cast<int>(parents.size()) - 1))], "pcie");
        parents.push_back(id);
    }
    std::vector<std::string> ids;
    for (int i = 0; i < gpus; ++i) {
        ids.push_back(server + "g" + std::to_string(i));
        cluster.devices.push_back({ids.back(), server, "A100", 8e10, 1, 0});
        if (!parents.empty())
            join(ids.back(), parents[static_cast<std::size_t>(i * static_cast<int>(parents.size()) / gpus)],
                 "pcie");
    }
    for (int i = 0; i < cards && !parents.empty(); ++i) {
        const std::string id = server + "nic" + std::to_string(i);
        cluster.switches.push_back({id, server});
        cluster.links.push_back(
            {id, parents[static_cast<std::size_t>(i) % parents.size()], 2.5e10, 0, "pcie", ""});
        if (upTo(3)) cluster.links.push_back({id, "rail" + std::to_string(i % 4), 2.5e10, 0, "ethernet", ""});
    }
    const int shape = upTo(3);
    if (shape == 1) {
        cluster.switches.push_back({server + "nvswitch", server});
        for (const std::string& id : ids) join(id, server + "nvswitch", "nvlink");
    }
    for (std::size_t a = 0; shape >= 2 && a < ids.size() && ids.size() <= 16; ++a)
        for (std::size_t b = a + 1; b < ids.size(); ++b)
            if (shape == 2 || b == a + 1 || (a == 0 && b + 1 == ids.size())) join(ids[a], ids[b], "nvlink");
}

}  // namespace

class MachineLayoutTest : public QObject {
    Q_OBJECT
private slots:
    void everyTopologyFile() {
        const auto clusters = filesOfTopologies();
        if (clusters.empty()) QSKIP("needs the files of topologies");
        for (const auto& [name, cluster] : clusters) {
            const QString mistake = mistakeIn(cluster), opened = mistakeIn(cluster, {"s0"});
            QVERIFY2(mistake.isEmpty(), qPrintable(QString::fromStdString(name) + ": " + mistake));
            QVERIFY2(opened.isEmpty(), qPrintable(QString::fromStdString(name) + ", opened: " + opened));
        }
        QVERIFY2(clusters.size() >= 30, qPrintable(QString::number(clusters.size())));
    }

    void everyTemplate() {
        for (const ClusterTemplate& each : clusterTemplates()) {
            const QString mistake = mistakeIn(clusterFrom(each.id.c_str()));
            QVERIFY2(mistake.isEmpty(), qPrintable(QString::fromStdString(each.id) + ": " + mistake));
        }
    }

    void everyNetwork() {
        const std::pair<const char*, std::vector<std::string>> networks[] = {
            {"gb200-nvl72", {"fabric=rails"}},
            {"gb200-nvl72", {"racks=4", "fabric=fat-tree"}},
            {"dgx-h100", {"servers=8", "fabric=rails"}},
            {"dgx-a100", {"servers=16", "fabric=fat-tree"}},
            {"fat-tree", {"servers=64", "spines=6"}},
            {"dragonfly", {}},
            {"torus", {}},
            {"fat-tree", {"servers=10"}},
            {"dgx-h100", {"servers=2"}},
        };
        for (const auto& [id, settings] : networks) {
            const QString mistake = mistakeIn(clusterFrom(id, settings));
            QVERIFY2(mistake.isEmpty(), qPrintable(QString("%1: %2").arg(id, mistake)));
            const int shared = linesUponEachOther(TopologyScene(clusterFrom(id, settings), nullptr));
            QVERIFY2(shared == 0, qPrintable(QString("%1: %2 pairs of lines are one").arg(id).arg(shared)));
        }
    }

    void serversOfALeafAreInOneColumnBelowIt() {
        const TopologyScene scene(clusterFrom("fat-tree", {"servers=16"}), nullptr);
        const int servers = static_cast<int>(scene.layout().servers.size());
        for (const LinkBundle& bundle : scene.links().bundles) {
            if (bundle.a >= servers) continue;
            const int first = bundle.a / 4 * 4;
            QCOMPARE(bundleEnd(scene.layout(), bundle.a).left(), bundleEnd(scene.layout(), first).left());
        }
    }

    void boxesOfDifferentSizesFillTheirGrid() {
        const QRectF bounds = TopologyScene(clusterFrom("spp-mixed"), nullptr).layout().bounds;
        QVERIFY2(bounds.height() < bounds.width(), qPrintable(QString::number(bounds.height())));
    }

    void routersAreCalledByGroupAndNumberWhereTheirIdsHaveNoRoom() {
        QCOMPARE(NodeNames::wordings("group0router1"), QStringList({"group0router1", "g0r1", "1"}));
        QCOMPARE(NodeNames::wordings("GPU 3"), QStringList({"GPU 3", "3"}));
        QCOMPARE(NodeNames::wordings("leaf3"), QStringList({"leaf3", "3"}));
    }

    /// Legend and note are below the picture, in the window, and not over each other.
    void legendsAreBelowThePicture() {
        for (const ClusterTemplate& each : clusterTemplates())
            for (const QSize size : {QSize(480, 360), QSize(1280, 800)}) {
                TopologyCanvas canvas;
                canvas.resize(size);
                canvas.setScene(std::make_shared<TopologyScene>(clusterFrom(each.id.c_str()), nullptr));
                const QRect legend = canvas.linkLegend().box(), note = canvas.note().box();
                const QByteArray what = QByteArray::fromStdString(each.id);
                QRectF picture = canvas.scene().layout().bounds;
                for (const LinkBundle& bundle : canvas.scene().links().bundles)
                    picture |= bundle.route.boundingRect();
                picture = canvas.viewport().toScreen(picture);
                QVERIFY2(!legend.isEmpty() && canvas.rect().contains(legend), what);
                QVERIFY2(picture.bottom() <= legend.top(), what);
                QVERIFY2(note.isEmpty() || (canvas.rect().contains(note) && note.top() >= legend.bottom()),
                         what);
            }
    }

    void legendAndNoteAreBesideTheOverview() {
        for (const char* id : {"dgx-h100", "spp"}) {
            TopologyCanvas canvas;
            canvas.resize(500, 480);
            canvas.setScene(std::make_shared<TopologyScene>(clusterFrom(id), nullptr));
            Viewport near = canvas.viewport();
            near.zoomAt(QPointF(250, 240), 3);
            canvas.setViewport(near);
            const QRect overview = canvas.overviewRect().toAlignedRect();
            QVERIFY(!overview.isEmpty());
            QVERIFY2(!canvas.linkLegend().box().intersects(overview), id);
            QVERIFY2(!canvas.note().box().intersects(overview), id);
            canvas.fit();
            QVERIFY(canvas.overviewRect().isEmpty());
        }
    }

    void namesOfServersAreOverNoBoxFromAfar() {
        for (const ClusterTemplate& each : clusterTemplates()) {
            const TopologyScene scene(clusterFrom(each.id.c_str()), nullptr);
            Viewport viewport;
            viewport.fit(scene.layout().bounds, QRectF(14, 14, 972, 572), 1.5);
            QImage picture(1000, 600, QImage::Format_RGB32);
            QPainter painter(&picture);
            const TopologyPainter names(painter, scene, viewport, QRectF(0, 0, 1000, 600), QFont());
            const std::vector<ServerLabel> labels = names.serverLabels();
            for (std::size_t i = 0; i < labels.size(); ++i) {
                for (std::size_t k = 0; k < i; ++k)
                    QVERIFY2(!labels[i].rect.intersects(labels[k].rect), each.id.c_str());
                // Smaller than that nothing on a server can be read but its name.
                if (viewport.scale * tileSize.height() < 12) continue;
                for (std::size_t index = 0; index < scene.layout().switches.size(); ++index)
                    QVERIFY2(!labels[i].rect.intersects(viewport.toScreen(scene.layout().switches[index])),
                             qPrintable(QString::fromStdString(each.id) + ", " + labels[i].name));
            }
        }
    }

    void aRackIsTraysOnBothSidesOfOneBar() {
        const TopologyScene scene(clusterFrom("gb200-nvl72"), nullptr);
        const int rack = static_cast<int>(scene.cluster().switches.size()) - 1;
        const QRectF& bar = scene.layout().switches[static_cast<std::size_t>(rack)];
        int onLeft = 0;
        for (const ServerBox& tray : scene.layout().servers) {
            QVERIFY(tray.box.top() > bar.top() && tray.box.bottom() < bar.bottom());
            onLeft += tray.box.right() < bar.left();
        }
        QCOMPARE(onLeft, 9);
        std::vector<QPolygonF> nvlinks;
        const int end = static_cast<int>(scene.layout().servers.size()) + rack;
        for (const LinkBundle& bundle : scene.links().bundles) {
            if (bundle.b != end) continue;
            QCOMPARE(bundle.exits.size(), 4u);
            QVERIFY(bundle.route.back().x() == bar.left() || bundle.route.back().x() == bar.right());
            nvlinks.push_back(bundle.route);
        }
        QCOMPARE(nvlinks.size(), 18u);
        QCOMPARE(crossings(nvlinks), 0);
        QCOMPARE(scene.names().of({ClusterNode::Kind::switchNode, rack}), QString("rack0 NVSwitch"));
    }

    /// Nine switches that join the same GPUs are one bar, with one line a tray.
    void switchesOfARackThatJoinTheSameAreOneBar() {
        Cluster cluster = clusterFrom("gb200-nvl72");
        const std::string first = cluster.switches.back().id;
        const std::vector<Link> links = cluster.links;
        for (int i = 1; i < 9; ++i) {
            const std::string id = "nvswitch" + std::to_string(i);
            cluster.switches.push_back({id, ""});
            for (Link link : links) {
                if (link.b != first) continue;
                link.b = id;
                cluster.links.push_back(link);
            }
        }
        const QString mistake = mistakeIn(cluster);
        QVERIFY2(mistake.isEmpty(), qPrintable(mistake));
        const TopologyScene scene(cluster, nullptr);
        QCOMPARE(scene.links().bundles.size(), 2u * 18u);
        const int bar = static_cast<int>(cluster.switches.size()) - 9;
        QCOMPARE(scene.names().ofStack(scene.layout(), bar), QString::fromUtf8("9 × NVSwitch"));
    }

    void randomRacks() {
        for (unsigned seed = 0; seed < 20; ++seed) {
            std::mt19937 random(seed);
            Cluster cluster;
            for (int i = 0; i < 4; ++i) cluster.switches.push_back({"rail" + std::to_string(i), ""});
            cluster.switches.push_back({"nvswitch", ""});
            const int trays = 2 + static_cast<int>(seed);
            for (int i = 0; i < trays; ++i) addMachine(cluster, "s" + std::to_string(i), 4, random);
            for (const Device& device : std::vector<Device>(cluster.devices))
                cluster.links.push_back({device.id, "nvswitch", 9e11, 0, "nvlink", ""});
            const QString mistake = mistakeIn(cluster);
            QVERIFY2(mistake.isEmpty(), qPrintable(QString("seed %1: %2").arg(seed).arg(mistake)));
        }
    }

    void randomMachines_data() {
        QTest::addColumn<int>("gpus");
        for (const int gpus : {1, 8, 16, 72}) QTest::addRow("%d GPUs a server", gpus) << gpus;
    }
    void randomMachines() {
        QFETCH(int, gpus);
        for (unsigned seed = 0; seed < 50; ++seed) {
            std::mt19937 random(seed * 73 + static_cast<unsigned>(gpus));
            Cluster cluster;
            for (int i = 0; i < 4; ++i) cluster.switches.push_back({"rail" + std::to_string(i), ""});
            const int servers = 1 + static_cast<int>(seed % 4);
            for (int i = 0; i < servers; ++i) addMachine(cluster, "s" + std::to_string(i), gpus, random);
            const QString mistake = mistakeIn(cluster);
            QVERIFY2(mistake.isEmpty(), qPrintable(QString("seed %1: %2").arg(seed).arg(mistake)));
        }
    }

    /// What was drawn is written down by any edit, and then is drawn the same.
    /// Two cards, one above the other, of which both have a line out below.
    void linesOutOfStackedCardsKeepClearOfBoxes() {
        Cluster cluster;
        for (const std::string server : {"n1", "n2"}) {
            cluster.switches.push_back({server + "cpu", server});
            for (const std::string i : {"0", "1"}) {
                cluster.devices.push_back({server + "g" + i, server, "", 16e9, 1, 0});
                cluster.links.push_back({server + "cpu", server + "g" + i, 24e9, 0, "pcie", ""});
                cluster.switches.push_back({server + "nic" + i, server});
                cluster.links.push_back({server + "cpu", server + "nic" + i, 24e9, 0, "pcie", ""});
                cluster.links.push_back(
                    {server + "nic" + i, server == "n1" ? "leaf1" : "leaf2", 50e9, 0, "infiniband", ""});
            }
        }
        cluster.switches.push_back({"leaf1", ""});
        cluster.switches.push_back({"leaf2", ""});
        cluster.links.push_back({"leaf1", "leaf2", 100e9, 0, "infiniband", ""});
        const TopologyScene scene(cluster, nullptr);
        QCOMPARE(mistakeIn(cluster), QString());
        int exits = 0;
        for (const LinkBundle& bundle : scene.links().bundles)
            for (const QPolygonF& exit : bundle.exits)
                for (const QRectF& box : boxesOf(scene, bundle.a)) {
                    ++exits;
                    if (box.adjusted(-0.6, -0.6, 0.6, 0.6).contains(exit.front())) continue;
                    QVERIFY2(!goesBehind(exit, box.adjusted(-2.9, -2.9, 2.9, 2.9)),
                             qPrintable(pointsOf(exit)));
                }
        QVERIFY(exits > 8);
    }

    void aPictureStaysWhenItsPlacesAreWrittenDown() {
        for (const char* id : {"dgx1", "nvswitch", "switched", "infinity-fabric", "gb200-nvl72"}) {
            const TopologyScene before(clusterFrom(id), nullptr);
            const TopologyScene after(before.pinned(), nullptr);
            QCOMPARE(after.layout().devices, before.layout().devices);
            QCOMPARE(after.layout().switches, before.layout().switches);
            QCOMPARE(after.links().inner.size(), before.links().inner.size());
            for (std::size_t i = 0; i < before.links().inner.size(); ++i)
                QCOMPARE(after.links().inner[i].route, before.links().inner[i].route);
        }
    }

    void socketsAreSideBySideAndEachLinkOfADgx1IsALine() {
        const TopologyScene scene(clusterFrom("dgx1"), nullptr);
        const ServerBox& server = scene.layout().servers[0];
        QCOMPARE(server.frames.size(), 2u);
        QVERIFY(server.frames[0].second.right() < server.frames[1].second.left());
        QCOMPARE(server.frames[0].second.top(), server.frames[1].second.top());
        QCOMPARE(server.direct.size(), 16u);
        for (const QRectF& gpu : scene.layout().devices)
            for (const QRectF& node : scene.layout().switches) QVERIFY(node.bottom() < gpu.top());
    }

    void anNvswitchIsABarBelowItsGpus() {
        const TopologyScene scene(clusterFrom("nvswitch"), nullptr);
        for (std::size_t i = 0; i < scene.cluster().switches.size(); ++i) {
            if (scene.layout().roles[i] != NodeRole::nvSwitch) continue;
            const QRectF& bar = scene.layout().switches[i];
            for (const QRectF& gpu : scene.layout().devices) {
                QVERIFY(bar.top() > gpu.bottom());
                QVERIFY(bar.left() <= gpu.left() && bar.right() >= gpu.right());
            }
        }
    }
};

STAGECRAFT_TEST(MachineLayoutTest)
#include "machine_layout_test.moc"
