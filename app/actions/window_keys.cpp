#include "app/actions/window_keys.h"

#include <QKeyEvent>
#include <QScreen>
#include <QStyle>
#include <QWidget>

#include <algorithm>

namespace stagecraft::app {
namespace {

/// Keys come to a window once nothing within it has taken them.
class CloseKeys : public QObject {
public:
    explicit CloseKeys(QWidget& window) : QObject(&window), window_(window) {
        window.installEventFilter(this);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::KeyPress || watched != &window_) return false;
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool escape = key->key() == Qt::Key_Escape && key->modifiers() == Qt::NoModifier;
        if (!escape && !key->matches(QKeySequence::Close)) return false;
        window_.close();
        return true;
    }

private:
    QWidget& window_;
};

}  // namespace

void closeByKeys(QWidget& window) { new CloseKeys(window); }

void resizeOnScreen(QWidget& window, QSize usual) {
    const QSize frame(0, window.style()->pixelMetric(QStyle::PM_TitleBarHeight));
    window.resize(usual.boundedTo(window.screen()->availableSize() - frame));
}

void placeOnScreen(QWidget& window, QSize usual) {
    resizeOnScreen(window, usual);
    const int bar = window.style()->pixelMetric(QStyle::PM_TitleBarHeight);
    const QRect room = window.screen()->availableGeometry().adjusted(0, bar, 0, 0);
    const QWidget* parent = window.parentWidget();
    QRect place(QPoint(), window.size());
    place.moveCenter(parent ? parent->window()->frameGeometry().center() : room.center());
    place.moveLeft(std::clamp(place.left(), room.left(), std::max(room.left(), room.right() + 1 - place.width())));
    place.moveTop(std::clamp(place.top(), room.top(), std::max(room.top(), room.bottom() + 1 - place.height())));
    window.move(place.topLeft());
}

}  // namespace stagecraft::app
