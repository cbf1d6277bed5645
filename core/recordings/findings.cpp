#include "core/recordings/findings.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/model/model_names.h"
#include "core/planners/planned_run.h"
#include "core/recordings/recorded_project.h"
#include "core/recordings/stream_shares.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

namespace stagecraft::recordings {

namespace {

constexpr double worthSaying = 0.02;         // of all idle time
constexpr std::size_t mostStreamsTold = 16;  // GPUs
constexpr int leastEvicting = 4;             // ranks; with fewer BPipe has nothing to lend and is 1F1B

bool isFamily(const programs::NearSchedule& schedule, const char* id) {
    return schedule.family && schedule.family->id == id;
}

void takeIterations(const Recording& recording, const std::vector<int>& counts, RecordingFindings& findings) {
    findings.iterations = static_cast<int>(recording.iterations.size());
    std::vector<double> lengths;
    for (const int iteration : counts)
        lengths.push_back(recording.iterations[at(iteration)].endS -
                          recording.iterations[at(iteration)].startS);
    for (const RecordedIteration& each : recording.iterations) findings.warmUps += each.warmsUp;
    if (lengths.empty()) return;
    findings.firstCounted = counts.front();
    findings.lastCounted = counts.back();
    findings.iterationS = medianOf(lengths);
    const auto offMedian = [&](double length) { return std::abs(length - findings.iterationS); };
    const auto nearest = std::ranges::min_element(lengths, std::less<>(), offMedian);
    findings.typicalIteration = counts[static_cast<std::size_t>(nearest - lengths.begin())];
    const auto [least, most] = std::minmax_element(lengths.begin(), lengths.end());
    findings.leastIterationS = *least;
    findings.mostIterationS = *most;
}

void takeRanks(const RecordedPasses& passes, RecordingFindings& findings) {
    const Recording& recording = passes.recording();
    const Timeline& timeline = recording.timeline;
    double meanS = 0;
    for (const int iteration : passes.counted())
        meanS += recording.iterations[at(iteration)].endS - recording.iterations[at(iteration)].startS;
    const double count = std::max<double>(1, double(passes.counted().size()));
    meanS /= count;
    std::map<int, IdleParts> idle;
    std::map<std::pair<int, int>, double> idleS;  // by lane and iteration
    for (const IdleGap& gap : idleGaps(passes)) {
        idle[gap.lane].add(gap.parts, 1 / count);
        idleS[{gap.lane, gap.iteration}] += gap.endS - gap.startS;
    }
    std::set<int> microbatches;
    for (const int lane : passes.lanes()) {
        const Lane& own = timeline.lanes[at(lane)];
        RankFindings rank{lane, own.devices};
        std::set<int> stages;
        for (std::uint32_t block = own.firstBlock; block < own.endBlock; ++block) {
            if (!isPass(timeline.kind[block])) continue;
            stages.insert(timeline.stage[block]);
            microbatches.insert(timeline.microbatch[block]);
            findings.slices = std::max(findings.slices, timeline.sliceOf(block) + 1);
        }
        rank.stages.assign(stages.begin(), stages.end());
        rank.idle = idle[lane];
        rank.idleS = rank.idle.totalS();
        rank.busyS = std::max(0.0, meanS - rank.idleS);
        findings.idle.add(rank.idle);
        findings.chunks = std::max(findings.chunks, static_cast<int>(stages.size()));
        findings.ranksFound.push_back(std::move(rank));
    }
    findings.ranks = static_cast<int>(findings.ranksFound.size());
    findings.microbatches = static_cast<int>(microbatches.size());
    for (int rank = 0; rank < findings.ranks; ++rank)
        if (findings.slowest < 0 ||
            findings.ranksFound[at(rank)].busyS > findings.ranksFound[at(findings.slowest)].busyS)
            findings.slowest = rank;
    std::vector<double> together(passes.counted().size(), 0);
    for (RankFindings& rank : findings.ranksFound) {
        std::vector<double> shares;
        for (std::size_t i = 0; i < together.size(); ++i) {
            const RecordedIteration& own = recording.iterations[at(passes.counted()[i])];
            shares.push_back(idleS[{rank.lane, passes.counted()[i]}] / (own.endS - own.startS));
            together[i] += shares.back() / findings.ranks;
        }
        rank.idleShare = medianOf(shares);
    }
    findings.idleShare = medianOf(together);
}

void tellSchedule(const Recording& recording, RecordingFindings& findings, const WorkContext& context) {
    try {
        const Project project = projectFrom(recording);
        const PlanRun run =
            evaluatePlan(std::make_shared<const CostModel>(project.problem), project.plans.front(), context);
        if (!run.ok()) {
            findings.reason = run.result.reason;
            return;
        }
        findings.schedule = recognisedSchedule(run, {}, context);
        auto& nearest = findings.schedule->nearest;
        const auto isPlain = [](const programs::NearSchedule& each) { return isFamily(each, "1f1b"); };
        if (findings.ranks < leastEvicting && std::ranges::any_of(nearest, isPlain))
            std::erase_if(nearest,
                          [](const programs::NearSchedule& each) { return isFamily(each, "bpipe"); });
    } catch (const std::invalid_argument& error) {
        findings.reason = error.what();
    }
}

/// BPipe computes in the order of 1F1B. That a rank has lent activations to another one shows in what is
/// moved and in memory.
bool mayEvict(const Recording& recording, const RecordingFindings& findings) {
    if (!findings.schedule || !findings.schedule->isKnown() || findings.ranks < leastEvicting) return false;
    const auto& nearest = findings.schedule->nearest;
    const auto is = [](const char* id) {
        return [id](const programs::NearSchedule& each) { return isFamily(each, id); };
    };
    return std::ranges::any_of(nearest, is("1f1b")) && std::ranges::none_of(nearest, is("bpipe")) &&
           recording.series.empty() && recording.firstInput.empty();
}

std::string shareOf(double partS, double allS) { return formatPercent(allS > 0 ? partS / allS : 0); }

/// "fill 40 %, drain 30 % and transfer 20 %" of idle time, the largest first.
std::string partsText(const IdleParts& parts) {
    std::vector<int> order(idleReasonCount);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return parts.seconds[at(a)] > parts.seconds[at(b)]; });
    const double allS = parts.totalS();
    std::vector<std::string> words;
    for (const int reason : order)
        if (parts.seconds[at(reason)] > worthSaying * allS)
            words.push_back(std::string(idleReasonName(static_cast<IdleReason>(reason))) + " " +
                            shareOf(parts.seconds[at(reason)], allS));
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " and ") + words[i];
    return text;
}

