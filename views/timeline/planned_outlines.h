#pragma once

#include "core/model/timeline.h"
#include "views/rooms.h"

#include <QRect>
#include <QString>

#include <cstdint>
#include <utility>
#include <vector>

class QPainter;
class QPen;

namespace stagecraft::views::timeline {

/// From when to when a plan has a block.
struct PlannedTime {
    double startS = 0;
    double endS = 0;
    bool known = false;  ///< else the plan does not have it
    /// The recorded block that it followed; noBlock: none, or not known.
    std::uint32_t behind = noBlock;
};

/// What a plan foresaw for the blocks that were recorded, on their time axis.
class PlannedOutlines {
public:
    /// @param times by block of the recorded timeline
    /// @param ofRun they are of another run, not of a plan
    PlannedOutlines(const Timeline& timeline, std::vector<PlannedTime> times, QString plan,
                    bool ofRun = false);

    const PlannedTime& of(std::uint32_t block) const { return times_[block]; }
    /// Of the blocks of a lane, by planned start.
    const std::vector<PlannedTime>& inLane(int lane) const { return lanes_[static_cast<std::size_t>(lane)]; }
    const QString& plan() const { return plan_; }  ///< its title
    bool ofRun() const { return ofRun_; }
    /// "planned", or "the other run".
    QString word() const { return ofRun_ ? QStringLiteral("the other run") : QStringLiteral("planned"); }

private:
    std::vector<PlannedTime> times_;
    std::vector<std::vector<PlannedTime>> lanes_;
    QString plan_;
    bool ofRun_ = false;
};

QPen plannedPen();  ///< that outlines are drawn with
/// As the legend shows them.
void paintPlannedSample(QPainter& painter, const QRect& chip);
/// Rows of the card under the pointer: what was planned for the block, and how much later or longer it was.
std::vector<std::pair<QString, QString>> plannedRows(const PlannedOutlines& planned, const Timeline& timeline,
                                                     std::uint32_t block);

}  // namespace stagecraft::views::timeline
