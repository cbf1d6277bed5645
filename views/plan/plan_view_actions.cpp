// What can be done with a plan's view, and the toolbar that offers it.

#include "views/common/action_tip.h"
#include "views/common/overflow_button.h"
#include "views/common/theme.h"
#include "views/figures/figure_formats.h"
#include "views/plan/details_pane.h"
#include "views/plan/plan_search.h"
#include "views/plan/plan_view.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/legend.h"
#include "views/timeline/plan_lanes.h"
#include "views/timeline/play_clock.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QMenu>
#include <QSet>
#include <QToolButton>

namespace stagecraft {

namespace {
constexpr double clipboardScale = 2;
constexpr int toolbarHeight = 36;
}  // namespace

void PlanView::makeActions() {
    const auto toggle = [this](const QString& text, const QString& tip, bool on, auto changed) {
        auto* action = new QAction(text, this);
        action->setCheckable(true);
        action->setChecked(on);
        action->setToolTip(tip);
        connect(action, &QAction::toggled, this, changed);
        return action;
    };
    const auto command = [this](const QString& text, const QString& tip, auto triggered) {
        auto* action = new QAction(text, this);
        action->setToolTip(tip);
        connect(action, &QAction::triggered, this, triggered);
        return action;
    };
    actions_.criticalPath =
        toggle("Critical path", "Outline the blocks that decide the iteration time", false, [this](bool on) {
            gantt_->setCriticalPath(on);
            updateLegend();
        });
    actions_.bubbles = toggle("Bubbles", "Hatch the time in which a device is idle", true, [this](bool on) {
        gantt_->setBubbles(on);
        updateLegend();
    });
    actions_.communication = toggle("Communication", "Show the lanes of transfers, AllReduce and host links",
                                    true, [this](bool on) {
                                        gantt_->setCommunication(on);
                                        alignCharts();
                                        updateLegend();
                                    });
    actions_.legend = toggle("Legend", "Show what the colours mean", true,
                             [this](bool on) { legend_->setVisible(on && data_); });
    actions_.details = toggle("Details", "Show what is asked of the chart beside it", false,
                              [this](bool on) { details_->setVisible(on); });
    actions_.fit = command("Fit selection", "Zoom to the marked range or the selected block",
                           [this] { fitSelection(); });
    actions_.fitAll = command("Fit all", "Show the whole iteration", [this] { fitAll(); });
    actions_.copyPicture = command("Copy picture", "Copy the charts to the clipboard", [this] {
        QApplication::clipboard()->setImage(picture(clipboardScale));
        emit statusText("Picture copied to the clipboard");
    });
    actions_.exportFigure =
        command("Export…", "Save the chart as SVG, PDF, PNG or CSV", [this] { emit exportRequested(); });
    actions_.find =
        command("Find blocks…", "Find blocks: stage:2 kind:backward mb:3..5", [this] { search_->open(); });
    actions_.note =
        command("Add a note", "Note the marked range, the selected block or the pointer's instant",
                [this] { noteHere(); });
    actions_.lanes = new QAction("Lanes", this);
    actions_.lanes->setToolTip("Sort, pin and collapse lanes");
    actions_.keys = command("Keys", "List keys and mouse", [this] { toggleKeys(); });
    makeWeightActions();
    makeStepActions();
    nameActionsOfTips();
}

void PlanView::nameActionsOfTips() {
    const std::pair<QAction*, const char*> ids[] = {{actions_.details, "chart.details"},
                                                    {actions_.fit, "chart.fit"},
                                                    {actions_.fitAll, "chart.fitAll"},
                                                    {actions_.find, "chart.find"},
                                                    {actions_.note, "chart.note"},
                                                    {actions_.keys, "help.keys"},
                                                    {actions_.colourings[0], "plan.colourKind"},
                                                    {actions_.colourings[1], "plan.colourMiniBatch"},
                                                    {actions_.colourings[2], "plan.colourVersion"},
                                                    {actions_.colourings[3], "plan.colourStaleness"},
                                                    {actions_.predictions, "plan.predictions"},
                                                    {actions_.previousEvent, "plan.previousEvent"},
                                                    {actions_.nextEvent, "plan.nextEvent"},
                                                    {actions_.play, "plan.play"}};
    for (const auto& [action, id] : ids) setActionOfTip(*action, id);
}

void PlanView::makeWeightActions() {
    const std::pair<QString, QString> colourings[] = {
        {"Colour: kind", "Forward, backward, transfer, …"},
        {"Colour: mini-batch", "A hue for each mini-batch, light forward and dark backward"},
        {"Colour: version", "By how many updates the weights of a pass have had"},
        {"Colour: staleness", "By how many updates come between the weights of a pass and its own"}};
    auto* group = new QActionGroup(this);
    for (std::size_t i = 0; i < actions_.colourings.size(); ++i) {
        auto* action = new QAction(colourings[i].first, group);
        action->setToolTip(colourings[i].second);
        action->setCheckable(true);
        action->setChecked(i == 0);
        connect(action, &QAction::toggled, this, [this, i](bool on) {
            if (!on) return;
            colouring_->setCurrentIndex(static_cast<int>(i));
            gantt_->setColouring(static_cast<BlockColouring>(i));
        });
        actions_.colourings[i] = action;
    }
    actions_.predictions = new QAction("Predictions", this);
    actions_.predictions->setToolTip(
        "Arrows from each prediction of weights to the update that it anticipates");
    actions_.predictions->setCheckable(true);
    connect(actions_.predictions, &QAction::toggled, this, [this](bool on) {
        gantt_->setPredictions(on);
        updateLegend();
    });
}

void PlanView::makeStepActions() {
    const auto command = [this](const QString& text, const QString& tip, auto triggered) {
        auto* action = new QAction(text, this);
        action->setToolTip(tip);
        connect(action, &QAction::triggered, this, triggered);
        return action;
    };
    actions_.previousEvent = command("Previous event", "Previous event", [this] { stepBackward(); });
    actions_.nextEvent = command("Next event", "Next event, and say what it is", [this] {
        setPlaying(false);
        stepForward();
    });
    actions_.play = new QAction("Play", this);
    actions_.play->setToolTip("Let time run, or pause");
    actions_.play->setCheckable(true);
    connect(actions_.play, &QAction::toggled, this, &PlanView::setPlaying);
    clock_ = new PlayClock(this);
    connect(clock_, &PlayClock::timeChanged, this, &PlanView::showStep);
    connect(clock_, &PlayClock::runningChanged, this, [this](bool on) {
        actions_.play->setChecked(on);
        refreshIcons();
    });
}

void PlanView::layOutToolbar() {
    toolbar_ = new QWidget(this);
    toolbar_->setFixedHeight(toolbarHeight);
    toolbar_->setMinimumWidth(1);  // fitToolbar leaves out what has no room
    auto* row = new QHBoxLayout(toolbar_);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(4);
    const auto button = [&](QAction* action) {
        auto* it = new QToolButton(toolbar_);
        it->setDefaultAction(action);
        it->setAutoRaise(true);
        it->setFocusPolicy(Qt::TabFocus);
        if (!action->isVisible()) it->hide();  // to show it would style it long before it is seen
        connect(action, &QAction::visibleChanged, this, &PlanView::fitToolbar);
        row->addWidget(it);
        tools_.push_back(it);
        return it;
    };
    colouring_ = new QComboBox(toolbar_);
    colouring_->setObjectName(QStringLiteral("colouring"));
    colouring_->setFocusPolicy(Qt::TabFocus);
    for (int i = 0; i < blockColouringCount; ++i) {
        const QAction* action = actions_.colourings[static_cast<std::size_t>(i)];
        colouring_->addItem(action->text());
        const auto showTip = [this, i, action] {
            colouring_->setItemData(i, action->toolTip(), Qt::ToolTipRole);
        };
        connect(action, &QAction::changed, colouring_, showTip);
        showTip();
    }
    connect(colouring_, &QComboBox::activated, this,
            [this](int index) { setColouring(static_cast<BlockColouring>(index)); });
    row->addWidget(colouring_);
    for (QAction* action : {actions_.criticalPath, actions_.bubbles, actions_.communication,
                            actions_.predictions, actions_.legend, actions_.details})
        button(action);
    row->addSpacing(8);
    for (QAction* action : {actions_.previousEvent, actions_.play, actions_.nextEvent})
        button(action)->setToolButtonStyle(Qt::ToolButtonIconOnly);
    row->addStretch(1);
    QToolButton* lanes = button(actions_.lanes);
    lanes->setToolButtonStyle(Qt::ToolButtonIconOnly);
    lanes->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(lanes);
    lanes->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        if (data_) lanes_->fillMenu(*menu);
    });
    for (QAction* action : {actions_.find, actions_.note, actions_.fit, actions_.fitAll, actions_.copyPicture,
                            actions_.exportFigure, actions_.keys})
        button(action)->setToolButtonStyle(Qt::ToolButtonIconOnly);
    row->addWidget(new OverflowButton(toolbar_));
    refreshIcons();
}

