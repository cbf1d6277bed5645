#include "app/commands/display.h"

#include <QByteArray>
#include <QLibrary>

namespace stagecraft::app {
namespace {

// Qt's platform plugins are clients of these two libraries, so where one is missing Qt has no use for such a
// display either. Asking them treats host names, sockets and permissions as Qt is going to.

bool answersX11() {
    QLibrary xcb(QStringLiteral("xcb"), 1);
    using Connect = void* (*)(const char*, int*);
    using HasError = int (*)(void*);
    using Disconnect = void (*)(void*);
    const auto connect = reinterpret_cast<Connect>(xcb.resolve("xcb_connect"));
    const auto hasError = reinterpret_cast<HasError>(xcb.resolve("xcb_connection_has_error"));
    const auto disconnect = reinterpret_cast<Disconnect>(xcb.resolve("xcb_disconnect"));
    if (!connect || !hasError || !disconnect) return false;
    void* connection = connect(nullptr, nullptr);
    const bool answers = !hasError(connection);
    disconnect(connection);
    return answers;
}

bool answersWayland() {
    // Without a folder for its socket the library would only complain.
    if (qEnvironmentVariableIsEmpty("XDG_RUNTIME_DIR") && !qgetenv("WAYLAND_DISPLAY").startsWith('/'))
        return false;
    QLibrary wayland(QStringLiteral("wayland-client"), 0);
    using Connect = void* (*)(const char*);
    using Disconnect = void (*)(void*);
    const auto connect = reinterpret_cast<Connect>(wayland.resolve("wl_display_connect"));
    const auto disconnect = reinterpret_cast<Disconnect>(wayland.resolve("wl_display_disconnect"));
    void* connection = connect && disconnect ? connect(nullptr) : nullptr;
    if (connection) disconnect(connection);
    return connection != nullptr;
}

}  // namespace

bool hasDisplay() {
    // A platform of another kind, such as "offscreen" or "vnc", was asked for by name and needs no server.
    const QByteArray platform = qgetenv("QT_QPA_PLATFORM");
    if (!platform.isEmpty() && !platform.startsWith("xcb") && !platform.startsWith("wayland")) return true;
    return (!qEnvironmentVariableIsEmpty("DISPLAY") && answersX11()) ||
           (!qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") && answersWayland());
}

}  // namespace stagecraft::app
