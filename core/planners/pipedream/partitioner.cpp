#include "core/planners/pipedream/partitioner.h"

#include "core/base/indices.h"
#include "core/planners/planning.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace stagecraft::planners {
namespace {

/// min over i < count of max(before[i], last[i]); infinity for count 0. Most of the partitioner's time. The
/// same bits on every machine.
STAGECRAFT_CLONES
double leastOverCuts(const double* before, const double* last, int count) {
    constexpr int lanes = 8;
    double least[lanes];
    for (double& each : least) each = std::numeric_limits<double>::infinity();
    int i = 0;
    for (; i + lanes <= count; i += lanes)
        for (int k = 0; k < lanes; ++k) {
            const double worst = before[i + k] > last[i + k] ? before[i + k] : last[i + k];
            least[k] = worst < least[k] ? worst : least[k];
        }
    for (; i < count; ++i) {
        const double worst = before[i] > last[i] ? before[i] : last[i];
        least[0] = worst < least[0] ? worst : least[0];
    }
    for (int k = 1; k < lanes; ++k) least[0] = least[k] < least[0] ? least[k] : least[0];
    return least[0];
}

/// A^k(first -> last, m) for one level.
class LevelTable {
public:
    /// @param starts how many first layers are asked about
    LevelTable(int starts, int layers, int components) : starts_(starts), layers_(layers) {
        periods_.assign(at(components) * at(starts) * at(layers), infinity);
        whole_.assign(at(starts) * at(layers), infinity);
    }
    /// By last layer.
    double* row(int first, int m) { return &periods_[(at(m - 1) * at(starts_) + at(first)) * at(layers_)]; }
    const double* row(int first, int m) const { return const_cast<LevelTable*>(this)->row(first, m); }
    /// On all components; by first layer.
    double* whole(int last) { return &whole_[at(last) * at(starts_)]; }
    const double* whole(int last) const { return const_cast<LevelTable*>(this)->whole(last); }

private:
    int starts_;
    int layers_;
    std::vector<double> periods_, whole_;
};

/// Finds for each last layer the cut at which what is before it and the last stage take least.
class CutScan {
public:
    /// best[last] = min(best[last], min over cuts in first..last-1 of max(below[cut], lastStage(cut, last))).
    /// @param lastStage falls as the cut and rises as the last layer moves on
    template <typename LastStage>
    void improve(const double* below, const LastStage& lastStage, int first, int layers, double* best) {
        // window_[front..back) keeps the cuts from `a` on whose value is below all after them.
        window_.resize(at(layers));
        int front = 0, back = 0, a = first;
        for (int last = first + 1; last < layers; ++last) {
            while (back > front && below[window_[at(back - 1)]] >= below[last - 1]) --back;
            window_[at(back++)] = last - 1;
            double lowest = below[window_[at(front)]];
            while (front < back && lowest < lastStage(a, last)) {
                ++a;
                if (window_[at(front)] < a) ++front;
                lowest = front < back ? below[window_[at(front)]] : infinity;
            }
            if (lowest < best[last]) best[last] = lowest;
            if (a == first) continue;
            const double earlier = lastStage(a - 1, last);
            if (earlier < best[last]) best[last] = earlier;
        }
    }

private:
    std::vector<int> window_;
};

class Hierarchy {
public:
    /// What is asked for: all values, or those of the outermost level that a best partition is made of.
    enum class Aim { cells, partition };
    Hierarchy(const PipeDreamWork& work, const std::vector<PipeDreamLevel>& levels,
              const PipeDreamRules& rules, const WorkContext& context, Aim aim)
        : work_(work),
          levels_(levels),
          rules_(rules),
          context_(context),
          aim_(aim),
          layers_(static_cast<int>(work.computeS.size())),
          parameters_(prefixSums(work.parameterBytes)) {
        if (work.splitComputeS.empty()) compute_.push_back(prefixSums(work.computeS));
        for (const std::vector<double>& split : work.splitComputeS) compute_.push_back(prefixSums(split));
        if (rules.memory) {
            activations_ = prefixSums(rules.memory->activationBytes);
            weights_ = prefixSums(rules.memory->weightBytes);
        }
        tables_.resize(levels.size());
        for (std::size_t level = 0; level < levels.size(); ++level)
            for (const int outer : outerReplicas(level)) solve(level, outer);
    }

