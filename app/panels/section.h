#pragma once

#include "app/rooms.h"

#include <QWidget>

class QVBoxLayout;

namespace stagecraft::app::panels {

/// A titled part of a side panel.
class Section : public QWidget {
    Q_OBJECT

public:
    Section(const QString& title, QWidget* content, QWidget* parent = nullptr);
};

}  // namespace stagecraft::app::panels
