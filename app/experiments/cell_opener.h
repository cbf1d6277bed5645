#pragma once

#include "app/rooms.h"
#include "core/experiments/grid.h"
#include "core/formats/files/project_file.h"
#include "views/common/job.h"

#include <QObject>

#include <memory>

namespace stagecraft::views::plan {
class PlanView;
}

namespace stagecraft::app::experiments {

/// Makes the plan of a cell again, off the window's thread, to be looked at. A cell that is asked for later
/// takes the place of one that is still being made.
class CellOpener : public QObject {
    Q_OBJECT
public:
    explicit CellOpener(QObject* parent = nullptr);

    /// Ends with projectMade: the cell's problem with that plan.
    void asProject(std::shared_ptr<const Grid> grid, std::size_t cell);
    /// Ends with planShown: a window of its own with the plan's charts, a child of `parent`.
    void inWindow(std::shared_ptr<const Grid> grid, std::size_t cell, QWidget* parent);

signals:
    void projectMade(const stagecraft::formats::Project& project);
    void planShown(stagecraft::views::plan::PlanView* view);
    /// What is being done, for the status line; empty when it is done.
    void statusChanged(const QString& text);

private:
    using Show = std::function<void(std::shared_ptr<const PlanRun> run, const QString& title)>;
    void make(std::shared_ptr<const Grid> grid, std::size_t cell, Show show);

    Job job_;
};

}  // namespace stagecraft::app::experiments
