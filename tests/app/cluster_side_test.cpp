#include "app/panels/cluster_fields.h"
#include "tests/support/window_rooms.h"
#include "app/panels/cluster_inspector.h"
#include "app/panels/cluster_side.h"
#include "app/panels/parameter_form.h"
#include "app/panels/template_dialog.h"
#include "app/shell/workbench.h"
#include "core/generation/gpu_catalogue.h"
#include "core/generation/server_templates.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"
#include "views/interconnect/bandwidth_view.h"
#include "views/interconnect/interconnect_job.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTabBar>

using namespace stagecraft;

namespace {

/// A window on a cluster of the "switched" template: 2 servers of 2 GPUs.
struct ClusterWindow {
    MainWindow window;
    ClusterWindow() {
        const ClusterTemplate& chosen = *findClusterTemplate("switched");
        ParameterValues values = defaultValues(chosen.parameters);
        values["servers"] = 2;
        values["gpus_per_server"] = 2;
        Project project;
        project.problem.cluster = chosen.make(values);
        window.workspace().openProject(std::move(project), {});
        window.workbench().showCluster();
        window.resize(1280, 800);
        window.show();
        [&] { QVERIFY(QTest::qWaitForWindowActive(&window)); }();
    }
    const Cluster& cluster() { return window.workspace().problem().cluster; }
    TopologyView& topology() { return *window.workbench().topology(); }
    QLineEdit* field(const char* name) {
        auto* box = window.clusterSide().inspector()->findChild<QLineEdit*>(QLatin1String(name));
        [&] { QVERIFY2(box && box->isVisible(), name); }();
        return box;
    }
    QLabel* label(const char* name) {
        return window.clusterSide().inspector()->findChild<QLabel*>(QLatin1String(name));
    }
    /// Types into a field and presses Enter.
    void enter(const char* name, const QString& text) {
        QLineEdit* box = field(name);
        QTest::mouseClick(box, Qt::LeftButton);
        box->selectAll();
        QTest::keyClicks(box, text);
        QTest::keyClick(box, Qt::Key_Return);
    }
};

}  // namespace

class ClusterSideTest : public QObject {
    Q_OBJECT

private:
    PrivateHome home_;

private slots:
    void theBottleneckOfTwoGpusIsNamedAndCanBeChanged() {
        ClusterWindow open;
        Cluster cluster = open.cluster();
        for (Link& link : cluster.links)
            if (link.a == "s0g1") link.bandwidthBps = 3e9, link.source = "PCIe Gen 3 x4, table of NCCL";
        open.window.workspace().editCluster(cluster, QStringLiteral("slow"));
        open.topology().setSelection({{0, 1}, {}, {}});
        QLabel* reason = open.label("pairReason");
        QTRY_VERIFY(reason->isVisible());
        QVERIFY2(reason->text().startsWith(
                     QStringLiteral("3.00 GB/s from GPU 0 to GPU 1: PCIe link of GPU 1 to ")),
                 qPrintable(reason->text()));
        QVERIFY(reason->text().contains(QStringLiteral("PCIe Gen 3 x4, table of NCCL")));
        // The link at the end of the text leads to that number alone.
        for (int y = reason->height() - 4; y > 0 && open.topology().selection().links.empty(); y -= 6)
            for (int x = 4; x < reason->width() && open.topology().selection().links.empty(); x += 12)
                QTest::mouseClick(reason, Qt::LeftButton, {}, {x, y});
        QCOMPARE(open.topology().selection().links.size(), std::size_t(1));
        QCOMPARE(open.cluster().links.at(std::size_t(open.topology().selection().links[0])).a, "s0g1");
        QVERIFY(open.field("bandwidth")->hasFocus());
        QTest::keyClicks(open.field("bandwidth"), QStringLiteral("6 GB/s"));
        QTest::keyClick(open.field("bandwidth"), Qt::Key_Return);
        open.topology().setSelection({{0, 1}, {}, {}});
        QTRY_VERIFY2(reason->text().startsWith(QStringLiteral("6.00 GB/s")), qPrintable(reason->text()));
        // Between servers, and in the map.
        open.topology().setSelection({{0, 2}, {}, {}});
        QVERIFY2(reason->text().contains(QStringLiteral("GPU 0 in s0 to GPU 0 in s1")),
                 qPrintable(reason->text()));
        for (Link& link : cluster.links)
            if (link.a == "s0g0" || link.a == "s0g1") link.bandwidthBps = 1e9, link.kind = "nvlink";
        open.window.workspace().editCluster(cluster, QStringLiteral("alike"));
        open.topology().setSelection({{0, 1}, {}, {}});
        QTRY_VERIFY2(reason->text().contains(QStringLiteral(": NVLink of GPU")), qPrintable(reason->text()));
        QVERIFY(reason->text().contains(QStringLiteral("Both links of its path are as narrow.")));
        open.topology().setSelection({{0}, {}, {}});
        QVERIFY(!reason->isVisible());
    }

