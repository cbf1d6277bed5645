#include "app/experiments/removed_bar.h"

#include "app/experiments/custom_experiments.h"
#include "app/panels/message_bar.h"
#include "core/formats/text_file.h"

#include <QFile>
#include <QVBoxLayout>

namespace stagecraft::app::experiments {

RemovedBar::RemovedBar(QWidget* parent) : QWidget(parent) {
    column_ = new QVBoxLayout(this);
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(0);
}

void RemovedBar::remove(const QString& path) {
    Removed removed{path, CustomExperiments::nameOf(path), {}};
    if (CustomExperiments::isKept(path)) {
        removed.text = readTextFile(path.toStdString());
        QFile::remove(path);
    }
    removed_.push_back(std::move(removed));
    showLast();
}

void RemovedBar::showLast() {
    for (auto* bar : findChildren<MessageBar*>(QStringLiteral("removedBar"))) {
        bar->hide();
        bar->setObjectName({});
        bar->deleteLater();
    }
    if (removed_.empty()) return;
    const Removed& last = removed_.back();
    const QString text = last.text ? tr("%1 was deleted.") : tr("%1 is no longer listed; its file stays.");
    auto* bar = new MessageBar(
        QStringLiteral("remove"), text.arg(last.name),
        {{tr("Undo"), [this] { putBackLast(); }}, {tr("Close"), [this] { removed_.clear(); }}});
    bar->setObjectName(QStringLiteral("removedBar"));
    column_->addWidget(bar);
}

void RemovedBar::putBackLast() {
    const Removed back = std::move(removed_.back());
    removed_.pop_back();
    try {
        if (back.text) writeFileAtomically(back.path.toStdString(), *back.text);
        emit putBack(back.path, back.name);
    } catch (const std::exception& error) {
        emit failed(QString::fromUtf8(error.what()));
    }
    showLast();
}

}  // namespace stagecraft::app::experiments
