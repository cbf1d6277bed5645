#include "views/play/cluster_light.h"

#include "core/analysis/packet_routes.h"
#include "views/common/theme.h"
#include "views/common/viewport.h"
#include "views/timeline/inside_overlay.h"
#include "views/topology/topology_layout.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace stagecraft::views::play {

namespace {

// In scene units.
constexpr double nameSize = 13;
constexpr double numberSize = 28;
constexpr double gaugeWidth = 14;
constexpr double packetRadius = 7;
// In pixels.
constexpr double leastText = 7.5;
constexpr double leastGauge = 2, leastOutlinedGauge = 4;
constexpr double leastGaugedTile = 8;
constexpr double leastRadius = 2.2, mostRadius = 7;
/// More lines than this are drawn thin, without smoothing, and of more than that only some: nobody could
/// distinguish them.
constexpr std::size_t mostSmoothLines = 32, mostLines = 300, mostPackets = 600;
/// How often a packet goes round its hop of a ring while the AllReduce lasts: once would look like waiting.
constexpr double ringLaps = 6;

}  // namespace

struct ClusterLight::Frame {
    QPainter& painter;
    const Viewport& viewport;
    const QRectF& screen;
    QFont font;
    Instant instant;
    std::size_t lines = 0;                        ///< that are lit
    std::vector<PlayData::Sending> sending = {};  ///< within stages

    QRectF tile(const PlayData& data, std::size_t device) const {
        return viewport.toScreen(data.scene->layout().devices[device]);
    }
};

QColor ClusterLight::colourOf(std::uint32_t block) const {
    return shownBlockColour(data_->chart->timeline().kind[block]);
}

void ClusterLight::paint(QPainter& painter, const Viewport& viewport, const QRectF& screen, const QFont& font,
                         double timeS) const {
    painter.save();
    Frame frame{painter, viewport, screen, font, data_->playback.at(timeS)};
    for (const std::uint32_t block : frame.instant.moving)
        frame.lines += data_->tracks[static_cast<std::size_t>(data_->chart->timeline().laneOf(block))].size();
    if (!data_->insideTracks.empty()) findSending(frame);
    paintLitLinks(frame);
    paintTiles(frame);
    paintHosts(frame);
    paintNames(frame);
    paintNumbers(frame);
    paintPackets(frame);
    painter.restore();
}

void ClusterLight::findSending(Frame& frame) const {
    std::set<std::uint32_t> computed;
    for (const Instant::DeviceState& device : frame.instant.devices)
        if (device.computes != noBlock) computed.insert(device.computes);
    for (const std::uint32_t block : computed)
        if (const auto sending = data_->sendingIn(block, frame.instant.timeS)) {
            frame.sending.push_back(*sending);
            frame.lines += sending->tracks->size();
        }
}

void ClusterLight::paintLitLinks(const Frame& frame) const {
    for (const std::uint32_t block : frame.instant.moving)
        paintLines(frame, data_->tracks[static_cast<std::size_t>(data_->chart->timeline().laneOf(block))],
                   colourOf(block));
    for (const PlayData::Sending& sending : frame.sending) paintLines(frame, *sending.tracks, insideColour());
}

void ClusterLight::paintLines(const Frame& frame, const std::vector<PacketTrack>& tracks,
                              QColor colour) const {
    const bool smooth = frame.lines <= mostSmoothLines;
    frame.painter.setRenderHint(QPainter::Antialiasing, smooth);
    frame.painter.setBrush(Qt::NoBrush);
    colour.setAlpha(smooth ? 150 : 90);
    frame.painter.setPen(smooth ? QPen(colour, 3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin)
                                : QPen(colour, 0));
    for (std::size_t i = 0; i < tracks.size(); i += 1 + frame.lines / mostLines) {
        QPolygonF line;
        line.reserve(tracks[i].line().size());
        for (const QPointF& point : tracks[i].line()) line << frame.viewport.toScreen(point);
        if (line.boundingRect().adjusted(-2, -2, 2, 2).intersects(frame.screen))
            frame.painter.drawPolyline(line);
    }
}

void ClusterLight::paintTiles(const Frame& frame) const {
    const Theme& theme = Theme::current();
    const double radius = tileCorner * frame.viewport.scale;
    const bool round = radius >= leastCorner;
    frame.painter.setRenderHint(QPainter::Antialiasing, round);
    for (std::size_t device = 0; device < frame.instant.devices.size(); ++device) {
        const QRectF tile = frame.tile(*data_, device);
        if (!tile.intersects(frame.screen)) continue;
        const std::uint32_t block = frame.instant.devices[device].computes;
        const QColor fill = block == noBlock ? theme.surface : colourOf(block);
        const QColor border = block == noBlock ? theme.mutedText : fill.darker(140);
        if (round) {
            frame.painter.setPen(QPen(border, block == noBlock ? 1 : 2));
            frame.painter.setBrush(fill);
            frame.painter.drawRoundedRect(tile, radius, radius);
        } else {
            const QRect pixels = tile.toRect();
            if (pixels.width() >= 4) frame.painter.fillRect(pixels, border);
            const int inset = pixels.width() >= 4 ? 1 : 0;
            frame.painter.fillRect(pixels.adjusted(inset, inset, -inset, -inset), fill);
        }
        if (tile.width() >= leastGaugedTile) paintGauge(frame, device, tile);
    }
}

