#pragma once

#include "views/play/cluster_light.h"
#include "views/timeline/gantt_painter.h"

#include <QImage>
#include <QSize>

#include <optional>

namespace stagecraft::views {

/// How a plan's playing is made into pictures.
struct MovieOptions {
    QSize size{1280, 720};  ///< pixels
    double seconds = 10;    ///< that the playing lasts
    int framesPerSecond = 20;
    std::optional<std::pair<double, double>> timeRangeS;  ///< of the plan; without it all
    bool communication = false;                           ///< lanes of their own for transfers

    int frameCount() const;
};
inline constexpr int mostMovieFrames = 7200;  ///< two minutes at 60 a second
inline constexpr int leastMovieSide = 160, mostMovieSide = 7680;

/// Draws the instants of a plan: chart, cluster and cursor. In any thread, but in one at a time.
class MoviePainter {
public:
    MoviePainter(std::shared_ptr<const PlayData> data, const MovieOptions& options);

    QImage frameAt(double timeS);
    QImage frame(int number);
    /// The instant of the plan that a frame shows: the first its beginning, the last its end.
    double instantOf(int number) const;
    const MovieOptions& options() const { return options_; }

private:
    void layOut();
    void paintHead(QPainter& painter, double timeS) const;
    void paintLabels(QPainter& painter) const;
    void paintAxis(QPainter& painter) const;

    std::shared_ptr<const PlayData> data_;
    MovieOptions options_;
    QFont font_;
    GanttPainter painter_;
    GanttScene scene_;
    ClusterLight light_;
    double beginS_ = 0, endS_ = 0;
    QRect area_;     ///< of the blocks
    QRect cluster_;  ///< of the cluster's picture
    TimeAxis axis_;
    Viewport viewport_;
    QImage picture_;  ///< of the cluster, below what moves
};

}  // namespace stagecraft::views
