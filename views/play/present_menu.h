#pragma once

#include "views/play/present_choice.h"

#include <QMenu>

#include <vector>

class QAction;

namespace stagecraft::views {

/// What plans are presented with: how large the type is, with memory and cluster or without.
class PresentMenu : public QMenu {
    Q_OBJECT
public:
    explicit PresentMenu(QWidget* parent = nullptr);
    const PresentChoice& choice() const { return choice_; }
    void setChoice(const PresentChoice& choice);
    void nextType();
    void toggleMemory();
    void toggleCluster();

signals:
    void chosen();  ///< by a person

private:
    void choose(const PresentChoice& choice);

    PresentChoice choice_;
    std::vector<QAction*> types_;  ///< by presentedPoints
    QAction* memory_ = nullptr;
    QAction* cluster_ = nullptr;
};

}  // namespace stagecraft::views
