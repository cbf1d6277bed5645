#include "views/common/block_colouring.h"

#include "core/model/stage_chunks.h"
#include "core/weights/weight_trace.h"
#include "views/common/theme.h"

#include <algorithm>
#include <map>
#include <set>

namespace stagecraft::views::common {

namespace {

// A class is a step of the scale times `parts`, plus which part of a microbatch's work it is.
enum Part : int { forwardPart, backwardPart, recomputePart, weightGradientPart, parts };
constexpr int noStep = -1;
constexpr int noNumber = -1;
constexpr int heatSteps = 8;
constexpr int tooFar = heatSteps;                    // a negative staleness
constexpr int mostPairedSteps = 12, mostSteps = 48;  // hues and classes of a byte

struct Shades {
    QRgb forward, backward;
};
// Hues that neighbours do not share, and lightness (CIE L* of the forward 80, 88, 72, 84, 76, 66, and so
// again, of the backward 27 less) that differs between neighbours too. Any two colours of one part are 18
// apart or more (CIE 1976), neighbours 17 for eyes without one kind of cone (Machado et al. 2009).
constexpr Shades cycle[] = {{0x9ACDF0, 0x2F87B2}, {0xFFD59B, 0xBE893E}, {0xC3A6D2, 0x805D94},
                            {0xA5DEC0, 0x499773}, {0xF0A9AF, 0xB15A66}, {0x97A1B2, 0x4F5D72},
                            {0x8FD884, 0x498E42}, {0xFCD0EE, 0xD173B8}, {0xBAB271, 0x716C31},
                            {0xF4C9B5, 0xAE7E67}, {0x28CFD9, 0x098188}, {0xDC8D6B, 0x8A4B2F}};
constexpr int cycleSteps = static_cast<int>(std::size(cycle));
constexpr int classesOf(int steps, bool pairs) {
    return std::max(heatSteps + 1, steps) * parts + 2 + (pairs ? steps * steps : 0);
}
static_assert(cycleSteps <= mostPairedSteps);
static_assert(classesOf(mostPairedSteps, true) <= mostBlockClasses);
static_assert(classesOf(mostSteps, false) <= mostBlockClasses && mostBlockClasses <= 256);

// From the grey of nothing to remark to a dark violet, with a lightness that falls at every step (CIE L* 93,
// 88, 77, 66, 55, 45, 35, 26), so that it reads without colour too.
constexpr QRgb heat[] = {0xEDEAE0, 0xFBD98A, 0xF7B061, 0xEC8450, 0xD95B58, 0xB93C6C, 0x8F2878, 0x651E7A};
static_assert(std::size(heat) == heatSteps);
constexpr QRgb tooFarColour = 0x8CB4D9;
constexpr QRgb otherColour = 0xBCC2CA;

Part partOf(BlockKind kind) {
    const PassKind& row = passKind(kind);
    if (row.colour == ColourRole::recompute) return recomputePart;
    if (row.colour == ColourRole::weights) return weightGradientPart;
    const bool begins = kind == BlockKind::headForward || kind == BlockKind::embeddingForward;
    return begins || row.way == Way::forward ? forwardPart : backwardPart;
}

QColor shade(BlockColouring by, int step, int part) {
    if (by == BlockColouring::staleness) return QColor(step < heatSteps ? heat[step] : tooFarColour);
    const Shades& shades = cycle[step % cycleSteps];
    return QColor(part == forwardPart ? shades.forward : shades.backward);
}

}  // namespace

BlockClasses::BlockClasses() : cycle_(cycleSteps) {}

BlockClasses::BlockClasses(BlockColouring by, const Timeline& timeline, const std::vector<Stage>& stages,
                           const WeightTrace* weights, int steps)
    : by_(by), cycle_(cycleSteps) {
    if (by == BlockColouring::kind) return;
    if (steps > 0) {
        const bool pairs =
            std::find(timeline.kind.begin(), timeline.kind.end(), BlockKind::pair) != timeline.kind.end();
        cycle_ = std::min(steps, pairs ? mostPairedSteps : mostSteps);
    }
    if (by == BlockColouring::chunk) numberOfStage_ = chunksOf(stages);
    if (by == BlockColouring::copy) numberOfStage_ = copiesOf(stages);
    if (by == BlockColouring::staleness && weights) {
        largest_ = std::max(0, weights->maxStaleness());
        perStep_ = largest_ / heatSteps + 1;
    }
    classes_.resize(timeline.blockCount());
    std::array<bool, mostBlockClasses> present{};
    for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
        const int blockClass = classOf(timeline, weights, block);
        classes_[block] = static_cast<std::uint8_t>(blockClass);
        present[static_cast<std::size_t>(blockClass)] = true;
    }
    nameSteps(present);
}

