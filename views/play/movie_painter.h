#pragma once

#include "views/play/play_picture.h"

#include <QImage>

namespace stagecraft::views {

/// How the playing of plans is made into pictures.
struct MovieOptions {
    QSize size{1280, 720};  ///< pixels
    double seconds = 10;    ///< that the playing lasts
    int framesPerSecond = 20;
    std::optional<std::pair<double, double>> timeRangeS;  ///< of the plans; without it all
    double typePoints = 18;  ///< on a screen of 1920 × 1080, whose picture a frame is
    PictureStyle style;      ///< but for its type

    int frameCount() const;
};
inline constexpr int mostMovieFrames = 7200;  ///< two minutes at 60 a second
inline constexpr int leastMovieSide = 160, mostMovieSide = 7680;

/// Draws the frames of a movie, which are what a projector shows. In any thread, but in one at a time.
class MoviePainter {
public:
    /// @param plans one to four
    MoviePainter(const std::vector<std::shared_ptr<const PlayData>>& plans, const MovieOptions& options);

    QImage frameAt(double timeS);
    QImage frame(int number);
    /// The instant of the plans that a frame shows: the first its beginning, the last its end.
    double instantOf(int number) const;
    const MovieOptions& options() const { return options_; }
    const PlayPicture& picture() const { return picture_; }

private:
    MovieOptions options_;
    PlayPicture picture_;
    double beginS_ = 0, endS_ = 0;
};

}  // namespace stagecraft::views
