#include "core/planners/pipedream/partitioner.h"

#include "core/planners/ties.h"

#include <algorithm>
#include <limits>

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
        compute_.assign(1, 0);
        parameters_.assign(1, 0);
        for (int layer = 0; layer < layers_; ++layer) {
            compute_.push_back(compute_.back() + work.computeS[static_cast<std::size_t>(layer)]);
            parameters_.push_back(parameters_.back() + work.parameterBytes[static_cast<std::size_t>(layer)]);
        }
        for (std::size_t level = 0; level < levels.size(); ++level) solve(level);
    }

    PipeDreamPartition partition() const {
        PipeDreamPartition partition;
        const int all = levels_.back().components;
        partition.periodS = tables_.back().at(0, layers_ - 1, all).periodS;
        assign(levels_.size(), 0, layers_ - 1, all, {0}, partition.stages);
        for (PipeDreamStage& stage : partition.stages) std::sort(stage.workers.begin(), stage.workers.end());
        return partition;
    }

private:
    /// A^{k-1}(first -> last, m_{k-1}).
    double inside(std::size_t level, int first, int last) const {
        if (level == 0)
            return compute_[static_cast<std::size_t>(last) + 1] - compute_[static_cast<std::size_t>(first)];
        return tables_[level - 1].at(first, last, levels_[level - 1].components).periodS;
    }

    /// T^k(first -> last, m).
    double stage(std::size_t level, int first, int last, int components) const {
        const double bytes =
            parameters_[static_cast<std::size_t>(last) + 1] - parameters_[static_cast<std::size_t>(first)];
        const double sync =
            components == 1 ? 0 : 2.0 * (components - 1) * bytes / levels_[level].bandwidthBps;
        return std::max(inside(level, first, last), sync) / components;
    }

    void solve(std::size_t level) {
        const int components = levels_[level].components;
        const int starts = level + 1 == levels_.size() ? 1 : layers_;
        tables_.emplace_back(starts, layers_, components);
        LevelTable& table = tables_.back();
        for (int first = 0; first < starts; ++first)
            for (int last = first; last < layers_; ++last) {
                context_.throwIfStopped();
                for (int m = 1; m <= components; ++m) {
                    LevelTable::Choice best;
                    for (int replicas = 1; replicas < m; ++replicas)
                        for (int cut = first; cut < last; ++cut) {
                            const double transfer = 2 * work_.outputBytes[static_cast<std::size_t>(cut)] /
                                                    levels_[level].bandwidthBps;
                            const double period = std::max({table.at(first, cut, m - replicas).periodS,
                                                            transfer, stage(level, cut + 1, last, replicas)});
                            if (clearlyLess(period, best.periodS)) best = {period, cut, replicas};
                        }
                    const double single = stage(level, first, last, m);
                    if (clearlyLess(single, best.periodS)) best = {single, -1, m};
                    table.at(first, last, m) = best;
                }
            }
    }

    /// Appends the stages of layers first..last on m components of level - 1, the first of which start at
    /// each of `bases` (replicas of one another). Level 0 is a worker.
    void assign(std::size_t level, int first, int last, int m, const std::vector<int>& bases,
                std::vector<PipeDreamStage>& stages) const {
        if (level == 0) {
            stages.push_back({first, last, bases});
            return;
        }
        int size = 1;  // workers in a component
        for (std::size_t k = 0; k + 1 < level; ++k) size *= levels_[k].components;
        const LevelTable::Choice& choice = tables_[level - 1].at(first, last, m);
        if (choice.cut >= 0) assign(level, first, choice.cut, m - choice.replicas, bases, stages);
        std::vector<int> replicas;
        for (const int base : bases)
            for (int component = m - choice.replicas; component < m; ++component)
                replicas.push_back(base + component * size);
        const int within = level >= 2 ? levels_[level - 2].components : 1;
        assign(level - 1, choice.cut >= 0 ? choice.cut + 1 : first, last, within, replicas, stages);
    }

    const PipeDreamWork& work_;
    const std::vector<PipeDreamLevel>& levels_;
    const PlanningContext& context_;
    int layers_;
    std::vector<double> compute_, parameters_;  // by number of layers before
    std::vector<LevelTable> tables_;
};

}  // namespace

PipeDreamPartition pipeDreamPartition(const PipeDreamWork& work, const std::vector<PipeDreamLevel>& levels,
                                      const PlanningContext& context) {
    return Hierarchy(work, levels, context).partition();
}

}  // namespace stagecraft
