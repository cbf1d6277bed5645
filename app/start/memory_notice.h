#pragma once

#include "app/rooms.h"
#include "core/planners/memory_outlook.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace stagecraft::app::start {

/// What is known of memory before anything runs, in words, and a button for each change that helps.
class MemoryNotice : public QWidget {
    Q_OBJECT

public:
    explicit MemoryNotice(QWidget* parent = nullptr);

    void showOutlook(const MemoryOutlook& outlook, const std::vector<MemoryRemedy>& remedies);
    /// In its place: what was found of a plan that is there already.
    void showFinding(const QString& text, bool isGood);
    /// In its place: why there is nothing to check.
    void showError(const QString& text);
    void showBusy();
    /// Above it: what is wrong with a file or a text that was to be taken; empty: nothing.
    void setRefusal(const QString& text);
    QString refusal() const;
    /// What helped what was shown before need not help what is there now.
    void clearButtons();

signals:
    void remedyChosen(int index);

private:
    void setText(const QString& text, const char* role);

    QLabel* refusal_;
    QLabel* text_;
    QHBoxLayout* buttons_;
};

}  // namespace stagecraft::app::start
