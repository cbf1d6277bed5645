#include "app/panels/project_tree.h"

#include "app/document/file_names.h"
#include "core/base/units.h"
#include "views/common/standing_look.h"
#include "views/common/text.h"
#include "views/common/theme.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QTreeWidgetItemIterator>

namespace stagecraft::app::panels {
namespace {

constexpr int planRole = Qt::UserRole;
constexpr int iconRole = Qt::UserRole + 1;  // the name of the icon, which is not known of an icon itself

/// Where it has that icon already nothing is laid out.
void showIcon(QTreeWidgetItem& item, const QString& name) {
    if (item.data(0, iconRole).toString() == name) return;
    item.setData(0, iconRole, name);
    item.setIcon(0, lineIcon(name));
}

/// What is beside a plan: its time, or in a word what is wrong with it.
QString stateOf(const PlanItem& item, bool plannable) {
    if (!item.run) return !plannable || item.stopped ? QStringLiteral("–") : ProjectTree::tr("…");
    if (const Standing standing = standingOf(*item.run); standing != Standing::fits)
        return QLatin1String(standingName(standing));
    return QString::fromStdString(formatSeconds(item.run->iterationTimeS()));
}

/// Busy is what will come to an end.
QString iconOf(const PlanItem& item, bool plannable) {
    if (item.run) return standingIcon(standingOf(*item.run));
    if (item.stopped) return QStringLiteral("cancel");
    return plannable ? QStringLiteral("busy") : QStringLiteral("warning");
}

QString tipOf(const PlanItem& item, bool plannable) {
    if (item.run) return QString::fromStdString(standingSentence(*item.run));
    if (item.stopped) return ProjectTree::tr("Its simulation was cancelled; any edit starts it again");
    return plannable ? ProjectTree::tr("Being worked out")
                     : ProjectTree::tr("Nothing can be simulated on this problem; see Problems");
}

/// A few lines of a text that may be a page; the profile's tab has all of it.
QString shortTip(const QString& text) {
    constexpr int most = 240;
    if (text.size() <= most) return QStringLiteral("<p>%1</p>").arg(text.toHtmlEscaped());
    return QStringLiteral("<p>%1…</p>").arg(text.left(text.lastIndexOf(' ', most)).toHtmlEscaped());
}

}  // namespace

ProjectTree::ProjectTree(const Workspace& workspace, QWidget* parent)
    : QTreeWidget(parent),
      workspace_(workspace),
      cluster_(new QTreeWidgetItem(this)),
      profile_(new QTreeWidgetItem(this)),
      setup_(new QTreeWidgetItem(this)),
      plans_(new QTreeWidgetItem(this)),
      recordings_(new QTreeWidgetItem(this)),
      figures_(new QTreeWidgetItem(this)) {
    setObjectName(QStringLiteral("projectTree"));
    setColumnCount(2);
    setHeaderHidden(true);
    setTextElideMode(Qt::ElideMiddle);  // plans of one planner differ at their end
    setRootIsDecorated(false);
    setIndentation(16);
    setUniformRowHeights(true);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(0, QHeaderView::Stretch);
    header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    setEditTriggers(QAbstractItemView::EditKeyPressed);
    setContextMenuPolicy(Qt::CustomContextMenu);
    cluster_->setText(0, tr("Cluster"));
    profile_->setText(0, tr("Profile"));
    setup_->setText(0, tr("Setup"));
    plans_->setText(0, tr("Plans"));
    recordings_->setText(0, tr("Recordings"));
    figures_->setText(0, tr("Figures"));

    connect(&workspace_, &Workspace::projectReplaced, this, &ProjectTree::rebuild);
    connect(&workspace_, &Workspace::problemChanged, this, &ProjectTree::refresh);
    connect(&workspace_, &Workspace::plansChanged, this, &ProjectTree::rebuildPlans);
    connect(&workspace_, &Workspace::runsChanged, this, &ProjectTree::refresh);
    connect(&workspace_, &Workspace::figuresChanged, this, &ProjectTree::rebuildFigures);
    connect(&workspace_, &Workspace::recordingsChanged, this, &ProjectTree::rebuildRecordings);
    connect(this, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item) {
        if (figureOf(item).isEmpty()) show(item);  // its dialogue would be in the way of renaming it
    });
    connect(this, &QTreeWidget::itemDoubleClicked, this, [this](QTreeWidgetItem* item) {
        if (!figureOf(item).isEmpty()) show(item);
    });
    connect(this, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item, int column) {
        if (filling_ || column != 0) return;
        if (planOf(item)) emit renamed(planOf(item), item->text(0));
        if (const QString name = figureOf(item); !name.isEmpty()) emit figureRenamed(name, item->text(0));
    });
    connect(this, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
        if (const int id = planOf(itemAt(at))) emit contextMenuWanted(id, viewport()->mapToGlobal(at));
        if (const QString name = figureOf(itemAt(at)); !name.isEmpty())
            showFigureMenu(name, viewport()->mapToGlobal(at));
    });
    rebuild();
}

