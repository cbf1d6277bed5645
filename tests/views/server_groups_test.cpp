// Large clusters are drawn as boxes that represent many servers.
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/large_cluster.h"
#include "tests/views/view_tests.h"
#include "views/topology/cluster_editor.h"
#include "views/topology/cluster_figure.h"
#include "views/topology/cluster_finder.h"
#include "views/topology/link_tracks.h"
#include "views/topology/node_walk.h"
#include "views/topology/scene_folding.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

#include <QLineEdit>
#include <QTest>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

using namespace stagecraft;

namespace {

int groupsOf(const TopologyLayout& layout) {
    return static_cast<int>(std::count_if(layout.servers.begin(), layout.servers.end(),
                                          [](const ServerBox& server) { return server.isGroup(); }));
}

int firstGroup(const TopologyLayout& layout) {
    for (std::size_t i = 0; i < layout.servers.size(); ++i)
        if (layout.servers[i].isGroup()) return static_cast<int>(i);
    return -1;
}

/// What is wrong with a folded picture; empty: nothing.
QString foldComplaint(const TopologyScene& scene) {
    const TopologyLayout& layout = scene.layout();
    std::vector<int> shown(layout.devices.size());
    std::vector<QRectF> boxes;
    for (std::size_t i = 0; i < layout.servers.size(); ++i) {
        const ServerBox& server = layout.servers[i];
        if (server.foldedInto >= 0) {
            if (!server.box.isEmpty()) return "a folded server has a box";
            continue;
        }
        if (server.box.isEmpty()) return "a drawn server has no box";
        boxes.push_back(server.box);
        std::size_t devices = 0;
        for (const int member : server.members) {
            const ServerBox& own = layout.servers[static_cast<std::size_t>(member)];
            if (own.foldedInto != static_cast<int>(i)) return "a member is folded elsewhere";
            devices += own.devices.size();
        }
        if (server.isGroup() && devices != server.devices.size())
            return "a group has other GPUs than its servers";
        for (const int device : server.devices) ++shown[static_cast<std::size_t>(device)];
        for (const int device : server.devices)
            if (server.isGroup() != layout.devices[static_cast<std::size_t>(device)].isEmpty())
                return "a GPU is drawn in a group, or not drawn in a server";
    }
    if (std::any_of(shown.begin(), shown.end(), [](int times) { return times != 1; }))
        return "a GPU is not shown exactly once";
    for (std::size_t i = 0; i < layout.switches.size(); ++i)
        if (layout.serverOfSwitch[i] < 0 && layout.isDrawn(static_cast<int>(i)))
            boxes.push_back(layout.switches[i]);
    for (std::size_t a = 0; a < boxes.size(); ++a)
        for (std::size_t b = a + 1; b < boxes.size(); ++b)
            if (boxes[a].intersects(boxes[b])) return "two boxes overlap";
    return {};
}

/// Links drawn as lines and those said of boxes for many, each once.
std::size_t linksShown(const TopologyScene& scene) {
    const TopologyLinks& links = scene.links();
    std::size_t count = links.inner.size();
    for (const LinkBundle& bundle : links.bundles) count += bundle.summary.links.size();
    for (const LinkSummary& among : links.among) count += among.links.size();
    for (const LinkSummary& among : links.amongStack) count += among.links.size();
    for (const LinkHub& hub : links.hubs) count += hub.summary.links.size();
    for (const LinkSummary& undrawn : links.undrawn) count += undrawn.links.size();
    for (const ClusterGraph::Edge& edge : scene.graph().edges)
        count +=
            scene.layout().isHidden(edge.a) && scene.layout().server(edge.a) == scene.layout().server(edge.b);
    return count;
}

Cluster fatTree(int servers = 128) {
    return clusterFrom("fat-tree", {"servers=" + std::to_string(servers), "gpus_per_server=8",
                                    "servers_per_leaf=8", "spines=4", "inside=nvswitch"});
}

struct FoldDesk {
    explicit FoldDesk(const Cluster& cluster) {
        view.resize(1280, 800);
        view.makeEditable();
        view.setCluster(cluster);
        QObject::connect(&view, &TopologyView::clusterEdited, &view,
                         [this](const Cluster& after) { view.updateCluster(after); });
        QObject::connect(&view, &TopologyView::said, &view, [this](const QString& text) { said << text; });
        view.show();
        canvas.setFocus();
    }
    const TopologyLayout& layout() const { return view.scene().layout(); }
    QRectF boxOf(int server) const { return layout().servers[static_cast<std::size_t>(server)].box; }
    void click(QPointF scenePoint, Qt::KeyboardModifiers keys = {}) {
        const QPoint at = canvas.viewport().toScreen(scenePoint).toPoint();
        QTest::mouseMove(&canvas, at);
        QTest::mouseClick(&canvas, Qt::LeftButton, keys, at);
    }
    int open() const {
        const std::vector<int>& open = layout().servers[static_cast<std::size_t>(firstGroup(layout()))].open;
        return open.size() == 1 ? open.front() : -1;
    }

