#pragma once

#include "views/play/cluster_light.h"

#include <QImage>

namespace stagecraft::views::play {

/// The cluster of a plan in a rectangle of a picture, whole, and what its devices and links do at an instant.
class ClusterPicture {
public:
    explicit ClusterPicture(std::shared_ptr<const PlayData> data);

    /// Width by height of what there is to see.
    double aspect() const { return bounds_.width() / std::max(1.0, bounds_.height()); }
    void layOut(const QRect& place);
    const QRect& place() const { return place_; }
    void paint(QPainter& painter, const QFont& font, double timeS);

private:
    void paintStill(double scale, const QFont& font);

    std::shared_ptr<const PlayData> data_;
    ClusterLight light_;
    QRectF bounds_;  ///< of the scene
    QRect place_;
    Viewport viewport_;
    QImage still_;       ///< what does not move, below what does
    bool dark_ = false;  ///< it is in those colours
};

}  // namespace stagecraft::views::play
