#include "views/topology/topology_painter.h"

#include "core/base/units.h"
#include "views/common/colour_mixing.h"
#include "views/common/text.h"
#include "views/topology/direct_lines.h"
#include "views/topology/fold_labels.h"
#include "views/topology/link_colours.h"
#include "views/topology/link_tracks.h"
#include "views/topology/switch_rows.h"

#include <QFontMetricsF>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace stagecraft::views::topology {

namespace {

constexpr double leastTextPixels = 7.5;
constexpr double titleSize = 13;  // sizes in scene units
constexpr double bodySize = 11;
constexpr double numberSize = 28;  // the stage, where nothing else can be read
constexpr double leastNamePixels = 8.5;
constexpr int leastPillPixels = 9, mostPillPixels = 14;
constexpr double rateSize = 10;  // on a line
constexpr double groupTitleSize = 16;
constexpr double bandHeight = 20;  // of the stages on a device that holds several

}  // namespace

TopologyPainter::TopologyPainter(QPainter& painter, const TopologyScene& scene, const Viewport& viewport,
                                 QRectF screen, const QFont& font, double enlarged)
    : painter_(painter),
      scene_(scene),
      viewport_(viewport),
      screen_(screen),
      font_(font),
      scale_(viewport.scale),
      enlarged_(enlarged) {
    painter_.setRenderHint(QPainter::Antialiasing);
}

bool TopologyPainter::readable(double size) const { return size * scale_ >= leastTextPixels; }

double TopologyPainter::lineWidth(double bandwidthBps) {
    return std::clamp(1 + 0.8 * std::log10(std::max(1.0, bandwidthBps / 1e9)), 1.0, 3.5);
}

void TopologyPainter::paintBackground() {
    // In the colour of the legend, lighter than what is inside servers.
    for (const LinkMesh& mesh : scene_.links().meshes)
        for (const QPolygonF& route : mesh.routes)
            paintRoute(route, laidOver(lineColour(mesh.summary.links.front()), theme_.window, 0.8),
                       lineWidth(mesh.summary.maxBps));
    for (const LinkBundle& bundle : scene_.links().bundles) {
        if (bundle.mesh >= 0) continue;
        const QColor own = lineColour(bundle.summary.links.front());
        // Lanes side by side have room between them.
        const double width =
            std::min(lineWidth(bundle.summary.maxBps), std::max(1.0, 0.5 * lanePitch * scale_));
        paintRoute(bundle.route, bundle.summary.minBps > 0 ? laidOver(own, theme_.window, 0.8) : theme_.error,
                   width);
    }
    for (std::size_t i = 0; i < scene_.layout().servers.size(); ++i) paintServer(i);
    if (tileSize.width() * scale_ >= 8) paintInner();
}

void TopologyPainter::paintInner() {
    for (const LinkBundle& bundle : scene_.links().bundles)
        for (const QPolygonF& exit : bundle.exits)
            paintRoute(exit, lineColour(bundle.summary.links.front()), lineWidth(bundle.summary.maxBps));
    for (const InnerLink& inner : scene_.links().inner)
        paintRoute(
            inner.route, lineColour(inner.link),
            inner.isDirect
                ? 0.5 + inner.thickness
                : lineWidth(scene_.cluster().links[static_cast<std::size_t>(inner.link)].bandwidthBps));
    for (const LinkHub& hub : scene_.links().hubs)
        for (const QPolygonF& route : hub.routes) paintRoute(route, lineColour(hub.summary.links.front()), 2);
    paintRates();
}

/// Rates of direct links, on their lines.
void TopologyPainter::paintRates() {
    if (!readable(rateSize)) return;
    const auto paint = [&](const QRectF& label, const QString& text) {
        const QRectF box = viewport_.toScreen(label);
        if (!visible(box)) return;
        font_.setPixelSize(static_cast<int>(std::lround(rateSize * scale_)));
        font_.setBold(false);
        painter_.setFont(font_);
        const double width = QFontMetricsF(font_).horizontalAdvance(text) + 4 * scale_;
        QRectF ground(0, 0, width, box.height());
        ground.moveCenter(box.center());
        painter_.fillRect(ground, theme_.surface);
        painter_.setPen(theme_.text);
        painter_.drawText(ground, Qt::AlignCenter | Qt::TextSingleLine, text);
    };
    for (const InnerLink& inner : scene_.links().inner)
        if (!inner.label.isEmpty())
            paint(inner.label, rateInWords(scene_.cluster().links[static_cast<std::size_t>(inner.link)]));
    for (const LinkHub& hub : scene_.links().hubs) paint(hub.label, hub.text());
}

