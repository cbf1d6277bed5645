#include "core/generation/template_catalogue.h"
#include "tests/support/window_rooms.h"
#include "tests/support/qt_program.h"
#include "tests/views/figures_sample_run.h"
#include "tests/views/topology_files.h"
#include "tests/views/view_tests.h"
#include "views/figures/figure_writers.h"
#include "views/figures/painter_writer.h"
#include "views/topology/brief_cluster.h"
#include "views/topology/cluster_figure.h"
#include "views/topology/topology_overlay.h"
#include "views/topology/topology_scene.h"

#include <QFile>
#include <QTest>

#include <algorithm>

using namespace stagecraft;

namespace {

int countOfRole(const Figure& figure, const std::string& role) {
    int count = 0;
    for (const FigureItem& item : figure.items) {
        const auto* box = std::get_if<FigureRectangle>(&item);
        const auto* line = std::get_if<FigurePolygon>(&item);
        count += (box && box->role == role) || (line && line->role == role);
    }
    return count;
}

QRectF extentOf(const FigureText& text) {
    const double wide = textWidthMm(text.text, text.sizePt), high = capHeightMm(text.sizePt);
    const double left = text.anchor == TextAnchor::start ? 0
                        : text.anchor == TextAnchor::end ? -wide
                                                         : -wide / 2;
    const double top = text.rise == TextRise::top ? 0 : text.rise == TextRise::baseline ? -high : -high / 2;
    const QRectF flat(left, top, wide, high);
    const QRectF turned(top, left, high, wide);
    return (text.rotationDeg == 0 ? flat : turned).translated(text.at);
}

/// Empty, or what of a figure's text is over other text, over the edge of a box, or off the sheet.
QString mistakeInText(const Figure& figure) {
    std::vector<std::pair<QRectF, QString>> texts;
    std::vector<QRectF> boxes;
    for (const FigureItem& item : figure.items) {
        if (const auto* text = std::get_if<FigureText>(&item))
            texts.emplace_back(extentOf(*text).adjusted(0.05, 0.05, -0.05, -0.05), text->text);
        if (const auto* box = std::get_if<FigureRectangle>(&item);
            box && (box->role == "device" || box->role == "switch"))
            boxes.push_back(box->rect);
    }
    const QRectF sheet(0, 0, figure.widthMm, figure.heightMm);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto& [extent, words] = texts[i];
        if (!sheet.contains(extent)) return '"' + words + "\" is off the sheet";
        for (std::size_t k = 0; k < i; ++k)
            if (extent.intersects(texts[k].first))
                return '"' + words + "\" is over \"" + texts[k].second + '"';
        const double air = 0.1 * std::min(extent.width(), extent.height());
        for (const QRectF& box : boxes)
            if (extent.intersects(box) && !box.contains(extent.adjusted(-air, -air, air, air)))
                return '"' + words + "\" is over the edge of a box, or touches it";
    }
    return {};
}

}  // namespace

class ClusterFigureTest : public QObject {
    Q_OBJECT

private slots:
    /// STAGECRAFT_UPDATE_GOLDEN writes the file, to be read over before it is committed.
    void theDrawingIsTheGoldenOne() {
        const QByteArray bytes =
            writeSvg(clusterFigure(clusterFrom("switched", {"servers=2", "gpus_per_server=2"}), nullptr));
        QFile file(QString(STAGECRAFT_SOURCE_DIR) + "/tests/golden/figures/cluster.svg");
        if (qEnvironmentVariableIsSet("STAGECRAFT_UPDATE_GOLDEN")) {
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(bytes);
            return;
        }
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> expected = file.readAll().split('\n'), actual = bytes.split('\n');
        for (qsizetype i = 0; i < std::min(expected.size(), actual.size()); ++i)
            QCOMPARE(actual[i], expected[i]);
        QCOMPARE(actual.size(), expected.size());
    }

