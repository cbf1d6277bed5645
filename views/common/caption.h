#pragma once

#include "views/rooms.h"

#include <QFont>
#include <QImage>
#include <QString>

namespace stagecraft::views::common {

/// The picture under lines of bold text; empty text: the picture itself. @param scale pixels of the picture
/// per pixel of the font
QImage withCaption(const QImage& picture, const QString& text, double scale, QFont font);

}  // namespace stagecraft::views::common