void TopologyPainter::paintServer(std::size_t index) {
    const ServerBox& server = scene_.layout().servers[index];
    const QRectF box = viewport_.toScreen(server.box);
    if (server.box.isEmpty() || !visible(box)) return;
    if (server.isGroup()) return;  // in front of lines: paintGroup()
    if (1.5 * tileCorner * scale_ < leastCorner) {
        paintPlainBox(box, theme_.surface, theme_.line);
    } else {
        painter_.setPen(QPen(theme_.line, 1.2));
        painter_.setBrush(theme_.surface);
        painter_.drawRoundedRect(box, 1.5 * tileCorner * scale_, 1.5 * tileCorner * scale_);
    }
    paintFrames(server);
    // The name stays as large as its strip allows, for as long as it can be read; then see paintServerNames.
    const QRectF header(box.left() + 14 * scale_, box.top(), box.width() - 28 * scale_,
                        serverHeader * scale_);
    const double nameSize = std::min(titleSize * std::max(1.0, 0.85 / scale_), 0.7 * serverHeader);
    paintText(header, Qt::AlignLeft | Qt::AlignVCenter, serverName(index), theme_.text, nameSize, true);
    const double name = QFontMetricsF(font_).horizontalAdvance(serverName(index));
    if (!server.fold.isEmpty())
        paintText(viewport_.toScreen(server.fold), Qt::AlignRight | Qt::AlignVCenter,
                  QStringLiteral("Fold NICs"), theme_.accent, bodySize);
    if (!server.close.isEmpty())
        paintText(viewport_.toScreen(server.close), Qt::AlignRight | Qt::AlignVCenter,
                  QStringLiteral("Fold server"), theme_.accent, bodySize);
    paintUndrawn(index, header.adjusted(readable(nameSize) ? name + 12 * scale_ : 0, 0, 0, 0));
}

/// Of links in a server that are not drawn, in words at the right of its strip, how many there are.
void TopologyPainter::paintUndrawn(std::size_t index, QRectF room) {
    const LinkSummary& undrawn = scene_.links().undrawn[index];
    if (undrawn.links.empty()) return;
    const ServerBox& server = scene_.layout().servers[index];
    const QRectF& fold = server.fold.isEmpty() ? server.close : server.fold;
    if (!fold.isEmpty()) room.setRight(viewport_.toScreen(fold).left() - 8 * scale_);
    const QString count = countedText(static_cast<long long>(undrawn.links.size()), "link");
    QString text = count + " not drawn, " + undrawn.text() + " each";
    font_.setPixelSize(std::max(1, static_cast<int>(std::lround(bodySize * scale_))));
    font_.setBold(false);
    if (QFontMetricsF(font_).horizontalAdvance(text) > room.width()) text = count + " not drawn";
    paintText(room, Qt::AlignRight | Qt::AlignVCenter, text, theme_.mutedText, bodySize);
}

QString TopologyPainter::serverName(std::size_t index) const {
    const std::string& name = scene_.layout().servers[index].name;
    return name.empty() ? QStringLiteral("no server") : qtText(name);
}

/// A box that represents many servers, as a pile; what has no room at its size is left out, the number last.
void TopologyPainter::paintGroup(std::size_t index, int highlighted) {
    const ServerBox& group = scene_.layout().servers[index];
    const QRectF box = viewport_.toScreen(group.box);
    if (!visible(box)) return;
    const double corner = 1.5 * tileCorner * scale_, off = 0.5 * groupPile * scale_;
    painter_.setPen(QPen(theme_.mutedText, 1.2));
    painter_.setBrush(theme_.surface);
    for (const int behind : {2, 1, 0})
        painter_.drawRoundedRect(box.translated(behind * off, -behind * off), corner, corner);
    const GroupWords words = groupWords(scene_.cluster(), scene_.layout(), static_cast<int>(index));
    const double inset = 14 * scale_;
    const QRectF inner = box.adjusted(inset, 8 * scale_, -inset, -8 * scale_);
    if (!readable(bodySize)) {
        const QRectF upper(inner.left(), inner.top(), inner.width(), inner.height() / 2);
        font_.setPixelSize(static_cast<int>(std::lround(std::max(groupTitleSize * scale_, leastNamePixels))));
        font_.setBold(true);
        const bool fits = QFontMetricsF(font_).horizontalAdvance(words.title) <= inner.width();
        paintFitted(scene_.plan() ? upper : inner, Qt::AlignCenter, fits ? words.title : words.number,
                    theme_.text, groupTitleSize);
    } else {
        const double line = 18 * scale_;
        const auto row = [&](double y) {
            return QRectF(inner.left(), inner.top() + y * scale_, inner.width(), line);
        };
        paintText(row(2), Qt::AlignLeft | Qt::AlignVCenter, words.title, theme_.text, groupTitleSize, true);
        paintText(row(2), Qt::AlignRight | Qt::AlignVCenter,
                  group.open.empty() ? QStringLiteral("Open one") : QStringLiteral("Fold server"),
                  theme_.accent, bodySize);
        paintText(row(28), Qt::AlignLeft | Qt::AlignVCenter, words.each, theme_.text, bodySize + 1);
        if (scene_.plan() || words.parts.isEmpty()) {
            paintText(row(47), Qt::AlignLeft | Qt::AlignVCenter, words.range, theme_.mutedText, bodySize);
        } else {
            paintText(row(49), Qt::AlignLeft | Qt::AlignVCenter, words.parts, theme_.mutedText, bodySize);
            paintText(row(72), Qt::AlignLeft | Qt::AlignVCenter, words.range, theme_.mutedText, bodySize);
        }
    }
    paintGroupStages(index, QRectF(inner.left(), box.bottom() - 34 * scale_, inner.width(), 24 * scale_),
                     highlighted);
}

