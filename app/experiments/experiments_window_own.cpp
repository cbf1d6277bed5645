// What a person's own experiments need of the window: drafts that are kept, names, and taking them off the
// list.

#include "app/experiments/builder/experiment_builder.h"
#include "app/experiments/experiments_window.h"
#include "app/experiments/own_experiments.h"
#include "app/panels/message_bar.h"
#include "core/experiments/experiment_draft.h"
#include "core/formats/native/formats.h"
#include "views/experiments/experiment_view.h"

#include <QAction>
#include <QFile>
#include <QFileInfo>
#include <QMenu>
#include <QStackedWidget>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace stagecraft {

namespace {

constexpr int resultsFileRole = Qt::UserRole + 1;

}  // namespace

ExperimentBuilder& ExperimentsWindow::builder() {
    if (builder_) return *builder_;
    builder_ = new ExperimentBuilder(
        [this]() -> std::optional<NamedProblem> { return openProject_ ? openProject_() : std::nullopt; });
    pages_->addWidget(builder_);
    connect(builder_, &ExperimentBuilder::runRequested, this, &ExperimentsWindow::runDraft);
    connect(builder_, &ExperimentBuilder::closeRequested, this, &ExperimentsWindow::closeBuilder);
    connect(builder_, &ExperimentBuilder::begun, &drafts_, &DraftKeeper::begin);
    connect(builder_, &ExperimentBuilder::looked, this, &ExperimentsWindow::keepDraft);
    // Which comes after the draft was looked at.
    connect(builder_->undoStack(), &QUndoStack::cleanChanged, this, &ExperimentsWindow::keepDraft);
    connect(builder_, &ExperimentBuilder::saved, this,
            [this](const QString& path, const Experiment& experiment) {
                const QString kept = drafts_.path();
                drafts_.begin(path);
                if (!kept.isEmpty() && kept != path) {
                    QFile::remove(kept);
                    dropOwn(kept);
                }
                ExperimentResults results{experiment, {}};
                results.cells.resize(Grid(experiment).cellCount());
                takeOwn(path, std::move(results));
            });
    return *builder_;
}

void ExperimentsWindow::keepDraft() {
    // What cannot be written yet is kept as it last could be.
    if (const auto experiment = builder_->experiment())
        drafts_.take(*experiment, builder_->undoStack()->isClean());
}

void ExperimentsWindow::connectDrafts() {
    connect(&drafts_, &DraftKeeper::kept, this, [this](const QString& path, const QString& name) {
        // Read anew when it is looked at.
        std::erase_if(own_, [&](const auto& one) { return one.first == path; });
        nameOwn(path, name);
    });
    connect(&drafts_, &DraftKeeper::removed, this, &ExperimentsWindow::dropOwn);
    connect(&drafts_, &DraftKeeper::failed, this, &ExperimentsWindow::showFailure);
    connect(&renaming_, &BackgroundTask::ended, this, [this](bool, const QString& failure) {
        if (!failure.isEmpty()) showFailure(failure);
    });
}

void ExperimentsWindow::closeBuilder() {
    if (QTreeWidgetItem* draft = findOwn(drafts_.flush()); draft && draft != list_->currentItem())
        return list_->setCurrentItem(draft);
    list_->currentItem() ? choose(list_->currentItem()) : showOverview();
}

void ExperimentsWindow::runDraft(const Experiment& experiment) {
    QString path = drafts_.flush();
    if (path.isEmpty()) path = builder_->path();
    Experiment run = experiment;
    try {
        // What was not saved is kept all the same: a run that is ended goes on after the next start.
        if (path.isEmpty() || OwnExperiments::isKept(path) || !builder_->undoStack()->isClean()) {
            path = OwnExperiments::keep(experiment, path);
            builder_->setPath(path);
            drafts_.begin(path);
            run = movedTo(experiment, QFileInfo(path).absolutePath().toStdString());
        }
    } catch (const std::exception& error) {
        return builder_->say(QString::fromUtf8(error.what()));
    }
    ExperimentResults results{run, {}};
    results.cells.resize(Grid(run).cellCount());
    showOpened(path, std::move(results));
    this->run();
}

QString ExperimentsWindow::pathOf(const QTreeWidgetItem* item) {
    return item ? item->data(0, resultsFileRole).toString() : QString();
}

QTreeWidgetItem* ExperimentsWindow::findOwn(const QString& path) const {
    for (int i = 0; i < ownGroup_->childCount(); ++i)
        if (pathOf(ownGroup_->child(i)) == path) return ownGroup_->child(i);
    return nullptr;
}

QTreeWidgetItem* ExperimentsWindow::ownItem(const QString& path) {
    if (QTreeWidgetItem* item = findOwn(path)) return item;
    const QSignalBlocker blocker(list_);  // its name is no person's
    auto* item = new QTreeWidgetItem(ownGroup_);
    item->setData(0, resultsFileRole, path);
    item->setFlags(item->flags() | Qt::ItemIsEditable);
    const bool kept = OwnExperiments::isKept(path);
    QFont font = item->font(0);
    font.setItalic(kept);
    item->setFont(0, font);
    item->setToolTip(0, kept ? tr("Kept by the program; not saved to a file of yours") : path);
    ownGroup_->setHidden(false);
    ownGroup_->setExpanded(true);
    return item;
}

