#include "views/resources/link_list.h"

#include "core/base/units.h"
#include "views/common/theme.h"

#include <numeric>

namespace stagecraft::views::resources {

namespace {

QString rate(double bps) { return QString::fromStdString(formatBandwidth(bps)); }
QString percent(double share) { return QString::fromStdString(formatPercent(share)); }

constexpr qsizetype mostNamed = 8;

QString waysText(const QStringList& ways) {
    if (ways.size() <= mostNamed) return ways.join(", ");
    return QStringLiteral("%1 and %2 more")
        .arg(ways.mid(0, mostNamed).join(", "))
        .arg(ways.size() - mostNamed);
}

/// Above 1 but for rounding: pairs of devices that share the link were charged as if each had it alone.
bool overloaded(const LinkSeries& link, double bps) { return link.shareOf(bps) > 1 + 1e-9; }

}  // namespace

LinkList::LinkList(const LinkScene* scene, QWidget* parent) : SeriesList(parent), scene_(scene) {}

double LinkList::bpsOf(std::size_t link) const {
    if (!instant()) return scene_->data->links[link].meanBps;
    const auto bps = scene_->data->bpsAt(link, *instant());
    return std::accumulate(bps.begin(), bps.end(), 0.0);
}

QStringList LinkList::heading() const {
    if (count() == 0) return {scene_->data ? QStringLiteral("Nothing is sent") : QString()};
    if (!instant()) return {"Mean load", "Mean"};
    const QString when = QString::fromStdString(formatSeconds(*instant()));
    return {"Load at " + when, "At " + when};
}

SeriesList::Row LinkList::row(int link) const {
    const auto index = static_cast<std::size_t>(link);
    const LinkSeries& it = seriesOf(link);
    const double bps = bpsOf(index);
    return {scene_->colourOf(index), it.names, percent(it.shareOf(bps)), overloaded(it, bps)};
}

std::vector<SeriesList::Part> LinkList::parts() const {
    const LinkSeries& link = seriesOf(scene_->link);
    const auto now = instant() ? scene_->data->bpsAt(static_cast<std::size_t>(scene_->link), *instant())
                               : link.meanByKindBps;
    std::vector<Part> parts;
    for (std::size_t kind = loadKindCount; kind-- > 0;)
        if (link.meanByKindBps[kind] > 0)
            parts.push_back({shownBlockColour(loadKinds[kind]),
                             {QString::fromStdString(loadKindName(kind))},
                             rate(now[kind])});
    return parts;
}

QString LinkList::tip(int link) const {
    const LinkSeries& it = seriesOf(link);
    QStringList lines = {waysText(it.ways), QStringLiteral("Bandwidth %1").arg(rate(it.use.bandwidthBps())),
                         QStringLiteral("Mean %1 (%2), peak %3 (%4)")
                             .arg(rate(it.meanBps), percent(it.shareOf(it.meanBps)), rate(it.peakBps),
                                  percent(it.shareOf(it.peakBps))),
                         QString::fromStdString(formatBytes(it.bytes)) + " in all"};
    if (overloaded(it, it.peakBps))
        lines << QStringLiteral("Several pairs of devices share it, and each is charged as if it were alone");
    if (it.mostWantedBps > it.peakBps * (1 + 1e-9))
        lines << QStringLiteral("Wanted of it: up to %1 (%2), if each transfer went as fast as alone")
                     .arg(rate(it.mostWantedBps), percent(it.shareOf(it.mostWantedBps)));
    lines << QStringLiteral("Click for what it carries");
    return lines.join('\n');
}

}  // namespace stagecraft::views::resources
