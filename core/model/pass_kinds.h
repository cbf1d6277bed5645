#pragma once

#include "core/base/rooms.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace stagecraft::model {

/// What a device does in its order. It computes all but evict and load, which lend a microbatch's activations
/// to the device of the mirrored stage (Kim et al., BPipe, ICML 2023): each begins with the task before it,
/// over the link between the two. What comes after an eviction waits for its end; the backward waits for the
/// load. The last four are of a device's share of the vocabulary's layers (VocabularyPasses).
enum class TaskKind : std::uint8_t {
    forward,
    backward,
    inputGradient,
    weightGradient,
    recompute,
    evict,
    load,
    headForward,   ///< S of Yeung et al., MLSys 2025: logits of a share of the words
    headBackward,  ///< T: the gradients of that share's weights, and of its input where S has not made it
    embeddingForward,
    embeddingBackward
};
inline constexpr int taskKindCount = 11;

/// What a block of a timeline is.
enum class BlockKind : std::uint8_t {
    forward,
    backward,        ///< the whole of it
    inputGradient,   ///< the part of a split backward that the stage before waits for
    weightGradient,  ///< the rest of it
    pair,            ///< a forward and a whole backward that overlap
    recompute,
    transferForward,
    transferBackward,
    allReduce,
    swapOut,
    swapIn,
    update,
    gradientPass,   ///< over the gradients that a device holds, before copies sum them (GradientPasses)
    reduceScatter,  ///< gradients are summed, each copy of a layer keeps the sum of a part
    allGather,      ///< each copy sends its part of the weights to the others
    headForward,
    headBackward,
    embeddingForward,
    embeddingBackward,
    headInput,        ///< what comes out of the last stage, to all who have a share of the head
    headBarrier,      ///< softmax: the greatest logit and the sum, of all shares
    headGradient,     ///< of the head's input, summed over the shares
    embeddingOutput,  ///< summed over the shares, for the first stage
    embeddingReturn,  ///< the gradient of that, to all who have a share
    communication,  ///< a kernel that sends or sums, as a recording saw it on a stream; its label says which
    other,          ///< of no kind that plans have: what it is says its label (Timeline::labelOf)
};
inline constexpr int blockKindCount = 26;

/// What carries it out.
enum class PassRole : std::uint8_t { computes, transfers, reduces, swaps, updates, other };

/// Which kinds have one colour where there are few.
enum class ColourRole : std::uint8_t {
    forward,
    backward,
    weights,
    recompute,
    transfer,
    reduction,
    swap,
    update,
    vocabulary,
    other
};

/// Which way through the stages it goes, of activations or of gradients.
enum class Way : std::uint8_t { none, forward, backward };

/// What of a microbatch's memory on its stage a block takes when it starts, or frees when it ends.
enum class Held : std::uint8_t {
    nothing,
    begun,           ///< what is held from the forward on: all, less what is left out
    leftOut,         ///< what recomputation brings back, less the input that was held in its stead
    whole,           ///< all that its backward needs
    allButDeferred,  ///< all but that of the weight gradient
    deferred,        ///< what the weight gradient needs
    swapped,         ///< what is elsewhere between its forward and its backward
    buffers,         ///< of a transfer, while it is under way
    vocabulary,      ///< of its share of the head: the input and the logits
};

/// All that is to be said of a kind in one place; a new kind is a row of passKinds.
struct PassKind {
    BlockKind block;
    std::optional<TaskKind> task;  ///< what it is in a device's order; nothing: orders do not have it
    char letter = 0;               ///< in orders; 0 without a task
    const char* word = "";         ///< of the block: "swap out"
    const char* taskWord = "";     ///< of the task: "eviction"; empty without one
    PassRole role = PassRole::computes;
    ColourRole colour = ColourRole::forward;
    Way way = Way::none;
    std::optional<TaskKind> after;  ///< the task of its stage and microbatch that it waits for
    Held takes = Held::nothing;     ///< at its start
    Held frees = Held::nothing;     ///< at its end; a pair frees what its backward would
};

