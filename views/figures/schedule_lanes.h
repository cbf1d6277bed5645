#pragma once

#include "views/common/lane_list.h"

namespace stagecraft::views::figures {

/// One lane of a timeline as a row of a figure.
struct PrintedLane {
    int lane = 0;
    QString label;
    bool compute = true;  ///< else communication, drawn lower
};

/// What authors call the lanes that compute: a pattern in which {n} is the lane's number from 1 and {i} from
/// 0, {gpu} its devices and {stages} its stages ("GPU {n}"), or the names themselves, "P1|P2|P3", of which
/// missing ones stay as they are.
class LaneNaming {
public:
    /// @param firstStage the number of the first stage @throws std::invalid_argument for another word in
    /// braces
    explicit LaneNaming(const std::string& names, int firstStage = 0);
    int firstStage() const { return firstStage_; }
    /// `usual` if nothing else was given. @param position among the lanes that compute, from 0
    QString nameOf(const ShownRun& run, int lane, int position, const QString& usual) const;

private:
    QStringList names_;
    bool pattern_ = false;
    int firstStage_ = 0;
};

/// What devices are called where their memory is drawn: as the lanes in which they compute, if authors name
/// these.
QString devicesName(const ShownRun& run, const LaneNaming& naming, const std::vector<int>& devices);

/// The lanes as they are listed in print. Labels are the longest of their names that fits `labelMm` for every
/// row of their kind, so that they read alike; what does not fit at all is cut with an ellipsis.
std::vector<PrintedLane> printedLanes(const ShownRun& run, bool communication, double labelMm, double fontPt,
                                      const LaneNaming& naming = LaneNaming({}));
/// Those of them that are to be drawn. @param lanes of the timeline; empty: all
/// @throws std::invalid_argument if there is none
std::vector<PrintedLane> chosenLanes(std::vector<PrintedLane> rows, const std::vector<int>& lanes,
                                     bool firstStageBelow);

}  // namespace stagecraft::views::figures
