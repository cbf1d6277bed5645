#include "views/plan/charts_frame.h"

#include "views/plan/plan_charts.h"
#include "views/plan/plan_navigator.h"
#include "views/plan/trial_mark.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/overview_strip.h"

#include <QScrollBar>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <cmath>

namespace stagecraft::views::plan {

namespace {
constexpr double barUnits = 1'000'000;  // of the scroll bar, for the whole run
constexpr double arrowPart = 0.15;      // of what is visible: a click on an arrow, as the keys for panning
}  // namespace

ChartsFrame::ChartsFrame(PlanCharts& charts, PlanNavigator& navigator, QWidget* parent)
    : QWidget(parent),
      charts_(charts),
      navigator_(navigator),
      overview_(new OverviewStrip(this)),
      trial_(new TrialMark(this)),
      bar_(new QScrollBar(Qt::Horizontal, this)) {
    bar_->setObjectName(QStringLiteral("timeBar"));
    QSizePolicy place = bar_->sizePolicy();
    place.setRetainSizeWhenHidden(true);  // the charts do not jump when one zooms
    bar_->setSizePolicy(place);
    bar_->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(overview_);
    column->addWidget(&charts_, 1);
    column->addWidget(bar_);
    connect(overview_, &OverviewStrip::rangeRequested, &navigator_, &PlanNavigator::setVisibleRange);
    connect(overview_, &OverviewStrip::allRequested, &navigator_, &PlanNavigator::fitAll);
    connect(bar_, &QScrollBar::valueChanged, this, [this](int value) {
        const auto [wholeFrom, wholeTo] = navigator_.wholeRange();
        const auto [from, to] = navigator_.visibleRange();
        const double moved = wholeFrom + value / barUnits * (wholeTo - wholeFrom);
        navigator_.setVisibleRange(moved, moved + to - from);
    });
    connect(&navigator_, &PlanNavigator::rangeShown, this, &ChartsFrame::showRange);
    connect(&charts_, &PlanCharts::aligned, this, &ChartsFrame::align);
    connect(&charts_.gantt(), &GanttChart::coloured, this, &ChartsFrame::colour);
}

void ChartsFrame::setData(std::shared_ptr<const ChartData> prepared) {
    data_ = std::move(prepared);
    colour();
    showRange();
}

void ChartsFrame::markTrial(bool on) {
    trial_->setVisible(on);
    if (on) trial_->raise();
}

void ChartsFrame::colour() { overview_->setBlocks(data_, charts_.gantt().scene().coloured); }

void ChartsFrame::align() {
    const GanttChart& gantt = charts_.gantt();
    overview_->setMargins(gantt.plot().x(), gantt.rightMargin());
    trial_->setCorner({gantt.plot().x(), overview_->minimumHeight()});
}

void ChartsFrame::showRange() {
    const auto whole = navigator_.wholeRange(), shown = navigator_.visibleRange();
    overview_->setRanges(whole, shown);
    const double perSecond = barUnits / (whole.second - whole.first);
    const int page = static_cast<int>(std::lround(perSecond * (shown.second - shown.first)));
    const QSignalBlocker quiet(bar_);  // rounding would move what is shown
    bar_->setRange(0, std::max(0, static_cast<int>(barUnits) - page));
    bar_->setPageStep(std::max(1, page));
    bar_->setSingleStep(std::max(1, static_cast<int>(arrowPart * page)));
    bar_->setValue(static_cast<int>(std::lround(perSecond * (shown.first - whole.first))));
    bar_->setVisible(data_ && page < barUnits);
}

}  // namespace stagecraft::views::plan
