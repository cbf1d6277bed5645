#include "app/compare/compare_page.h"

#include "app/pages/plan_figures.h"
#include "app/panels/age_bar.h"
#include "views/common/text.h"
#include "views/common/widgets.h"

#include <QButtonGroup>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app::compare {

namespace {
constexpr std::size_t chartedAtFirst = 3;
}

ComparePage::ComparePage(Workspace& workspace, QWidget* parent)
    : Page({QStringLiteral("compare"), "compare", tr("Compare"), tr("C&ompare plans"), 3}, parent),
      workspace_(workspace),
      trials_(new TrialPlans(workspace, this)),
      pages_(new QStackedWidget(this)),
      table_(new CompareView(pages_)),
      stack_(new StackView(pages_)) {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(4);
    auto* group = new QButtonGroup(this);
    tableButton_ =
        newSwitchButton(group, QStringLiteral("showTable"), tr("Table"), tr("A row for each plan"));
    chartsButton_ = newSwitchButton(
        group, QStringLiteral("showCharts"), tr("Charts"),
        tr("Up to six plans one above the other on one time axis: those whose rows are selected, with Ctrl "
           "or Shift"));
    tableButton_->setChecked(true);
    setFocusProxy(table_);
    row->addWidget(tableButton_);
    row->addWidget(chartsButton_);
    row->addStretch();
    playButton_ = newPlayButton(bar);
    row->addWidget(playButton_);
    pages_->addWidget(table_);
    pages_->addWidget(stack_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar);
    auto* age = new AgeBar(workspace, 0, this);
    connect(age, &AgeBar::planAgainRequested, this, &ComparePage::planAgainRequested);
    column->addWidget(age);
    column->addWidget(newTrialBar());
    column->addWidget(pages_, 1);
    connect(chartsButton_, &QToolButton::toggled, this, [this](bool on) {
        if (on) chooseRows();
        pages_->setCurrentWidget(on ? static_cast<QWidget*>(stack_) : table_);
        setFocusProxy(pages_->currentWidget());
        if (on) stack_->setFocus();
    });
    connectViews();
}

void ComparePage::connectViews() {
    connect(table_, &CompareView::planActivated, this, [this](int index) {
        if (index >= 0 && index < static_cast<int>(ids_.size()))
            activate(ids_[static_cast<std::size_t>(index)], noBlock);
    });
    connect(table_, &CompareView::triedActivated, this, [this](int index, int schedule) {
        if (index >= 0 && index < static_cast<int>(ids_.size()))
            emit triedActivated(ids_[static_cast<std::size_t>(index)], schedule);
    });
    connect(table_, &CompareView::planSelected, this, [this](int index) {
        if (index >= 0 && index < static_cast<int>(ownIds_.size()))
            emit planSelected(ownIds_[static_cast<std::size_t>(index)]);
    });
    connect(stack_, &StackView::planActivated, this, &ComparePage::activate);
    connect(trials_, &TrialPlans::changed, this, &ComparePage::showRuns);
    connect(table_, &CompareView::keepRequested, this, &ComparePage::keepTrials);
    connect(stack_, &StackView::statusText, this, &ComparePage::statusText);
    connect(table_, &CompareView::referenceChosen, this, &ComparePage::setReference);
    connect(stack_, &StackView::referenceChosen, this, &ComparePage::setReference);
}

QToolButton* ComparePage::newPlayButton(QWidget* bar) {
    auto* play = new QToolButton(bar);
    play->setObjectName(QStringLiteral("playTogether"));
    play->setText(tr("Play together"));
    play->setToolTip(
        tr("Play up to four plans on one time axis: those whose rows are selected, or whose charts "
           "are shown; else the first"));
    setActionOfTip(*play, "plan.playTogether");
    play->setAutoRaise(true);
    connect(play, &QToolButton::clicked, this, &ComparePage::playTogetherRequested);
    return play;
}

std::vector<int> ComparePage::selectedPlans() const {
    if (chartsShown()) return stack_->chosen();
    std::vector<int> ids;
    for (const int index : table_->selectedPlans()) ids.push_back(ids_[static_cast<std::size_t>(index)]);
    return ids;
}

QWidget* ComparePage::newTrialBar() {
    trialBar_ = new QFrame(this);
    trialBar_->setObjectName(QStringLiteral("trialBar"));
    trialBar_->setAutoFillBackground(true);
    trialBar_->setBackgroundRole(QPalette::AlternateBase);
    auto* row = new QHBoxLayout(trialBar_);
    row->setContentsMargins(16, 6, 8, 6);
    row->setSpacing(8);
    trialText_ = new QLabel(trialBar_);
    trialText_->setWordWrap(true);
    trialText_->setMinimumWidth(0);
    trialText_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(trialText_, 1);
    const auto add = [&](const QString& text, const char* name, const QString& tip, auto act) {
        auto* button = new QPushButton(text, trialBar_);
        button->setObjectName(QLatin1String(name));
        button->setToolTip(tip);
        connect(button, &QPushButton::clicked, this, act);
        row->addWidget(button);
    };
    add(tr("Keep selected"), "keepSelected", tr("Makes the selected ones plans of the project"),
        [this] { keepTrials(selectedPlans()); });
    add(tr("Keep all"), "keepAll", tr("Makes all of them plans of the project"), [this] {
        std::vector<int> all;
        for (const TrialPlans::Item& item : trials_->items()) all.push_back(item.id);
        keepTrials(all);
    });
    add(tr("Done"), "discardTrials", tr("Ends the comparison; the project stays as it is"),
        [this] { trials_->discard(); });
    showTrialBar();
    return trialBar_;
}