    void severalLinksSideBySideAddTheirBandwidthsAndSaySo() {
        ClusterWindow open;
        open.topology().setSelection({{}, {}, {0}});
        QCOMPARE(open.field("count")->text(), QStringLiteral("1"));
        open.enter("count", QStringLiteral("4"));
        QCOMPARE(open.cluster().links[0].bandwidthBps, 48e9);
        QVERIFY2(open.label("sources")->text().contains(QStringLiteral("4 × ")),
                 qPrintable(open.label("sources")->text()));
        open.enter("count", QStringLiteral("2"));
        QCOMPARE(open.cluster().links[0].bandwidthBps, 24e9);
        open.enter("count", QStringLiteral("1.5"));
        QCOMPARE(open.cluster().links[0].bandwidthBps, 24e9);
        QVERIFY(open.window.clusterSide()
                    .inspector()
                    ->findChild<QLabel*>(QStringLiteral("countError"))
                    ->isVisible());
        // A typed bandwidth is that of all together.
        open.enter("bandwidth", QStringLiteral("30 GB/s"));
        QCOMPARE(open.field("count")->text(), QStringLiteral("1"));
        QVERIFY(open.label("sources")->text().contains(QStringLiteral("Overridden")));
        open.enter("count", QStringLiteral("3"));
        QCOMPARE(open.cluster().links[0].bandwidthBps, 90e9);
        QVERIFY(open.label("sources")->text().contains(QStringLiteral("Overridden")));
    }

    void ratesFollowTheTypeOfGpuUnlessAPersonSetThem() {
        ClusterWindow open;
        const ClusterTemplate& dgx = *findClusterTemplate("dgx-h100");
        ParameterValues values = defaultValues(dgx.parameters);
        values["servers"] = 2;
        open.window.workspace().editCluster(dgx.make(values), QStringLiteral("DGX"));
        const auto links = [&](const std::string& a, const std::string& b) {
            for (std::size_t i = 0; i < open.cluster().links.size(); ++i)
                if (open.cluster().links[i].a == a && open.cluster().links[i].b == b)
                    return static_cast<int>(i);
            return -1;
        };
        const auto link = [&](const std::string& a, const std::string& b) {
            return open.cluster().links.at(static_cast<std::size_t>(links(a, b)));
        };
        open.topology().setSelection({{}, {}, {links("s0g1", "s0nvswitch")}});
        open.enter("bandwidth", QStringLiteral("100 GB/s"));
        open.topology().setSelection({{0, 1, 2, 3, 4, 5, 6, 7}, {}, {}});
        open.enter("gpu", QStringLiteral("A100-SXM4-80GB"));
        QCOMPARE(link("s0g0", "s0nvswitch").bandwidthBps, 12 * 20e9);
        QVERIFY(link("s0g0", "s0nvswitch").source.find("12 × NVLink") == 0);
        QCOMPARE(link("s0g1", "s0nvswitch").bandwidthBps, 100e9);  // set by hand
        QCOMPARE(link("s0g0", "s0pcie0").bandwidthBps, 24e9);
        QCOMPARE(link("s0nic0", "s0pcie0").bandwidthBps, 24e9);  // it has no GPU at an end
        QCOMPARE(link("s1g0", "s1nvswitch").bandwidthBps, 18 * 20.6e9);
        open.window.workspace().undoStack()->undo();
        QCOMPARE(link("s0g0", "s0nvswitch").bandwidthBps, 18 * 20.6e9);
        QCOMPARE(link("s0nic0", "s0pcie0").bandwidthBps, 48e9);
    }

