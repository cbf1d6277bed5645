#pragma once

#include "views/timeline/gantt_scene.h"

#include <QObject>

namespace stagecraft::views::timeline {

/// The rows of a Gantt chart: which lanes have one, in the order that a person has chosen, and how busy the
/// servers are whose lanes are one band.
class GanttRows : public QObject {
    Q_OBJECT
public:
    /// Fills the rows and curves of `scene`, which must outlive it.
    GanttRows(GanttScene& scene, QObject* parent);

    /// After the scene has other data.
    void reset();
    void setArrangement(const LaneArrangement& arrangement);
    /// After the scene shows other lanes.
    void rebuild();
    /// Opens the streams of all lanes where so little time is shown that their blocks can be told apart, and
    /// closes them where far more is. @return whether there are other rows now
    bool followZoom(double spanS);

    /// Writes beside each lane that computes for how much of the run it is busy: without a barrier of its
    /// steady state, as its bubbles are; or of `marked`.
    void showShares(std::optional<std::pair<double, double>> marked);
    /// What the shares are of, in a word or two; empty while there are none.
    QString shareHeading() const;

    /// The lanes that a row shows as one band; null where it shows a lane.
    const LaneGroup* groupOf(int index) const;
    /// How busy a band is from t0S to t1S, in words; empty while it is not known.
    QString shareText(int index, double t0S, double t1S) const;

signals:
    void sharesKnown();

private:
    void findBusyShares();
    bool hasHits(const LaneRow& row) const;
    void keepHits(std::vector<LaneRow>& rows) const;
    void prepareCurves();
    void writeShares();
    std::pair<double, double> sharedRange() const;
    /// Of the shares while no range is marked, by which lanes are sorted.
    std::pair<double, double> unmarkedRange() const;
    void nameShares();

    GanttScene& scene_;
    LaneArrangement arrangement_;
    bool shares_ = false;
    bool allStreams_ = false;  ///< as the zoom has it
    std::optional<std::pair<double, double>> marked_;
    std::vector<double> busyShares_;  ///< by lane, once they are needed
    std::vector<LaneGroup> groups_;   ///< likewise
};

}  // namespace stagecraft::views::timeline
