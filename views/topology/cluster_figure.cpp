#include "views/topology/cluster_figure.h"

#include "core/base/units.h"
#include "views/common/text.h"
#include "views/common/theme.h"
#include "views/figures/legend.h"
#include "views/topology/brief_cluster.h"
#include "views/topology/direct_lines.h"
#include "views/topology/fold_labels.h"
#include "views/topology/link_colours.h"
#include "views/topology/switch_rows.h"
#include "views/topology/topology_scene.h"

#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace stagecraft::views::topology {

namespace {

constexpr double marginMm = 0.3;
const QColor greyInk(0x50, 0x58, 0x64);
constexpr int mostLegendEntries = 40;
constexpr double leastType = 8;    // scene units that type takes in what is drawn for many
constexpr double directMm = 0.22;  // of the slowest line between two devices

/// Maps the scene to the sheet and adds one kind of thing after the other.
class ClusterSheet {
public:
    /// @param whole what the legend and the notes are about: the scene itself, or what it is a brief picture
    /// of
    /// @param standIns servers that are called what the box in them is called
    ClusterSheet(const TopologyScene& scene, const TopologyScene& whole, const ClusterFigureOptions& options,
                 std::set<std::string> standIns = {})
        : scene_(scene),
          whole_(whole),
          standIns_(std::move(standIns)),
          options_(options),
          figure_{options.widthMm, 0, "Cluster", {}} {
        bounds_ = scene.layout().bounds;
        for (const LinkBundle& bundle : scene.links().bundles) {
            bounds_ |= bundle.route.boundingRect();
            for (const QPolygonF& exit : bundle.exits) bounds_ |= exit.boundingRect();
        }
        for (const InnerLink& inner : scene.links().inner) bounds_ |= inner.route.boundingRect();
        scale_ = (options.widthMm - 2 * marginMm) / std::max(1.0, bounds_.width());
        // A few boxes are no larger than their text asks for.
        if (hasFolds(scene.layout())) scale_ = std::min(scale_, mmOfPoints(options.fontPt) / leastType);
        leftMm_ = (options.widthMm - bounds_.width() * scale_) / 2;
        high_ = scale_ * stretch();
    }

    Figure draw() {
        modelInTiles_ = !devicesAreAlike() || scene_.cluster().devices.empty() || modelFitsTiles();
        addLines();
        addServers();
        addInnerLines();
        addSwitches();
        addMeshHubs();
        addGroups();
        addBundleLabels();
        addDevices();
        double y = bounds_.height() * high_ + 2 * marginMm;
        y += addKinds(y + 0.8);
        y += addNote(y);
        if (options_.legend && scene_.plan()) y += addStages(y + 0.8);
        figure_.heightMm = std::ceil(y * 10) / 10;
        return options_.grey ? inGrey(std::move(figure_)) : figure_;
    }

    /// Things in the figure that could not be named, without servers.
    qsizetype unnamedCount() const { return unnamed_.size(); }

private:
    QPointF at(QPointF point) const {
        const QPointF from = point - bounds_.topLeft();
        return {from.x() * scale_ + leftMm_, from.y() * high_ + marginMm};
    }
    QRectF at(const QRectF& rect) const { return {at(rect.topLeft()), at(rect.bottomRight())}; }

    /// By how much more than its width the drawing grows in height: its lines are upright and level, and
    /// type that is as high as the lowest box needs room in it. No figure gets higher than wide by this.
    double stretch() const {
        constexpr double mostStretch = 2;
        double lowest = serverHeader;
        for (std::size_t i = 0; i < scene_.layout().switches.size(); ++i)
            if (scene_.layout().isDrawn(static_cast<int>(i)))
                lowest = std::min(lowest, scene_.layout().switches[i].height());
        const double wanted = std::clamp(lineMm() / (lowest * scale_), 1.0, mostStretch);
        return std::max(1.0, std::min(wanted, bounds_.width() / std::max(1.0, bounds_.height())));
    }

    double lineMm() const { return 1.25 * mmOfPoints(options_.fontPt); }

