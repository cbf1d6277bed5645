#include "app/shell/workbench.h"

#include "app/compare/compare_page.h"
#include "app/panels/empty_panel.h"
#include "app/pareto/pareto_page.h"
#include "app/plan/plan_page.h"
#include "app/training/training_page.h"
#include "views/common/action_tip.h"
#include "views/common/standing_look.h"
#include "views/common/tab_list.h"
#include "views/common/theme.h"
#include "views/profile/profile_view.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app {
namespace {

/// 1024×768, or half of 1920×1080, less the panels at the sides and below.
constexpr QSize mostLeastSize(480, 320);

const QString planKey = QStringLiteral("plan:");
// Of the comparison in a session.
const QString chartsKey = QStringLiteral("charts");
const QString chartedKey = QStringLiteral("plans");
const QString referenceKey = QStringLiteral("against");

}  // namespace

Workbench::Workbench(Workspace& workspace, QWidget* parent)
    : QTabWidget(parent),
      workspace_(workspace),
      topology_(new TopologyView),
      profile_(new ProfileView),
      compare_(new ComparePage(workspace)),
      pareto_(new ParetoPage(workspace)),
      training_(new TrainingPage(workspace)),
      clusterPages_(new QStackedWidget),
      profilePages_(new QStackedWidget) {
    setObjectName(QStringLiteral("workbench"));
    setDocumentMode(true);
    makeClusterPages();
    makeProfilePages();
    addTab(clusterPages_, tr("Cluster"));
    addTab(profilePages_, tr("Profile"));
    addTab(compare_, tr("Compare"));
    addTab(pareto_, tr("Throughput vs memory"));
    addTab(training_, tr("Training"));
    addTrainButton();
    refreshIcons();
    connectWorkspace();
    connectPages();
    connect(this, &QTabWidget::currentChanged, this, [this] {
        if (currentPlan()) lastPlan_ = currentPlan();
        bringUpToDate();
        emit planShown(currentPlan());
    });
    // A page's keys work as soon as its tab is clicked.
    connect(this, &QTabWidget::tabBarClicked, this, [this](int index) {
        if (index >= 0) QMetaObject::invokeMethod(this, &Workbench::focusPage, Qt::QueuedConnection);
    });
}

void Workbench::makeClusterPages() {
    topology_->makeEditable();
    emptyCluster_ =
        new EmptyPanel(tr("Draw a cluster"),
                       tr("Begin with a template, or take servers, GPUs and switches from the palette on the "
                          "left:\nclick one and then the canvas, or drag it here. Or open a cluster file, or "
                          "drop one here."),
                       tr("Template…"), tr("Open cluster…"));
    emptyCluster_->setObjectName(QStringLiteral("emptyCluster"));
    connect(emptyCluster_, &EmptyPanel::accepted, topology_, &TopologyView::templatesWanted);
    connect(emptyCluster_, &EmptyPanel::otherAccepted, this, &Workbench::openClusterRequested);
    connect(topology_->canvas(), &TopologyCanvas::toolChanged, this, &Workbench::showEmptyCluster);
    auto* onCanvas = new QVBoxLayout(topology_->canvas());
    onCanvas->addWidget(emptyCluster_, 0, Qt::AlignCenter);
    clusterPages_->addWidget(topology_);
    clusterPages_->setFocusProxy(topology_);
}

void Workbench::makeProfilePages() {
    auto* noProfile = new EmptyPanel(tr("No profile yet"),
                                     tr("Generate one from the model zoo, or open a layer profile, a "
                                        "PipeDream graph.txt\nor an ONNX model, or drop one here."),
                                     tr("Generate profile…"), tr("Open profile…"));
    noProfile->setObjectName(QStringLiteral("emptyProfile"));
    connect(noProfile, &EmptyPanel::accepted, this, &Workbench::generateProfileRequested);
    connect(noProfile, &EmptyPanel::otherAccepted, this, &Workbench::openProfileRequested);
    profilePages_->addWidget(noProfile);
    profilePages_->addWidget(profile_);
}

