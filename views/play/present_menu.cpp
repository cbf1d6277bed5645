#include "views/play/present_menu.h"

#include <QActionGroup>

#include <algorithm>
#include <iterator>

namespace stagecraft::views {

PresentMenu::PresentMenu(QWidget* parent) : QMenu(parent) {
    auto* sizes = new QActionGroup(this);
    for (const int points : presentedPoints) {
        QAction* action = addAction(tr("Text of %1 pt").arg(points));
        action->setObjectName(QStringLiteral("presentType%1").arg(points));
        action->setCheckable(true);
        sizes->addAction(action);
        types_.push_back(action);
        connect(action, &QAction::triggered, this, [this, points] {
            PresentChoice wanted = choice_;
            wanted.typePoints = points;
            choose(wanted);
        });
    }
    addSeparator();
    const auto part = [this](const char* name, const QString& text, auto toggle) {
        QAction* action = addAction(text);
        action->setObjectName(QLatin1String(name));
        action->setCheckable(true);
        connect(action, &QAction::triggered, this, toggle);
        return action;
    };
    memory_ = part("presentMemory", tr("Memory below the lanes"), [this] { toggleMemory(); });
    cluster_ = part("presentCluster", tr("Cluster beside the lanes"), [this] { toggleCluster(); });
    setChoice({});
}

void PresentMenu::setChoice(const PresentChoice& choice) {
    choice_ = choice;
    for (std::size_t i = 0; i < types_.size(); ++i)
        types_[i]->setChecked(presentedPoints[i] == choice.typePoints);
    memory_->setChecked(choice.memory);
    cluster_->setChecked(choice.cluster);
}

void PresentMenu::choose(const PresentChoice& choice) {
    setChoice(choice);
    emit chosen();
}

void PresentMenu::nextType() {
    PresentChoice wanted = choice_;
    const auto* now = std::find(std::begin(presentedPoints), std::end(presentedPoints), choice_.typePoints);
    const auto next = static_cast<std::size_t>(now - std::begin(presentedPoints)) + 1;
    wanted.typePoints = presentedPoints[next % std::size(presentedPoints)];
    choose(wanted);
}

void PresentMenu::toggleMemory() {
    PresentChoice wanted = choice_;
    wanted.memory = !wanted.memory;
    choose(wanted);
}

void PresentMenu::toggleCluster() {
    PresentChoice wanted = choice_;
    wanted.cluster = !wanted.cluster;
    choose(wanted);
}

}  // namespace stagecraft::views
