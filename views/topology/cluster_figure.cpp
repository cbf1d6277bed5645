#include "views/topology/cluster_figure.h"

#include "core/base/units.h"
#include "views/common/counted_text.h"
#include "views/common/qt_text.h"
#include "views/common/stage_mark.h"
#include "views/common/theme.h"
#include "views/figures/cut_in_middle.h"
#include "views/figures/legend.h"
#include "views/topology/topology_scene.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stagecraft::views {

namespace {

constexpr double leastPt = 3;
constexpr double marginMm = 0.3;
constexpr int mostLegendEntries = 40;

/// Maps the scene to the sheet and adds one kind of thing after the other.
class ClusterSheet {
public:
    ClusterSheet(const TopologyScene& scene, const ClusterFigureOptions& options)
        : scene_(scene), options_(options), figure_{options.widthMm, 0, "Cluster", {}} {
        bounds_ = scene.layout().bounds;
        for (const LinkBundle& bundle : scene.links().bundles) bounds_ |= bundle.route.boundingRect();
        for (const InnerLink& inner : scene.links().inner) bounds_ |= inner.route.boundingRect();
        scale_ = (options.widthMm - 2 * marginMm) / std::max(1.0, bounds_.width());
    }

    Figure draw() {
        addLines();
        addServers();
        addInnerLines();
        addSwitches();
        addDevices();
        double y = bounds_.height() * scale_ + 2 * marginMm;
        y += addNote(y);
        if (options_.legend && scene_.plan()) y += addStages(y + 0.8);
        figure_.heightMm = std::ceil(y * 10) / 10;
        return options_.grey ? inGrey(std::move(figure_)) : figure_;
    }

private:
    QPointF at(QPointF point) const {
        return (point - bounds_.topLeft()) * scale_ + QPointF(marginMm, marginMm);
    }
    QRectF at(const QRectF& rect) const { return {at(rect.topLeft()), rect.size() * scale_}; }

    /// The size at which type `high` scene units high is set; 0: too small to read.
    double pointsOf(double high) const {
        constexpr double pointsPerMm = 72 / 25.4;
        const double points = std::min(options_.fontPt, high * scale_ * pointsPerMm);
        return points < leastPt ? 0 : points;
    }

    void addText(QPointF where, const QString& text, double points, double widthMm, TextAnchor anchor,
                 const QColor& colour, bool bold = false) {
        if (points == 0 || text.isEmpty()) return;
        // What is a little too wide is set smaller before it is cut.
        points = std::max(leastPt, std::min(points, points * widthMm / textWidthMm(text, points)));
        const QString cut = cutInMiddle(text, widthMm, points);
        figure_.add(FigureText{where, cut, points, anchor, TextRise::middle, 0, colour, bold});
    }

    void addRoute(const QPolygonF& route, const Stroke& stroke, const std::string& role) {
        if (route.size() < 2) return;
        FigurePolygon line{{}, false, {}, stroke, role};
        for (const QPointF& point : route) line.points.push_back(at(point));
        figure_.add(std::move(line));
    }

    static double widthOf(double bandwidthBps) {
        return std::clamp(0.18 + 0.12 * std::log10(std::max(1.0, bandwidthBps / 1e9)), 0.15, 0.5);
    }

    void addLines() {
        for (const LinkBundle& bundle : scene_.links().bundles)
            addRoute(bundle.route,
                     {bundle.betweenServers ? QColor(0xB0, 0xB4, 0xBA) : QColor(0x70, 0x76, 0x80),
                      widthOf(bundle.summary.maxBps),
                      {}},
                     "network");
    }

    void addInnerLines() {
        for (const InnerLink& inner : scene_.links().inner) {
            const Link& link = scene_.cluster().links[static_cast<std::size_t>(inner.link)];
            addRoute(inner.route, {QColor(0x70, 0x76, 0x80), widthOf(link.bandwidthBps), {}}, "link");
        }
    }

    void addServers() {
        for (std::size_t index = 0; index < scene_.layout().servers.size(); ++index) {
            const ServerBox& server = scene_.layout().servers[index];
            const QRectF box = at(server.box);
            figure_.add(FigureRectangle{box, Fill{QColor(0xFA, 0xFB, 0xFC)},
                                        Stroke{QColor(0xC0, 0xC6, 0xCE), 0.2, {}}, "server"});
            const double points = pointsOf(20);
            const double inset = 10 * scale_;
            addText({box.left() + inset, box.top() + serverHeader / 2 * scale_}, qtText(server.name), points,
                    box.width() - 2 * inset, TextAnchor::start, Qt::black, true);
            const LinkSummary& direct = scene_.links().serverSummary[index];
            if (!direct.links.empty())
                addText({box.center().x(), box.bottom() - 12 * scale_}, direct.text(), pointsOf(14),
                        box.width() - 2 * inset, TextAnchor::middle, QColor(0x50, 0x58, 0x64));
        }
    }

