#pragma once

#include "views/common/block_colouring.h"
#include "views/timeline/chart_data.h"

#include <QFont>
#include <QPainter>
#include <QStringList>

#include <vector>

namespace stagecraft::views::timeline {

/// What colours, textures and marks of a chart mean; only what occurs. Wraps where it is narrow. Paints for
/// any thread.
class LegendContent {
public:
    struct Marks {
        bool bubbles = true;
        bool criticalPath = false;
        bool updates = false;
        bool bellwethers = false;
        bool predictions = false;
        bool inside = false;    ///< what is sent within stages' groups
        bool kernels = false;   ///< blocks of kind `other` are what a recording saw
        bool planned = false;   ///< outlines of a plan over what was recorded
        bool otherRun = false;  ///< they are of another run
        bool operator==(const Marks&) const = default;
    };

    void setKinds(std::vector<BlockKind> kinds) { kinds_ = std::move(kinds); }
    /// In place of the kinds the steps of another colouring; by kind: the kinds again.
    void setColouring(const BlockClasses& classes);
    void setMarks(const Marks& marks) { marks_ = marks; }
    /// What the numbers in blocks are, where that is not plain; empty: nothing.
    void setNumbers(const QString& meaning) { numbers_ = meaning; }
    QStringList texts() const;  ///< of all items, in order

    /// @param scale how many times larger than in a window all is, but for the font, which says it itself
    int heightFor(int width, const QFont& font, double scale = 1) const;
    /// With the painter's font, from `corner` to the right and down.
    void paint(QPainter& painter, QPoint corner, int width, double scale = 1) const;

private:
    enum class Sign { none, block, step, bubble, critical, planned, inside, update, bellwether, prediction };
    struct Item {
        Sign sign = Sign::none;
        QString text;
        BlockKind kind = BlockKind::forward;
        ColourStep step;
        bool last = true;  ///< of what belongs together
        QRect chip;        ///< with the text to its right
    };
    std::vector<Item> items() const;
    std::vector<Item> placed(int width, const QFontMetrics& metrics, double scale) const;
    static void paintSign(QPainter& painter, const Item& item);

    std::vector<BlockKind> kinds_;
    BlockColouring colouring_ = BlockColouring::kind;
    QString title_;
    std::vector<ColourStep> steps_;
    QString numbers_;
    Marks marks_;
};

/// The kinds of blocks in the lanes of a chart, in the order of the kinds.
std::vector<BlockKind> kindsIn(const ChartData& data, bool communication);
/// What the numbers in the blocks of a chart are, where that is not plain; empty: it is.
QString numbersMeaning(const ChartData& data);
/// Which marks a chart has, without those that are asked for.
LegendContent::Marks marksIn(const ChartData& data);

}  // namespace stagecraft::views::timeline