    PipeDreamPartition partition() {
        PipeDreamPartition partition;
        const int all = levels_.back().components;
        partition.periodS = tables_.back().at(1).row(0, all)[layers_ - 1];
        if (partition.periodS < infinity) fillFewest(partition.periodS);
        if (partition.periodS < infinity)
            assign(levels_.size(), 0, layers_ - 1, all, {0}, 1, partition.stages);
        for (PipeDreamStage& stage : partition.stages) std::sort(stage.workers.begin(), stage.workers.end());
        return partition;
    }

    void forEachCell(const std::function<bool(const PipeDreamCell&)>& visit) const {
        for (std::size_t level = 0; level < levels_.size(); ++level)
            for (const auto& [outer, table] : tables_[level]) {
                const int starts = level + 1 == levels_.size() ? 1 : layers_;
                for (int first = 0; first < starts; ++first)
                    for (int last = first; last < layers_; ++last) {
                        context_.throwIfStopped();
                        for (int m = 1; m <= levels_[level].components; ++m)
                            if (table.row(first, m)[last] < infinity &&
                                !visit(cellOf(level, outer, first, last, m)))
                                return;
                    }
            }
    }

private:
    /// Of workers, after a cut; infinity where it does not fit.
    class LastStage {
    public:
        LastStage(const Hierarchy& hierarchy, int outer, int replicas, int downstream)
            : hierarchy_(hierarchy),
              compute_(hierarchy.compute_[at(hierarchy.key(outer * replicas) - 1)].data()),
              parameters_(hierarchy.parameters_.data()),
              bandwidthBps_(hierarchy.levels_[0].bandwidthBps),
              replicas_(replicas),
              downstream_(downstream) {}

        double operator()(int cut, int last) const {
            if (hierarchy_.rules_.memory && !hierarchy_.fits(0, cut + 1, last, replicas_, downstream_))
                return infinity;
            return hierarchy_.replicatedS(compute_[last + 1] - compute_[cut + 1],
                                          parameters_[last + 1] - parameters_[cut + 1], bandwidthBps_,
                                          replicas_);
        }

    private:
        const Hierarchy& hierarchy_;
        const double *compute_, *parameters_;
        double bandwidthBps_;
        int replicas_, downstream_;
    };

    struct Choice {
        int cut = -1;      ///< last layer before the cut; -1: a single stage
        int replicas = 0;  ///< components of the last stage
        int stages = 0;    ///< in all, of workers
    };

    static std::vector<double> prefixSums(const std::vector<double>& numbers) {
        std::vector<double> sums = {0};
        for (const double number : numbers) sums.push_back(sums.back() + number);
        return sums;
    }

    bool splitsEvenly() const { return compute_.size() == 1; }
    /// Tables differ by the replicas of the levels above only where a share's time depends on them.
    int key(int outer) const { return splitsEvenly() ? 1 : outer; }

    /// In how many replicas a group of that level can appear.
    std::set<int> outerReplicas(std::size_t level) const {
        std::set<int> outer = {1};
        if (splitsEvenly()) return outer;
        for (std::size_t above = level + 1; above < levels_.size(); ++above) {
            std::set<int> more;
            for (const int replicas : outer)
                for (int m = 1; m <= levels_[above].components; ++m) more.insert(replicas * m);
            outer = std::move(more);
        }
        return outer;
    }

