#include "views/common/on_screen.h"

#include <QEvent>
#include <QScreen>
#include <QStyle>
#include <QTimer>
#include <QWidget>

#include <algorithm>
#include <utility>

namespace stagecraft::views::common {
namespace {

/// A window manager may take as long to frame a window that was just shown.
constexpr int framedMs = 150;

const QWidget& parentWindow(const QWidget& window) {
    return window.parentWidget() ? *window.parentWidget()->window() : window;
}

/// What the frame adds on each side; before a window is shown, what its parent's does.
QMargins frameOf(const QWidget& window) {
    const QWidget& framed = window.isVisible() ? window : parentWindow(window);
    const QRect outer = framed.frameGeometry(), inner = framed.geometry();
    if (framed.isVisible() && !framed.isMaximized() && !framed.isFullScreen() && outer != inner)
        return {inner.left() - outer.left(), inner.top() - outer.top(), outer.right() - inner.right(),
                outer.bottom() - inner.bottom()};
    if (window.isVisible()) return {};
    return {0, window.style()->pixelMetric(QStyle::PM_TitleBarHeight), 0, 0};
}

class Placing : public QObject {
public:
    Placing(QWidget& window) : QObject(&window), window_(window) { window.installEventFilter(this); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        const bool shown = event->type() == QEvent::Show && !event->spontaneous();
        if (watched != &window_ || !(shown || event->type() == QEvent::WindowStateChange)) return false;
        if (shown && !std::exchange(opened_, true)) open();
        QTimer::singleShot(0, this, [this] { keep(); });
        QTimer::singleShot(framedMs, this, [this] { keep(); });
        return false;
    }

private:
    bool isFramed() const { return !window_.isMaximized() && !window_.isFullScreen(); }

    void open() {
        if (!isFramed()) return;
        const QWidget& parent = parentWindow(window_);
        const QRect room = parent.screen()->availableGeometry();
        QRect place = QRect(QPoint(), window_.size()).marginsAdded(frameOf(window_));
        place.moveCenter(&parent != &window_ && parent.isVisible() ? parent.frameGeometry().center()
                                                                   : room.center());
        take(place, room);
    }

    void keep() {
        if (!window_.isVisible() || !isFramed()) return;
        const QRect room = window_.screen()->availableGeometry();
        if (!room.contains(window_.frameGeometry()))
            take(window_.geometry().marginsAdded(frameOf(window_)), room);
    }

    /// @param place with the frame
    void take(const QRect& place, const QRect& room) {
        const QMargins frame = frameOf(window_);
        window_.resize(within(place, room).marginsRemoved(frame).size());
        // As large as it became: it may need more than there is.
        window_.move(within(QRect(place.topLeft(), window_.size().grownBy(frame)), room).topLeft());
    }

    QWidget& window_;
    bool opened_ = false;
};

}  // namespace

QRect within(QRect place, const QRect& room) {
    place.setSize(place.size().boundedTo(room.size()));
    place.moveLeft(std::clamp(place.left(), room.left(), room.right() + 1 - place.width()));
    place.moveTop(std::clamp(place.top(), room.top(), room.bottom() + 1 - place.height()));
    return place;
}

void placeOnScreen(QWidget& window, QSize usual) {
    if (!usual.isEmpty()) window.resize(usual);
    new Placing(window);
}

}  // namespace stagecraft::views::common
