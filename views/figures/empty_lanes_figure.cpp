#include "views/figures/empty_lanes_figure.h"

#include "views/figures/figure_fills.h"
#include "views/figures/legend.h"
#include "views/figures/schedule_lanes.h"

#include <QObject>

#include <cmath>
#include <set>
#include <stdexcept>
#include <tuple>

namespace stagecraft::views::figures {
namespace {

constexpr double emptyLaneMm = 8, emptyGapMm = 1.2;  // high enough for a pencil
constexpr double leastCellMm = 3;                    // wide enough for a number
constexpr double spareTime = 4.0 / 3;
constexpr double namesShare = 0.25;  // of the width, at most, for the names of lanes
constexpr double nameLineMm = 50;
const Stroke cellLine{QColor(0xB8, 0xB8, 0xB8), 0.1, {}}, laneLine{QColor(0x40, 0x40, 0x40), 0.2, {}};

class EmptyLanes {
public:
    EmptyLanes(const PlanRun& run, const ScheduleFigureOptions& options)
        : run_(run),
          options_(options),
          timeline_(run.evaluation->timeline),
          em_(mmOfPoints(options.fontPt)),
          forwardS_(forwardBlockS(timeline_)) {
        std::tie(time_.from, time_.to) = options.timeRangeS.value_or(std::pair(
            timeline_.firstStartS(),
            timeline_.firstStartS() + spareTime * (timeline_.lastEndS() - timeline_.firstStartS())));
        if (!(time_.to > time_.from)) throw std::invalid_argument("the figure's time range is empty");
        // Whole cells.
        if (!options.timeRangeS && forwardS_ > 0)
            time_.to = time_.from + std::ceil((time_.to - time_.from) / forwardS_) * forwardS_;
    }

    Figure draw() {
        figure_.widthMm = options_.widthMm;
        figure_.title = QString::fromStdString(run_.title());
        const double labelMm = namesShare * options_.widthMm;
        const LaneNaming naming(options_.laneNames, options_.firstNumber);
        const std::vector<PrintedLane> lanes =
            chosenLanes(printedLanes(run_, false, labelMm, options_.fontPt, naming), options_.lanes,
                        options_.firstStageBelow);
        double widest = 0;
        for (const PrintedLane& lane : lanes)
            widest = std::max(widest, textWidthMm(lane.label, options_.fontPt));
        time_.startMm = widest + 1.6;
        time_.endMm = timeEndMm(time_, timeAxisOf(run_, options_), options_.widthMm);
        double y = options_.nameLine ? drawNameLine(0.3) : 0.3;
        const double top = y;
        const double laneMm = options_.laneMm > 0 ? options_.laneMm : emptyLaneMm;
        for (const PrintedLane& lane : lanes) {
            drawLane(lane, QRectF(time_.startMm, y, time_.endMm - time_.startMm, laneMm));
            y += laneMm + emptyGapMm;
        }
        y = addTimeAxis(figure_, time_, timeAxisOf(run_, options_), y, top, 0) + 0.5 * em_;
        if (options_.legend) y += drawEmptyLegend(y);
        figure_.heightMm = std::ceil(y * 10) / 10;
        return std::move(figure_);
    }

private:
    double drawNameLine(double top) {
        const double baseline = top + 2 * em_;
        const QString name = QObject::tr("Name:");
        const double left = time_.startMm + textWidthMm(name, options_.fontPt) + 1;
        figure_.add(FigureText{{time_.startMm, baseline}, name, options_.fontPt});
        figure_.add(FigureLine{{left, baseline + 0.3},
                               {std::min(left + nameLineMm, time_.endMm), baseline + 0.3},
                               cellLine,
                               false,
                               "name"});
        return baseline + 1.2 * em_;
    }

    /// One forward pass, or 2, 5, 10, … where that is too narrow; 0: there is none.
    double cellS() const {
        const double perSecond = (time_.endMm - time_.startMm) / (time_.to - time_.from);
        for (double tens = 1; forwardS_ > 0 && tens < 1e6; tens *= 10)
            for (const double part : {1, 2, 5})
                if (part * tens * forwardS_ * perSecond >= leastCellMm) return part * tens * forwardS_;
        return 0;
    }

    void drawLane(const PrintedLane& lane, const QRectF& box) {
        figure_.add(FigureText{{box.left() - 1, box.center().y()},
                               lane.label,
                               options_.fontPt,
                               TextAnchor::end,
                               TextRise::middle});
        const double cell = cellS();
        constexpr double rounding = 1e-9;
        for (int i = 1; cell > 0 && time_.from + i * cell < time_.to - rounding * cell; ++i) {
            const double x = time_.at(time_.from + i * cell);
            figure_.add(FigureLine{{x, box.top()}, {x, box.bottom()}, cellLine, false, "cell"});
        }
        figure_.add(FigureRectangle{box, {}, laneLine, "lane"});
    }

    double drawEmptyLegend(double top) {
        std::set<BlockKind> kinds;
        for (std::uint32_t block = 0; block < timeline_.blockCount(); ++block)
            timeline_.eachPass(block, [&kinds](const Pass& pass) {
                if (isPass(pass.kind)) kinds.insert(pass.kind);
            });
        const Palette palette(options_.palette, options_.ownColours);
        std::vector<LegendEntry> entries;
        for (const BlockKind kind : kinds)
            entries.push_back({blockKindName(kind),
                               blockFill(kind, palette.ofKind(kind, blockFill(kind).colour)),
                               {},
                               false,
                               blockKindName(kind),
                               {},
                               static_cast<int>(kind)});
        renameEntries(entries, options_.legendNames);
        return addLegend(figure_, entries, 0.3, options_.widthMm - 0.3, top, options_.fontPt);
    }

    const PlanRun& run_;
    const ScheduleFigureOptions& options_;
    const Timeline& timeline_;
    double em_;
    double forwardS_;
    FigureScale time_;
    Figure figure_;
};

}  // namespace

Figure emptyLanesFigure(const PlanRun& run, const ScheduleFigureOptions& options) {
    requireDrawable(run, options);
    return EmptyLanes(run, options).draw();
}

}  // namespace stagecraft::views::figures
