#pragma once

#include "core/cost/stage_edges.h"
#include "core/model/timeline.h"

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft::analysis {

/// What travels on links; of passes what their stages' groups send while they compute.
inline constexpr std::array loadKinds = {BlockKind::transferForward,
                                         BlockKind::transferBackward,
                                         BlockKind::allReduce,
                                         BlockKind::swapOut,
                                         BlockKind::swapIn,
                                         BlockKind::reduceScatter,
                                         BlockKind::allGather,
                                         BlockKind::forward,
                                         BlockKind::backward,
                                         BlockKind::inputGradient,
                                         BlockKind::pair,
                                         BlockKind::recompute,
                                         BlockKind::headInput,
                                         BlockKind::headBarrier,
                                         BlockKind::headGradient,
                                         BlockKind::embeddingOutput,
                                         BlockKind::embeddingReturn};
inline constexpr std::size_t loadKindCount = loadKinds.size();
/// Position in loadKinds, or -1.
int loadKindOf(BlockKind kind);
/// "transfer forward"; "inside forward" for what is sent within a stage. @param kind position in loadKinds
std::string loadKindName(std::size_t kind);

/// One way of a link of the cluster, or a device's link to its host, whose two ways count as one.
struct LinkWay {
    int link = -1;      ///< index into Cluster::links; -1: a host link
    bool back = false;  ///< from Link::b to Link::a
    int device = -1;    ///< of a host link
    double bandwidthBps = 0;
    bool operator==(const LinkWay&) const = default;
};

/// The ids of the things that it leads from and to; of a host link "host" and the device.
std::pair<std::string, std::string> endsOf(const Cluster& cluster, const LinkWay& way);
/// "s0g0 → s0", "host of s0g0"
std::string nameOf(const Cluster& cluster, const LinkWay& way);

/// A time in a pass, as shares of it alone, and which part of what the pass sends goes in it.
struct SentPart {
    double from = 0, to = 0;
    double share = 0;
    auto operator<=>(const SentPart&) const = default;
};

/// Each block of that kind and (sending) stage on the lane sends that many bytes: evenly from its start to
/// its end or, where it had to share links, at the rates that the timeline has.
struct LoadSource {
    int lane = 0;
    BlockKind kind = BlockKind::transferForward;
    int stage = 0;
    double bytes = 0;
    /// Where the stage sends to several stages over the lane: each block that lasts as long, alone. 0: each.
    double lastingS = 0;
    int backwardStage = -1;  ///< of pairs: whose backward it is; -1 of all else
    /// Where links are shared, of passes: what goes in parts of them, ascending; what is left goes evenly.
    /// nullptr: all does.
    std::shared_ptr<const std::vector<SentPart>> parts{};

    bool operator==(const LoadSource& other) const;

    bool isOf(const Timeline& timeline, std::uint32_t block) const;  ///< a block of the lane
};

/// Ways that carry the same at every instant, and what.
struct LinkUse {
    std::vector<LinkWay> ways;  ///< of one bandwidth; links of the cluster first, ascending
    std::vector<LoadSource> sources;

    double bandwidthBps() const { return ways.front().bandwidthBps; }
    bool carries(const Timeline& timeline, int lane, std::uint32_t block) const;
};

/// All ways that carry anything on the timeline, by their first way. A transfer between two stages is spread
/// evenly over the pairs of their devices and takes each pair's path (as in linkLoads); an AllReduce goes
/// around the ring of its devices; swaps take their device's host link, at their mean while network transfers
/// hold them up; what ranks of a group send each other (InsideHop) is spread evenly over the pass or, where
/// links are shared, goes when the pass sends (InsideStep). What lasts no time is left out.
///
/// One pair of devices never sends faster than its path is wide, so a way that carries one pair at a time, as
/// a link between two devices or a host link does, is never above its bandwidth. The cost model charges pairs
/// independently of each other (SPP III-B): where several share a link, the load may exceed it, and shows
/// that the time of the transfer is too good.
std::vector<LinkUse> linkUses(const CostModel& costs, const Plan& plan, const SharedStageEdges& edges,
                              const Timeline& timeline);

/// Bytes per second on one way over time, as steps: bps[kind][i] holds from timeS[i] to timeS[i+1]. The
/// integral over a block is the bytes that it transfers there.
struct LoadCurve {
    std::vector<double> timeS;  ///< ascending, first entry 0
    std::array<std::vector<double>, loadKindCount> bps;

    double totalAt(std::size_t step) const;
    std::size_t stepAt(double timeS_) const;
    double peakBps() const;
    double bytesOf(std::size_t kind) const;  ///< carried in all; by position in loadKinds
    double bytes() const;                    ///< of all kinds
};

LoadCurve loadCurve(const Timeline& timeline, const LinkUse& use);
/// What would be on it if each block that is under way went as fast as alone: the load, but where links are
/// shared.
LoadCurve demandCurve(const Timeline& timeline, const LinkUse& use);
/// Of a curve at these instants. The load of a link has steps wherever what was wanted of it has.
std::vector<double> totalsAt(const LoadCurve& curve, std::span<const double> timeS);

/// Of what a block of the source sends, the part that is left to send then: 1 to 0.
double partLeft(const Timeline& timeline, const LoadSource& source, std::uint32_t block, double atS);
/// What it puts on the way at that instant, in bytes per second.
double loadAt(const Timeline& timeline, const LoadSource& source, std::uint32_t block, double atS);

/// The kinds of a table of the uses: ReduceScatter, AllGather and passes only where something carries them.
std::vector<std::size_t> shownLoadKinds(const std::vector<LinkUse>& uses);

}  // namespace stagecraft::analysis
