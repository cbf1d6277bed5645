#pragma once

#include "views/common/canvas.h"
#include "views/interconnect/bandwidth_scale.h"
#include "views/interconnect/interconnect_job.h"

#include <QImage>

namespace stagecraft::views::interconnect {

/// The matrix of device-to-device bandwidths as a heat map. A double click shows all; a click keeps a pair,
/// arrows move it, Escape lets it go.
class BandwidthMap : public Canvas {
    Q_OBJECT
public:
    explicit BandwidthMap(QWidget* parent = nullptr);

    /// @param order device indices, from the first row to the last; each device once
    void setData(std::shared_ptr<const InterconnectData> known, std::vector<int> order);
    void setOrder(std::vector<int> order);
    const std::vector<int>& order() const { return order_; }
    const BandwidthScale& scale() const { return scale_; }

    /// Two devices, or none (-1, -1).
    struct Pair {
        int a = -1;
        int b = -1;
        bool operator==(const Pair&) const = default;
        explicit operator bool() const { return a >= 0; }
    };
    Pair pair() const;  ///< the one under the pointer, else the one that is kept
    Pair pairAt(QPointF position) const;
    QRectF cellRect(int row, int column) const;  ///< in pixels, by place in the order
    /// "s0g0 – s1g3: 12.5 GB/s", with links and latency; empty for none.
    QString describe(Pair pair) const;
    void fit() override;

    QSize sizeHint() const override { return {300, 300}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return width - static_cast<int>(gutter()); }

signals:
    void pairChanged(int a, int b);  ///< -1, -1: none

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void lookChanged() override;
    void hoverAt(QPointF at, QPoint onScreen) override;
    void hoverEnded() override { setHover({}); }
    void click(QPointF at, Qt::KeyboardModifiers modifiers) override;
    void panBy(QPointF pixels) override;
    void zoomAt(QPointF at, double factor) override;
    QPointF middle() const override { return area().center(); }
    bool step(QPoint by) override;
    bool letGo() override;

private:
    int count() const { return static_cast<int>(order_.size()); }
    const Device& deviceAt(int place) const;
    int placeOf(int device) const;
    QRectF area() const;
    double gutter() const;
    double cell() const { return area().width() / shown_; }
    void makeImage();
    void keepInside();
    void setHover(Pair pair);
    void setKept(Pair pair);
    void moveKept(int rows, int columns);
    void paintLabels(QPainter& painter);
    void paintGroups(QPainter& painter);
    void paintNumbers(QPainter& painter);
    void paintPair(QPainter& painter, Pair pair, const QColor& colour);

    std::shared_ptr<const InterconnectData> data_;
    std::vector<int> order_;
    BandwidthScale scale_;
    QImage image_;      ///< one pixel per cell
    double shown_ = 1;  ///< cells across; all of them unless zoomed
    QPointF origin_;    ///< the first cell shown, in cells
    Pair hover_, kept_;
};

/// The colours of a scale with their bandwidths.
class BandwidthLegend : public QWidget {
    Q_OBJECT
public:
    explicit BandwidthLegend(QWidget* parent = nullptr);
    void setScale(const BandwidthScale& scale);
    QSize sizeHint() const override { return {240, 34}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    BandwidthScale scale_;
};

}  // namespace stagecraft::views::interconnect
