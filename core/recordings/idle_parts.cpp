#include "core/recordings/idle_parts.h"

#include "core/base/enum_names.h"
#include "core/base/indices.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace stagecraft::recordings {

namespace {

constexpr double slowFactor = 1.15, alikeFactor = 1.05;

constexpr EnumName<IdleReason> reasonNames[] = {
    {IdleReason::fill, "fill"},           {IdleReason::drain, "drain"},
    {IdleReason::transfer, "transfer"},   {IdleReason::imbalance, "imbalance"},
    {IdleReason::straggler, "straggler"}, {IdleReason::gap, "gap"}};
constexpr EnumName<IdleReason> reasonTexts[] = {
    {IdleReason::fill, "the pipeline fills"},
    {IdleReason::drain, "the pipeline drains"},
    {IdleReason::transfer, "what it needs is on its way"},
    {IdleReason::imbalance, "the pass that it waits for is longer than on other stages"},
    {IdleReason::straggler,
     "the pass that it waits for is slower than it usually is, or than on other ranks"},
    {IdleReason::gap, "no cause is known: what it needs is there"}};

class GapReader {
public:
    explicit GapReader(const RecordedPasses& passes)
        : passes_(passes),
          timeline_(passes.recording().timeline),
          times_(passTimes(passes)),
          slow_(slowStage(times_)) {
        for (std::size_t group = 0; group < passGroupCount; ++group) {
            int stages = 0;
            for (const auto& stage : times_)
                if (stage[group].count > 0) ++stages, meanS_[group] += stage[group].medianS;
            if (stages > 0) meanS_[group] /= stages;
        }
        for (const TransferLag& lag : transferLags(passes)) lagS_[{lag.fromStage, lag.toStage}] = lag.lagS;
    }

    std::vector<IdleGap> read() {
        for (const int iteration : passes_.counted())
            for (const int lane : passes_.lanes()) findGaps(iteration, lane);
        std::stable_sort(gaps_.begin(), gaps_.end(),
                         [](const IdleGap& a, const IdleGap& b) { return a.endS < b.endS; });
        for (std::size_t gap = 0; gap < gaps_.size(); ++gap) {
            explain(gaps_[gap]);
            explained_[{gaps_[gap].iteration, gaps_[gap].lane}].push_back(gap);
        }
        return std::move(gaps_);
    }

private:
    /// Of a lane in an iteration: when gradients begin and forwards end.
    struct Phases {
        double firstGradientS = infinity, lastForwardS = -infinity;
    };

    void findGaps(int iteration, int lane) {
        const RecordedIteration& window = passes_.recording().iterations[at(iteration)];
        const Lane& own = timeline_.lanes[at(lane)];
        const auto begin = timeline_.startS.begin();
        // Blocks of a lane do not overlap: ends ascend as starts do.
        auto block = static_cast<std::uint32_t>(std::lower_bound(timeline_.endS.begin() + own.firstBlock,
                                                                 timeline_.endS.begin() + own.endBlock,
                                                                 window.startS) -
                                                timeline_.endS.begin());
        const auto end = static_cast<std::uint32_t>(
            std::lower_bound(begin + own.firstBlock, begin + own.endBlock, window.endS) - begin);
        Phases& phases = phases_[{iteration, lane}];
        double freeS = window.startS;
        for (; block < end; ++block) {
            if (timeline_.startS[block] > freeS)
                gaps_.push_back({lane, iteration, freeS, timeline_.startS[block], block});
            freeS = std::max(freeS, std::min(timeline_.endS[block], window.endS));
            if (timeline_.iteration[block] != iteration) continue;
            const BlockKind kind = timeline_.kind[block];
            if (givesGradient(kind) || kind == BlockKind::pair)
                phases.firstGradientS = std::min(phases.firstGradientS, timeline_.startS[block]);
            if (kind == BlockKind::forward || kind == BlockKind::pair)
                phases.lastForwardS = std::max(phases.lastForwardS, timeline_.startS[block]);
        }
        if (window.endS > freeS) gaps_.push_back({lane, iteration, freeS, window.endS, noBlock});
    }

    /// How the wait for a pass is shared out that took longer than it should.
    void explainExcess(std::uint32_t producer, double& leftS, IdleParts& parts) const {
        const auto group = static_cast<std::size_t>(groupOf(timeline_.kind[producer]));
        const int stage = timeline_.stage[producer];
        if (stage < 0 || at(stage) >= times_.size()) return;
        const double usualS = times_[at(stage)][group].medianS;
        double slowerS = std::max(0.0, timeline_.durationS(producer) - usualS);
        double longerS = std::max(0.0, usualS - meanS_[group]);
        if (stage == slow_) slowerS += std::exchange(longerS, 0.0);
        const double straggledS = std::min(leftS, slowerS);
        leftS -= straggledS;
        parts.of(IdleReason::straggler) += straggledS;
        const double unevenS = std::min(leftS, longerS);
        leftS -= unevenS;
        parts.of(IdleReason::imbalance) += unevenS;
    }