    void aBandwidthTypedWithItsUnitChangesEveryChosenLink() {
        ClusterWindow open;
        open.topology().setSelection({{}, {}, {0, 1}});
        QCOMPARE(open.field("bandwidth")->text(), QStringLiteral("12 GB/s"));
        open.enter("bandwidth", QStringLiteral("100 Gbit/s"));
        QCOMPARE(open.cluster().links[0].bandwidthBps, 12.5e9);
        QCOMPARE(open.cluster().links[1].bandwidthBps, 12.5e9);
        QCOMPARE(open.field("bandwidth")->text(), QStringLiteral("12.5 GB/s"));
        open.window.workspace().undoStack()->undo();
        QCOMPARE(open.cluster().links[0].bandwidthBps, 12e9);
        QCOMPARE(open.field("bandwidth")->text(), QStringLiteral("12 GB/s"));
    }

    void editsOfAFieldInARowAreOneStep() {
        ClusterWindow open;
        open.topology().setSelection({{}, {}, {0}});
        for (const char* text : {"50 Gbit/s", "3 GB/s", "25 Gbit/s"}) open.enter("bandwidth", QString(text));
        QCOMPARE(open.window.workspace().undoStack()->count(), 1);
        open.window.workspace().undoStack()->undo();
        QCOMPARE(open.cluster().links[0].bandwidthBps, 12e9);
    }

    void bothRatesOfALinkAreSeen() {
        ClusterWindow open;
        open.topology().setSelection({{}, {}, {0}});
        QCOMPARE(open.label("sources")->text(),
                 QStringLiteral("PCIe of V100-SXM2-16GB, as NCCL counts it<br>"
                                "Reached 12 GB/s (NCCL); data sheet 15.8 GB/s"));
        open.enter("bandwidth", QStringLiteral("6 GB/s"));
        const QString overridden = open.label("sources")->text();
        QVERIFY2(
            overridden.contains(QStringLiteral("was 12.0 GB/s: PCIe of V100-SXM2-16GB, as NCCL counts it")),
            qPrintable(overridden));
        Link link{"a", "b",      450e9,
                  0,   "nvlink", nvlinkSource(*findGpu("H100-SXM5-80GB"), 18, LinkRates::dataSheet)};
        QCOMPARE(sourceText(link), std::string("18 × NVLink at 25 GB/s, H100-SXM5-80GB, data sheet\n"
                                               "Reached 20.6 GB/s (NCCL); data sheet 25 GB/s, per link"));
        link.source =
            "18 × NVLink at 20.6 GB/s, sm90, table of NCCL 2.30; 25 GB/s per link on the data sheet; rank 7";
        QCOMPARE(sourceText(link), std::string("18 × NVLink at 20.6 GB/s, sm90, table of NCCL 2.30; rank 7\n"
                                               "Reached 20.6 GB/s (NCCL); data sheet 25 GB/s, per link"));
    }

