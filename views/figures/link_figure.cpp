#include "views/figures/link_figure.h"

#include "core/base/units.h"
#include "views/figures/figure_fills.h"
#include "views/figures/legend.h"
#include "views/figures/step_bands.h"

#include <cmath>
#include <set>
#include <stdexcept>
#include <tuple>

namespace stagecraft::views::figures {
namespace {

constexpr double fewPanelsEm = 5, manyPanelsEm = 3.6;
constexpr double headroom = 1.15;
constexpr double linkLabelShare = 0.34;  // of the width, at most, for the names of the links

struct LoadStep {
    double fromMm;
    std::array<double, loadKindCount> top;  ///< shares of the bandwidth, cumulated
};

struct Panel {
    LinkUse use;
    LoadCurve curve;
    double bytes;        ///< carried within the time that is drawn
    LoadCurve demand{};  ///< what was wanted of it; empty where links are not shared

    double bandwidthBps() const { return use.bandwidthBps(); }
    double share(double bps) const { return bandwidthBps() > 0 ? bps / bandwidthBps() : 0; }
};

/// visit(step, from, to) for each step of the curve within the time, cut at its ends.
template <typename Visit>
void eachStep(const LoadCurve& curve, const FigureScale& time, Visit visit) {
    for (std::size_t i = curve.stepAt(time.from); i < curve.timeS.size() && curve.timeS[i] < time.to; ++i) {
        const double from = std::max(curve.timeS[i], time.from);
        const double to = i + 1 < curve.timeS.size() ? std::min(curve.timeS[i + 1], time.to) : time.to;
        if (to > from) visit(i, from, to);
    }
}

void cumulate(LoadStep& step, const Panel& panel) {
    double sum = 0;
    for (double& top : step.top) top = sum += panel.share(top);
}

std::vector<LoadStep> meansOfColumns(const Panel& panel, const FigureScale& time, int columns) {
    const double columnS = (time.to - time.from) / columns;
    std::vector<LoadStep> steps(static_cast<std::size_t>(columns));
    for (int i = 0; i < columns; ++i)
        steps[static_cast<std::size_t>(i)] = {time.at(time.from + i * columnS), {}};
    eachStep(panel.curve, time, [&](std::size_t step, double fromS, double toS) {
        if (panel.curve.totalAt(step) == 0) return;
        const int first = std::clamp(static_cast<int>((fromS - time.from) / columnS), 0, columns - 1);
        for (int i = first; i < columns && time.from + i * columnS < toS; ++i) {
            const double from = std::max(fromS, time.from + i * columnS);
            const double to = std::min(toS, time.from + (i + 1) * columnS);
            for (std::size_t kind = 0; kind < loadKindCount && to > from; ++kind)
                steps[static_cast<std::size_t>(i)].top[kind] +=
                    panel.curve.bps[kind][step] * (to - from) / columnS;
        }
    });
    for (LoadStep& step : steps) cumulate(step, panel);
    return steps;
}

std::vector<LoadStep> stepsOf(const Panel& panel, const FigureScale& time) {
    const int columns = std::max(1, static_cast<int>((time.endMm - time.startMm) / stepColumnMm));
    std::vector<LoadStep> steps;
    bool fits = true;
    eachStep(panel.curve, time, [&](std::size_t step, double fromS, double) {
        fits = fits && static_cast<int>(steps.size()) <= columns;
        if (!fits) return;
        LoadStep next{time.at(fromS), {}};
        for (std::size_t kind = 0; kind < loadKindCount; ++kind) next.top[kind] = panel.curve.bps[kind][step];
        cumulate(next, panel);
        steps.push_back(next);
    });
    return fits ? steps : meansOfColumns(panel, time, columns);
}

struct DemandStep {
    double fromMm, share;
};

/// Of steps that are closer together than can be told apart the highest.
std::vector<DemandStep> demandOf(const Panel& panel, const FigureScale& time) {
    std::vector<DemandStep> steps;
    if (panel.demand.timeS.empty()) return steps;
    eachStep(panel.demand, time, [&](std::size_t step, double fromS, double) {
        const double fromMm = time.at(fromS), share = panel.share(panel.demand.totalAt(step));
        if (!steps.empty() && fromMm < steps.back().fromMm + stepColumnMm / 4)
            steps.back().share = std::max(steps.back().share, share);
        else
            steps.push_back({fromMm, share});
    });
    return steps;
}

/// One polygon for each stretch in which something of the kind travels.
void addBand(Figure& figure, const std::vector<LoadStep>& steps, std::size_t kind, double endMm,
             const FigureScale& shares) {
    const auto empty = [kind](const LoadStep& step) {
        return step.top[kind] <= (kind == 0 ? 0 : step.top[kind - 1]);
    };
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (empty(steps[i])) continue;
        std::vector<LoadStep> stretch;
        for (; i < steps.size() && !empty(steps[i]); ++i) stretch.push_back(steps[i]);
        figure.add(FigurePolygon{stepBand(stretch, kind, i < steps.size() ? steps[i].fromMm : endMm, shares),
                                 true,
                                 blockFill(loadKinds[kind]),
                                 {},
                                 loadKindName(kind)});
    }
}

QString nameOf(const Panel& panel, const Cluster& cluster) {
    const QString first = QString::fromStdString(nameOf(cluster, panel.use.ways.front()));
    const std::size_t count = panel.use.ways.size();
    return count == 1 ? first : QStringLiteral("%1 (×%2)").arg(first).arg(count);
}

class LinkDrawing {
public:
    LinkDrawing(const PlanRun& run, const ScheduleFigureOptions& options, int link)
        : run_(run),
          options_(options),
          cluster_(run.costs->problem().cluster),
          timeline_(run.evaluation->timeline),
          em_(mmOfPoints(options.fontPt)),
          tickMm_(textWidthMm("100 %", options.fontPt) + 1.4) {
        std::tie(time_.from, time_.to) =
            options.timeRangeS.value_or(std::pair(timeline_.firstStartS(), timeline_.lastEndS()));
        if (!(time_.to > time_.from)) throw std::invalid_argument("the figure's time range is empty");
        choosePanels(link);
    }

