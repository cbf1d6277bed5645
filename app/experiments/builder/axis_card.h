#pragma once

#include "app/rooms.h"
#include "core/experiments/axis_draft.h"

#include <QFrame>

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QStackedWidget;

namespace stagecraft::views::common {
class ElidedLabel;
}

namespace stagecraft::app::experiments {

/// An axis while it is written: its name and its values as a list, a range, by doubling, as seeds or as
/// files. What cannot be read is marked in its place.
class AxisCard : public QFrame {
    Q_OBJECT
public:
    explicit AxisCard(QWidget* parent = nullptr);
    void setDraft(const AxisDraft& draft);
    /// What check() finds besides: marks its part. An empty sentence says what the values are.
    void setMistake(AxisMistake::Part part, const QString& sentence);
    void focusValues();

signals:
    void edited(const stagecraft::experiments::AxisDraft& draft);
    void renamed(const QString& name);
    void removeRequested();
    void moveRequested(int by);

private:
    QWidget* makeHead();
    QWidget* makeRange();
    QWidget* makeFiles();
    QLineEdit* line(const char* name, std::string AxisDraft::*text);
    void chooseForm();
    void addFiles();
    void showForm();
    void changed();
    void mark(QWidget& field, bool wrong);

    AxisDraft draft_;
    bool showing_ = false;
    QLineEdit* name_;
    QLabel* what_;
    QComboBox* form_;
    QStackedWidget* pages_;
    QLineEdit* list_;
    QLineEdit* from_;
    QLineEdit* to_;
    QLineEdit* by_;
    QLabel* byLabel_;
    ElidedLabel* files_;
    QLabel* message_;
    std::vector<std::pair<QLineEdit*, std::string AxisDraft::*>> lines_;
};

}  // namespace stagecraft::app::experiments
