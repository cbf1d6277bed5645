#include "views/plan/plan_toolbar.h"

#include "views/common/widgets.h"
#include "views/plan/plan_view_actions.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QMenu>
#include <QSet>
#include <QToolButton>

namespace stagecraft::views::plan {

namespace {
constexpr int toolbarHeight = 36;
}  // namespace

PlanToolbar::PlanToolbar(PlanViewActions& actions, QWidget* view)
    : QWidget(view), actions_(actions), view_(view), colouring_(new QComboBox(this)) {
    setFixedHeight(toolbarHeight);
    setMinimumWidth(1);  // fit() leaves out what has no room
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(4);
    addColouring();
    for (QAction* action : {actions_.criticalPath, actions_.bubbles, actions_.communication,
                            actions_.predictions, actions_.legend, actions_.details})
        addButton(action);
    row->addSpacing(8);
    for (QAction* action : {actions_.previousEvent, actions_.play, actions_.nextEvent})
        addButton(action)->setToolButtonStyle(Qt::ToolButtonIconOnly);
    row->addStretch(1);
    addLaneMenu();
    for (QAction* action : {actions_.find, actions_.note, actions_.fit, actions_.fitAll, actions_.copyPicture,
                            actions_.exportFigure, actions_.keys})
        addButton(action)->setToolButtonStyle(Qt::ToolButtonIconOnly);
    row->addWidget(overflow_ = new OverflowButton(this));
}

void PlanToolbar::addColouring() {
    colouring_->setObjectName(QStringLiteral("colouring"));
    colouring_->setFocusPolicy(Qt::TabFocus);
    for (int i = 0; i < blockColouringCount; ++i) {
        const QAction* action = actions_.colourings[static_cast<std::size_t>(i)];
        colouring_->addItem(action->text());
        const auto showTip = [this, i, action] {
            colouring_->setItemData(i, action->toolTip(), Qt::ToolTipRole);
            enableItem(*colouring_, i, action->isEnabled());
        };
        connect(action, &QAction::changed, colouring_, showTip);
        showTip();
    }
    connect(colouring_, &QComboBox::activated, this,
            [this](int index) { actions_.setColouring(static_cast<BlockColouring>(index)); });
    connect(&actions_, &PlanViewActions::coloured, this,
            [this](BlockColouring colouring) { colouring_->setCurrentIndex(static_cast<int>(colouring)); });
    layout()->addWidget(colouring_);
}

QToolButton* PlanToolbar::addButton(QAction* action) {
    auto* tool = new QToolButton(this);
    tool->setDefaultAction(action);
    tool->setAutoRaise(true);
    tool->setFocusPolicy(Qt::TabFocus);
    if (!action->isVisible()) tool->hide();  // to show it would style it long before it is seen
    connect(action, &QAction::visibleChanged, this, &PlanToolbar::fit);
    layout()->addWidget(tool);
    tools_.push_back(tool);
    return tool;
}

void PlanToolbar::addLaneMenu() {
    QToolButton* lanes = addButton(actions_.lanes);
    lanes->setToolButtonStyle(Qt::ToolButtonIconOnly);
    lanes->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(lanes);
    lanes->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        emit laneMenuOpening(menu);
    });
}

int PlanToolbar::widthOf(const QToolButton& tool) const {
    return tool.sizeHint().width() + layout()->spacing();
}

void PlanToolbar::fit() {
    const QAction* const leastFirst[] = {
        actions_.copyPicture, actions_.fit,           actions_.keys,          actions_.note,
        actions_.predictions, actions_.fitAll,        actions_.previousEvent, actions_.nextEvent,
        actions_.legend,      actions_.communication, actions_.criticalPath,  actions_.bubbles,
        actions_.find,        actions_.exportFigure,  actions_.play,          actions_.lanes};
    const int room = view_->width();
    const QMargins margins = layout()->contentsMargins();
    int needed = margins.left() + margins.right() + 8 + colouring_->sizeHint().width() + layout()->spacing();
    QSet<const QAction*> left;
    for (const QToolButton* tool : tools_)
        if (tool->defaultAction()->isVisible()) {
            left.insert(tool->defaultAction());
            needed += widthOf(*tool);
        }
    if (needed > room) needed += widthOf(*overflow_);
    for (const QAction* action : leastFirst) {
        if (needed <= room) break;
        if (!left.remove(action)) continue;
        for (const QToolButton* tool : tools_)
            if (tool->defaultAction() == action) needed -= widthOf(*tool);
    }
    QList<QToolButton*> leftOut;
    for (QToolButton* tool : tools_) {
        const bool shown = left.contains(tool->defaultAction());
        tool->setVisible(shown);
        if (!shown && tool->defaultAction()->isVisible()) leftOut << tool;
    }
    overflow_->setLeftOut(std::move(leftOut));
}

}  // namespace stagecraft::views::plan
