#include "app/shell/training_actions.h"

#include "app/shell/menus.h"
#include "app/shell/workbench.h"
#include "app/training/training_page.h"

namespace stagecraft::app {

TrainingActions::TrainingActions(ActionRegister& actions, Workbench& workbench, QObject* parent)
    : QObject(parent), actions_(actions), workbench_(workbench) {
    TrainingPage& page = *workbench.training();
    const auto running = [&page] { return page.job().state() != TrainingJob::State::idle; };
    actions.add(
        {"training.start", planMenu, tr("&Start training"), QKeySequence(tr("F6")), "training", false,
         trainingSubmenu},
        [&workbench, &page] {
            workbench.showTraining();
            page.start();
        },
        [&page] { return page.canStart(); });
    pause_ = actions.add(
        {"training.pause", planMenu, tr("&Pause training"), QKeySequence(tr("Ctrl+F6")), "", false,
         trainingSubmenu},
        [&page] { page.pauseOrResume(); }, running);
    actions.add(
        {"training.stop", planMenu, tr("S&top training"), QKeySequence(tr("Shift+F6")), "", false,
         trainingSubmenu},
        [&page] { page.stop(); }, running);
    connect(&page, &TrainingPage::stateChanged, this, &TrainingActions::showState);
    showState();
}

void TrainingActions::showState() {
    const auto state = workbench_.training()->job().state();
    pause_->setText(state == TrainingJob::State::paused ? tr("Re&sume training") : tr("&Pause training"));
    actions_.refresh();
}

}  // namespace stagecraft::app
