#include "core/recordings/plan_match.h"

#include "core/base/counted.h"
#include "core/base/enum_names.h"
#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/recordings/recorded_run.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>

namespace stagecraft::recordings {

namespace {

constexpr EnumName<DelayCause> causeNames[] = {{DelayCause::compute, "longer passes"},
                                               {DelayCause::transfer, "longer transfers"},
                                               {DelayCause::gap, "longer gaps"},
                                               {DelayCause::order, "another order"},
                                               {DelayCause::wait, "fewer waits"},
                                               {DelayCause::start, "a later start"},
                                               {DelayCause::end, "more after the last pass"}};
constexpr EnumName<PassGroup> groupNames[] = {{PassGroup::forward, "forward"},
                                              {PassGroup::backward, "backward"},
                                              {PassGroup::inputGradient, "input gradient"},
                                              {PassGroup::weightGradient, "weight gradient"},
                                              {PassGroup::recompute, "recomputation"},
                                              {PassGroup::pair, "overlapped pair"},
                                              {PassGroup::other, "pass"}};

using MatchKey = std::tuple<BlockKind, int, int, int>;  // kind, stage, microbatch, slice

MatchKey keyOf(const Timeline& timeline, std::uint32_t block) {
    return {timeline.kind[block], timeline.stage[block], timeline.microbatch[block], timeline.sliceOf(block)};
}

/// Passes, and what is recomputed for them.
bool isMatched(BlockKind kind) { return isPass(kind) || kind == BlockKind::recompute; }

/// A pass and the one that it followed in its run.
struct Followed {
    std::uint32_t block = noBlock;
    bool sent = false;  ///< its input came from there; else it is the one before on its lane
};

class RunMatcher {
public:
    RunMatcher(const Recording& planned, const Recording& recorded)
        : plan_(planned), run_(recorded), planned_(planned.timeline), recorded_(recorded.timeline) {}

    RunMatch match() {
        RunMatch match;
        if (plan_.counted().empty() || run_.counted().empty()) return match;
        planIteration_ = medianIteration(plan_);
        match.plannedS = lengthS(plan_, planIteration_);
        indexPlan();
        matchPasses(match);
        const double count = double(run_.counted().size());
        for (const int iteration : run_.counted()) {
            match.recordedS += lengthS(run_, iteration) / count;
            followBack(iteration, count);
        }
        for (const auto& [key, seconds] : parts_) {
            const auto& [cause, stage, group] = key;
            match.parts.push_back({cause, stage, group, seconds});
        }
        std::stable_sort(match.parts.begin(), match.parts.end(), [](const DelayPart& a, const DelayPart& b) {
            return std::abs(a.seconds) > std::abs(b.seconds);
        });
        return match;
    }

private:
    static double lengthS(const RecordedPasses& passes, int iteration) {
        const RecordedIteration& own = passes.recording().iterations[at(iteration)];
        return own.endS - own.startS;
    }
    /// The one of all that count that is as long as the median.
    static int medianIteration(const RecordedPasses& passes) {
        std::vector<int> iterations = passes.counted();
        std::stable_sort(iterations.begin(), iterations.end(),
                         [&](int a, int b) { return lengthS(passes, a) < lengthS(passes, b); });
        return iterations[(iterations.size() - 1) / 2];
    }
    double planStartS() const { return plan_.recording().iterations[at(planIteration_)].startS; }
    double planEndS() const { return plan_.recording().iterations[at(planIteration_)].endS; }

    void indexPlan() {
        for (const int lane : plan_.lanes()) {
            const Lane& own = planned_.lanes[at(lane)];
            std::uint32_t before = noBlock;
            for (std::uint32_t block = own.firstBlock; block < own.endBlock; ++block)
                if (planned_.iteration[block] == planIteration_ && isMatched(planned_.kind[block])) {
                    byKey_.try_emplace(keyOf(planned_, block), block);
                    if (before != noBlock) plannedBefore_[block] = before;
                    before = block;
                }
        }
    }

    void matchPasses(RunMatch& match) {
        std::set<std::pair<std::uint32_t, int>> found;
        for (const int lane : run_.lanes()) {
            const Lane& own = recorded_.lanes[at(lane)];
            std::uint32_t before = noBlock;
            for (std::uint32_t block = own.firstBlock; block < own.endBlock; ++block) {
                const int iteration = recorded_.iteration[block];
                if (!isMatched(recorded_.kind[block]) || !run_.counts(iteration)) continue;
                const auto planned = byKey_.find(keyOf(recorded_, block));
                if (planned == byKey_.end()) {
                    ++match.unplanned;
                    continue;
                }
                matchOf_[block] = planned->second;
                found.emplace(planned->second, iteration);
                if (before != noBlock && recorded_.iteration[before] == iteration) before_[block] = before;
                before = block;
            }
        }
        match.missing = static_cast<int>(byKey_.size() * run_.counted().size() - found.size());
        for (const auto& [block, planned] : matchOf_) match.blocks.push_back(matched(block, planned));
        std::sort(match.blocks.begin(), match.blocks.end(),
                  [](const MatchedBlock& a, const MatchedBlock& b) { return a.recorded < b.recorded; });
    }

