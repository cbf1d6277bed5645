#include "core/analysis/what_bounds.h"

#include "core/analysis/inside_pass.h"
#include "core/base/units.h"
#include "core/model/lane_stages.h"
#include "core/model/rank_measurements.h"

#include <algorithm>
#include <map>

namespace stagecraft::analysis {

namespace {

/// What rounding leaves of a time is no gap.
std::string gapsText(double seconds) {
    const std::string text = formatSeconds(seconds);
    return text == formatSeconds(0) ? "no gaps" : text + " of gaps";
}

constexpr std::size_t mostNamed = 3;  // lanes in a sentence
constexpr double rounding = 1e-9;
constexpr double evenWithin = 1.1;    // of the mean: work that is called even
constexpr double worthNaming = 0.02;  // of an iteration

std::string withShare(double seconds, double wholeS) {
    return formatSeconds(seconds) + " (" + formatPercent(wholeS > 0 ? seconds / wholeS : 0) + ")";
}

std::string capitalised(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

/// A difference of sums of the same times is rounding where it is all but nothing.
double orNothing(double seconds, double ofS) { return seconds > rounding * ofS ? seconds : 0; }

std::vector<WhatBounds::Share> sorted(const std::map<int, double>& seconds) {
    std::vector<WhatBounds::Share> shares;
    for (const auto& [lane, each] : seconds) shares.push_back({lane, each});
    // Sums that are equal but for rounding stay in the order of their lanes.
    std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) {
        return static_cast<float>(a.seconds) > static_cast<float>(b.seconds);
    });
    return shares;
}

/// A sentence but for the stages that it is about.
struct AroundStages {
    std::string before, after;
    bool operator==(const AroundStages&) const = default;
};

class Judge {
public:
    Judge(const CostModel& costs, const Plan& plan, const Timeline& timeline, const Metrics& metrics,
          int microbatches)
        : costs_(costs), plan_(plan), timeline_(timeline), metrics_(metrics) {
        const int own = costs.problem().setup.microbatches;
        asked_ = microbatches > 0 ? microbatches : own;
        if (asked_ != own) scale_ = double(asked_) / own;
        for (const std::int32_t each : timeline.iteration) iterations_ = std::max(iterations_, each + 1);
        const bool pattern = std::holds_alternative<PeriodicSchedule>(plan.schedule.order);
        barrier_ = !pattern && costs.problem().setup.mode == TrainingMode::synchronous;
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block)
            if (counts(block)) endS_ = std::max(endS_, timeline.endS[block]);
    }

    WhatBounds judge() {
        findBusiest();
        if (bounds_.lane < 0) {
            bounds_.headline = "Nothing in this plan takes time.";
            return std::move(bounds_);
        }
        shareCriticalPath();
        const double ends = bounds_.fillS + bounds_.drainS;
        bounds_.kind = 2 * bounds_.workS >= bounds_.iterationS ? WhatBounds::Kind::work
                       : ends >= bounds_.gapsS                 ? WhatBounds::Kind::fillAndDrain
                                                               : WhatBounds::Kind::gaps;
        putInWords();
        return std::move(bounds_);
    }

private:
    const Lane& lane(int index) const { return timeline_.lanes[static_cast<std::size_t>(index)]; }
    std::string name(int index) const { return laneText(timeline_, plan_, costs_.problem().cluster, index); }
    /// With a barrier one iteration shows all; without one a mini-batch is the mean over all of them.
    bool counts(std::uint32_t block) const { return !barrier_ || timeline_.iteration[block] == 0; }
    double each() const { return (barrier_ ? 1.0 : iterations_) / scale_; }

