#include "views/timeline/planned_outlines.h"

#include "views/common/text.h"
#include "views/common/theme.h"

#include <QPainter>
#include <QPen>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::timeline {

namespace {

/// "3.2 ms later", "as planned".
QString againstPlan(double differenceS, double scaleS, const char* more, const char* less, bool ofRun) {
    if (std::abs(differenceS) <= 0.001 * scaleS)
        return ofRun ? QStringLiteral("as in the other") : QStringLiteral("as planned");
    return secondsText(std::abs(differenceS)) + ' ' + QLatin1String(differenceS > 0 ? more : less);
}

}  // namespace

QPen plannedPen() {
    QPen pen(Theme::current().text, 1.2);
    pen.setJoinStyle(Qt::MiterJoin);
    return pen;
}

PlannedOutlines::PlannedOutlines(const Timeline& timeline, std::vector<PlannedTime> times, QString plan,
                                 bool ofRun)
    : times_(std::move(times)), lanes_(timeline.lanes.size()), plan_(std::move(plan)), ofRun_(ofRun) {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        std::vector<PlannedTime>& own = lanes_[lane];
        for (std::uint32_t b = timeline.lanes[lane].firstBlock; b < timeline.lanes[lane].endBlock; ++b)
            if (times_[b].known) own.push_back(times_[b]);
        std::ranges::sort(own, {}, &PlannedTime::startS);
    }
}

void paintPlannedSample(QPainter& painter, const QRect& chip) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(plannedPen());
    painter.drawRect(QRectF(chip).adjusted(1, 1, -1, -1));
}

std::vector<std::pair<QString, QString>> plannedRows(const PlannedOutlines& planned, const Timeline& timeline,
                                                     std::uint32_t block) {
    const PlannedTime& own = planned.of(block);
    if (!own.known)
        return {{planned.word(),
                 planned.ofRun() ? QStringLiteral("does not have it") : QStringLiteral("not in the plan")}};
    const double lengthS = own.endS - own.startS;
    std::vector<std::pair<QString, QString>> rows{
        {planned.word(), QStringLiteral("%1 from %2").arg(secondsText(lengthS), secondsText(own.startS))},
        {QStringLiteral("began"),
         againstPlan(timeline.startS[block] - own.startS, lengthS, "later", "earlier", planned.ofRun())},
        {QStringLiteral("took"),
         againstPlan(timeline.durationS(block) - lengthS, lengthS, "longer", "less", planned.ofRun())}};
    if (own.behind != noBlock)
        rows.insert(rows.begin() + 2, {QStringLiteral("after"), qtText(describeBlock(timeline, own.behind))});
    return rows;
}

}  // namespace stagecraft::views::timeline