    void everyThingIsDrawnOnceAndNamed() {
        const Cluster cluster = clusterFrom("dgx1");
        const Figure figure = clusterFigure(cluster, nullptr, {.widthMm = 181.9});
        QCOMPARE(figure.widthMm, 181.9);
        QCOMPARE(countOfRole(figure, "device"), 8);
        QCOMPARE(countOfRole(figure, "switch"), 6);
        QCOMPARE(countOfRole(figure, "server"), 1);
        const auto texts = textsOf(figure);
        for (int gpu = 0; gpu < 8; ++gpu)
            QCOMPARE(std::count(texts.begin(), texts.end(), QStringLiteral("GPU %1").arg(gpu)),
                     std::ptrdiff_t(1));
        for (const char* name : {"Socket 0", "CPU 1", "PCIe switch 3"})
            QCOMPARE(std::count(texts.begin(), texts.end(), QString(name)), std::ptrdiff_t(1));
    }

    void everyLinkBetweenGpusIsALineAtAnyWidth() {
        for (const double width : {84.0, 178.0}) {
            const Figure figure = clusterFigure(clusterFrom("dgx1"), nullptr, {.widthMm = width});
            // 16 NVLink pairs, 8 + 4 PCIe links and the one between the sockets.
            QCOMPARE(countOfRole(figure, "link"), 29);
            const auto texts = textsOf(figure);
            const auto has = [&](const QString& text) {
                return std::find(texts.begin(), texts.end(), text) != texts.end();
            };
            QVERIFY(has(QString::fromUtf8("NVLink 2 × 20 GB/s")));
            QVERIFY(has("NVLink 20.0 GB/s"));
            QCOMPARE(has("numbers in boxes: GPUs"), width < 100);
        }
    }

    void noTextIsOverSomethingElse() {
        std::vector<std::pair<std::string, Cluster>> clusters;
        for (const ClusterTemplate& each : clusterTemplates())
            clusters.emplace_back(each.id, clusterFrom(each.id.c_str()));
        for (const char* fabric : {"fabric=rails", "fabric=fat-tree"})
            clusters.emplace_back(fabric, clusterFrom("dgx-h100", {"servers=8", fabric}));
        clusters.emplace_back("racks", clusterFrom("gb200-nvl72", {"racks=4", "fabric=fat-tree"}));
        for (auto& each : filesOfTopologies()) clusters.push_back(std::move(each));
        for (const auto& [name, cluster] : clusters)
            for (const double width : {84.0, 178.0}) {
                const QString mistake = mistakeInText(clusterFigure(cluster, nullptr, {.widthMm = width}));
                QVERIFY2(mistake.isEmpty(),
                         qPrintable(QString("%1 at %2 mm: %3").arg(name.c_str()).arg(width).arg(mistake)));
            }
    }

    /// In a column too: boxes that are low beside their type are drawn higher.
    void everyBoxOfASingleServerIsNamedInAColumn() {
        int servers = 0;
        for (const ClusterTemplate& each : clusterTemplates()) {
            const Cluster cluster = clusterFrom(each.id.c_str());
            if (TopologyScene(cluster, nullptr).layout().servers.size() != 1) continue;
            ++servers;
            for (const QString& text : textsOf(clusterFigure(cluster, nullptr, {.widthMm = 84})))
                QVERIFY2(!text.startsWith("boxes without a name"),
                         (each.id + ": " + text.toStdString()).c_str());
        }
        QVERIFY(servers >= 10);
        const auto texts = textsOf(clusterFigure(clusterFrom("dragonfly"), nullptr, {.widthMm = 84}));
        for (const char* range : {"s8, s9", "s10–11", "s30–31"})
            QVERIFY2(std::find(texts.begin(), texts.end(), QString::fromUtf8(range)) != texts.end(), range);
    }

