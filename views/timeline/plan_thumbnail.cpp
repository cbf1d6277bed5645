#include "views/timeline/plan_thumbnail.h"

#include "views/common/theme.h"

#include <QPainter>

#include <algorithm>

namespace stagecraft::views::timeline {

QImage planThumbnail(const Timeline& timeline, QSize size, double scale) {
    QImage image(size * scale, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(Theme::current().surface);
    const auto isCompute = [](const Lane& lane) { return lane.kind == LaneKind::compute; };
    const auto lanes = std::count_if(timeline.lanes.begin(), timeline.lanes.end(), isCompute);
    const double start = timeline.firstStartS(), length = timeline.lastEndS() - start;
    if (lanes == 0 || length <= 0) return image;
    QPainter painter(&image);
    const double across = size.width() / length, height = double(size.height()) / static_cast<double>(lanes);
    const double gap = height >= 4 ? 1 : 0;
    double top = 0;
    for (const Lane& lane : timeline.lanes) {
        if (!isCompute(lane)) continue;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block)
            painter.fillRect(QRectF((timeline.startS[block] - start) * across, top,
                                    timeline.durationS(block) * across, height - gap),
                             shownBlockColour(timeline.kind[block]));
        top += height;
    }
    return image;
}

}  // namespace stagecraft::views::timeline
