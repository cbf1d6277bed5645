#pragma once

#include "app/rooms.h"

#include <QWidget>

class QLineEdit;
class QToolButton;

namespace stagecraft::app::actions {
class ActionRegister;
}

namespace stagecraft::app::help {

class HelpView;

/// Help with its buttons: back and forward, contents, the sections of the page, a search, print.
class HelpPanel : public QWidget {
    Q_OBJECT

public:
    explicit HelpPanel(const ActionRegister& actions, QWidget* parent = nullptr);

    HelpView& view() { return *view_; }
    void focusSearch();

signals:
    /// Esc, or the keys that close a window.
    void closeRequested();

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QToolButton* addButton(const QString& name, const QString& tip);
    void showState();
    void print();

    HelpView* view_;
    QToolButton* back_;
    QToolButton* forward_;
    QToolButton* contents_;
    QToolButton* sections_;
    QToolButton* print_;
    QLineEdit* search_;
};

}  // namespace stagecraft::app::help
