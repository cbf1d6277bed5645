#include "views/common/button_keys.h"

#include <QApplication>
#include <QDialog>
#include <QKeyEvent>
#include <QPointer>
#include <QPushButton>
#include <QToolButton>

namespace stagecraft::views {
namespace {

class ReturnKey : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::KeyPress) return false;
        const auto* press = static_cast<QKeyEvent*>(event);
        if ((press->key() != Qt::Key_Return && press->key() != Qt::Key_Enter) || press->isAutoRepeat())
            return false;
        if (!qobject_cast<QPushButton*>(watched) && !qobject_cast<QToolButton*>(watched)) return false;
        auto* button = static_cast<QAbstractButton*>(watched);
        if (!button->isEnabled() || qobject_cast<QDialog*>(button->window())) return false;
        button->click();
        return true;
    }
};

}  // namespace

void pressButtonsByReturn(QApplication& application) {
    static const QPointer<ReturnKey> key = [&application] {
        auto* made = new ReturnKey(&application);
        application.installEventFilter(made);
        return QPointer<ReturnKey>(made);
    }();
    Q_UNUSED(key);
}

}  // namespace stagecraft::views
