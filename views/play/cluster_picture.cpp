#include "views/play/cluster_picture.h"

#include "views/common/theme.h"
#include "views/timeline/time_axis.h"
#include "views/topology/topology_painter.h"

#include <algorithm>

namespace stagecraft::views::play {

namespace {
constexpr double fitMargin = 10;
constexpr double mostEnlarged = 4;
}  // namespace

ClusterPicture::ClusterPicture(std::shared_ptr<const PlayData> data) : data_(std::move(data)), light_(data_) {
    bounds_ = data_->scene->layout().bounds;
    for (const LinkBundle& bundle : data_->scene->links().bundles) bounds_ |= bundle.route.boundingRect();
}

void ClusterPicture::layOut(const QRect& place) {
    place_ = place;
    const QRectF room(QPointF(), QSizeF(place.size()));
    viewport_.fit(bounds_, room.adjusted(fitMargin, fitMargin, -fitMargin, -fitMargin), mostEnlarged);
    still_ = {};
}

void ClusterPicture::paintStill(double scale, const QFont& font) {
    still_ = QImage(place_.size() * scale, QImage::Format_RGB32);
    still_.setDevicePixelRatio(scale);
    dark_ = Theme::current().dark;
    still_.fill(Theme::current().window);
    QPainter painter(&still_);
    TopologyPainter topology(painter, *data_->scene, viewport_, QRectF(QPointF(), QSizeF(place_.size())),
                             font, std::max(1.0, double(font.pixelSize()) / plainTypePixels));
    topology.paintBackground();
    topology.paintForeground({});
}

void ClusterPicture::paint(QPainter& painter, const QFont& font, double timeS) {
    if (place_.isEmpty()) return;
    const double scale = painter.deviceTransform().m11();
    if (still_.isNull() || still_.devicePixelRatio() != scale || dark_ != Theme::current().dark)
        paintStill(scale, font);
    painter.drawImage(place_.topLeft(), still_);
    painter.save();
    painter.setClipRect(place_);
    painter.translate(place_.topLeft());
    light_.paint(painter, viewport_, QRectF(QPointF(), QSizeF(place_.size())), font, timeS);
    painter.restore();
}

}  // namespace stagecraft::views::play
