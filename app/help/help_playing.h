#pragma once

#include "app/help/help_picture.h"

#include <QImage>

namespace stagecraft::app {

/// What a projector shows of plans that are played, in the middle of their time: the picture of a help page
/// whose view is "playing".
/// @param widthPx of the page; its pixels have `scale` of the image's in each
/// @throws InputError for a sample or a plan that is not there
QImage drawHelpPlaying(const HelpPicture& picture, double widthPx, double scale);

}  // namespace stagecraft::app
