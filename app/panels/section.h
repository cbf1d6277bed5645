#pragma once

#include "core/base/rooms.h"

#include <QWidget>

class QVBoxLayout;

namespace stagecraft::app {

/// A titled part of a side panel.
class Section : public QWidget {
    Q_OBJECT

public:
    Section(const QString& title, QWidget* content, QWidget* parent = nullptr);
};

}  // namespace stagecraft::app
