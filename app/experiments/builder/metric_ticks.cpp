#include "app/experiments/builder/metric_ticks.h"

#include "core/experiments/cell_result.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>

namespace stagecraft::app::experiments {

namespace {

constexpr int tickColumns = 2;
constexpr int usual = 8;  // shown before one asks for more

}  // namespace

MetricTicks::MetricTicks(QWidget* parent) : QWidget(parent) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(4);
    auto* title = new QLabel(tr("Metrics that charts offer first"));
    title->setProperty("role", "heading");
    more_ = new QPushButton;
    more_->setObjectName(QStringLiteral("moreMetrics"));
    more_->setProperty("quiet", true);
    more_->setCheckable(true);
    connect(more_, &QPushButton::toggled, this, &MetricTicks::showTicks);
    auto* head = new QHBoxLayout;
    head->addWidget(title);
    head->addWidget(more_);
    head->addStretch();
    grid->addLayout(head, 0, 0, 1, tickColumns);
    for (const MetricDescription& metric : metricDescriptions()) {
        auto* tick = new QCheckBox(QString::fromStdString(metric.title));
        tick->setObjectName(QStringLiteral("metric:") + QString::fromStdString(metric.name));
        tick->setToolTip(QString::fromStdString(metric.description));
        connect(tick, &QCheckBox::toggled, this, [this, name = metric.name](bool on) {
            std::vector<std::string> chosen = chosen_;
            std::erase(chosen, name);
            if (on) chosen.push_back(name);
            emit edited(chosen);
        });
        const int place = static_cast<int>(ticks_.size());
        grid->addWidget(tick, 1 + place / tickColumns, place % tickColumns);
        ticks_.emplace_back(metric.name, tick);
    }
    for (int column = 0; column < tickColumns; ++column) grid->setColumnStretch(column, 1);
    showTicks();
}

void MetricTicks::setMetrics(const std::vector<std::string>& chosen) {
    chosen_ = chosen;
    showTicks();
}

void MetricTicks::showTicks() {
    int place = 0;
    for (const auto& [name, tick] : ticks_) {
        const QSignalBlocker blocker(tick);
        tick->setChecked(std::find(chosen_.begin(), chosen_.end(), name) != chosen_.end());
        tick->setVisible(place++ < usual || tick->isChecked() || more_->isChecked());
    }
    more_->setText(more_->isChecked() ? tr("Fewer") : tr("More"));
}

}  // namespace stagecraft::app::experiments
