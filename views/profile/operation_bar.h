#pragma once

#include "core/editing/profile_edit.h"
#include "views/rooms.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace stagecraft::views::profile {

/// Asks in a line above the table for what an operation needs: a factor and what it is for, or a number of
/// copies. Enter applies, Esc closes. Stays after it was applied, for the next layers.
class OperationBar : public QWidget {
    Q_OBJECT
public:
    explicit OperationBar(QWidget* parent = nullptr);

    void askFactor();
    void askCopies();
    /// "3 layers", said after the fields.
    void setChosen(const QString& layers);

signals:
    void scaleRequested(ProfileNumbers numbers, double factor);
    void repeatRequested(int copies);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void apply();
    void show(bool factor);

    QLabel* verb_;
    QComboBox* numbers_;
    QLabel* by_;
    QLineEdit* factor_;
    QSpinBox* copies_;
    QLabel* chosen_;
    QPushButton* apply_;
    QString layers_;
    bool asksFactor_ = true;
};

}  // namespace stagecraft::views::profile
