#include "core/planners/pipedream/partitioner.h"

#include "core/planners/ties.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace stagecraft {

namespace {

/// A^k(first -> last, m) for one level, with the choice that reaches it.
class LevelTable {
public:
    struct Choice {
        double periodS = std::numeric_limits<double>::infinity();
        int cut = -1;      ///< last layer before the cut; -1: a single stage
        int replicas = 0;  ///< components of the last stage
    };

    /// @param starts how many first layers are asked about
    LevelTable(int starts, int layers, int components) : layers_(layers), components_(components) {
        choices_.resize(static_cast<std::size_t>(starts) * layers * components);
    }
    Choice& at(int first, int last, int components) {
        return choices_[(static_cast<std::size_t>(first) * layers_ + last) * components_ + components - 1];
    }
    const Choice& at(int first, int last, int components) const {
        return const_cast<LevelTable*>(this)->at(first, last, components);
    }

private:
    int layers_;
    int components_;
    std::vector<Choice> choices_;
};

class Hierarchy {
public:
    Hierarchy(const PipeDreamWork& work, const std::vector<PipeDreamLevel>& levels,
              const PlanningContext& context)
        : work_(work), levels_(levels), context_(context), layers_(static_cast<int>(work.computeS.size())) {
        compute_.push_back(prefixSums(work.computeS));
        if (!work.splitComputeS.empty()) compute_.clear();
        for (const std::vector<double>& split : work.splitComputeS) compute_.push_back(prefixSums(split));
        parameters_.assign(1, 0);
        for (int layer = 0; layer < layers_; ++layer) {
            parameters_.push_back(parameters_.back() + work.parameterBytes[static_cast<std::size_t>(layer)]);
        }
        tables_.resize(levels.size());
        for (std::size_t level = 0; level < levels.size(); ++level)
            for (const int outer : outerReplicas(level)) solve(level, outer);
    }

    PipeDreamPartition partition() const {
        PipeDreamPartition partition;
        const int all = levels_.back().components;
        partition.periodS = tables_.back().at(1).at(0, layers_ - 1, all).periodS;
        assign(levels_.size(), 0, layers_ - 1, all, {0}, 1, partition.stages);
        for (PipeDreamStage& stage : partition.stages) std::sort(stage.workers.begin(), stage.workers.end());
        return partition;
    }

private:
    static std::vector<double> prefixSums(const std::vector<double>& numbers) {
        std::vector<double> sums = {0};
        for (const double number : numbers) sums.push_back(sums.back() + number);
        return sums;
    }

    bool splitsEvenly() const { return compute_.size() == 1; }
    /// Tables are told apart by the replicas of the levels above only where a share's time depends on them.
    int key(int outer) const { return splitsEvenly() ? 1 : outer; }

    /// In how many replicas a group of that level can stand.
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

    /// T^k(· -> ·, m) for one number m of components.
    class StageTimes {
    public:
        StageTimes(const Hierarchy& all, std::size_t level, int components, int outer)
            : all_(all), components_(components) {
            const int replicas = all.key(outer * components);
            if (level == 0) {
                compute_ = all.compute_[static_cast<std::size_t>(replicas - 1)].data();
            } else {
                below_ = &all.tables_[level - 1].at(replicas);
                whole_ = all.levels_[level - 1].components;
            }
            bandwidthBps_ = all.levels_[level].bandwidthBps;
        }
        double operator()(int first, int last) const {
            // A^{k-1}(first -> last, m_{k-1})
            const double inside =
                below_ ? below_->at(first, last, whole_).periodS : compute_[last + 1] - compute_[first];
            if (components_ == 1) return inside;
            const double bytes = all_.parameters_[static_cast<std::size_t>(last) + 1] -
                                 all_.parameters_[static_cast<std::size_t>(first)];
            return std::max(inside, 2.0 * (components_ - 1) * bytes / bandwidthBps_) / components_;
        }

    private:
        const Hierarchy& all_;
        int components_;
        int whole_ = 1;
        double bandwidthBps_ = 0;
        const LevelTable* below_ = nullptr;
        const double* compute_ = nullptr;
    };

    void solve(std::size_t level, int outer) {
        const int components = levels_[level].components;
        const int starts = level + 1 == levels_.size() ? 1 : layers_;
        LevelTable& table =
            tables_[level].emplace(outer, LevelTable(starts, layers_, components)).first->second;
        std::vector<StageTimes> stage;  // by components - 1
        for (int m = 1; m <= components; ++m) stage.emplace_back(*this, level, m, outer);
        for (int first = 0; first < starts; ++first)
            for (int last = first; last < layers_; ++last) {
                context_.throwIfStopped();
                for (int m = 1; m <= components; ++m) {
                    LevelTable::Choice best;
                    for (int replicas = 1; replicas < m; ++replicas)
                        for (int cut = first; cut < last; ++cut) {
                            const double transfer = 2 * work_.outputBytes[static_cast<std::size_t>(cut)] /
                                                    levels_[level].bandwidthBps;
                            const double period =
                                std::max({table.at(first, cut, m - replicas).periodS, transfer,
                                          stage[static_cast<std::size_t>(replicas - 1)](cut + 1, last)});
                            if (clearlyLess(period, best.periodS)) best = {period, cut, replicas};
                        }
                    const double single = stage[static_cast<std::size_t>(m - 1)](first, last);
                    if (clearlyLess(single, best.periodS)) best = {single, -1, m};
                    table.at(first, last, m) = best;
                }
            }
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
        const LevelTable::Choice& choice = tables_[level - 1].at(key(outer)).at(first, last, m);
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
    const PlanningContext& context_;
    int layers_;
    std::vector<std::vector<double>> compute_;       // by workers - 1 (or one for all), by layers before
    std::vector<double> parameters_;                 // by number of layers before
    std::vector<std::map<int, LevelTable>> tables_;  // by level, by outer replicas
};

}  // namespace

PipeDreamPartition pipeDreamPartition(const PipeDreamWork& work, const std::vector<PipeDreamLevel>& levels,
                                      const PlanningContext& context) {
    return Hierarchy(work, levels, context).partition();
}

}  // namespace stagecraft
