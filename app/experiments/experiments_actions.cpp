#include "app/experiments/experiments_actions.h"

#include "app/document/workspace.h"
#include "app/experiments/experiments_window.h"
#include "app/experiments/measured_window.h"
#include "core/experiments/measured/sets.h"

#include <QEvent>

namespace stagecraft::app::experiments {

ExperimentsActions::ExperimentsActions(ActionRegister& actions, Workspace& workspace, QWidget* parent)
    : QObject(parent), workspace_(workspace), parent_(parent) {
    actions.add(
        {"experiment.papers", "E&xperiment", tr("&Do the papers hold?"), QKeySequence(tr("F8")), "training"},
        [this] { open().showOverview(); });
    actions.add({"experiment.open", "E&xperiment", tr("&Experiments"), {}, "compare"}, [this] { open(); });
    actions.add({"experiment.measured", "E&xperiment", tr("How &near are predictions?"), {}, "recording"},
                [this] { openMeasured(); });
    parent_->installEventFilter(this);
}

ExperimentsActions::~ExperimentsActions() = default;

bool ExperimentsActions::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parent_ && event->type() == QEvent::Hide && !event->spontaneous()) {
        if (window_) window_->close();
        if (measured_) measured_->close();
    }
    return QObject::eventFilter(watched, event);
}

ExperimentsWindow& ExperimentsActions::open() {
    if (!window_) {
        window_ = std::make_unique<ExperimentsWindow>();
        window_->setOpenProject([this]() -> std::optional<NamedProblem> {
            if (!workspace_.isOpen()) return std::nullopt;
            return NamedProblem{workspace_.title(), workspace_.problem()};
        });
        connect(window_.get(), &ExperimentsWindow::projectWanted, this, &ExperimentsActions::projectWanted);
    }
    window_->show();
    window_->raise();
    window_->activateWindow();
    return *window_;
}

void ExperimentsActions::openMeasured() {
    if (!measured_) {
        std::vector<const MeasuredSet*> sets;
        for (const MeasuredSet& set : measuredSets()) sets.push_back(&set);
        measured_ = std::make_unique<MeasuredWindow>(sets);
        connect(measured_.get(), &MeasuredWindow::projectWanted, this, &ExperimentsActions::projectWanted);
    }
    measured_->show();
    measured_->raise();
    measured_->activateWindow();
    measured_->predict();
}

void ExperimentsActions::newExperiment() { open().newExperiment(); }

void ExperimentsActions::newScheduleExperiment() { open().newScheduleExperiment(workspace_.problem()); }

}  // namespace stagecraft::app::experiments
