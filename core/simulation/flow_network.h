#pragma once

#include "core/simulation/link_flows.h"

#include <span>
#include <vector>

namespace stagecraft::simulation {

/// The flows that are under way, and how fast each goes: max-min fairly (Bertsekas and Gallager, Data
/// Networks, 1992, Sec. 6.5.2). All of them grow alike until one is as fast as alone or a way that it crosses
/// is full; there it stays, and the others grow on. So a flow that is slower than alone crosses a full way on
/// which nobody is faster. Only flows that full ways join to those that come or go are worked out anew.
class FlowNetwork {
public:
    /// @param flows must outlive it; their crossings count into wayBps @param lanes on each of which at most
    /// one flow goes at a time
    FlowNetwork(const std::vector<LinkFlow>& flows, std::vector<double> wayBps, std::size_t lanes);

    /// A flow begins on a lane, as fast as alone until settle().
    void begin(int lane, int flow);
    void end(int lane);
    bool isSettled() const { return seeds_.empty(); }
    /// After some have begun and ended. @returns lanes whose speed may be another, valid until the next call
    std::span<const int> settle();
    /// Of what it is alone; exactly 1 where nothing slows it down.
    double speed(int lane) const { return lanes_[static_cast<std::size_t>(lane)].speed; }

private:
    struct LaneFlow {
        int flow = -1;
        double speed = 1;
        double rateBps = 0;  ///< while rates are worked out; 0: not yet
        bool isSeed = false;
        bool isFound = false;
    };
    struct Crosser {
        int lane = 0;
        double wantedBps = 0;  ///< of the way, as fast as alone
    };
    struct Way {
        double widthBps = 0;
        std::vector<Crosser> crossers;  ///< now
        double takenBps = 0;            ///< while rates are worked out: by flows whose rate is known
        double growingFlows = 0;        ///< of those whose rate is not
        bool isFound = false;
    };

    const LinkFlow& flowOf(int lane) const {
        return flows_[static_cast<std::size_t>(lanes_[static_cast<std::size_t>(lane)].flow)];
    }
    /// Whether all that cross it, each as fast as alone, are too much for it.
    static bool isWanted(const Way& way);
    void seed(int lane);
    void findJoined();
    void fill();
    /// As fast as it will be.
    void fix(int lane, double rateBps);

    const std::vector<LinkFlow>& flows_;
    std::vector<Way> ways_;
    std::vector<LaneFlow> lanes_;
    std::vector<int> seeds_;            ///< lanes whose neighbours changed
    std::vector<int> joined_;           ///< lanes to work out anew
    std::vector<int> growing_, fixed_;  ///< of those, while they are worked out
    std::vector<int> full_;             ///< ways that join them
};

}  // namespace stagecraft::simulation
