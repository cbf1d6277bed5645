#include "views/common/focus_mark.h"

#include "views/common/theme.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QFocusEvent>
#include <QLineEdit>
#include <QPainter>
#include <QPointer>
#include <QSlider>
#include <QTabBar>

namespace stagecraft::views {
namespace {

/// A frame over a widget, through which the mouse goes.
class Ring : public QWidget {
public:
    explicit Ring(QWidget* around) : QWidget(around) {
        setObjectName(QStringLiteral("focusRing"));
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setFocusPolicy(Qt::NoFocus);
        setGeometry(around->rect());
        show();
        raise();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setPen(QPen(Theme::current().accent, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
};

/// Their style says it.
bool marksItself(const QWidget* widget) {
    return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QLineEdit*>(widget) ||
           qobject_cast<const QAbstractSpinBox*>(widget) || qobject_cast<const QComboBox*>(widget) ||
           qobject_cast<const QAbstractSlider*>(widget) || qobject_cast<const QTabBar*>(widget);
}

class FocusMark : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::FocusIn && watched->isWidgetType()) {
            const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
            if (reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason)
                mark(static_cast<QWidget*>(watched));
        } else if (ring_ && watched == ring_->parent()) {
            if (event->type() == QEvent::FocusOut || event->type() == QEvent::MouseButtonPress)
                delete ring_;
            else if (event->type() == QEvent::Resize)
                ring_->setGeometry(static_cast<QWidget*>(watched)->rect());
        }
        return false;
    }

private:
    void mark(QWidget* widget) {
        delete ring_;
        if (!marksItself(widget)) ring_ = new Ring(widget);
    }

    QPointer<QWidget> ring_;  ///< a Ring, but while it is being destroyed only a widget
};

}  // namespace

void markKeyboardFocus(QApplication& application) {
    static const QPointer<FocusMark> mark = [&application] {
        auto* made = new FocusMark(&application);
        application.installEventFilter(made);
        return QPointer<FocusMark>(made);
    }();
    Q_UNUSED(mark);
}

}  // namespace stagecraft::views
