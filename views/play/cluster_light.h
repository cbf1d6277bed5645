#pragma once

#include "views/play/play_data.h"
#include "views/common/viewport.h"

#include <QFont>
#include <QPainter>

namespace stagecraft::views::play {

/// What devices and links of a cluster do at an instant, over the picture of it: a device that computes has
/// the colour of its block, a gauge beside it fills with what it holds, and packets travel along the links
/// while they are transferred, round the ranks of a stage that send to each other within a pass, or to the
/// memory of the host and back while they are swapped. Paints in any thread.
class ClusterLight {
public:
    explicit ClusterLight(std::shared_ptr<const PlayData> data) : data_(std::move(data)) {}

    void paint(QPainter& painter, const Viewport& viewport, const QRectF& screen, const QFont& font,
               double timeS) const;

private:
    struct Frame;  // one call of paint()
    void findSending(Frame& frame) const;
    void paintLitLinks(const Frame& frame) const;
    void paintLines(const Frame& frame, const std::vector<PacketTrack>& tracks, QColor colour) const;
    void paintTiles(const Frame& frame) const;
    void paintHosts(const Frame& frame) const;
    bool goesOut(const PacketTrack& track, std::uint32_t block) const;
    void paintGauge(const Frame& frame, std::size_t device, const QRectF& tile) const;
    static void paintGaugeLimit(QPainter& painter, const QRectF& box, double part);
    void paintNames(const Frame& frame) const;
    void paintNumbers(const Frame& frame) const;
    void paintPacket(const Frame& frame, QPointF place, const QColor& colour) const;
    void paintPackets(const Frame& frame) const;
    QColor colourOf(std::uint32_t block) const;

    std::shared_ptr<const PlayData> data_;
};

}  // namespace stagecraft::views::play
