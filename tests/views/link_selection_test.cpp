// Which links a click chooses, and that all of their lines show it.
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/view_tests.h"
#include "views/common/theme.h"
#include "views/topology/cluster_editor.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

#include <QTest>

using namespace stagecraft;

namespace {

class Window {
public:
    Window(const char* machine, const std::vector<std::string>& settings) {
        view.resize(1000, 700);
        view.makeEditable();
        view.setCluster(clusterFrom(machine, settings));
        view.show();
    }
    void lookAt(const QRectF& area) {
        Viewport viewport;
        viewport.fit(area, QRectF(canvas.rect()).adjusted(40, 40, -40, -80), 1);
        canvas.setViewport(viewport);
    }
    void click(QPointF scenePoint) {
        QTest::mouseClick(&canvas, Qt::LeftButton, {}, canvas.viewport().toScreen(scenePoint).toPoint());
    }
    /// Whether the accent is seen within a pixel or two of the point.
    bool isHighlighted(QPointF scenePoint) {
        const QPoint at = canvas.viewport().toScreen(scenePoint).toPoint();
        const QImage picture = canvas.grab().toImage();
        const QColor accent = Theme::current().accent;
        for (int y = -2; y <= 2; ++y)
            for (int x = -2; x <= 2; ++x) {
                const QColor there = picture.pixelColor(at + QPoint(x, y));
                if (std::abs(there.red() - accent.red()) + std::abs(there.green() - accent.green()) +
                        std::abs(there.blue() - accent.blue()) <
                    12)
                    return true;
            }
        return false;
    }

    TopologyView view;
    TopologyCanvas& canvas = *view.canvas();
};

QPointF middleOf(const QPolygonF& line) { return (line[0] + line[1]) / 2; }

}  // namespace

class LinkSelectionTest : public QObject {
    Q_OBJECT
private slots:
    void allBranchesOfAChosenBundleAreHighlighted() {
        Window window("gb200-nvl72", {});
        const TopologyScene& scene = window.view.scene();
        const auto bundle = std::find_if(scene.links().bundles.begin(), scene.links().bundles.end(),
                                         [](const LinkBundle& each) { return each.exits.size() == 4; });
        QVERIFY(bundle != scene.links().bundles.end());
        const std::vector<QPolygonF> exits = bundle->exits;
        const std::vector<int> links = bundle->summary.links;
        window.lookAt(scene.layout().servers[std::size_t(bundle->a)].box.adjusted(-60, -60, 60, 60));
        for (const QPolygonF& exit : exits) QVERIFY(!window.isHighlighted(middleOf(exit)));
        window.click(middleOf(exits.front()));
        QCOMPARE(window.canvas.selection().links, links);
        QTest::mouseMove(&window.canvas, QPoint(2, 2));
        for (const QPolygonF& exit : exits) QVERIFY(window.isHighlighted(middleOf(exit)));
    }

    /// The click opens them as well, so that another box is under the pointer.
    void aClickOnFoldedCardsChoosesTheseCardsAndTheirLinksAreAKeyAway() {
        Window window("dgx-h100", {"servers=2"});
        const TopologyLayout& layout = window.view.scene().layout();
        const auto folded = std::find_if(layout.stacks.begin(), layout.stacks.end(),
                                         [](const SwitchStack& stack) { return stack.isFolded; });
        QVERIFY(folded != layout.stacks.end());
        std::vector<int> cards = folded->members;
        std::sort(cards.begin(), cards.end());
        QCOMPARE(cards.size(), std::size_t(8));
        const QRectF bar = layout.switches[std::size_t(folded->members.front())];
        window.click(QPointF(bar.left() + 0.1 * bar.width(), bar.center().y()));
        QVERIFY(!window.view.scene().openServers().empty());
        QCOMPARE(window.canvas.selection().switches, cards);
        window.canvas.editor()->selectLinks();
        const Cluster& cluster = window.view.scene().cluster();
        // To the PCIe switches and to the network.
        QCOMPARE(window.canvas.selection().links.size(), std::size_t(16));
        for (const int link : window.canvas.selection().links) {
            const auto isCard = [&](const std::string& id) {
                return std::any_of(cards.begin(), cards.end(),
                                   [&](int card) { return cluster.switches[std::size_t(card)].id == id; });
            };
            const Link& own = cluster.links[std::size_t(link)];
            QVERIFY(isCard(own.a) || isCard(own.b));
        }
    }
};

STAGECRAFT_TEST(LinkSelectionTest)
#include "link_selection_test.moc"
