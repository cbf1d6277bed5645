#include "views/vpipe/throughput_series.h"

#include "core/base/units.h"
#include "views/common/text.h"
#include "views/vpipe/hover_drawing.h"

#include <QStringList>

#include <algorithm>

namespace stagecraft::views::vpipe {

using planners::vpipe::ThroughputPoint;

const std::vector<ThroughputSeries>& throughputSeries() {
    static const std::vector<ThroughputSeries> series = {
        {"ideal", "ideal", &ThroughputPoint::ideal, {0x00, 0x00, 0x00}, {0xE6, 0xEA, 0xF0}, 0.3, {0.3, 0.7}},
        {"static",
         "static",
         &ThroughputPoint::staticSystem,
         {0xD5, 0x5E, 0x00},
         {0xE6, 0x7A, 0x2A},
         0.4,
         {2.4, 0.8}},
        {"swap and recompute alone",
         "swap and recompute",
         &ThroughputPoint::swapRecompute,
         {0x00, 0x9E, 0x73},
         {0x2F, 0xC0, 0x96},
         0.4,
         {1.1, 0.7}},
        {"vPipe", "vpipe", &ThroughputPoint::full, {0x00, 0x72, 0xB2}, {0x56, 0xB4, 0xE9}, 0.6, {}}};
    return series;
}

std::vector<ThroughputSpan> throughputSpans(const std::vector<ThroughputPoint>& points) {
    std::vector<ThroughputSpan> spans;
    for (std::size_t i = 0; i + 1 < points.size(); ++i)
        if (points[i + 1].atS > points[i].atS) spans.push_back({points[i].atS, points[i + 1].atS, i});
    return spans;
}

QString throughputText(const ThroughputPoint& point) {
    QString rows;
    const auto& series = throughputSeries();
    for (auto each = series.rbegin(); each != series.rend(); ++each) {
        const double value = point.*(each->value);
        const QString number = value > 0 ? qtText(formatNumber(value)) + QStringLiteral(" samples/s")
                                         : QStringLiteral("does not fit");
        rows += spotRow(QString::fromLatin1(each->title), number);
    }
    if (point.staticMicrobatchSize > 0)
        rows += spotRow(QStringLiteral("Static microbatch"), QString::number(point.staticMicrobatchSize));
    if (point.migrationS > 0) {
        rows += spotRow(QStringLiteral("Migration took"), qtText(formatSeconds(point.migrationS)));
        rows += spotRow(QStringLiteral("and cost"), qtText(formatSeconds(point.stallS)));
    }
    QStringList sizes;
    for (const int size : point.layersOfStage) sizes << QString::number(size);
    rows += spotRow(QStringLiteral("Layers of the stages"), sizes.join(' '));
    return spotTable(qtText(formatSeconds(point.atS) + ": " + point.what), rows);
}

std::vector<std::size_t> networkChanges(const std::vector<ThroughputPoint>& points) {
    std::vector<std::size_t> changes;
    for (std::size_t i = 1; i + 1 < points.size(); ++i)
        if (!(points[i].migrationS > 0 || points[i].atS <= points[i - 1].atS)) changes.push_back(i);
    return changes;
}

QString shortChange(const QString& what) {
    const QStringList words = what.split(' ');
    if (words.size() < 2) return what;
    if (what.contains(QStringLiteral("added")))
        return QStringLiteral("+%1 on stage %2").arg(words.first(), words.last());
    if (what.contains(QStringLiteral("removed")))
        return QStringLiteral("−%1 on stage %2").arg(words.first(), words.last());
    if (what.contains(QStringLiteral("scaled")) && words.size() > 3)
        return QStringLiteral("×%1 on stage %2").arg(words.last(), words[3]);
    return what;
}

QString shorterChange(const QString& what) {
    return shortChange(what).replace(QStringLiteral("on stage "), QStringLiteral("on "));
}

double mostLayersOf(const std::vector<ThroughputPoint>& points) {
    double most = 0;
    for (const ThroughputPoint& point : points) {
        double sum = 0;
        for (const int size : point.layersOfStage) sum += size;
        most = std::max(most, sum);
    }
    return most;
}

double mostThroughputOf(const std::vector<ThroughputPoint>& points) {
    double most = 0;
    for (const ThroughputPoint& point : points)
        for (const ThroughputSeries& each : throughputSeries()) most = std::max(most, point.*(each.value));
    return most;
}

}  // namespace stagecraft::views::vpipe
