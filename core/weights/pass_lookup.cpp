#include "core/weights/pass_lookup.h"

#include <algorithm>

namespace stagecraft::weights {

PassLookup::PassLookup(const Timeline& timeline, const Plan& plan, int microbatchesPerMiniBatch)
    : stages_(plan.stages), perMiniBatch_(std::max(1, microbatchesPerMiniBatch)) {
    const std::uint32_t count = timeline.blockCount();
    for (std::uint32_t block = 0; block < count; ++block) {
        perMiniBatch_ = std::max(perMiniBatch_, timeline.microbatch[block] + 1);
        miniBatches_ = std::max(miniBatches_, timeline.iteration[block] + 1);
    }
    const std::size_t groups =
        static_cast<std::size_t>(miniBatches_) * static_cast<std::size_t>(perMiniBatch_ + 1);
    firstOfGroup_.assign(groups + 1, 0);
    const auto groupOfBlock = [&](std::uint32_t block) {
        const int microbatch = timeline.microbatch[block], iteration = timeline.iteration[block];
        return groupOf(microbatch < 0 ? -1 : iteration * perMiniBatch_ + microbatch, iteration);
    };
    for (std::uint32_t block = 0; block < count; ++block) ++firstOfGroup_[groupOfBlock(block) + 1];
    for (std::size_t i = 0; i < groups; ++i) firstOfGroup_[i + 1] += firstOfGroup_[i];
    std::vector<std::uint32_t> next(firstOfGroup_.begin(), firstOfGroup_.end() - 1);
    blocks_.resize(count);
    for (std::uint32_t block = 0; block < count; ++block) blocks_[next[groupOfBlock(block)]++] = block;
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
    return {timeline.kind[block], microbatch < 0 ? -1 : iteration * perMiniBatch_ + microbatch, iteration,
            stage.firstLayer, stage.lastLayer};
}

std::vector<std::uint32_t> PassLookup::blocksOf(const Timeline& timeline, const Pass& pass) const {
    std::vector<std::uint32_t> found;
    const bool whole = pass.microbatch < 0;
    if (whole ? pass.iteration >= miniBatches_ : pass.microbatch >= miniBatches_ * perMiniBatch_)
        return found;
    for (const std::uint32_t block : group(groupOf(pass.microbatch, pass.iteration))) {
        const Stage& stage = stages_[static_cast<std::size_t>(timeline.stage[block])];
        if (timeline.kind[block] == pass.kind && stage.firstLayer <= pass.lastLayer &&
            stage.lastLayer >= pass.firstLayer)
            found.push_back(block);
    }
    return found;
}

}  // namespace stagecraft::weights
