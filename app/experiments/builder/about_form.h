#pragma once

#include "app/rooms.h"

#include <QWidget>

class QLineEdit;
class QPlainTextEdit;

namespace stagecraft::app::experiments {

class DraftHistory;

/// What an experiment is about, and where it is from.
class AboutForm : public QWidget {
    Q_OBJECT
public:
    explicit AboutForm(DraftHistory& history, QWidget* parent = nullptr);
    void showDraft();

private:
    DraftHistory& history_;
    QPlainTextEdit* about_;
    QLineEdit* source_;
};

}  // namespace stagecraft::app::experiments
