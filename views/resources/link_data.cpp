#include "views/resources/link_data.h"

#include "core/base/indices.h"

#include <algorithm>

namespace stagecraft::views::resources {

namespace {

constexpr std::size_t mostWithPeaks = 64;     // as many as have a line
constexpr std::size_t mostSteps = 4'000'000;  // of all peaks together: 100 MB

QStringList shorterAndShorter(const QStringList& ways) {
    if (ways.size() == 1) return ways;
    QStringList names;
    if (ways.size() == 2) names << ways.join(", ");
    names << QStringLiteral("%1 (×%2)").arg(ways.front()).arg(ways.size());
    // Both ends are read in the narrow list, too.
    QString close = ways.front();
    names << QStringLiteral("%1 ×%2")
                 .arg(close.replace(QStringLiteral(" → "), QStringLiteral("→")))
                 .arg(ways.size());
    return names;
}

/// visit(source, block) for each block that puts something on the link at the instant.
template <typename Visit>
void eachRunning(const LinkData& data, const LinkSeries& link, double timeS, Visit visit) {
    for (const LoadSource& source : link.use.sources) {
        const std::uint32_t block = data.counts.blockAt(data.timeline(), source.lane, timeS);
        if (block != noBlock && source.isOf(data.timeline(), block)) visit(source, block);
    }
}

/// Of links that are shared.
void addDemand(const Timeline& timeline, std::size_t& steps, LinkSeries& series) {
    LoadCurve demand = demandCurve(timeline, series.use);
    series.mostWantedBps = demand.peakBps();
    if ((steps += demand.timeS.size()) > mostSteps) return;
    std::vector<double> totals = totalsAt(demand, demand.timeS);
    series.demand = std::make_shared<const LinkPeaks>(std::move(demand.timeS), std::move(totals));
}

}  // namespace

LinkData::LinkData(std::shared_ptr<const ChartData> chartData) : chart(std::move(chartData)) {
    std::vector<LinkUse> uses =
        linkUses(*chart->run->costs, chart->plan(), chart->evaluation().lowered().edges, timeline());
    counts = TransferCounts(timeline(), uses);
    struct Totals {
        std::vector<double> timeS, bps;
    };
    std::vector<Totals> totals;  // by LinkSeries::index
    std::size_t steps = 0;
    for (LinkUse& use : uses) {
        LoadCurve curve = loadCurve(timeline(), use);
        LinkSeries series;
        series.index = static_cast<int>(links.size());
        series.use = std::move(use);
        for (const LinkWay& way : series.use.ways)
            series.ways << QString::fromStdString(nameOf(chart->cluster(), way));
        series.names = shorterAndShorter(series.ways);
        series.bytes = curve.bytes();
        series.peakBps = series.mostWantedBps = curve.peakBps();
        if (!timeline().sharedRuns.empty()) addDemand(timeline(), steps, series);
        for (std::size_t kind = 0; kind < loadKindCount && chart->endS > 0; ++kind) {
            series.meanByKindBps[kind] = curve.bytesOf(kind) / chart->endS;
            series.meanBps += series.meanByKindBps[kind];
        }
        links.push_back(std::move(series));
        Totals& own = totals.emplace_back();
        if ((steps += curve.timeS.size()) > mostSteps) continue;
        own.bps.reserve(curve.timeS.size());
        for (std::size_t step = 0; step < curve.timeS.size(); ++step) own.bps.push_back(curve.totalAt(step));
        own.timeS = std::move(curve.timeS);
    }
    std::stable_sort(links.begin(), links.end(), [](const LinkSeries& a, const LinkSeries& b) {
        return a.shareOf(a.meanBps) > b.shareOf(b.meanBps);
    });
    for (std::size_t link = 0; link < std::min(links.size(), mostWithPeaks); ++link)
        if (Totals& own = totals[at(links[link].index)]; !own.bps.empty())
            links[link].peaks = std::make_shared<const LinkPeaks>(std::move(own.timeS), std::move(own.bps));
}

std::array<double, loadKindCount> LinkData::bpsAt(std::size_t link, double timeS) const {
    std::array<double, loadKindCount> bps{};
    eachRunning(*this, links[link], timeS, [&](const LoadSource& source, std::uint32_t block) {
        bps[at(loadKindOf(source.kind))] += loadAt(timeline(), source, block, timeS);
    });
    return bps;
}

std::vector<std::uint32_t> LinkData::blocksAt(std::size_t link, double timeS) const {
    std::vector<std::uint32_t> blocks;
    eachRunning(*this, links[link], timeS,
                [&](const LoadSource&, std::uint32_t block) { blocks.push_back(block); });
    return blocks;
}

}  // namespace stagecraft::views::resources