/// A band for each stage that has GPUs in a box for many, as wide as its share.
void TopologyPainter::paintGroupStages(std::size_t index, const QRectF& band, int highlighted) {
    if (!scene_.plan()) return;
    const std::vector<StageShare> shares = stageShares(scene_, static_cast<int>(index));
    double all = 0;
    for (const StageShare& share : shares) all += share.devices;
    double left = band.left();
    for (const StageShare& share : shares) {
        const double width = band.width() * share.devices / all;
        const QColor colour =
            share.stage < 0 ? theme_.raised : stageColour(share.stage, scene_.plan()->stageCount());
        const QRectF own(left, band.top(), width, band.height());
        painter_.setOpacity(highlighted >= 0 && highlighted != share.stage ? 0.25 : 1);
        painter_.fillRect(own, colour);
        const QString mark = share.stage < 0 ? QStringLiteral("idle") : stageMark(share.stage);
        font_.setPixelSize(static_cast<int>(std::lround(std::max(bodySize * scale_, leastNamePixels))));
        font_.setBold(true);
        if (QFontMetricsF(font_).horizontalAdvance(mark) + 2 < width)
            paintFitted(own, Qt::AlignCenter, mark, readableOn(colour), bodySize);
        left += width;
    }
    painter_.setOpacity(1);
}

/// On lines that represent the links of many: how many, how fast. What would cover something is left out, and
/// said on hover.
void TopologyPainter::paintFoldedLabels() {
    std::vector<QRectF> taken;
    const TopologyLayout& layout = scene_.layout();
    for (const ServerBox& server : layout.servers)
        if (!server.box.isEmpty()) taken.push_back(viewport_.toScreen(server.box));
    for (std::size_t i = 0; i < layout.switches.size(); ++i)
        if (layout.serverOfSwitch[i] < 0 && layout.isDrawn(static_cast<int>(i)))
            taken.push_back(viewport_.toScreen(layout.switches[i]));
    for (const FoldLabel& label : foldLabels(scene_.links(), layout))
        for (const QPointF& place : label.places) {
            const QRectF pill = pillAt(viewport_.toScreen(place), label.text);
            const auto meets = [&pill](const QRectF& other) { return other.intersects(pill); };
            if (!screen_.contains(pill) || std::any_of(taken.begin(), taken.end(), meets)) continue;
            taken.push_back(pill);
            paintPill(pill.center(), label.text, theme_.line);
            break;
        }
}

/// Around sockets, with their names.
void TopologyPainter::paintFrames(const ServerBox& server) {
    for (const auto& [socket, frame] : server.frames) {
        const QRectF box = viewport_.toScreen(frame);
        if (!visible(box) || box.width() < 30) continue;
        painter_.setPen(QPen(theme_.line, 1));
        painter_.setBrush(theme_.window);
        painter_.drawRoundedRect(box, tileCorner * scale_, tileCorner * scale_);
        const QRectF title(box.left() + 8 * scale_, box.top(), box.width() - 16 * scale_, 18 * scale_);
        QString name = scene_.names().of({ClusterNode::Kind::switchNode, socket});
        paintText(title, Qt::AlignLeft | Qt::AlignVCenter,
                  name.replace(QLatin1String("CPU"), QLatin1String("Socket")), theme_.mutedText, bodySize);
    }
}

QFont TopologyPainter::labelFont() const {
    QFont font = font_;
    font.setPixelSize(11);
    font.setBold(true);
    return font;
}

std::vector<ServerLabel> TopologyPainter::serverLabels() const {
    std::vector<ServerLabel> labels;
    if (readable(0.7 * serverHeader)) return labels;
    const QFontMetricsF metrics(labelFont());
    for (std::size_t i = 0; i < scene_.layout().servers.size(); ++i) {
        const QRectF box = viewport_.toScreen(scene_.layout().servers[i].box);
        if (!visible(box) || scene_.layout().servers[i].isGroup()) continue;
        const QString name = serverName(i);
        const QRectF place =
            placeOfLabel(box, QSizeF(metrics.horizontalAdvance(name) + 8, metrics.height()), labels);
        if (!place.isEmpty()) labels.push_back({place, name});
    }
    return labels;
}

/// Above the server, else below it; on it where nothing on it can be read. Empty if there is no room.
QRectF TopologyPainter::placeOfLabel(const QRectF& box, QSizeF size,
                                     const std::vector<ServerLabel>& taken) const {
    const double up = box.top() - size.height();
    std::vector<QPointF> corners = {{box.left(), up},
                                    {box.right() - size.width(), up},
                                    {box.center().x() - size.width() / 2, up},
                                    {box.left(), box.bottom()}};
    if (tileSize.height() * scale_ < leastNamePixels + 2)
        corners = {box.center() - QPointF(size.width(), size.height()) / 2};
    for (const QPointF& corner : corners) {
        const QRectF place(corner, size);
        const bool covers = std::any_of(taken.begin(), taken.end(), [&](const ServerLabel& other) {
            return other.rect.intersects(place.adjusted(-4, -2, 4, 2));
        });
        bool isOverSwitch = false;
        for (std::size_t i = 0; i < scene_.layout().switches.size() && !isOverSwitch; ++i)
            isOverSwitch = scene_.layout().serverOfSwitch[i] < 0 && corners.size() > 1 &&
                           place.intersects(viewport_.toScreen(scene_.layout().switches[i]));
        if (!covers && !isOverSwitch) return place;
    }
    return {};
}

