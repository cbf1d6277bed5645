#pragma once

#include "views/timeline/block_raster.h"
#include "views/timeline/gantt_scene.h"

#include <QFont>
#include <QImage>
#include <QStaticText>

#include <memory>
#include <vector>

class QPainter;

namespace stagecraft::views::timeline {

class GanttPainter {
public:
    /// @param enlarged how many times larger than usual the text in blocks is
    void setFont(const QFont& font, double enlarged = 1);
    void paint(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);

private:
    struct Label {
        QPointF position;
        std::size_t text;
    };

    void paintBlocks(QPainter& painter, const GanttScene& scene, const QRect& area, const TimeAxis& axis);
    void findLeastWidth(const GanttScene& scene);
    void collectLabel(const GanttScene& scene, std::uint32_t block, const QRectF& visible);
    void paintLabels(QPainter& painter);
    /// Blocks and their numbers again where arrows lie over the numbers. @param covered by the arrows
    void freeLabels(QPainter& painter, const QRect& area, const QPainterPath& covered);
    /// Texts of pairs come after those of microbatches.
    std::size_t firstPairText() const;
    std::size_t numberOf(int miniBatch, int microbatch, int slice = 0) const;
    void addLabel(std::size_t text, const QRectF& place, std::vector<Label>& labels);
    void paintComing(QPainter& painter);
    std::size_t textOf(std::uint32_t block, const Timeline& timeline) const;
    /// Of pairs, then of labels.
    QString textBeyondNumbers(std::size_t text) const;
    const QStaticText& label(std::size_t text);

    QFont font_;
    BlockNumbers numbers_;
    std::weak_ptr<const ChartData> textsOf_;           ///< whose numbers are in texts_
    std::vector<std::unique_ptr<QStaticText>> texts_;  ///< words, numbers of passes, pairs, labels
    struct UprightLabel {
        QPointF centre;
        std::size_t text;
        QColor colour;
    };
    std::vector<Label> onLight_, onDark_;
    std::vector<Label> coming_;          ///< of blocks that have not begun
    std::vector<UprightLabel> upright_;  ///< in blocks that are narrow and high
    double leastNumberWidth_ = 0;
    std::vector<float> shares_;
    std::vector<int> seams_;
    QImage image_;
};

}  // namespace stagecraft::views::timeline