    double runStartS(std::uint32_t block) const {
        return run_.recording().iterations[at(recorded_.iteration[block])].startS;
    }

    /// What the pass of the run followed: what came last of its input and the pass before it.
    Followed followed(std::uint32_t block) const {
        Followed latest;
        const auto before = before_.find(block);
        double endS = -infinity;
        if (before != before_.end()) latest.block = before->second, endS = recorded_.endS[before->second];
        const AwaitedInput input = run_.inputOf(block);
        if (input.producer == noBlock || !matchOf_.contains(input.producer)) return latest;
        if (recorded_.iteration[input.producer] != recorded_.iteration[block]) return latest;
        if (recorded_.laneOf(input.producer) == recorded_.laneOf(block)) return latest;
        // A pass that began no earlier was not followed, whatever clocks say.
        if (recorded_.startS[input.producer] >= recorded_.startS[block]) return latest;
        const double arrivesS = input.transfer == noBlock
                                    ? recorded_.endS[input.producer]
                                    : std::min(recorded_.endS[input.transfer], recorded_.startS[block]);
        if (arrivesS > endS) return {input.producer, true};
        return latest;
    }

    /// By how much the planned pass starts after the end of what its counterpart followed.
    double plannedLagS(std::uint32_t planned, std::uint32_t behind) const {
        return planned_.startS[planned] - planned_.endS[matchOf_.at(behind)];
    }

    MatchedBlock matched(std::uint32_t block, std::uint32_t planned) const {
        MatchedBlock match{block, planned};
        match.laterS =
            (recorded_.startS[block] - runStartS(block)) - (planned_.startS[planned] - planStartS());
        match.longerS = recorded_.durationS(block) - planned_.durationS(planned);
        const Followed behind = followed(block);
        match.behind = behind.block;
        if (behind.block == noBlock) {
            match.lagS = match.laterS;
            return match;
        }
        match.cause = behind.sent ? DelayCause::transfer : DelayCause::gap;
        match.lagS =
            recorded_.startS[block] - recorded_.endS[behind.block] - plannedLagS(planned, behind.block);
        return match;
    }

    void add(DelayCause cause, std::uint32_t block, double seconds) {
        const int stage = block == noBlock ? -1 : recorded_.stage[block];
        const PassGroup group =
            cause == DelayCause::compute ? groupOf(recorded_.kind[block]) : PassGroup::other;
        if (seconds != 0) parts_[{cause, stage, group}] += seconds;
    }

    /// As what the time between the two counts that the plan has: as what it is in the run where the plan has
    /// them follow each other too.
    DelayCause plannedCause(std::uint32_t planned, const Followed& behind) const {
        const std::uint32_t own = matchOf_.at(behind.block);
        const auto before = plannedBefore_.find(planned);
        const double freeS = before == plannedBefore_.end() ? -infinity : planned_.endS[before->second];
        if (behind.sent) return planned_.endS[own] >= freeS ? DelayCause::transfer : DelayCause::wait;
        if (before == plannedBefore_.end() || before->second != own) return DelayCause::order;
        const AwaitedInput input = plan_.inputOf(planned);
        const bool waits = input.producer != noBlock && planned_.endS[input.producer] > planned_.endS[own] &&
                           planned_.laneOf(input.producer) != planned_.laneOf(planned);
        return waits ? DelayCause::wait : DelayCause::gap;
    }

    /// From the last pass of the iteration to its first, along what each followed: what is longer at each
    /// step than between the same two in the plan adds up to the difference.
    void followBack(int iteration, double count) {
        const RecordedIteration& own = run_.recording().iterations[at(iteration)];
        std::uint32_t block = noBlock;
        for (const auto& [each, planned] : matchOf_)
            if (recorded_.iteration[each] == iteration &&
                (block == noBlock ||
                 std::pair(recorded_.endS[each], each) > std::pair(recorded_.endS[block], block)))
                block = each;
        if (block == noBlock) {
            add(DelayCause::end, noBlock,
                (lengthS(run_, iteration) - lengthS(plan_, planIteration_)) / count);
            return;
        }
        add(DelayCause::end, noBlock,
            (own.endS - recorded_.endS[block] - (planEndS() - planned_.endS[matchOf_.at(block)])) / count);
        while (true) {
            const std::uint32_t planned = matchOf_.at(block);
            add(DelayCause::compute, block,
                (recorded_.durationS(block) - planned_.durationS(planned)) / count);
            const Followed behind = followed(block);
            if (behind.block == noBlock) {
                add(DelayCause::start, noBlock,
                    (recorded_.startS[block] - own.startS - (planned_.startS[planned] - planStartS())) /
                        count);
                return;
            }
            const DelayCause cause = behind.sent ? DelayCause::transfer : DelayCause::gap;
            add(cause, block, (recorded_.startS[block] - recorded_.endS[behind.block]) / count);
            add(plannedCause(planned, behind), block, -plannedLagS(planned, behind.block) / count);
            block = behind.block;
        }
    }