    /// A stage of workers; a group of them is checked where its own stages are made.
    bool fits(std::size_t level, int first, int last, int replicas, int downstream) const {
        if (!rules_.memory || level > 0) return true;
        const int inFlight = (downstream + 2 * replicas - 1) / replicas;
        const double weights = weights_[at(last) + 1] - weights_[at(first)];
        const PipeDreamMemory& memory = *rules_.memory;
        const double version = memory.sharesVersions ? weights / replicas : weights;
        return inFlight * (activations_[at(last) + 1] - activations_[at(first)] + version) +
                   (memory.fixedWeights + memory.sharedWeights / replicas) * weights <=
               memory.limitBytes;
    }

    /// T^k(first -> last, m).
    double stageS(std::size_t level, int outer, int first, int last, int m) const {
        const int replicas = key(outer * m);
        const std::vector<double>& compute = compute_[at(replicas - 1)];
        const double inside = level == 0 ? compute[at(last) + 1] - compute[at(first)]
                                         : tables_[level - 1].at(replicas).whole(last)[first];
        return replicatedS(inside, parameters_[at(last) + 1] - parameters_[at(first)],
                           levels_[level].bandwidthBps, m);
    }

    /// The same of what takes m replicas together `inside` seconds and has so many bytes of weights.
    double replicatedS(double inside, double bytes, double bandwidthBps, int m) const {
        if (m == 1) return inside;
        if (rules_.straight) return infinity;
        double syncS = 2.0 * (m - 1) * bytes / bandwidthBps;
        if (rules_.ring) syncS /= m;
        return std::max(inside, syncS) / m;
    }

    double transferS(std::size_t level, int cut) const {
        return 2 * work_.outputBytes[at(cut)] / levels_[level].bandwidthBps;
    }

    /// A last stage after each cut 0..last-1 on m components, its transfer with it.
    void fillLastStages(std::size_t level, int outer, int last, int m, std::vector<double>& byCut) const {
        for (int cut = 0; cut < last; ++cut)
            byCut[at(cut)] = std::max(transferS(level, cut), stageS(level, outer, cut + 1, last, m));
    }

    void solve(std::size_t level, int outer) {
        const int components = levels_[level].components;
        const int starts = level + 1 == levels_.size() ? 1 : layers_;
        LevelTable& table =
            tables_[level].emplace(outer, LevelTable(starts, layers_, components)).first->second;
        if (level == 0)
            solveWorkers(outer, starts, table);
        else
            solveGroups(level, outer, starts, table);
        for (int last = 0; last < layers_; ++last)
            for (int first = 0; first < std::min(starts, last + 1); ++first)
                table.whole(last)[first] = table.row(first, components)[last];
    }

    /// T^k of a single stage where it fits.
    void fillSingle(std::size_t level, int outer, int first, int last, int m, LevelTable& table) const {
        if (fits(level, first, last, m, levels_[level].components - m))
            table.row(first, m)[last] = stageS(level, outer, first, last, m);
    }

    /// Workers take the less time the fewer layers they have, so the minimum over cuts is where what is
    /// before the cut, which rises, meets the last stage; that moves on with the last layer.
    void solveWorkers(int outer, int starts, LevelTable& table) {
        if (aim_ == Aim::partition && levels_.size() == 1 && !rules_.straight) {
            solveWorkersWith(outer, starts, table, fewReplicas(), [](double) {});
            const double knownS = table.row(0, levels_[0].components)[layers_ - 1];
            mostS_ = knownS * (1 + (2 * layers_ + 2) * objectiveTieWidth);
        }
        const int most = rules_.straight ? 1 : levels_[0].components - 1;
        std::vector<int> all(at(std::max(1, most)));
        std::iota(all.begin(), all.end(), 1);
        solveWorkersWith(outer, starts, table, all, [this](double share) { report(0, share); });
    }

