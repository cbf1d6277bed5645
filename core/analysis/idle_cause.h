#pragma once

#include "core/simulation/block_graph.h"

#include <functional>
#include <optional>
#include <string>

namespace stagecraft::analysis {

/// A block that others waited for, and why they did.
struct IdleLink {
    std::uint32_t block = noBlock;
    WaitReason reason = WaitReason::data;  ///< of what comes before it in the chain
};

/// Why a lane is idle from `fromS` to `toS`: what starts then waited for the first block of the chain, that
/// one for the second, and so on. Each ends when what waited for it starts.
struct IdleCause {
    int lane = 0;
    double fromS = 0;
    double toS = 0;
    /// What ends the stretch; noBlock where the lane has nothing more to do. Then the chain begins with what
    /// ends last of all.
    std::uint32_t next = noBlock;
    /// To the block that was under way when the lane fell idle, or to one that waited for nothing.
    std::vector<IdleLink> chain;
    bool known = true;  ///< what waited for what; else the chain ends where the recording does not say
    bool heldByPattern = false;  ///< the last of them (or `next`) starts when a periodic pattern says so
};

/// Of the stretch that holds `timeS`; nothing if the lane is busy then or nothing runs any more.
std::optional<IdleCause> idleCause(const BlockGraph& graph, int lane, double timeS);
/// The same by what the timeline itself has each block wait for, as a recording does.
std::optional<IdleCause> idleCause(const Timeline& timeline, int lane, double timeS);

/// In words, one line per link: "g1 is idle for 12 ms before the backward of microbatch 3 on stage 1", "it
/// waits for …, which gives its input". `resource` names the lane, `describe` a block; without it
/// describeBlock does.
std::vector<std::string> idleCauseText(const Timeline& timeline, const IdleCause& cause,
                                       const std::string& resource,
                                       const std::function<std::string(std::uint32_t)>& describe = nullptr);

}  // namespace stagecraft::analysis