    /// The first wording that fits the room; without one nothing, because type is never set smaller and half
    /// of a name is no name. @return the number of the wording, or -1
    int addText(QPointF where, const QStringList& wordings, const QSizeF& room, TextAnchor anchor,
                const QColor& colour, bool bold = false) {
        constexpr double airy = 1.3;  // letters do not touch the edges of their box
        if (airy * capHeightMm(options_.fontPt) > room.height()) return -1;
        for (int i = 0; i < wordings.size(); ++i) {
            if (wordings[i].isEmpty() || widthOf(wordings[i], bold) > room.width()) continue;
            figure_.add(
                FigureText{where, wordings[i], options_.fontPt, anchor, TextRise::middle, 0, colour, bold});
            return i;
        }
        return -1;
    }

    double widthOf(const QString& text, bool bold) const {
        constexpr double boldShare = 1.15;  // of plain letters
        return (bold ? boldShare : 1) * textWidthMm(text, options_.fontPt);
    }

    /// From the whole id to the number at its end: "server1/gpu3", "gpu3", "3".
    static QStringList wordingsOf(const QString& id) {
        static const QRegularExpression separator(QStringLiteral("[/:._ -]")),
            digits(QStringLiteral("\\d+$"));
        return {id, id.section(separator, -1), digits.match(id).captured()};
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
        // Lanes side by side have room between them.
        const auto widthInLanes = [&](double bandwidthBps) {
            return std::min(widthOf(bandwidthBps), std::max(0.12, 0.5 * lanePitch * scale_));
        };
        for (const LinkMesh& mesh : scene_.links().meshes)
            for (const QPolygonF& route : mesh.routes)
                addRoute(route, {inkOf(mesh.summary.links.front()), widthOf(mesh.summary.maxBps), {}},
                         "network");
        for (const LinkBundle& bundle : scene_.links().bundles)
            if (bundle.mesh < 0)
                addRoute(bundle.route,
                         {inkOf(bundle.summary.links.front()), widthInLanes(bundle.summary.maxBps), {}},
                         "network");
    }

    QColor inkOf(int link) const { return linkInk(linkAt(link).kind); }
    const Link& linkAt(int link) const { return scene_.cluster().links[static_cast<std::size_t>(link)]; }

    void addInnerLines() {
        for (const LinkBundle& bundle : scene_.links().bundles)
            for (const QPolygonF& exit : bundle.exits)
                addRoute(exit, {inkOf(bundle.summary.links.front()), widthOf(bundle.summary.maxBps), {}},
                         "network");
        for (const InnerLink& inner : scene_.links().inner)
            addRoute(inner.route,
                     {inkOf(inner.link),
                      inner.isDirect ? directMm * inner.thickness : widthOf(linkAt(inner.link).bandwidthBps),
                      {}},
                     "link");
        for (const LinkHub& hub : scene_.links().hubs)
            for (const QPolygonF& route : hub.routes)
                addRoute(route, {inkOf(hub.summary.links.front()), 0.3, {}}, "link");
        addRates();
    }

    /// Boxes with round ends.
    void addMeshHubs() {
        constexpr int steps = 16;
        for (std::size_t i = 0; i < scene_.links().meshes.size(); ++i) {
            const QRectF box = at(scene_.layout().meshes[i].hub);
            const LinkMesh& mesh = scene_.links().meshes[i];
            const double radius = box.height() / 2;
            FigurePolygon outline{
                {}, true, Fill{Qt::white}, Stroke{inkOf(mesh.summary.links.front()), 0.2, {}}, "mesh"};
            for (const double side : {1.0, -1.0})
                for (int step = 0; step <= steps; ++step) {
                    const double angle = M_PI * (static_cast<double>(step) / steps - 0.5);
                    outline.points.push_back(
                        box.center() + side * QPointF(box.width() / 2 - radius + radius * std::cos(angle),
                                                      radius * std::sin(angle)));
                }
            figure_.add(std::move(outline));
            const bool two = 2.6 * lineMm() <= box.height();
            const QSizeF room(box.width() - radius, two ? lineMm() : box.height());
            const int wording = addText({box.center().x(), box.top() + (two ? 0.32 : 0.5) * box.height()},
                                        {mesh.text(), QStringLiteral("all to all"), QStringLiteral("all")},
                                        room, TextAnchor::middle, Qt::black, true);
            if (wording < 0) unnamed_ << QStringLiteral("all to all");
            if (two)
                addText({box.center().x(), box.top() + 0.7 * box.height()}, {mesh.detail()}, room,
                        TextAnchor::middle, greyInk);
        }
    }

