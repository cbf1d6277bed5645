#include "views/resources/link_painter.h"

#include "core/base/indices.h"
#include "core/base/units.h"
#include "views/common/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft::views::resources {

namespace {

constexpr double loadHeadroom = 1.18;  // above the bandwidth or the highest load
constexpr double gridShare = 0.25;
constexpr int leastGap = 18;            // between labels, in pixels
constexpr double peakFaintness = 0.45;  // of the line of what was highest in a column
constexpr double bandFaintness = 0.82;  // of what is between that and the mean
constexpr float leastBeyond = 0.02f;    // of the bandwidth, from which it is said what the faint line is

}  // namespace

double LinkScene::ceiling() const {
    double highest = 1;
    for (std::size_t i = 0; i < data->links.size(); ++i)
        if (link < 0 || static_cast<int>(i) == link)
            highest = std::max(highest, data->links[i].shareOf(link < 0 ? data->links[i].peakBps
                                                                        : data->links[i].mostWantedBps));
    return loadHeadroom * highest;
}

QColor LinkScene::colourOf(std::size_t index) const {
    return stageLineColour(data->links[index].use.sources.front().stage, data->chart->plan().stageCount());
}

QString LinkPainter::limitText(const LinkScene& scene) const {
    QString text = QStringLiteral("bandwidth");
    if (scene.link >= 0)
        text += " " +
                QString::fromStdString(formatBandwidth(scene.data->links[at(scene.link)].use.bandwidthBps()));
    else if (scene.data->links.size() > LinkScene::mostLines)
        text += QStringLiteral(" · lines of the %1 busiest of %2 links")
                    .arg(LinkScene::mostLines)
                    .arg(scene.data->links.size());
    if (scene.link >= 0 && scene.data->links[at(scene.link)].demand)
        text += QStringLiteral(" · line: demand, if each were alone");
    else if (beyondMean_)
        text += QStringLiteral(" · line: mean over a pixel, faint: highest");
    return text;
}

void LinkPainter::paint(QPainter& painter, const LinkScene& scene, const QRect& area, const TimeAxis& axis) {
    const double ceiling = scene.ceiling();
    const std::vector<Level> levels = levelsOf(ceiling, area.height());
    if (!begin(painter, area, axis, ceiling, levels)) return;
    const double columnS = axis.spanS() / image().width();
    gather(scene, axis.t0, columnS);
    gatherPeaks(scene, axis.t0, columnS);
    paintPeaks(scene);
    if (scene.link >= 0) {
        paintStack();
        paintDemand(scene.data->links[at(scene.link)], axis.t0, columnS);
    } else {
        paintLines(scene);
    }
    paintImage(painter, area);
    paintLabels(painter, area, levels,
                paintLimit(painter, area, 1, Theme::current().mutedText, limitText(scene)));
}

/// Quarters of the bandwidth or, where what is above it leaves no room for them, multiples of it.
std::vector<SeriesPainter::Level> LinkPainter::levelsOf(double ceiling, int height) {
    const auto label = [](double share) { return QStringLiteral("%1 %").arg(qRound(100 * share)); };
    std::vector<Level> levels;
    if (height / ceiling / 2 < leastGap) {
        double stride = 1;
        while (height / ceiling * stride < leastGap) stride *= 2;
        for (double share = stride; share < ceiling; share += stride)
            if (share > 1) levels.push_back({share, label(share)});
        return levels;
    }
    const int labelled = height / ceiling * gridShare < leastGap ? 2 : 1;
    for (int step = 1; step * gridShare < 1; ++step)
        levels.push_back({step * gridShare, step % labelled == 0 ? label(step * gridShare) : QString()});
    return levels;
}

double LinkPainter::paintedShare(std::size_t link, double partOfWidth) const {
    const auto column = static_cast<std::size_t>(std::max(0.0, partOfWidth) * static_cast<double>(columns_));
    const std::size_t index = link * columns_ + std::min(column, columns_ - 1);
    return columns_ > 0 && index < loads_.size() ? loads_[index] : 0;
}

