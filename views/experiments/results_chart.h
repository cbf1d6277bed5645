#pragma once

#include "views/experiments/results_figure.h"

#include <QWidget>

#include <memory>

namespace stagecraft {

/// An experiment's results on the screen. Hover, or the arrow keys, tell about a point; a click or Enter
/// picks its first cell.
class ResultsChart : public QWidget {
    Q_OBJECT
public:
    explicit ResultsChart(QWidget* parent = nullptr);

    /// @param grid outlives this or the next call
    void setResults(std::shared_ptr<const Grid> grid, const std::vector<CellResult>& cells,
                    const ChartChoice& choice);
    const std::vector<ResultsSeries>& series() const { return series_; }
    QPointF pointOf(const ResultsPlace& place) const;   ///< in pixels
    QString describe(const ResultsPlace& place) const;  ///< rich text
    QSize sizeHint() const override { return {640, 360}; }
    QSize minimumSizeHint() const override { return {320, 200}; }

signals:
    void picked(std::size_t cell);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void redraw();
    std::optional<ResultsPlace> nearest(const QPointF& position) const;
    void setCurrent(std::optional<ResultsPlace> place);
    const ResultsPoint& at(const ResultsPlace& place) const {
        return series_[place.series].points[place.point];
    }

    std::shared_ptr<const Grid> grid_;
    ChartChoice choice_;
    std::vector<ResultsSeries> series_;
    ResultsDrawing drawing_;
    std::optional<ResultsPlace> current_;
};

}  // namespace stagecraft
