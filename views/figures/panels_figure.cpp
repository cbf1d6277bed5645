#include "views/figures/panels_figure.h"

#include "views/figures/link_figure.h"
#include "views/figures/memory_figure.h"

#include <algorithm>
#include <stdexcept>

namespace stagecraft::views {
namespace {

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
        oneAxis_ = options.time == PanelTime::shared && drawing.axis != FigureAxis::none;
        blockS_ = sharedBlockS();
        if (options.time != PanelTime::own && !drawing.timeRangeS)
            rangeS_ = wholeTime();
        else
            rangeS_ = drawing.timeRangeS;
    }

    Figure draw() {
        double startMm = 0, topBytes = 0;
        for (const TimeDrawing& each : drawAll(startMm, topBytes)) {
            startMm = std::max(startMm, each.time.startMm);
            topBytes = std::max(topBytes, each.memoryTopBytes);
        }
        const std::vector<TimeDrawing> drawings = drawAll(startMm, topBytes);
        TimeDrawing all;
        all.figure.widthMm = options_.drawing.widthMm;
        all.figure.title = QString::fromStdString(panels_.front().run->title());
        std::size_t lanes = 0;
        for (std::size_t i = 0; i < drawings.size(); ++i) {
            all.figure.heightMm += addHeading(all.figure, i);
            addBelow(all.figure, drawings[i].figure);
            // Marks are placed on the first plan.
            if (panels_[i].run != panels_.front().run) all.figure.lanes.resize(lanes);
            lanes = all.figure.lanes.size();
            all.legends.resize(std::max(all.legends.size(), drawings[i].legends.size()));
            for (std::size_t row = 0; row < drawings[i].legends.size(); ++row)
                addMissing(all.legends[row], drawings[i].legends[row]);
        }
        return finished(std::move(all), options_.drawing.legend, options_.drawing.fontPt);
    }

private:
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

    std::vector<TimeDrawing> drawAll(double startMm, double topBytes) const {
        std::vector<TimeDrawing> drawings;
        for (std::size_t i = 0; i < panels_.size(); ++i) {
            ScheduleFigureOptions options = options_.drawing;
            options.leastStartMm = startMm;
            options.leastTopBytes = topBytes;
            options.timeRangeS = rangeS_;
            options.blockS = blockS_;
            options.axisBelow = !oneAxis_ || i + 1 == panels_.size();
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
    double addHeading(Figure& figure, std::size_t i) {
        const double gap = i > 0 ? 0.5 * em_ : 0;
        const QString heading = headingOf(i);
        if (heading.isEmpty()) return gap;
        figure.add(FigureText{{0.4, figure.heightMm + gap + 0.75 * em_},
                              cutToWidth(heading, options_.drawing.widthMm - 0.8, options_.drawing.fontPt),
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
};

}  // namespace

Figure panelsFigure(const std::vector<FigurePanel>& panels, const PanelsFigureOptions& options) {
    if (panels.empty()) throw std::invalid_argument("no panels to draw; choose at least one");
    for (const FigurePanel& panel : panels) requireDrawable(*panel.run, options.drawing);
    return PanelsDrawing(panels, options).draw();
}

}  // namespace stagecraft::views