double LinkPainter::paintedPeak(std::size_t link, double partOfWidth) const {
    const auto column = static_cast<std::size_t>(std::max(0.0, partOfWidth) * static_cast<double>(columns_));
    if (columns_ == 0 || link >= peaks_.size() || peaks_[link].empty())
        return paintedShare(link, partOfWidth);
    return peaks_[link][std::min(column, columns_ - 1)];
}

double LinkPainter::meanAt(std::size_t link, std::size_t column) const {
    if (!stacked_) return loads_[link * columns_ + column];
    double sum = 0;
    for (std::size_t kind = 0; kind < loadKindCount; ++kind) sum += loads_[kind * columns_ + column];
    return sum;
}

void LinkPainter::gatherPeaks(const LinkScene& scene, double t0S, double columnS) {
    const LinkData& data = *scene.data;
    stacked_ = scene.link >= 0;
    beyondMean_ = false;
    peaks_.resize(data.links.size());
    for (std::size_t link = 0; link < data.links.size(); ++link) {
        const LinkSeries& series = data.links[link];
        peaks_[link].clear();
        if (!series.peaks || (stacked_ ? static_cast<int>(link) != scene.link : !scene.hasLine(link)))
            continue;
        series.peaks->bps.extremes(t0S, columnS, image().width(), extremes_);
        std::vector<float>& own = peaks_[link];
        own.resize(columns_);
        for (std::size_t x = 0; x < std::min(columns_, extremes_.size()); ++x) {
            // Of the same instants: no mean is above it but by rounding.
            own[x] = static_cast<float>(std::max(series.shareOf(extremes_[x].highBytes), meanAt(link, x)));
            beyondMean_ = beyondMean_ || own[x] > static_cast<float>(meanAt(link, x)) + leastBeyond;
        }
    }
}

void LinkPainter::paintPeaks(const LinkScene& scene) {
    const QRgb surface = Theme::current().surface.rgb();
    const auto colourOf = [&](std::size_t link) {
        return stacked_ ? Theme::current().mutedText.rgb() : scene.colourOf(link).rgb();
    };
    const bool alone = stacked_ || scene.data->links.size() == 1;
    for (std::size_t link = peaks_.size(); link-- > 0;) {
        if (peaks_[link].empty() || static_cast<int>(link) == scene.emphasised) continue;
        const bool faint = !stacked_ && scene.emphasised >= 0;
        const QRgb colour = faint ? towards(colourOf(link), surface, lineFaintness) : colourOf(link);
        paintPeak(link, colour, alone);
    }
    if (!stacked_ && scene.emphasised >= 0 && !peaks_[at(scene.emphasised)].empty())
        paintPeak(at(scene.emphasised), colourOf(at(scene.emphasised)), true);
}

/// A line where the highest is, and where `filled` a tint between that and the mean.
void LinkPainter::paintPeak(std::size_t link, QRgb colour, bool filled) {
    const QRgb surface = Theme::current().surface.rgb();
    const QRgb line = towards(colour, surface, peakFaintness), band = towards(colour, surface, bandFaintness);
    for (std::size_t x = 0; x < columns_; ++x) {
        const int mean = rowOf(meanAt(link, x)), top = rowOf(peaks_[link][x]);
        if (top >= mean) continue;
        if (filled) paintColumn(x, top, mean, band);
        paintColumn(x, top, std::min(top + thickness(), mean), line);
    }
}

