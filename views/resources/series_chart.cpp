#include "views/resources/series_chart.h"

#include <QEvent>
#include <QPainter>
#include <QScrollArea>

#include <algorithm>

namespace stagecraft::views::resources {

SeriesChart::SeriesChart(QWidget* parent)
    : QWidget(parent),
      plot_(new TimePlot(
          TimePlot::Side::bottom,
          [this](QPainter& painter, const QRect& area, const TimeAxis& axis) {
              if (hasSeries()) paintSeries(painter, area, axis);
          },
          this)),
      scrollArea_(new QScrollArea(this)) {
    setMinimumHeight(90);
    scrollArea_->setFrameShape(QFrame::NoFrame);
    scrollArea_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scrollArea_->setWidgetResizable(true);
    scrollArea_->setFocusPolicy(Qt::NoFocus);
    connect(plot_, &TimePlot::pointerMoved, this, [this](QPointF at) {
        if (hasSeries() && QRectF(plot_->area()).contains(at)) emit cursorMoved(plot_->axis().toTime(at.x()));
    });
    connect(plot_, &TimePlot::pointerLeft, this, &SeriesChart::cursorLeft);
    connect(plot_, &TimePlot::clicked, this, [this](QPointF at) {
        if (hasSeries() && QRectF(plot_->area()).contains(at)) clickAt(at);
    });
}

void SeriesChart::setList(SeriesList* list) {
    list_ = list;
    scrollArea_->setWidget(list);
    connect(list_, &SeriesList::picked, this, [this](int series) { pickSeries(series); });
    connect(list_, &SeriesList::hovered, this, [this](int series) { hoverSeries(series); });
}

void SeriesChart::setCursorTime(std::optional<double> timeS) {
    list_->setInstant(timeS);
    plot_->setCursorTime(timeS);
}

void SeriesChart::setLabelWidth(int pixels) {
    labelWidth_ = pixels;
    placeAll();
}

void SeriesChart::setListTop(int pixels) {
    listTop_ = pixels;
    placeAll();
}

void SeriesChart::refresh() {
    list_->setMinimumHeight(list_->sizeHint().height());
    list_->update();
    plot_->replot();
}

void SeriesChart::placeAll() {
    scrollArea_->setGeometry(0, listTop_, labelWidth_, height() - listTop_);
    plot_->setGeometry(labelWidth_, 0, std::max(1, width() - labelWidth_), height());
}

void SeriesChart::resizeEvent(QResizeEvent*) { placeAll(); }

void SeriesChart::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && list_) refresh();
}

}  // namespace stagecraft::views::resources
