#include "app/panels/message_bar.h"
#include "app/shell/main_window.h"
#include "app/shell/workbench.h"

#include <QDockWidget>
#include <QFileInfo>
#include <QLocale>
#include <QVBoxLayout>

namespace stagecraft {

MessageBar* MainWindow::addBar(const QString& icon, const QString& text,
                               const std::vector<std::pair<QString, std::function<void()>>>& choices) {
    auto* bar = new MessageBar(icon, text, choices);
    bars_->addWidget(bar);
    return bar;
}

void MainWindow::clearBars() {
    for (auto* bar : centralWidget()->findChildren<MessageBar*>()) {
        bar->hide();
        bar->deleteLater();
    }
}

void MainWindow::offerRecovery(const QList<RecoverableWork>& found) {
    for (const RecoverableWork& work : found) {
        const QString name = work.projectPath.isEmpty() ? tr("a project that was never saved")
                                                        : QFileInfo(work.projectPath).fileName();
        addBar(QStringLiteral("recover"),
               tr("Unsaved work on %1 from %2 was found.")
                   .arg(name, QLocale::c().toString(work.written, QStringLiteral("yyyy-MM-dd HH:mm"))),
               {{tr("Recover"), [this, work] { recover(work); }},
                {tr("Discard it"), [work] { Recovery::discard(work); }},
                {tr("Later"), [] {}}})
            ->setObjectName(QStringLiteral("recoveryBar"));
    }
}

void MainWindow::recover(const RecoverableWork& work) {
    if (!mayLeave()) return;
    const OpenedDocument document = readDocument(work.file);
    const auto* project = std::get_if<Project>(&document);
    if (!project) {
        if (const auto* failure = std::get_if<OpenFailure>(&document)) refuse(*failure);
        return;
    }
    workspace_.openRecovered(*project, work.projectPath);
    watchFiles();
    recovery_.adopt(work.file);
}

void MainWindow::onFileChangedOnDisk(const QString& file) {
    for (auto* bar : centralWidget()->findChildren<MessageBar*>(QStringLiteral("diskBar")))
        bar->deleteLater();
    const QString name = QFileInfo(file).fileName();
    const bool gone = !QFileInfo::exists(file);
    std::vector<MessageBar::Choice> choices;
    if (!gone)
        choices.emplace_back(workspace_.isDirty() ? tr("Reload and lose my changes") : tr("Reload"), [this] {
            leaving_ = true;
            recovery_.forget();
            openFile(workspace_.path());
        });
    choices.emplace_back(tr("Keep mine"), [this] { workspace_.markUnsaved(); });
    addBar(QStringLiteral("warning"),
           gone ? tr("%1 was removed by another program.").arg(name)
                : tr("%1 was changed by another program.").arg(name),
           choices)
        ->setObjectName(QStringLiteral("diskBar"));
}

}  // namespace stagecraft
