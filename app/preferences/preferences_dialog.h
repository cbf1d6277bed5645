#pragma once

#include "app/preferences/preference.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace stagecraft::app::preferences {

/// All preferences on one page that can be searched. A change acts at once.
class PreferencesDialog : public QDialog {
    Q_OBJECT

public:
    explicit PreferencesDialog(std::vector<Preference> preferences, QWidget* parent = nullptr);

    /// The ids of the rows that the search leaves, in their order.
    QStringList shown() const;

private:
    struct Row {
        Preference preference;
        QWidget* whole = nullptr;
        QLabel* heading = nullptr;        ///< of its group; null for all but the first of it
        QPushButton* back = nullptr;      ///< to the standard value
        std::function<void()> showValue;  ///< the one in force
    };

    QWidget* pageOfRows();
    QWidget* newRow(Row& row);
    /// What the value is changed with; its object name is the preference's id.
    QWidget* newEditor(Row& row);
    QWidget* newChoice(Row& row);
    QWidget* newNumber(Row& row);
    QWidget* newFolder(Row& row);
    void take(Row& row, const QVariant& value);
    void resetAll();
    void narrow(const QString& text);
    void showRow(Row& row);

    std::vector<Row> rows_;
    QLineEdit* search_;
    QLabel* none_;  ///< said where the search leaves no row
    QPushButton* reset_;
};

}  // namespace stagecraft::app::preferences
