#pragma once

#include "views/play/cluster_picture.h"
#include "views/play/memory_strip.h"
#include "views/play/play_words.h"
#include "views/timeline/gantt_painter.h"

#include <optional>

namespace stagecraft::views::play {

/// One plan of a picture: its lanes with their labels, its memory below, what happens in words, and its
/// cluster where that is wanted.
class PlanBand {
public:
    PlanBand(std::shared_ptr<const PlayData> data, bool communication, bool cluster);
    PlanBand(PlanBand&&) = default;

    /// Where the parts of it are; empty: not there.
    struct Places {
        QRect words;
        bool named = false;  ///< the words begin with the plan's name
        QRect labels, lanes, memory, cluster;
    };
    void layOut(const Places& places, const QFont& font);
    const Places& places() const { return places_; }
    /// Of the longest label, in that font, or as small as lanes of `lanesHeight` pixels in all need it.
    double labelWidth(const QFont& font, int lanesHeight) const;
    double clusterAspect() const { return cluster_ ? cluster_->aspect() : 1; }
    /// Whether lanes are high enough for numbers that can be read beside words of that type.
    bool lanesHoldNumbers() const;
    int rowCount() const { return static_cast<int>(scene_.rows.size()); }

    /// @param fullBytes at the upper edge of the memory
    void paint(QPainter& painter, const TimeAxis& axis, double fullBytes, double timeS);

    const PlayData& data() const { return *data_; }
    const GanttScene& scene() const { return scene_; }
    /// The line of words at an instant, as wide as there is room.
    QString words(double timeS) const;
    QString name() const;
    /// "0–767 MiB"
    static QString memoryScale(double fullBytes);
    /// "peak 385 MiB", the plan's own; empty where it holds nothing.
    QString memoryPeak() const { return memory_.peakText(); }
    const QFont& labelFont() const { return labelFont_; }

private:
    double labelWidth(const QFont& font) const;
    /// @param room for the longest label
    QFont labelFontFor(const QFont& type, int lowestLane, double room) const;
    void paintLabels(QPainter& painter) const;
    void paintMemoryLabels(QPainter& painter, double fullBytes) const;
    void paintWords(QPainter& painter, double timeS) const;
    void setBlockType(const TimeAxis& axis);
    double wordsRoom() const;
    QFont bold() const;

    std::shared_ptr<const PlayData> data_;
    PlayWords words_;
    MemoryStrip memory_;
    std::optional<ClusterPicture> cluster_;
    GanttPainter painter_;
    GanttScene scene_;
    QFont font_, labelFont_;
    double shortPassS_ = 0;  ///< how long the shortest of the first passes takes
    int lowestLane_ = 0;     ///< pixels, of those that compute
    Places places_;
    double blockPixels_ = 0;  ///< of the text in blocks
};

}  // namespace stagecraft::views::play
