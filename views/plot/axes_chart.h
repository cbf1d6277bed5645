#pragma once

#include "views/common/canvas.h"
#include "views/figures/plot_frame.h"

#include <functional>
#include <memory>
#include <optional>

class QCPAbstractPlottable;
class QCPAxisRect;
class QCustomPlot;

namespace stagecraft::views::plot {

/// One axis of a chart: all that there is to see, and the ticks and the title of a part of that.
struct ChartAxis {
    PlotScale whole{0, 1, false};
    /// No more ticks than `about`.
    std::function<PlotAxis(const PlotScale& shown, int about)> ticks;

    /// Of numbers in `unit`s, as numberAxis() takes them.
    static ChartAxis ofNumbers(const PlotScale& whole, const std::string& unit, const QString& title);
    /// Of what is counted: ticks at whole numbers alone, without lines across the chart.
    static ChartAxis ofCounts(const PlotScale& whole, const QString& title);
};

struct ChartPanel {
    QString title;  ///< above it; empty: none
    ChartAxis across, upright;
    double share = 1;  ///< of the height of all, where panels are stacked
};

enum class PanelOrder {
    beside,   ///< or below each other, where they would be narrow
    stacked,  ///< with one level axis for all, which they show the same part of
};

/// A chart with plain axes, drawn by QCustomPlot in the program's theme, with its ticks and units. A double
/// click shows all; what is shown stays within all that there is. Marks that follow the pointer are painted over the plot, which is
/// not drawn anew for them.
class AxesChart : public Canvas {
    Q_OBJECT
public:
    ~AxesChart() override;

    void fit() override;  ///< shows all of every panel
    bool isFitted() const;
    std::size_t panelCount() const { return panels_.size(); }
    /// Where the axes of a panel are, in pixels.
    QRectF frameOf(std::size_t panel = 0) const;
    QPointF pixelsOf(double across, double upright, std::size_t panel = 0) const;
    double acrossAt(double pixelX, std::size_t panel = 0) const;
    const PlotScale& shownAcross(std::size_t panel = 0) const { return panels_[panel].shownAcross; }
    const PlotScale& shownUpright(std::size_t panel = 0) const { return panels_[panel].shownUpright; }
    /// Ticks and title as they are drawn.
    PlotAxis drawnAcross(std::size_t panel = 0) const;
    PlotAxis drawnUpright(std::size_t panel = 0) const;

protected:
    AxesChart(const QString& name, QWidget* parent);

    /// Puts everything into the plot, which is empty: panels first. Called by rebuild() and in another theme.
    virtual void build() = 0;
    void rebuild();
    void setPanels(std::vector<ChartPanel> panels, PanelOrder order = PanelOrder::beside);
    /// Shown where there are no panels.
    void setHint(const QString& hint) { hint_ = hint; }
    QCustomPlot& plot() const;
    QCPAxisRect& axesOf(std::size_t panel = 0) const;
    /// Names what has been plotted in the key below the panels.
    void addToKey(QCPAbstractPlottable& plottable, const QString& name);

    virtual void paintMarks(QPainter&) const {}
    void updateMarks();
    /// The pointer is there, or has left.
    virtual void pointTo(const std::optional<QPointF>& position) = 0;
    /// @return whether there is something to click on
    virtual bool hit(const QPointF&) { return false; }

    void resizeEvent(QResizeEvent* event) override;
    void lookChanged() override { rebuild(); }
    void hoverAt(QPointF at, QPoint) override { pointTo(at); }
    void hoverEnded() override { pointTo({}); }
    void click(QPointF at, Qt::KeyboardModifiers) override { hit_ = hit(at); }
    void panBy(QPointF pixels) override;
    void zoomAt(QPointF position, double factor) override;
    QPointF middle() const override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    class Ticker;
    class Overlay;
    struct Parts;
    struct Panel {
        ChartPanel content;
        PlotScale shownAcross, shownUpright;
        QCPAxisRect* axes = nullptr;
    };

    void arrange();
    void place();
    void settle() const;
    void apply(Panel& panel);
    void pan(const QPointF& pixels, std::size_t panel);
    void applyChange(std::size_t panel);
    void changed();
    std::size_t panelAt(const QPointF& position) const;
    void paintOver(QPainter& painter) const;

    std::unique_ptr<Parts> parts_;
    std::vector<Panel> panels_;
    QString hint_;
    PanelOrder order_ = PanelOrder::beside;
    std::size_t touched_ = 0;  ///< the panel where a button was pressed or the wheel turned; keys move it
    bool hit_ = false;         ///< by the last click
};

}  // namespace stagecraft::views::plot
