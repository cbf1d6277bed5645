// Whether there is a screen, and how the window takes its place on it.
#include "app/commands/pictures.h"
#include "tests/support/window_rooms.h"
#include "tests/app/window_fixture.h"
#include "tests/support/qt_program.h"

#include <QScreen>

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <future>
#include <thread>

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

    /// A server whose last client leaves resets, and turns away who comes meanwhile.
    void aServerThatAnsweredIsNotLeft() {
        const Screen restored;
        const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in place{AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {}};
        socklen_t size = sizeof place;
        auto* address = reinterpret_cast<sockaddr*>(&place);
        QCOMPARE(::bind(listening, address, size) | ::listen(listening, 1) |
                     ::getsockname(listening, address, &size),
                 0);
        std::promise<void> asked;
        ssize_t received = 0;
        std::thread answering([&] {
            pollfd waiting{listening, POLLIN, 0};
            if (::poll(&waiting, 1, 30'000) != 1) return;
            const int client = ::accept(listening, nullptr, nullptr);
            std::array<char, 12> hello;
            ::recv(client, hello.data(), hello.size(), MSG_WAITALL);
            // Accepted, protocol 11.0, and 8 words of a setup without vendor, formats and screens.
            const std::array<char, 40> setup = {1, 0, 11, 0, 0, 0, 8, 0};
            ::send(client, setup.data(), setup.size(), 0);
            asked.get_future().wait();
            received = ::recv(client, hello.data(), 1, MSG_DONTWAIT);  // 0: it has left
            ::close(client);
        });
        qunsetenv("WAYLAND_DISPLAY");
        qputenv("QT_QPA_PLATFORM", "xcb");
        qputenv("DISPLAY", "127.0.0.1:" + QByteArray::number(ntohs(place.sin_port) - 6000));
        const bool answers = hasDisplay();
        asked.set_value();
        answering.join();
        ::close(listening);
        QVERIFY(answers);
        QCOMPARE(received, ssize_t{-1});
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