    TopologyView view;
    TopologyCanvas& canvas = *view.canvas();
    QStringList said;
};

}  // namespace

class ServerGroupsTest : public QObject {
    Q_OBJECT

private slots:
    void everyGpuOfARandomLargeClusterIsInOneBox() {
        int folded = 0;
        for (unsigned seed = 0; seed < 30; ++seed) {
            std::mt19937 random(seed);
            const Cluster cluster = largeCluster(random);
            const TopologyScene scene(cluster, nullptr);
            QVERIFY2(foldComplaint(scene).isEmpty(),
                     qPrintable(QString("seed %1: %2").arg(seed).arg(foldComplaint(scene))));
            QCOMPARE(linksShown(scene), cluster.links.size());
            folded += groupsOf(scene.layout());
            // All that are in one box have as many GPUs of the same type, and the same links.
            for (const ServerBox& group : scene.layout().servers)
                for (const int member : group.members) {
                    const auto typeOf = [&](int server) {
                        std::multiset<std::string> types;
                        for (const int device :
                             scene.layout().servers[static_cast<std::size_t>(server)].devices)
                            types.insert(cluster.devices[static_cast<std::size_t>(device)].gpu);
                        return types;
                    };
                    QVERIFY(typeOf(member) == typeOf(group.members.front()));
                }
        }
        QVERIFY(folded > 30);
    }

    void anOpenServerHasAllItsPartsAndFoldingGivesTheSamePicture() {
        for (unsigned seed = 0; seed < 10; ++seed) {
            std::mt19937 random(seed);
            const TopologyScene before(largeCluster(random), nullptr);
            for (std::size_t i = 0; i < before.layout().servers.size(); ++i) {
                if (!before.layout().servers[i].isGroup()) continue;
                const FoldChoice choice =
                    *SceneFolding(before).of(before.serverSelection(static_cast<int>(i)));
                const TopologyScene open(before.cluster(), nullptr, {}, choice);
                QVERIFY2(foldComplaint(open).isEmpty(), qPrintable(foldComplaint(open)));
                QCOMPARE(linksShown(open), before.cluster().links.size());
                const int server = before.layout().servers[i].members.front();
                const ServerBox& box = open.layout().servers[static_cast<std::size_t>(server)];
                QVERIFY(box.besideGroup >= 0);
                for (const int device : box.devices)
                    QVERIFY(box.box.contains(open.layout().devices[static_cast<std::size_t>(device)]));
                for (const int index : box.switches)
                    QVERIFY(box.box.contains(open.layout().switches[static_cast<std::size_t>(index)]));
                const TopologyScene again(before.cluster(), nullptr, {},
                                          *SceneFolding(open).of(open.serverSelection(server)));
                QVERIFY(again.folding() == before.folding());
                for (std::size_t j = 0; j < before.layout().servers.size(); ++j)
                    QCOMPARE(again.layout().servers[j].box, before.layout().servers[j].box);
                QVERIFY(again.layout().switches == before.layout().switches);
            }
        }
    }

