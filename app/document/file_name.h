#pragma once

#include "core/base/rooms.h"

#include <QRegularExpression>
#include <QString>

namespace stagecraft::app {

/// What is suggested as the name of a file: the title without what file systems refuse.
inline QString fileNameOf(QString title) {
    title.replace(QRegularExpression(QStringLiteral("[^\\w.+-]+")), QStringLiteral("-"));
    return title;
}

}  // namespace stagecraft::app
