#include "views/figures/compare_figure.h"

#include "core/base/units.h"
#include "core/planners/standing.h"
#include "views/common/theme.h"
#include "views/figures/axis.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stagecraft::views {

namespace {

/// "531 ms", "531 ms, does not fit".
QString timeLabel(const PlanRun& run) {
    const QString time = QString::fromStdString(formatSeconds(run.iterationTimeS()));
    const Standing standing = standingOf(run);
    return standing == Standing::fits ? time : time + ", " + standingName(standing);
}

/// As the table lists them at first: what does not fit or is out of date comes last.
std::vector<const PlanRun*> sortedRuns(const std::vector<std::shared_ptr<const PlanRun>>& runs) {
    std::vector<const PlanRun*> order;
    for (const auto& run : runs) order.push_back(run.get());
    const auto key = [](const PlanRun* run) {
        return std::pair(standingOf(*run), run->ok() ? run->iterationTimeS() : INFINITY);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](const PlanRun* a, const PlanRun* b) { return key(a) < key(b); });
    return order;
}

}  // namespace

Figure compareFigure(const std::vector<std::shared_ptr<const PlanRun>>& runs, double widthMm, double fontPt,
                     double barMm) {
    if (runs.empty()) throw std::invalid_argument("no plans to compare");
    const std::vector<const PlanRun*> order = sortedRuns(runs);
    const bool anyFits = standingOf(*order.front()) == Standing::fits;

    const double em = mmOfPoints(fontPt), row = barMm > 0 ? barMm : 1.7 * em;
    double labelMm = 0, slowest = 0;
    for (const PlanRun* run : order) {
        labelMm = std::max(labelMm, textWidthMm(QString::fromStdString(run->title()), fontPt));
        if (run->ok()) slowest = std::max(slowest, run->iterationTimeS());
    }
    double valueMm = textWidthMm("000 ms", fontPt);
    for (const PlanRun* run : order)
        if (run->ok()) valueMm = std::max(valueMm, textWidthMm(timeLabel(*run), fontPt));
    valueMm += 1.5;
    const FigureScale scale{0, std::max(slowest, 1e-12), std::min(labelMm, widthMm * 0.4) + 1.6,
                            widthMm - valueMm};
    Figure figure{widthMm, 0, "Iteration time", {}};
    double y = 0.3;
    for (const PlanRun* run : order) {
        const double middle = y + row / 2;
        figure.add(FigureText{{scale.startMm - 1, middle},
                              cutToWidth(QString::fromStdString(run->title()), scale.startMm - 1.4, fontPt),
                              fontPt,
                              TextAnchor::end,
                              TextRise::middle});
        if (run->ok()) {
            const double end = scale.at(run->iterationTimeS());
            figure.add(FigureRectangle{
                QRectF(scale.startMm, y + 0.15 * row, end - scale.startMm, 0.7 * row),
                Fill{blockColour(anyFits && run == order.front() ? BlockKind::backward : BlockKind::forward)},
                {},
                anyFits && run == order.front() ? "fastest" : "plan"});
            figure.add(FigureText{
                {end + 0.8, middle}, timeLabel(*run), fontPt, TextAnchor::start, TextRise::middle});
        } else {
            figure.add(FigureText{{scale.startMm + 0.8, middle},
                                  standingName(standingOf(*run)),
                                  fontPt,
                                  TextAnchor::start,
                                  TextRise::middle,
                                  0,
                                  QColor(0x80, 0x80, 0x80)});
        }
        y += row;
    }
    const Stroke axis{QColor(0x40, 0x40, 0x40), 0.15, {}};
    figure.add(FigureLine{{scale.startMm, 0.3}, {scale.startMm, y}, axis, false, "axis"});
    figure.add(FigureText{{(scale.startMm + scale.endMm) / 2, y + 0.5 * em},
                          "iteration time",
                          fontPt,
                          TextAnchor::middle,
                          TextRise::top});
    figure.heightMm = std::ceil((y + 1.6 * em) * 10) / 10;
    return figure;
}

}  // namespace stagecraft::views