    /// Of the lanes that have nearly as much to do as the busiest, that with the least gaps: the stages at
    /// the start of a pipeline see its depth as a gap, those at its end as time before and after.
    void findBusiest() {
        std::vector<double> workS;
        double computeS = 0;
        int computing = 0;
        for (const Lane& own : timeline_.lanes) {
            double sum = 0;
            for (std::uint32_t block = own.firstBlock; block < own.endBlock; ++block)
                if (counts(block)) sum += timeline_.durationS(block);
            workS.push_back(sum / each());
            if (own.kind != LaneKind::compute || sum <= 0) continue;
            computeS += workS.back();
            ++computing;
        }
        meanComputeS_ = computing > 0 ? computeS / computing : 0;
        const double mostS = workS.empty() ? 0 : *std::max_element(workS.begin(), workS.end());
        for (std::size_t index = 0; mostS > 0 && index < workS.size(); ++index) {
            if (workS[index] * evenWithin < mostS) continue;
            WhatBounds parts = partsOf(static_cast<int>(index), workS[index]);
            if (bounds_.lane < 0 || parts.gapsS < bounds_.gapsS * (1 - rounding)) bounds_ = std::move(parts);
        }
    }

    WhatBounds partsOf(int index, double workS) const {
        const Lane& own = lane(index);
        WhatBounds parts;
        parts.lane = index;
        parts.workS = workS;
        double firstS = -1, lastS = 0;
        std::map<int, double> awaited;
        for (std::uint32_t block = own.firstBlock; block < own.endBlock; ++block) {
            if (!counts(block) || timeline_.durationS(block) <= 0) continue;
            const double gapS = timeline_.startS[block] - lastS;
            const std::uint32_t before = timeline_.waitedFor[block];
            if (firstS >= 0 && gapS > 0 && before != noBlock)
                awaited[timeline_.laneOf(before)] += gapS / each();
            if (firstS < 0) firstS = timeline_.startS[block];
            lastS = timeline_.endS[block];
        }
        parts.awaited = sorted(awaited);
        if (!barrier_) {
            parts.iterationS = std::max(metrics_.iterationTimeS * scale_, workS);
            parts.gapsS = orNothing(parts.iterationS - workS, parts.iterationS);
            return parts;
        }
        parts.iterationS = endS_ * scale_;
        parts.fillS = firstS * scale_;
        parts.drainS = (endS_ - lastS) * scale_;
        parts.gapsS = orNothing((lastS - firstS) * scale_ - workS, parts.iterationS);
        return parts;
    }

    void shareCriticalPath() {
        std::map<int, double> seconds;
        for (const std::uint32_t block : metrics_.criticalPath.blocks)
            if (timeline_.durationS(block) > 0)
                seconds[timeline_.laneOf(block)] += timeline_.durationS(block);
        bounds_.critical = sorted(seconds);
        for (const WhatBounds::Share& share : bounds_.critical) bounds_.criticalS += share.seconds;
    }

    void putInWords() {
        const std::string full =
            laneTextWithDevices(timeline_, plan_, costs_.problem().cluster, bounds_.lane);
        const std::string own = name(bounds_.lane), whole = formatSeconds(bounds_.iterationS);
        const std::string work = withShare(bounds_.workS, bounds_.iterationS);
        const bool several = full.starts_with("stages ");  // on one device
        switch (bounds_.kind) {
            case WhatBounds::Kind::nothing:
                return;
            case WhatBounds::Kind::work:
                bounds_.subject = own;
                bounds_.headline = capitalised(full) +
                                   (several ? " bound the time: they are" : " bounds the time: it is") +
                                   " busy for " + work + " of " + whole + ".";
                break;
            case WhatBounds::Kind::fillAndDrain:
                bounds_.subject = "the number of stages";
                bounds_.headline =
                    "The number of stages bounds the time: the pipeline fills and drains for " +
                    withShare(bounds_.fillS + bounds_.drainS, bounds_.iterationS) + " of " + whole +
                    " around " + own + ".";
                break;
            case WhatBounds::Kind::gaps:
                bounds_.subject = "waits of " + own;
                bounds_.headline =
                    "Waiting bounds the time: " + full +
                    (several ? ", which have most to do, wait for " : ", which has most to do, waits for ") +
                    withShare(bounds_.gapsS, bounds_.iterationS) + " of " + whole + " between its blocks.";
                break;
        }
        const bool sharing = blameSharing();
        if (barrier_)
            bounds_.reasons.push_back("Of " + own + ": " + formatSeconds(bounds_.fillS) +
                                      " before its first block, " + formatSeconds(bounds_.workS) +
                                      " of work, " + gapsText(bounds_.gapsS) + ", " +
                                      formatSeconds(bounds_.drainS) + " after its last.");
        else
            bounds_.reasons.push_back((scale_ == 1   ? "A mini-batch takes "
                                       : asked_ == 1 ? "A microbatch takes "
                                                     : std::to_string(asked_) + " microbatches take ") +
                                      whole + " in the steady state: " + formatSeconds(bounds_.workS) +
                                      " of work and " + gapsText(bounds_.gapsS) + ".");
        if (bounds_.gapsS >= worthNaming * bounds_.iterationS)
            nameShares("Its gaps end with ", bounds_.awaited, bounds_.gapsS, bounds_.iterationS);
        nameShares("Time on the critical path: ", bounds_.critical, bounds_.criticalS,
                   bounds_.iterationS / scale_);
        nameContention();
        if (lane(bounds_.lane).kind == LaneKind::compute) nameInside();
        if (sharing && bounds_.contention) return adviseOnSharing();
        if (bounds_.kind == WhatBounds::Kind::work) adviseOnWork();
        if (bounds_.kind == WhatBounds::Kind::fillAndDrain ||
            bounds_.fillS + bounds_.drainS > bounds_.workS / 4)
            adviseOnDepth();
        if (bounds_.kind == WhatBounds::Kind::gaps) adviseOnGaps();
    }

