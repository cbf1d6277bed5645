#include "app/shell/window_panels.h"

#include "app/panels/planner_panel.h"
#include "app/panels/problems_panel.h"
#include "app/panels/project_tree.h"
#include "app/panels/section.h"
#include "app/panels/setup_panel.h"

#include <QDockWidget>
#include <QMainWindow>
#include <QScrollArea>
#include <QVBoxLayout>

namespace stagecraft::app::shell {

WindowPanels::WindowPanels(WindowDocument& document, QMainWindow& window)
    : QObject(&window),
      tree_(new ProjectTree(document.workspace)),
      planner_(new PlannerPanel(document.workspace, document.planning)),
      setup_(new SetupPanel(document.workspace)) {
    makeSide(window);
    makeProblems(document, window);
}

void WindowPanels::makeSide(QMainWindow& window) {
    auto* panels = new QWidget;
    auto* layout = new QVBoxLayout(panels);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(tree_, 1);
    layout->addWidget(new Section(tr("Plan"), planner_));
    layout->addWidget(new Section(tr("Setup"), setup_));
    tree_->setMinimumHeight(208);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumWidth(264);
    scroll->setWidget(panels);
    side_ = new QDockWidget(tr("Project"));
    side_->setObjectName(QStringLiteral("projectDock"));
    side_->setWidget(scroll);
    side_->setFeatures(QDockWidget::NoDockWidgetFeatures);
    window.addDockWidget(Qt::LeftDockWidgetArea, side_);
}

void WindowPanels::makeProblems(WindowDocument& document, QMainWindow& window) {
    auto* panel = new ProblemsPanel(document.problems);
    connect(panel, &ProblemsPanel::jumpRequested, this, &WindowPanels::jumpRequested);
    connect(panel, &ProblemsPanel::fixRequested, this,
            [&workspace = document.workspace](const ProblemFix& fix) { fix.apply(workspace); });
    problems_ = new QDockWidget(tr("Problems"));
    problems_->setObjectName(QStringLiteral("problemsDock"));
    problems_->setFeatures(QDockWidget::DockWidgetClosable);
    problems_->setWidget(panel);
    window.addDockWidget(Qt::BottomDockWidgetArea, problems_);
    window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    window.resizeDocks({problems_}, {136}, Qt::Vertical);
    problems_->hide();
}

}  // namespace stagecraft::app::shell