    /// On lines between devices where there is room at this size; all kinds are in the legend.
    void addRates() {
        const double high = 0.8 * lineMm();
        const auto add = [&](const QRectF& label, const QString& text) {
            const QRectF room = at(label);
            const double wide = widthOf(text, false);
            if (wide > room.width() || high > room.height() + 0.2) return;
            QRectF ground(0, 0, wide + 0.4, high);
            ground.moveCenter(room.center());
            figure_.add(FigureRectangle{ground, Fill{QColor(0xFA, 0xFB, 0xFC)}, {}, "rate"});
            figure_.add(FigureText{room.center(), text, options_.fontPt, TextAnchor::middle, TextRise::middle,
                                   0, Qt::black});
        };
        for (const InnerLink& inner : scene_.links().inner)
            if (!inner.label.isEmpty()) add(inner.label, rateInWords(linkAt(inner.link)));
        for (const LinkHub& hub : scene_.links().hubs) add(hub.label, hub.text());
    }

    /// As people read: further right in a row, or in a row below.
    static bool comesAfter(const QRectF& box, const QRectF& before) {
        return box.top() >= before.bottom() || (box.top() < before.bottom() && box.left() >= before.right());
    }

    void addFrames(const ServerBox& server) {
        for (const auto& [socket, frame] : server.frames) {
            const QRectF box = at(frame);
            figure_.add(
                FigureRectangle{box, Fill{Qt::white}, Stroke{QColor(0xD4, 0xD8, 0xDE), 0.15, {}}, "socket"});
            QString name = scene_.names().of({ClusterNode::Kind::switchNode, socket});
            addText({box.left() + 8 * scale_, box.top() + 9 * high_},
                    {name.replace(QLatin1String("CPU"), QLatin1String("Socket"))},
                    {box.width() - 16 * scale_, 18 * high_}, TextAnchor::start, greyInk);
        }
    }

    void addServers() {
        for (std::size_t index = 0; index < scene_.layout().servers.size(); ++index) {
            const ServerBox& server = scene_.layout().servers[index];
            if (server.box.isEmpty() || server.isGroup()) continue;
            const QRectF box = at(server.box);
            figure_.add(FigureRectangle{box, Fill{QColor(0xFA, 0xFB, 0xFC)},
                                        Stroke{QColor(0xC0, 0xC6, 0xCE), 0.2, {}}, "server"});
            const double inset = 10 * scale_, header = serverHeader * high_;
            const bool named =
                standIns_.contains(server.name) ||
                addText({box.left() + inset, box.top() + header / 2}, wordingsOf(qtText(server.name)),
                        {box.width() - 2 * inset, header}, TextAnchor::start, Qt::black, true) >= 0;
            if (!named) {
                rowByRow_ = rowByRow_ && (unnamedServers_.isEmpty() || comesAfter(box, lastUnnamed_));
                lastUnnamed_ = box;
                unnamedServers_ << qtText(server.name);
            }
            addFrames(server);
        }
    }

    /// Boxes that represent many servers, as piles; what has no room in one is said below the drawing.
    void addGroups() {
        const double pileMm = 0.5 * groupPile * scale_;
        for (std::size_t index = 0; index < scene_.layout().servers.size(); ++index) {
            const ServerBox& group = scene_.layout().servers[index];
            if (!group.isGroup()) continue;
            const QRectF box = at(group.box);
            for (const int behind : {2, 1, 0})
                figure_.add(FigureRectangle{box.translated(behind * pileMm, -behind * pileMm),
                                            Fill{QColor(0xFA, 0xFB, 0xFC)},
                                            Stroke{QColor(0x70, 0x76, 0x80), 0.2, {}}, "servers"});
            const GroupWords words = groupWords(scene_.cluster(), scene_.layout(), static_cast<int>(index));
            const double band = addShares(static_cast<int>(index), box);
            const double inset = insetOf(box), room = box.height() - band;
            std::vector<QStringList> texts = {{words.title, words.number}, {words.each}, {words.range}};
            if (!words.parts.isEmpty()) texts.insert(texts.begin() + 2, {words.parts});
            const std::size_t rows =
                std::clamp(static_cast<std::size_t>(room / lineMm()), std::size_t(1), texts.size());
            bool isSaid = rows == texts.size();
            for (std::size_t row = 0; row < rows; ++row) {
                const double y =
                    box.top() + (static_cast<double>(row) + 0.5) * room / static_cast<double>(rows);
                isSaid &=
                    addText({box.center().x(), y}, texts[row], {box.width() - 2 * inset, 1.3 * lineMm()},
                            TextAnchor::middle, row >= 2 ? greyInk : Qt::black, row == 0) == 0;
            }
            if (!isSaid)
                folded_ << words.title + ": " + words.each + ", " +
                               (words.parts.isEmpty() ? QString() : words.parts + ", ") + words.range;
        }
    }

