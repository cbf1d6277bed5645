#include "app/shell/help_actions.h"

#include "app/actions/command_palette.h"
#include "app/actions/shortcut_help.h"
#include "app/document/version.h"
#include "app/help/help_controller.h"
#include "app/shell/window_parts.h"

#include <QMainWindow>
#include <QMessageBox>

namespace stagecraft::app::shell {

HelpActions::HelpActions(ActionRegister& actions, QMainWindow* window)
    : QObject(window), window_(window), desk_(new HelpController(actions, *window)) {
    connect(desk_, &HelpController::sampleChosen, this, &HelpActions::sampleChosen);
    addPages(actions);
    actions.add(
        {"help.palette", helpMenu, tr("&Find a command…"), QKeySequence(tr("Ctrl+Shift+P")), "", true},
        [&actions, window] { (new CommandPalette(actions, window))->show(); });
    actions.add({"help.keys", helpMenu, tr("&Keys"), QKeySequence(Qt::Key_Question)},
                [&actions, window] { (new ShortcutHelp(actions, window))->show(); });
    actions.add({"help.about", helpMenu, tr("&About Stagecraft"), {}, "info"}, [this] { showAbout(); });
}

void HelpActions::addPages(ActionRegister& actions) {
    actions.add(
        {"help.help", helpMenu, tr("&Help on what has the focus"), QKeySequence::HelpContents, "help"},
        [this] { desk_->openHere(); });
    const std::pair<ActionSpec, const char*> pages[] = {
        {{"help.contents", helpMenu, tr("&Contents"), {}}, "CONTENTS"},
        {{"help.glossary", helpMenu, tr("&Glossary"), {}}, "GLOSSARY"}};
    for (const auto& [spec, topic] : pages)
        actions.add(spec, [this, topic = topic] { desk_->open(QLatin1String(topic)); });
    actions.add({"help.search", helpMenu, tr("&Search help…"), {}, "search"},
                [this] { desk_->openSearch(); });
}

void HelpActions::open(const QString& topic) { desk_->open(topic); }

void HelpActions::showAbout() {
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About Stagecraft"),
                                tr("<b>Stagecraft %1</b><br>A workbench for planning pipeline-parallel "
                                   "training.<br>GPL-3.0-or-later.")
                                    .arg(QLatin1String(version())),
                                QMessageBox::Close, window_);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

}  // namespace stagecraft::app::shell
