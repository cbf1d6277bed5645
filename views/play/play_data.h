#pragma once

#include "core/analysis/playback.h"
#include "core/cost/routes.h"
#include "core/simulation/block_graph.h"
#include "views/timeline/chart_data.h"
#include "views/topology/topology_scene.h"

#include <QPolygonF>

#include <map>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace stagecraft::views::topology {
class LinkTracks;
}

namespace stagecraft::views::play {

/// The line on which a packet travels, in scene units of the cluster's picture.
class PacketTrack {
public:
    PacketTrack(QPolygonF line, int fromDevice);

    const QPolygonF& line() const { return line_; }
    int fromDevice() const { return fromDevice_; }
    /// Where what has done `part` of the way is; from 0 to 1.
    QPointF at(double part) const;

private:
    QPolygonF line_;
    std::vector<double> lengths_;  ///< from the start to each point
    int fromDevice_;
};

/// What playing one plan needs, made once, off the GUI thread where that takes long.
struct PlayData {
    /// Stopped, it has no tracks.
    explicit PlayData(std::shared_ptr<const PlanRun> planRun, const std::stop_token& stop = {});

    std::shared_ptr<const PlanRun> run;
    std::shared_ptr<const ChartData> chart;
    std::shared_ptr<TopologyScene> scene;  ///< without the run: devices have the colours of what they do
    Playback playback;
    BlockGraph graph;                              ///< what waits for what
    std::vector<std::vector<PacketTrack>> tracks;  ///< by lane
    /// Once around each ring of a stage's ranks that send to each other within a pass, by stage and kind.
    std::map<std::pair<int, InsideKind>, std::vector<PacketTrack>> insideTracks;
    /// Of what a device computes at that instant: what its ranks send; nothing while they only compute.
    struct Sending {
        const std::vector<PacketTrack>* tracks = nullptr;
        double part = 0;  ///< of it that is over, 0 to 1
    };
    std::optional<Sending> sendingIn(std::uint32_t block, double timeS) const;
    /// By server, in scene units: the memory of the host to which its GPUs swap; empty where none does.
    std::vector<QRectF> hosts;
    /// What gauges and curves of memory are full at: the most that any device holds, or the limit where that
    /// is near.
    double fullBytes = 0;
    std::vector<double> limitBytes;  ///< by device; 0: none

private:
    void addHostTracks(std::size_t lane);
    void addInsideTracks(Routes& routes, const LinkTracks& lines);
};

}  // namespace stagecraft::views::play
