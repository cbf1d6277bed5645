#include "views/experiments/results_figure.h"

#include "views/experiments/results_painter.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stagecraft::views::experiments {

namespace {

constexpr double usualHeight = 0.62;  // of the width
constexpr double panelTitleEm = 1.5;
constexpr double leastPanelEm = 11;  // of the figure's width, for each of several side by side
constexpr double aroundMm = 0.8;     // signs on the edge of a frame

/// Panels in rows, all with the same axes; the legend below.
class ResultsFrame {
public:
    ResultsFrame(const ResultsPainter::Input& input, ResultsPainter& painter)
        : in_(input), painter_(painter), em_(mmOfPoints(input.options.fontPt)) {}

    ResultsDrawing draw() {
        out_.figure.widthMm = in_.options.widthMm;
        out_.figure.title = metricText(in_.grid, in_.choice);
        out_.pointsMm.resize(in_.series.size());
        countPanels();
        place();
        for (std::size_t panel = 0; panel < panels_.size(); ++panel) drawPanel(panel);
        QRectF all = out_.framesMm.front();
        for (const QRectF& frame : out_.framesMm) all = all.united(frame);
        drawSharedTitles(all);
        painter_.drawRight(out_.figure, QRectF(in_.options.widthMm - painter_.rightMm(), all.top(),
                                               painter_.rightMm(), all.height()));
        double bottom = 0;
        for (const QRectF& frame : out_.framesMm)
            bottom = std::max(bottom, frame.bottom() + plotBelowMm(in_.options.fontPt) + across_.extraMm);
        if (in_.options.legend)
            bottom += addPlotLegend(out_.figure, painter_.legend(), all.left(), in_.options.widthMm, bottom,
                                    in_.options.fontPt, in_.look);
        out_.figure.heightMm = std::ceil(bottom * 10) / 10;
        return std::move(out_);
    }

private:
    void countPanels() {
        for (std::size_t i = 0; i < in_.series.size(); ++i)
            if (i == 0 || in_.series[i].panel != in_.series[i - 1].panel) panels_.push_back(i);
        if (panels_.empty()) panels_.push_back(0);
        const std::size_t count = panels_.size();
        columns_ = count < 4 ? count : static_cast<std::size_t>(std::ceil(std::sqrt(double(count))));
        const double most = std::max(1.0, in_.options.widthMm / (leastPanelEm * em_));
        columns_ = std::min(columns_, static_cast<std::size_t>(most));
        rows_ = (count + columns_ - 1) / columns_;
    }

    /// How high the legend becomes, which is known once it is laid out.
    double legendMm() const {
        if (!in_.options.legend) return 0;
        Figure trial;
        return addLegend(trial, painter_.legend(), 2 * em_, in_.options.widthMm, 0, in_.options.fontPt);
    }

    /// How far the numbers below a frame reach beyond its right edge.
    double overhangMm(double frameWidth) {
        across_.scale.place(0, frameWidth);
        double over = 0;
        for (const PlotTick& tick : across_.ticks)
            if (!across_.named && across_.scale.at(tick.value) <= frameWidth)
                over = std::max(over, across_.scale.at(tick.value) - frameWidth +
                                          textWidthMm(tick.label, in_.options.fontPt) / 2);
        return over;
    }

    void place() {
        const double above = in_.choice.panels ? panelTitleEm * em_ : 0, font = in_.options.fontPt;
        const double rows = static_cast<double>(rows_), columns = static_cast<double>(columns_);
        const double height = in_.options.heightMm > 0
                                  ? in_.options.heightMm - legendMm() - plotBelowMm(font)
                                  : usualHeight * in_.options.widthMm *
                                        (panels_.size() > 1 ? std::clamp(1.3 * rows / columns, 0.6, 1.6) : 1);
        double between = 2.2 * em_;  // of rows: the labels of the upper one
        double frameHeight = std::max(4 * em_, (height - em_ - rows * above - (rows - 1) * between) / rows);
        upright_ = painter_.upright(frameHeight);
        const double left = plotLeftMm(upright_, font);
        const double again = left - 1.4 * em_;  // beside the others: labels without title
        const double room = in_.options.widthMm - left - 0.8 * em_ - painter_.rightMm();
        double frameWidth = std::max(4 * em_, (room - (columns - 1) * again) / columns);
        across_ = painter_.across(frameWidth);
        if (const double over = overhangMm(frameWidth) - 0.8 * em_ - painter_.rightMm(); over > 0) {
            frameWidth = std::max(4 * em_, frameWidth - over / columns);
            across_ = painter_.across(frameWidth);
        }
        between += across_.extraMm;
        if (in_.options.heightMm > 0 && across_.extraMm > 0) {  // else the figure grows
            frameHeight = std::max(4 * em_, frameHeight - across_.extraMm);
            upright_ = painter_.upright(frameHeight);
        }
        acrossFits_ = textWidthMm(across_.title, font) <= frameWidth + 0.5 * em_;
        uprightFits_ = textWidthMm(upright_.title, font) <= frameHeight + 0.5 * em_;
        for (std::size_t panel = 0; panel < panels_.size(); ++panel) {
            const auto column = static_cast<double>(panel % columns_),
                       row = static_cast<double>(panel / columns_);
            out_.framesMm.emplace_back(left + column * (frameWidth + again),
                                       em_ + above + row * (frameHeight + between + above), frameWidth,
                                       frameHeight);
        }
    }