    void aMeasurementOfTheSelectedLinksCanBeTakenBack() {
        ClusterWindow open;
        Cluster cluster = open.cluster();
        const Cluster derived = cluster;
        for (const std::size_t index : {0u, 1u}) {
            Link& link = cluster.links[index];
            link.derivedBps = link.bandwidthBps;
            link.derivedSource = std::exchange(link.source, "measured, nvbandwidth: GPU 0 to GPU 1");
            link.bandwidthBps = 11e9;
        }
        open.window.workspace().editCluster(cluster, QStringLiteral("measure"));
        auto* button =
            open.window.clusterSide().inspector()->findChild<QPushButton*>(QStringLiteral("useDerived"));
        open.topology().setSelection({{}, {}, {2}});
        QVERIFY(!button->isVisible());
        open.topology().setSelection({{}, {}, {0, 2}});
        QVERIFY(button->isVisible());
        QVERIFY(open.label("sources")->text().contains(QStringLiteral("Measured 11.0 GB/s (nvbandwidth")));
        QVERIFY(open.label("sources")->text().contains(QStringLiteral("data sheet 15.8 GB/s")));
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(open.cluster().links[0] == derived.links[0]);
        QVERIFY(open.cluster().links[1] == cluster.links[1]);
        QVERIFY(!button->isVisible());
        open.window.workspace().undoStack()->undo();
        QVERIFY(open.cluster() == cluster);
        QVERIFY(button->isVisible());
    }

    void whatASourceSaidIsKeptWhenItIsOverridden() {
        ClusterWindow open;
        open.topology().setSelection({{}, {}, {0}});
        QVERIFY(open.label("sources")->text().startsWith(QStringLiteral("PCIe of V100-SXM2-16GB")));
        open.enter("bandwidth", QStringLiteral("6 GB/s"));
        const std::string before = "set by hand; was 12.0 GB/s: PCIe of V100-SXM2-16GB, as NCCL counts it";
        QCOMPARE(open.cluster().links[0].source, before);
        QVERIFY(open.label("sources")->text().contains(QStringLiteral("Overridden")));
        open.enter("bandwidth", QStringLiteral("7 GB/s"));
        QCOMPARE(open.cluster().links[0].source, before);
    }

    void mixedValuesAreShownAsSuchAndStayUntilTyped() {
        ClusterWindow open;
        const int network = static_cast<int>(open.cluster().links.size()) - 1;
        open.topology().setSelection({{}, {}, {0, network}});
        QCOMPARE(open.field("bandwidth")->text(), QString());
        QCOMPARE(open.field("bandwidth")->placeholderText(), QString::fromUtf8("12.0 GB/s … 12.5 GB/s"));
        QCOMPARE(open.field("kind")->placeholderText(), QStringLiteral("2 different"));
        const Cluster before = open.cluster();
        QTest::mouseClick(open.field("bandwidth"), Qt::LeftButton);
        QTest::keyClick(open.field("bandwidth"), Qt::Key_Tab);
        QCOMPARE(open.cluster(), before);
        open.enter("latency", QStringLiteral("5 us"));
        QCOMPARE(open.cluster().links[static_cast<std::size_t>(network)].latencyS, 5e-6);
        QCOMPARE(open.cluster().links[0].bandwidthBps, 12e9);
    }

    void whatCannotBeReadIsSaidInPlaceAndChangesNothing() {
        ClusterWindow open;
        open.topology().setSelection({{}, {}, {0}});
        const Cluster before = open.cluster();
        open.enter("bandwidth", QStringLiteral("100"));
        QVERIFY(open.label("bandwidthError")->isVisible());
        QCOMPARE(open.label("bandwidthError")->text(),
                 QStringLiteral(
                     "'100' has no unit; expected a bandwidth with its unit, as in 100 Gbit/s or 12 GB/s"));
        QCOMPARE(open.cluster(), before);
        QTest::keyClick(open.field("bandwidth"), Qt::Key_Escape);
        QCOMPARE(open.field("bandwidth")->text(), QStringLiteral("12 GB/s"));
        QVERIFY(!open.label("bandwidthError")->isVisible());
    }