std::string iterationText(const RecordingFindings& findings) {
    std::string text = "An iteration takes " + formatSeconds(findings.iterationS);
    if (findings.iterations - findings.warmUps > 1)
        text += " on the median of iterations " + findings.countedText() + " (" +
                formatSeconds(findings.leastIterationS) + " to " + formatSeconds(findings.mostIterationS) +
                ")";
    if (findings.warmUps > 0)
        text += "; " + counted(findings.warmUps, "iteration") + " that " +
                (findings.warmUps == 1 ? "warms" : "warm") + " up " + (findings.warmUps == 1 ? "is" : "are") +
                " left out";
    return text + ".";
}

std::string rankName(const Recording& recording, const RankFindings& rank) {
    const int device = rank.devices.empty() ? -1 : rank.devices.front();
    return device >= 0 && device < recording.cluster.deviceCount() ? recording.cluster.devices[at(device)].id
                                                                   : "lane " + std::to_string(rank.lane);
}

/// "stage 3", "stages 2, 6"; of many the first ones.
std::string stagesText(const std::vector<int>& stages) {
    constexpr std::size_t told = 4;
    std::string text = stages.size() == 1 ? "stage " : "stages ";
    for (std::size_t i = 0; i < std::min(told, stages.size()); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(stages[i]);
    return stages.size() > told ? text + ", …" : text;
}

/// Of the waits between its first gradient and its last forward, what most of them are for, where that is
/// much.
std::string waitText(const Recording& recording, const RankFindings& rank) {
    const double waitS = rank.idle.of(IdleReason::transfer) + rank.idle.of(IdleReason::imbalance) +
                         rank.idle.of(IdleReason::straggler) + rank.idle.of(IdleReason::gap);
    if (waitS < 0.01 * (rank.busyS + rank.idleS)) return {};
    for (const IdleReason reason :
         {IdleReason::transfer, IdleReason::imbalance, IdleReason::straggler, IdleReason::gap}) {
        if (rank.idle.of(reason) <= waitS / 2) continue;
        const std::string place = rankName(recording, rank) + " (" + stagesText(rank.stages) + ")";
        const std::string spent = " for " + formatSeconds(rank.idle.of(reason)) + " of each iteration.";
        if (reason == IdleReason::transfer) return place + " waits for transfers, not for compute," + spent;
        if (reason == IdleReason::imbalance) return place + " waits for longer stages" + spent;
        if (reason == IdleReason::straggler) return place + " waits for slower passes" + spent;
        return place + " does nothing though its input is there" + spent;
    }
    return {};
}

}  // namespace

