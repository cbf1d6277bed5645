#pragma once

#include <QByteArray>
#include <QImage>

namespace stagecraft {

/// Makes an application for widgets and fonts that needs no display, unless there is one already.
void ensureApplication();

QByteArray pngBytes(const QImage& image);

}  // namespace stagecraft