    TimeDrawing draw() {
        figure_.widthMm = options_.widthMm;
        figure_.title = QString::fromStdString(run_.title());
        double labelMm = 0;
        for (const Panel& panel : panels_)
            for (const QString& line : {nameOf(panel, cluster_), bandwidthOf(panel)})
                labelMm = std::max(labelMm, textWidthMm(line, options_.fontPt));
        labelMm_ = std::min(labelMm, linkLabelShare * options_.widthMm);
        time_.startMm = std::max(0.4 + labelMm_ + 1 + tickMm_, options_.leastStartMm);
        time_.endMm = timeEndMm(time_, timeAxisOf(run_, options_), options_.widthMm);
        const bool few = static_cast<int>(panels_.size()) <= fewPanels;
        const double panelMm =
            options_.laneMm > 0 ? options_.laneMm : (few ? fewPanelsEm : manyPanelsEm) * em_;
        const double gapMm = 1.2 * em_;
        double y = 0.5 * em_;
        for (const Panel& panel : panels_) {
            drawPanel(panel, QRectF(time_.startMm, y, time_.endMm - time_.startMm, panelMm));
            y += panelMm + gapMm;
        }
        y = addTimeAxis(figure_, time_, timeAxisOf(run_, options_), y - gapMm, 0.5 * em_, 0) + 0.5 * em_;
        if (leftOut_ > 0) {
            figure_.add(FigureText{{options_.widthMm - 0.4, y - 0.5 * em_},
                                   QStringLiteral("the %1 busiest of %2 loads")
                                       .arg(panels_.size())
                                       .arg(panels_.size() + leftOut_),
                                   options_.fontPt,
                                   TextAnchor::end,
                                   TextRise::top,
                                   0,
                                   QColor(0x50, 0x50, 0x50)});
            y += em_;
        }
        figure_.heightMm = y;
        std::vector<LegendEntry> entries = legendEntries();
        renameEntries(entries, options_.legendNames);
        return {std::move(figure_), time_, 0, 0, {std::move(entries)}};
    }

private:
    bool isWanted(const LinkUse& use) const {
        const std::vector<int>& lanes = options_.lanes;
        return lanes.empty() ||
               std::any_of(use.sources.begin(), use.sources.end(), [&](const LoadSource& it) {
                   return std::find(lanes.begin(), lanes.end(), it.lane) != lanes.end();
               });
    }

    void choosePanels(int link) {
        std::vector<LinkUse> uses =
            linkUses(*run_.costs, run_.result.plan, run_.evaluation->lowered().edges, timeline_);
        for (std::size_t i = 0; i < uses.size(); ++i) {
            if (link >= 0 ? static_cast<int>(i) != link : !isWanted(uses[i])) continue;
            Panel panel{std::move(uses[i]), {}, 0};
            panel.curve = loadCurve(timeline_, panel.use);
            if (!timeline_.sharedRuns.empty()) panel.demand = demandCurve(timeline_, panel.use);
            eachStep(panel.curve, time_, [&panel](std::size_t step, double from, double to) {
                panel.bytes += panel.curve.totalAt(step) * (to - from);
            });
            if (panel.bytes > 0 || link >= 0) panels_.push_back(std::move(panel));
        }
        if (panels_.empty()) throw std::invalid_argument("no link that is asked for carries anything");
        std::stable_sort(panels_.begin(), panels_.end(),
                         [](const Panel& a, const Panel& b) { return a.share(a.bytes) > b.share(b.bytes); });
        leftOut_ = std::max(0, static_cast<int>(panels_.size()) - mostLinkPanels);
        panels_.erase(panels_.end() - leftOut_, panels_.end());
    }

    static QString bandwidthOf(const Panel& panel) {
        return QString::fromStdString(formatBandwidth(panel.bandwidthBps()));
    }

