#pragma once

#include "core/model/plan.h"
#include "core/model/problem.h"
#include "core/validation/network.h"

#include <iterator>
#include <map>
#include <vector>

namespace stagecraft::validation {

/// What of a layer falls to one rank of a group (PARALLELISM.md), worked out number by number; or was found
/// there, where the layer was measured on such ranks.
class RankPart {
public:
    /// @param samples of a microbatch
    /// @param imbalance of experts, as the setup has it
    RankPart(const Layer& layer, const Group& group, int samples, double imbalance);

    /// What is left of the layer's times on a rank, as shares of them.
    double forward = 1, backward = 1, weightGradient = 1;
    /// Seconds that are not among those, and are a rank's own whatever its part.
    LayerTimes unshared;
    double scoresRecompute = 1;  ///< of the layer's own
    /// Seconds that were measured instead, by samples of a microbatch; what is sent is in them. Empty: none.
    std::map<double, LayerTimes> measured;
    // Bytes, of one microbatch of one copy but for parameters.
    double denseParameters = 0, expertParameters = 0;
    double stored = 0, scores = 0, deferred = 0;

    double parameters() const { return denseParameters + expertParameters; }

private:
    void divide(const Layer& layer, const Group& group, double busiest);
};

/// On the straight line between the points around `at`, beyond them in proportion.
/// @param points by where they are, at least one
template <typename Point, typename Get>
double onLine(const std::map<double, Point>& points, double at, Get get) {
    const auto after = points.lower_bound(at);
    const auto near = after == points.end() ? std::prev(after) : after;
    if (after == points.end() || after == points.begin()) return get(near->second) * (at / near->first);
    const auto before = std::prev(after);
    const double slope = (get(after->second) - get(before->second)) / (after->first - before->first);
    return get(before->second) + slope * (at - before->first);
}

/// By how much a tensor that layers pass on is smaller on a rank.
double passedOnParts(const Group& group);

/// The devices of a stage in lists of those that do something together.
std::vector<std::vector<int>> sameDense(const Stage& stage);    ///< that hold the same dense parameters
std::vector<std::vector<int>> sameExperts(const Stage& stage);  ///< that hold the same experts

/// Seconds that a rank sends for a layer of a stage in a pass, over the slowest links that any of its groups
/// has.
struct SendingTimes {
    struct Passes {
        double forward = 0, backward = 0;
    };
    Passes tensor, context, experts;
    double forward() const { return tensor.forward + context.forward + experts.forward; }
    double backward() const { return tensor.backward + context.backward + experts.backward; }
};
/// In which devices that hold the same parameters sum up so many bytes for all of them, and in which they
/// gather or scatter so many once. @param start of each collective; 0: round a ring, latency does not count
double summingUpS(double bytes, const std::vector<int>& devices, const Network& network, double start);
double handingOutS(double bytes, const std::vector<int>& devices, const Network& network, double start);
/// How many bytes go from one device to another in either, and how many each is counted to send.
struct SentBetween {
    std::map<std::pair<int, int>, double> pairs;
    std::map<int, double> ways;  ///< besides, by the way that it goes along (Network::route)
    double each = 0;
};
/// @param sums whether it is the first
SentBetween sentBetween(double bytes, bool sums, const std::vector<int>& devices, const Network& network,
                        double start);
/// @param part of a copy's microbatch that the pass works on
SendingTimes sendingTimes(const Problem& problem, const Stage& stage, int layer, const Network& network,
                          double part);

/// What goes where in that, of all groups of the stage, in a forward or a backward.
/// @param kind which of the times
SentBetween sentInside(const Problem& problem, const Stage& stage, int layer, const Network& network,
                       double part, SendingTimes::Passes SendingTimes::*kind, bool backward);

/// A clause that says what about a stage's group cannot be, or nothing.
std::optional<std::string> whyGroupBroken(const Problem& problem, const Plan& plan, int stage);

}  // namespace stagecraft::validation
