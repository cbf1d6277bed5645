#include "app/experiments/experiments_actions.h"

#include "app/experiments/experiments_window.h"

namespace stagecraft {

ExperimentsActions::ExperimentsActions(ActionRegister& actions, QWidget* parent)
    : QObject(parent), parent_(parent) {
    actions.add(
        {"experiment.papers", "E&xperiment", tr("&Do the papers hold?"), QKeySequence(tr("F8")), "training"},
        [this] { open().showOverview(); });
    actions.add({"experiment.open", "E&xperiment", tr("&Experiments"), {}, "compare"}, [this] { open(); });
}

ExperimentsWindow& ExperimentsActions::open() {
    if (!window_) window_ = new ExperimentsWindow(parent_);
    window_->show();
    window_->raise();
    window_->activateWindow();
    return *window_;
}

}  // namespace stagecraft
