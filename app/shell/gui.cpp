#include "app/shell/gui.h"

#include "app/document/version.h"
#include "app/shell/main_window.h"
#include "app/shell/session.h"
#include "core/base/freed_memory.h"
#include "core/base/vector_state.h"
#include "views/common/text_size.h"
#include "views/common/theme.h"

#include <QApplication>
#include <QIcon>

#include <clocale>

namespace stagecraft::app::shell {

namespace {

/// Each event begins as if nothing had been painted.
class Application : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override {
        freeUpperVectors();
        return QApplication::notify(receiver, event);
    }
};

}  // namespace

int runGui(int& argc, char** argv, const QStringList& files) {
    returnFreedMemory();
    Application application(argc, argv);
    // Qt takes the system's; numbers in files, and what is said to cbc, have a point everywhere.
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setOrganizationName(QStringLiteral("Stagecraft"));
    QApplication::setApplicationName(QStringLiteral("Stagecraft"));
    QApplication::setApplicationVersion(QLatin1String(version()));
    applyTextSize(application, Preferences::textPercent());
    setNumberStyle(Preferences::numbers());
    applyTheme(application, Preferences::theme());
    QApplication::setWindowIcon(lineIcon(QStringLiteral("plan")));
    MainWindow window;
    window.takePlaceOnScreen();
    window.show();
    window.openFiles(files);  // together: several may be one recording
    return QApplication::exec();
}

}  // namespace stagecraft::app::shell