    /// Its stages at the lower edge of a box for many, each as wide as its share. @return the height taken
    double addShares(int server, const QRectF& box) {
        const std::vector<StageShare> shares = stageShares(scene_, server);
        if (shares.empty()) return 0;
        double all = 0;
        for (const StageShare& share : shares) all += share.devices;
        const double high = std::min(1.4 * lineMm(), box.height() / 3);
        double left = box.left();
        for (const StageShare& share : shares) {
            const double wide = box.width() * share.devices / all;
            const QRectF own(left, box.bottom() - high, wide, high);
            const QColor colour =
                share.stage < 0 ? QColor(Qt::white) : stageColour(share.stage, scene_.plan()->stageCount());
            figure_.add(FigureRectangle{own, Fill{colour}, Stroke{QColor(0x40, 0x46, 0x50), 0.1, {}},
                                        share.stage < 0 ? "idle" : "stage" + std::to_string(share.stage)});
            addText(own.center(), {share.stage < 0 ? QStringLiteral("idle") : stageMark(share.stage)},
                    {wide, high}, TextAnchor::middle, readableOn(colour), true);
            left += wide;
        }
        return high;
    }

    /// How many links a line from or to a box for many represents; below the drawing where it has no room.
    void addBundleLabels() {
        std::vector<QRectF> taken;
        for (const ServerBox& server : scene_.layout().servers)
            if (!server.box.isEmpty()) taken.push_back(at(server.box));
        for (std::size_t i = 0; i < scene_.layout().switches.size(); ++i)
            if (scene_.layout().serverOfSwitch[i] < 0 && scene_.layout().isDrawn(static_cast<int>(i)))
                taken.push_back(at(scene_.layout().switches[i]));
        for (const FoldLabel& label : foldLabels(scene_.links(), scene_.layout()))
            if (!addFoldLabel(label, taken))
                for (const int index : label.bundles) {
                    const LinkBundle& bundle = scene_.links().bundles[static_cast<std::size_t>(index)];
                    folded_ << nameOfEnd(bundle.a) + QString::fromUtf8(" – ") + nameOfEnd(bundle.b) + ": " +
                                   bundle.text();
                }
    }

    /// @return whether there was room for it, which is taken
    bool addFoldLabel(const FoldLabel& label, std::vector<QRectF>& taken) {
        for (const QPointF& place : label.places) {
            QRectF ground(0, 0, widthOf(label.text, false) + 0.6, lineMm());
            ground.moveCenter(at(place));
            const bool fits = ground.left() >= marginMm && ground.right() <= options_.widthMm - marginMm;
            const auto meets = [&ground](const QRectF& other) { return other.intersects(ground); };
            if (!fits || std::any_of(taken.begin(), taken.end(), meets)) continue;
            taken.push_back(ground);
            figure_.add(FigureRectangle{ground, Fill{Qt::white}, {}, "rate"});
            figure_.add(FigureText{ground.center(), label.text, options_.fontPt, TextAnchor::middle,
                                   TextRise::middle, 0, Qt::black});
            return true;
        }
        return false;
    }

    QString nameOfEnd(int end) const {
        const int servers = static_cast<int>(scene_.layout().servers.size());
        if (end >= servers) return scene_.names().ofStack(scene_.layout(), end - servers);
        const ServerBox& server = scene_.layout().servers[static_cast<std::size_t>(end)];
        return server.isGroup() ? groupWords(scene_.cluster(), scene_.layout(), end).title
                                : qtText(server.name);
    }

