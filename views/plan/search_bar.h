#pragma once

#include "views/rooms.h"

#include <QFrame>
#include <QLabel>
#include <QLineEdit>

class QToolButton;

namespace stagecraft::views::plan {

/// A row in which to type what to look for, with how much there is of it and the way from one to the next.
class SearchBar : public QFrame {
    Q_OBJECT
public:
    explicit SearchBar(QWidget* parent = nullptr);

    QLineEdit& field() { return *field_; }
    /// "3 of 128", or what is wrong.
    QString answer() const { return answer_->text(); }
    void setCount(int at, std::size_t count);  ///< `at` from 0; -1: none of them is in view
    /// Whether all but what is found is hidden.
    bool hidesRest() const;
    void setHidesRest(bool on);
    void setSearching();
    void setNothingAsked();
    /// Marks the part of the text that is to blame.
    void setMistake(const QString& message, int from, int length);

signals:
    void edited(QString text);
    void stepRequested(int step);
    void listRequested();
    void hidesRestChanged(bool on);
    void closed();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void answer(const QString& text, bool wrong, bool canStep);
    void refreshIcons();

    QLineEdit* field_;
    QLabel* answer_;
    QToolButton* previous_;
    QToolButton* next_;
    QToolButton* only_;
    QToolButton* list_;
    QToolButton* close_;
};

}  // namespace stagecraft::views::plan