void TopologyPainter::paintServerNames() {
    const std::vector<ServerLabel> labels = serverLabels();
    painter_.setFont(labelFont());
    for (const ServerLabel& label : labels) {
        painter_.fillRect(label.rect, withAlpha(theme_.surface, 0.85));
        painter_.setPen(theme_.text);
        painter_.drawText(label.rect, Qt::AlignCenter | Qt::TextSingleLine, label.name);
    }
}

void TopologyPainter::paintRoute(const QPolygonF& route, const QColor& colour, double width) {
    if (route.isEmpty()) return;
    QPolygonF line;
    for (const QPointF& point : route) line << viewport_.toScreen(point);
    if (!line.boundingRect().adjusted(-2, -2, 2, 2).intersects(screen_)) return;
    if (paintRightAngled(line, colour, width)) return;
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    painter_.drawPolyline(line);
}

/// Along the axes a line is a row of rectangles, which are crisp and cost a tenth of a stroke.
bool TopologyPainter::paintRightAngled(const QPolygonF& line, const QColor& colour, double width) {
    // Where rectangles meet a colour that lets through would show twice.
    if (colour.alpha() < 255) return false;
    constexpr double straight = 0.5;  // pixels
    for (qsizetype i = 1; i < line.size(); ++i)
        if (std::abs(line[i].x() - line[i - 1].x()) > straight &&
            std::abs(line[i].y() - line[i - 1].y()) > straight)
            return false;
    const int thickness = std::max(1, static_cast<int>(std::lround(width)));
    const auto pixel = [](double at) { return static_cast<int>(std::floor(std::clamp(at, -1e6, 1e6))); };
    for (qsizetype i = 1; i < line.size(); ++i) {
        const int half = (thickness - 1) / 2;
        const int left = pixel(std::min(line[i].x(), line[i - 1].x())) - half;
        const int top = pixel(std::min(line[i].y(), line[i - 1].y())) - half;
        const int right = pixel(std::max(line[i].x(), line[i - 1].x())) - half + thickness;
        const int bottom = pixel(std::max(line[i].y(), line[i - 1].y())) - half + thickness;
        painter_.fillRect(QRect(left, top, right - left, bottom - top), colour);
    }
    return true;
}

void TopologyPainter::paintForeground(const TopologyFocus& focus) {
    const int hovered = focus.hover.kind == TopologyItem::Kind::device ? focus.hover.index : -1;
    paintFocusedBundles(focus.hover);
    paintSelectedLinks(focus.selection.links);
    if (focus.selectedDevice >= 0) paintLinksOf(focus.selectedDevice);
    if (hovered >= 0 && hovered != focus.selectedDevice) paintLinksOf(hovered);
    paintRouteLabels();
    for (std::size_t i = 0; i < scene_.layout().switches.size(); ++i) paintSwitch(i);
    paintMeshHubs();
    for (std::size_t i = 0; i < scene_.layout().servers.size(); ++i)
        if (scene_.layout().servers[i].isGroup()) paintGroup(i, focus.stage);
    paintFoldedLabels();
    for (int device = 0; device < scene_.cluster().deviceCount(); ++device) {
        const std::vector<int>& stages = scene_.stagesOf(device);
        const bool faded =
            focus.stage >= 0 && std::find(stages.begin(), stages.end(), focus.stage) == stages.end();
        paintTile(device, faded);
    }
    paintServerNames();
    paintSelection(focus);
    const QRectF hover = scene_.rectOf(focus.hover);
    if (!hover.isEmpty()) paintOutline(viewport_.toScreen(hover), 1.5);
    if (focus.selectedDevice >= 0)
        paintOutline(
            viewport_.toScreen(scene_.layout().shownRect({ClusterNode::Kind::device, focus.selectedDevice})),
            3);
    if (hovered >= 0 || focus.selectedDevice >= 0)
        paintLinkLabels(hovered >= 0 ? hovered : focus.selectedDevice);
    if (focus.hover.kind == TopologyItem::Kind::bundle) {
        const LinkBundle& bundle = scene_.links().bundles[static_cast<std::size_t>(focus.hover.index)];
        if (!bundle.route.isEmpty())
            paintPill(viewport_.toScreen(bundle.route[bundle.route.size() / 2]), bundle.text(),
                      theme_.accent);
    }
    if (focus.selection.size() == 1 && focus.selection.links.size() == 1)
        paintPill(viewport_.toScreen(scene_.middleOfLink(focus.selection.links.front())),
                  linkTitle(scene_, focus.selection.links.front()), theme_.accent);
    paintMistakes();
}

/// What stands for the links of servers that are linked each to each other.
void TopologyPainter::paintMeshHubs() {
    for (std::size_t i = 0; i < scene_.links().meshes.size(); ++i) {
        const QRectF box = viewport_.toScreen(scene_.layout().meshes[i].hub);
        if (!visible(box)) continue;
        const LinkMesh& mesh = scene_.links().meshes[i];
        painter_.setPen(QPen(lineColour(mesh.summary.links.front()), 1.4));
        painter_.setBrush(theme_.raised);
        painter_.drawRoundedRect(box, box.height() / 2, box.height() / 2);
        const QRectF inner = box.adjusted(box.height() / 4, 0, -box.height() / 4, 0);
        if (!readable(bodySize)) {
            paintFitted(inner, Qt::AlignCenter, QStringLiteral("all to all"), theme_.text, bodySize);
            continue;
        }
        paintFitted(
            QRectF(inner.left(), inner.top() + 4 * scale_, inner.width(), inner.height() / 2 - 4 * scale_),
            Qt::AlignCenter, mesh.text(), theme_.text, bodySize);
        paintText(inner.adjusted(0, 0, 0, -6 * scale_), Qt::AlignHCenter | Qt::AlignBottom, mesh.detail(),
                  theme_.mutedText, bodySize - 1);
    }
}