int BlockClasses::otherClass() const { return std::max(heatSteps + 1, cycle_) * parts; }

int BlockClasses::classOf(const Timeline& timeline, const WeightTrace* weights, std::uint32_t block) {
    const BlockKind kind = timeline.kind[block];
    if (isOutOfTurn(kind)) return updateClass();
    const int number = numberOf(timeline, weights, block), step = stepOf(number, weights, block);
    if (step == noStep) return otherClass();
    if (by_ == BlockColouring::staleness) return step * parts + partOf(kind);
    largest_ = std::max(largest_, number);
    const PairedBackward* pair = kind == BlockKind::pair ? timeline.pairedWith(block) : nullptr;
    if (!pair) return step * parts + partOf(kind);
    const int backward = std::max(0, numberOf(timeline, weights, *pair));
    largest_ = std::max(largest_, backward);
    return firstPairClass() + step * cycle_ + stepOf(backward, weights, block);
}

int BlockClasses::numberOf(const Timeline& timeline, const WeightTrace* weights, std::uint32_t block) const {
    switch (by_) {
        case BlockColouring::miniBatch:
            return timeline.iteration[block];
        case BlockColouring::microbatch:
            return timeline.microbatch[block];
        case BlockColouring::stage:
            return timeline.stage[block];
        case BlockColouring::chunk:
        case BlockColouring::copy:
            return numberOfStage(timeline.stage[block]);
        default:
            return weights ? weights->of(block).version : noNumber;
    }
}

int BlockClasses::numberOf(const Timeline& timeline, const WeightTrace* weights,
                           const PairedBackward& backward) const {
    if (by_ == BlockColouring::microbatch) return backward.microbatch;
    if (by_ == BlockColouring::stage) return backward.stage;
    if (by_ == BlockColouring::chunk || by_ == BlockColouring::copy) return numberOfStage(backward.stage);
    return numberOf(timeline, weights, backward.block);
}

int BlockClasses::numberOfStage(int stage) const {
    const auto index = static_cast<std::size_t>(stage);
    return stage < 0 || index >= numberOfStage_.size() ? noNumber : numberOfStage_[index];
}

int BlockClasses::stepOf(int number, const WeightTrace* weights, std::uint32_t block) const {
    if (number < 0) return noStep;
    if (by_ != BlockColouring::staleness) return number % cycle_;
    const int staleness = weights->of(block).staleness;
    return staleness < 0 ? tooFar : std::min(staleness / perStep_, heatSteps - 1);
}

void BlockClasses::nameSteps(const std::array<bool, mostBlockClasses>& present) {
    const bool graded = by_ == BlockColouring::staleness;
    const auto add = [&](int step, const QString& label) {
        const int first = step * parts;
        steps_.push_back({label, shade(by_, step, forwardPart), shade(by_, step, backwardPart),
                          first + forwardPart, first + backwardPart});
    };
    const auto occurs = [&](int step) {
        const auto first = present.begin() + step * parts;
        return std::any_of(first, first + parts, [](bool it) { return it; });
    };
    if (graded && occurs(tooFar)) add(tooFar, QStringLiteral("< 0"));
    // A scale has no gaps, though a number in its midst may not occur.
    const int last = graded ? largest_ / perStep_ : std::min(largest_, cycle_ - 1);
    for (int step = 0; step <= last; ++step) {
        const int from = step * perStep_, to = std::min(from + perStep_ - 1, largest_);
        QString label = from == to ? QString::number(from) : QStringLiteral("%1–%2").arg(from).arg(to);
        if (!graded && from + cycle_ <= largest_) label += QStringLiteral(", %1").arg(from + cycle_);
        if (!graded && from + 2 * cycle_ <= largest_) label += QStringLiteral(", …");
        add(step, label);
    }
}