void Workbench::connectWorkspace() {
    connect(&workspace_, &Workspace::projectReplaced, this, [this] {
        lastPlan_ = 0;
        clusterStale_ = profileStale_ = clusterReplaced_ = profileReplaced_ = true;
        rebuildPlanTabs();
        // Plans are what one opens a project for.
        if (workspace_.plans().empty())
            showCluster();
        else
            showPlan(workspace_.plans().front().id);
        bringUpToDate();
    });
    connect(&workspace_, &Workspace::problemChanged, this, [this](unsigned parts) {
        clusterStale_ = clusterStale_ || (parts & drawingPart);
        profileStale_ = profileStale_ || (parts & profilePart);
        bringUpToDate();
    });
    connect(&workspace_, &Workspace::planSucceeded, this, &Workbench::replacePlan);
    connect(&workspace_, &Workspace::plansChanged, this, &Workbench::rebuildPlanTabs);
    connect(&workspace_, &Workspace::runChanged, this, &Workbench::refreshRun);
}

void Workbench::connectPages() {
    connect(topology_, &TopologyView::clusterEdited, &workspace_, &Workspace::editCluster);
    connect(profile_, &ProfileView::profileEdited, &workspace_, &Workspace::editProfile);
    connect(topology_, &TopologyView::deviceHovered, this, &Workbench::pointAt);
    connect(topology_, &TopologyView::deviceSelected, this, &Workbench::pointAt);
    connect(compare_, &ComparePage::planActivated, this, &Workbench::showPlan);
    connect(compare_, &ComparePage::planAgainRequested, this, &Workbench::planAgainRequested);
    connect(compare_, &ComparePage::statusText, this, &Workbench::statusText);
    connect(&compare_->table(), &CompareView::planSelected, this, [this](int index) {
        if (index < 0 || index >= static_cast<int>(compared_.size())) return;
        lastPlan_ = compared_[static_cast<std::size_t>(index)];
        emit planShown(0);
    });
    connect(&compare_->table(), &CompareView::planningRequested, this, &Workbench::planningRequested);
    connect(pareto_, &ParetoPage::clusterRequested, this, &Workbench::showCluster);
    connect(pareto_, &ParetoPage::exportRequested, this, &Workbench::exportRequested);
    connect(pareto_, &ParetoPage::planOpened, this, [this](int id) { showPlan(id); });
    connect(training_, &TrainingPage::clusterRequested, this, &Workbench::showCluster);
    connect(training_, &TrainingPage::exportRequested, this, &Workbench::exportRequested);
}

void Workbench::pointAt(int device) {
    // The one under the pointer marks it itself. A device that was clicked stays marked in the charts, since
    // the pointer leaves the cluster on its way to their tabs.
    if (sender() != topology_) topology_->hoverDevice(device);
    for (const auto& [id, page] : planPages_)
        if (sender() != page) page->highlightDevice(device < 0 ? topology_->selectedDevice() : device);
}

// Tabs that are taken down must not be answered any more.
Workbench::~Workbench() { blockSignals(true); }

void Workbench::showCluster() {
    setCurrentWidget(clusterPages_);
    clusterPages_->setFocus();
}

QSize Workbench::minimumSizeHint() const {
    const QSize least = QTabWidget::minimumSizeHint();
    return least.boundedTo(mostLeastSize);
}

void Workbench::focusPage() {
    QWidget* page = currentWidget();
    if (currentPlan()) return page->setFocus();  // its chart may not be there yet
    while (auto* stack = qobject_cast<QStackedWidget*>(page)) page = stack->currentWidget();
    if (page->focusProxy() && page->focusProxy()->isVisible()) return page->setFocus();
    for (QWidget* stop = page->nextInFocusChain(); stop != page; stop = stop->nextInFocusChain())
        if (page->isAncestorOf(stop) && stop->isVisible() && stop->isEnabled() &&
            (stop->focusPolicy() & Qt::TabFocus))
            return stop->setFocus();
}

