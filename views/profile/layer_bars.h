#pragma once

#include "views/profile/layer_chart.h"

#include <QColor>

namespace stagecraft::views::profile {

/// Three charts over the same layers: time (forward and backward stacked), parameters, activations (output
/// and stored). The stages of a plan are a ribbon above and lines through them.
class LayerBars : public LayerChart {
    Q_OBJECT
public:
    explicit LayerBars(QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Series {
        QString name;
        QColor colour;
        double Layer::*field;
    };
    struct Chart {
        QString title;
        std::vector<Series> series;
        bool stacked = false;  ///< else side by side
        bool isTime = false;
    };
    static const std::vector<Chart>& charts();

    QRectF chartArea(std::size_t chart) const;
    double tallest(const Chart& chart) const;
    void paintChart(QPainter& painter, std::size_t index);
    void paintBars(QPainter& painter, const Chart& chart, const QRectF& area, double top);
    void paintScale(QPainter& painter, const Chart& chart, const QRectF& area, double top);
    void paintTitle(QPainter& painter, const Chart& chart, const QRectF& area);
};

}  // namespace stagecraft::views::profile