    RecordedPasses plan_, run_;
    const Timeline &planned_, &recorded_;
    int planIteration_ = 0;
    std::map<MatchKey, std::uint32_t> byKey_;
    std::unordered_map<std::uint32_t, std::uint32_t> matchOf_;        // by block of the run
    std::unordered_map<std::uint32_t, std::uint32_t> before_;         // on its lane, of the same iteration
    std::unordered_map<std::uint32_t, std::uint32_t> plannedBefore_;  // the same of the plan's blocks
    std::map<std::tuple<DelayCause, int, PassGroup>, double> parts_;
};

}  // namespace

const char* delayCauseName(DelayCause cause) { return nameOf(causeNames, cause); }

double RunMatch::of(DelayCause cause) const {
    double seconds = 0;
    for (const DelayPart& part : parts)
        if (part.cause == cause) seconds += part.seconds;
    return seconds;
}

RunMatch matchRecordings(const Recording& planned, const Recording& recorded) {
    RunMatch match = RunMatcher(planned, recorded).match();
    match.ofRun = true;
    return match;
}

RunMatch matchPlan(const PlanRun& run, const Recording& recorded) {
    const Recording planned = recordedRun(run);
    return RunMatcher(planned, recorded).match();
}

namespace {
std::string otherName(bool ofRun) { return ofRun ? "the other run" : "the plan"; }
}  // namespace

std::string delayText(const DelayPart& part, bool ofRun) {
    if (part.cause == DelayCause::compute)
        return std::string(nameOf(groupNames, part.group)) + " of stage " + std::to_string(part.stage);
    if (part.cause == DelayCause::transfer) return "transfers to stage " + std::to_string(part.stage);
    if (part.cause == DelayCause::gap) return "gaps on stage " + std::to_string(part.stage);
    if (part.cause == DelayCause::order) return "another order on stage " + std::to_string(part.stage);
    if (part.cause == DelayCause::wait)
        return "waits of stage " + std::to_string(part.stage) + " that only " + otherName(ofRun) + " has";
    return part.cause == DelayCause::start ? "before the first pass" : "after the last pass";
}

std::vector<std::string> matchTexts(const RunMatch& match) {
    std::vector<std::string> texts;
    const double more = match.differenceS();
    const auto share =
        match.plannedS > 0 ? formatPercent(std::abs(more) / match.plannedS) : std::string("0 %");
    texts.push_back("On the mean the run takes " + formatSeconds(match.recordedS) + " an iteration, " +
                    share + " " + (more < 0 ? "less" : "more") + " than " + formatSeconds(match.plannedS) +
                    ".");
    std::vector<std::pair<double, DelayCause>> causes;
    for (int cause = 0; cause < delayCauseCount; ++cause)
        causes.emplace_back(match.of(static_cast<DelayCause>(cause)), static_cast<DelayCause>(cause));
    std::stable_sort(causes.begin(), causes.end(),
                     [](const auto& a, const auto& b) { return std::abs(a.first) > std::abs(b.first); });
    std::string text;
    for (const auto& [seconds, cause] : causes)
        if (std::abs(seconds) > 1e-4 * std::max(match.plannedS, match.recordedS))
            text += (text.empty() ? "" : ", ") + std::string(delayCauseName(cause)) + " " +
                    (seconds < 0 ? "-" : "+") + formatSeconds(std::abs(seconds));
    if (!text.empty()) texts.push_back("Along what its end waited for: " + text + ".");
    if (match.unplanned > 0)
        texts.push_back(counted(match.unplanned, "pass", "passes") + " of the run " +
                        (match.unplanned == 1 ? "is" : "are") + " not in " + otherName(match.ofRun) + ".");
    if (match.missing > 0)
        texts.push_back(counted(match.missing, "pass", "passes") + " of " + otherName(match.ofRun) + " " +
                        (match.missing == 1 ? "is" : "are") + " not in the run.");
    return texts;
}

}  // namespace stagecraft::recordings