    /// Names of axes that are longer than a panel, once for all of them.
    void drawSharedTitles(const QRectF& all) {
        const double font = in_.options.fontPt;
        if (!acrossFits_) {
            PlotAxis axis = across_;
            axis.title = cutToWidth(axis.title, all.width(), font);
            addAcrossTitle(out_.figure, all, axis, font, in_.look);
        }
        if (!uprightFits_) {
            PlotAxis axis = upright_;
            axis.title = cutToWidth(axis.title, all.height() + em_, font);
            addUprightTitle(out_.figure, all, axis, font, in_.look);
        }
    }

    void drawPanel(std::size_t panel) {
        const QRectF& frame = out_.framesMm[panel];
        const bool lowest = panel + columns_ >= panels_.size(), leftmost = panel % columns_ == 0;
        across_.scale.place(frame.left(), frame.right());
        upright_.scale.place(frame.bottom(), frame.top());
        addPlotFrame(out_.figure, frame, across_, upright_, in_.options.fontPt, in_.look,
                     {lowest && acrossFits_, leftmost && uprightFits_});
        if (in_.choice.panels) {
            const Axis& axis = in_.grid.experiment().axes[*in_.choice.panels];
            const QString title = QString::fromStdString(axis.name + " " + axis.values[panel].label);
            out_.figure.add(FigureText{{frame.left(), frame.top() - 0.5 * em_},
                                       cutToWidth(title, frame.width(), in_.options.fontPt),
                                       in_.options.fontPt,
                                       TextAnchor::start,
                                       TextRise::baseline,
                                       0,
                                       in_.look.ink});
        }
        const std::size_t last = panel + 1 < panels_.size() ? panels_[panel + 1] : in_.series.size();
        out_.figure.add(ClipBegin{frame.adjusted(-aroundMm, -aroundMm, aroundMm, 0)});
        painter_.draw(out_, frame, across_.scale, upright_.scale, panels_[panel], last);
        out_.figure.add(ClipEnd{});
    }

    const ResultsPainter::Input& in_;
    ResultsPainter& painter_;
    const double em_;
    ResultsDrawing out_;
    std::vector<std::size_t> panels_;  ///< first series of each
    std::size_t columns_ = 1, rows_ = 1;
    PlotAxis across_, upright_;
    bool acrossFits_ = true, uprightFits_ = true;  ///< the names of the axes, beside one panel
};

std::unique_ptr<ResultsPainter> painterFor(const ResultsPainter::Input& input) {
    switch (input.choice.kind) {
        case ChartKind::heat:
            return heatPainter(input);
        case ChartKind::pareto:
            return paretoPainter(input);
        case ChartKind::bars:
            return barsPainter(input);
        default:
            return linesPainter(input);
    }
}

}  // namespace

ResultsDrawing drawResults(const Grid& grid, const std::vector<ResultsSeries>& series,
                           const ChartChoice& choice, const ResultsFigureOptions& options,
                           const PlotLook& look) {
    const ResultsPainter::Input input{grid, series, choice, options, look};
    const std::unique_ptr<ResultsPainter> painter = painterFor(input);
    return ResultsFrame(input, *painter).draw();
}

Figure resultsFigure(const Grid& grid, const std::vector<CellResult>& cells, const ChartChoice& choice,
                     const ResultsFigureOptions& options) {
    const std::vector<ResultsSeries> series = seriesOf(grid, ResultsNumbers(cells), choice);
    if (seedsOf(series) == 0) throw std::invalid_argument("no result to draw");
    Figure figure = drawResults(grid, series, choice, options, PlotLook::paper()).figure;
    return options.grey ? inGrey(std::move(figure)) : figure;
}

}  // namespace stagecraft::views::experiments