std::vector<ColourStep> BlockClasses::stepsOf(const Timeline& timeline, const WeightTrace* weights,
                                              const std::vector<std::uint32_t>& blocks) const {
    std::map<int, std::set<int>> numbers;  // by step
    const auto add = [&](int number, std::uint32_t block) {
        if (const int step = stepOf(number, weights, block); step != noStep) numbers[step].insert(number);
    };
    for (const std::uint32_t block : blocks) {
        if (by_ == BlockColouring::kind || isOutOfTurn(timeline.kind[block])) continue;
        add(numberOf(timeline, weights, block), block);
        if (const PairedBackward* pair = timeline.pairedWith(block))
            add(numberOf(timeline, weights, *pair), block);
    }
    const bool graded = by_ == BlockColouring::staleness;
    std::vector<ColourStep> found;
    for (const ColourStep& each : steps_) {
        const int step = each.forwardClass / parts;
        const auto own = numbers.find(step);
        if (own == numbers.end()) {
            // A scale has no gaps.
            const bool within = graded && step < tooFar && numbers.lower_bound(step) != numbers.begin() &&
                                numbers.lower_bound(step) != numbers.lower_bound(tooFar);
            if (!within) continue;
        }
        found.push_back(each);
        if (graded) continue;
        QStringList labels;
        for (const int number : own->second) labels << QString::number(number);
        if (labels.size() > 2) labels = {labels[0], labels[1], QStringLiteral("…")};
        found.back().label = labels.join(QStringLiteral(", "));
    }
    return found;
}

int BlockClasses::stepOf(int blockClass) const {
    for (std::size_t step = 0; step < steps_.size(); ++step)
        if (blockClass >= steps_[step].forwardClass && blockClass < steps_[step].forwardClass + parts)
            return static_cast<int>(step);
    return -1;
}

std::span<const std::uint8_t> BlockClasses::column(const Timeline& timeline) const {
    if (by_ != BlockColouring::kind) return classes_;
    static_assert(sizeof(BlockKind) == sizeof(std::uint8_t));
    return {reinterpret_cast<const std::uint8_t*>(timeline.kind.data()), timeline.kind.size()};
}

BlockKind BlockClasses::kindOf(int blockClass) const {
    if (by_ == BlockColouring::kind) return static_cast<BlockKind>(blockClass);
    if (blockClass == updateClass()) return BlockKind::update;
    if (blockClass == otherClass()) return BlockKind::forward;
    if (blockClass >= firstPairClass()) return BlockKind::pair;
    switch (blockClass % parts) {
        case forwardPart:
            return BlockKind::forward;
        case recomputePart:
            return BlockKind::recompute;
        case weightGradientPart:
            return BlockKind::weightGradient;
        default:
            return BlockKind::backward;
    }
}

QColor BlockClasses::colour(int blockClass) const {
    if (by_ == BlockColouring::kind) return blockColour(static_cast<BlockKind>(blockClass));
    if (blockClass == updateClass()) return blockColour(BlockKind::update);
    if (blockClass == otherClass()) return QColor(otherColour);
    if (blockClass >= firstPairClass()) return colour(passClasses(blockClass).first);
    return shade(by_, blockClass / parts, blockClass % parts);
}

QColor BlockClasses::shownColour(int blockClass) const {
    const BlockKind kind = kindOf(blockClass);
    return isOutOfTurn(kind) || by_ == BlockColouring::kind ? shownBlockColour(kind) : colour(blockClass);
}

std::pair<int, int> BlockClasses::passClasses(int blockClass) const {
    if (kindOf(blockClass) != BlockKind::pair) return {blockClass, blockClass};
    if (by_ == BlockColouring::kind)
        return {static_cast<int>(BlockKind::forward), static_cast<int>(BlockKind::backward)};
    const int steps = blockClass - firstPairClass();
    return {steps / cycle_ * parts + forwardPart, steps % cycle_ * parts + backwardPart};
}

PairColours BlockClasses::shownPairColours(int blockClass) const {
    const auto [forward, backward] = passClasses(blockClass);
    return {shownColour(forward), shownColour(backward)};
}

QString BlockClasses::title() const {
    return by_ == BlockColouring::staleness ? QStringLiteral("staleness (updates)")
                                            : QString::fromUtf8(describe(by_).name);
}

QString BlockClasses::name(int blockClass) const {
    if (blockClass == otherClass() && by_ != BlockColouring::kind) return QStringLiteral("other");
    const QString kind = QString::fromLatin1(blockKindName(kindOf(blockClass)));
    if (by_ == BlockColouring::kind || blockClass == updateClass()) return kind;
    if (const auto [forward, backward] = passClasses(blockClass); forward != backward)
        return name(forward) + QStringLiteral(" and ") + name(backward);
    const int step = blockClass / parts;
    if (by_ == BlockColouring::staleness)
        return step == tooFar ? QStringLiteral("over-predicted") : QStringLiteral("staleness %1").arg(step);
    return QStringLiteral("%1 %2 %3").arg(QLatin1String(describe(by_).step)).arg(step).arg(kind);
}

}  // namespace stagecraft::views::common
