#include "views/figures/panels_figure.h"

#include "views/figures/link_figure.h"
#include "views/figures/memory_figure.h"
#include "views/figures/note_marks.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::views::figures {
namespace {

constexpr double narrowestPanelMm = 30;

const char* titleOf(PanelView view) {
    switch (view) {
        case PanelView::schedule:
            return "timeline";
        case PanelView::memory:
            return "memory";
        case PanelView::links:
            return "links";
    }
    return "";
}

TimeDrawing drawPanel(const FigurePanel& panel, ScheduleFigureOptions options) {
    switch (panel.view) {
        case PanelView::memory:
            return drawMemory(*panel.run, options);
        case PanelView::links:
            return drawLinks(*panel.run, options, -1);
        case PanelView::schedule:
            break;
    }
    options.notes = panel.notes;
    return drawSchedule(*panel.run, options);
}

class PanelsDrawing {
public:
    PanelsDrawing(const std::vector<FigurePanel>& panels, const PanelsFigureOptions& options)
        : panels_(panels), options_(options), em_(mmOfPoints(options.drawing.fontPt)) {
        const ScheduleFigureOptions& drawing = options.drawing;
        if (columnMm() < narrowestPanelMm)
            throw std::invalid_argument(
                std::to_string(columns()) + " columns of panels would be " +
                QString::number(columnMm(), 'f', 1).toStdString() +
                " mm wide each; expected 30 mm at least: fewer columns or a wider figure");
        oneAxis_ = options.time == PanelTime::shared && drawing.axis != FigureAxis::none;
        blockS_ = sharedBlockS();
        if (options.time != PanelTime::own && !drawing.timeRangeS)
            rangeS_ = wholeTime();
        else
            rangeS_ = drawing.timeRangeS;
    }

    Figure draw() {
        Shared shared;
        for (const TimeDrawing& each : drawAll(shared)) {
            shared.startMm = std::max(shared.startMm, each.time.startMm);
            shared.topBytes = std::max(shared.topBytes, each.memoryTopBytes);
            shared.steps = std::max(shared.steps, each.colourSteps);
        }
        const std::vector<TimeDrawing> drawings = drawAll(shared);
        all_.figure.widthMm = options_.drawing.widthMm;
        all_.figure.title = QString::fromStdString(panels_.front().run->title());
        for (std::size_t row = 0; row < drawings.size(); row += columns()) addRow(drawings, row);
        addArrowsAcross();
        return finished(std::move(all_), options_.drawing.legend, options_.drawing.fontPt);
    }

private:
    /// What the panels agree on.
    struct Shared {
        double startMm = 0, topBytes = 0;
        int steps = 0;
    };
    std::size_t columns() const {
        return std::min(static_cast<std::size_t>(std::clamp(options_.columns, 1, mostPanelColumns)),
                        panels_.size());
    }
    double betweenColumnsMm() const { return em_; }
    double columnMm() const {
        const auto count = static_cast<double>(columns());
        return (options_.drawing.widthMm - (count - 1) * betweenColumnsMm()) / count;
    }

    /// The panels from `first` on, side by side.
    void addRow(const std::vector<TimeDrawing>& drawings, std::size_t first) {
        const double topMm = all_.figure.heightMm;
        double bottomMm = topMm;
        for (std::size_t i = first; i < std::min(first + columns(), drawings.size()); ++i) {
            Figure panel;
            panel.heightMm = addHeading(panel, i);
            addBelow(panel, drawings[i].figure);
            for (FigureLane& lane : panel.lanes) {
                lane.panel = static_cast<int>(i);
                lane.plan = panels_[i].plan;
            }
            lanes_.push_back(panel.lanes);
            const double leftMm = static_cast<double>(i - first) * (columnMm() + betweenColumnsMm());
            for (FigureLane& lane : lanes_.back()) lane.rect.translate(leftMm, topMm);
            all_.figure.heightMm = topMm;
            addBelow(all_.figure, panel, leftMm);
            bottomMm = std::max(bottomMm, all_.figure.heightMm);
            all_.legends.resize(std::max(all_.legends.size(), drawings[i].legends.size()));
            for (std::size_t row = 0; row < drawings[i].legends.size(); ++row)
                addMissing(all_.legends[row], drawings[i].legends[row]);
        }
        all_.figure.heightMm = bottomMm;
    }

