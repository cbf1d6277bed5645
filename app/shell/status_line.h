#pragma once

#include "app/shell/window_parts.h"

#include <QObject>

class QLabel;
class QPushButton;
class QStatusBar;

namespace stagecraft::views::common {
class ElidedLabel;
}

namespace stagecraft::app::shell {

class Workbench;

/// What the status bar shows: the plan in view in a few figures, what the pointer is at, how long
/// planning took, and how many problems there are.
class StatusLine : public QObject {
    Q_OBJECT

public:
    StatusLine(QStatusBar& bar, WindowDocument& document, Workbench& workbench, QObject* parent);

    /// For another document, or none.
    void showDocument();
    void showSummary();
    void showProblemCount();
    void showHover(const QString& text);

signals:
    void problemsClicked();

private:
    WindowDocument& document_;
    Workbench& workbench_;
    ElidedLabel* summary_;
    ElidedLabel* hover_;
    QLabel* planningTime_;
    QPushButton* problems_;
};

}  // namespace stagecraft::app::shell
