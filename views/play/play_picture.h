#pragma once

#include "views/play/plan_band.h"
#include "views/timeline/legend_content.h"

#include <QSize>

namespace stagecraft::views::play {

inline constexpr int mostPlayedPlans = 4;

/// What a picture of playing plans shows beside their lanes, and how large its type is.
struct PictureStyle {
    double typePixels = 18;
    bool memory = true;
    bool cluster = false;
    bool communication = false;  ///< lanes of their own for transfers
    bool operator==(const PictureStyle&) const = default;
};

/// One to four plans at an instant, on one time axis: what a projector shows, and what a movie is made of.
/// Fills the size that it is given. In any thread, but in one at a time.
class PlayPicture {
public:
    PlayPicture(const std::vector<std::shared_ptr<const PlayData>>& plans, const QFont& family,
                const PictureStyle& style);

    void setSize(QSize size);
    /// Of the time axis, in seconds of the plans.
    void setRange(double t0, double t1);
    void paint(QPainter& painter, double timeS);

    const TimeAxis& axis() const { return axis_; }
    const QFont& font() const { return font_; }
    const PictureStyle& style() const { return style_; }
    const std::vector<PlanBand>& bands() const { return bands_; }
    QString title() const;
    /// From the first start of all plans to the last end.
    std::pair<double, double> span() const;

private:
    void layOut();
    void layOutAt(int typePixels);
    void layOutBands(QRect whole);
    QRect takeWords(QRect& whole) const;
    QRect takeCluster(QRect& whole) const;
    void layOutRows(const QRect& whole, int right, std::vector<PlanBand::Places>& places) const;
    void placeRows(QRect whole, PlanBand::Places& places) const;
    QString subtitle() const;
    void paintTitle(QPainter& painter) const;
    void paintAxis(QPainter& painter, const QRectF& badge) const;
    QFont sized(double part, bool bold = false) const;
    int margin() const { return static_cast<int>(style_.typePixels * 0.6); }
    int lineHeight() const;

    QFont font_;
    PictureStyle style_;
    std::vector<PlanBand> bands_;
    LegendContent legend_;
    double fullBytes_ = 0;
    QSize size_;
    QRect title_, legendPlace_;
    TimeAxis axis_;
    int axisBottom_ = 0;
};

}  // namespace stagecraft::views::play
