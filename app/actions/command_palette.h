#pragma once

#include "app/actions/action_register.h"

#include <QDialog>

class QLineEdit;
class QListWidget;

namespace stagecraft {

/// All actions in a list that narrows while one types; Enter carries out the selected one.
class CommandPalette : public QDialog {
    Q_OBJECT

public:
    CommandPalette(const ActionRegister& actions, QWidget* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter(const QString& text);
    void carryOut();

    const ActionRegister& actions_;
    QLineEdit* search_;
    QListWidget* list_;
};

}  // namespace stagecraft