    void aGpuOfTheCatalogueBringsItsMemoryAlongAndOnesOwnDoesNot() {
        ClusterWindow open;
        open.topology().setSelection({{0, 1, 2}, {}, {}});
        open.enter("gpu", QStringLiteral("A100-SXM4-80GB"));
        for (const std::size_t device : {0u, 1u, 2u}) {
            QCOMPARE(open.cluster().devices[device].memoryBytes, 80 * gib);
            QCOMPARE(open.cluster().devices[device].hostBandwidthBps, 24e9);
        }
        QCOMPARE(open.cluster().devices[3].gpu, std::string("V100-SXM2-16GB"));
        open.enter("gpu", QStringLiteral("Prototype"));
        QCOMPARE(open.cluster().devices[0].gpu, std::string("Prototype"));
        QCOMPARE(open.cluster().devices[0].memoryBytes, 80 * gib);
        open.enter("memory", QStringLiteral("96 GiB"));
        open.enter("speed", QStringLiteral("1.5"));
        QCOMPARE(open.cluster().devices[2].memoryBytes, 96 * gib);
        QCOMPARE(open.cluster().devices[2].speed, 1.5);
        open.enter("speed", QStringLiteral("0"));
        QVERIFY(open.label("speedError")->isVisible());
    }

    void aPriceIsTheSetupsUnlessItIsGiven() {
        ClusterWindow open;
        open.topology().setSelection({{0, 1, 2}, {}, {}});
        QVERIFY(open.field("price")->text().isEmpty());
        QCOMPARE(open.field("price")->placeholderText(), QStringLiteral("the setup's"));
        open.enter("price", QStringLiteral("2.5"));
        for (const std::size_t device : {0u, 1u, 2u})
            QCOMPARE(open.cluster().devices[device].pricePerHour, 2.5);
        QCOMPARE(open.cluster().devices[3].pricePerHour, 0.0);
        open.enter("price", QStringLiteral("2e6"));
        QVERIFY(open.label("priceError")->isVisible());
        QTest::keyClick(open.field("price"), Qt::Key_Escape);
        QCOMPARE(open.field("price")->text(), QStringLiteral("2.5"));
        // Of several prices nothing is said until something is typed.
        open.topology().setSelection({{2, 3}, {}, {}});
        QVERIFY(open.field("price")->text().isEmpty());
        QCOMPARE(open.field("price")->placeholderText(), QStringLiteral("0 … 2.5"));
        open.enter("price", QString());
        QCOMPARE(open.cluster().devices[2].pricePerHour, 2.5);
        // An emptied field takes the setup's again, and one step back has it again.
        open.topology().setSelection({{0}, {}, {}});
        QTest::mouseClick(open.field("price"), Qt::LeftButton);
        open.field("price")->selectAll();
        QTest::keyClick(open.field("price"), Qt::Key_Delete);
        QTest::keyClick(open.field("price"), Qt::Key_Return);
        QCOMPARE(open.cluster().devices[0].pricePerHour, 0.0);
        QCOMPARE(open.field("price")->placeholderText(), QStringLiteral("the setup's"));
        open.window.workspace().undoStack()->undo();
        QCOMPARE(open.cluster().devices[0].pricePerHour, 2.5);
    }

    void linksFollowAnIdAndTakenOnesAreRefused() {
        ClusterWindow open;
        open.topology().setSelection({{0}, {}, {}});
        open.enter("id", QStringLiteral("first"));
        QCOMPARE(open.cluster().devices[0].id, std::string("first"));
        QCOMPARE(open.cluster().links[0].a, std::string("first"));
        open.enter("id", QStringLiteral("s0g1"));
        QCOMPARE(open.label("idError")->text(), QStringLiteral("'s0g1' is taken already"));
        QCOMPARE(open.cluster().devices[0].id, std::string("first"));
        // One id for several things would be a mistake.
        open.topology().setSelection({{0, 1}, {}, {}});
        QVERIFY(!open.field("id")->isEnabled());
    }