    void addSwitches() {
        for (std::size_t index = 0; index < scene_.layout().switches.size(); ++index) {
            const QRectF box = at(scene_.layout().switches[index]);
            figure_.add(
                FigureRectangle{box, Fill{Qt::white}, Stroke{QColor(0x70, 0x76, 0x80), 0.2, {}}, "switch"});
            const LinkSummary& links = scene_.links().switchSummary[index];
            const double points = pointsOf(15), small = pointsOf(13);
            const bool two = points > 0 && small > 0 && !links.links.empty();
            const double wide = box.width() - 4 * scale_;
            addText({box.center().x(), box.top() + (two ? 0.32 : 0.5) * box.height()},
                    qtText(scene_.cluster().switches[index].id), points, wide, TextAnchor::middle, Qt::black,
                    true);
            if (two)
                addText({box.center().x(), box.top() + 0.72 * box.height()}, links.text(), small, wide,
                        TextAnchor::middle, QColor(0x50, 0x58, 0x64));
        }
    }

    void addDevices() {
        const int stages = scene_.plan() ? scene_.plan()->stageCount() : 0;
        for (int device = 0; device < scene_.cluster().deviceCount(); ++device) {
            const QRectF tile = at(scene_.layout().devices[static_cast<std::size_t>(device)]);
            const std::vector<int>& own = scene_.stagesOf(device);
            const double each = tile.width() / std::max<double>(1, static_cast<double>(own.size()));
            for (std::size_t i = 0; i < own.size(); ++i)
                figure_.add(FigureRectangle{
                    QRectF(tile.left() + static_cast<double>(i) * each, tile.top(), each, tile.height()),
                    Fill{stageColour(own[i], stages)},
                    {},
                    "stage" + std::to_string(own[i])});
            figure_.add(FigureRectangle{tile, own.empty() ? Fill{Qt::white} : Fill{},
                                        Stroke{QColor(0x40, 0x46, 0x50), 0.2, {}}, "device"});
            addDeviceText(device, tile, own.empty() ? QColor(Qt::white) : stageColour(own.front(), stages));
        }
    }

    void addDeviceText(int index, const QRectF& tile, const QColor& ground) {
        const Device& device = scene_.cluster().devices[static_cast<std::size_t>(index)];
        const std::vector<int>& own = scene_.stagesOf(index);
        const QColor ink = readableOn(ground);
        const double points = pointsOf(17), small = pointsOf(13), inset = 5 * scale_;
        // The stage is what a reader looks for: alone where there is no room for more.
        QStringList stages;
        for (const int stage : own) stages << stageMark(stage);
        if (points == 0) {
            addText(tile.center(), stages.join(','), pointsOf(40), tile.width(), TextAnchor::middle, ink,
                    true);
            return;
        }
        const QString stage = stages.join(',');
        const double badge = stage.isEmpty() ? 0 : textWidthMm(stage, points) * 1.15 + inset;
        const double top = tile.top() + (small == 0 ? 0.5 : 0.22) * tile.height();
        addText({tile.left() + inset, top}, qtText(device.id), points, tile.width() - 2 * inset - badge,
                TextAnchor::start, ink, true);
        addText({tile.right() - inset, top}, stage, points, tile.width(), TextAnchor::end, ink, true);
        addText({tile.left() + inset, tile.top() + 0.54 * tile.height()}, qtText(device.gpu), small,
                tile.width() - 2 * inset, TextAnchor::start, ink);
        addText({tile.left() + inset, tile.top() + 0.81 * tile.height()},
                qtText(formatBytes(device.memoryBytes)), small, tile.width() - 2 * inset, TextAnchor::start,
                ink);
    }

    /// The legend of the lines between servers. @return the height taken
    double addNote(double y) {
        const LinkSummary& between = scene_.links().betweenServers;
        if (between.links.empty()) return 0;
        const double high = 1.6 * mmOfPoints(options_.fontPt);
        addText({marginMm, y + high / 2},
                "between servers: " + countedText(static_cast<long long>(between.links.size()), "link") +
                    ", " + between.text(),
                options_.fontPt, options_.widthMm - 2 * marginMm, TextAnchor::start,
                QColor(0x50, 0x58, 0x64));
        return high;
    }

    double addStages(double y) {
        const Plan& plan = *scene_.plan();
        if (plan.stageCount() > mostLegendEntries) return 0;
        std::vector<LegendEntry> entries;
        for (int stage = 0; stage < plan.stageCount(); ++stage)
            entries.push_back({describeStage(plan, stage), Fill{stageColour(stage, plan.stageCount())},
                               Stroke{QColor(0x40, 0x46, 0x50), 0.15, {}}, false,
                               "stage" + std::to_string(stage)});
        return 0.8 + addLegend(figure_, entries, marginMm, options_.widthMm - marginMm, y, options_.fontPt);
    }

    const TopologyScene& scene_;
    ClusterFigureOptions options_;
    Figure figure_;
    QRectF bounds_;
    double scale_ = 1;
};

}  // namespace

Figure clusterFigure(const Cluster& cluster, std::shared_ptr<const PlanRun> run,
                     const ClusterFigureOptions& options) {
    if (cluster.devices.empty() && cluster.switches.empty())
        throw std::invalid_argument("no cluster to draw");
    if (!(options.widthMm >= 10 && options.widthMm <= 2000))
        throw std::invalid_argument("figure width must be 10–2000 mm");
    if (!(options.fontPt >= 1 && options.fontPt <= 100))
        throw std::invalid_argument("font size must be 1–100 pt");
    const TopologyScene scene(cluster, std::move(run));
    return ClusterSheet(scene, options).draw();
}

}  // namespace stagecraft::views