    void addSwitches() {
        for (std::size_t index = 0; index < scene_.layout().switches.size(); ++index) {
            if (!scene_.layout().isDrawn(static_cast<int>(index))) continue;
            const QRectF box = at(scene_.layout().switches[index]);
            const QString name = scene_.names().ofStack(scene_.layout(), static_cast<int>(index));
            figure_.add(
                FigureRectangle{box, Fill{Qt::white}, Stroke{QColor(0x70, 0x76, 0x80), 0.2, {}}, "switch"});
            const LinkSummary& links = scene_.links().ofSwitch(static_cast<int>(index));
            if (isUprightBar(scene_.layout().switches[index])) {
                addAlong(box, name, links.text());
                continue;
            }
            const bool two = 2.3 * lineMm() <= box.height() && !links.links.empty();
            const QSizeF room(box.width() - 4 * scale_, two ? lineMm() : box.height());
            const int wording = addText({box.center().x(), box.top() + (two ? 0.32 : 0.5) * box.height()},
                                        NodeNames::wordings(name), room, TextAnchor::middle, Qt::black,
                                        !standIns_.contains(scene_.cluster().switches[index].server));
            if (wording < 0) unnamed_ << name;
            if (wording > 0) addNumbered(name, NodeNames::wordings(name)[wording], box.top());
            if (two)
                addText({box.center().x(), box.top() + 0.72 * box.height()}, {links.text()}, room,
                        TextAnchor::middle, greyInk);
        }
    }

    /// Upwards in an upright bar.
    void addAlong(const QRectF& bar, const QString& name, const QString& links) {
        QStringList wordings = {name + QString::fromUtf8("  ·  ") + links};
        wordings << NodeNames::wordings(name);
        const auto fits = [&](const QString& text) {
            return widthOf(text, true) <= bar.height() && lineMm() <= bar.width();
        };
        const auto wording = std::find_if(wordings.begin(), wordings.end(), fits);
        if (wording == wordings.end()) {
            unnamed_ << name;
            return;
        }
        figure_.add(FigureText{bar.center(), *wording, options_.fontPt, TextAnchor::middle, TextRise::middle,
                               -90, Qt::black, true});
    }