    /// In a column the trays of a rack are one in detail and a box that says how many the others are; all are
    /// counted, and at the width of a page they are drawn.
    void likeServersAreDrawnOnceWhereNamesHaveNoRoom() {
        const Cluster rack = clusterFrom("gb200-nvl72");
        const Figure column = clusterFigure(rack, nullptr, {.widthMm = 84});
        QCOMPARE(countOfRole(column, "device"), 4);
        QCOMPARE(countOfRole(column, "server"), 2);
        const std::vector<QString> texts = textsOf(column);
        const auto has = [&](const QString& text) {
            return std::find(texts.begin(), texts.end(), text) != texts.end();
        };
        QVERIFY(has(QString::fromUtf8("s1–s17 (×17)")) || has(QString::fromUtf8("s1–s17")));
        QVERIFY(has("of servers that are alike the first is drawn in full"));
        QCOMPARE(countOfRole(clusterFigure(rack, nullptr, {.widthMm = 400}), "device"), 72);
    }

    void briefClustersHaveEachServerOnce() {
        Cluster cluster = clusterFrom("fat-tree", {"servers=16"});
        const std::optional<BriefCluster> brief = briefCluster(cluster);
        QVERIFY(brief.has_value());
        QCOMPARE(brief->cluster.servers(), std::vector<std::string>({"s0"}));
        QCOMPARE(brief->standIns, (std::set<std::string>{"s1–s3", "s4–s7", "s8–s11", "s12–s15"}));
        // One link out of each server, those of the leaves as they are.
        QCOMPARE(brief->cluster.links.size(), cluster.links.size() - 15 * 8);
        cluster.devices[8].gpu = "another";  // of s1
        QVERIFY(briefCluster(cluster)->standIns.contains("s2, s3"));
        QVERIFY(!briefCluster(clusterFrom("dgx-h100", {"servers=2"})).has_value());
    }

    void namesWithNumbersAreRanges() {
        QCOMPARE(inRanges({"s0", "s1", "s2", "s7", "leaf0", "leaf1", "spine"}),
                 QStringList({QString::fromUtf8("s0–s2"), "s7", "leaf0, leaf1", "spine"}));
    }

    void stagesColourTheirDevicesAndStandInTheLegend() {
        const auto run = sample::run();
        const Figure figure = clusterFigure(run->costs->problem().cluster, run);
        // Two devices and an entry of the legend; one and one.
        QCOMPARE(countOfRole(figure, "stage0"), 3);
        QCOMPARE(countOfRole(figure, "stage1"), 2);
        const Figure bare = clusterFigure(run->costs->problem().cluster, run, {.legend = false});
        QCOMPARE(countOfRole(bare, "stage0"), 2);
        QVERIFY(bare.heightMm < figure.heightMm);
    }

    void allWritersTakeItAndNothingIsRefusedSilently() {
        const Figure figure = clusterFigure(clusterFrom("spp-mixed"), nullptr, {.grey = true});
        QVERIFY(writeTikz(figure).contains("tikzpicture"));
        QVERIFY(writePdf(figure).startsWith("%PDF"));
        QVERIFY(!writePng(figure, 72).isEmpty());
        QVERIFY_EXCEPTION_THROWN(clusterFigure({}, nullptr), std::invalid_argument);
        QVERIFY_EXCEPTION_THROWN(clusterFigure(clusterFrom("pcie"), nullptr, {.widthMm = 1}),
                                 std::invalid_argument);
    }

    void linksThatShareALineAreOneRouteWithTheSumOfTheirBytes() {
        const TopologyScene scene(clusterFrom("spp"), nullptr);
        TopologyOverlay overlay;
        // All 16 links between the first two servers, and one inside a server.
        for (std::size_t link = 0; link < scene.cluster().links.size(); ++link) {
            const Link& each = scene.cluster().links[link];
            const bool between = each.a.substr(0, 2) == "s0" && each.b.substr(0, 2) == "s1";
            if (between || (each.a == "s0g0" && each.b == "s0g1"))
                overlay.lines.push_back({static_cast<int>(link), Qt::red, 3, {}, 1024});
        }
        QCOMPARE(overlay.lines.size(), std::size_t(17));
        // From each of the two servers to the hub of all, and the one inside.
        QCOMPARE(PlacedOverlay(overlay, scene).routeCount(), std::size_t(3));
        QVERIFY(PlacedOverlay().isEmpty());
    }
};

STAGECRAFT_TEST(ClusterFigureTest)
#include "cluster_figure_test.moc"