QColor TopologyPainter::lineColour(int link) const {
    const Link& own = scene_.cluster().links[static_cast<std::size_t>(link)];
    const bool wrong = !(own.bandwidthBps > 0) || own.a == own.b;
    return wrong ? theme_.error : linkColour(own.kind);
}

void TopologyPainter::paintFocusedBundles(TopologyItem hover) {
    if (hover.kind == TopologyItem::Kind::link) {
        for (const InnerLink& inner : scene_.links().inner)
            if (inner.link == hover.index) paintRoute(inner.route, theme_.accent, 3);
        return;
    }
    const auto paintAll = [&](const std::vector<QPolygonF>& routes) {
        for (const QPolygonF& route : routes) paintRoute(route, theme_.accent, 3);
    };
    if (hover.kind == TopologyItem::Kind::mesh)
        return paintAll(scene_.links().meshes[static_cast<std::size_t>(hover.index)].routes);
    if (hover.kind == TopologyItem::Kind::hub)
        return paintAll(scene_.links().hubs[static_cast<std::size_t>(hover.index)].routes);
    const int servers = static_cast<int>(scene_.layout().servers.size());
    for (std::size_t i = 0; i < scene_.links().bundles.size(); ++i) {
        const LinkBundle& bundle = scene_.links().bundles[i];
        const bool itself = hover == TopologyItem{TopologyItem::Kind::bundle, static_cast<int>(i)};
        const bool ofServer =
            hover.kind == TopologyItem::Kind::server && (bundle.a == hover.index || bundle.b == hover.index);
        const bool ofSwitch = hover.kind == TopologyItem::Kind::switchNode && bundle.b >= servers &&
                              (bundle.a == servers + hover.index || bundle.b == servers + hover.index);
        if (!itself && !ofServer && !ofSwitch) continue;
        QPolygonF route = bundle.route;
        if (route.isEmpty())
            route << bundleEnd(scene_.layout(), bundle.a).center()
                  << bundleEnd(scene_.layout(), bundle.b).center();
        paintRoute(route, withAlpha(theme_.accent, itself ? 1 : 0.7), itself ? 3 : 1.5);
        for (const QPolygonF& exit : bundle.exits)
            paintRoute(exit, withAlpha(theme_.accent, itself ? 1 : 0.7), itself ? 3 : 1.5);
    }
}

const Link& TopologyPainter::linkOf(int edge) const {
    return scene_.cluster()
        .links[static_cast<std::size_t>(scene_.graph().edges[static_cast<std::size_t>(edge)].link)];
}

/// Along the lines that are there already.
void TopologyPainter::paintLinksOf(int device) {
    const std::vector<int>& edges = scene_.graph().edgesOf({ClusterNode::Kind::device, device});
    const LinkTracks tracks(scene_);
    const bool many = edges.size() > 100;
    for (const int edge : edges) {
        const ClusterGraph::Edge& ends = scene_.graph().edges[static_cast<std::size_t>(edge)];
        const bool toSwitch = ends.a.kind != ends.b.kind;
        const double width = toSwitch ? 2 : many ? 1 : lineWidth(linkOf(edge).bandwidthBps);
        for (const QPolygonF& piece : tracks.piecesOf(ends.link))
            paintRoute(piece, toSwitch ? theme_.accent : withAlpha(theme_.accent, many ? 0.15 : 0.6), width);
    }
}

/// The bandwidth below each device that is linked, and below the device itself that of its links to switches.
void TopologyPainter::paintLinkLabels(int device) {
    if (!readable(bodySize)) return;
    const auto below = [&](ClusterNode node) {
        const QRectF tile = scene_.layout().shownRect(node);
        return viewport_.toScreen(QPointF(tile.center().x(), tile.bottom() + 7));
    };
    const ClusterNode self{ClusterNode::Kind::device, device};
    LinkSummary toSwitches;
    for (const int edge : scene_.graph().edgesOf(self)) {
        const ClusterNode end = scene_.graph().other(edge, self);
        if (end.kind == ClusterNode::Kind::switchNode)
            toSwitches.add(scene_.graph().edges[static_cast<std::size_t>(edge)].link, linkOf(edge));
        else
            paintPill(below(end), qtText(formatBandwidth(linkOf(edge).bandwidthBps)), theme_.accent);
    }
    if (!toSwitches.links.empty()) paintPill(below(self), toSwitches.text(), theme_.accent);
}