/// Many plans scroll within the tree, and what is below it stays in sight.
QSize ProjectTree::sizeHint() const { return {240, minimumHeight()}; }

int ProjectTree::planOf(const QTreeWidgetItem* item) const {
    return item && item->parent() == plans_ ? item->data(0, planRole).toInt() : 0;
}

QString ProjectTree::figureOf(const QTreeWidgetItem* item) const {
    return item && item->parent() == figures_ ? item->data(0, planRole).toString() : QString();
}

void ProjectTree::showFigureMenu(const QString& name, const QPoint& globalPosition) {
    QMenu menu;
    menu.addAction(tr("Open"), this, [this, name] { emit figureChosen(name); });
    menu.addAction(tr("Rename"), this, [this] { editItem(currentItem(), 0); });
    menu.addAction(tr("Remove"), this, [this, name] { emit figureRemoveRequested(name); });
    menu.exec(globalPosition);
}

QTreeWidgetItem* ProjectTree::itemOf(int id) const {
    for (int i = 0; i < plans_->childCount(); ++i)
        if (planOf(plans_->child(i)) == id) return plans_->child(i);
    return nullptr;
}

void ProjectTree::rebuild() {
    rebuildFigures();
    rebuildRecordings();
    rebuildPlans();
}

void ProjectTree::rebuildFigures() {
    filling_ = true;
    const QString current = figureOf(currentItem());
    qDeleteAll(figures_->takeChildren());
    for (const KeptFigure& figure : workspace_.figures()) {
        const QString name = QString::fromStdString(figure.name);
        auto* item = new QTreeWidgetItem(figures_, {name});
        item->setData(0, planRole, name);
        item->setFlags(item->flags() | Qt::ItemIsEditable);
        item->setIcon(0, lineIcon(QStringLiteral("export")));
        item->setToolTip(0, tr("A figure that the project keeps; a double click opens it"));
        if (name == current) setCurrentItem(item);
    }
    figures_->setHidden(figures_->childCount() == 0);
    figures_->setExpanded(true);
    filling_ = false;
}

void ProjectTree::rebuildRecordings() {
    filling_ = true;
    qDeleteAll(recordings_->takeChildren());
    for (const RecordedFiles& files : workspace_.recordings()) {
        auto* item = new QTreeWidgetItem(recordings_, {titleOfRecording(files)});
        item->setIcon(0, lineIcon(QStringLiteral("recording")));
        item->setToolTip(0, QString::fromStdString(files.files.front()));
    }
    recordings_->setHidden(recordings_->childCount() == 0);
    recordings_->setExpanded(true);
    filling_ = false;
}