    /// Some counts of replicas, ascending, with which all workers can be used, so that they give a period
    /// that the best is no longer than.
    std::vector<int> fewReplicas() const {
        const int components = levels_[0].components;
        std::set<int> few;
        for (int replicas = 1; replicas < components; replicas *= 2) few.insert(replicas);
        for (int left = 1; left <= std::min(layers_, components - 1); ++left) few.insert(components - left);
        return {few.begin(), few.end()};
    }

    template <typename Report>
    void solveWorkersWith(int outer, int starts, LevelTable& table, const std::vector<int>& counts,
                          Report reportShare) const {
        const int components = levels_[0].components;
        std::vector<double> below(at(components) * at(starts) * at(layers_), infinity);
        const auto belowOf = [&](int first, int m) {
            return &below[(at(m - 1) * at(starts) + at(first)) * at(layers_)];
        };
        std::vector<std::vector<LayerRun>> runs;  // by place in `counts`
        for (const int replicas : counts) runs.push_back(runsWithin(outer, replicas));
        CutScan scan;
        for (int m = 1; m <= components; ++m) {
            context_.throwIfStopped();
            reportShare(double(m - 1) / components);
            for (int first = 0; first < starts; ++first) {
                for (int last = first; last < layers_; ++last) fillSingle(0, outer, first, last, m, table);
                double* best = table.row(first, m);
                for (std::size_t i = 0; i < counts.size() && counts[i] < m; ++i) {
                    const LastStage lastStage(*this, outer, counts[i], components - m);
                    const double* before = belowOf(first, m - counts[i]);
                    if (mostS_ < infinity && static_cast<int>(runs[i].size()) < layers_)
                        improveByRuns(runs[i], before, lastStage, best);
                    else
                        scan.improve(before, lastStage, first, layers_, best);
                }
                for (int cut = first; cut + 1 < layers_; ++cut)
                    belowOf(first, m)[cut] = std::max(best[cut], transferS(0, cut));
            }
        }
    }

    /// Layers after a cut that so many replicas do within mostS_.
    struct LayerRun {
        int cut = 0, last = 0;
        double seconds = 0;
    };
    /// Those, or too many to be worth it; a stage takes the longer the more layers it has.
    std::vector<LayerRun> runsWithin(int outer, int replicas) const {
        std::vector<LayerRun> runs;
        if (mostS_ == infinity) return runs;
        for (int cut = 0; cut + 1 < layers_; ++cut)
            for (int last = cut + 1; last < layers_; ++last) {
                const double seconds = stageS(0, outer, cut + 1, last, replicas);
                if (seconds > mostS_) break;
                runs.push_back({cut, last, seconds});
                if (static_cast<int>(runs.size()) == layers_) return runs;
            }
        return runs;
    }

    void improveByRuns(const std::vector<LayerRun>& runs, const double* before, const LastStage& lastStage,
                       double* best) const {
        for (const LayerRun& run : runs) {
            const double seconds = std::max(before[run.cut], run.seconds);
            if (seconds >= best[run.last]) continue;
            if (rules_.memory && lastStage(run.cut, run.last) == infinity) continue;
            best[run.last] = seconds;
        }
    }

    void solveGroups(std::size_t level, int outer, int starts, LevelTable& table) const {
        const int components = levels_[level].components;
        std::vector<double> byCut(at(layers_));
        for (int last = 0; last < layers_; ++last) {
            context_.throwIfStopped();
            report(level, double(last) / layers_);
            const int firsts = std::min(starts, last + 1);
            for (int m = 1; m <= components; ++m)
                for (int first = 0; first < firsts; ++first) fillSingle(level, outer, first, last, m, table);
            // The last stage's replicas outermost, for what it costs after each cut serves all the others.
            for (int replicas = 1; replicas < (rules_.straight ? 2 : components); ++replicas) {
                fillLastStages(level, outer, last, replicas, byCut);
                for (int m = replicas + 1; m <= components; ++m)
                    for (int first = 0; first < firsts; ++first) {
                        double& best = table.row(first, m)[last];
                        best = std::min(best, leastOverCuts(table.row(first, m - replicas) + first,
                                                            byCut.data() + first, last - first));
                    }
            }
        }
    }

