#include "views/resources/link_chart.h"

#include <cmath>

namespace stagecraft::views::resources {

LinkChart::LinkChart(QWidget* parent) : SeriesChart(parent), list_(new LinkList(&scene_)) { setList(list_); }

void LinkChart::setData(std::shared_ptr<const LinkData> linkData) {
    scene_ = {std::move(linkData), -1, -1};
    list_->setInstant(std::nullopt);
    refresh();
}

void LinkChart::selectLink(int link) {
    const int count = scene_.data ? static_cast<int>(scene_.data->links.size()) : 0;
    scene_.link = link < count ? link : -1;
    refresh();
}

void LinkChart::paintSeries(QPainter& painter, const QRect& area, const TimeAxis& axis) {
    painter_.paint(painter, scene_, area, axis);
}

void LinkChart::hoverSeries(int series) {
    if (scene_.emphasised == series) return;
    scene_.emphasised = series;
    list_->update();
    plot().replot();
}

/// The link whose line is nearest, of those that carry something there.
int LinkChart::linkAt(QPointF position) {
    if (scene_.link >= 0) return scene_.link;
    const QRect area = plot().area();
    const double share = (area.bottom() + 1 - position.y()) / area.height() * scene_.ceiling();
    int nearest = -1;
    double best = 0;
    for (int link = 0; link < static_cast<int>(scene_.data->links.size()); ++link) {
        const double painted = painter_.paintedShare(static_cast<std::size_t>(link),
                                                     (position.x() - area.left()) / area.width());
        const double distance = std::abs(painted - share);
        if (painted <= 0 || (nearest >= 0 && distance >= best)) continue;
        nearest = link;
        best = distance;
    }
    return nearest;
}

/// The transfer under the pointer; where several are in its column, the one at its middle or the next.
void LinkChart::clickAt(QPointF position) {
    const int link = linkAt(position);
    if (link < 0) return;
    const TimeAxis axis = plot().axis();
    const double fromS = axis.toTime(std::floor(position.x())), columnS = axis.secondsPerPixel();
    constexpr int tries = 8;
    for (int part = 0; part <= tries; ++part) {
        const double timeS =
            fromS + columnS * ((0.5 + static_cast<double>(part) / tries) - (part > tries / 2 ? 1.0 : 0.0));
        const auto blocks = scene_.data->blocksAt(static_cast<std::size_t>(link), timeS);
        if (!blocks.empty()) return emit blockPicked(blocks.back());
    }
}

}  // namespace stagecraft::views::resources
