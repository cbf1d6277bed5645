// Drawing a whole cluster by mouse, each action counted.
#include "app/shell/workbench.h"
#include "core/cost/interconnect.h"
#include "core/generation/template_catalogue.h"
#include "tests/app/window_fixture.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "views/topology/cluster_editor.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QToolButton>
#include <QWheelEvent>

using namespace stagecraft;

namespace {

/// A hand on the mouse of a window on an empty cluster; a click, a drag, a turn of the wheel and a typed
/// value are an action each.
class Hand {
public:
    Hand() {
        window.resize(1280, 800);
        window.show();
        [&] { QVERIFY(QTest::qWaitForWindowActive(&window)); }();
        window.actionRegister().action(QStringLiteral("file.new"))->trigger();
    }

    TopologyView& view() { return *window.workbench().topology(); }
    TopologyCanvas& canvas() { return *view().canvas(); }
    const TopologyScene& scene() { return view().scene(); }
    const Cluster& cluster() { return window.workspace().problem().cluster; }
    QPoint at(QPointF scenePoint) { return canvas().viewport().toScreen(scenePoint).toPoint(); }
    QPointF atSwitch(const std::string& id) {
        const SwitchList& all = cluster().switches;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].id == id) return scene().layout().switches[i].center();
        qFatal("no switch %s", id.c_str());
    }

    void click(QPointF scenePoint, Qt::KeyboardModifiers keys = {}) {
        ++actions;
        const QPoint point = at(scenePoint);
        QVERIFY2(canvas().rect().contains(point),
                 qPrintable(QStringLiteral("out of view: %1, %2").arg(point.x()).arg(point.y())));
        QTest::mouseMove(&canvas(), point);
        QTest::mouseClick(&canvas(), Qt::LeftButton, keys, point);
    }
    void drag(QPointF from, QPointF to, Qt::KeyboardModifiers keys = {}) {
        ++actions;
        const QPoint a = at(from), b = at(to);
        QTest::mouseMove(&canvas(), a);
        QTest::mousePress(&canvas(), Qt::LeftButton, keys, a);
        QTest::mouseMove(&canvas(), (a + b) / 2);
        QTest::mouseMove(&canvas(), b);
        QTest::mouseRelease(&canvas(), Qt::LeftButton, keys, b);
    }
    void palette(const char* part) {
        ++actions;
        auto* button = view().findChild<QToolButton*>(QStringLiteral("palette.") + QLatin1String(part));
        QVERIFY2(button, part);
        QTest::mouseClick(button, Qt::LeftButton);
    }
    void wheel(int turns) {
        ++actions;
        const QPointF middle = canvas().rect().center();
        QWheelEvent event(middle, canvas().mapToGlobal(middle), {}, {0, 120 * turns}, Qt::NoButton,
                          Qt::ControlModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&canvas(), &event);
    }
    /// Types into the list of machines and clicks what it finds first.
    void chooseMachine(const QString& words) {
        palette("machine");
        auto* popup = view().findChild<QWidget*>(QStringLiteral("machinePopup"));
        QVERIFY(popup && popup->isVisible());
        actions += 2;
        QTest::keyClicks(popup->findChild<QLineEdit*>(QStringLiteral("pickWords")), words);
        auto* list = popup->findChild<QListWidget*>(QStringLiteral("pickList"));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(list->item(0)).center());
    }
    /// By the menu bar: the title, the submenu, the entry.
    void menu(const char* id) {
        QAction* wanted = window.actionRegister().action(QLatin1String(id));
        QVERIFY2(wanted && wanted->isEnabled(), id);
        for (QAction* title : window.menuBar()->actions())
            for (QAction* entry : title->menu() ? title->menu()->actions() : QList<QAction*>()) {
                if (entry != wanted && !(entry->menu() && entry->menu()->actions().contains(wanted)))
                    continue;
                ++actions;
                QTest::mouseClick(window.menuBar(), Qt::LeftButton, {},
                                  window.menuBar()->actionGeometry(title).center());
                QTRY_VERIFY(title->menu()->isVisible());
                ++actions;
                QTest::mouseClick(title->menu(), Qt::LeftButton, {},
                                  title->menu()->actionGeometry(entry).center());
                if (entry == wanted) return;
                ++actions;
                QTRY_VERIFY(entry->menu()->isVisible());
                QTest::mouseClick(entry->menu(), Qt::LeftButton, {},
                                  entry->menu()->actionGeometry(wanted).center());
                return;
            }
        QFAIL(id);
    }

    /// So many network switches in a row, by one click each.
    void placeRow(int count, QPointF first, double step) {
        palette("networkSwitch");
        for (int i = 0; i < count; ++i)
            click(first + QPointF(i * step, 0), i + 1 < count ? Qt::ShiftModifier : Qt::NoModifier);
    }

    MainWindow window;
    int actions = 0;
};