void Workbench::showProfile() { setCurrentWidget(profilePages_); }

void Workbench::showCompare() { setCurrentWidget(compare_); }

void Workbench::showStack() {
    showCompare();
    compare_->showCharts(true);
}

void Workbench::compareCharts(const std::vector<int>& ids) {
    showCompare();
    compare_->chartInOrder(ids);
}

void Workbench::compareTrials(std::shared_ptr<const CostModel> costs, const std::vector<Plan>& plans,
                              const QString& of) {
    showCompare();
    compare_->compareTrials(std::move(costs), plans, of);
    focusPage();
}

void Workbench::showPareto() { setCurrentWidget(pareto_); }

void Workbench::showTraining() { setCurrentWidget(training_); }

void Workbench::showPlan(int id, std::uint32_t block) {
    PlanPage* page = planPage(id);
    if (!page) return;
    setCurrentWidget(page);
    if (block != noBlock) {
        page->showPattern(false);
        page->view();
        page->takeFresh();  // at once: the block is to be selected in what the tab will show
        bringUpToDate();
        page->view().selectBlock(block);
    }
    page->setFocus();
}

int Workbench::currentPlan() const {
    for (const auto& [id, page] : planPages_)
        if (page == currentWidget()) return id;
    return 0;
}

PlanPage* Workbench::planPage(int id) const {
    const auto found = planPages_.find(id);
    return found == planPages_.end() ? nullptr : found->second;
}

PlanView* Workbench::planView(int id) const {
    PlanPage* page = planPage(id);
    return page ? &page->view() : nullptr;
}

const PlanItem* Workbench::planInView() const {
    if (const PlanItem* last = workspace_.plan(lastPlan_)) return last;
    return workspace_.plans().empty() ? nullptr : &workspace_.plans().front();
}

std::shared_ptr<const PlanRun> Workbench::runInView() const {
    const PlanItem* item = planInView();
    return item && item->run && item->run->ok() ? item->run : nullptr;
}

QString Workbench::currentKey() const {
    if (const int id = currentPlan()) return planKey + QString::number(workspace_.planIndex(id));
    if (currentWidget() == profilePages_) return QStringLiteral("profile");
    if (currentWidget() == pareto_) return QStringLiteral("pareto");
    if (currentWidget() == training_) return QStringLiteral("training");
    return currentWidget() == compare_ ? QStringLiteral("compare") : QStringLiteral("cluster");
}

void Workbench::showKey(const QString& key) {
    if (key == QLatin1String("profile")) return showProfile();
    if (key == QLatin1String("compare")) return showCompare();
    if (key == QLatin1String("pareto")) return showPareto();
    if (key == QLatin1String("training")) return showTraining();
    if (!key.startsWith(planKey)) return showCluster();
    const int index = key.mid(planKey.size()).toInt();
    if (index >= 0 && index < static_cast<int>(workspace_.plans().size()))
        showPlan(workspace_.plans()[static_cast<std::size_t>(index)].id);
}

std::vector<PlanViewState> Workbench::planStates() const {
    std::vector<PlanViewState> states;
    for (const PlanItem& item : workspace_.plans())
        if (item.isPlan()) states.push_back(planPages_.at(item.id)->viewState());
    return states;
}

void Workbench::setPlanStates(const std::vector<PlanViewState>& states) {
    const std::vector<PlanItem>& plans = workspace_.plans();
    for (std::size_t i = 0; i < std::min(states.size(), plans.size()); ++i)
        planPages_.at(plans[i].id)->setViewState(states[i]);
}

