#include "app/commands/pictures.h"

#include "core/formats/text_file.h"
#include "views/figures/painter_writer.h"

#include <QApplication>
#include <QByteArray>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QLibrary>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <set>
#include <cstdio>

namespace stagecraft::app::commands {

namespace {

/// @param show gives the view what it is to show
std::unique_ptr<QWidget> chartsWith(const PlanViewState& state, bool some,
                                    const std::function<void(PlanView&)>& show) {
    auto view = std::make_unique<PlanView>();
    view->setViewState(state);
    // A timeline is prepared on another thread.
    QEventLoop loop;
    QObject::connect(view.get(), &PlanView::ready, &loop, &QEventLoop::quit);
    show(*view);
    if (some && !view->isReady()) loop.exec();
    return view;
}

}  // namespace

std::unique_ptr<QWidget> chartsOf(const std::shared_ptr<const PlanRun>& run, const PlanViewState& state) {
    return chartsWith(state, run->ok(), [&run](PlanView& view) { view.setRun(run); });
}

std::unique_ptr<QWidget> chartsOf(const std::shared_ptr<const RecordedRun>& recorded,
                                  const PlanViewState& state) {
    return chartsWith(state, true, [&recorded](PlanView& view) { view.setRecorded(recorded); });
}

QImage pictureOf(QWidget& widget, QSize size) {
    widget.resize(size);
    widget.setAttribute(Qt::WA_DontShowOnScreen);
    widget.show();
    // Layouts, fits and delayed repaints settle while the events that they posted are handled.
    constexpr int rounds = 3;
    for (int i = 0; i < rounds; ++i) QApplication::processEvents();
    return widget.grab().toImage();
}

bool waitUntil(const std::function<bool()>& holds, int patienceMs) {
    QElapsedTimer timer;
    timer.start();
    while (!holds() && timer.elapsed() < patienceMs)
        QApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 50);
    return holds();
}

void writePicture(const std::string& path, const QImage& picture) {
    const QByteArray png = pngBytes(picture);
    writeFileAtomically(path, {png.constData(), static_cast<std::size_t>(png.size())});
}

std::optional<QSize> pixelsFrom(const std::string& text, int least, int most) {
    int width = 0, height = 0;
    const char* end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, width);
    if (first.ec != std::errc{} || first.ptr == end || *first.ptr != 'x') return std::nullopt;
    const auto second = std::from_chars(first.ptr + 1, end, height);
    if (second.ec != std::errc{} || second.ptr != end) return std::nullopt;
    if (std::min(width, height) < least || std::max(width, height) > most) return std::nullopt;
    return QSize(width, height);
}

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
    // A connection that answers stays: a server whose last client leaves resets, and turns Qt away meanwhile.
    static std::set<QByteArray> answering;
    const QByteArray name = qgetenv("DISPLAY");
    if (answering.contains(name)) return true;
    void* connection = connect(nullptr, nullptr);
    if (hasError(connection)) {
        disconnect(connection);
        return false;
    }
    answering.insert(name);
    return true;
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

}  // namespace stagecraft::app::commands
