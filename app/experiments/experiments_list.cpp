#include "app/experiments/experiments_list.h"

#include "app/experiments/custom_experiments.h"
#include "app/experiments/paper_experiments.h"

#include <QAction>
#include <QMenu>
#include <QSignalBlocker>

namespace stagecraft::app::experiments {

namespace {

constexpr int paperRole = Qt::UserRole;     ///< id of a paper's experiment
constexpr int fileRole = Qt::UserRole + 1;  ///< of an own one

QString pathOf(const QTreeWidgetItem* item) { return item ? item->data(0, fileRole).toString() : QString(); }

}  // namespace

ExperimentsList::ExperimentsList(QWidget* parent) : QTreeWidget(parent) {
    setObjectName(QStringLiteral("experiments"));
    setHeaderHidden(true);
    setFrameShape(QFrame::NoFrame);
    addOwnActions();
    fill();
    connect(this, &QTreeWidget::currentItemChanged, this, &ExperimentsList::report);
    connect(this, &QTreeWidget::itemChanged, this, &ExperimentsList::takeName);
}

void ExperimentsList::addOwnActions() {
    setEditTriggers(QAbstractItemView::EditKeyPressed);
    setContextMenuPolicy(Qt::CustomContextMenu);
    connect(this, &QTreeWidget::customContextMenuRequested, this, &ExperimentsList::showOwnMenu);
    auto* remove = new QAction(tr("Delete"), this);
    remove->setShortcut(QKeySequence::Delete);
    remove->setShortcutContext(Qt::WidgetShortcut);
    addAction(remove);
    connect(remove, &QAction::triggered, this, [this] {
        if (const QString path = pathOf(currentItem()); !path.isEmpty()) emit removeRequested(path);
    });
}

void ExperimentsList::fill() {
    overview_ = new QTreeWidgetItem(this, {tr("Do the papers hold?")});
    own_ = new QTreeWidgetItem(this, {tr("Own")});
    own_->setFlags(Qt::ItemIsEnabled);
    for (const QString& file : CustomExperiments::files())
        ownItem(file)->setText(0, CustomExperiments::nameOf(file));
    own_->setHidden(own_->childCount() == 0);
    QTreeWidgetItem* group = nullptr;
    std::string paper;
    for (const PaperExperiment& one : paperExperiments()) {
        const Experiment& experiment = one.experiment();
        if (experiment.source.paper != paper) {
            paper = experiment.source.paper;
            group = new QTreeWidgetItem(this, {QString::fromStdString(paperTitle(paper))});
            group->setFlags(Qt::ItemIsEnabled);
        }
        auto* item = new QTreeWidgetItem(group, {QString::fromStdString(experiment.name).section(": ", 1)});
        item->setToolTip(0, QString::fromStdString(experiment.source.place + ": " + experiment.about));
        item->setData(0, paperRole, QString::fromStdString(one.id));
    }
    ensurePolished();  // rows are as high as the style wants them, from the first layout on
    expandAll();
}

void ExperimentsList::report(const QTreeWidgetItem* item) {
    if (!item) return;
    const QString id = item->data(0, paperRole).toString(), path = pathOf(item);
    if (!id.isEmpty())
        emit paperChosen(id);
    else if (!path.isEmpty())
        emit ownChosen(path);
    else
        emit overviewChosen();
}

void ExperimentsList::showOverview() { setCurrentItem(overview_); }

void ExperimentsList::showPaper(const QString& id) {
    for (QTreeWidgetItemIterator it(this); *it; ++it)
        if ((*it)->data(0, paperRole).toString() == id) return setCurrentItem(*it);
}

void ExperimentsList::showOwn(const QString& path) {
    QTreeWidgetItem* item = findOwn(path);
    item == currentItem() ? report(item) : setCurrentItem(item);
}

void ExperimentsList::showCurrent() { currentItem() ? report(currentItem()) : showOverview(); }

QTreeWidgetItem* ExperimentsList::findOwn(const QString& path) const {
    for (int i = 0; i < own_->childCount(); ++i)
        if (pathOf(own_->child(i)) == path) return own_->child(i);
    return nullptr;
}

QTreeWidgetItem* ExperimentsList::ownItem(const QString& path) {
    if (QTreeWidgetItem* item = findOwn(path)) return item;
    const QSignalBlocker blocker(this);  // its name is no person's
    auto* item = new QTreeWidgetItem(own_);
    item->setData(0, fileRole, path);
    item->setFlags(item->flags() | Qt::ItemIsEditable);
    const bool kept = CustomExperiments::isKept(path);
    QFont font = item->font(0);
    font.setItalic(kept);
    item->setFont(0, font);
    item->setToolTip(0, kept ? tr("Kept by the program; not saved to a file of yours") : path);
    own_->setHidden(false);
    own_->setExpanded(true);
    return item;
}

void ExperimentsList::nameOwn(const QString& path, const QString& name) {
    CustomExperiments::add(path, name);
    ownItem(path)->setText(0, name);
}

void ExperimentsList::dropOwn(const QString& path) {
    CustomExperiments::forget(path);
    {
        const QSignalBlocker blocker(this);  // what is shown stays until somebody chooses
        if (currentItem() == findOwn(path)) setCurrentItem(nullptr);
        delete findOwn(path);
    }
    own_->setHidden(own_->childCount() == 0);
}

void ExperimentsList::takeName(QTreeWidgetItem* item) {
    const QString path = pathOf(item), name = item->text(0).trimmed();
    if (path.isEmpty() || name == CustomExperiments::nameOf(path)) return;
    if (name.isEmpty()) return item->setText(0, CustomExperiments::nameOf(path));
    emit renameRequested(path, name);
}

void ExperimentsList::showOwnMenu(const QPoint& at) {
    QTreeWidgetItem* item = itemAt(at);
    const QString path = pathOf(item);
    if (path.isEmpty()) return;
    QMenu menu(this);
    menu.addAction(tr("Rename"), QKeySequence(Qt::Key_F2), this, [this, item] { editItem(item); });
    menu.addAction(CustomExperiments::isKept(path) ? tr("Delete") : tr("Take off the list"),
                   QKeySequence(Qt::Key_Delete), this, [this, path] { emit removeRequested(path); });
    menu.exec(viewport()->mapToGlobal(at));
}

}  // namespace stagecraft::app::experiments
