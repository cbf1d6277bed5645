#pragma once

#include "app/rooms.h"

#include <QWidget>

class QHBoxLayout;
class QLineEdit;
class QListWidget;

namespace stagecraft::app::start {

/// One of two choices of a new plan: a field that narrows a list, and buttons for what is not in it.
class SourceList : public QWidget {
    Q_OBJECT

public:
    /// @param name object name of the list; the field's is "find" before it
    SourceList(const QString& heading, const QString& name, const QString& hint, QWidget* parent = nullptr);

    void add(const QString& title, const QString& tip);
    /// What a person opened is above all others, and chosen.
    void addFirst(const QString& title, const QString& tip);
    /// Index of the current one: in the order of add(), or -1 - i for the i-th of addFirst(). Only if
    /// isAny().
    int current() const;
    bool isAny() const;
    QLineEdit& field() { return *field_; }
    /// What is below the list, for buttons and what belongs to the choice.
    QHBoxLayout& below() { return *below_; }

signals:
    void chosen();

protected:
    void showEvent(QShowEvent* event) override;

private:
    QLineEdit* field_;
    QListWidget* list_;
    QHBoxLayout* below_;
    int added_ = 0, opened_ = 0;
};

}  // namespace stagecraft::app::start