    void drawPanel(const Panel& panel, const QRectF& frame) {
        const std::vector<LoadStep> steps = stepsOf(panel, time_);
        double highest = 1;
        for (const LoadStep& step : steps) highest = std::max(highest, step.top.back());
        const std::vector<DemandStep> demand = demandOf(panel, time_);
        for (const DemandStep& step : demand) highest = std::max(highest, step.share);
        const FigureScale shares{0, headroom * highest, frame.bottom(), frame.top()};
        for (std::size_t kind = 0; kind < loadKindCount; ++kind) {
            if (std::any_of(steps.begin(), steps.end(), [kind](const LoadStep& step) {
                    return step.top[kind] > (kind == 0 ? 0 : step.top[kind - 1]);
                }))
                shown_.insert(kind);
            addBand(figure_, steps, kind, time_.endMm, shares);
        }
        drawDemand(demand, shares);
        const Stroke axis{QColor(0x40, 0x40, 0x40), 0.15, {}};
        figure_.add(FigureLine{frame.topLeft(), frame.bottomLeft(), axis, false, "axis"});
        const int about = frame.height() > 4 * em_ ? 2 : 1;
        for (const double share : numberTicks(0, shares.to, about, 0.01).values) {
            const double y = shares.at(share);
            figure_.add(FigureLine{{frame.left() - 0.7, y}, {frame.left(), y}, axis, false, "axis"});
            figure_.add(
                FigureText{{frame.left() - 1.1, y},
                           share > 0 ? QStringLiteral("%1 %").arg(qRound(100 * share)) : QStringLiteral("0"),
                           options_.fontPt,
                           TextAnchor::end,
                           TextRise::middle});
        }
        figure_.add(FigureLine{{frame.left(), shares.at(1)},
                               {frame.right(), shares.at(1)},
                               bandwidthStroke,
                               false,
                               "bandwidth"});
        const double right = frame.left() - tickMm_ - 0.6;
        addLabel(nameOf(panel, cluster_), {right, frame.center().y() - 0.65 * em_});
        addLabel(bandwidthOf(panel), {right, frame.center().y() + 0.65 * em_});
    }

    void drawDemand(const std::vector<DemandStep>& steps, const FigureScale& shares) {
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const double y = shares.at(steps[i].share),
                         endMm = i + 1 < steps.size() ? steps[i + 1].fromMm : time_.endMm;
            if (i > 0)
                figure_.add(FigureLine{{steps[i].fromMm, shares.at(steps[i - 1].share)},
                                       {steps[i].fromMm, y},
                                       demandStroke,
                                       false,
                                       "demand"});
            figure_.add(FigureLine{{steps[i].fromMm, y}, {endMm, y}, demandStroke, false, "demand"});
        }
    }

    void addLabel(const QString& text, const QPointF& at) {
        figure_.add(FigureText{at, cutToWidth(text, labelMm_, options_.fontPt), options_.fontPt,
                               TextAnchor::end, TextRise::middle});
    }

    std::vector<LegendEntry> legendEntries() const {
        std::vector<LegendEntry> entries;
        for (const std::size_t kind : shown_) {
            const std::string name = loadKindName(kind);
            entries.push_back({QString::fromStdString(name), blockFill(loadKinds[kind]), {}, false, name});
        }
        entries.push_back({"bandwidth", {}, bandwidthStroke, true, "bandwidth"});
        if (!timeline_.sharedRuns.empty())
            entries.push_back({"demand, if each were alone", {}, demandStroke, true, "demand"});
        return entries;
    }

    inline static const Stroke demandStroke{QColor(0x10, 0x10, 0x10), 0.3, {}};
    inline static const Stroke bandwidthStroke{QColor(0x40, 0x40, 0x40), 0.25, {1.2, 0.6}};

    const PlanRun& run_;
    const ScheduleFigureOptions& options_;
    const Cluster& cluster_;
    const Timeline& timeline_;
    const double em_, tickMm_;
    double labelMm_ = 0;
    FigureScale time_;
    std::vector<Panel> panels_;
    int leftOut_ = 0;
    std::set<std::size_t> shown_;  ///< positions in loadKinds
    Figure figure_;
};

}  // namespace

bool linksCarrySomething(const PlanRun& run) {
    const Timeline& timeline = run.evaluation->timeline;
    const std::vector<LinkUse> uses =
        linkUses(*run.costs, run.result.plan, run.evaluation->lowered().edges, timeline);
    return std::any_of(uses.begin(), uses.end(),
                       [&](const LinkUse& use) { return loadCurve(timeline, use).bytes() > 0; });
}

TimeDrawing drawLinks(const PlanRun& run, const ScheduleFigureOptions& options, int link) {
    requireDrawable(run, options);
    return LinkDrawing(run, options, link).draw();
}

Figure linkFigure(const PlanRun& run, const ScheduleFigureOptions& options, int link) {
    Figure figure = finished(drawLinks(run, options, link), options.legend, options.fontPt);
    return options.grey ? inGrey(std::move(figure)) : figure;
}

}  // namespace stagecraft::views::figures
