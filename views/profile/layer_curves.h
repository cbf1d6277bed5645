#pragma once

#include "views/profile/layer_chart.h"

namespace stagecraft::views::profile {

/// How much of the time, the parameters and the activations is in the layers up to each: three curves from
/// 0 to 100 %. Where they part, a cut that shares one of them out evenly does not share the others.
class LayerCurves : public LayerChart {
    Q_OBJECT
public:
    explicit LayerCurves(QWidget* parent = nullptr);
    QString describe(int layer) const override;

    /// The share of the time in the layers up to and with this one.
    double timeShare(int layer) const { return curves_[0].shares[static_cast<std::size_t>(layer)]; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void profileChanged() override;

private:
    struct Curve {
        QString name;
        QColor colour;
        Qt::PenStyle style;
        bool isTime = false;
        double total = 0;
        std::vector<double> shares = {};  ///< by layer
    };
    QRectF area() const;
    void paintLegend(QPainter& painter, const QRectF& area) const;
    void paintCurve(QPainter& painter, const Curve& curve, const QRectF& area) const;

    std::vector<Curve> curves_;
};

}  // namespace stagecraft::views::profile
