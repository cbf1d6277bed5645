#pragma once

#include "views/rooms.h"

#include <QFrame>

#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;
class QSpinBox;

namespace stagecraft::views::topology {

/// One of what a popup offers.
struct PickEntry {
    QString text;
    QString tip;
    int index = 0;  ///< what is handed on; its meaning is that of whoever offers it
};

/// Something of a long list, found by typing; Enter or a click chooses, Escape does nothing.
class PickPopup : public QFrame {
    Q_OBJECT

public:
    /// What there is for the words typed.
    using Search = std::function<std::vector<PickEntry>(const QString& words)>;
    /// @param name of the widget; its field and list are called "pickWords" and "pickList"
    PickPopup(const QString& name, const QString& placeholder, Search search, QWidget* parent);
    /// Asks for a number, from 2 on, too; the field is called "pickCount".
    void askCount(const QString& label, int usual, int most);
    void showAt(const QPoint& globalPosition);

signals:
    /// @param count 0 unless it was asked for
    void accepted(int index, int count);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill();
    void accept();

    Search offered_;
    QLineEdit* words_;
    QListWidget* list_;
    QSpinBox* count_ = nullptr;
};

}  // namespace stagecraft::views::topology