    void addDevices() {
        const int stages = scene_.plan() ? scene_.plan()->stageCount() : 0;
        for (int device = 0; device < scene_.cluster().deviceCount(); ++device) {
            if (scene_.layout().isHidden({ClusterNode::Kind::device, device})) continue;
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

    /// Three lines where they have room, else the name; the stage is what a reader looks for, and stands
    /// alone where there is no room for both.
    void addDeviceText(int index, const QRectF& tile, const QColor& ground) {
        const Device& device = scene_.cluster().devices[static_cast<std::size_t>(index)];
        QStringList stages;
        for (const int stage : scene_.stagesOf(index)) stages << stageMark(stage);
        const QColor ink = readableOn(ground);
        const QString stage = stages.join(',');
        const double inset = insetOf(tile), wide = tile.width() - 2 * inset;
        const bool three = modelInTiles_ && 3 * lineMm() <= tile.height();
        const double top = tile.top() + (three ? 0.22 : 0.5) * tile.height();
        const double line = three ? lineMm() : tile.height();
        const double badge = stage.isEmpty() ? 0 : widthOf(stage, true) + inset;
        const QStringList names = NodeNames::wordings(scene_.names().of({ClusterNode::Kind::device, index}));
        const bool both = std::any_of(names.begin(), names.end(), [&](const QString& name) {
            return !name.isEmpty() && widthOf(name, true) <= wide - badge;
        });
        bool isNamed = false;
        if (both) {
            const bool alone = !three && stage.isEmpty();
            const int wording =
                addText({alone ? tile.center().x() : tile.left() + inset, top}, names, {wide - badge, line},
                        alone ? TextAnchor::middle : TextAnchor::start, ink, true);
            isNamed = wording >= 0;
            if (wording > 0) addNumbered(names.front(), names[wording], tile.top());
            addText({tile.right() - inset, top}, {stage}, {wide, line}, TextAnchor::end, ink, true);
        } else {
            addText({tile.center().x(), top}, {stage}, {wide, line}, TextAnchor::middle, ink, true);
        }
        if (!isNamed) unnamed_ << names.front();
        if (!three) return;
        addText({tile.left() + inset, tile.top() + 0.54 * tile.height()}, {qtText(device.gpu)}, {wide, line},
                TextAnchor::start, ink);
        addText({tile.left() + inset, tile.top() + 0.81 * tile.height()}, {memoryOf(device)}, {wide, line},
                TextAnchor::start, ink);
    }

    static QString memoryOf(const Device& device) { return qtText(formatBytes(device.memoryBytes)); }

    bool devicesAreAlike() const {
        const DeviceList& devices = whole_.cluster().devices;
        return std::all_of(devices.begin(), devices.end(), [&](const Device& each) {
            return each.gpu == devices.front().gpu && each.memoryBytes == devices.front().memoryBytes;
        });
    }

    /// Whether each tile has room for the model and the memory of its device.
    bool modelFitsTiles() const {
        for (std::size_t i = 0; i < scene_.layout().devices.size(); ++i) {
            const Device& device = scene_.cluster().devices[i];
            if (scene_.layout().isHidden({ClusterNode::Kind::device, static_cast<int>(i)})) continue;
            const QRectF tile = at(scene_.layout().devices[i]);
            const double wide = tile.width() - 2 * insetOf(tile);
            if (3 * lineMm() > tile.height() || widthOf(qtText(device.gpu), false) > wide ||
                widthOf(memoryOf(device), false) > wide)
                return false;
        }
        return true;
    }

    double insetOf(const QRectF& tile) const { return std::min(5 * scale_, 0.15 * tile.width()); }

    /// What the drawing has no room for, and the legend of the lines between servers. @return the height
    /// taken
    double addNote(double y) {
        const DeviceList& devices = whole_.cluster().devices;
        QStringList lines;
        if (&whole_ != &scene_)
            lines << QStringLiteral("of servers that are alike the first is drawn in full");
        if (!modelInTiles_)
            lines << "each GPU: " +
                         (devices.front().gpu.empty() ? QString() : qtText(devices.front().gpu) + ", ") +
                         memoryOf(devices.front());
        if (const QString folded = foldedInWords(scene_.layout()); !folded.isEmpty())
            lines << folded + "; those in a box are alike";
        lines << folded_;
        if (!numbered_.empty()) lines << numberedInWords();
        if (!shortened_.isEmpty()) lines << shortened_ + ", and likewise";
        if (const QStringList unnamed = unnamedInWords(); !unnamed.isEmpty())
            lines << "boxes without a name: " + unnamed.join(QStringLiteral(", "));
        LinkSummary undrawn;
        for (const LinkSummary& server : whole_.links().undrawn)
            for (const int link : server.links)
                undrawn.add(link, whole_.cluster().links[static_cast<std::size_t>(link)]);
        if (!undrawn.links.empty())
            lines << "not drawn: " + countedText(static_cast<long long>(undrawn.links.size()), "link") +
                         " inside servers, " + undrawn.text();
        const LinkSummary& between = whole_.links().betweenServers;
        if (!between.links.empty())
            lines << "between servers: " + countedText(static_cast<long long>(between.links.size()), "link") +
                         ", " + between.text();
        const double high = 1.6 * mmOfPoints(options_.fontPt), wide = options_.widthMm - 2 * marginMm;
        lines = inLines(lines, wide);
        for (int i = 0; i < lines.size(); ++i)
            figure_.add(FigureText{{marginMm, y + (i + 0.5) * high},
                                   cutToWidth(lines[i], wide, options_.fontPt),
                                   options_.fontPt,
                                   TextAnchor::start,
                                   TextRise::middle,
                                   0,
                                   greyInk});
        return static_cast<double>(lines.size()) * high;
    }

    /// What is too wide goes on in another line, from one comma to the next.
    QStringList inLines(const QStringList& texts, double wide) const {
        QStringList lines;
        for (const QString& text : texts) {
            QString line;
            for (const QString& part : text.split(QStringLiteral(", "))) {
                const QString longer = line.isEmpty() ? part : line + ", " + part;
                if (!line.isEmpty() && textWidthMm(longer + ",", options_.fontPt) > wide) {
                    lines << line + ",";
                    line = part;
                } else {
                    line = longer;
                }
            }
            lines << line;
        }
        return lines;
    }

    /// "servers s0–s3, PCIe switch ×4, leaf0–leaf3": nouns with counts, and what people named in ranges.
    QStringList unnamedInWords() const {
        static const QRegularExpression noun(QStringLiteral("^(.*?),?\\s+\\S*\\d+.*$"));
        QStringList words = inRanges(unnamedServers_), order, own;
        if (!words.isEmpty())
            words.front().prepend(unnamedServers_.size() == 1 ? QStringLiteral("server ")
                                                              : QStringLiteral("servers "));
        if (unnamedServers_.size() > 1 && rowByRow_) words.back() += QStringLiteral(" row by row");
        std::map<QString, int> counts;
        for (const QString& name : unnamed_) {
            const auto match = noun.match(name);
            const QString word = match.hasMatch() ? match.captured(1) : name;
            if (!order.contains(word)) order << word;
            ++counts[word];
        }
        for (const QString& word : order)
            if (counts[word] > 1)
                words << QString::fromUtf8("%1 ×%2").arg(word).arg(counts[word]);
            else
                own << *std::find_if(unnamed_.begin(), unnamed_.end(),
                                     [&](const QString& name) { return name.startsWith(word); });
        return words + inRanges(own);
    }

    void addNumbered(const QString& name, const QString& shown, double y) {
        if (shown == NodeNames::initials(name)) shortened_ = shown + " is short for " + name;
        // "GPU 3" and "NIC mlx5_3" are the third of their kind.
        const QString noun = name.section(' ', 0, -2);
        const bool isNumber = std::all_of(shown.begin(), shown.end(), [](QChar c) { return c.isDigit(); });
        if (isNumber && name.endsWith(shown) && !noun.isEmpty()) numbered_.try_emplace(noun, y);
    }

    /// "numbers in boxes, from the top: CPUs, PCIe switches, GPUs".
    QString numberedInWords() const {
        std::vector<std::pair<double, QString>> nouns;
        for (const auto& [noun, y] : numbered_) nouns.emplace_back(y, noun);
        std::sort(nouns.begin(), nouns.end());
        QStringList words;
        for (const auto& [y, noun] : nouns)
            words << noun + (noun.endsWith(QLatin1Char('h')) ? QStringLiteral("es") : QStringLiteral("s"));
        return (words.size() > 1 ? QStringLiteral("numbers in boxes, from the top: ")
                                 : QStringLiteral("numbers in boxes: ")) +
               words.join(QStringLiteral(", "));
    }

    /// What the colours of lines are, with all rates.
    double addKinds(double y) {
        std::vector<LegendEntry> entries;
        const double room = legendTextRoomMm(marginMm, options_.widthMm - marginMm, options_.fontPt);
        for (const LinkKind& kind : whole_.links().kinds) {
            const QString name = (kind.kind.empty() ? QStringLiteral("Link") : kindName(kind.kind)) + " ";
            const bool fits = textWidthMm(name + kind.rates, options_.fontPt) <= room;
            entries.push_back({name + (fits ? kind.rates : bandwidthRange(kind.minBps, kind.maxBps)),
                               {},
                               Stroke{linkInk(kind.kind),
                                      kind.thickness > 0 ? directMm * kind.thickness : widthOf(kind.maxBps),
                                      {}},
                               true,
                               "kind"});
        }
        if (entries.empty()) return 0;
        return 0.8 + addLegend(figure_, entries, marginMm, options_.widthMm - marginMm, y, options_.fontPt);
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
    const TopologyScene& whole_;
    std::set<std::string> standIns_;
    ClusterFigureOptions options_;
    Figure figure_;
    QRectF bounds_;
    double scale_ = 1;                    ///< mm per unit of the scene across
    double high_ = 1;                     ///< and downwards
    double leftMm_ = marginMm;            ///< of the drawing, which is in the middle
    std::map<QString, double> numbered_;  ///< what shows its number alone, with its height in the figure
    QStringList folded_;                  ///< what is said below of boxes for many and their lines
    QString shortened_;                   ///< of one that shows its initials what these say
    QStringList unnamed_;                 ///< devices and switches without room for a name
    QStringList unnamedServers_;
    QRectF lastUnnamed_;        ///< the box of the last of these
    bool rowByRow_ = true;      ///< they are in the order in which people read
    bool modelInTiles_ = true;  ///< else one line below says it of all
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
    const TopologyScene scene(cluster, std::move(run), {}, options.folding);
    ClusterSheet sheet(scene, scene, options);
    Figure figure = sheet.draw();
    if (sheet.unnamedCount() == 0 || scene.plan() || hasFolds(scene.layout())) return figure;
    // What cannot be read of many like servers is shown of one.
    const std::optional<BriefCluster> brief = briefCluster(cluster);
    if (!brief) return figure;
    const TopologyScene few(brief->cluster, nullptr);
    ClusterSheet briefSheet(few, scene, options, brief->standIns);
    Figure briefFigure = briefSheet.draw();
    return briefSheet.unnamedCount() < sheet.unnamedCount() ? briefFigure : figure;
}

}  // namespace stagecraft::views::topology
