// Whether there is a screen, and how the window takes its place on it.
#include "app/commands/pictures.h"
#include "tests/support/window_rooms.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"

#include <QScreen>

using namespace stagecraft;

class DisplayTest : public QObject {
    Q_OBJECT

    PrivateHome home_;

    struct Screen {
        QByteArray platform, x11, wayland;
        Screen()
            : platform(qgetenv("QT_QPA_PLATFORM")),
              x11(qgetenv("DISPLAY")),
              wayland(qgetenv("WAYLAND_DISPLAY")) {}
        ~Screen() {
            qputenv("QT_QPA_PLATFORM", platform);
            qputenv("DISPLAY", x11);
            qputenv("WAYLAND_DISPLAY", wayland);
        }
    };

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

    void aDisplayThatIsNamedButDoesNotAnswerIsNone() {
        const Screen restored;
        qputenv("DISPLAY", ":4711");
        qputenv("WAYLAND_DISPLAY", "/nowhere/wayland-0");
        qunsetenv("QT_QPA_PLATFORM");
        QVERIFY(!hasDisplay());
        qputenv("QT_QPA_PLATFORM", "xcb");
        QVERIFY(!hasDisplay());
        qunsetenv("DISPLAY");
        qunsetenv("WAYLAND_DISPLAY");
        QVERIFY(!hasDisplay());
    }

    void aPlatformThatNeedsNoServerIsEnough() {
        const Screen restored;
        qunsetenv("DISPLAY");
        qunsetenv("WAYLAND_DISPLAY");
        qputenv("QT_QPA_PLATFORM", "offscreen");
        QVERIFY(hasDisplay());
    }

    void aSmallScreenIsFilledUntilThePersonChoosesOtherwise() {
        if (QGuiApplication::primaryScreen()->availableGeometry().height() > 800)
            QSKIP("this screen has room for the usual size");
        MainWindow first;
        first.takePlaceOnScreen();
        first.show();
        QVERIFY(first.isMaximized());
        first.showNormal();
        QTRY_VERIFY(QGuiApplication::primaryScreen()->availableGeometry().contains(first.frameGeometry()));
        QVERIFY(first.close());
        MainWindow second;
        second.takePlaceOnScreen();
        QVERIFY(!second.isMaximized());
    }
};

STAGECRAFT_TEST(DisplayTest)
#include "display_test.moc"
