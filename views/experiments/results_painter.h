#pragma once

#include "views/experiments/results_drawing.h"

#include <memory>
#include <optional>

namespace stagecraft::views::experiments {

/// Of the diamonds of printed numbers: half their width, and their outline.
constexpr double printedSignMm = 1.1, printedLineMm = 0.25;

/// What draws one kind of chart; ResultsFrame places its panels, axes and legend.
class ResultsPainter {
public:
    struct Input {
        const Grid& grid;
        const std::vector<ResultsSeries>& series;
        const ChartChoice& choice;
        const ResultsFigureOptions& options;
        const PlotLook& look;
    };
    explicit ResultsPainter(const Input& input) : in(input) {}
    virtual ~ResultsPainter() = default;
    ResultsPainter(const ResultsPainter&) = delete;
    ResultsPainter& operator=(const ResultsPainter&) = delete;

    /// The part of the axes that is shown, with ticks for a frame of about that size.
    virtual PlotAxis across(double widthMm) const = 0;
    virtual PlotAxis upright(double heightMm) const = 0;
    /// One panel: its series from `first` to before `last`, with their places in `out`.
    virtual void draw(ResultsDrawing& out, const QRectF& frame, const PlotScale& across,
                      const PlotScale& upright, std::size_t first, std::size_t last) = 0;
    virtual std::vector<LegendEntry> legend() const = 0;
    /// Room for what is drawn to the right of all panels.
    virtual double rightMm() const { return 0; }
    virtual void drawRight(Figure&, const QRectF&) const {}

protected:
    double em() const { return mmOfPoints(in.options.fontPt); }
    QColor colour(std::size_t planner) const { return seriesColour(planner, in.look.dark); }
    std::string role(const ResultsSeries& series) const { return series.title.toStdString(); }
    const MetricDescription& metric() const { return metricDescriptions()[metricIndex(in.choice.metric)]; }
    /// Of the metric as it is drawn: none of a ratio, percent of a share.
    std::string unit() const {
        if (in.choice.relativeTo) return "";
        return metric().name.ends_with("_fraction") ? shareUnit : metric().unit;
    }
    /// "iteration time over that of GPipe", as axes are named.
    QString metricTitle() const;
    /// What the source prints: a diamond, open where it has no fill, as no planner's sign is.
    void drawPrinted(Figure& figure, const QPointF& at, const QColor& colour, const std::string& role,
                     const std::optional<QColor>& fill = {}, double halfMm = printedSignMm) const;
    /// Where the source prints a number of what is drawn.
    void addPrintedEntry(std::vector<LegendEntry>& entries) const;
    /// The level axis; nullptr where there is none.
    const Axis* axis() const;
    PlotScale shownAcross(const PlotScale& whole) const;
    PlotScale shownUpright(const PlotScale& whole) const;
    /// An axis of a metric: without ticks as long as there is no result to measure.
    PlotAxis measured(PlotAxis axis) const;
    /// Every how many of an axis' values have a tick, where there are very many.
    std::size_t tickStep(std::size_t values) const;
    /// A tick for each value of an axis, at its index; labels no wider than their room.
    std::vector<PlotTick> nameTicks(const Axis* axis, double roomMm) const;

    const Input in;
};

/// Why a point has no number, in the words of a legend.
struct WithoutKind {
    std::vector<CellStatus> statuses;
    QString text;
};
const std::vector<WithoutKind>& withoutKinds();

std::unique_ptr<ResultsPainter> linesPainter(const ResultsPainter::Input& input);
std::unique_ptr<ResultsPainter> barsPainter(const ResultsPainter::Input& input);
std::unique_ptr<ResultsPainter> heatPainter(const ResultsPainter::Input& input);
std::unique_ptr<ResultsPainter> paretoPainter(const ResultsPainter::Input& input);

/// A line in pieces of few corners: painters take much longer for one long line than for its pieces.
void addPieces(Figure& figure, const std::vector<QPointF>& corners, const Stroke& stroke,
               const std::string& role);

}  // namespace stagecraft::views::experiments
