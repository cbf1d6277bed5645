#include "core/memory/memory_holders.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace stagecraft::memory {

namespace {

bool contains(const std::vector<int>& devices, int device) {
    return std::find(devices.begin(), devices.end(), device) != devices.end();
}

auto rank(const MemoryHolder& holder) {
    return std::tuple(holder.kind, holder.stage, holder.iteration, holder.microbatch, holder.version,
                      holder.block);
}

}  // namespace

/// One device at one instant, gathered block by block.
class MemoryLedger::Instant {
public:
    Instant(const MemoryLedger& ledger, int device, double timeS)
        : ledger_(ledger), device_(device), timeS_(timeS) {}

    std::vector<MemoryHolder> holders() {
        const Plan& plan = ledger_.plan_;
        int first = -1;  // of its stages
        for (int stage = 0; stage < plan.stageCount(); ++stage) {
            if (!contains(plan.stages[static_cast<std::size_t>(stage)].devices, device_)) continue;
            if (first < 0) first = stage;
            addThroughout(stage);
        }
        if (const double bytes = ledger_.rules_.reservedBytes(); first >= 0 && bytes > 0)
            all_.push_back({MemoryKind::reserved, bytes, first});
        for (const Lane& lane : ledger_.timeline_.lanes)
            if (contains(lane.devices, device_)) addLane(lane);
        for (const auto& [microbatch, holder] : inFlight_) all_.push_back(holder);
        for (const StashedVersion& stash : ledger_.stashed_)
            if (contains(stash.devices, device_) && stash.fromS <= timeS_ && timeS_ < stash.untilS)
                addStash(stash);
        std::sort(all_.begin(), all_.end(),
                  [](const MemoryHolder& a, const MemoryHolder& b) { return rank(a) < rank(b); });
        return std::move(all_);
    }

private:
    void addThroughout(int stage) {
        for (std::size_t kind = 0; kind < memoryKindCount; ++kind) {
            const double bytes = ledger_.rules_.throughout(stage)[kind];
            if (bytes > 0) all_.push_back({static_cast<MemoryKind>(kind), bytes, stage});
        }
    }

    void addLane(const Lane& lane) {
        const Timeline& timeline = ledger_.timeline_;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock && timeline.startS[block] <= timeS_;
             ++block) {
            if (timeline.kind[block] == BlockKind::update) updates_[timeline.stage[block]].push_back(block);
            const auto change = [&](const std::vector<int>& devices, double atS, MemoryEffect effect,
                                    double bytes) {
                if (bytes != 0 && atS <= timeS_ && contains(devices, device_)) take(block, effect, bytes);
            };
            ledger_.rules_.eachChange(timeline, lane, block, change);
        }
    }

    /// A change that has come about by now. What was freed again leaves no trace.
    void take(std::uint32_t block, MemoryEffect effect, double bytes) {
        const Timeline& timeline = ledger_.timeline_;
        const bool buffer = effect == MemoryEffect::buffers;
        // What a pair gives back is its backward's.
        const PairedBackward* backward =
            effect == MemoryEffect::activations && bytes < 0 ? timeline.pairedWith(block) : nullptr;
        const int stage = backward ? backward->stage : timeline.stage[block];
        const int microbatch = backward ? backward->microbatch : timeline.microbatch[block];
        const auto [entry, isNew] =
            inFlight_.try_emplace({stage, timeline.iteration[block], microbatch, buffer ? block : noBlock});
        MemoryHolder& holder = entry->second;
        if (isNew) {
            holder.kind = buffer ? MemoryKind::buffers : MemoryKind::activations;
            holder.stage = stage;
            holder.iteration = timeline.iteration[block];
            holder.microbatch = microbatch;
        }
        double& level = effect == MemoryEffect::savedBySwap        ? holder.savedBySwap
                        : effect == MemoryEffect::savedByRecompute ? holder.savedByRecompute
                                                                   : holder.bytes;
        level += bytes;
        if (std::abs(level) < 1e-6 * std::abs(bytes)) level = 0;
        if (&level == &holder.bytes && bytes > 0) holder.block = block;
        if (holder.bytes == 0 && holder.savedBySwap == 0 && holder.savedByRecompute == 0)
            inFlight_.erase(entry);
    }

    void addStash(const StashedVersion& stash) {
        MemoryHolder holder;
        holder.kind = MemoryKind::weightVersions;
        holder.bytes = ledger_.rules_.versionBytes(stash.stage);
        holder.stage = stash.stage;
        holder.version = stash.version;
        holder.predicted = stash.predicted;
        const std::vector<std::uint32_t>& made = updates_[stash.stage];
        const auto update = static_cast<std::size_t>(stash.version) - 1;
        if (!stash.predicted && stash.version > 0 && update < made.size()) holder.block = made[update];
        if (holder.bytes > 0) all_.push_back(holder);
    }

    const MemoryLedger& ledger_;
    int device_;
    double timeS_;
    std::vector<MemoryHolder> all_;
    /// By stage, mini-batch and microbatch; of a buffer also by its transfer.
    std::map<std::tuple<int, int, int, std::uint32_t>, MemoryHolder> inFlight_;
    std::map<int, std::vector<std::uint32_t>> updates_;  // by stage, in order
};

MemoryLedger::MemoryLedger(const CostModel& costs, const Plan& plan, SharedStageEdges edges,
                           const Timeline& timeline)
    : costs_(costs), plan_(plan), timeline_(timeline), rules_(costs, plan, std::move(edges)) {
    if (rules_.stashes()) stashed_ = stashedVersions(plan, timeline);
}

std::vector<MemoryHolder> MemoryLedger::holders(int device, double timeS) const {
    return Instant(*this, device, timeS).holders();
}

}  // namespace stagecraft::memory
