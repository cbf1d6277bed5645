#pragma once

#include "views/timeline/time_axis.h"

#include <QColor>
#include <QImage>
#include <QRect>
#include <QString>

#include <algorithm>
#include <vector>

class QPainter;

namespace stagecraft::views::resources {

/// What painters of steps over time have in common: an image of the data, a column of device pixels at a
/// time, over a grid, below the scale's labels and the line of a limit.
class SeriesPainter {
protected:
    /// A value with a line of the grid, and its label; empty: none.
    struct Level {
        double value = 0;
        QString label;
    };

    /// How far the other lines go towards the surface while one is emphasised.
    static constexpr double lineFaintness = 0.75;

    /// Paints the grid and clears the image. @param ceiling the value at the upper edge
    /// @return whether there is a pixel to paint
    bool begin(QPainter& painter, const QRect& area, const TimeAxis& axis, double ceiling,
               const std::vector<Level>& levels);
    /// Paints the image, and sets the font of labels.
    void paintImage(QPainter& painter, const QRect& area) const;
    /// @param taken where no label may be: it is left out there
    void paintLabels(QPainter& painter, const QRect& area, const std::vector<Level>& levels,
                     const QRectF& taken) const;
    /// Where the labels end at their right.
    static double labelsRight(const QPainter& painter, const QRect& area, const std::vector<Level>& levels);
    /// A dashed line at the limit with its label at the right; beyond the ceiling the label alone.
    /// @return where the label is
    QRectF paintLimit(QPainter& painter, const QRect& area, double limit, const QColor& colour,
                      const QString& label) const;
    /// A place for a note of `size` beside a point: within `area`, not over `taken`; empty where there is
    /// none.
    static QRectF placeBeside(const QPointF& point, const QSizeF& size, const QRectF& area,
                              const QRectF& taken);
    /// `text` in a box that hides what is under it.
    static void paintNote(QPainter& painter, const QRectF& where, const QString& text, const QColor& colour);
    static double noteWidth(const QPainter& painter, const QString& text);
    static constexpr int noteHeight = 14;

    double yOf(double value, const QRect& area) const;  ///< on the widget
    /// Of the image. Here, as paintColumn(), since both are asked for each column of each series.
    int rowOf(double value) const {
        return std::clamp(rows_ - static_cast<int>(value / ceiling_ * rows_ + 0.5), 0, rows_);
    }
    int thickness() const { return thickness_; }  ///< of lines, in rows
    const QImage& image() const { return image_; }
    QRgb* columnAt(std::size_t x) { return pixels_ + x; }
    std::size_t stride() const { return stride_; }  ///< from a row of a column to the next
    /// Rows `from` to below `to`, which are in the image.
    void paintColumn(std::size_t x, int from, int to, QRgb colour) {
        QRgb* pixel = columnAt(x) + static_cast<std::size_t>(from) * stride_;
        for (int y = from; y < to; ++y, pixel += stride_) *pixel = colour;
    }

    /// `colour` moved by `part` of the way to another one, channel by channel.
    static QRgb towards(QRgb colour, QRgb other, double part);

private:
    QImage image_;
    QRgb* pixels_ = nullptr;
    std::size_t stride_ = 0;
    int rows_ = 0;  ///< of the image
    int thickness_ = 1;
    double ceiling_ = 1;
};

}  // namespace stagecraft::views::resources
