#pragma once

#include "app/rooms.h"

#include <QObject>
#include <QPointer>

class QDockWidget;
class QMainWindow;

namespace stagecraft::app::actions {
class ActionRegister;
}

namespace stagecraft::app::help {

class HelpPanel;

/// Help where it is asked for: in a dock of the main window, which can be taken out of it, and in a window of
/// its own over a dialogue or another window.
class HelpController : public QObject {
    Q_OBJECT

public:
    HelpController(const ActionRegister& actions, QMainWindow& window);

    /// About what has the focus.
    void openHere();
    void open(const QString& topic);
    void openSearch();

signals:
    void sampleChosen(QString id);

protected:
    /// F1 in windows that do not have the main window's actions.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void openFor(QWidget& widget);
    HelpPanel& panelFor(QWidget& window);
    void connectPanel(HelpPanel& panel);
    void closeDock();

    const ActionRegister& actions_;
    QMainWindow& window_;
    QDockWidget* dock_ = nullptr;
    QPointer<QWidget> askedFrom_;  ///< that had the focus when help was opened, and has it again afterwards
    QPointer<HelpPanel> beside_;   ///< over another window
};

}  // namespace stagecraft::app::help
