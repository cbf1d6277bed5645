#pragma once

#include "views/rooms.h"

#include <QWidget>

class QAction;
class QLabel;
class QMenu;
class QToolButton;

namespace stagecraft::views::play {

class PresentMenu;

/// Above plans that are played: what they are, and what can be done with them.
class PlayToolbar : public QWidget {
    Q_OBJECT
public:
    explicit PlayToolbar(QWidget* parent = nullptr);

    void setTitle(const QString& title);
    /// Of all but the choice of plans.
    void setActionsEnabled(bool on);
    /// What the button *Plans* opens; it is there from then on.
    void setPlansMenu(QMenu* menu);
    bool communication() const;
    PresentMenu& presentMenu() { return *presentMenu_; }

signals:
    void communicationToggled(bool on);
    void presentWanted();
    void exportWanted();

protected:
    void changeEvent(QEvent* event) override;

private:
    QAction* addAction(const char* name, const QString& text, const QString& tip);
    QToolButton* addMenuButton(const char* name, const QString& text, const QString& tip);
    void refreshIcons();

    QLabel* title_;
    PresentMenu* presentMenu_;
    QToolButton* plans_ = nullptr;
    QAction* communication_ = nullptr;
    QAction* present_ = nullptr;
    QAction* export_ = nullptr;
};

}  // namespace stagecraft::views::play