/// By BlockKind.
inline constexpr std::array<PassKind, blockKindCount> passKinds = {{
    {BlockKind::forward, TaskKind::forward, 'F', "forward", "forward", PassRole::computes,
     ColourRole::forward, Way::forward, std::nullopt, Held::begun, Held::nothing},
    {BlockKind::backward, TaskKind::backward, 'B', "backward", "backward", PassRole::computes,
     ColourRole::backward, Way::backward, TaskKind::forward, Held::nothing, Held::whole},
    {BlockKind::inputGradient, TaskKind::inputGradient, 'I', "input gradient", "input gradient",
     PassRole::computes, ColourRole::backward, Way::backward, TaskKind::forward, Held::nothing,
     Held::allButDeferred},
    {BlockKind::weightGradient, TaskKind::weightGradient, 'W', "weight gradient", "weight gradient",
     PassRole::computes, ColourRole::weights, Way::none, TaskKind::inputGradient, Held::nothing,
     Held::deferred},
    {BlockKind::pair, std::nullopt, 0, "overlapped pair", "", PassRole::computes, ColourRole::forward,
     Way::forward, std::nullopt, Held::begun, Held::whole},
    {BlockKind::recompute, TaskKind::recompute, 'R', "recompute", "recomputation", PassRole::computes,
     ColourRole::recompute, Way::none, TaskKind::forward, Held::leftOut, Held::nothing},
    {BlockKind::transferForward, std::nullopt, 0, "transfer forward", "", PassRole::transfers,
     ColourRole::transfer, Way::forward, TaskKind::forward, Held::buffers, Held::buffers},
    {BlockKind::transferBackward, std::nullopt, 0, "transfer backward", "", PassRole::transfers,
     ColourRole::transfer, Way::backward, TaskKind::backward, Held::buffers, Held::buffers},
    {BlockKind::allReduce, std::nullopt, 0, "AllReduce", "", PassRole::reduces, ColourRole::reduction},
    {BlockKind::swapOut, TaskKind::evict, 'E', "swap out", "eviction", PassRole::swaps, ColourRole::swap,
     Way::forward, TaskKind::forward, Held::nothing, Held::swapped},
    {BlockKind::swapIn, TaskKind::load, 'L', "swap in", "load", PassRole::swaps, ColourRole::swap,
     Way::backward, TaskKind::evict, Held::swapped, Held::nothing},
    {BlockKind::update, std::nullopt, 0, "update", "", PassRole::updates, ColourRole::update},
    {BlockKind::gradientPass, std::nullopt, 0, "gradient pass", "", PassRole::updates, ColourRole::update},
    {BlockKind::reduceScatter, std::nullopt, 0, "ReduceScatter", "", PassRole::reduces,
     ColourRole::reduction},
    {BlockKind::allGather, std::nullopt, 0, "AllGather", "", PassRole::reduces, ColourRole::reduction},
    {BlockKind::headForward, TaskKind::headForward, 'S', "output forward", "output layer's forward",
     PassRole::computes, ColourRole::vocabulary, Way::none, std::nullopt, Held::vocabulary, Held::nothing},
    {BlockKind::headBackward, TaskKind::headBackward, 'T', "output backward", "output layer's backward",
     PassRole::computes, ColourRole::vocabulary, Way::none, TaskKind::headForward, Held::nothing,
     Held::vocabulary},
    {BlockKind::embeddingForward, TaskKind::embeddingForward, 'N', "embedding forward", "embedding's forward",
     PassRole::computes, ColourRole::vocabulary},
    {BlockKind::embeddingBackward, TaskKind::embeddingBackward, 'G', "embedding backward",
     "embedding's backward", PassRole::computes, ColourRole::vocabulary, Way::none,
     TaskKind::embeddingForward},
    {BlockKind::headInput, std::nullopt, 0, "output broadcast", "", PassRole::reduces, ColourRole::reduction},
    {BlockKind::headBarrier, std::nullopt, 0, "softmax AllReduce", "", PassRole::reduces,
     ColourRole::reduction},
    {BlockKind::headGradient, std::nullopt, 0, "output AllReduce", "", PassRole::reduces,
     ColourRole::reduction},
    {BlockKind::embeddingOutput, std::nullopt, 0, "embedding AllReduce", "", PassRole::reduces,
     ColourRole::reduction},
    {BlockKind::embeddingReturn, std::nullopt, 0, "embedding broadcast", "", PassRole::reduces,
     ColourRole::reduction},
    {BlockKind::communication, std::nullopt, 0, "communication", "", PassRole::other, ColourRole::transfer},
    {BlockKind::other, std::nullopt, 0, "other", "", PassRole::other, ColourRole::other},
}};

