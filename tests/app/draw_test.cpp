// Drawing a cluster in the window, as a new user would.
#include "app/panels/template_dialog.h"
#include "tests/support/window_rooms.h"
#include "app/shell/workbench.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"
#include "views/topology/cluster_editor.h"
#include "views/topology/duplicate_popup.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QSpinBox>
#include <QToolButton>

using namespace stagecraft;

namespace {

/// Waits for a window of that name to pop up and hands it on.
void whenShown(const QString& name, std::function<void(QWidget&)> then) {
    auto* timer = new QTimer(qApp);
    timer->setInterval(10);
    QObject::connect(timer, &QTimer::timeout, qApp, [timer, name, then = std::move(then)] {
        for (QWidget* widget : QApplication::topLevelWidgets()) {
            if (widget->objectName() != name || !widget->isVisible()) continue;
            timer->deleteLater();
            timer->stop();
            return then(*widget);
        }
    });
    timer->start();
}

}  // namespace

class DrawTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

    static TopologyCanvas& canvasOf(MainWindow& window) { return *window.workbench().topology()->canvas(); }
    static const TopologyScene& sceneOf(MainWindow& window) { return window.workbench().topology()->scene(); }
    static QPoint at(MainWindow& window, QPointF scenePoint) {
        return canvasOf(window).viewport().toScreen(scenePoint).toPoint();
    }
    static QPointF switchNamed(MainWindow& window, const std::string& id) {
        const auto& switches = sceneOf(window).cluster().switches;
        for (std::size_t i = 0; i < switches.size(); ++i)
            if (switches[i].id == id) return sceneOf(window).layout().switches[i].center();
        qFatal("no switch of that id");
    }

    /// Opens the menu by a click and clicks its entry.
    static void clickMenu(MainWindow& window, const char* id) {
        QAction* wanted = window.actionRegister().action(QLatin1String(id));
        QVERIFY2(wanted && wanted->isEnabled(), id);
        for (QAction* title : window.menuBar()->actions()) {
            QMenu* menu = title->menu();
            if (!menu) continue;
            QAction* entry = nullptr;
            for (QAction* each : menu->actions())
                if (each == wanted || (each->menu() && each->menu()->actions().contains(wanted))) entry = each;
            if (!entry) continue;
            QTest::mouseClick(window.menuBar(), Qt::LeftButton, {},
                              window.menuBar()->actionGeometry(title).center());
            QTRY_VERIFY(menu->isVisible());
            QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(entry).center());
            if (entry == wanted) return;
            QMenu* inner = entry->menu();
            QTRY_VERIFY(inner->isVisible());
            QTest::mouseClick(inner, Qt::LeftButton, {}, inner->actionGeometry(wanted).center());
            return;
        }
        QFAIL(id);
    }

    static void drag(MainWindow& window, QPoint from, QPoint to) {
        TopologyCanvas& canvas = canvasOf(window);
        QTest::mouseMove(&canvas, from);
        QTest::mousePress(&canvas, Qt::LeftButton, {}, from);
        QTest::mouseMove(&canvas, (from + to) / 2);
        QTest::mouseMove(&canvas, to);
        QTest::mouseRelease(&canvas, Qt::LeftButton, {}, to);
    }

    static void insertDgx1(MainWindow& window) {
        bool inserted = false;
        whenShown(QStringLiteral("templateDialog"), [&inserted](QWidget& dialog) {
            auto* list = dialog.findChild<QListWidget*>(QStringLiteral("templates"));
            for (int row = 0; row < list->count(); ++row) {
                if (!list->item(row)->text().startsWith(QLatin1String("DGX-1"))) continue;
                list->scrollToItem(list->item(row));
                QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                                  list->visualItemRect(list->item(row)).center());
                inserted = true;
                break;
            }
            QTest::mouseClick(dialog.findChild<QAbstractButton*>(QStringLiteral("insert")), Qt::LeftButton);
        });
        click(window, QStringLiteral("palette.template"));
        QVERIFY(inserted);
    }

    static QByteArray savedAs(MainWindow& window, const QString& path) {
        if (!window.saveTo(path)) return {};
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    static void runSpp(MainWindow& window) {
        clickMenu(window, "plan.run.spp");
        QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isPlanning(), 60'000);
        QTRY_VERIFY_WITH_TIMEOUT(!window.planning().isBusy(), 60'000);
    }

private slots:
    void init() { QSettings().clear(); }

    void aClusterIsDrawnPlannedEditedAndUndoneToTheEmptyCanvas() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        clickMenu(window, "file.new");
        QVERIFY(window.workspace().isOpen());
        QVERIFY(sceneOf(window).isEmpty());
        const QByteArray empty = savedAs(window, home_.file(QStringLiteral("empty.stagecraft.json")));

        // Two DGX-1 joined by a network switch.
        insertDgx1(window);
        QCOMPARE(sceneOf(window).cluster().deviceCount(), 8);
        const QRectF box = sceneOf(window).layout().servers[0].box;
        QTest::mouseClick(&canvasOf(window), Qt::LeftButton, {}, at(window, box.topLeft() + QPointF(30, 12)));
        QCOMPARE(int(window.workbench().topology()->selection().devices.size()), 8);
        clickMenu(window, "cluster.duplicate");
        QCOMPARE(sceneOf(window).cluster().deviceCount(), 16);
        clickMenu(window, "cluster.fit");
        click(window, QStringLiteral("palette.networkSwitch"));
        // Two servers side by side leave room above them.
        QTest::mouseClick(&canvasOf(window), Qt::LeftButton, {}, QPoint(canvasOf(window).width() / 2, 40));
        QCOMPARE(sceneOf(window).cluster().switches.back().id, std::string("network0"));
        clickMenu(window, "cluster.fit");
        for (const Cluster& drawn = sceneOf(window).cluster();
             const Switch& node : std::vector<Switch>(drawn.switches)) {
            // The first socket of each server has the network card.
            if (node.id.find("socket0") == std::string::npos && node.id.find("socket2") == std::string::npos)
                continue;
            click(window, QStringLiteral("palette.link"));
            drag(window, at(window, switchNamed(window, node.id)),
                 at(window, switchNamed(window, "network0")));
            QTest::mouseClick(window.findChild<QToolButton*>(QStringLiteral("paletteChoose")),
                              Qt::LeftButton);
        }
        const Cluster drawn = window.workspace().problem().cluster;
        const auto uplinks = std::count_if(drawn.links.begin(), drawn.links.end(), [](const Link& link) {
            return link.b == "network0" && link.bandwidthBps == 100e9 / 8;
        });
        QCOMPARE(uplinks, 2);
        openAndWait(window,
                    QStringLiteral(STAGECRAFT_SOURCE_DIR "/samples/profiles/resnet-152.profile.json"));
        QVERIFY2(!whyUnplannable(window.workspace().problem()),
                 whyUnplannable(window.workspace().problem()).value_or("").c_str());
        runSpp(window);
        QCOMPARE(int(window.workspace().plans().size()), 1);
        const int first = window.workspace().plans()[0].id;
        const double before = window.workspace().plan(first)->run->evaluation->metrics.iterationTimeS;

        // A link four times slower.
        clickMenu(window, "view.cluster");
        const int link = static_cast<int>(drawn.links.size()) - 1;
        const QPoint onLink = at(window, sceneOf(window).middleOfLink(link));
        QTest::mouseClick(&canvasOf(window), Qt::LeftButton, {}, onLink);
        QCOMPARE(window.workbench().topology()->selection().links, std::vector<int>{link});
        QTest::mouseDClick(&canvasOf(window), Qt::LeftButton, {}, onLink);
        auto* field = qobject_cast<QLineEdit*>(window.focusWidget());
        QVERIFY2(field, "a double click leads to the number");
        field->selectAll();
        QTest::keyClicks(field, QStringLiteral("25 Gbit/s"));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(window.workspace().problem().cluster.links.back().bandwidthBps, 25e9 / 8);
        QTRY_VERIFY(window.workspace().plan(first)->run);
        runSpp(window);
        QCOMPARE(int(window.workspace().plans().size()), 2);
        QVERIFY(window.workspace().plans()[0].title() != window.workspace().plans()[1].title());
        const PlanRun& old = *window.workspace().plan(first)->run;
        QVERIFY2(old.evaluation->metrics.iterationTimeS >= before,
                 "the old plan is worked out on the slower link");

        const QByteArray full = savedAs(window, home_.file(QStringLiteral("full.stagecraft.json")));
        while (window.workspace().undoStack()->canUndo()) clickMenu(window, "edit.undo");
        clickMenu(window, "view.cluster");
        QVERIFY(sceneOf(window).isEmpty());
        QCOMPARE(savedAs(window, home_.file(QStringLiteral("undone.stagecraft.json"))), empty);
        while (window.workspace().undoStack()->canRedo()) clickMenu(window, "edit.redo");
        QCOMPARE(savedAs(window, home_.file(QStringLiteral("redone.stagecraft.json"))), full);
    }

    void aServerIsDuplicatedSeveralTimesFromThePopup() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        clickMenu(window, "file.new");
        click(window, QStringLiteral("palette.server"));
        QTest::mouseClick(&canvasOf(window), Qt::LeftButton, {}, {280, 200});
        clickMenu(window, "cluster.duplicateTimes");
        auto* popup = window.findChild<DuplicatePopup*>();
        QVERIFY(popup);
        popup->findChild<QSpinBox*>()->setValue(7);
        QTest::mouseClick(popup->findChild<QAbstractButton*>(QStringLiteral("duplicateNow")), Qt::LeftButton);
        QCOMPARE(window.workspace().problem().cluster.deviceCount(), 32);
        QCOMPARE(window.workspace().undoStack()->count(), 2);
    }

    void whatIsCopiedInOneWindowIsPastedInAnother() {
        MainWindow one, other;
        for (MainWindow* window : {&one, &other}) {
            window->resize(1000, 700);
            window->show();
            clickMenu(*window, "file.new");
        }
        click(one, QStringLiteral("palette.server"));
        QTest::mouseClick(&canvasOf(one), Qt::LeftButton, {}, {200, 200});
        clickMenu(one, "edit.copy");
        clickMenu(other, "edit.paste");
        QCOMPARE(other.workspace().problem().cluster.devices, one.workspace().problem().cluster.devices);
        QCOMPARE(other.workspace().problem().cluster.links, one.workspace().problem().cluster.links);
    }

    void aMistakeIsARowThatJumpsToItsPlace() {
        MainWindow window;
        window.resize(1280, 800);
        window.show();
        window.openSample(QStringLiteral("fig2-toy"));
        Cluster cluster = window.workspace().problem().cluster;
        cluster.links[1].bandwidthBps = 0;
        window.workspace().editCluster(cluster, QStringLiteral("Set bandwidth"));
        int found = -1;
        for (int row = 0; row < window.problems().rowCount(); ++row)
            if (window.problems().row(row).jump.selection.links == std::vector<int>{1}) found = row;
        QVERIFY(found >= 0);
        auto* list = window.findChild<QAbstractItemView*>(QStringLiteral("problems"));
        emit list->activated(window.problems().index(found, 0));
        QCOMPARE(window.workbench().currentKey(), QStringLiteral("cluster"));
        QCOMPARE(window.workbench().topology()->selection().links, std::vector<int>{1});
    }
};

STAGECRAFT_TEST(DrawTest)
#include "draw_test.moc"