/// A bandwidth beside each line to a switch whose links differ; where they are alike the switch says it once.
void TopologyPainter::paintRouteLabels() {
    if (!readable(bodySize)) return;
    const int servers = static_cast<int>(scene_.layout().servers.size());
    for (const LinkBundle& bundle : scene_.links().bundles) {
        if (bundle.betweenServers || bundle.ofMany || bundle.route.size() < 2) continue;
        const LinkSummary& atSwitch = scene_.links().ofSwitch(bundle.b - servers);
        if (atSwitch.minBps == atSwitch.maxBps) continue;
        const QRectF end = bundleEnd(scene_.layout(), bundle.a).adjusted(-1, -1, 1, 1);
        const qsizetype last = bundle.route.size() - 1;
        const bool startsThere = end.contains(bundle.route.front());
        const QPointF near = startsThere ? bundle.route[0] : bundle.route[last];
        const QPointF far = startsThere ? bundle.route[1] : bundle.route[last - 1];
        const QRectF &a = bundleEnd(scene_.layout(), bundle.a), &b = bundleEnd(scene_.layout(), bundle.b);
        QPointF middle = near + 0.5 * (far - near);
        // Between two that are close beside each other there is no room.
        if (bundle.route.size() == 2 && std::abs(near.y() - far.y()) < 0.5)
            middle.setY(std::min(a.top(), b.top()) - bodySize);
        paintPill(viewport_.toScreen(middle), bundle.summary.text(), theme_.line);
    }
}

void TopologyPainter::paintSwitch(std::size_t index) {
    if (!scene_.layout().isDrawn(static_cast<int>(index))) return;
    const QRectF box = viewport_.toScreen(scene_.layout().switches[index]);
    if (!visible(box)) return;
    const int stack = scene_.layout().stackOf[index];
    const bool folded = stack >= 0 && scene_.layout().stacks[static_cast<std::size_t>(stack)].isFolded;
    painter_.setPen(QPen(theme_.mutedText, 1.2));
    painter_.setBrush(theme_.raised);
    if (folded && box.height() > 8) painter_.drawRoundedRect(box.translated(3, -3), 3 * scale_, 3 * scale_);
    painter_.drawRoundedRect(box, 3 * scale_, 3 * scale_);
    const QString name = scene_.names().ofStack(scene_.layout(), static_cast<int>(index));
    const QRectF inner = box.adjusted(6 * scale_, 2 * scale_, -6 * scale_, -3 * scale_);
    const LinkSummary& links = scene_.links().ofSwitch(static_cast<int>(index));
    if (isUprightBar(scene_.layout().switches[index])) {
        // Where it is seen, both as large as can be read.
        const double line = 1.5 * std::max(bodySize * scale_, leastNamePixels);
        QRectF upper(inner.left(), (box & screen_).center().y() - line, inner.width(), line);
        paintFitted(upper, Qt::AlignCenter, name, theme_.text, bodySize);
        const QRectF lower = upper.translated(0, line);
        font_.setPixelSize(static_cast<int>(std::lround(std::max(bodySize * scale_, leastNamePixels))));
        font_.setBold(true);
        const bool fits = QFontMetricsF(font_).horizontalAdvance(links.text()) <= lower.width();
        return paintFitted(lower, Qt::AlignCenter,
                           fits ? links.text() : bandwidthRange(links.minBps, links.maxBps), theme_.mutedText,
                           bodySize);
    }
    const bool low = scene_.layout().switches[index].height() < switchSize.height();
    const bool wide = scene_.layout().switches[index].width() > switchSize.width();
    if (!readable(bodySize - 1) || links.links.empty() || (low && !wide))
        return paintFitted(box.adjusted(2, 0, -2, 0), Qt::AlignCenter, name, theme_.text, bodySize);
    if (wide)
        return paintFitted(inner, Qt::AlignCenter, name + QString::fromUtf8("  ·  ") + links.text(),
                           theme_.text, bodySize);
    paintFitted(QRectF(inner.left(), inner.top(), inner.width(), inner.height() / 2), Qt::AlignCenter, name,
                theme_.text, bodySize);
    paintText(inner, Qt::AlignHCenter | Qt::AlignBottom, links.text(), theme_.mutedText, bodySize - 1);
}

/// In bold type, no smaller than can be read where there is room for that: the longest wording that fits.
void TopologyPainter::paintFitted(const QRectF& rect, int alignment, const QString& name,
                                  const QColor& colour, double size) {
    const double pixels = std::max(size * scale_, leastNamePixels);
    if (rect.height() < pixels) return;
    font_.setPixelSize(static_cast<int>(std::lround(pixels)));
    font_.setBold(true);
    painter_.setFont(font_);
    painter_.setPen(colour);
    const QFontMetricsF metrics(font_);
    for (const QString& text : NodeNames::wordings(name)) {
        if (metrics.horizontalAdvance(text) > rect.width()) continue;
        return painter_.drawText(rect, alignment | Qt::TextSingleLine, text);
    }
    if (rect.width() > 3 * pixels)
        painter_.drawText(rect, alignment | Qt::TextSingleLine,
                          metrics.elidedText(name, Qt::ElideMiddle, rect.width()));
}

void TopologyPainter::paintTile(int device, bool faded) {
    if (scene_.layout().devices[static_cast<std::size_t>(device)].isEmpty()) return;
    const QRectF tile = viewport_.toScreen(scene_.layout().devices[static_cast<std::size_t>(device)]);
    if (!visible(tile)) return;
    const std::vector<int>& stages = scene_.stagesOf(device);
    const int count = scene_.plan() ? scene_.plan()->stageCount() : 0;
    const bool single = stages.size() == 1;
    const QColor fill = single ? stageColour(stages.front(), count) : theme_.raised;

    painter_.setOpacity(faded ? 0.25 : 1);
    if (tileCorner * scale_ < leastCorner) {
        paintPlainBox(tile, fill, single ? fill.darker(125) : theme_.mutedText);
    } else {
        painter_.setBrush(fill);
        painter_.setPen(QPen(single ? fill.darker(125) : theme_.mutedText, 1));
        painter_.drawRoundedRect(tile, tileCorner * scale_, tileCorner * scale_);
    }
    if (stages.size() > 1) paintStageBands(device, tile);
    paintTileText(device, tile, single ? readableOn(fill) : theme_.text);
    painter_.setOpacity(1);
}

