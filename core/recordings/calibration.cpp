#include "core/recordings/calibration.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/units.h"
#include "core/planners/planned_run.h"
#include "core/recordings/idle_parts.h"
#include "core/recordings/recorded_passes.h"
#include "core/recordings/recorded_run.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

namespace stagecraft::recordings {

namespace {

constexpr int rounds = 4;  // times in groups are not in proportion to those of layers
constexpr double leastFactor = 1e-3, mostFactor = 1e3;
constexpr double shortestGapS = 1e-7;

using StageTimes = std::vector<std::array<RecordedTimes, passGroupCount>>;

double medianOfGroup(const StageTimes& times, int stage, PassGroup group) {
    return times[at(stage)][static_cast<std::size_t>(group)].medianS;
}
bool hasGroup(const StageTimes& times, int stage, PassGroup group) {
    return times[at(stage)][static_cast<std::size_t>(group)].count > 0;
}

/// Forward and backward of a stage; the latter whole, whether it is split or not.
struct StageSeconds {
    double forwardS = 0, inputS = 0, weightS = 0;  ///< a whole backward is `inputS`
    double backwardS() const { return inputS + weightS; }
};

StageSeconds secondsOf(const StageTimes& times, int stage) {
    StageSeconds own;
    own.forwardS = medianOfGroup(times, stage, PassGroup::forward);
    if (hasGroup(times, stage, PassGroup::inputGradient)) {
        own.inputS = medianOfGroup(times, stage, PassGroup::inputGradient);
        own.weightS = medianOfGroup(times, stage, PassGroup::weightGradient);
    } else {
        own.inputS = medianOfGroup(times, stage, PassGroup::backward);
    }
    return own;
}

/// Of the values without the least and the greatest quarter.
double meanOfMiddle(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t quarter = values.size() / 4, count = values.size() - 2 * quarter;
    double sum = 0;
    for (std::size_t i = quarter; i < quarter + count; ++i) sum += values[i];
    return count > 0 ? sum / double(count) : 0;
}

double factorOf(double measuredS, double plannedS, double overheadS) {
    if (!(measuredS > 0) || !(plannedS - overheadS > 0)) return 1;
    return std::clamp((measuredS - overheadS) / (plannedS - overheadS), leastFactor, mostFactor);
}

class Calibrator {
public:
    Calibrator(const Problem& problem, const Plan& plan, const Recording& recording)
        : plan_(plan), passes_(recording), measured_(passTimes(passes_)), lags_(transferLags(passes_)) {
        result_.problem = problem;
        if (recording.stageCount() != plan.stageCount())
            throw std::invalid_argument("the recording has " + counted(recording.stageCount(), "stage") +
                                        ", and the plan has " + grouped(plan.stageCount()));
        std::vector<double> lengths;
        for (const int iteration : passes_.counted())
            lengths.push_back(recording.iterations[at(iteration)].endS -
                              recording.iterations[at(iteration)].startS);
        if (lengths.empty()) throw std::invalid_argument("the recording has no iteration that counts");
        result_.recordedS = medianOf(lengths);
    }

    Calibration calibrate() {
        result_.beforeS = predicted().iterationTimeS();
        const LayerProfile before = result_.problem.profile;
        setPassOverhead();
        for (int round = 0; round < rounds; ++round) scaleLayers();
        sayLayers(before);
        setLinks();
        result_.afterS = predicted().iterationTimeS();
        return std::move(result_);
    }

private:
    PlanRun predicted() const {
        PlanRun run = evaluatePlan(std::make_shared<const CostModel>(result_.problem), plan_);
        if (!run.ok()) throw std::invalid_argument("the plan cannot run: " + run.result.reason);
        return run;
    }

