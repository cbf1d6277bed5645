#pragma once

#include "core/validation/checks.h"
#include "core/validation/group_parts.h"

#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace stagecraft::validation {

/// What a transfer or collective sends over links where these are shared: flows that are equally fast.
struct FlowFacts {
    double bytes = 0;    ///< of each flow
    double fullBps = 0;  ///< of each, if nothing else is under way
    double delayS = 0;   ///< before the first byte
    /// How many flows go along a way (Network::route), in parts of one where some carry less; by way.
    std::map<int, double> ways;
};

/// What a pass does next, if nobody slows it down: it computes, or its group sends.
struct PassStep {
    double seconds = 0;
    FlowFacts flow;  ///< without ways where it computes
};

/// Those of the blocks of a timeline, each worked out once.
class BlockFlows {
public:
    explicit BlockFlows(const Context& context) : context_(context), network_(context.problem.cluster) {}

    /// nullptr: the block sends nothing over links that are shared. The block must be placed; it stays valid.
    const FlowFacts* of(std::uint32_t block);
    /// Of a pass, what it consists of but for what comes before all of it: layer by layer what is computed,
    /// then what is sent for it, tensors before keys and values before tokens. Empty: its group sends
    /// nothing, or, in a pair, nobody knows when. It stays valid.
    const std::vector<PassStep>& stepsOf(std::uint32_t block);

private:
    /// A channel or group, what it carries, and which part of that.
    using Key = std::tuple<const void*, BlockKind, double>;
    using Pairs = std::vector<std::pair<int, int>>;

    FlowFacts transfer(std::uint32_t block) const;
    FlowFacts eviction(std::uint32_t block) const;
    std::vector<PassStep> steps(int stage, BlockKind kind) const;
    FlowFacts inside(int stage, int layer, double part, SendingTimes::Passes SendingTimes::*kind,
                     bool backward) const;
    FlowFacts together(std::uint32_t block) const;
    FlowFacts sync(const GroupFacts& group, BlockKind kind, double part) const;
    /// Pairs of devices that each send as much, and how many parts of a microbatch there are of them.
    Pairs sideBySide(int from, int to, const Channel& channel, int fromParts, int toParts,
                     double& parts) const;
    void sendAll(Pairs pairs, bool back, FlowFacts& flow) const;
    void send(int from, int to, double flows, FlowFacts& flow) const;

    const Context& context_;
    Network network_;
    std::map<Key, FlowFacts> known_;
    std::map<std::pair<int, BlockKind>, std::vector<PassStep>> steps_;  // by stage
};

}  // namespace stagecraft::validation