    void smallClustersAreDrawnInFull() {
        QVERIFY(!hasFolds(TopologyScene(fatTree(96), nullptr).layout()));
        QVERIFY(hasFolds(TopologyScene(fatTree(104), nullptr).layout()));
        QVERIFY(!hasFolds(TopologyScene(fatTree(104), nullptr, {}, {.folds = false}).layout()));
    }

    void leavesAreOneBoxAndAnOddOneIsNot() {
        const TopologyScene scene(fatTree(128 + 3), nullptr);
        const TopologyLayout& layout = scene.layout();
        QStringList names;
        for (std::size_t i = 0; i < layout.switches.size(); ++i)
            if (layout.serverOfSwitch[i] < 0 && layout.isDrawn(static_cast<int>(i)))
                names << scene.names().ofStack(layout, static_cast<int>(i));
        QVERIFY2(names.contains(QString::fromUtf8("16 × leaf")), qPrintable(names.join(", ")));
        QVERIFY(names.contains("leaf16"));
        QCOMPARE(groupsOf(layout), 1);  // the three on the odd leaf are drawn each
        QCOMPARE(layout.servers[static_cast<std::size_t>(firstGroup(layout))].members.size(),
                 std::size_t(128));
        QCOMPARE(foldedInWords(layout), QStringLiteral("folded: 128 servers in 1 box, 16 switches in 1 box"));
        const auto line = std::find_if(scene.links().bundles.begin(), scene.links().bundles.end(),
                                       [&](const LinkBundle& each) { return each.a == firstGroup(layout); });
        QVERIFY(line != scene.links().bundles.end());
        QVERIFY2(line->text().startsWith(QString::fromUtf8("128 × ")), qPrintable(line->text()));
    }

    void aServerWithAPlaceOfItsOwnIsDrawnByItself() {
        Cluster cluster = fatTree();
        cluster.layout["s5g0"] = {100, 200};
        QCOMPARE(cluster.devices[40].id, std::string("s5g0"));
        const TopologyScene scene(cluster, nullptr);
        QCOMPARE(scene.layout().servers[5].foldedInto, -1);
        QCOMPARE(scene.layout().devices[40].center(), QPointF(100, 200));
        QVERIFY(foldComplaint(scene).isEmpty());
    }

    void aClickOpensOneServerAndAnotherFoldsIt() {
        FoldDesk desk(fatTree());
        const int group = firstGroup(desk.layout());
        const std::vector<ServerBox> before = desk.layout().servers;
        desk.click(desk.boxOf(group).center());
        QCOMPARE(desk.open(), 0);
        QCOMPARE(desk.view.selection(), desk.view.scene().serverSelection(0));
        QVERIFY(!desk.boxOf(0).intersects(desk.boxOf(firstGroup(desk.layout()))));
        QCOMPARE(groupWords(desk.view.scene().cluster(), desk.layout(), firstGroup(desk.layout())).title,
                 QString::fromUtf8("×127 more"));
        // A click on a GPU of the open one selects it.
        desk.click(desk.layout().devices[3].center());
        QCOMPARE(desk.view.selectedDevice(), 3);
        desk.click(desk.layout().servers[0].close.center());
        QCOMPARE(desk.open(), -1);
        QCOMPARE(desk.boxOf(group), before[static_cast<std::size_t>(group)].box);
        // Folded again it is all of them that is selected, which Enter opens.
        QCOMPARE(desk.view.selection().devices.size(), std::size_t(128 * 8));
        QTest::keyClick(&desk.canvas, Qt::Key_Return);
        QCOMPARE(desk.open(), 0);
    }

    void aClickOnManySwitchesShowsOne() {
        FoldDesk desk(fatTree());
        const auto stack = std::find_if(desk.layout().stacks.begin(), desk.layout().stacks.end(),
                                        [&](const SwitchStack& s) { return desk.layout().isNetworkFold(s); });
        QVERIFY(stack != desk.layout().stacks.end());
        const int first = stack->members.front();
        desk.click(desk.layout().switches[static_cast<std::size_t>(first)].center());
        QCOMPARE(desk.layout().stackOf[static_cast<std::size_t>(first)], -1);
        QCOMPARE(desk.view.selection(), (ClusterSelection{{}, {first}, {}}));
        QVERIFY(foldComplaint(desk.view.scene()).isEmpty());
    }

