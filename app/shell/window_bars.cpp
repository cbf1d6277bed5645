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
    if (found.isEmpty()) return;
    const RecoverableWork work = found.front();
    const QList<RecoverableWork> others = found.mid(1);
    const QString name = work.projectPath.isEmpty() ? tr("a project that was never saved")
                                                    : QFileInfo(work.projectPath).fileName();
    const QString text =
        tr("Unsaved work on %1 from %2 was found.")
            .arg(name, QLocale::c().toString(work.written, QStringLiteral("yyyy-MM-dd HH:mm")));
    add(QStringLiteral("recoveryBar"), QStringLiteral("recover"),
        others.isEmpty()
            ? text
            : text + u' ' +
                  (others.size() == 1 ? tr("One more follows.") : tr("%1 more follow.").arg(others.size())),
        {{tr("Recover"), [this, work] { emit recoveryWanted(work); }},
         {tr("Discard it"),
          [this, work, others] {
              Recovery::discard(work);
              offerRecovery(others);
          }},
         {tr("Later"), [] {}}});
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
