#pragma once

#include "core/model/pass_kinds.h"

#include <optional>
#include <string_view>

namespace stagecraft::formats {

/// A pass as a training program names it in a trace.
struct AnnotatedPass {
    BlockKind kind = BlockKind::forward;
    int stage = -1;                                   ///< -1: that of its rank
    int microbatch = -1;                              ///< -1: counted in the order of the passes
    int backwardStage = -1, backwardMicrobatch = -1;  ///< of a pair
    bool operator==(const AnnotatedPass&) const = default;
};

/// What the name of an annotation says: "PP:2F0" with F, B, I or W and "PP:(0F7;7B3)OVERLAP_F_B" of PyTorch's
/// pipelining runtime, "PP:2UPDATE", its older "Forward 3" and "Backward 3", Megatron-LM's timers
/// "forward-compute" and "backward-compute". Nothing for any other.
std::optional<AnnotatedPass> annotatedPass(std::string_view name);
/// Whether it may be one, by its first letters.
bool mayNamePass(std::string_view name);

/// How an NCCL (or RCCL, gloo) kernel moves data.
enum class CollectiveKind : std::uint8_t { none, sendReceive, allReduce, reduceScatter, allGather, other };
CollectiveKind collectiveOf(std::string_view kernel);

}  // namespace stagecraft::formats
