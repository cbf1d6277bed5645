#include "app/shell/window_bars.h"

#include <QFileInfo>
#include <QLocale>

namespace stagecraft::app {
namespace {

const QString diskBarName = QStringLiteral("diskBar");

}  // namespace

WindowBars::WindowBars() { setSpacing(1); }

void WindowBars::add(const QString& name, const QString& icon, const QString& text,
                     const std::vector<MessageBar::Choice>& choices) {
    auto* bar = new MessageBar(icon, text, choices);
    bar->setObjectName(name);
    addWidget(bar);
}

void WindowBars::clear() {
    for (auto* bar : parentWidget()->findChildren<MessageBar*>()) {
        bar->hide();
        bar->deleteLater();
    }
}

void WindowBars::offerRecovery(const QList<RecoverableWork>& found) {
    for (const RecoverableWork& work : found) {
        const QString name = work.projectPath.isEmpty() ? tr("a project that was never saved")
                                                        : QFileInfo(work.projectPath).fileName();
        add(QStringLiteral("recoveryBar"), QStringLiteral("recover"),
            tr("Unsaved work on %1 from %2 was found.")
                .arg(name, QLocale::c().toString(work.written, QStringLiteral("yyyy-MM-dd HH:mm"))),
            {{tr("Recover"), [this, work] { emit recoveryWanted(work); }},
             {tr("Discard it"), [work] { Recovery::discard(work); }},
             {tr("Later"), [] {}}});
    }
}

void WindowBars::askAboutDisk(const QString& file, bool dirty) {
    for (auto* bar : parentWidget()->findChildren<MessageBar*>(diskBarName)) bar->deleteLater();
    const QString name = QFileInfo(file).fileName();
    const bool gone = !QFileInfo::exists(file);
    std::vector<MessageBar::Choice> choices;
    if (!gone)
        choices.emplace_back(dirty ? tr("Reload and lose my changes") : tr("Reload"),
                             [this] { emit reloadWanted(); });
    choices.emplace_back(tr("Keep mine"), [this] { emit keepWanted(); });
    add(diskBarName, QStringLiteral("warning"),
        gone ? tr("%1 was removed by another program.").arg(name)
             : tr("%1 was changed by another program.").arg(name),
        choices);
}

}  // namespace stagecraft::app
