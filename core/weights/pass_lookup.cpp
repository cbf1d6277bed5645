#include "core/weights/pass_lookup.h"

#include <algorithm>

namespace stagecraft::weights {

namespace {

/// What counts as the same in plans that split backwards and others: that which gives the gradient on.
BlockKind normal(BlockKind kind) {
    if (kind == BlockKind::pair) return BlockKind::forward;
    return kind == BlockKind::inputGradient ? BlockKind::backward : kind;
}

}  // namespace

PassLookup::PassLookup(const Timeline& timeline, const Plan& plan, int microbatchesPerMiniBatch)
    : stages_(plan.stages), perMiniBatch_(std::max(1, microbatchesPerMiniBatch)) {
    const std::uint32_t count = timeline.blockCount();
    for (std::uint32_t block = 0; block < count; ++block) {
        perMiniBatch_ = std::max(perMiniBatch_, timeline.microbatch[block] + 1);
        miniBatches_ = std::max(miniBatches_, timeline.iteration[block] + 1);
    }
    for (const PairedBackward& pair : timeline.pairs)
        perMiniBatch_ = std::max(perMiniBatch_, pair.microbatch + 1);
    const std::size_t groups =
        static_cast<std::size_t>(miniBatches_) * static_cast<std::size_t>(perMiniBatch_ + 1);
    firstOfGroup_.assign(groups + 1, 0);
    const auto eachGroup = [&](std::uint32_t block, auto visit) {
        const int iteration = timeline.iteration[block];
        timeline.eachPass(block, [&](const model::Pass& pass) {
            visit(groupOf(pass.microbatch < 0 ? -1 : iteration * perMiniBatch_ + pass.microbatch, iteration));
        });
    };
    for (std::uint32_t block = 0; block < count; ++block)
        eachGroup(block, [&](std::size_t group) { ++firstOfGroup_[group + 1]; });
    for (std::size_t i = 0; i < groups; ++i) firstOfGroup_[i + 1] += firstOfGroup_[i];
    std::vector<std::uint32_t> next(firstOfGroup_.begin(), firstOfGroup_.end() - 1);
    blocks_.resize(firstOfGroup_.back());
    for (std::uint32_t block = 0; block < count; ++block)
        eachGroup(block, [&](std::size_t group) { blocks_[next[group]++] = block; });
}

std::size_t PassLookup::groupOf(int microbatch, int iteration) const {
    return static_cast<std::size_t>(microbatch < 0 ? miniBatches_ * perMiniBatch_ + iteration : microbatch);
}

std::span<const std::uint32_t> PassLookup::group(std::size_t index) const {
    return std::span(blocks_).subspan(firstOfGroup_[index], firstOfGroup_[index + 1] - firstOfGroup_[index]);
}

PassLookup::Pass PassLookup::passOf(const Timeline& timeline, std::uint32_t block) const {
    const Stage& stage = stages_[static_cast<std::size_t>(timeline.stage[block])];
    const int microbatch = timeline.microbatch[block], iteration = timeline.iteration[block];
    return {normal(timeline.kind[block]), microbatch < 0 ? -1 : iteration * perMiniBatch_ + microbatch,
            iteration, stage.firstLayer, stage.lastLayer};
}

std::vector<std::uint32_t> PassLookup::blocksOf(const Timeline& timeline, const Pass& pass) const {
    std::vector<std::uint32_t> found;
    const bool whole = pass.microbatch < 0;
    if (whole ? pass.iteration >= miniBatches_ : pass.microbatch >= miniBatches_ * perMiniBatch_)
        return found;
    for (const std::uint32_t block : group(groupOf(pass.microbatch, pass.iteration))) {
        bool does = false;
        timeline.eachPass(block, [&](const model::Pass& own) {
            const Stage& stage = stages_[static_cast<std::size_t>(own.stage)];
            const int microbatch =
                own.microbatch < 0 ? -1 : timeline.iteration[block] * perMiniBatch_ + own.microbatch;
            does = does || (normal(own.kind) == pass.kind && microbatch == pass.microbatch &&
                            stage.firstLayer <= pass.lastLayer && stage.lastLayer >= pass.firstLayer);
        });
        if (does) found.push_back(block);
    }
    return found;
}

}  // namespace stagecraft::weights
