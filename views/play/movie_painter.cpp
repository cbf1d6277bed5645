#include "views/play/movie_painter.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace stagecraft::views {

namespace {

constexpr double screenHeight = 1080;  // of the screen on which type has its size
constexpr double pixelsPerPoint = 96.0 / 72;

/// The style with the type that goes with the size of a frame.
PictureStyle styleOf(const MovieOptions& options) {
    const double height = std::min(options.size.width() * 9 / 16.0, double(options.size.height()));
    PictureStyle style = options.style;
    style.typePixels = options.typePoints * pixelsPerPoint * height / screenHeight;
    return style;
}

}  // namespace

int MovieOptions::frameCount() const {
    return std::max(2, static_cast<int>(std::lround(seconds * framesPerSecond)));
}

MoviePainter::MoviePainter(const std::vector<std::shared_ptr<const PlayData>>& plans,
                           const MovieOptions& options)
    : options_(options), picture_(plans, QFont(), styleOf(options)) {
    std::tie(beginS_, endS_) = options_.timeRangeS.value_or(picture_.span());
    if (!(beginS_ < endS_)) endS_ = beginS_ + 1;
    picture_.setSize(options_.size);
    picture_.setRange(beginS_, endS_);
}

double MoviePainter::instantOf(int number) const {
    const int last = options_.frameCount() - 1;
    return number >= last ? endS_ : beginS_ + (endS_ - beginS_) * number / last;
}

QImage MoviePainter::frame(int number) { return frameAt(instantOf(number)); }

QImage MoviePainter::frameAt(double timeS) {
    QImage image(options_.size, QImage::Format_RGB32);
    QPainter painter(&image);
    picture_.paint(painter, timeS);
    return image;
}

}  // namespace stagecraft::views