void ComparePage::showTrialBar() {
    const auto count = static_cast<long long>(trials_->items().size());
    trialText_->setText(trials_->isWorking()
                            ? tr("Comparing %1: %2 simulated so far").arg(trialsOf_).arg(count)
                            : tr("Comparing %1: %2 in italics that the project does not have")
                                  .arg(trialsOf_, countedText(count, "plan")));
    trialBar_->setVisible(count > 0 || trials_->isWorking());
}

void ComparePage::compareTrials(std::shared_ptr<const CostModel> costs, std::vector<Plan> plans,
                                const QString& of) {
    trialsOf_ = of;
    trials_->simulate(std::move(costs), std::move(plans));
    showCharts(false);
    showTrialBar();
}

void ComparePage::keepTrials(const std::vector<int>& ids) {
    if (const auto kept = trials_->keep(ids); !kept.empty())
        emit statusText(tr("%1 kept in the project; Undo takes that back")
                            .arg(countedText(static_cast<long long>(kept.size()), "plan")));
}

/// A plan that is to be looked at has to be one of the project.
void ComparePage::activate(int id, quint32 block) {
    if (!TrialPlans::isTrial(id)) return emit planActivated(id, block);
    const std::vector<int> kept = trials_->keep({id});
    if (!kept.empty()) emit planActivated(kept.front(), block);
}

void ComparePage::bringUpToDate(const PlanItem*) {
    if (!std::exchange(stale_, false)) return;
    ownIds_.clear();
    for (const PlanItem& item : workspace_.plans())
        if (item.run) ownIds_.push_back(item.id);
    ownRuns_ = runsOf(workspace_);
    showRuns();
}

std::vector<FigureSource> ComparePage::figures(const PlanItem*) const {
    std::vector<FigureSource> sources = {comparisonSource(runsOf(workspace_))};
    if (FigureSource panels = panelsOf(workspace_, stack_->chosen()); !panels.plans.isEmpty())
        sources.insert(chartsShown() ? sources.begin() : sources.end(), std::move(panels));
    return sources;
}

bool ComparePage::hasFigures() const { return !workspace_.plans().empty(); }

std::optional<FigurePart> ComparePage::partInView() const {
    FigurePart part;
    if (const auto range = stack_->visibleRange(); range.first < range.second) part.timeS = range;
    return part;
}

void ComparePage::showRuns() {
    ids_ = ownIds_;
    runs_ = ownRuns_;
    for (const TrialPlans::Item& item : trials_->items()) {
        ids_.push_back(item.id);
        runs_.push_back(item.run);
    }
    showTrialBar();
    table_->setRuns(runs_, ids_);
    std::vector<StackPlan> plans;
    for (const int index : table_->plansInOrder())
        if (const auto& run = runs_[static_cast<std::size_t>(index)]; run->ok())
            plans.push_back({ids_[static_cast<std::size_t>(index)], run});
    playButton_->setEnabled(!plans.empty());
    stack_->setPlans(std::move(plans));
    if (chartsShown() && stack_->chosen().empty()) chooseRows();
}

bool ComparePage::chartsShown() const { return pages_->currentWidget() == stack_; }

void ComparePage::showCharts(bool on) {
    if (on && chartsShown()) return chooseRows();
    (on ? chartsButton_ : tableButton_)->setChecked(true);
}

ComparePage::State ComparePage::state() const {
    return {chartsShown(), stack_->wanted(), table_->reference()};
}

void ComparePage::setReference(int id) {
    table_->setReference(id);
    stack_->setReference(id);
}

void ComparePage::setState(const State& state) {
    restored_ = !state.plans.empty();
    stack_->choose(state.plans);
    setReference(state.reference);
    (state.charts ? chartsButton_ : tableButton_)->setChecked(true);
}

void ComparePage::chartInOrder(const std::vector<int>& ids) {
    setState({true, ids, table_->reference()});
    stack_->choose(ids, StackView::Order::asChosen);
}

void ComparePage::chooseRows() {
    std::vector<int> indices = table_->selectedPlans();
    if (indices.size() < 2) {
        if (stack_->chosen().size() > 1 || restored_) return;
        indices = table_->plansInOrder();
        const auto works = [this](int index) { return runs_[static_cast<std::size_t>(index)]->ok(); };
        indices.erase(std::stable_partition(indices.begin(), indices.end(), works), indices.end());
        indices.resize(std::min(indices.size(), chartedAtFirst));
    }
    restored_ = false;
    std::vector<int> ids;
    for (const int index : indices) ids.push_back(ids_[static_cast<std::size_t>(index)]);
    stack_->choose(ids);
}

}  // namespace stagecraft::app::compare