    void report(std::size_t level, double share) const {
        context_.report((static_cast<double>(level) + share) / static_cast<double>(levels_.size()));
    }

    /// What no partition into stages that stay within `periodS` can be better than, at the outermost level.
    void fillFewest(double periodS) {
        const std::size_t level = levels_.size() - 1;
        // Each choice may be worse than the last by a tie.
        const double limitS = periodS * (1 + (2 * layers_ + 2) * objectiveTieWidth);
        quickest_.assign(at(layers_) * at(layers_), infinity);
        fewest_.assign(at(layers_) + 1, layers_ + 1);
        fewest_[0] = 0;
        for (int last = 0; last < layers_; ++last)
            for (int first = 0; first <= last; ++first) {
                double& quickest = quickest_[at(first) * at(layers_) + at(last)];
                const int most = rules_.straight ? 1 : levels_[level].components;
                for (int m = 1; m <= most; ++m)
                    quickest = std::min(quickest, stageS(level, 1, first, last, m));
                if (quickest > limitS || (first > 0 && transferS(level, first - 1) > limitS)) continue;
                fewest_[at(last) + 1] = std::min(fewest_[at(last) + 1], fewest_[at(first)] + 1);
            }
    }

    /// Whether a stage after the cut may give fewer than so many stages (0: any number), none of them slower
    /// than `least` but for a tie.
    bool mayGiveFewer(std::size_t level, int cut, int last, int stages, double least) const {
        if (fewest_.empty() || level + 1 < levels_.size()) return true;
        if (stages > 0 && fewest_[at(cut) + 1] + 1 >= stages) return false;
        return !betterObjective(least, quickest_[at(cut + 1) * at(layers_) + at(last)]);
    }

    bool hasFewest(std::size_t level, int last, int stages) const {
        return !fewest_.empty() && level + 1 == levels_.size() && stages == fewest_[at(last) + 1];
    }

    /// How A^level(first -> last, m) is reached, by the rule for ties; its period must be finite. Only what
    /// the partition is made of, and what ties with it, is asked about.
    Choice choiceOf(std::size_t level, int outer, int first, int last, int m) const {
        const std::array<int, 5> state{static_cast<int>(level), key(outer), first, last, m};
        if (const auto known = choices_.find(state); known != choices_.end()) return known->second;
        return choices_[state] = newChoice(level, key(outer), first, last, m);
    }

    Choice newChoice(std::size_t level, int outer, int first, int last, int m) const {
        const LevelTable& table = tables_[level].at(outer);
        const double least = table.row(first, m)[last];
        const int downstream = levels_[level].components - m;
        const auto isAsGood = [&](double s) { return s < infinity && !betterObjective(least, s); };
        if (fits(level, first, last, m, downstream) && isAsGood(stageS(level, outer, first, last, m)))
            return {-1, m, stagesInside(level, outer * m, first, last)};
        Choice best;
        for (int cut = first; cut < last; ++cut) {
            if (!isAsGood(transferS(level, cut)) || !mayGiveFewer(level, cut, last, best.stages, least))
                continue;
            for (int replicas = 1; replicas < (rules_.straight ? std::min(2, m) : m); ++replicas) {
                if (!isAsGood(table.row(first, m - replicas)[cut]) ||
                    !fits(level, cut + 1, last, replicas, downstream) ||
                    !isAsGood(stageS(level, outer, cut + 1, last, replicas)))
                    continue;
                const int stages = choiceOf(level, outer, first, cut, m - replicas).stages +
                                   stagesInside(level, outer * replicas, cut + 1, last);
                if (best.replicas == 0 || stages < best.stages) best = {cut, replicas, stages};
                if (hasFewest(level, last, best.stages)) return best;
            }
        }
        return best;
    }