    /// Until the pass that is waited for has ended.
    void explainWait(const IdleGap& gap, std::uint32_t producer, double untilS, IdleParts& parts) const {
        double leftS = untilS - gap.startS;
        explainExcess(producer, leftS, parts);
        const Phases& phases = phases_.at({gap.iteration, gap.lane});
        if (gap.endS <= phases.firstGradientS) {
            parts.of(IdleReason::fill) += leftS;
            return;
        }
        if (gap.startS >= phases.lastForwardS) {
            parts.of(IdleReason::drain) += leftS;
            return;
        }
        // In between both compute in turn: what kept the other device waiting last made that pass late.
        if (const IdleGap* before = lastGapBefore(producer)) {
            const double allS = before->parts.totalS(), sharedS = std::min(leftS, allS);
            parts.add(before->parts, sharedS / allS);
            leftS -= sharedS;
        }
        parts.of(IdleReason::imbalance) += leftS;
    }

    /// Of the pass's lane, in its iteration.
    const IdleGap* lastGapBefore(std::uint32_t pass) const {
        const auto lane = explained_.find({timeline_.iteration[pass], timeline_.laneOf(pass)});
        if (lane == explained_.end()) return nullptr;
        const std::vector<std::size_t>& own = lane->second;
        const auto after =
            std::upper_bound(own.begin(), own.end(), timeline_.startS[pass],
                             [this](double time, std::size_t gap) { return time < gaps_[gap].endS; });
        return after == own.begin() ? nullptr : &gaps_[*std::prev(after)];
    }

    void explain(IdleGap& gap) const {
        if (gap.before == noBlock) {
            gap.parts.of(IdleReason::drain) = gap.endS - gap.startS;
            return;
        }
        const AwaitedInput input = passes_.inputOf(gap.before);
        const bool begins = gap.startS <= passes_.recording().iterations[at(gap.iteration)].startS;
        if (begins) {
            gap.parts.of(IdleReason::fill) = gap.endS - gap.startS;
            return;
        }
        if (input.producer == noBlock || passes_.isOnLane(input.producer, gap.lane)) {
            gap.parts.of(IdleReason::gap) = gap.endS - gap.startS;
            return;
        }
        const double doneS = std::clamp(timeline_.endS[input.producer], gap.startS, gap.endS);
        if (doneS > gap.startS) explainWait(gap, input.producer, doneS, gap.parts);
        double arrivesS = doneS;
        if (input.transfer != noBlock) {
            arrivesS = timeline_.endS[input.transfer];
        } else if (const auto lag =
                       lagS_.find({timeline_.stage[input.producer], timeline_.stage[gap.before]});
                   lag != lagS_.end()) {
            arrivesS = timeline_.endS[input.producer] + lag->second;
        }
        arrivesS = std::clamp(arrivesS, doneS, gap.endS);
        gap.parts.of(IdleReason::transfer) += arrivesS - doneS;
        gap.parts.of(IdleReason::gap) += gap.endS - arrivesS;
    }

    const RecordedPasses& passes_;
    const Timeline& timeline_;
    std::vector<std::array<RecordedTimes, passGroupCount>> times_;
    int slow_;
    std::array<double, passGroupCount> meanS_{};
    std::map<std::pair<int, int>, double> lagS_;
    std::map<std::pair<int, int>, Phases> phases_;  // by iteration and lane
    std::vector<IdleGap> gaps_;
    std::map<std::pair<int, int>, std::vector<std::size_t>> explained_;  // by iteration and lane
};

}  // namespace

const char* idleReasonName(IdleReason reason) { return nameOf(reasonNames, reason); }
const char* idleReasonText(IdleReason reason) { return nameOf(reasonTexts, reason); }

double IdleParts::totalS() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

void IdleParts::add(const IdleParts& other, double factor) {
    for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] += factor * other.seconds[i];
}

std::vector<IdleGap> idleGaps(const RecordedPasses& passes) { return GapReader(passes).read(); }

int slowStage(const std::vector<std::array<RecordedTimes, passGroupCount>>& times) {
    if (times.size() < 4) return -1;
    int slow = -1;
    for (const PassGroup group : {PassGroup::forward, PassGroup::backward, PassGroup::inputGradient}) {
        const auto own = static_cast<std::size_t>(group);
        std::vector<std::pair<double, int>> inner;
        for (std::size_t stage = 1; stage + 1 < times.size(); ++stage)
            if (times[stage][own].count > 0)
                inner.emplace_back(times[stage][own].medianS, static_cast<int>(stage));
        if (inner.empty()) continue;
        std::sort(inner.begin(), inner.end());
        const auto [mostS, stage] = inner.back();
        if (inner.size() < 2 || mostS < slowFactor * inner[inner.size() - 2].first ||
            inner[inner.size() - 2].first > alikeFactor * inner.front().first || (slow >= 0 && slow != stage))
            return -1;
        slow = stage;
    }
    return slow;
}

}  // namespace stagecraft::recordings
