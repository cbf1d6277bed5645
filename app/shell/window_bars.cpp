#include "app/shell/window_bars.h"

#include "app/panels/recovery_list.h"

#include <QFileInfo>

namespace stagecraft::app::shell {
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
    diskFile_.clear();
    QList<QWidget*> bars;
    for (auto* bar : parentWidget()->findChildren<MessageBar*>()) bars << bar;
    for (auto* bar : parentWidget()->findChildren<RecoveryList*>()) bars << bar;
    for (QWidget* bar : bars) {
        bar->hide();
        bar->deleteLater();
    }
}

void WindowBars::offerRecovery(const QList<RecoverableWork>& found) {
    if (found.isEmpty()) return;
    auto* list = new RecoveryList(found);
    connect(list, &RecoveryList::recoveryWanted, this, &WindowBars::recoveryWanted);
    connect(list, &RecoveryList::postponed, this, [this, list] {
        postponed_ = true;
        list->hide();
        list->deleteLater();
    });
    addWidget(list);
}

void WindowBars::clearDisk(const QString& file) {
    if (diskFile_ != file) return;
    diskFile_.clear();
    for (auto* bar : parentWidget()->findChildren<MessageBar*>(diskBarName)) {
        bar->setObjectName({});
        bar->hide();
        bar->deleteLater();
    }
}

void WindowBars::setDirty(bool dirty) {
    if (!diskFile_.isEmpty() && reloadLoses_ && *reloadLoses_ != dirty)
        askAboutDisk(QString(diskFile_), dirty);
}

MessageBar::Choice WindowBars::reloadChoice(bool dirty) {
    return {dirty ? tr("Reload and lose my changes") : tr("Reload"), [this] { emit reloadWanted(); }};
}

void WindowBars::showDisk(const QString& file, const QString& text, std::vector<MessageBar::Choice> choices) {
    clearDisk(QString(diskFile_));
    diskFile_ = file;
    // What a choice does may show another row, or none.
    for (auto& [title, act] : choices)
        act = [this, act = std::move(act)] {
            diskFile_.clear();
            act();
        };
    add(diskBarName, QStringLiteral("warning"), text, choices);
}

void WindowBars::askAboutDisk(const QString& file, bool dirty) {
    const QString name = QFileInfo(file).fileName();
    const bool gone = !QFileInfo::exists(file);
    std::vector<MessageBar::Choice> choices;
    if (!gone) choices.push_back(reloadChoice(dirty));
    choices.emplace_back(tr("Keep mine"), [this, file] { emit keepWanted(file); });
    reloadLoses_ = dirty;
    showDisk(file,
             gone ? tr("%1 was removed by another program.").arg(name)
                  : tr("%1 was changed by another program.").arg(name),
             std::move(choices));
}

void WindowBars::askBeforeSaving(const QString& file) {
    reloadLoses_.reset();
    showDisk(file,
             tr("Not saved: %1 was changed by another program, and saving would replace what that wrote.")
                 .arg(QFileInfo(file).fileName()),
             {{tr("Save over it"), [this, file] { emit saveOverWanted(file); }},
              {tr("Save as…"), [this] { emit saveAsWanted(); }},
              reloadChoice(true),
              {tr("Not now"), [] {}}});
}

}  // namespace stagecraft::app::shell
