#pragma once

#include "app/rooms.h"

#include <QObject>

class QWidget;

namespace stagecraft::app::panels {

/// How fields behave in a side panel: they take the width that there is; the wheel scrolls the panel
/// unless the field has the focus, and undo and redo are those of the document, not of the text in the field.
class FieldBehaviour : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;
    /// For `field` and what it is made of.
    void applyTo(QWidget& field);
    /// What is typed into a field, and not yet confirmed, counts. Anything else than a field is left alone.
    static void commit(QWidget* field);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace stagecraft::app::panels
