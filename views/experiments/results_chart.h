#pragma once

#include "views/experiments/results_figure.h"
#include "views/figures/figure_canvas.h"

#include <QImage>

#include <functional>
#include <memory>

namespace stagecraft::views::experiments {

/// An experiment's results on the screen. Hover, or the arrow keys, describe a point; a click or Enter
/// picks its first cell, with Shift to see it beside.
class ResultsChart : public FigureCanvas {
    Q_OBJECT
public:
    explicit ResultsChart(QWidget* parent = nullptr);

    /// The part that is shown stays where grid and choice do.
    void setResults(std::shared_ptr<const Grid> grid, std::shared_ptr<const ResultsNumbers> numbers,
                    const ChartChoice& choice);
    /// Says why a cell has no plan.
    void setReasons(std::function<QString(std::size_t cell)> reasons) { reasons_ = std::move(reasons); }
    /// A ring around the point with that cell, if it is drawn.
    void select(std::optional<std::size_t> cell);

    const std::vector<ResultsSeries>& series() const { return series_; }
    const ResultsDrawing& drawing() const { return drawing_; }
    std::optional<ResultsPlace> placeOf(std::size_t cell) const;
    QPointF pointOf(const ResultsPlace& place) const;   ///< in pixels
    QString describe(const ResultsPlace& place) const;  ///< rich text
    std::optional<ResultsPlace> current() const { return current_; }
    std::optional<ResultsPlace> selected() const { return selected_; }
    /// In shares of the axes, from the lower left corner.
    const QRectF& shownPart() const { return part_; }
    void showPart(const QRectF& part);
    void fit() override;
    QSize sizeHint() const override { return {640, 360}; }
    QSize minimumSizeHint() const override { return {320, 200}; }

signals:
    void picked(std::size_t cell);
    void pickedBeside(std::size_t cell);
    /// Reached by a key or pressed.
    void chosen(std::size_t cell);
    void menuWanted(std::size_t cell, const QPoint& globalPosition);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    // A menu asks about what was reached with a key.
    void focusOutEvent(QFocusEvent*) override {}
    void redraw() override;
    void hoverAt(QPointF at, QPoint onScreen) override;
    void hoverEnded() override { setCurrent({}); }
    void click(QPointF at, Qt::KeyboardModifiers modifiers) override;
    void panBy(QPointF pixels) override;
    void zoomAt(QPointF at, double factor) override;
    QPointF keyPan() const override;
    bool step(QPoint by) override;
    bool pick(Qt::KeyboardModifiers modifiers) override;
    bool letGo() override;

private:
    void drawLayer();
    const QRectF& frameOf(std::size_t series) const;  ///< mm
    QRectF frameAt(const QPointF& position) const;    ///< pixels; the nearest panel's
    std::optional<ResultsPlace> nearest(const QPointF& position) const;
    void setCurrent(std::optional<ResultsPlace> place);
    void drawRing(QPainter& painter, const ResultsPlace& place, const QColor& colour) const;
    const ResultsPoint& at(const ResultsPlace& place) const {
        return series_[place.series].points[place.point];
    }

    std::shared_ptr<const Grid> grid_;
    std::shared_ptr<const ResultsNumbers> numbers_;
    ChartChoice choice_;
    std::function<QString(std::size_t)> reasons_;
    std::vector<ResultsSeries> series_;
    ResultsDrawing drawing_;
    QImage layer_;  ///< the drawing
    bool stale_ = true;
    QRectF part_ = QRectF(0, 0, 1, 1);
    std::optional<ResultsPlace> current_, selected_;
    std::optional<std::size_t> selectedCell_;
};

}  // namespace stagecraft::views::experiments
