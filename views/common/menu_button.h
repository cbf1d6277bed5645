#pragma once

#include "core/base/rooms.h"

#include <QToolButton>

namespace stagecraft::views {

/// A small flat button whose menu is made anew each time that it opens.
class MenuButton : public QToolButton {
    Q_OBJECT
public:
    /// @param sign what it shows
    MenuButton(const QString& name, QChar sign, const QString& tip, QWidget* parent = nullptr);

protected:
    /// Puts what there is now into the menu, which is empty.
    virtual void fill() = 0;
};

}  // namespace stagecraft::views
