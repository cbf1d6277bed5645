#include "views/plan/plan_view_actions.h"

#include "views/common/theme.h"
#include "views/common/widgets.h"

#include <QActionGroup>

namespace stagecraft::views::plan {

namespace {

enum class Kind { command, off, on };  // the latter two are switches, and how they begin

struct Row {
    QAction* PlanViewActions::*action;
    Kind kind;
    const char* text;
    const char* tip;
    const char* id;    // of the window's action for the same; null: none
    const char* icon;  // null: none
};

using Own = PlanViewActions;

constexpr Row actionRows[] = {
    {&Own::criticalPath, Kind::off, "Critical path", "Outline the blocks that decide the iteration time",
     nullptr, nullptr},
    {&Own::bubbles, Kind::on, "Bubbles", "Hatch the time in which a device is idle", nullptr, nullptr},
    {&Own::communication, Kind::on, "Communication", "Show the lanes of transfers, AllReduce and host links",
     nullptr, nullptr},
    {&Own::legend, Kind::on, "Legend", "Show what the colours mean", nullptr, nullptr},
    {&Own::details, Kind::off, "Details", "Show what is asked of the chart beside it", "chart.details",
     nullptr},
    {&Own::fit, Kind::command, "Fit selection", "Zoom to the marked range or the selected block", "chart.fit",
     "fit-selection"},
    {&Own::fitAll, Kind::command, "Fit all", "Show the whole iteration", "chart.fitAll", "fit"},
    {&Own::copyPicture, Kind::command, "Copy picture", "Copy the charts to the clipboard", nullptr, "copy"},
    {&Own::exportFigure, Kind::command, "Export…", "Save the chart as SVG, PDF, PNG or CSV", nullptr,
     "export"},
    {&Own::find, Kind::command, "Find blocks…", "Find blocks: stage:2 kind:backward mb:3..5", "chart.find",
     "search"},
    {&Own::note, Kind::command, "Add a note",
     "Note the marked range, the selected block or the pointer's instant", "chart.note", "note"},
    {&Own::lanes, Kind::command, "Lanes", "Sort, pin and collapse lanes", nullptr, "lanes"},
    {&Own::keys, Kind::command, "Keys", "List keys and mouse", "help.keys", "help"},
    {&Own::predictions, Kind::off, "Predictions",
     "Arrows from each prediction of weights to the update that it anticipates", "plan.predictions", nullptr},
    {&Own::previousEvent, Kind::command, "Previous event", "Previous event", "plan.previousEvent",
     "step-back"},
    {&Own::nextEvent, Kind::command, "Next event", "Next event, and say what it is", "plan.nextEvent",
     "step-forward"},
    {&Own::play, Kind::off, "Play", "Let time run, or pause", "plan.play", "run"},
};

/// By BlockColouring.
constexpr const char* colouringIds[blockColouringCount] = {
    "plan.colourKind",       "plan.colourMiniBatch", "plan.colourVersion", "plan.colourStaleness",
    "plan.colourMicrobatch", "plan.colourChunk",     "plan.colourCopy",    "plan.colourStage"};

}  // namespace

PlanViewActions::PlanViewActions(QObject* parent) : QObject(parent) {
    for (const Row& row : actionRows) {
        auto* action = this->*row.action = new QAction(QString::fromUtf8(row.text), this);
        action->setToolTip(QString::fromUtf8(row.tip));
        action->setCheckable(row.kind != Kind::command);
        action->setChecked(row.kind == Kind::on);
        if (row.id) setActionOfTip(*action, row.id);
    }
    auto* group = new QActionGroup(this);
    for (std::size_t i = 0; i < colourings.size(); ++i) {
        auto* action = colourings[i] =
            new QAction(QStringLiteral("Colour: %1").arg(QLatin1String(blockColourings[i].name)), group);
        action->setToolTip(QString::fromUtf8(blockColourings[i].tip));
        action->setCheckable(true);
        action->setChecked(i == 0);
        setActionOfTip(*action, colouringIds[i]);
        connect(action, &QAction::toggled, this, [this, i](bool on) {
            if (on) emit coloured(static_cast<BlockColouring>(i));
        });
    }
    connect(play, &QAction::toggled, this, &PlanViewActions::refreshIcons);
    refreshIcons();
}

void PlanViewActions::setColouring(BlockColouring colouring) {
    colourings[static_cast<std::size_t>(colouring)]->setChecked(true);
}

BlockColouring PlanViewActions::colouring() const {
    std::size_t checked = 0;
    while (!colourings[checked]->isChecked()) ++checked;
    return static_cast<BlockColouring>(checked);
}

void PlanViewActions::refreshIcons() {
    for (const Row& row : actionRows)
        if (row.icon) (this->*row.action)->setIcon(lineIcon(QString::fromLatin1(row.icon)));
    if (play->isChecked()) play->setIcon(lineIcon(QStringLiteral("pause")));
}

}  // namespace stagecraft::views::plan
