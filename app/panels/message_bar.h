#pragma once

#include "app/rooms.h"

#include <QFrame>

#include <functional>
#include <utility>
#include <vector>

namespace stagecraft::app::panels {

/// A line above the document that says something and offers what can be done about it; nothing waits for it.
class MessageBar : public QFrame {
    Q_OBJECT

public:
    using Choice = std::pair<QString, std::function<void()>>;
    /// Any choice closes the bar.
    MessageBar(const QString& icon, const QString& text, const std::vector<Choice>& choices,
               QWidget* parent = nullptr);
};

}  // namespace stagecraft::app::panels