    void withNothingChosenTheClusterAndItsAssumptionsAreShown() {
        ClusterWindow open;
        Cluster cluster = open.cluster();
        cluster.assumptions = {"The network between servers carries 100 Gbit/s."};
        open.window.workspace().editCluster(cluster, QStringLiteral("Assume"));
        QVERIFY(open.label("totals")->text().contains(QString::fromUtf8("4 × V100-SXM2-16GB")));
        QVERIFY(open.label("assumptions")->text().contains(QStringLiteral("100 Gbit/s")));
        open.topology().setSelection({{0}, {}, {}});
        QVERIFY(!open.label("assumptions")->isVisible());
    }

    void whatIsTypedIsTakenWhenSomethingElseIsChosen() {
        ClusterWindow open;
        open.topology().setSelection({{}, {}, {0}});
        QLineEdit* box = open.field("bandwidth");
        QTest::mouseClick(box, Qt::LeftButton);
        box->selectAll();
        QTest::keyClicks(box, QStringLiteral("9 GB/s"));
        open.topology().setSelection({{}, {}, {1}});
        QCOMPARE(open.cluster().links[0].bandwidthBps, 9e9);
        QCOMPARE(open.cluster().links[1].bandwidthBps, 12e9);
    }

    void theWidestPathOfTheCellUnderThePointerLightsUpOnTheCanvas() {
        ClusterWindow open;
        ClusterSide& side = open.window.clusterSide();
        QTest::mouseClick(side.tabBar(), Qt::LeftButton, {}, side.tabBar()->tabRect(1).center());
        QTRY_VERIFY(side.job()->isUpToDate());
        BandwidthMap* map = side.bandwidths()->map();
        QTest::mouseMove(map, map->cellRect(0, 3).center().toPoint());
        QTRY_COMPARE(side.overlay().lines.size(), std::size_t(4));
        QVERIFY(side.findChild<QLabel*>(QStringLiteral("reason"))
                    ->text()
                    .contains(QStringLiteral("GPU 0 in s0 to GPU 1 in s1")));
        QCOMPARE(open.topology().canvas()->overlay().overlay().marks.size(), std::size_t(2));
        QCOMPARE(open.topology().canvas()->overlay().routeCount(), std::size_t(4));
        // An edit makes the indices old: nothing is shown until the paths are known again.
        Cluster cluster = open.cluster();
        cluster.links.erase(cluster.links.begin());
        open.window.workspace().editCluster(cluster, QStringLiteral("Cut"));
        QVERIFY(side.overlay().isEmpty());
        QVERIFY(open.topology().canvas()->overlay().isEmpty());
    }

    void theDeviceOrderIsNumberedOnTheCanvasWhileItsTabIsOpen() {
        ClusterWindow open;
        ClusterSide& side = open.window.clusterSide();
        QTest::mouseClick(side.tabBar(), Qt::LeftButton, {}, side.tabBar()->tabRect(2).center());
        QTRY_COMPARE(open.topology().canvas()->overlay().overlay().order.size(), std::size_t(4));
        auto* toggle = side.findChild<QAbstractButton*>(QStringLiteral("drawOrder"));
        QTest::mouseClick(toggle, Qt::LeftButton, {}, {10, toggle->height() / 2});
        QVERIFY(open.topology().canvas()->overlay().isEmpty());
        QTest::mouseClick(side.tabBar(), Qt::LeftButton, {}, side.tabBar()->tabRect(0).center());
        QVERIFY(open.topology().canvas()->overlay().isEmpty());
    }