    PipeDreamCell cellOf(std::size_t level, int outer, int first, int last, int m) const {
        const LevelTable& table = tables_[level].at(outer);
        const Choice choice = choiceOf(level, outer, first, last, m);
        PipeDreamCell cell{static_cast<int>(level), outer, first, last, m, table.row(first, m)[last]};
        cell.cut = choice.cut;
        cell.lastComponents = choice.replicas;
        cell.stages = choice.stages;
        cell.lastStageS =
            stageS(level, outer, choice.cut < 0 ? first : choice.cut + 1, last, choice.replicas);
        if (choice.cut < 0) return cell;
        cell.beforeS = table.row(first, m - choice.replicas)[choice.cut];
        cell.transferS = transferS(level, choice.cut);
        return cell;
    }

    /// Stages that a component of the level makes of the layers.
    int stagesInside(std::size_t level, int outer, int first, int last) const {
        if (level == 0) return 1;
        return choiceOf(level - 1, outer, first, last, levels_[level - 1].components).stages;
    }

    /// Appends the stages of layers first..last on m components of level - 1, the first of which start at
    /// each of `bases` (replicas of one another, `outer` in number). Level 0 is a worker.
    void assign(std::size_t level, int first, int last, int m, const std::vector<int>& bases, int outer,
                std::vector<PipeDreamStage>& stages) const {
        if (level == 0) {
            stages.push_back({first, last, bases});
            return;
        }
        int size = 1;  // workers in a component
        for (std::size_t k = 0; k + 1 < level; ++k) size *= levels_[k].components;
        const Choice choice = choiceOf(level - 1, outer, first, last, m);
        if (choice.cut >= 0) assign(level, first, choice.cut, m - choice.replicas, bases, outer, stages);
        std::vector<int> replicas;
        for (const int base : bases)
            for (int component = m - choice.replicas; component < m; ++component)
                replicas.push_back(base + component * size);
        const int within = level >= 2 ? levels_[level - 2].components : 1;
        assign(level - 1, choice.cut >= 0 ? choice.cut + 1 : first, last, within, replicas,
               outer * choice.replicas, stages);
    }

    const PipeDreamWork& work_;
    const std::vector<PipeDreamLevel>& levels_;
    const PipeDreamRules& rules_;
    const WorkContext& context_;
    Aim aim_;
    int layers_;
    /// Of the outermost level, what longer periods are of no interest beyond, but for ties.
    double mostS_ = infinity;
    std::vector<std::vector<double>> compute_;       // by workers - 1 (or one for all), by layers before
    std::vector<double> parameters_;                 // by number of layers before
    std::vector<double> activations_, weights_;      // likewise, for the memory check
    std::vector<std::map<int, LevelTable>> tables_;  // by level, by outer replicas
    // Of the outermost level, once a partition is asked for: the quickest stage by its first and last layer,
    // and by the number of layers the fewest stages.
    std::vector<double> quickest_;
    std::vector<int> fewest_;
    mutable std::map<std::array<int, 5>, Choice> choices_;  // by level, outer replicas, first, last, m
};

}  // namespace

PipeDreamPartition pipeDreamPartition(const PipeDreamWork& work, const std::vector<PipeDreamLevel>& levels,
                                      const WorkContext& context, const PipeDreamRules& rules) {
    return Hierarchy(work, levels, rules, context, Hierarchy::Aim::partition).partition();
}

void forEachPipeDreamCell(const PipeDreamWork& work, const std::vector<PipeDreamLevel>& levels,
                          const PipeDreamRules& rules, const std::function<bool(const PipeDreamCell&)>& visit,
                          const WorkContext& context) {
    Hierarchy(work, levels, rules, context, Hierarchy::Aim::cells).forEachCell(visit);
}

}  // namespace stagecraft::planners