    void nameShares(const std::string& lead, const std::vector<WhatBounds::Share>& shares, double wholeS,
                    double iterationS) {
        std::string text;
        for (std::size_t i = 0; i < shares.size() && i < mostNamed; ++i) {
            if (shares[i].seconds < worthNaming * iterationS) break;
            text += (i ? ", " : "") + name(shares[i].lane) + " " + withShare(shares[i].seconds, wholeS);
        }
        if (!text.empty()) bounds_.reasons.push_back(lead + text + ".");
    }

    /// On the critical path, by how much transfers and collectives that shared links took longer than alone.
    double sharingS() const {
        double laterS = 0;
        for (const std::uint32_t block : metrics_.criticalPath.blocks)
            if (timeline_.sharedRunOf(block)) laterS += timeline_.durationS(block) - timeline_.aloneS(block);
        return laterS * scale_;
    }

    /// Where the path would be less than half as long with links of its own, neither depth nor waits are what
    /// to look at first.
    bool blameSharing() {
        const double laterS = sharingS();
        if (2 * laterS < bounds_.iterationS) return false;
        bounds_.subject = "shared links";
        bounds_.headline = "Shared links bound the time: on the critical path what crosses them takes " +
                           formatSeconds(laterS) + " of " + formatSeconds(bounds_.iterationS) +
                           " longer than alone.";
        return true;
    }

    void nameContention() {
        if (timeline_.sharedRuns.empty()) return;
        bounds_.contention = firstContention(costs_, plan_, stageEdges(costs_, plan_), timeline_, barrier_);
        if (!bounds_.contention) return;
        for (std::string& each : bounds_.contention->sentences(timeline_))
            bounds_.reasons.push_back(std::move(each));
    }

    /// What the ranks of its stages send to each other within their groups; stages of which the same is to be
    /// said are named together.
    void nameInside() {
        std::vector<std::pair<AroundStages, std::vector<int>>> said;
        for (int stage = 0; stage < plan_.stageCount(); ++stage) {
            const Stage& own = plan_.stages[static_cast<std::size_t>(stage)];
            if (!own.group.dividesLayers() || own.devices.front() != lane(bounds_.lane).devices.front())
                continue;
            for (AroundStages& sentence : insideOfStage(stage)) {
                const auto same =
                    std::ranges::find(said, sentence, [](const auto& each) { return each.first; });
                if (same != said.end())
                    same->second.push_back(stage);
                else
                    said.push_back({std::move(sentence), {stage}});
            }
        }
        for (const auto& [sentence, stages] : said)
            bounds_.reasons.push_back(sentence.before + namedStages(stages) + sentence.after);
    }