    void aTemplateIsInsertedUnderIdsOfItsOwn() {
        ClusterWindow open;
        QTimer::singleShot(0, qApp, [] {
            auto* dialog = qobject_cast<TemplateDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            QCOMPARE(dialog->chosen().id, std::string("dgx-h100"));  // what people look for comes first
            auto* list = dialog->findChild<QListWidget*>(QStringLiteral("templates"));
            QListWidgetItem* dgx1 = list->findItems(QStringLiteral("DGX-1"), Qt::MatchStartsWith).front();
            list->scrollToItem(dgx1);
            QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(dgx1).center());
            QCOMPARE(dialog->chosen().id, std::string("dgx1"));
            QVERIFY(dialog->cluster());
            QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("insert")), Qt::LeftButton);
        });
        open.window.actionRegister().action(QStringLiteral("cluster.template"))->trigger();
        QCOMPARE(open.cluster().deviceCount(), 12);
        QCOMPARE(open.cluster().servers().size(), std::size_t(3));
        std::set<std::string> ids;
        for (const Device& device : open.cluster().devices) QVERIFY(ids.insert(device.id).second);
        for (const Switch& node : open.cluster().switches) QVERIFY(ids.insert(node.id).second);
        QCOMPARE(open.topology().selection().devices.size(), std::size_t(8));
        open.window.workspace().undoStack()->undo();
        QCOMPARE(open.cluster().deviceCount(), 4);
    }

    void eachTemplateHasItsPicture() {
        TemplateDialog dialog;
        dialog.show();
        auto* list = dialog.findChild<QListWidget*>(QStringLiteral("templates"));
        QVERIFY(list->item(0)->text().contains(QStringLiteral("H100")));
        const auto drawn = [list](int row) {
            const QImage image = list->item(row)->icon().pixmap(list->iconSize()).toImage();
            std::set<QRgb> colours;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x) colours.insert(image.pixel(x, y));
            return colours.size() > 8;
        };
        QVERIFY(!drawn(0));
        for (int row = 0; row < list->count(); ++row) QTRY_VERIFY_WITH_TIMEOUT(drawn(row), 20000);
    }

    void aMachineIsFoundByTyping() {
        TemplateDialog dialog;
        dialog.show();
        auto* find = dialog.findChild<QLineEdit*>(QStringLiteral("findTemplate"));
        auto* insert = dialog.findChild<QPushButton*>(QStringLiteral("insert"));
        QVERIFY(QTest::qWaitForWindowActive(&dialog));
        QCOMPARE(dialog.findChildren<ParameterForm*>().size(), 1);  // the rest once they are looked at
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("b200"));
        QCOMPARE(find->text(), QStringLiteral("b200"));
        QCOMPARE(dialog.chosen().id, std::string("dgx-b200"));
        QCOMPARE(dialog.cluster()->deviceCount(), 8);
        QTest::keyClicks(find, QStringLiteral("x"));
        QVERIFY(!dialog.cluster());
        QVERIFY(!insert->isEnabled());
        find->clear();
        QTest::keyClicks(find, QStringLiteral("NVL72"));
        QCOMPARE(dialog.chosen().id, std::string("gb200-nvl72"));
        QTest::keyClick(find, Qt::Key_Return);
        QCOMPARE(dialog.result(), static_cast<int>(QDialog::Accepted));
        QCOMPARE(dialog.cluster()->deviceCount(), 72);
    }

    void aTemplateWhoseNumbersDoNotGoTogetherSaysWhy() {
        TemplateDialog dialog;
        dialog.choose("switched");
        dialog.show();
        QVERIFY(dialog.cluster());
        auto* page = dialog.findChild<QStackedWidget*>()->currentWidget();
        auto* inside = page->findChild<QComboBox*>(QStringLiteral("inside"));
        inside->setCurrentIndex(inside->findData(QStringLiteral("cube-mesh")));
        QVERIFY(!dialog.cluster());
        QVERIFY(!dialog.findChild<QPushButton*>(QStringLiteral("insert"))->isEnabled());
        QCOMPARE(dialog.findChild<QLabel*>(QStringLiteral("summary"))->text(),
                 QStringLiteral("The hybrid cube mesh joins 8 GPUs"));
        page->findChild<QSpinBox*>(QStringLiteral("gpus_per_server"))->setValue(8);
        QVERIFY(dialog.cluster());
        QCOMPARE(dialog.cluster()->deviceCount(), 32);
    }
};

STAGECRAFT_TEST(ClusterSideTest)
#include "cluster_side_test.moc"