    void withCtrlOrABandABoxIsSelectedAsAWhole() {
        FoldDesk desk(fatTree());
        const int group = firstGroup(desk.layout());
        desk.click(desk.boxOf(group).center(), Qt::ControlModifier);
        QCOMPARE(desk.open(), -1);
        QCOMPARE(desk.view.selection(), desk.view.scene().serverSelection(group));
        QCOMPARE(desk.view.editor()->selectionName(), QStringLiteral("128 servers"));
        QVERIFY(desk.view.scene().partIn(desk.boxOf(group)).devices.size() == 128 * 8);
    }

    void whatIsFoldedIsNotMovedInSilence() {
        FoldDesk desk(fatTree());
        desk.view.setSelection(desk.view.scene().serverSelection(firstGroup(desk.layout())));
        desk.view.editor()->move({50, 50});
        QVERIFY(desk.view.scene().cluster().layout.empty());
        QCOMPARE(desk.said.size(), 1);
        QVERIFY(desk.said.front().contains("folded"));
        // A spine is drawn by itself and goes where it is put, alone.
        const int spine = static_cast<int>(desk.view.scene().cluster().switches.size()) - 1;
        const QPointF from = desk.layout().switches[static_cast<std::size_t>(spine)].center();
        desk.view.setSelection({{}, {spine}, {}});
        desk.view.editor()->move({0, -300});
        QCOMPARE(desk.view.scene().cluster().layout.size(), std::size_t(1));
        QCOMPARE(desk.layout().switches[static_cast<std::size_t>(spine)].center(), from + QPointF(0, -300));
    }

    void findingAGpuInABoxOpensItsServer() {
        FoldDesk desk(fatTree());
        desk.view.find();
        auto* popup = desk.view.findChild<QWidget*>(QStringLiteral("findPopup"));
        QVERIFY(popup);
        auto* line = popup->findChild<QLineEdit*>();
        QTest::keyClicks(line, "s77g5");
        QTest::keyClick(line, Qt::Key_Return);
        QCOMPARE(desk.open(), 77);
        QCOMPARE(desk.view.selectedDevice(), 77 * 8 + 5);
        QVERIFY(!desk.layout().devices[77 * 8 + 5].isEmpty());
        // Another one takes its place; a whole box is found by what is in it.
        desk.view.showSelection({{9 * 8}, {}, {}});
        QCOMPARE(desk.open(), 9);
        const ClusterFinder finder(desk.view.scene());
        const auto found = finder.find(QString::fromUtf8("×127"));
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(finder.partOf(found[0].index).devices.size(), std::size_t(127 * 8));
    }

    void keysWalkOverABoxAsOneThing() {
        FoldDesk desk(fatTree());
        QTest::keyClick(&desk.canvas, Qt::Key_Tab);
        QCOMPARE(desk.view.selection(), desk.view.scene().serverSelection(firstGroup(desk.layout())));
        QTest::keyClick(&desk.canvas, Qt::Key_Tab);  // the leaves
        QCOMPARE(desk.view.selection().switches.size(), std::size_t(16));
        QVERIFY(desk.view.selection().devices.empty());
    }

    void hoverAndTheNoteSayWhatIsFolded() {
        const TopologyScene scene(fatTree(), nullptr);
        const QString text = describeItem(scene, {TopologyItem::Kind::server, firstGroup(scene.layout())});
        for (const char* words : {"128 servers alike", "1,024 GPUs", "s0 … s127", "a click shows one"})
            QVERIFY2(text.contains(QString::fromUtf8(words)), qPrintable(text));
        FoldDesk desk(fatTree());
        QVERIFY(desk.canvas.note().text().contains("folded: 128 servers in 1 box"));
    }