/// Whether there is a row for each plan, in their order.
bool ProjectTree::showsPlans() const {
    const std::vector<PlanItem>& plans = workspace_.plans();
    if (plans_->childCount() != static_cast<int>(plans.size())) return false;
    for (int i = 0; i < plans_->childCount(); ++i)
        if (planOf(plans_->child(i)) != plans[static_cast<std::size_t>(i)].id) return false;
    return true;
}

void ProjectTree::rebuildPlans() {
    if (showsPlans()) return refresh();
    filling_ = true;
    const int current = planOf(currentItem());
    qDeleteAll(plans_->takeChildren());
    for (const PlanItem& plan : workspace_.plans()) {
        auto* item = new QTreeWidgetItem(plans_);
        item->setData(0, planRole, plan.id);
        item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        item->setFlags(item->flags() | Qt::ItemIsEditable);
    }
    plans_->setExpanded(true);
    refresh();
    if (QTreeWidgetItem* item = itemOf(current)) setCurrentItem(item);
}

void ProjectTree::refresh() {
    filling_ = true;
    const Problem& problem = workspace_.problem();
    cluster_->setText(1, countedText(problem.cluster.deviceCount(), "GPU"));
    cluster_->setToolTip(0, QString::fromStdString(problem.cluster.name));
    profile_->setText(1, countedText(problem.profile.layerCount(), "layer"));
    profile_->setToolTip(0, shortTip(QString::fromStdString(problem.profile.source)));
    setup_->setText(1, QStringLiteral("M = %1").arg(problem.setup.microbatches));
    const std::pair<QTreeWidgetItem*, const char*> icons[] = {
        {cluster_, "cluster"}, {profile_, "profile"},      {setup_, "setup"},
        {plans_, "plan"},      {recordings_, "recording"}, {figures_, "export"}};
    for (const auto& [item, icon] : icons) {
        showIcon(*item, QLatin1String(icon));
        item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        item->setForeground(1, Theme::current().mutedText);
    }
    const bool plannable = workspace_.plans().empty() || !whyUnplannable(problem);
    for (const PlanItem& plan : workspace_.plans()) {
        QTreeWidgetItem* item = itemOf(plan.id);
        if (!item) continue;
        item->setText(0, plan.title());
        item->setText(1, stateOf(plan, plannable));
        showIcon(*item, iconOf(plan, plannable));
        item->setToolTip(0, tipOf(plan, plannable));
        item->setToolTip(1, tipOf(plan, plannable));
    }
    filling_ = false;
}

void ProjectTree::show(QTreeWidgetItem* item) {
    if (item == cluster_) emit clusterChosen();
    if (item == profile_) emit profileChosen();
    if (item == setup_) emit setupChosen();
    if (const int id = planOf(item)) emit planChosen(id);
    if (item && item->parent() == recordings_) emit recordingChosen(recordings_->indexOfChild(item));
    if (const QString name = figureOf(item); !name.isEmpty()) emit figureChosen(name);
}

void ProjectTree::selectPlan(int id) {
    if (QTreeWidgetItem* item = itemOf(id)) setCurrentItem(item);
}

void ProjectTree::startRenaming(int id) {
    if (hasFocus() && !figureOf(currentItem()).isEmpty()) return editItem(currentItem(), 0);
    if (QTreeWidgetItem* item = itemOf(id)) editItem(item, 0);
}

void ProjectTree::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && state() != EditingState)
        show(currentItem());
    else if (event->key() == Qt::Key_Delete && planOf(currentItem()))
        emit removeRequested(planOf(currentItem()));
    else if (event->key() == Qt::Key_Delete && !figureOf(currentItem()).isEmpty())
        emit figureRemoveRequested(figureOf(currentItem()));
    else
        QTreeWidget::keyPressEvent(event);
}

void ProjectTree::changeEvent(QEvent* event) {
    QTreeWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange) return;
    filling_ = true;
    for (QTreeWidgetItemIterator item(this); *item; ++item) (*item)->setData(0, iconRole, {});
    refresh();
}

}  // namespace stagecraft::app::panels