QTreeWidgetItem* ExperimentsWindow::nameOwn(const QString& path, const QString& name) {
    OwnExperiments::add(path, name);
    QTreeWidgetItem* item = ownItem(path);
    item->setText(0, name);
    return item;
}

void ExperimentsWindow::takeOwn(const QString& path, ExperimentResults results) {
    nameOwn(path, QString::fromStdString(results.experiment.name));
    std::erase_if(own_, [&](const auto& one) { return one.first == path; });
    own_.emplace_back(path, std::move(results));
}

void ExperimentsWindow::dropOwn(const QString& path) {
    OwnExperiments::forget(path);
    std::erase_if(own_, [&](const auto& one) { return one.first == path; });
    {
        const QSignalBlocker blocker(list_);  // what is shown stays until somebody chooses
        if (list_->currentItem() == findOwn(path)) list_->setCurrentItem(nullptr);
        delete findOwn(path);
    }
    ownGroup_->setHidden(ownGroup_->childCount() == 0);
}

void ExperimentsWindow::prepareOwnList() {
    list_->setEditTriggers(QAbstractItemView::EditKeyPressed);
    list_->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(list_, &QTreeWidget::customContextMenuRequested, this, &ExperimentsWindow::showOwnMenu);
    auto* remove = new QAction(tr("Delete"), list_);
    remove->setShortcut(QKeySequence::Delete);
    remove->setShortcutContext(Qt::WidgetShortcut);
    list_->addAction(remove);
    connect(remove, &QAction::triggered, this, [this] { removeOwn(pathOf(list_->currentItem())); });
    connect(list_, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item) {
        const QString path = pathOf(item), name = item->text(0).trimmed();
        if (!path.isEmpty() && name != OwnExperiments::nameOf(path)) renameOwn(path, name);
    });
}

void ExperimentsWindow::showOwnMenu(const QPoint& at) {
    QTreeWidgetItem* item = list_->itemAt(at);
    const QString path = pathOf(item);
    if (path.isEmpty()) return;
    QMenu menu(this);
    menu.addAction(tr("Rename"), QKeySequence(Qt::Key_F2), this, [this, item] { list_->editItem(item); });
    menu.addAction(OwnExperiments::isKept(path) ? tr("Delete") : tr("Take off the list"),
                   QKeySequence(Qt::Key_Delete), this, [this, path] { removeOwn(path); });
    menu.exec(list_->viewport()->mapToGlobal(at));
}

void ExperimentsWindow::removeOwn(const QString& path) {
    if (path.isEmpty()) return;
    if (drafts_.path() == path) {
        drafts_.flush();
        drafts_.leave();
    }
    Removed removed{path, OwnExperiments::nameOf(path), {}};
    try {
        if (OwnExperiments::isKept(path)) {
            removed.text = readTextFile(path.toStdString());
            QFile::remove(path);
        }
    } catch (const std::exception& error) {
        return showFailure(QString::fromUtf8(error.what()));
    }
    const bool seen = shown_ == path || list_->currentItem() == findOwn(path) || !list_->currentItem();
    dropOwn(path);
    removed_.push_back(std::move(removed));
    showRemoved();
    if (seen) showOverview();
}

void ExperimentsWindow::showRemoved() {
    for (auto* bar : findChildren<MessageBar*>(QStringLiteral("removedBar"))) {
        bar->hide();
        bar->setObjectName({});
        bar->deleteLater();
    }
    if (removed_.empty()) return;
    const Removed& last = removed_.back();
    const QString text = last.text ? tr("%1 was deleted.") : tr("%1 is no longer listed; its file stays.");
    auto* bar =
        new MessageBar(QStringLiteral("remove"), text.arg(last.name),
                       {{tr("Undo"), [this] { putBackOwn(); }}, {tr("Close"), [this] { removed_.clear(); }}});
    bar->setObjectName(QStringLiteral("removedBar"));
    bars_->addWidget(bar);
}

void ExperimentsWindow::putBackOwn() {
    const Removed back = std::move(removed_.back());
    removed_.pop_back();
    try {
        if (back.text) writeFileAtomically(back.path.toStdString(), *back.text);
        list_->setCurrentItem(nameOwn(back.path, back.name));
    } catch (const std::exception& error) {
        showFailure(QString::fromUtf8(error.what()));
    }
    showRemoved();
}

void ExperimentsWindow::renameOwn(const QString& path, const QString& name) {
    if (name.isEmpty()) return ownItem(path)->setText(0, OwnExperiments::nameOf(path));
    if (builder_ && pages_->currentWidget() == builder_ && drafts_.path() == path)
        return builder_->rename(name);
    renaming_.start(BackgroundTask::Work([this, path, name](const PlanningContext&) {
        OwnExperiments::rename(path, name);
        return BackgroundTask::Deliver([this, path, name] {
            nameOwn(path, name);
            for (auto& [file, results] : own_)
                if (file == path) results.experiment.name = name.toStdString();
            if (shown_ == path && pages_->currentWidget() == view_ && !isRunning()) choose(findOwn(path));
        });
    }));
}

}  // namespace stagecraft
