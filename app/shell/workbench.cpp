#include "app/shell/workbench.h"

#include "app/compare/compare_page.h"
#include "app/pages/cluster_page.h"
#include "app/pages/profile_page.h"
#include "app/pareto/frontier_page.h"
#include "app/pareto/pareto_page.h"
#include "app/plan/plan_page.h"
#include "app/recording/recording_page.h"
#include "app/training/training_page.h"
#include "views/common/standing_look.h"
#include "views/common/theme.h"
#include "views/common/widgets.h"
#include "views/topology/topology_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>

#include <algorithm>

namespace stagecraft::app::shell {
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
      cluster_(addPage<ClusterPage>()),
      profile_(addPage<ProfilePage>()),
      compare_(addPage<ComparePage>()),
      pareto_(addPage<ParetoPage>()),
      frontier_(addPage<FrontierPage>()),
      training_(addPage<TrainingPage>()),
      recording_(addPage<RecordingPage>()) {
    setObjectName(QStringLiteral("workbench"));
    setDocumentMode(true);
    addTrainButton();
    refreshIcons();
    showOffered();
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

template <class PageType>
PageType* Workbench::addPage() {
    // In the stack of the tabs from the first: a page that moves there is styled anew, with all that is on
    // it.
    auto* page = new PageType(workspace_, findChild<QStackedWidget*>());
    pages_.push_back(page);
    addTab(page, page->about().title);
    connectPage(*page);
    return page;
}

void Workbench::connectPage(Page& page) {
    connect(&page, &Page::stateChanged, this, &Workbench::showOffered);
    connect(&page, &Page::stateChanged, this, &Workbench::pageStateChanged);
    connect(&page, &Page::failed, this, &Workbench::failed);
    connect(&page, &Page::statusText, this, &Workbench::statusText);
    connect(&page, &Page::exportRequested, this, &Workbench::exportRequested);
    connect(&page, &Page::planAgainRequested, this, &Workbench::planAgainRequested);
    connect(&page, &Page::pageRequested, this, &Workbench::showKey);
    connect(&page, &Page::planRequested, this, [this](int id) { showPlan(id); });
    connect(&page, &Page::actionRequested, this, &Workbench::actionRequested);
    connect(&page, &Page::updateRequested, this,
            [this] { QTimer::singleShot(0, this, &Workbench::bringUpToDate); });
}

void Workbench::connectWorkspace() {
    connect(&workspace_, &Workspace::projectReplaced, this, [this] {
        lastPlan_ = 0;
        for (Page* page : pages_) page->projectReplaced();
        showOffered();
        addPlanTabs();
        // Plans are what one opens a project for. It is turned to before the tabs of the project before are
        // gone: without theirs one after the other would come into view.
        if (workspace_.plans().empty())
            showCluster();
        else
            showPlan(workspace_.plans().front().id);
        retireGonePlans();
        plansChanged();
    });
    connect(&workspace_, &Workspace::problemChanged, this, [this](unsigned parts) {
        for (Page* page : pages_) page->problemChanged(parts);
        bringUpToDate();
    });
    connect(&workspace_, &Workspace::planSucceeded, this, &Workbench::replacePlan);
    connect(&workspace_, &Workspace::plansChanged, this, &Workbench::rebuildPlanTabs);
    connect(&workspace_, &Workspace::runsChanged, this, &Workbench::refreshRuns);
    retiring_.setInterval(1);  // of no time, a turn of the event loop may have two
    connect(&retiring_, &QTimer::timeout, this, &Workbench::deleteRetired);
}

void Workbench::connectPages() {
    connect(cluster_->view(), &TopologyView::deviceHovered, this, &Workbench::pointAt);
    connect(cluster_->view(), &TopologyView::deviceSelected, this, &Workbench::pointAt);
    connect(compare_, &ComparePage::planActivated, this, &Workbench::showPlan);
    connect(compare_, &ComparePage::planSelected, this, [this](int id) {
        lastPlan_ = id;
        emit planShown(0);
    });
    connect(&compare_->table(), &CompareView::planningRequested, this, &Workbench::planningRequested);
}

void Workbench::pointAt(int device) {
    // The one under the pointer marks it itself. A device that was clicked stays marked in the charts, since
    // the pointer leaves the cluster on its way to their tabs.
    if (sender() != topology()) topology()->hoverDevice(device);
    for (const auto& [id, page] : planPages_)
        if (sender() != page) page->highlightDevice(device < 0 ? topology()->selectedDevice() : device);
}

// Tabs that are taken down must not be answered any more.
Workbench::~Workbench() { blockSignals(true); }

Page* Workbench::currentPage() const { return static_cast<Page*>(currentWidget()); }

void Workbench::showCluster() {
    setCurrentWidget(cluster_);
    cluster_->setFocus();
}

QSize Workbench::minimumSizeHint() const {
    const QSize least = QTabWidget::minimumSizeHint();
    return least.boundedTo(mostLeastSize);
}

void Workbench::focusPage() {
    if (currentPlan()) return currentPage()->setFocus();  // its chart may not be there yet
    QWidget* page = currentPage()->focusTarget();
    if (page->focusProxy() && page->focusProxy()->isVisible()) return page->setFocus();
    for (QWidget* stop = page->nextInFocusChain(); stop != page; stop = stop->nextInFocusChain())
        if (page->isAncestorOf(stop) && stop->isVisible() && stop->isEnabled() &&
            (stop->focusPolicy() & Qt::TabFocus))
            return stop->setFocus();
}

void Workbench::showProfile() { setCurrentWidget(profile_); }

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

void Workbench::showRecording() {
    showOffered();
    setCurrentWidget(recording_);
}

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

TopologyView* Workbench::topology() const { return cluster_->view(); }

ProfileView* Workbench::profile() const { return profile_->view(); }

QString Workbench::currentKey() const {
    if (const int id = currentPlan()) return planKey + QString::number(workspace_.planIndex(id));
    return currentPage()->about().key;
}

void Workbench::showKey(const QString& key) {
    const auto named = std::find_if(pages_.begin(), pages_.end(),
                                    [&key](const Page* page) { return page->about().key == key; });
    if (named != pages_.end() && *named != cluster_ && (*named)->isOffered()) return setCurrentWidget(*named);
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
    retireGonePlans();
    addPlanTabs();
    plansChanged();
    if (std::exchange(succeeded_, false)) emit planShown(currentPlan());
}

void Workbench::retireGonePlans() {
    for (auto page = planPages_.begin(); page != planPages_.end();) {
        if (workspace_.plan(page->first)) {
            ++page;
            continue;
        }
        retire(page->second);
        page = planPages_.erase(page);
    }
}

/// Tabs of plans that stay are left alone, so that a chart keeps its place; new ones are before the
/// comparison.
void Workbench::addPlanTabs() {
    int position = indexOf(profile_) + 1;
    for (const PlanItem& item : workspace_.plans()) {
        PlanPage*& page = planPages_[item.id];
        if (!page) {
            page = newPlanPage(item.id);
            insertTab(position, page, {});  // showTab() says what is on it
            page->highlightDevice(topology()->selectedDevice());
        } else if (indexOf(page) != position) {
            tabBar()->moveTab(indexOf(page), position);
        }
        ++position;
        showTab(item);
    }
}

/// Taking a page apart takes tens of milliseconds: one in each turn of the event loop, so that the window
/// answers in between.
void Workbench::retire(PlanPage* page) {
    removeTab(indexOf(page));
    page->retire();
    retired_.push_back(page);
    retiring_.start();
}

void Workbench::deleteRetired() {
    delete retired_.back();
    retired_.pop_back();
    if (retired_.empty()) retiring_.stop();
}

PlanPage* Workbench::newPlanPage(int id) {
    auto* page = new PlanPage(workspace_, id);
    connectPage(*page);
    connect(page, &PlanPage::trialShown, this, &Workbench::trialShown);
    connect(page, &PlanPage::comparisonWanted, this, &Workbench::compareTrials);
    connect(page, &PlanPage::scheduleExperimentWanted, this, &Workbench::scheduleExperimentWanted);
    connect(page, &PlanPage::deviceHovered, this, &Workbench::pointAt);
    return page;
}

void Workbench::refreshRuns(const std::vector<int>& ids) {
    bool shown = false;
    for (const int id : ids)
        if (const PlanItem* item = workspace_.plan(id); item && planPage(id)) {
            showTab(*item);
            shown = true;
        }
    if (shown) plansChanged();
}

void Workbench::showTab(const PlanItem& item) {
    const int tab = indexOf(planPage(item.id));
    // Another text has all tabs laid out anew.
    if (const QString text = item.title().replace('&', QStringLiteral("&&")); tabText(tab) != text)
        setTabText(tab, text);
    const auto standing = item.run ? std::optional(standingOf(*item.run)) : std::nullopt;
    setTabIcon(tab, lineIcon(!standing || standing == Standing::fits ? QStringLiteral("plan")
                                                                     : standingIcon(*standing)));
    setTabToolTip(tab, item.run ? QString::fromStdString(standingSentence(*item.run)) : QString());
}

void Workbench::plansChanged() {
    for (Page* page : pages_) page->plansChanged();
    bringUpToDate();
}

void Workbench::showOffered() {
    for (const Page* page : pages_)
        if (const int tab = indexOf(page); tab >= 0 && isTabVisible(tab) != page->isOffered())
            setTabVisible(tab, page->isOffered());
}

void Workbench::bringUpToDate() {
    if (Page* page = currentPage()) page->bringUpToDate(planInView());
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
    for (const Page* page : pages_) setTabIcon(indexOf(page), lineIcon(QLatin1String(page->about().icon)));
    if (train_) train_->setIcon(lineIcon(QStringLiteral("training")));
}

void Workbench::changeEvent(QEvent* event) {
    QTabWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || pages_.empty()) return;
    refreshIcons();
    for (const PlanItem& item : workspace_.plans()) showTab(item);
}

}  // namespace stagecraft::app::shell
