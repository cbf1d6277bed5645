#include "views/plan/plan_charts.h"

#include "views/common/theme.h"
#include "views/plan/resource_charts.h"
#include "views/timeline/gantt_chart.h"
#include "views/timeline/legend.h"

#include <QPainter>

#include <algorithm>

namespace stagecraft::views::plan {

namespace {
// The part of the height that the timeline may take.
constexpr double leastGanttPart = 0.3;
constexpr double mostGanttPart = 0.7;
}  // namespace

PlanCharts::PlanCharts(QWidget* parent)
    : QSplitter(Qt::Vertical, parent), gantt_(new GanttChart), resources_(new ResourceCharts) {
    setChildrenCollapsible(false);
    gantt_->showShares();
    addWidget(gantt_);
    addWidget(resources_);
    connect(this, &QSplitter::splitterMoved, this, [this] { heightChosen_ = true; });
    connect(gantt_, &GanttChart::layoutChanged, this, &PlanCharts::align);
}

std::vector<TimePlot*> PlanCharts::plots() {
    std::vector<TimePlot*> all = resources_->plots();
    all.insert(all.begin(), &gantt_->plot());
    return all;
}

void PlanCharts::setRange(double t0, double t1) {
    gantt_->setRange(t0, t1);
    resources_->setRange(t0, t1);
}

void PlanCharts::setCursorTime(std::optional<double> timeS) {
    gantt_->plot().setCursorTime(timeS);
    resources_->setCursorTime(timeS);
}

void PlanCharts::align() {
    const int width = gantt_->preferredLabelWidth();
    gantt_->setLabelWidth(width);
    resources_->setLabelWidth(width);
    resources_->setRightMargin(gantt_->rightMargin());
    emit aligned();
}

void PlanCharts::shareHeight() {
    if (heightChosen_) return;
    const int wanted = std::clamp(gantt_->preferredHeight(), static_cast<int>(leastGanttPart * height()),
                                  static_cast<int>(mostGanttPart * height()));
    setSizes({wanted, height() - wanted});
}

QImage PlanCharts::picture(double scale, Legend* legend) {
    QImage image(QSize(width(), height() + (legend ? legend->height() : 0)) * scale, QImage::Format_RGB32);
    image.fill(Theme::current().surface);
    QPainter painter(&image);
    painter.scale(scale, scale);
    render(&painter, QPoint(), QRegion(), QWidget::DrawChildren);
    if (legend) legend->render(&painter, QPoint(0, height()), QRegion(), QWidget::DrawChildren);
    // The plots keep their drawing in screen resolution; here they are drawn afresh.
    for (TimePlot* plot : {&gantt_->plot(), &resources_->chosenPlot()}) {
        const QPoint corner = plot->mapTo(this, QPoint());
        painter.drawImage(QRectF(corner, QSizeF(plot->size())), plot->picture(scale));
    }
    return image;
}

}  // namespace stagecraft::views::plan