/// At the right edge of a tile: grey is what stays (weights and what belongs to them), orange what comes and
/// goes, on one scale for all; a red line at the limit, or an arrow up where that is beyond the scale.
void ClusterLight::paintGauge(const Frame& frame, std::size_t device, const QRectF& tile) const {
    const double full = data_->fullBytes;
    if (full <= 0) return;
    const Theme& theme = Theme::current();
    const double inset = std::max(1.0, 5 * frame.viewport.scale);
    const double width = std::max(leastGauge, gaugeWidth * frame.viewport.scale);
    const QRectF box(tile.right() - inset - width, tile.top() + inset, width, tile.height() - 2 * inset);
    if (box.height() < 2) return;
    QPainter& painter = frame.painter;
    painter.fillRect(box, theme.window);
    const Instant::DeviceState& state = frame.instant.devices[device];
    const auto from = [&](double bytes) { return box.bottom() - box.height() * bytes / full; };
    const double lasting = from(state.heldBytes - state.transientBytes), top = from(state.heldBytes);
    painter.fillRect(QRectF(QPointF(box.left(), lasting), box.bottomRight()), theme.mutedText);
    painter.fillRect(QRectF(QPointF(box.left(), top), QPointF(box.right(), lasting)),
                     memoryColour(MemoryKind::activations));
    if (width < leastOutlinedGauge) return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.mutedText, 1));
    painter.drawRect(box);
    if (const double limit = data_->limitBytes[device]; limit > 0)
        paintGaugeLimit(painter, box, limit / full);
}

/// @param part of the gauge's height
void ClusterLight::paintGaugeLimit(QPainter& painter, const QRectF& box, double part) {
    const QColor red = Theme::current().error;
    if (part <= 1) {
        const double y = box.bottom() - box.height() * part;
        painter.setPen(QPen(red, 1.5));
        painter.drawLine(QPointF(box.left() - 2, y), QPointF(box.right() + 2, y));
        return;
    }
    const double half = box.width() / 2, x = box.center().x();
    painter.setPen(Qt::NoPen);
    painter.setBrush(red);
    painter.drawPolygon(QPolygonF({QPointF(x, box.top() - 2), QPointF(x - half, box.top() - 2 + half),
                                   QPointF(x + half, box.top() - 2 + half)}));
}

/// Where swaps go: lit while one is under way.
void ClusterLight::paintHosts(const Frame& frame) const {
    const Theme& theme = Theme::current();
    std::vector<QColor> lit(data_->hosts.size());
    for (const std::uint32_t block : frame.instant.moving) {
        const Lane& lane =
            data_->chart->timeline().lanes[static_cast<std::size_t>(data_->chart->timeline().laneOf(block))];
        if (lane.kind != LaneKind::hostLink) continue;
        for (const int device : lane.devices)
            lit[static_cast<std::size_t>(
                data_->scene->layout().serverOfDevice[static_cast<std::size_t>(device)])] = colourOf(block);
    }
    const double size = nameSize * frame.viewport.scale;
    QFont font = frame.font;
    font.setPixelSize(std::max(1, qRound(size)));
    frame.painter.setFont(font);
    for (std::size_t server = 0; server < data_->hosts.size(); ++server) {
        const QRectF sign = frame.viewport.toScreen(data_->hosts[server]);
        if (data_->hosts[server].isEmpty() || !sign.intersects(frame.screen)) continue;
        const QColor fill = lit[server].isValid() ? lit[server] : theme.surface;
        const double radius = tileCorner / 2 * frame.viewport.scale;
        frame.painter.setRenderHint(QPainter::Antialiasing, radius >= leastCorner);
        frame.painter.setPen(QPen(lit[server].isValid() ? fill.darker(140) : theme.mutedText, 1));
        frame.painter.setBrush(fill);
        frame.painter.drawRoundedRect(sign, radius, radius);
        if (size < leastText) continue;
        frame.painter.setPen(lit[server].isValid() ? readableOn(fill) : theme.text);
        frame.painter.drawText(sign, Qt::AlignCenter, QStringLiteral("host"));
    }
}

