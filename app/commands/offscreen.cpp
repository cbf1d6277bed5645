#include "app/commands/offscreen.h"

#include <QApplication>

#include <clocale>
#include <cstdio>

namespace stagecraft::app {

void ensureApplication() {
    if (QApplication::instance()) return;
    // Qt keeps references to both for as long as the application lives.
    static int count = 1;
    static char name[] = "stagecraft";
    static char* arguments[] = {name, nullptr};
    // What Qt remarks about the missing display and desktop is no news to a user of the command line.
    qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& message) {
        if (type == QtCriticalMsg || type == QtFatalMsg) std::fprintf(stderr, "%s\n", qPrintable(message));
    });
    qputenv("QT_QPA_PLATFORM", "offscreen");
    static QApplication application(count, arguments);
    std::setlocale(LC_NUMERIC, "C");  // as in the window
}

}  // namespace stagecraft::app
