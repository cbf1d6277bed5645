#include "app/help/help_playing.h"

#include "views/play/play_picture.h"

#include <QPainter>

namespace stagecraft::app {

namespace {
constexpr double aspect = 16.0 / 9;
constexpr double playedPart = 0.45;    // of the time
constexpr double typePart = 1.0 / 50;  // of the width
}  // namespace

QImage drawHelpPlaying(const HelpPicture& picture, double widthPx, double scale) {
    std::vector<std::shared_ptr<const PlayData>> plans;
    for (const auto& run : helpPictureRuns(picture)) plans.push_back(std::make_shared<const PlayData>(run));
    PictureStyle style;
    style.typePixels = widthPx * typePart;
    PlayPicture playing(plans, QFont(), style);
    const QSize size(static_cast<int>(widthPx), static_cast<int>(widthPx / aspect));
    playing.setSize(size);
    QImage image(size * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    QPainter painter(&image);
    playing.paint(painter, playedPart * playing.span().second);
    painter.end();
    image.setDevicePixelRatio(1);
    return image;
}

}  // namespace stagecraft::app