/// In a narrow view the buttons that are needed least give way to a mark whose menu has them.
void PlanView::fitToolbar() {
    const QAction* const leastFirst[] = {
        actions_.copyPicture, actions_.fit,           actions_.keys,          actions_.note,
        actions_.predictions, actions_.fitAll,        actions_.previousEvent, actions_.nextEvent,
        actions_.legend,      actions_.communication, actions_.criticalPath,  actions_.bubbles,
        actions_.find,        actions_.exportFigure,  actions_.play,          actions_.lanes};
    const auto* row = static_cast<const QHBoxLayout*>(toolbar_->layout());
    const QMargins margins = row->contentsMargins();
    int needed = margins.left() + margins.right() + 8;
    if (!colouring_->isHidden()) needed += colouring_->sizeHint().width() + row->spacing();
    QSet<const QAction*> left;
    for (const QToolButton* tool : tools_)
        if (tool->defaultAction()->isVisible()) {
            left.insert(tool->defaultAction());
            needed += tool->sizeHint().width() + row->spacing();
        }
    auto* overflow = toolbar_->findChild<OverflowButton*>();
    if (needed > width()) needed += overflow->sizeHint().width() + row->spacing();
    for (const QAction* action : leastFirst) {
        if (needed <= width()) break;
        if (!left.remove(action)) continue;
        for (const QToolButton* tool : tools_)
            if (tool->defaultAction() == action) needed -= tool->sizeHint().width() + row->spacing();
    }
    QList<QToolButton*> leftOut;
    for (QToolButton* tool : tools_) {
        const bool shown = left.contains(tool->defaultAction());
        tool->setVisible(shown);
        if (!shown && tool->defaultAction()->isVisible()) leftOut << tool;
    }
    overflow->setLeftOut(std::move(leftOut));
}

void PlanView::refreshIcons() {
    const std::pair<QAction*, const char*> icons[] = {
        {actions_.fit, "fit-selection"},   {actions_.fitAll, "fit"},  {actions_.copyPicture, "copy"},
        {actions_.exportFigure, "export"}, {actions_.find, "search"}, {actions_.lanes, "lanes"},
        {actions_.note, "note"},           {actions_.keys, "help"}};
    for (const auto& [action, icon] : icons) action->setIcon(lineIcon(QString::fromLatin1(icon)));
    actions_.previousEvent->setIcon(lineIcon(QStringLiteral("step-back")));
    actions_.nextEvent->setIcon(lineIcon(QStringLiteral("step-forward")));
    actions_.play->setIcon(lineIcon(clock_->isRunning() ? QStringLiteral("pause") : QStringLiteral("run")));
}

void PlanView::setColouring(BlockColouring colouring) {
    actions_.colourings[static_cast<std::size_t>(colouring)]->setChecked(true);
}

BlockColouring PlanView::colouring() const { return static_cast<BlockColouring>(colouring_->currentIndex()); }

}  // namespace stagecraft