    std::vector<AroundStages> insideOfStage(int stage) const {
        const Stage& own = plan_.stages[static_cast<std::size_t>(stage)];
        double allS = 0;
        std::map<std::string, double> sentS;
        for (const bool backward : {false, true})
            for (const InsidePart& part : insideOf(costs_, plan_, stage, backward)) {
                allS += part.seconds;
                if (part.bandwidthBps > 0) sentS[part.what + ", " + part.how] += part.seconds;
            }
        const bool isSlowed = std::ranges::any_of(timeline_.sharedRuns, [&](const SharedRun& run) {
            return timeline_.stage[run.block] == stage &&
                   passKind(timeline_.kind[run.block]).role == PassRole::computes;
        });
        std::vector<AroundStages> sentences;
        if (isTimedOn(costs_.problem().profile, own.firstLayer, own.lastLayer, own.group))
            sentences.push_back({"The times of ", " were measured on " + std::to_string(own.group.tensor) +
                                                      " GPUs: what these send each other is in them."});
        for (const auto& [what, seconds] : sentS)
            sentences.push_back({plan_.schedule.slices() > 1 ? "Of each slice on " : "Of each microbatch on ",
                                 " " + withShare(seconds, allS) + " of " + formatSeconds(allS) + " are " +
                                     what + (isSlowed ? ", were its links its own." : ".")});
        return sentences;
    }

    void adviseOnWork() {
        const LaneKind kind = lane(bounds_.lane).kind;
        if (kind == LaneKind::compute && bounds_.workS > evenWithin * meanComputeS_)
            bounds_.advice.emplace_back(
                "Move layers from it to other stages or give it another GPU: the mean of all that "
                "compute is " +
                formatSeconds(meanComputeS_) + ".");
        else if (kind == LaneKind::compute)
            bounds_.advice.emplace_back(
                "Work is spread evenly (" + formatSeconds(meanComputeS_) +
                " on average): moving layers gains little; only more or faster GPUs would.");
        else if (kind == LaneKind::channel)
            bounds_.advice.emplace_back(
                "Cut the network where less crosses, or place the two stages on GPUs that a faster "
                "link joins.");
        else if (kind == LaneKind::allReduce)
            bounds_.advice.emplace_back(
                "Use fewer replicas or such as faster links join, or more microbatches between two "
                "updates.");
        else
            bounds_.advice.emplace_back(
                "Swap less: recompute, or keep more activations where memory allows it.");
    }

    /// Filling, draining and waits are as long as they are because links are shared.
    void adviseOnSharing() {
        bounds_.advice.push_back("Place the stages so that less crosses " + bounds_.contention->link +
                                 " at one time, cut the network where less is sent, or widen that link.");
    }

    void adviseOnDepth() {
        const int stages = plan_.stageCount() / std::max(1, plan_.pipelineCount());
        bounds_.advice.emplace_back("More microbatches (now " +
                                    std::to_string(costs_.problem().setup.microbatches) +
                                    ") or fewer stages (now " + std::to_string(stages) +
                                    ") make filling and draining a smaller part.");
    }

    void adviseOnGaps() {
        const bool links =
            !bounds_.awaited.empty() && lane(bounds_.awaited.front().lane).kind != LaneKind::compute;
        bounds_.advice.emplace_back(
            links ? "Cut the network where less crosses, use a faster link there, or a schedule that "
                    "keeps more microbatches in flight."
                  : "Even out the stages, or try a schedule that keeps more microbatches in flight.");
    }

    const CostModel& costs_;
    const Plan& plan_;
    const Timeline& timeline_;
    const Metrics& metrics_;
    bool barrier_ = true;
    int iterations_ = 1;
    int asked_ = 1;     ///< microbatches
    double scale_ = 1;  ///< of them to those of the plan's own mini-batch
    double endS_ = 0;   ///< of the blocks that count
    double meanComputeS_ = 0;
    WhatBounds bounds_;
};

}  // namespace

WhatBounds whatBounds(const CostModel& costs, const Plan& plan, const Timeline& timeline,
                      const Metrics& metrics, int microbatches) {
    return Judge(costs, plan, timeline, metrics, microbatches).judge();
}

}  // namespace stagecraft::analysis