std::string RecordingFindings::family() const {
    if (schedule) return recognitionText(*schedule) + (mayEvict ? "; BPipe would look the same" : "");
    return reason.empty() ? "The schedule was not looked at" : "The schedule is not known: " + reason;
}

std::string RecordingFindings::countedText() const {
    const int counts = iterations - warmUps;
    if (firstCounted == lastCounted) return std::to_string(firstCounted);
    const std::string range = std::to_string(firstCounted) + "–" + std::to_string(lastCounted);
    return counts == lastCounted - firstCounted + 1 ? range : grouped(counts) + " of " + range;
}

RecordingFindings findingsOf(const Recording& recording, bool named, const WorkContext& context) {
    RecordingFindings findings;
    const RecordedPasses passes(recording);
    findings.stages = recording.stageCount();
    takeIterations(recording, passes.counted(), findings);
    if (passes.lanes().empty()) {
        findings.reason = "no passes are known";
        return findings;
    }
    takeRanks(passes, findings);
    findings.times = passTimes(passes);
    findings.lags = transferLags(passes);
    findings.straggler = slowStage(findings.times);
    context.throwIfStopped();
    if (named) tellSchedule(recording, findings, context);
    findings.mayEvict = mayEvict(recording, findings);
    return findings;
}

std::string waitingText(const Recording& recording, const RecordingFindings& findings) {
    const RankFindings* most = nullptr;
    const auto waitS = [](const RankFindings& rank) {
        return rank.idleS - rank.idle.of(IdleReason::fill) - rank.idle.of(IdleReason::drain);
    };
    for (const RankFindings& rank : findings.ranksFound)
        if (!most || waitS(rank) > waitS(*most)) most = &rank;
    return most ? waitText(recording, *most) : std::string();
}

std::vector<std::string> findingTexts(const Recording& recording, const RecordingFindings& findings) {
    std::vector<std::string> texts;
    if (!findings.hasPasses()) {
        texts.push_back("No passes are known.");
        if (findings.iterationS > 0) texts.push_back(iterationText(findings));
        const std::vector<StreamShares> shares = streamShares(recording);
        for (std::size_t i = 0; i < std::min(shares.size(), mostStreamsTold); ++i)
            texts.push_back(streamText(recording, shares[i]));
        if (shares.size() > mostStreamsTold)
            texts.push_back("And " + counted(static_cast<long long>(shares.size() - mostStreamsTold), "GPU") +
                            " more.");
        return texts;
    }
    texts.push_back(findings.family() + ".");
    texts.push_back(counted(findings.stages, "stage") + " on " + counted(findings.ranks, "rank") + ", " +
                    counted(findings.microbatches, "microbatch", "microbatches") +
                    (findings.slices > 1 ? " of " + counted(findings.slices, "slice") : "") + ".");
    texts.push_back(iterationText(findings));
    const RankFindings& slowest = findings.ranksFound[at(findings.slowest)];
    texts.push_back(
        rankName(recording, slowest) + " computes most and is idle for " + formatPercent(slowest.idleShare) +
        " of an iteration on the median; all ranks together for " + formatPercent(findings.idleShare) + ".");
    if (findings.idleS() > 0) texts.push_back("Idle time is " + partsText(findings.idle) + ".");
    if (findings.straggler >= 0)
        texts.push_back("Stage " + std::to_string(findings.straggler) +
                        " is slower than all others between the first and the last.");
    if (std::string text = waitingText(recording, findings); !text.empty()) texts.push_back(std::move(text));
    return texts;
}

}  // namespace stagecraft::recordings
