#pragma once

#include "app/actions/action_register.h"

#include <QObject>

#include <memory>

namespace stagecraft::formats {
struct Project;
}  // namespace stagecraft::formats

namespace stagecraft::app::document {
class Workspace;
}

namespace stagecraft::app::experiments {

class ExperimentsWindow;
class MeasuredWindow;

/// The menu Experiment, and its window.
class ExperimentsActions : public QObject {
    Q_OBJECT

public:
    ExperimentsActions(ActionRegister& actions, Workspace& workspace, QWidget* parent);
    ~ExperimentsActions() override;
    ExperimentsWindow& open();
    /// Public measurements beside what is predicted of them, which begins at once.
    void openMeasured();
    /// The builder, with what is open in the main window as its base.
    void newExperiment();
    /// The builder, with every schedule for what is open in the main window.
    void newScheduleExperiment();

signals:
    /// A plan of an experiment is to be opened in the main window.
    void projectWanted(const stagecraft::formats::Project& project);

protected:
    /// The window of experiments goes with the main one.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    Workspace& workspace_;
    QWidget* parent_;
    /// No child of the main window, which could not come in front of it then.
    std::unique_ptr<ExperimentsWindow> window_;
    std::unique_ptr<MeasuredWindow> measured_;
};

}  // namespace stagecraft::app::experiments
