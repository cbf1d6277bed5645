#pragma once

#include "views/common/job.h"
#include "views/figures/figure.h"

#include <QImage>
#include <QLineF>
#include <QScrollArea>

#include <functional>
#include <memory>
#include <optional>

namespace stagecraft::views::figures {

/// A figure as it will be printed: drawn from the display list that the writers get, 100 % being its size on
/// paper. Drawing happens on another thread; meanwhile the last picture stays, and newer wishes
/// replace older ones.
class FigurePreview : public QScrollArea {
    Q_OBJECT
public:
    using Draw = std::function<Figure()>;

    explicit FigurePreview(QWidget* parent = nullptr);

    /// Draws anew. `draw` may throw std::exception; its words are shown then. It must be safe on another
    /// thread.
    void setDrawing(Draw draw);
    /// What was drawn last; null before the first, and while the last could not be drawn.
    const std::shared_ptr<const Figure>& figure() const { return figure_; }
    bool isBusy() const { return drawing_.isRunning(); }

    double zoom() const { return zoom_; }  ///< 1: as large as in print
    double pixelsPerMm() const;            ///< of the screen, in its own units, as large as in print
    bool fits() const { return fits_; }
    /// @param at what stays where it is, in pixels of the viewport
    void setZoom(double zoom, QPointF at);
    void setZoom(double zoom);
    /// Paints the figure as it is seen so; figure() stays as it is.
    void setVision(Vision vision);
    /// As large as the window allows, from now on.
    void fit();

    /// The mouse is about to place something.
    void setPlacing(bool on);
    /// A line over the figure while something is dragged, millimetres of the page; nothing: none.
    void setRubber(std::optional<QLineF> line);

signals:
    /// The left button, in millimetres of the page.
    void pagePressed(QPointF mm);
    void pageDragged(QPointF mm);
    void pageReleased(QPointF mm);
    void drawn();
    void failed(QString reason);
    void zoomChanged(double zoom);

protected:
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    class Sheet;
    struct Result {
        std::shared_ptr<const Figure> figure;
        QImage picture;
        double scale = 0;  ///< pixels of the picture to the millimetre
    };

    void start();
    void take(Result result, const QString& failure);
    void placeSheet();
    double fittingZoom() const;

    Sheet* sheet_;
    Draw draw_;
    std::shared_ptr<const Figure> figure_;
    QImage picture_;
    std::optional<QLineF> rubber_;
    Vision vision_ = Vision::colours;
    double zoom_ = 1;
    bool fits_ = true;
    bool stale_ = false;  ///< the figure has to be drawn anew, not only painted
    bool again_ = false;  ///< something was asked for while the last was on its way
    Job drawing_;
};

}  // namespace stagecraft::views::figures
