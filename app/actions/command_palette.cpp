#include "app/actions/command_palette.h"

namespace stagecraft {
namespace {

std::vector<QAction*> usable(const ActionRegister& actions) {
    std::vector<QAction*> found;
    for (QAction* action : actions.all())
        if (action->isEnabled()) found.push_back(action);
    return found;
}

std::vector<ChoicePopup::Choice> choices(const ActionRegister& actions) {
    std::vector<ChoicePopup::Choice> found;
    for (const QAction* action : usable(actions)) {
        const QString menu = actions.menuOf(action).remove('&');
        const QString text = action->text().remove('&').remove(QStringLiteral("…"));
        found.push_back(
            {(menu.isEmpty() ? CommandPalette::tr("Chart") : menu) + QStringLiteral("  ›  ") + text,
             action->icon(), action->shortcut().toString(QKeySequence::NativeText)});
    }
    return found;
}

}  // namespace

CommandPalette::CommandPalette(const ActionRegister& actions, QWidget* parent)
    : ChoicePopup(tr("What do you want to do?"), choices(actions), parent) {
    setObjectName(QStringLiteral("commandPalette"));
    connect(this, &ChoicePopup::chosen, this, [found = usable(actions)](int choice) {
        // Once the palette is gone: the action may open a window of its own.
        QMetaObject::invokeMethod(found[static_cast<std::size_t>(choice)], &QAction::trigger,
                                  Qt::QueuedConnection);
    });
}

}  // namespace stagecraft
