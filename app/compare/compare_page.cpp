#include "app/compare/compare_page.h"

#include "app/panels/age_bar.h"
#include "views/common/action_tip.h"
#include "views/common/switch_button.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app {

namespace {
constexpr std::size_t chartedAtFirst = 3;
}

ComparePage::ComparePage(const Workspace& workspace, QWidget* parent)
    : QWidget(parent), table_(new CompareView), stack_(new StackView), pages_(new QStackedWidget) {
    auto* bar = new QWidget;
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
    row->addWidget(tableButton_);
    row->addWidget(chartsButton_);
    row->addStretch();
    row->addWidget(newPlayButton());
    pages_->addWidget(table_);
    pages_->addWidget(stack_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar);
    auto* age = new AgeBar(workspace, 0);
    connect(age, &AgeBar::planAgainRequested, this, &ComparePage::planAgainRequested);
    column->addWidget(age);
    column->addWidget(pages_, 1);
    connect(chartsButton_, &QToolButton::toggled, this, [this](bool on) {
        if (on) chooseRows();
        pages_->setCurrentWidget(on ? static_cast<QWidget*>(stack_) : table_);
        if (on) stack_->setFocus();
    });
    connect(table_, &CompareView::planActivated, this, [this](int index) {
        if (index >= 0 && index < static_cast<int>(ids_.size()))
            emit planActivated(ids_[static_cast<std::size_t>(index)], noBlock);
    });
    connect(table_, &CompareView::triedActivated, this, [this](int index, int row) {
        if (index >= 0 && index < static_cast<int>(ids_.size()))
            emit triedActivated(ids_[static_cast<std::size_t>(index)], row);
    });
    connect(stack_, &StackView::planActivated, this, &ComparePage::planActivated);
    connect(stack_, &StackView::statusText, this, &ComparePage::statusText);
    connect(table_, &CompareView::referenceChosen, this, &ComparePage::setReference);
    connect(stack_, &StackView::referenceChosen, this, &ComparePage::setReference);
}

QToolButton* ComparePage::newPlayButton() {
    auto* play = new QToolButton;
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

void ComparePage::setRuns(const std::vector<int>& ids, PlanRuns runs) {
    ids_ = ids;
    runs_ = std::move(runs);
    table_->setRuns(runs_, ids_);
    std::vector<StackPlan> plans;
    for (const int index : table_->plansInOrder())
        if (const auto& run = runs_[static_cast<std::size_t>(index)]; run->ok())
            plans.push_back({ids_[static_cast<std::size_t>(index)], run});
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

}  // namespace stagecraft::app
