#pragma once

#include "app/rooms.h"

#include <QWidget>

class QVBoxLayout;

namespace stagecraft::app::panels {

/// A titled part of a side panel. What it holds is best made as its child: a widget that moves to another
/// parent is styled anew, with all that is in it.
class Section : public QWidget {
    Q_OBJECT

public:
    /// @param content may be null
    Section(const QString& title, QWidget* content, QWidget* parent = nullptr);
    void setContent(QWidget* content);
};

}  // namespace stagecraft::app::panels