/// With square corners, where round ones would look the same.
void TopologyPainter::paintPlainBox(const QRectF& box, const QColor& fill, const QColor& border) {
    const QRect pixels = box.toRect();
    if (pixels.width() < 4) return painter_.fillRect(pixels.adjusted(0, 0, 1, 1), fill);
    painter_.fillRect(pixels, border);
    painter_.fillRect(pixels.adjusted(1, 1, -1, -1), fill);
}

void TopologyPainter::paintStageBands(int device, const QRectF& tile) {
    const std::vector<int>& stages = scene_.stagesOf(device);
    const double width = tile.width() / static_cast<double>(stages.size());
    QPainterPath clip;
    clip.addRoundedRect(tile, tileCorner * scale_, tileCorner * scale_);
    painter_.save();
    painter_.setClipPath(clip, Qt::IntersectClip);
    const bool whole = !readable(bodySize);
    const double top = whole ? tile.top() : tile.bottom() - bandHeight * scale_;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const QRectF band(tile.left() + static_cast<double>(i) * width, top, width, tile.bottom() - top);
        const QColor colour = stageColour(stages[i], scene_.plan()->stageCount());
        painter_.fillRect(band, colour);
        paintText(band, Qt::AlignCenter, stageMark(stages[i]), readableOn(colour),
                  whole ? numberSize * 0.7 : bodySize, true);
    }
    painter_.restore();
}

void TopologyPainter::paintTileText(int index, const QRectF& tile, const QColor& colour) {
    const Device& device = scene_.cluster().devices[static_cast<std::size_t>(index)];
    const std::vector<int>& stages = scene_.stagesOf(index);
    const QString& name = scene_.names().of({ClusterNode::Kind::device, index});
    if (!readable(bodySize)) {
        if (stages.size() == 1)
            paintText(tile, Qt::AlignCenter, stageMark(stages.front()), colour, numberSize, true);
        else if (!scene_.plan())
            paintFitted(tile.adjusted(1, 1, -1, -1), Qt::AlignCenter, name, colour, numberSize * 0.55);
        return;
    }
    QRectF inner = tile.adjusted(8 * scale_, 6 * scale_, -8 * scale_, -5 * scale_);
    QRectF title(inner.left(), inner.top(), inner.width(), 18 * scale_);
    if (stages.size() == 1) {
        const QString number = stageMark(stages.front());
        font_.setPixelSize(std::max(1, static_cast<int>(std::lround(titleSize * scale_))));
        font_.setBold(true);
        const double width =
            std::max(QFontMetricsF(font_).horizontalAdvance(number) + 10 * scale_, 20 * scale_);
        const QRectF badge(inner.right() + 3 * scale_ - width, inner.top() - scale_, width, 19 * scale_);
        painter_.setPen(Qt::NoPen);
        painter_.setBrush(colour);
        painter_.drawRoundedRect(badge, badge.height() / 2, badge.height() / 2);
        paintText(badge, Qt::AlignCenter, number, readableOn(colour), titleSize, true);
        title.setRight(badge.left() - 3 * scale_);
    }
    paintText(title, Qt::AlignLeft | Qt::AlignVCenter, name, colour, titleSize, true);
    const QRectF type(inner.left(), title.bottom() + scale_, inner.width(), 15 * scale_);
    paintText(type, Qt::AlignLeft | Qt::AlignVCenter, qtText(device.gpu), colour, bodySize);
    if (stages.size() > 1) return;
    const QRectF memory(inner.left(), type.bottom(), inner.width(), inner.bottom() - type.bottom());
    const bool copies = stages.size() == 1 && scene_.plan()->pipelineCount() > 1;
    const QString copy =
        copies ? QString::fromUtf8(" · copy %1")
                     .arg(scene_.plan()->stages[static_cast<std::size_t>(stages.front())].pipeline)
               : QString();
    paintText(memory, Qt::AlignLeft | Qt::AlignVCenter, qtText(formatBytes(device.memoryBytes)) + copy,
              colour, bodySize);
}

void TopologyPainter::paintOutline(const QRectF& rect, double width) {
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(theme_.accent, width));
    const double out = width / 2 + 1;
    painter_.drawRoundedRect(rect.adjusted(-out, -out, out, out), tileCorner * scale_ + 2,
                             tileCorner * scale_ + 2);
}

QRectF TopologyPainter::pillAt(QPointF centre, const QString& text) {
    const int most = static_cast<int>(std::lround(mostPillPixels * enlarged_));
    font_.setPixelSize(
        std::clamp(static_cast<int>(std::lround((bodySize - 0.5) * scale_)), leastPillPixels, most));
    font_.setBold(false);
    const QFontMetricsF metrics(font_);
    QRectF pill(0, 0, metrics.horizontalAdvance(text) + 10, metrics.height() + 2);
    pill.moveCenter(centre);
    return pill;
}

