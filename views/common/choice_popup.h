#pragma once

#include "views/rooms.h"

#include <QDialog>
#include <QIcon>

#include <vector>

class QLineEdit;
class QListWidget;

namespace stagecraft::views::common {

/// A list that narrows to what has all the words that one types; Enter or a click takes a row and closes.
class ChoicePopup : public QDialog {
    Q_OBJECT
public:
    struct Choice {
        QString text;
        QIcon icon;
        QString keys;         ///< shown after it, not searched
        QString alsoFoundBy;  ///< further words that find it, not shown
        bool usable = true;   ///< else it is shown grey, and only where it is searched for
    };

    /// Deletes itself when it closes; `prompt` is in the empty field.
    ChoicePopup(const QString& prompt, std::vector<Choice> choices, QWidget* parent);

signals:
    /// Once it is hidden.
    void chosen(int choice);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter(const QString& text);
    std::vector<std::size_t> matches(const QStringList& words) const;
    void addRow(std::size_t choice);
    void take();

    std::vector<Choice> choices_;
    QLineEdit* search_;
    QListWidget* list_;
};

}  // namespace stagecraft::views::common