    /// The mean gap before passes whose input was there, of the middle half: some passes follow one that has
    /// something to send, some do not, and few are held up by something else.
    void setPassOverhead() {
        std::map<std::uint32_t, double> gapS;
        for (const IdleGap& gap : idleGaps(passes_))
            if (gap.before != noBlock) gapS[gap.before] = gap.parts.of(IdleReason::gap);
        std::vector<double> all;
        const Timeline& timeline = passes_.recording().timeline;
        for (const int lane : passes_.lanes())
            for (std::uint32_t block = timeline.lanes[at(lane)].firstBlock;
                 block < timeline.lanes[at(lane)].endBlock; ++block)
                if (passes_.counts(timeline.iteration[block]) && isPass(timeline.kind[block]))
                    all.push_back(gapS.contains(block) ? gapS[block] : 0);
        const double usualS = meanOfMiddle(std::move(all));
        if (usualS < shortestGapS) return;
        result_.problem.setup.passOverheadS = usualS;
        result_.changes.push_back("Each pass takes " + formatSeconds(usualS) +
                                  " besides what its layers do.");
    }

    void scaleLayers() {
        const Recording planned = recordedRun(predicted());
        const RecordedPasses plannedPasses(planned);
        const StageTimes times = passTimes(plannedPasses);
        const double overheadS = result_.problem.setup.passOverheadS;
        std::map<int, StageSeconds> factors;  // by layer; a backward's two parts as such
        std::map<int, int> counts;
        for (int stage = 0; stage < plan_.stageCount(); ++stage) {
            const StageSeconds own = secondsOf(measured_, stage), expected = secondsOf(times, stage);
            // What is measured is without the overhead, which the plan's passes have.
            StageSeconds factor{factorOf(own.forwardS + overheadS, expected.forwardS, overheadS), 1, 1};
            if (own.weightS > 0 && expected.weightS > 0) {
                factor.inputS = factorOf(own.inputS + overheadS, expected.inputS, overheadS);
                factor.weightS = factorOf(own.weightS + overheadS, expected.weightS, overheadS);
            } else {
                factor.inputS = factor.weightS = factorOf(own.backwardS(), expected.backwardS(), 0);
                if (own.weightS == 0 && expected.weightS == 0)
                    factor.inputS = factor.weightS =
                        factorOf(own.inputS + overheadS, expected.inputS, overheadS);
            }
            for (int layer = plan_.stages[at(stage)].firstLayer; layer <= plan_.stages[at(stage)].lastLayer;
                 ++layer) {
                factors[layer].forwardS += factor.forwardS;
                factors[layer].inputS += factor.inputS;
                factors[layer].weightS += factor.weightS;
                ++counts[layer];
            }
        }
        const auto scale = [](double& forwardS, double& backwardS, double& weightS,
                              const StageSeconds& factor) {
            forwardS *= factor.forwardS;
            backwardS = (backwardS - weightS) * factor.inputS + weightS * factor.weightS;
            weightS *= factor.weightS;
        };
        LayerProfile& profile = result_.problem.profile;
        for (auto& [layer, factor] : factors) {
            factor.forwardS /= counts[layer], factor.inputS /= counts[layer], factor.weightS /= counts[layer];
            Layer& own = profile.layers[at(layer)];
            own.scoresRecomputeS *= factor.forwardS;
            scale(own.forwardS, own.backwardS, own.weightGradientS, factor);
            for (TimesAtSize& other : profile.otherSizes)
                scale(other.layers[at(layer)].forwardS, other.layers[at(layer)].backwardS,
                      other.layers[at(layer)].weightGradientS, factor);
            for (RankMeasurement& measured : own.onRanks)
                if (measured.times)
                    scale(measured.times->forwardS, measured.times->backwardS,
                          measured.times->weightGradientS, factor);
        }
        // They are not those of the operators any more.
        profile.operators = {};
    }

    void sayLayers(const LayerProfile& before) {
        for (int stage = 0; stage < plan_.stageCount(); ++stage) {
            double forwardS = 0, backwardS = 0, oldForwardS = 0, oldBackwardS = 0;
            for (int layer = plan_.stages[at(stage)].firstLayer; layer <= plan_.stages[at(stage)].lastLayer;
                 ++layer) {
                forwardS += result_.problem.profile.layers[at(layer)].forwardS;
                backwardS += result_.problem.profile.layers[at(layer)].backwardS;
                oldForwardS += before.layers[at(layer)].forwardS;
                oldBackwardS += before.layers[at(layer)].backwardS;
            }
            const auto change = [](double now, double old) {
                if (!(old > 0)) return std::string("0 %");
                return std::string(now < old ? "-" : "+") + formatPercent(std::abs(now / old - 1));
            };
            const auto alike = [](double now, double old) { return std::abs(now - old) < 5e-4 * old; };
            if (alike(forwardS, oldForwardS) && alike(backwardS, oldBackwardS)) continue;
            result_.changes.push_back("Layers of stage " + std::to_string(stage) + ": forward " +
                                      change(forwardS, oldForwardS) + ", backward " +
                                      change(backwardS, oldBackwardS) + ".");
        }
    }