void TopologyPainter::paintPill(QPointF centre, const QString& text, const QColor& border) {
    const QRectF pill = pillAt(centre, text);
    if (!visible(pill)) return;
    painter_.setPen(QPen(border, 1));
    painter_.setBrush(theme_.surface);
    painter_.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    painter_.setFont(font_);
    painter_.setPen(theme_.text);
    painter_.drawText(pill, Qt::AlignCenter, text);
}

void TopologyPainter::paintText(const QRectF& rect, int alignment, const QString& text, const QColor& colour,
                                double size, bool bold) {
    if (!readable(size)) return;
    font_.setPixelSize(static_cast<int>(std::lround(size * scale_)));
    font_.setBold(bold);
    painter_.setFont(font_);
    painter_.setPen(colour);
    painter_.drawText(rect, alignment | Qt::TextSingleLine,
                      QFontMetricsF(font_).elidedText(text, Qt::ElideMiddle, rect.width()));
}

void TopologyPainter::paintSelection(const TopologyFocus& focus) {
    const auto isDrawn = [&](int server) {
        return !scene_.layout().servers[static_cast<std::size_t>(server)].box.isEmpty();
    };
    for (const int server : focus.selectedServers)
        if (isDrawn(server))
            paintOutline(viewport_.toScreen(scene_.layout().servers[static_cast<std::size_t>(server)].box),
                         2.5);
    if (focus.selection.size() == 1) {
        for (const int index : focus.selection.switches)
            paintOutline(viewport_.toScreen(scene_.layout().switches[static_cast<std::size_t>(index)]), 3);
        return;
    }
    std::set<const QRectF*> painted;  // a box that represents many once
    const auto paint = [&](ClusterNode node) {
        const QRectF& rect = scene_.layout().shownRect(node);
        if (!painted.insert(&rect).second) return;
        const QRectF box = viewport_.toScreen(rect);
        if (visible(box)) paintOutline(box, box.width() < 20 ? 1 : 2);
    };
    for (const int device : focus.selection.devices) paint({ClusterNode::Kind::device, device});
    for (const int index : focus.selection.switches)
        if (scene_.layout().isDrawn(scene_.layout().drawnFor(index)) ||
            scene_.layout().isHidden({ClusterNode::Kind::switchNode, index}))
            paint({ClusterNode::Kind::switchNode, scene_.layout().drawnFor(index)});
}

/// Along the lines that show them; those that have none, straight. Lines that stand for many are painted
/// once.
void TopologyPainter::paintSelectedLinks(const std::vector<int>& links) {
    constexpr std::size_t mostAlone = 500;
    const LinkTracks tracks(scene_);
    std::map<int, bool> isWhole;  // by bundle
    const auto isPaintedWhole = [&](int index) {
        const auto [known, isNew] = isWhole.try_emplace(index, false);
        if (!isNew) return known->second;
        const LinkBundle& bundle = scene_.links().bundles[static_cast<std::size_t>(index)];
        const std::vector<int>& all = bundle.summary.links;
        known->second = !bundle.route.isEmpty() && all.size() > 1 &&
                        std::includes(links.begin(), links.end(), all.begin(), all.end());
        if (known->second) {
            paintRoute(bundle.route, theme_.accent, 3.5);
            for (const QPolygonF& exit : bundle.exits) paintRoute(exit, theme_.accent, 3.5);
        }
        return known->second;
    };
    std::size_t alone = 0;
    for (const int link : links) {
        const LinkPlace& place = scene_.links().places[static_cast<std::size_t>(link)];
        if (place.bundle >= 0 && isPaintedWhole(place.bundle)) continue;
        if (place.inner < 0 && ++alone > mostAlone) continue;
        for (const QPolygonF& piece : tracks.piecesOf(link))
            paintRoute(piece, theme_.accent, piece.size() > 2 || place.inner >= 0 ? 3.5 : 2);
    }
}

/// A mark at the corner of each thing that something is wrong with, and on each such line.
void TopologyPainter::paintMistakes() {
    constexpr double radius = 7;
    constexpr std::size_t most = 400;
    std::size_t count = 0;
    for (const ClusterMistake& mistake : scene_.mistakes()) {
        if (++count > most) return;
        QPointF at;
        if (mistake.place == ClusterMistake::Place::device) {
            at = scene_.layout().shownRect({ClusterNode::Kind::device, mistake.index}).topLeft();
        } else if (mistake.place == ClusterMistake::Place::switchNode) {
            at = scene_.layout().shownRect({ClusterNode::Kind::switchNode, mistake.index}).topLeft();
        } else {
            at = scene_.middleOfLink(mistake.index);
        }
        const QPointF centre = viewport_.toScreen(at);
        if (!visible(QRectF(centre, centre).adjusted(-radius, -radius, radius, radius))) continue;
        painter_.setPen(QPen(theme_.surface, 1.5));
        painter_.setBrush(theme_.error);
        painter_.drawEllipse(centre, radius, radius);
        font_.setPixelSize(11);
        font_.setBold(true);
        painter_.setFont(font_);
        painter_.setPen(readableOn(theme_.error));
        painter_.drawText(QRectF(centre, centre).adjusted(-radius, -radius, radius, radius), Qt::AlignCenter,
                          QStringLiteral("!"));
    }
}

}  // namespace stagecraft::views::topology
