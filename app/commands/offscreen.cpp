#include "app/commands/offscreen.h"

#include <QApplication>
#include <QBuffer>

namespace stagecraft {

void ensureApplication() {
    if (QApplication::instance()) return;
    // Qt keeps references to both for as long as the application lives.
    static int count = 1;
    static char name[] = "stagecraft";
    static char* arguments[] = {name, nullptr};
    qputenv("QT_QPA_PLATFORM", "offscreen");
    static QApplication application(count, arguments);
}

QByteArray pngBytes(const QImage& image) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes;
}

}  // namespace stagecraft
