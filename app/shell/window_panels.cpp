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

WindowPanels::WindowPanels(WindowDocument& document, QMainWindow& window) : QObject(&window) {
    makeSide(document, window);
    makeProblems(document, window);
}

void WindowPanels::makeSide(WindowDocument& document, QMainWindow& window) {
    side_ = new QDockWidget(tr("Project"), &window);
    side_->setObjectName(QStringLiteral("projectDock"));
    side_->setFeatures(QDockWidget::NoDockWidgetFeatures);
    auto* scroll = new QScrollArea(side_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumWidth(264);
    side_->setWidget(scroll);
    window.addDockWidget(Qt::LeftDockWidgetArea, side_);
    auto* panels = new QWidget(scroll->viewport());
    auto* plan = new Section(tr("Plan"), nullptr, panels);
    auto* setup = new Section(tr("Setup"), nullptr, panels);
    tree_ = new ProjectTree(document.workspace, panels);
    planner_ = new PlannerPanel(document.workspace, document.planning, plan);
    setup_ = new SetupPanel(document.workspace, setup);
    tree_->setMinimumHeight(208);
    plan->setContent(planner_);
    setup->setContent(setup_);
    auto* layout = new QVBoxLayout(panels);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(tree_, 1);
    layout->addWidget(plan);
    layout->addWidget(setup);
    scroll->setWidget(panels);
}

void WindowPanels::makeProblems(WindowDocument& document, QMainWindow& window) {
    problems_ = new QDockWidget(tr("Problems"), &window);
    auto* panel = new ProblemsPanel(document.problems, problems_);
    connect(panel, &ProblemsPanel::jumpRequested, this, &WindowPanels::jumpRequested);
    connect(panel, &ProblemsPanel::fixRequested, this,
            [&workspace = document.workspace](const ProblemFix& fix) { fix.apply(workspace); });
    problems_->setObjectName(QStringLiteral("problemsDock"));
    problems_->setFeatures(QDockWidget::DockWidgetClosable);
    problems_->setWidget(panel);
    window.addDockWidget(Qt::BottomDockWidgetArea, problems_);
    window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    window.resizeDocks({problems_}, {136}, Qt::Vertical);
    problems_->hide();
}

}  // namespace stagecraft::app::shell