QVariantMap Workbench::compareState() const {
    const ComparePage::State state = compare_->state();
    QVariantList plans;
    for (const int id : state.plans)
        if (const int index = workspace_.planIndex(id); index >= 0) plans << index;
    return {{chartsKey, state.charts},
            {chartedKey, plans},
            {referenceKey, state.reference ? workspace_.planIndex(state.reference) : -1}};
}

void Workbench::setCompareState(const QVariantMap& state) {
    const std::vector<PlanItem>& plans = workspace_.plans();
    const auto idOf = [&plans](const QVariant& index) {
        bool number = false;
        const int at = index.toInt(&number);
        return number && at >= 0 && at < static_cast<int>(plans.size())
                   ? plans[static_cast<std::size_t>(at)].id
                   : 0;
    };
    ComparePage::State own;
    own.charts = state.value(chartsKey).toBool();
    for (const QVariant& index : state.value(chartedKey).toList())
        if (const int id = idOf(index)) own.plans.push_back(id);
    own.reference = idOf(state.value(referenceKey));
    compare_->setState(own);
}

void Workbench::replacePlan(int from, int to) {
    PlanPage* page = planPage(from);
    if (!page || page != currentWidget()) return;
    PlanPage* other = planPage(to);
    planPages_.erase(from);
    planPages_[to] = page;
    page->setPlan(to);
    lastPlan_ = to;
    succeeded_ = true;
    if (!other) return;
    removeTab(indexOf(other));
    other->deleteLater();
}

void Workbench::rebuildPlanTabs() {
    // Tabs of plans that stay are left alone, so that a chart keeps its place; new ones are before the
    // comparison.
    for (auto page = planPages_.begin(); page != planPages_.end();) {
        if (workspace_.plan(page->first)) {
            ++page;
            continue;
        }
        removeTab(indexOf(page->second));
        page->second->deleteLater();
        page = planPages_.erase(page);
    }
    int position = indexOf(profilePages_) + 1;
    for (const PlanItem& item : workspace_.plans()) {
        PlanPage*& page = planPages_[item.id];
        if (!page) {
            page = new PlanPage(workspace_, item.id);
            connect(page, &PlanPage::statusText, this, &Workbench::statusText);
            connect(page, &PlanPage::trialShown, this, &Workbench::trialShown);
            connect(page, &PlanPage::exportRequested, this, &Workbench::exportRequested);
            connect(page, &PlanPage::paretoRequested, this, &Workbench::showPareto);
            connect(page, &PlanPage::planAgainRequested, this, &Workbench::planAgainRequested);
            connect(page, &PlanPage::planAdded, this, [this](int id) { showPlan(id); });
            connect(page, &PlanPage::comparisonWanted, this, &Workbench::compareTrials);
            connect(page, &PlanPage::scheduleExperimentWanted, this, &Workbench::scheduleExperimentWanted);
            connect(page, &PlanPage::vpipeRequested, this, &Workbench::vpipeRequested);
            connect(page, &PlanPage::deviceHovered, this, &Workbench::pointAt);
            insertTab(position, page, {});
            page->highlightDevice(topology_->selectedDevice());
        } else if (indexOf(page) != position) {
            tabBar()->moveTab(indexOf(page), position);
        }
        ++position;
        refreshRun(item.id);
    }
    compareStale_ = true;
    bringUpToDate();
    if (std::exchange(succeeded_, false)) emit planShown(currentPlan());
}

void Workbench::refreshRun(int id) {
    const PlanItem* item = workspace_.plan(id);
    PlanPage* page = planPage(id);
    if (!item || !page) return;
    const int tab = indexOf(page);
    setTabText(tab, item->title().replace('&', QStringLiteral("&&")));
    const auto standing = item->run ? std::optional(standingOf(*item->run)) : std::nullopt;
    setTabIcon(tab, lineIcon(!standing || standing == Standing::fits ? QStringLiteral("plan")
                                                                     : standingIcon(*standing)));
    setTabToolTip(tab, item->run ? QString::fromStdString(standingSentence(*item->run)) : QString());
    compareStale_ = true;
    bringUpToDate();
}

