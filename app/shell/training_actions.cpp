#include "app/shell/training_actions.h"

#include "app/shell/menus.h"
#include "app/shell/workbench.h"
#include "app/training/training_page.h"

namespace stagecraft {

TrainingActions::TrainingActions(ActionRegister& actions, Workbench& workbench, QObject* parent)
    : QObject(parent), workbench_(workbench) {
    TrainingPage& page = *workbench.training();
    start_ = actions.add(
        {"training.start", planMenu, tr("Start &training"), QKeySequence(tr("F6")), "training", true},
        [&workbench, &page] {
            workbench.showTraining();
            page.start();
        });
    pause_ = actions.add({"training.pause", planMenu, tr("&Pause training"), QKeySequence(tr("Ctrl+F6"))},
                         [&page] { page.pauseOrResume(); });
    stop_ = actions.add({"training.stop", planMenu, tr("&Stop training"), QKeySequence(tr("Shift+F6"))},
                        [&page] { page.stop(); });
    connect(&page, &TrainingPage::stateChanged, this, &TrainingActions::update);
    update();
}

void TrainingActions::update() {
    TrainingPage& page = *workbench_.training();
    const auto state = page.job().state();
    start_->setEnabled(page.canStart());
    pause_->setEnabled(state != TrainingJob::State::idle);
    pause_->setText(state == TrainingJob::State::paused ? tr("Re&sume training") : tr("&Pause training"));
    stop_->setEnabled(state != TrainingJob::State::idle);
}

}  // namespace stagecraft