Cluster fromTemplate() {
    const ClusterTemplate& dgx = *findClusterTemplate("dgx-h100");
    ParameterValues values = defaultValues(dgx.parameters);
    values["servers"] = 2;
    values["fabric"] = std::string("rails");
    return dgx.make(values);
}

void compareBandwidths(const Cluster& drawn, const Cluster& wanted) {
    QCOMPARE(drawn.deviceCount(), wanted.deviceCount());
    const Interconnect a(drawn), b(wanted);
    for (int i = 0; i < wanted.deviceCount(); ++i)
        for (int j = 0; j < i; ++j) QCOMPARE(a.bandwidthBps(i, j), b.bandwidthBps(i, j));
}

}  // namespace

class ClusterDrawingTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

private slots:
    void twoDgxOnRailsAreDrawnByMouseInFewActions();
};

void ClusterDrawingTest::twoDgxOnRailsAreDrawnByMouseInFewActions() {
    Hand hand;
    hand.chooseMachine(QStringLiteral("dgx h100"));
    hand.click(hand.canvas().middleInScene(), Qt::ShiftModifier);
    hand.wheel(-6);
    const QRectF first = hand.scene().layout().servers.at(0).box;
    hand.click({first.right() + 40 + first.width() / 2, first.center().y()});
    QCOMPARE(hand.cluster().deviceCount(), 16);
    QVERIFY(!hand.canvas().placing());

    // A rail for each network card, and two spines above.
    const double step = first.width() / 4.2, row = first.top() - 150;
    hand.placeRow(8, {first.left() + 60, row}, step);
    for (const char* nic : {"s0nic0", "s1nic0"}) hand.click(hand.atSwitch(nic), Qt::ShiftModifier);
    const QPointF from(first.left() - 60, row - 40), to(first.left() + 60 + 7 * step + 20, row + 40);
    hand.drag(from, to, Qt::ShiftModifier);
    QCOMPARE(int(hand.view().selection().switches.size()), 24);
    hand.menu("cluster.linkOneToOne");
    hand.placeRow(2, {first.right() - 150, row - 150}, 300);
    hand.drag(from, to);
    hand.palette("link");
    hand.click(hand.atSwitch("network0"));
    hand.click(hand.atSwitch("network8"));
    hand.drag(from, to);
    hand.click(hand.atSwitch("network0"));
    hand.click(hand.atSwitch("network9"));

    qInfo("%d actions", hand.actions);
    QVERIFY2(hand.actions < 40, qPrintable(QString::number(hand.actions)));
    const Cluster wanted = fromTemplate();
    QCOMPARE(hand.cluster().links.size(), wanted.links.size());
    compareBandwidths(hand.cluster(), wanted);
    for (const Link& link : hand.cluster().links) QVERIFY(link.kind == "socket" || !link.source.empty());
}

STAGECRAFT_TEST(ClusterDrawingTest)
#include "cluster_drawing_test.moc"
