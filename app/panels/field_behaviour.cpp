#include "app/panels/field_behaviour.h"

#include <QAbstractSpinBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QWidget>

namespace stagecraft::app::panels {
namespace {

constexpr int narrowest = 96;

}  // namespace

void FieldBehaviour::applyTo(QWidget& field) {
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

void FieldBehaviour::commit(QWidget* field) {
    if (auto* box = qobject_cast<QAbstractSpinBox*>(field)) box->interpretText();
    if (auto* line = qobject_cast<QLineEdit*>(field); line && line->hasAcceptableInput())
        emit line->editingFinished();
}

bool FieldBehaviour::eventFilter(QObject* watched, QEvent* event) {
    // The list that a field drops down is a window of its own, and scrolls.
    const auto* part = static_cast<QWidget*>(watched);
    if (event->type() == QEvent::Wheel && !part->hasFocus() && part->window()->windowType() != Qt::Popup) {
        event->ignore();
        return true;
    }
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool ctrlY = key->key() == Qt::Key_Y && key->modifiers() == Qt::ControlModifier;
        if (ctrlY || key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace stagecraft::app::panels