void Workbench::bringUpToDate() {
    const Problem& problem = workspace_.problem();
    QWidget* shown = currentWidget();
    if (shown == clusterPages_) {
        if (clusterReplaced_)
            topology_->setCluster(problem.cluster);
        else if (clusterStale_)
            topology_->updateCluster(problem.cluster);
        clusterStale_ = clusterReplaced_ = false;
        showEmptyCluster();
        topology_->setRun(runInView());
    } else if (shown == profilePages_) {
        if (profileStale_) profile_->setProfile(problem.profile, profileReplaced_);
        profileStale_ = profileReplaced_ = false;
        profilePages_->setCurrentIndex(problem.profile.layers.empty() ? 0 : 1);
        // While its run is worked out again a plan stays in view, so that nothing flickers.
        const PlanItem* item = planInView();
        profile_->setPlan(item && item->isPlan() ? std::optional(item->plan) : std::nullopt);
    } else if (shown == compare_) {
        if (!compareStale_) return;
        compareStale_ = false;
        compared_.clear();
        std::vector<std::shared_ptr<const PlanRun>> runs;
        for (const PlanItem& item : workspace_.plans()) {
            if (!item.run) continue;
            compared_.push_back(item.id);
            runs.push_back(item.run);
        }
        compare_->setRuns(compared_, std::move(runs));
    } else if (shown == training_) {
        const PlanItem* item = planInView();
        training_->lookAt(item ? item->id : 0);
    } else if (const PlanItem* item = workspace_.plan(currentPlan())) {
        PlanPage* page = planPage(item->id);
        // While a plan is worked out again its old chart stays, so that nothing flickers.
        if (!item->run && !whyUnplannable(problem)) return;
        if (!page->isPrepared() || page->takeFresh())
            return QTimer::singleShot(0, this, &Workbench::bringUpToDate);
        const bool renamedOnly =
            item->run && page->run() && item->run->ok() && item->run->evaluation == page->run()->evaluation;
        if (page->run() != item->run && !renamedOnly) page->setRun(item->run);
    }
}

void Workbench::showEmptyCluster() {
    const Cluster& cluster = workspace_.problem().cluster;
    emptyCluster_->setVisible(cluster.devices.empty() && cluster.switches.empty() &&
                              !topology_->canvas()->placing());
}

void Workbench::addTrainButton() {
    // Many plans push the tab out of sight; the button stays.
    train_ = new QToolButton;
    train_->setObjectName(QStringLiteral("train"));
    train_->setText(tr("Train"));
    train_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    train_->setFocusPolicy(Qt::TabFocus);
    train_->setToolTip(tr("Train a small network through the plan in view"));
    setActionOfTip(*train_, "view.training");
    connect(train_, &QToolButton::clicked, this, &Workbench::showTraining);
    auto* corner = new QWidget;
    auto* row = new QHBoxLayout(corner);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(newTabList(*this));
    row->addWidget(train_);
    setCornerWidget(corner, Qt::TopRightCorner);
}

void Workbench::refreshIcons() {
    setTabIcon(indexOf(clusterPages_), lineIcon(QStringLiteral("cluster")));
    setTabIcon(indexOf(profilePages_), lineIcon(QStringLiteral("profile")));
    setTabIcon(indexOf(compare_), lineIcon(QStringLiteral("compare")));
    setTabIcon(indexOf(pareto_), lineIcon(QStringLiteral("pareto")));
    setTabIcon(indexOf(training_), lineIcon(QStringLiteral("training")));
    if (train_) train_->setIcon(lineIcon(QStringLiteral("training")));
}

void Workbench::changeEvent(QEvent* event) {
    QTabWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || !compare_) return;
    refreshIcons();
    for (const PlanItem& item : workspace_.plans()) refreshRun(item.id);
}

}  // namespace stagecraft::app
