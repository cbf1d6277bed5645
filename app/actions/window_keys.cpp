#include "app/actions/window_keys.h"

#include <QKeyEvent>
#include <QWidget>

namespace stagecraft::app::actions {
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

}  // namespace stagecraft::app::actions