/// Walks once through each lane that feeds what is shown and adds its blocks to all links that they use.
void LinkPainter::gather(const LinkScene& scene, double t0S, double columnS) {
    struct Feed {
        int lane;
        std::size_t slot, series;
        float share;  ///< of the column's capacity, a block
    };
    const LinkData& data = *scene.data;
    columns_ = at(image().width());
    const bool stacked = scene.link >= 0;
    loads_.assign((stacked ? loadKindCount : data.links.size()) * columns_, 0.0f);
    std::vector<Feed> feeds;
    for (std::size_t link = 0; link < data.links.size(); ++link) {
        if (stacked ? static_cast<int>(link) != scene.link : !scene.hasLine(link)) continue;
        const LinkSeries& series = data.links[link];
        for (const LoadSource& source : series.use.sources)
            feeds.push_back({source.lane, data.counts.slotOf(source),
                             stacked ? at(loadKindOf(source.kind)) : link,
                             static_cast<float>(series.shareOf(source.bytes) / columnS)});
    }
    std::stable_sort(feeds.begin(), feeds.end(),
                     [](const Feed& a, const Feed& b) { return a.lane < b.lane; });
    for (std::size_t next = 0; next < feeds.size();) {
        const int lane = feeds[next].lane;
        data.counts.columns(data.timeline(), lane, t0S, columnS, image().width(), counts_);
        const std::size_t perBlock = data.counts.sourceCount(lane);
        for (; next < feeds.size() && feeds[next].lane == lane; ++next) {
            float* out = &loadAt(feeds[next].series, 0);
            const float* in = counts_.data() + feeds[next].slot;
            for (std::size_t x = 0; x < columns_; ++x) out[x] += feeds[next].share * in[x * perBlock];
        }
    }
}

void LinkPainter::paintLines(const LinkScene& scene) {
    const QRgb surface = Theme::current().surface.rgb();
    for (std::size_t link = scene.data->links.size(); link-- > 0;)  // the busiest on top
        if (static_cast<int>(link) != scene.emphasised && scene.hasLine(link)) {
            const QRgb colour = scene.colourOf(link).rgb();
            paintLine(link, scene.emphasised >= 0 ? towards(colour, surface, lineFaintness) : colour);
        }
    if (scene.emphasised >= 0) paintLine(at(scene.emphasised), scene.colourOf(at(scene.emphasised)).rgb());
}

void LinkPainter::paintLine(std::size_t link, QRgb colour) {
    int before = -1;
    for (std::size_t x = 0; x < columns_; ++x) {
        const int row = std::max(0, std::min(rowOf(loadAt(link, x)), image().height() - thickness()));
        const int from = before < 0 ? row : std::min(row, before);
        const int to = (before < 0 ? row : std::max(row, before)) + thickness();
        paintColumn(x, from, std::min(to, image().height()), colour);
        before = row;
    }
}

/// The highest of each column, joined.
void LinkPainter::paintDemand(const LinkSeries& series, double t0S, double columnS) {
    if (!series.demand) return;
    series.demand->bps.extremes(t0S, columnS, image().width(), extremes_);
    const QRgb colour = Theme::current().text.rgb();
    int before = -1;
    for (std::size_t x = 0; x < std::min(columns_, extremes_.size()); ++x) {
        const int row =
            std::clamp(rowOf(series.shareOf(extremes_[x].highBytes)), 0, image().height() - thickness());
        const int from = before < 0 ? row : std::min(row, before);
        const int to = (before < 0 ? row : std::max(row, before)) + thickness();
        paintColumn(x, from, std::min(to, image().height()), colour);
        before = row;
    }
}

void LinkPainter::paintStack() {
    for (std::size_t kind = 0; kind < loadKindCount; ++kind) {
        const QRgb colour = shownBlockColour(loadKinds[kind]).rgb();
        for (std::size_t x = 0; x < columns_; ++x) {
            if (loadAt(kind, x) <= 0) continue;
            double below = 0;
            for (std::size_t lower = 0; lower < kind; ++lower) below += loadAt(lower, x);
            paintColumn(x, rowOf(below + loadAt(kind, x)), rowOf(below), colour);
        }
    }
}

}  // namespace stagecraft::views::resources
