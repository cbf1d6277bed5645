#include "views/gantt/memory_chart.h"

#include "views/common/theme.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>

namespace stagecraft {

MemoryChart::MemoryChart(QWidget* parent)
    : QWidget(parent),
      plot_(new TimePlot(
          TimePlot::Side::bottom,
          [this](QPainter& painter, const QRect& area, const TimeAxis& axis) {
              if (scene_.data) painter_.paint(painter, scene_, area, axis);
          },
          this)),
      scrollArea_(new QScrollArea(this)),
      list_(new MemoryList(&scene_)) {
    setMinimumHeight(90);
    scrollArea_->setFrameShape(QFrame::NoFrame);
    scrollArea_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scrollArea_->setWidgetResizable(true);
    scrollArea_->setFocusPolicy(Qt::NoFocus);
    scrollArea_->setWidget(list_);
    connect(list_, &MemoryList::picked, this, &MemoryChart::showSeries);
    connect(list_, &MemoryList::hovered, this, [this](int series) {
        if (scene_.emphasised == series) return;
        scene_.emphasised = series;
        list_->update();
        plot_->replot();
        emit deviceHovered(
            series < 0 ? -1 : scene_.data->memory[static_cast<std::size_t>(series)].devices.front());
    });
    connect(plot_, &TimePlot::pointerMoved, this, [this](QPointF at) {
        if (scene_.data && QRectF(plot_->area()).contains(at)) emit cursorMoved(plot_->axis().toTime(at.x()));
    });
    connect(plot_, &TimePlot::pointerLeft, this, &MemoryChart::cursorLeft);
}

void MemoryChart::setData(std::shared_ptr<const ChartData> chartData) {
    scene_ = {std::move(chartData), -1, -1, scene_.askedLimitBytes};
    list_->setInstant(std::nullopt);
    showSeries(-1);
}

void MemoryChart::setCursorTime(std::optional<double> timeS) {
    list_->setInstant(timeS);
    plot_->setCursorTime(timeS);
}

void MemoryChart::setAskedLimit(double bytes) {
    scene_.askedLimitBytes = bytes;
    plot_->replot();
}

void MemoryChart::setLabelWidth(int pixels) {
    labelWidth_ = pixels;
    placeAll();
}

void MemoryChart::showSeries(int series) {
    scene_.series = series;
    list_->setMinimumHeight(list_->sizeHint().height());
    list_->update();
    plot_->replot();
}

void MemoryChart::selectDevice(int device) {
    int found = -1;
    if (scene_.data)
        for (std::size_t i = 0; i < scene_.data->memory.size(); ++i) {
            const std::vector<int>& devices = scene_.data->memory[i].devices;
            if (std::find(devices.begin(), devices.end(), device) != devices.end())
                found = static_cast<int>(i);
        }
    showSeries(found);
}

int MemoryChart::selectedDevice() const {
    return scene_.series < 0 ? -1
                             : scene_.data->memory[static_cast<std::size_t>(scene_.series)].devices.front();
}

void MemoryChart::placeAll() {
    scrollArea_->setGeometry(0, 0, labelWidth_, height());
    plot_->setGeometry(labelWidth_, 0, std::max(1, width() - labelWidth_), height());
}

void MemoryChart::resizeEvent(QResizeEvent*) { placeAll(); }

void MemoryChart::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        list_->update();
        plot_->replot();
    }
}

}  // namespace stagecraft
