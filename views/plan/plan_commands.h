#pragma once

#include "views/rooms.h"

#include <QKeySequence>
#include <QObject>
#include <QString>

#include <vector>

class QKeyEvent;
class QWidget;

namespace stagecraft::views::timeline {
class HoverCard;
class PlanLanes;
}  // namespace stagecraft::views::timeline

namespace stagecraft::views::plan {

class PlanNavigator;
class PlanNotes;
class PlanPlayback;
class PlanSearch;
class PlanViewActions;

struct KeyHelp {
    QString keys;
    QString does;
};

/// Something that can be done in a plan's view, for palettes.
struct ViewCommand {
    QString id;  ///< "zoomIn"; stays as it is
    QString text;
    QKeySequence key;  ///< empty if it has none; taken by the view while it has the focus
};

/// What can be done in a plan's view by its keys and from a palette: one table, from which keys, help and
/// palette are made.
class PlanCommands : public QObject {
    Q_OBJECT
public:
    /// What the commands act on.
    struct Parts {
        PlanViewActions& actions;
        PlanNavigator& navigator;
        PlanPlayback& playback;
        PlanSearch& search;
        PlanLanes& lanes;
        PlanNotes& notes;
        HoverCard& keyCard;
    };

    PlanCommands(const Parts& parts, QWidget* view);

    /// All keys and what the mouse does, from the same table as all().
    /// `withCommands`: else without the keys of those.
    static std::vector<KeyHelp> keyHelp(bool withCommands = true);
    static const std::vector<ViewCommand>& all();
    /// The shortcut of one of all(); empty if it has none.
    static QKeySequence keyOf(const QString& command);

    /// While there is no chart nothing can be done.
    void setEnabled(bool on) { enabled_ = on; }
    void run(const QString& command);
    /// @return whether it is the key of a command, which has run then
    bool takeKey(const QKeyEvent& event);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// The list of keys, at the right edge of the view below its toolbar.
    void toggleKeys();
    void followFocus(QWidget* from, QWidget* to);

    Parts parts_;
    QWidget* view_;
    bool enabled_ = false;
};

}  // namespace stagecraft::views::plan