    void addArrowsAcross() {
        for (std::size_t i = 0; i < panels_.size(); ++i)
            for (const ChartNote& note : panels_[i].notes)
                if (endsElsewhere(note) && note.end->panel < static_cast<int>(lanes_.size()))
                    addArrowAcross(all_.figure, note, lanes_[i],
                                   lanes_[static_cast<std::size_t>(note.end->panel)],
                                   options_.drawing.fontPt);
    }

    std::pair<double, double> wholeTime() const {
        std::pair<double, double> whole{INFINITY, -INFINITY};
        for (const FigurePanel& panel : panels_) {
            const Timeline& timeline = panel.run->evaluation->timeline;
            whole.first = std::min(whole.first, timeline.firstStartS());
            whole.second = std::max(whole.second, timeline.lastEndS());
        }
        return whole;
    }

    /// One unit for all panels, so that their numbers can be compared: the forward pass of the first that has
    /// any.
    double sharedBlockS() const {
        for (const FigurePanel& panel : panels_)
            if (const double blockS = forwardBlockS(panel.run->evaluation->timeline); blockS > 0)
                return blockS;
        return 0;
    }

    std::vector<TimeDrawing> drawAll(const Shared& shared) const {
        std::vector<TimeDrawing> drawings;
        for (std::size_t i = 0; i < panels_.size(); ++i) {
            ScheduleFigureOptions options = options_.drawing;
            options.leastStartMm = shared.startMm;
            options.leastTopBytes = shared.topBytes;
            options.leastSteps = shared.steps;
            options.timeRangeS = rangeS_;
            options.blockS = blockS_;
            options.axisBelow = !oneAxis_ || i + columns() >= panels_.size();
            options.widthMm = columnMm();
            drawings.push_back(drawPanel(panels_[i], options));
        }
        return drawings;
    }

    bool severalPlans() const {
        return std::any_of(panels_.begin(), panels_.end(),
                           [&](const FigurePanel& panel) { return panel.run != panels_.front().run; });
    }
    bool severalViews() const {
        return std::any_of(panels_.begin(), panels_.end(),
                           [&](const FigurePanel& panel) { return panel.view != panels_.front().view; });
    }

    QString headingOf(std::size_t i) const {
        const FigurePanel& panel = panels_[i];
        QStringList words;
        if (severalPlans()) words << QString::fromStdString(panel.run->title());
        if (severalViews()) words << QLatin1String(titleOf(panel.view));
        QString heading = options_.titles ? words.join(QStringLiteral(", ")) : QString();
        const QString own =
            QString::fromStdString(options_.names).section('|', static_cast<int>(i), static_cast<int>(i));
        if (!own.trimmed().isEmpty()) heading = own.trimmed();
        if (options_.letters && panels_.size() > 1)
            heading.prepend(QStringLiteral("(%1) ").arg(QChar('a' + static_cast<int>(i % 26))));
        return heading.trimmed();
    }

    /// @return the height taken
    double addHeading(Figure& figure, std::size_t i) const {
        const double gap = i >= columns() ? 0.5 * em_ : 0;
        const QString heading = headingOf(i);
        if (heading.isEmpty()) return gap;
        figure.add(FigureText{{0.4, gap + 0.75 * em_},
                              cutToWidth(heading, columnMm() - 0.8, options_.drawing.fontPt),
                              options_.drawing.fontPt,
                              TextAnchor::start,
                              TextRise::middle});
        return gap + 1.5 * em_;
    }

    const std::vector<FigurePanel>& panels_;
    const PanelsFigureOptions& options_;
    const double em_;
    bool oneAxis_ = false;
    double blockS_ = 0;
    std::optional<std::pair<double, double>> rangeS_;  ///< of all panels; nothing: each its own
    TimeDrawing all_;
    std::vector<std::vector<FigureLane>> lanes_;  ///< of each panel, on the page
};

}  // namespace

Figure panelsFigure(const std::vector<FigurePanel>& panels, const PanelsFigureOptions& options) {
    if (panels.empty()) throw std::invalid_argument("no panels to draw; choose at least one");
    for (const FigurePanel& panel : panels) requireDrawable(*panel.run, options.drawing);
    return PanelsDrawing(panels, options).draw();
}

}  // namespace stagecraft::views::figures
