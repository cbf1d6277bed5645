// What can be done in a plan's view by its keys and from a palette: one table, from which keys, help and
// palette are made.

#include "views/plan/plan_notes.h"
#include "views/plan/plan_search.h"
#include "views/plan/plan_view.h"
#include "views/timeline/hover_card.h"
#include "views/timeline/plan_lanes.h"

#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QKeyEvent>

namespace stagecraft {

namespace {
constexpr double keyZoom = 1.4;
constexpr double keyPan = 0.15;  // of what is visible
}  // namespace

/// A row without an id is something that the mouse does; one without a text is no command of its own, only
/// another key. Rows with the same `does` are one row of the help.
struct PlanView::Command {
    const char* id;
    const char* text;
    const char* keys;  ///< between blanks; the first is the shortcut
    const char* does;  ///< for the help; null: told by nothing but the palette
    void (*run)(PlanView& view);
};

const std::vector<PlanView::Command>& PlanView::commandTable() {
    using View = PlanView;
    static const std::vector<Command> table{
        {nullptr, nullptr, "Wheel, Ctrl+Wheel", "zoom at the pointer", nullptr},
        {"zoomIn", "Zoom in", "W", "zoom at the pointer", [](View& v) { v.zoomBy(keyZoom); }},
        {"zoomOut", "Zoom out", "S", "zoom at the pointer", [](View& v) { v.zoomBy(1 / keyZoom); }},
        {nullptr, nullptr, "Drag, Shift+Wheel", "pan", nullptr},
        {"panLeft", "Pan left", "A Left", "pan", [](View& v) { v.panBy(-keyPan); }},
        {"panRight", "Pan right", "D Right", "pan", [](View& v) { v.panBy(keyPan); }},
        {nullptr, nullptr, "Alt+Wheel, wheel on names", "scroll the lanes", nullptr},
        {"fit", "Fit selection", "F", "fit the marked range or the selected block; again: all",
         [](View& v) { v.fitSelection(); }},
        {"fitAll", "Fit all", "Home", "fit all", [](View& v) { v.fitAll(); }},
        {nullptr, nullptr, "Click, double click", "select a block; select and fit it", nullptr},
        {"nextInLane", "Next block in the lane", ".", "next and previous block in the lane",
         [](View& v) { v.stepInLane(1); }},
        {"previousInLane", "Previous block in the lane", ",", "next and previous block in the lane",
         [](View& v) { v.stepInLane(-1); }},
        {"dependent", "Block that waits for this one", "]",
         "to the block that waits for it, or that it waited for",
         [](View& v) { v.stepAlongDependencies(true); }},
        {"dependency", "Block that this one waited for", "[",
         "to the block that waits for it, or that it waited for",
         [](View& v) { v.stepAlongDependencies(false); }},
        {nullptr, nullptr, "Shift+Drag", "mark a range between edges of blocks and show what it holds",
         nullptr},
        {nullptr, nullptr, "Ctrl+Shift+Drag", "move a block to another place in the order of its lane",
         nullptr},
        {nullptr, nullptr, "Click on idle time", "light up the chain of blocks that the lane waits for",
         nullptr},
        {"markBlock", "Mark the time of the selected block", "R", "mark the time of the selected block",
         [](View& v) { v.markSelected(); }},
        {"find", "Find blocks…", "Ctrl+F", "find blocks: stage:2 kind:backward mb:3..5",
         [](View& v) { v.search_->open(); }},
        {"nextHit", "Next block found", "F3", "next and previous block found",
         [](View& v) { v.search_->step(1); }},
        {"previousHit", "Previous block found", "Shift+F3", "next and previous block found",
         [](View& v) { v.search_->step(-1); }},
        {"findLane", "Find a lane…", "Ctrl+P", "find a lane", [](View& v) { v.lanes_->find(); }},
        {nullptr, nullptr, "Right click on names", "pin, collapse and sort lanes", nullptr},
        {"sortByStage", "Sort lanes by stage", "", nullptr,
         [](View& v) { v.lanes_->setOrder(LaneOrder::stage); }},
        {"sortByDevice", "Sort lanes by device", "", nullptr,
         [](View& v) { v.lanes_->setOrder(LaneOrder::device); }},
        {"sortByBusy", "Sort lanes by busy share", "", nullptr,
         [](View& v) { v.lanes_->setOrder(LaneOrder::busy); }},
        {"collapse", "Collapse lanes per server", "", nullptr, [](View& v) { v.lanes_->collapseAll(true); }},
        {"expand", "Expand all servers", "", nullptr, [](View& v) { v.lanes_->collapseAll(false); }},
        {"unpin", "Unpin all lanes", "", nullptr, [](View& v) { v.lanes_->unpinAll(); }},
        {"note", "Add a note", "M", "note the marked range, the selected block or the instant of the pointer",
         [](View& v) { v.noteHere(); }},
        {"nextNote", "Next note", "Shift+M", "to the next note", [](View& v) { v.notes_->next(); }},
        {"nextEvent", "Next event", "N", "step to the next or the previous event, and say what happens",
         [](View& v) { v.actions_.nextEvent->trigger(); }},
        {"previousEvent", "Previous event", "Shift+N",
         "step to the next or the previous event, and say what happens",
         [](View& v) { v.actions_.previousEvent->trigger(); }},
        {"play", "Play events", "Space", "let time run, or pause",
         [](View& v) { v.actions_.play->toggle(); }},
        {"details", "Details", "I", "show or hide what is asked of the chart beside it",
         [](View& v) { v.actions_.details->toggle(); }},
        {"colourKind", "Colour by kind", "K",
         "colour by kind, mini-batch, weight version or staleness, where mini-batches overlap",
         [](View& v) { v.actions_.colourings[0]->trigger(); }},
        {"colourMiniBatch", "Colour by mini-batch", "B",
         "colour by kind, mini-batch, weight version or staleness, where mini-batches overlap",
         [](View& v) { v.actions_.colourings[1]->trigger(); }},
        {"colourVersion", "Colour by weight version", "V",
         "colour by kind, mini-batch, weight version or staleness, where mini-batches overlap",
         [](View& v) { v.actions_.colourings[2]->trigger(); }},
        {"colourStaleness", "Colour by staleness", "T",
         "colour by kind, mini-batch, weight version or staleness, where mini-batches overlap",
         [](View& v) { v.actions_.colourings[3]->trigger(); }},
        {"predictions", "Predictions", "P",
         "arrows from predictions of weights to the updates that they anticipate",
         [](View& v) { v.actions_.predictions->toggle(); }},
        {"criticalPath", "Critical path", "", nullptr, [](View& v) { v.actions_.criticalPath->toggle(); }},
        {"bubbles", "Bubbles", "", nullptr, [](View& v) { v.actions_.bubbles->toggle(); }},
        {"communication", "Communication lanes", "", nullptr,
         [](View& v) { v.actions_.communication->toggle(); }},
        {"legend", "Legend", "", nullptr, [](View& v) { v.actions_.legend->toggle(); }},
        {"clear", nullptr, "Esc",
         "close what was opened last: keys, search, steps, marked range, then the selection",
         [](View& v) { v.clearOne(); }},
        {"keys", nullptr, "?", "show or hide this list", [](View& v) { v.toggleKeys(); }},
    };
    return table;
}

const std::vector<ViewCommand>& PlanView::commands() {
    static const std::vector<ViewCommand> all = [] {
        std::vector<ViewCommand> commands;
        for (const Command& it : commandTable())
            if (it.id && it.text)
                commands.push_back({QString::fromLatin1(it.id), QString::fromUtf8(it.text),
                                    QKeySequence(QString::fromLatin1(it.keys).section(' ', 0, 0))});
        return commands;
    }();
    return all;
}

QKeySequence PlanView::keyOf(const QString& command) {
    for (const ViewCommand& it : commands())
        if (it.id == command) return it.key;
    return {};
}

std::vector<KeyHelp> PlanView::keyHelp(bool withCommands) {
    std::vector<KeyHelp> rows;
    for (const Command& it : commandTable()) {
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

void PlanView::run(const QString& command) {
    if (!data_) return;
    for (const Command& it : commandTable())
        if (it.id && command == QLatin1String(it.id)) return it.run(*this);
}

bool PlanView::takeKey(const QKeyEvent& event) {
    if (!data_) return false;
    Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    const int key = event.key();
    // What other keys need Shift for depends on the keyboard.
    const bool named = (key >= Qt::Key_A && key <= Qt::Key_Z) || key >= Qt::Key_Escape;
    if (!named) modifiers &= ~Qt::ShiftModifier;
    const QString pressed = QKeySequence(key | int(modifiers)).toString(QKeySequence::PortableText);
    for (const Command& it : commandTable()) {
        if (!it.id || !QString::fromLatin1(it.keys).split(' ', Qt::SkipEmptyParts).contains(pressed))
            continue;
        it.run(*this);
        return true;
    }
    return false;
}

void PlanView::keyPressEvent(QKeyEvent* event) {
    if (!takeKey(*event)) QWidget::keyPressEvent(event);
}

/// Lists and choices would take letters for the beginning of an entry: the chart's keys go first.
void PlanView::followFocus(QWidget* from, QWidget* to) {
    if (from) from->removeEventFilter(this);
    const auto* choice = qobject_cast<QComboBox*>(to);
    const bool takesLetters = (choice && !choice->isEditable()) || qobject_cast<QAbstractItemView*>(to);
    if (takesLetters && isAncestorOf(to)) to->installEventFilter(this);
}

bool PlanView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool letter =
        !key->text().isEmpty() && key->text().front().isPrint() && key->key() != Qt::Key_Space;
    return letter && takeKey(*key);
}

}  // namespace stagecraft
