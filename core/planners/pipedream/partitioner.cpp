#include "core/planners/pipedream/partitioner.h"

#include "core/base/indices.h"
#include "core/planners/planning.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
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

class Hierarchy {
public:
    Hierarchy(const PipeDreamWork& work, const std::vector<PipeDreamLevel>& levels,
              const PipeDreamRules& rules, const WorkContext& context)
        : work_(work),
          levels_(levels),
          rules_(rules),
          context_(context),
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

    PipeDreamPartition partition() const {
        PipeDreamPartition partition;
        const int all = levels_.back().components;
        partition.periodS = tables_.back().at(1).row(0, all)[layers_ - 1];
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
        if (m == 1) return inside;
        if (rules_.straight) return infinity;
        const double bytes = parameters_[at(last) + 1] - parameters_[at(first)];
        const double syncS = 2.0 * (m - 1) * bytes / levels_[level].bandwidthBps / (rules_.ring ? m : 1);
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
        std::vector<double> byCut(at(layers_));
        for (int last = 0; last < layers_; ++last) {
            context_.throwIfStopped();
            report(level, last);
            const int firsts = std::min(starts, last + 1);
            for (int m = 1; m <= components; ++m)
                for (int first = 0; first < firsts; ++first)
                    if (fits(level, first, last, m, components - m))
                        table.row(first, m)[last] = stageS(level, outer, first, last, m);
            // The last stage's replicas outermost, for what it costs after each cut serves all the others.
            for (int replicas = 1; replicas < (rules_.straight ? 2 : components); ++replicas) {
                if (!rules_.memory) fillLastStages(level, outer, last, replicas, byCut);
                for (int m = replicas + 1; m <= components; ++m) {
                    if (rules_.memory) {
                        fillLastStages(level, outer, last, replicas, byCut);
                        for (int cut = 0; cut < last; ++cut)
                            if (!fits(level, cut + 1, last, replicas, components - m))
                                byCut[at(cut)] = infinity;
                    }
                    for (int first = 0; first < firsts; ++first) {
                        double& best = table.row(first, m)[last];
                        best = std::min(best, leastOverCuts(table.row(first, m - replicas) + first,
                                                            byCut.data() + first, last - first));
                    }
                }
            }
            for (int first = 0; first < firsts; ++first)
                table.whole(last)[first] = table.row(first, components)[last];
        }
    }

    void report(std::size_t level, int last) const {
        context_.report((static_cast<double>(level) + static_cast<double>(last) / layers_) /
                        static_cast<double>(levels_.size()));
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
            if (!isAsGood(transferS(level, cut))) continue;
            for (int replicas = 1; replicas < (rules_.straight ? std::min(2, m) : m); ++replicas) {
                if (!isAsGood(table.row(first, m - replicas)[cut]) ||
                    !fits(level, cut + 1, last, replicas, downstream) ||
                    !isAsGood(stageS(level, outer, cut + 1, last, replicas)))
                    continue;
                const int stages = choiceOf(level, outer, first, cut, m - replicas).stages +
                                   stagesInside(level, outer * replicas, cut + 1, last);
                if (best.replicas == 0 || stages < best.stages) best = {cut, replicas, stages};
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
    int layers_;
    std::vector<std::vector<double>> compute_;       // by workers - 1 (or one for all), by layers before
    std::vector<double> parameters_;                 // by number of layers before
    std::vector<double> activations_, weights_;      // likewise, for the memory check
    std::vector<std::map<int, LevelTable>> tables_;  // by level, by outer replicas
    mutable std::map<std::array<int, 5>, Choice> choices_;  // by level, outer replicas, first, last, m
};

}  // namespace

PipeDreamPartition pipeDreamPartition(const PipeDreamWork& work, const std::vector<PipeDreamLevel>& levels,
                                      const WorkContext& context, const PipeDreamRules& rules) {
    return Hierarchy(work, levels, rules, context).partition();
}

void forEachPipeDreamCell(const PipeDreamWork& work, const std::vector<PipeDreamLevel>& levels,
                          const PipeDreamRules& rules, const std::function<bool(const PipeDreamCell&)>& visit,
                          const WorkContext& context) {
    Hierarchy(work, levels, rules, context).forEachCell(visit);
}

}  // namespace stagecraft::planners