    void aBoxShowsTheStagesOfItsGpusByTheirShares() {
        const Cluster cluster = fatTree();
        PlanRun planned;
        Stage first{0, 3, {}}, second{4, 7, {}};
        for (int device = 0; device < 256; ++device) first.devices.push_back(device);
        for (int device = 256; device < 1000; ++device) second.devices.push_back(device);
        planned.result.plan.stages = {first, second};
        const auto run = std::make_shared<const PlanRun>(planned);
        FoldChoice open;
        open.open.insert("s0");  // its eight GPUs show their stage themselves
        const TopologyScene scene(cluster, run, {}, open);
        const std::vector<StageShare> shares = stageShares(scene, firstGroup(scene.layout()));
        const int expected[][2] = {{0, 248}, {1, 744}, {-1, 24}};
        QCOMPARE(shares.size(), std::size_t(3));
        for (std::size_t i = 0; i < 3; ++i) {
            QCOMPARE(shares[i].stage, expected[i][0]);
            QCOMPARE(shares[i].devices, expected[i][1]);
        }
        const QString text = describeItem(scene, {TopologyItem::Kind::server, firstGroup(scene.layout())});
        QVERIFY2(text.contains("stage 1 on 744 GPUs") && text.contains("24 idle"), qPrintable(text));
        double widths[2] = {};
        const Figure figure = clusterFigure(cluster, run, {.legend = false, .folding = {}});
        for (const FigureItem& item : figure.items)
            if (const auto* band = std::get_if<FigureRectangle>(&item);
                band && band->role.starts_with("stage"))
                widths[band->role == "stage1"] += band->rect.width();
        QVERIFY(std::abs(widths[1] / widths[0] - 744.0 / 256) < 1e-6);
    }

    void linksOfWhatIsFoldedEndAtItsBox() {
        const TopologyScene scene(fatTree(), nullptr);
        const LinkTracks tracks(scene);
        const QRectF box = scene.layout().bounds;
        for (std::size_t link = 0; link < scene.cluster().links.size(); link += 37)
            for (const QPolygonF& piece : tracks.piecesOf(static_cast<int>(link)))
                for (const QPointF& point : piece) QVERIFY(box.adjusted(-1, -1, 1, 1).contains(point));
    }

    void figuresShowTheFoldedPictureAndSayTheCounts() {
        const Cluster cluster = fatTree();
        for (const double width : {84.0, 178.0}) {
            const Figure figure = clusterFigure(cluster, nullptr, {.widthMm = width});
            const auto texts = textsOf(figure);
            // A long line goes on in the next after a comma.
            const QString all = QStringList(texts.begin(), texts.end())
                                    .join('\n')
                                    .replace(QLatin1String(",\n"), QLatin1String(", "));
            for (const char* words : {"×128 servers", "8 × V100-SXM2-16GB", "s0 … s127", "16 × leaf",
                                      "128 × ", "folded: 128 servers in 1 box, 16 switches in 1 box"})
                QVERIFY2(all.contains(QString::fromUtf8(words)), qPrintable(all));
            int devices = 0;
            for (const FigureItem& item : figure.items)
                if (const auto* rectangle = std::get_if<FigureRectangle>(&item)) {
                    devices += rectangle->role == "device";
                    QVERIFY(rectangle->rect.left() >= -0.01 && rectangle->rect.right() <= width + 0.01);
                    QVERIFY(rectangle->rect.top() >= -0.01 &&
                            rectangle->rect.bottom() <= figure.heightMm + 0.01);
                }
            QCOMPARE(devices, 0);
        }
        FoldChoice open;
        open.open.insert("s3");
        const Figure figure = clusterFigure(cluster, nullptr, {.widthMm = 178, .folding = open});
        const auto texts = textsOf(figure);
        QVERIFY(std::count(texts.begin(), texts.end(), QString::fromUtf8("×127 more")) == 1);
        QVERIFY(std::count(texts.begin(), texts.end(), QStringLiteral("GPU 7")) == 1);
    }
};

STAGECRAFT_TEST(ServerGroupsTest)
#include "server_groups_test.moc"
