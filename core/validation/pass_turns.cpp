#include "core/validation/pass_turns.h"

#include <algorithm>

namespace stagecraft::validation {

namespace {

bool isForward(BlockKind kind) { return kind == BlockKind::forward; }

/// Of a family that leaves backwards whole: where the plan splits them, both parts follow each other.
Turn inOneGo(BlockKind kind, int turn) {
    return {turn, isForward(kind) ? 0 : 1, kind == BlockKind::weightGradient ? 1 : 0};
}

/// After a warm-up of forwards, one before each backward.
Turn alternating(BlockKind kind, int number, int warmUp) {
    return inOneGo(kind, isForward(kind) ? number - warmUp : number);
}

/// Of the passes of a device in one direction, chunk by chunk in each group of microbatches, which one it is.
int inGroups(const OrderedDevice& device, int turnOfChunk, int microbatch) {
    const int m = device.microbatches, count = std::max(1, m / device.devices), shorter = m / count;
    const int shorterOnes = count - m % count;  // come first; those after them have one more
    int group = 0, first = 0, size = 0;
    if (device.set > 0) {
        group = microbatch / device.set;
        first = group * device.set;
        size = std::min(device.set, m - first);
    } else {
        const int behind = microbatch - shorterOnes * shorter;
        group = behind < 0 ? microbatch / shorter : shorterOnes + behind / (shorter + 1);
        first = group * shorter + std::max(0, group - shorterOnes);
        size = shorter + (group < shorterOnes ? 0 : 1);
    }
    return first * device.chunks + turnOfChunk * size + microbatch - first;
}

/// Narayanan et al., SC 2021, Sec. 2.2.
Turn interleaved(const OrderedDevice& device, BlockKind kind, int chunk, int number) {
    const int count = std::max(1, device.microbatches / device.devices);
    const int group = device.set > 0 ? device.set : (device.microbatches + count - 1) / count;
    const int warmUp = 2 * (device.devices - 1 - device.position) + (device.chunks - 1) * group;
    const int turnOfChunk = isForward(kind) ? chunk : device.chunks - 1 - chunk;
    return alternating(kind, inGroups(device, turnOfChunk, number), warmUp);
}

/// Lamy-Poirier, MLSys 2023.
Turn breadthFirst(const OrderedDevice& device, BlockKind kind, int chunk, int number) {
    const int all = device.chunks * device.microbatches;
    return inOneGo(kind, isForward(kind) ? chunk * device.microbatches + number
                                         : all + (device.chunks - 1 - chunk) * device.microbatches + number);
}

/// Qi et al., ICLR 2024, Sec. 2.1 and 2.2: w times 1F1B's warm-up, and as many weight gradients late.
Turn handMade(const OrderedDevice& device, BlockKind kind, int number, int w) {
    const int warmUp = w * (device.devices - 1 - device.position);
    if (isForward(kind)) return {number - warmUp, 0, 0};
    if (kind == BlockKind::backward) return {number, 1, 0};
    // The last of them follow in turn once there is no input gradient any more.
    return {number + w * device.position, 2, 0};
}

/// PyTorch's ScheduleInterleavedZeroBubble: ZB-H1's turns of passes that come chunk by chunk.
Turn interleavedZeroBubble(const OrderedDevice& device, BlockKind kind, int chunk, int number) {
    const int count = std::max(1, device.microbatches / device.devices);
    const int group = device.set > 0 ? device.set : (device.microbatches + count - 1) / count;
    const int turnOfChunk = isForward(kind) ? chunk : device.chunks - 1 - chunk;
    const int place = inGroups(device, turnOfChunk, number);
    if (isForward(kind))
        return {place - (device.devices - 1 - device.position) - (device.chunks - 1) * group, 0, 0};
    if (kind == BlockKind::backward) return {place, 1, 0};
    return {place + device.position, 2, 0};
}

Turn zeroBubbleH1(const OrderedDevice& device, BlockKind kind, int, int number) {
    return handMade(device, kind, number, 1);
}

Turn zeroBubbleH2(const OrderedDevice& device, BlockKind kind, int, int number) {
    return handMade(device, kind, number, device.set > 0 ? device.set : 2);
}

/// Qi et al., ICLR 2024, Sec. 6, phase by phase: {phase, round, place in the round}.
Turn zeroBubbleV(const OrderedDevice& device, BlockKind kind, int chunk, int number) {
    enum Phase { firstForwards, bothForwards, secondChunk, steady, gradients, firstChunk, left };
    const int p = device.devices, r = device.position, after = p - r;
    const int rounds = std::max(device.microbatches, 2 * p - 1) - p;  // of the steady phase
    if (isForward(kind) && chunk == 0) {
        if (number < 2 * after - 1) return {firstForwards, number, 0};
        const int then = number - (2 * after - 1);
        return then < r ? Turn{bothForwards, then, 1} : Turn{steady, then - r, 0};
    }
    if (isForward(kind)) {
        if (number < r) return {bothForwards, number, 0};
        return number < p ? Turn{secondChunk, number - r, 0} : Turn{steady, number - p, 3};
    }
    const bool weights = kind == BlockKind::weightGradient;
    if (chunk == 1) {
        if (number < after) return {secondChunk, number, weights ? 2 : 1};
        const int then = number - after;
        if (then < rounds) return {steady, then, weights ? 5 : 4};
        return weights ? Turn{left, 0, number} : Turn{gradients, then - rounds, 1};
    }
    if (number < rounds) return {steady, number, weights ? 2 : 1};
    const int then = number - rounds;
    if (weights) return then < after ? Turn{firstChunk, then, 1} : Turn{left, 1, number};
    return then < r ? Turn{gradients, then, 0} : Turn{firstChunk, then - r, 0};
}

/// Li and Hoefler, SC 2021, Sec. 3: by the slots of equal passes; the chunks are of the two directions.
Turn chimera(const OrderedDevice& device, BlockKind kind, int chunk, int number) {
    const int p = device.devices, stage = chunk == 0 ? device.position : p - 1 - device.position;
    const int unit = number / (p / 2), inUnit = number % (p / 2), begin = 2 * (p * unit + inUnit);
    return inOneGo(kind, begin + (isForward(kind) ? stage : 2 * p - 1 - stage));
}

/// Sun et al., 2024: 1F1B of slices.
Turn seq1f1b(const OrderedDevice& device, BlockKind kind, int, int number) {
    const int warmUp = device.devices - device.position - 2 + device.slices;
    return alternating(kind, number, warmUp);
}

}  // namespace

TurnOf turnsOf(const std::string& family, bool deviates) {
    if (deviates) return nullptr;
    if (family == "interleaved") return interleaved;
    if (family == "interleaved-zb") return interleavedZeroBubble;
    if (family == "breadth-first") return breadthFirst;
    if (family == "zb-h1") return zeroBubbleH1;
    if (family == "zb-h2") return zeroBubbleH2;
    if (family == "zb-v") return zeroBubbleV;
    if (family == "chimera") return chimera;
    if (family == "seq1f1b") return seq1f1b;
    return nullptr;
}

}  // namespace stagecraft::validation