    Link* directLink(int a, int b) {
        Cluster& cluster = result_.problem.cluster;
        const std::string &one = cluster.devices[at(a)].id, &other = cluster.devices[at(b)].id;
        for (Link& link : cluster.links)
            if ((link.a == one && link.b == other) || (link.a == other && link.b == one)) return &link;
        return nullptr;
    }

    /// Measured and planned, of a way between two stages.
    struct LagPair {
        double measuredS = 0, plannedS = 0;
        double sentS = 0;      ///< of the measured lag what the transfer itself took; 0: not recorded
        int from = 0, to = 0;  ///< devices of the plan
    };

    std::vector<LagPair> lagPairs() const {
        const Recording planned = recordedRun(predicted());
        const RecordedPasses plannedPasses(planned);
        std::vector<LagPair> pairs;
        for (const TransferLag& own : transferLags(plannedPasses))
            for (const TransferLag& other : lags_)
                if (own.fromStage == other.fromStage && own.toStage == other.toStage && other.count > 0)
                    pairs.push_back({other.lagS, own.lagS, std::min(other.sentS, other.lagS), own.fromDevice,
                                     own.toDevice});
        return pairs;
    }

    /// What transfers take besides what they send, more than so far. What all take more is no rate; without
    /// links of their own the median is the best that can be said. Where transfers were recorded themselves,
    /// what is before and after them is none either.
    double addedOverheadS(const std::vector<LagPair>& pairs, bool direct) const {
        double leastS = infinity;
        std::vector<double> more, beside;
        for (const LagPair& pair : pairs) {
            leastS = std::min(leastS, pair.measuredS - pair.plannedS);
            more.push_back(pair.measuredS - pair.plannedS);
            if (pair.sentS > 0) beside.push_back(pair.measuredS - pair.sentS);
        }
        if (!direct) return medianOf(more);
        const double besideS =
            beside.empty() ? 0 : medianOf(beside) - result_.problem.setup.transferOverheadS;
        return std::max({0.0, leastS, besideS});
    }

    void setLinks() {
        std::vector<LagPair> pairs = lagPairs();
        if (pairs.empty()) return;
        bool direct = false;
        for (const LagPair& pair : pairs) direct = direct || directLink(pair.from, pair.to);
        double& overheadS = result_.problem.setup.transferOverheadS;
        const double addedS = std::max(-overheadS, addedOverheadS(pairs, direct));
        if (std::abs(addedS) > shortestGapS) {
            overheadS += addedS;
            result_.changes.push_back("Each transfer takes " + formatSeconds(overheadS) +
                                      " besides what it sends.");
        }
        if (!direct) return;
        std::map<Link*, std::vector<double>> factors;
        for (const LagPair& pair : pairs) {
            Link* link = directLink(pair.from, pair.to);
            if (!link) continue;
            const double sentS = pair.plannedS + addedS - overheadS - link->latencyS;
            const double wantedS = pair.measuredS - overheadS - link->latencyS;
            if (sentS > 0) factors[link].push_back(std::clamp(wantedS / sentS, leastFactor, mostFactor));
        }
        for (auto& [link, slower] : factors) {
            const double factor = medianOf(slower);
            if (std::abs(factor - 1) < 1e-3) continue;
            link->bandwidthBps /= factor;
            link->source = "transfers of a recording";
            result_.changes.push_back("The link between " + link->a + " and " + link->b + " has " +
                                      formatBandwidth(link->bandwidthBps) + ".");
        }
    }

    const Plan& plan_;
    RecordedPasses passes_;
    StageTimes measured_;
    std::vector<TransferLag> lags_;
    Calibration result_;
};

}  // namespace

Calibration calibrated(const Problem& problem, const Plan& plan, const Recording& recording) {
    return Calibrator(problem, plan, recording).calibrate();
}

}  // namespace stagecraft::recordings
