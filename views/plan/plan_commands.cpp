#include "views/plan/plan_commands.h"

#include "views/plan/plan_navigator.h"
#include "views/plan/plan_notes.h"
#include "views/plan/plan_playback.h"
#include "views/plan/plan_search.h"
#include "views/plan/plan_view_actions.h"
#include "views/timeline/hover_card.h"
#include "views/timeline/plan_lanes.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>

namespace stagecraft::views::plan {

namespace {

using Parts = PlanCommands::Parts;

constexpr double keyZoom = 1.4;
constexpr double keyPan = 0.15;  // of what is visible
constexpr int cardMargin = 8;
constexpr int cardTop = 28;  // over the toolbar's lower edge

/// A row without an id is something that the mouse does; one without a text is no command of its own, only
/// another key. Rows with the same `does` are one row of the help.
struct Command {
    const char* id;
    const char* text;
    const char* keys;  ///< between blanks; the first is the shortcut
    const char* does;  ///< for the help; null: only the palette has it
    void (*run)(const Parts& parts);
};

/// Closes what was opened last.
void clearOne(const Parts& parts) {
    if (parts.keyCard.isVisible()) return parts.keyCard.dismiss();
    if (parts.search.isOpen()) return parts.search.close();
    if (parts.playback.timeS()) return parts.playback.end();
    parts.navigator.clearOne();
}

const Command chartCommands[] = {
    {nullptr, nullptr, "Wheel, Ctrl+Wheel", "zoom at the pointer", nullptr},
    {"zoomIn", "Zoom in", "W", "zoom at the pointer", [](const Parts& p) { p.navigator.zoomBy(keyZoom); }},
    {"zoomOut", "Zoom out", "S", "zoom at the pointer",
     [](const Parts& p) { p.navigator.zoomBy(1 / keyZoom); }},
    {nullptr, nullptr, "Drag, Shift+Wheel", "pan", nullptr},
    {"panLeft", "Pan left", "A Left", "pan", [](const Parts& p) { p.navigator.panBy(-keyPan); }},
    {"panRight", "Pan right", "D Right", "pan", [](const Parts& p) { p.navigator.panBy(keyPan); }},
    {nullptr, nullptr, "Alt+Wheel, wheel on names", "scroll the lanes", nullptr},
    {"fit", "Fit selection", "F", "fit the marked range or the selected block; again: all",
     [](const Parts& p) { p.navigator.fitSelection(); }},
    {"fitAll", "Fit all", "Home", "fit all", [](const Parts& p) { p.navigator.fitAll(); }},
    {"fitPeriod", "Fit the steady state", "Shift+F", "fit one period of what the schedule repeats",
     [](const Parts& p) { p.navigator.fitPeriod(); }},
    {nullptr, nullptr, "Click, double click", "select a block; select and fit it", nullptr},
    {"nextInLane", "Next block in the lane", ".", "next and previous block in the lane",
     [](const Parts& p) { p.navigator.stepInLane(1); }},
    {"previousInLane", "Previous block in the lane", ",", "next and previous block in the lane",
     [](const Parts& p) { p.navigator.stepInLane(-1); }},
    {"dependent", "Block that waits for this one", "]",
     "to the block that waits for it, or that it waited for",
     [](const Parts& p) { p.navigator.stepAlongDependencies(true); }},
    {"dependency", "Block that this one waited for", "[",
     "to the block that waits for it, or that it waited for",
     [](const Parts& p) { p.navigator.stepAlongDependencies(false); }},
    {nullptr, nullptr, "Shift+Drag", "mark a range between edges of blocks and show what it holds", nullptr},
    {nullptr, nullptr, "Ctrl+Shift+Drag", "move a block to another place in the order of its lane", nullptr},
    {nullptr, nullptr, "Click on idle time", "light up the chain of blocks that the lane waits for", nullptr},
    {"markBlock", "Mark the time of the selected block", "R", "mark the time of the selected block",
     [](const Parts& p) { p.navigator.markSelected(); }},
    {"find", "Find blocks…", "Ctrl+F", "find blocks: stage:2 kind:backward mb:3..5",
     [](const Parts& p) { p.search.open(); }},
    {"nextHit", "Next block found", "F3", "next and previous block found",
     [](const Parts& p) { p.search.step(1); }},
    {"previousHit", "Previous block found", "Shift+F3", "next and previous block found",
     [](const Parts& p) { p.search.step(-1); }},
    {"onlyHits", "Show only what is found", "H", "hide all but what is found; Esc shows it again",
     [](const Parts& p) { p.search.toggleHidesRest(); }},
    {"findLane", "Find a lane…", "Ctrl+P", "find a lane", [](const Parts& p) { p.lanes.find(); }},
    {nullptr, nullptr, "Right click on names", "pin, collapse and sort lanes", nullptr},
    {"sortByStage", "Sort lanes by stage", "", nullptr,
     [](const Parts& p) { p.lanes.setOrder(LaneOrder::stage); }},
    {"sortByDevice", "Sort lanes by device", "", nullptr,
     [](const Parts& p) { p.lanes.setOrder(LaneOrder::device); }},
    {"sortByBusy", "Sort lanes by busy share", "", nullptr,
     [](const Parts& p) { p.lanes.setOrder(LaneOrder::busy); }},
    {"collapse", "Collapse lanes per server", "", nullptr, [](const Parts& p) { p.lanes.collapseAll(true); }},
    {"expand", "Expand all servers", "", nullptr, [](const Parts& p) { p.lanes.collapseAll(false); }},
    {"unpin", "Unpin all lanes", "", nullptr, [](const Parts& p) { p.lanes.unpinAll(); }},
    {"note", "Add a note", "M", "note the marked range, the selected block or the instant of the pointer",
     [](const Parts& p) { p.actions.note->trigger(); }},
    {"nextNote", "Next note", "Shift+M", "to the next note", [](const Parts& p) { p.notes.next(); }},
    {"nextEvent", "Next event", "N", "step to the next or the previous event, and say what happens",
     [](const Parts& p) { p.actions.nextEvent->trigger(); }},
    {"previousEvent", "Previous event", "Shift+N",
     "step to the next or the previous event, and say what happens",
     [](const Parts& p) { p.actions.previousEvent->trigger(); }},
    {"play", "Play events", "Space", "let time run, or pause",
     [](const Parts& p) { p.actions.play->toggle(); }},
    {"details", "Details", "I", "show or hide what is asked of the chart beside it",
     [](const Parts& p) { p.actions.details->toggle(); }},
    {"colourKind", "Colour by kind", "K", "colour by kind, stage, microbatch, chunk or copy of the network",
     [](const Parts& p) { p.actions.colourings[0]->trigger(); }},
    {"colourMiniBatch", "Colour by mini-batch", "B",
     "colour by mini-batch, weight version or staleness, where mini-batches overlap",
     [](const Parts& p) { p.actions.colourings[1]->trigger(); }},
    {"colourVersion", "Colour by weight version", "V",
     "colour by mini-batch, weight version or staleness, where mini-batches overlap",
     [](const Parts& p) { p.actions.colourings[2]->trigger(); }},
    {"colourStaleness", "Colour by staleness", "T",
     "colour by mini-batch, weight version or staleness, where mini-batches overlap",
     [](const Parts& p) { p.actions.colourings[3]->trigger(); }},
    {"colourMicrobatch", "Colour by microbatch", "Shift+B",
     "colour by kind, stage, microbatch, chunk or copy of the network",
     [](const Parts& p) { p.actions.colourings[4]->trigger(); }},
    {"colourChunk", "Colour by chunk", "C", "colour by kind, stage, microbatch, chunk or copy of the network",
     [](const Parts& p) { p.actions.colourings[5]->trigger(); }},
    {"colourCopy", "Colour by copy", "Shift+C",
     "colour by kind, stage, microbatch, chunk or copy of the network",
     [](const Parts& p) { p.actions.colourings[6]->trigger(); }},
    {"colourStage", "Colour by stage", "Shift+S",
     "colour by kind, stage, microbatch, chunk or copy of the network",
     [](const Parts& p) { p.actions.colourings[7]->trigger(); }},
    {"predictions", "Predictions", "P",
     "arrows from predictions of weights to the updates that they anticipate",
     [](const Parts& p) { p.actions.predictions->toggle(); }},
    {"criticalPath", "Critical path", "", nullptr, [](const Parts& p) { p.actions.criticalPath->toggle(); }},
    {"bubbles", "Bubbles", "", nullptr, [](const Parts& p) { p.actions.bubbles->toggle(); }},
    {"communication", "Communication lanes", "", nullptr,
     [](const Parts& p) { p.actions.communication->toggle(); }},
    {"legend", "Legend", "", nullptr, [](const Parts& p) { p.actions.legend->toggle(); }},
    {"clear", nullptr, "Esc",
     "close what was opened last: keys, search, steps, marked range, then the selection", clearOne},
    {"keys", nullptr, "?", "show or hide this list", [](const Parts& p) { p.actions.keys->trigger(); }},
};

}  // namespace

PlanCommands::PlanCommands(const Parts& parts, QWidget* view) : parts_(parts), view_(view) {
    connect(parts_.actions.keys, &QAction::triggered, this, &PlanCommands::toggleKeys);
    connect(qApp, &QApplication::focusChanged, this, &PlanCommands::followFocus);
}

const std::vector<ViewCommand>& PlanCommands::all() {
    static const std::vector<ViewCommand> all = [] {
        std::vector<ViewCommand> commands;
        for (const Command& it : chartCommands)
            if (it.id && it.text)
                commands.push_back({QString::fromLatin1(it.id), QString::fromUtf8(it.text),
                                    QKeySequence(QString::fromLatin1(it.keys).section(' ', 0, 0))});
        return commands;
    }();
    return all;
}

QKeySequence PlanCommands::keyOf(const QString& command) {
    for (const ViewCommand& it : all())
        if (it.id == command) return it.key;
    return {};
}

std::vector<KeyHelp> PlanCommands::keyHelp(bool withCommands) {
    std::vector<KeyHelp> rows;
    for (const Command& it : chartCommands) {
        if (!it.does || (it.text && !withCommands)) continue;
        QString keys = QString::fromLatin1(it.keys);
        if (it.id) keys.replace(' ', QStringLiteral(", "));
        const QString does = QString::fromUtf8(it.does);
        // A comma between commas is hard to read.
        const QString between =
            keys.size() == 1 && keys.front().isPunct() ? QStringLiteral("  ") : QStringLiteral(", ");
        if (!rows.empty() && rows.back().does == does)
            rows.back().keys += between + keys;
        else
            rows.push_back({keys, does});
    }
    return rows;
}

void PlanCommands::run(const QString& command) {
    if (!enabled_) return;
    for (const Command& it : chartCommands)
        if (it.id && command == QLatin1String(it.id)) return it.run(parts_);
}

bool PlanCommands::takeKey(const QKeyEvent& event) {
    if (!enabled_) return false;
    Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    const int key = event.key();
    // What other keys need Shift for depends on the keyboard.
    const bool named = (key >= Qt::Key_A && key <= Qt::Key_Z) || key >= Qt::Key_Escape;
    if (!named) modifiers &= ~Qt::ShiftModifier;
    const QString pressed = QKeySequence(key | int(modifiers)).toString(QKeySequence::PortableText);
    for (const Command& it : chartCommands) {
        if (!it.id || !QString::fromLatin1(it.keys).split(' ', Qt::SkipEmptyParts).contains(pressed))
            continue;
        it.run(parts_);
        return true;
    }
    return false;
}

void PlanCommands::toggleKeys() {
    HoverCard& card = parts_.keyCard;
    if (card.isVisible()) return card.dismiss();
    const std::vector<KeyHelp> rows = keyHelp();
    QString html = "<b>Keys and mouse</b><table cellpadding='2'>";
    // In two columns, since there are more than a view is high.
    const std::size_t half = (rows.size() + 1) / 2;
    for (std::size_t i = 0; i < half; ++i) {
        html += "<tr>";
        for (std::size_t row = i; row < rows.size(); row += half)
            html += QStringLiteral(
                        "<td style='padding-right:8px'><b>%1</b></td><td style='padding-right:16px'>%2</td>")
                        .arg(rows[row].keys.toHtmlEscaped(), rows[row].does.toHtmlEscaped());
        html += "</tr>";
    }
    card.setMostWidth(view_->width() - 2 * cardMargin);
    card.show(html + "</table>", QPoint(view_->width(), cardTop));
}

/// Lists and choices would take letters for the beginning of an entry: the chart's keys go first.
void PlanCommands::followFocus(QWidget* from, QWidget* to) {
    if (from) from->removeEventFilter(this);
    const auto* choice = qobject_cast<QComboBox*>(to);
    const bool takesLetters = (choice && !choice->isEditable()) || qobject_cast<QAbstractItemView*>(to);
    if (takesLetters && view_->isAncestorOf(to)) to->installEventFilter(this);
}

bool PlanCommands::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QObject::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool letter =
        !key->text().isEmpty() && key->text().front().isPrint() && key->key() != Qt::Key_Space;
    return letter && takeKey(*key);
}

}  // namespace stagecraft::views::plan
