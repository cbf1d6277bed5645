#pragma once

#include "views/resources/link_data.h"
#include "views/resources/series_painter.h"

namespace stagecraft::views::resources {

/// What a chart of links shows at the moment.
struct LinkScene {
    std::shared_ptr<const LinkData> data;
    int link = -1;        ///< the one that is shown stacked by kind; -1: a line for each
    int emphasised = -1;  ///< the one under the pointer in the list

    /// Share of the bandwidth at the upper edge: a little over 1, or over the highest load where links that
    /// several pairs of devices share are above it.
    double ceiling() const;
    /// Of many links the busiest have a line, and the one under the pointer in the list.
    bool hasLine(std::size_t index) const {
        return index < mostLines || static_cast<int>(index) == emphasised;
    }
    static constexpr std::size_t mostLines = 64;
    QColor colourOf(std::size_t link) const;  ///< of the stage that sends first
};

/// Draws the load of links as a share of their bandwidth: in each column of pixels the mean over its time,
/// and fainter above it the highest, where that is another.
class LinkPainter : SeriesPainter {
public:
    void paint(QPainter& painter, const LinkScene& scene, const QRect& area, const TimeAxis& axis);
    /// The share of its bandwidth that was painted last for a link, where all links are shown.
    double paintedShare(std::size_t link, double partOfWidth) const;
    /// The highest within that column of pixels, likewise; the mean where that is all that is known.
    double paintedPeak(std::size_t link, double partOfWidth) const;

private:
    static std::vector<Level> levelsOf(double ceiling, int height);
    void gather(const LinkScene& scene, double t0S, double columnS);
    void gatherPeaks(const LinkScene& scene, double t0S, double columnS);
    void paintPeaks(const LinkScene& scene);
    void paintPeak(std::size_t link, QRgb colour, bool filled);
    double meanAt(std::size_t link, std::size_t column) const;
    void paintLine(std::size_t link, QRgb colour);
    void paintLines(const LinkScene& scene);
    void paintStack();
    void paintDemand(const LinkSeries& series, double t0S, double columnS);
    QString limitText(const LinkScene& scene) const;
    float& loadAt(std::size_t series, std::size_t column) { return loads_[series * columns_ + column]; }

    std::size_t columns_ = 0;
    std::vector<float> loads_;  ///< [link or kind][column]: share of the bandwidth
    std::vector<float> counts_;
    std::vector<std::vector<float>> peaks_;  ///< [link][column]: likewise; empty where it is not known
    std::vector<StepSeries::Extremes> extremes_;
    bool stacked_ = false;
    bool beyondMean_ = false;  ///< somewhere the highest is well above the mean
};

}  // namespace stagecraft::views::resources
