#include "app/panels/field_habits.h"

#include <QKeyEvent>
#include <QWidget>

namespace stagecraft {
namespace {

constexpr int narrowest = 96;

}  // namespace

void FieldHabits::applyTo(QWidget& field) {
    field.setFocusPolicy(Qt::StrongFocus);
    field.setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    field.setMinimumWidth(narrowest);
    field.installEventFilter(this);
    for (QWidget* part : field.findChildren<QWidget*>()) {
        part->installEventFilter(this);
        // Else the wheel gives it the focus before it is asked whether it has it.
        if (part->focusPolicy() == Qt::WheelFocus) part->setFocusPolicy(Qt::StrongFocus);
    }
}

bool FieldHabits::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Wheel && !static_cast<QWidget*>(watched)->hasFocus()) {
        event->ignore();
        return true;
    }
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace stagecraft
