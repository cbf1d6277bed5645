#pragma once

#include "tests/support/window_rooms.h"

#include <QFile>
#include <QTest>

namespace stagecraft {

inline void writeText(const QString& path, const QByteArray& text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

/// Nothing where there is no such file.
inline QByteArray bytesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace stagecraft