/// Whether a table has a row for each kind, in the order of the kinds.
template <typename Row, std::size_t rows>
constexpr bool isInOrder(const std::array<Row, rows>& table, BlockKind Row::*kind) {
    for (std::size_t row = 0; row < rows; ++row)
        if (table[row].*kind != static_cast<BlockKind>(row)) return false;
    return rows == blockKindCount;
}
static_assert(isInOrder(passKinds, &PassKind::block));

constexpr const PassKind& passKind(BlockKind kind) { return passKinds[static_cast<std::size_t>(kind)]; }

/// Which rows are such, a bit for each kind.
template <typename Is>
constexpr std::uint32_t kindsThat(Is is) {
    std::uint32_t bits = 0;
    for (const PassKind& row : passKinds)
        if (is(row)) bits |= 1u << static_cast<unsigned>(row.block);
    return bits;
}
constexpr bool isAmong(std::uint32_t kinds, BlockKind kind) {
    return (kinds >> static_cast<unsigned>(kind) & 1u) != 0;
}

inline constexpr std::array<BlockKind, taskKindCount> blockKindsOfTasks = [] {
    std::array<BlockKind, taskKindCount> kinds{};
    for (const PassKind& row : passKinds)
        if (row.task) kinds[static_cast<std::size_t>(*row.task)] = row.block;
    return kinds;
}();
/// As what a task is on a timeline.
constexpr BlockKind blockKindOf(TaskKind kind) { return blockKindsOfTasks[static_cast<std::size_t>(kind)]; }
constexpr const PassKind& passKind(TaskKind kind) { return passKind(blockKindOf(kind)); }

/// "forward", "transfer forward", …
constexpr const char* blockKindName(BlockKind kind) { return passKind(kind).word; }
constexpr bool isComputed(TaskKind kind) { return passKind(kind).role == PassRole::computes; }

namespace pass_kinds {
inline constexpr std::uint32_t givingGradient =
    kindsThat([](const PassKind& row) { return row.role == PassRole::computes && row.way == Way::backward; });
inline constexpr std::uint32_t endingBackward =
    kindsThat([](const PassKind& row) { return row.frees == Held::whole || row.frees == Held::deferred; });
inline constexpr std::uint32_t passes = kindsThat(
    [](const PassKind& row) { return row.role == PassRole::computes && row.block != BlockKind::recompute; });
}  // namespace pass_kinds

/// Whether the stage before waits for it: a whole backward or an input gradient.
constexpr bool givesGradient(BlockKind kind) { return isAmong(pass_kinds::givingGradient, kind); }
/// Whether nothing of a microbatch is left to do on its stage after it.
constexpr bool endsBackward(BlockKind kind) { return isAmong(pass_kinds::endingBackward, kind); }
/// Whether a device has it, or does it with others, for its share of the vocabulary's layers.
constexpr bool isOfVocabulary(BlockKind kind) {
    return kind >= BlockKind::headForward && kind <= BlockKind::embeddingReturn;
}
/// Whether a stage computes it for a microbatch, recomputing left out.
constexpr bool isPass(BlockKind kind) { return isAmong(pass_kinds::passes, kind); }
/// Whether a device does it once in an iteration, out of the turns of its order, which such blocks are not
/// in.
constexpr bool isOutOfTurn(BlockKind kind) { return passKind(kind).role == PassRole::updates; }

}  // namespace stagecraft::model