/// From the device at which the track begins.
bool ClusterLight::goesOut(const PacketTrack& track, std::uint32_t block) const {
    const Timeline& timeline = data_->chart->timeline();
    switch (timeline.lanes[static_cast<std::size_t>(timeline.laneOf(block))].kind) {
        case LaneKind::allReduce:
            return true;
        case LaneKind::hostLink:
            return timeline.kind[block] == BlockKind::swapOut;
        default: {
            // What was lent comes back to the stage that it is of.
            const bool along = goesAlong(data_->run->result.plan, track.fromDevice(), timeline.stage[block]);
            return timeline.kind[block] == BlockKind::swapIn ? !along : along;
        }
    }
}

void ClusterLight::paintNames(const Frame& frame) const {
    const double size = nameSize * frame.viewport.scale;
    if (size < leastText) return;
    QFont font = frame.font;
    font.setPixelSize(qRound(size));
    frame.painter.setFont(font);
    const QFontMetricsF metrics(font);
    const double inset = 6 * frame.viewport.scale;
    for (std::size_t device = 0; device < frame.instant.devices.size(); ++device) {
        const QRectF tile = frame.tile(*data_, device);
        if (!tile.intersects(frame.screen)) continue;
        const std::uint32_t block = frame.instant.devices[device].computes;
        frame.painter.setPen(block == noBlock ? Theme::current().text : readableOn(colourOf(block)));
        const double room = tile.width() - (gaugeWidth + 14) * frame.viewport.scale;
        const QString name = QString::fromStdString(data_->scene->cluster().devices[device].id);
        frame.painter.drawText(QRectF(tile.left() + inset, tile.top() + inset / 2, room, metrics.height()),
                               Qt::AlignLeft | Qt::AlignVCenter,
                               metrics.elidedText(name, Qt::ElideMiddle, room));
    }
}

/// The microbatch that a device computes; without room for names, over the whole tile.
void ClusterLight::paintNumbers(const Frame& frame) const {
    const bool named = nameSize * frame.viewport.scale >= leastText;
    const double size = numberSize * frame.viewport.scale * (named ? 1 : 1.3);
    if (size < leastText) return;
    QFont font = frame.font;
    font.setPixelSize(qRound(size));
    font.setBold(true);
    frame.painter.setFont(font);
    const Timeline& timeline = data_->chart->timeline();
    for (std::size_t device = 0; device < frame.instant.devices.size(); ++device) {
        const std::uint32_t block = frame.instant.devices[device].computes;
        if (block == noBlock || timeline.microbatch[block] < 0) continue;
        QRectF tile = frame.tile(*data_, device);
        if (!tile.intersects(frame.screen)) continue;
        if (named) tile.setTop(tile.top() + nameSize * frame.viewport.scale);
        tile.setRight(tile.right() - gaugeWidth * frame.viewport.scale);
        frame.painter.setPen(readableOn(colourOf(block)));
        frame.painter.drawText(tile, Qt::AlignCenter, data_->chart->numbers.text(timeline, block));
    }
}

void ClusterLight::paintPacket(const Frame& frame, QPointF place, const QColor& colour) const {
    const double radius = std::clamp(packetRadius * frame.viewport.scale, leastRadius, mostRadius);
    const bool plain = radius <= leastRadius;
    const QPointF at = frame.viewport.toScreen(place);
    if (plain) {
        frame.painter.fillRect(QRectF(at - QPointF(radius, radius), QSizeF(2 * radius, 2 * radius)), colour);
        return;
    }
    frame.painter.setRenderHint(QPainter::Antialiasing);
    frame.painter.setPen(QPen(Theme::current().text, 1.2));
    frame.painter.setBrush(colour);
    frame.painter.drawEllipse(at, radius, radius);
}

void ClusterLight::paintPackets(const Frame& frame) const {
    const Timeline& timeline = data_->chart->timeline();
    const std::size_t step = 1 + frame.lines / mostPackets;
    for (const std::uint32_t block : frame.instant.moving) {
        const auto lane = static_cast<std::size_t>(timeline.laneOf(block));
        const bool ring = timeline.lanes[lane].kind == LaneKind::allReduce;
        double part = data_->playback.progress(block, frame.instant.timeS);
        if (ring) part = std::fmod(ringLaps * part, 1.0);
        const QColor colour = colourOf(block);
        for (std::size_t i = 0; i < data_->tracks[lane].size(); i += step) {
            const PacketTrack& track = data_->tracks[lane][i];
            paintPacket(frame, track.at(goesOut(track, block) ? part : 1 - part), colour);
        }
    }
    for (const PlayData::Sending& sending : frame.sending)
        for (std::size_t i = 0; i < sending.tracks->size(); i += step)
            paintPacket(frame, (*sending.tracks)[i].at(sending.part), insideColour());
}

}  // namespace stagecraft::views::play
