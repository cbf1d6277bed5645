#include "app/shell/help_actions.h"

#include "app/actions/command_palette.h"
#include "app/actions/shortcut_help.h"
#include "app/document/version.h"
#include "app/shell/menus.h"

#include <QMessageBox>

namespace stagecraft::app {

HelpActions::HelpActions(ActionRegister& actions, QWidget* window) : QObject(window), window_(window) {
    actions.add(
        {"help.palette", helpMenu, tr("&Find a command…"), QKeySequence(tr("Ctrl+Shift+P")), "search"},
        [&actions, window] { (new CommandPalette(actions, window))->show(); });
    actions.add({"help.keys", helpMenu, tr("&Keys"), QKeySequence(Qt::Key_Question), "help"},
                [&actions, window] { (new ShortcutHelp(actions, window))->show(); });
    actions.add({"help.about", helpMenu, tr("&About Stagecraft"), {}, "info"}, [this] { showAbout(); });
}

void HelpActions::showAbout() {
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About Stagecraft"),
                                tr("<b>Stagecraft %1</b><br>A workbench for planning pipeline-parallel "
                                   "training.<br>GPL-3.0-or-later.")
                                    .arg(QLatin1String(version())),
                                QMessageBox::Close, window_);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

}  // namespace stagecraft::app
