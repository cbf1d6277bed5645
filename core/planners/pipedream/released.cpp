#include "core/planners/pipedream/released.h"

#include "core/base/indices.h"
#include "core/planners/planning.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft::planners {

namespace {

/// A of one level: the period of the states first..last on m components, and how it is reached.
class Table {
public:
    struct Choice {
        double periodS = infinity;
        int cut = -1;      ///< the last state before the last stage; -1: the block as a whole
        int machines = 0;  ///< of the last stage
    };
    Table(int starts, int states, int machines) : states_(states), machines_(machines) {
        choices_.resize(static_cast<std::size_t>(starts) * states * machines);
    }
    static double bytes(double starts, double states, double machines) {
        return starts * states * machines * sizeof(Choice);
    }
    Choice& at(int first, int last, int machines) {
        return choices_[(static_cast<std::size_t>(first) * states_ + last) * machines_ + machines - 1];
    }
    const Choice& at(int first, int last, int machines) const {
        return const_cast<Table*>(this)->at(first, last, machines);
    }

private:
    int states_;
    int machines_;
    std::vector<Choice> choices_;
};

class StateProgramme {
public:
    StateProgramme(const PipeDreamStates& states, const std::vector<PipeDreamLevel>& levels,
                   const ReleasedOptions& options, const WorkContext& context)
        : states_(states), levels_(levels), options_(options), context_(context) {
        for (std::size_t level = 0; level < levels.size(); ++level) solve(level);
    }

    ReleasedPartition partition() const {
        ReleasedPartition partition;
        const int machines = levels_.back().components, last = states_.count() - 1;
        partition.periodS = tables_.back().at(0, last, machines).periodS;
        partition.levels.resize(levels_.size());
        if (partition.periodS < infinity) assign(levels_.size(), {0, last + 1, 1}, machines, {0}, partition);
        for (PipeDreamStage& stage : partition.stages) std::sort(stage.workers.begin(), stage.workers.end());
        return partition;
    }

    void forEachCell(const std::function<bool(const ReleasedCell&)>& visit) const {
        for (std::size_t level = 0; level < levels_.size(); ++level) {
            const int starts = level + 1 == levels_.size() ? 1 : states_.count();
            for (int first = 0; first < starts; ++first)
                for (int last = first; last < states_.count(); ++last)
                    for (int machines = 1; machines <= levels_[level].components; ++machines)
                        if (const ReleasedCell cell = cellAt(level, first, last, machines);
                            cell.periodS < infinity && !visit(cell))
                            return;
        }
    }

private:
    ReleasedCell cellAt(std::size_t level, int first, int last, int machines) const {
        const Table::Choice& choice = tables_[level].at(first, last, machines);
        ReleasedCell cell{static_cast<int>(level), first,      last,           machines,
                          choice.periodS,          choice.cut, choice.machines};
        cell.lastStageS = choice.periodS;
        if (choice.cut < 0) return cell;
        cell.beforeS = tables_[level].at(first, choice.cut, machines - choice.machines).periodS;
        cell.transferS = transferS(level, choice.cut, last, choice.machines);
        cell.lastStageS = stageS(level, choice.cut + 1, last, choice.machines);
        return cell;
    }

    /// Of the states first..last: what they have that those before first have not.
    static double inside(const std::vector<double>& upTo, int first, int last) {
        return upTo[static_cast<std::size_t>(last)] -
               (first > 0 ? upTo[static_cast<std::size_t>(first) - 1] : 0);
    }

    /// What one component of the level takes for the states.
    double componentS(std::size_t level, int first, int last) const {
        if (level == 0) return inside(states_.computeS, first, last);
        return tables_[level - 1].at(first, last, levels_[level - 1].components).periodS;
    }

    bool fits(int first, int last, int machines, int downstream) const {
        if (!options_.memoryLimitBytes) return true;
        const double bytes =
            inside(states_.activationBytes, first, last) + inside(states_.parameterBytes, first, last);
        return ((downstream + machines - 1) / machines) * bytes <= *options_.memoryLimitBytes;
    }

    /// The states as one block of the level.
    double wholeS(std::size_t level, int first, int last, int machines) const {
        const int all = levels_[level].components;
        if (options_.straight && machines > 1) return infinity;
        if (!fits(first, last, machines, all - machines)) return infinity;
        const double perComponent = level > 0 ? levels_[level - 1].components : 1;
        const double syncS = 4.0 * (machines - 1) * inside(states_.parameterBytes, first, last) /
                             (levels_[level].bandwidthBps * machines) / perComponent;
        return (componentS(level, first, last) + syncS) / machines;
    }

    double stageS(std::size_t level, int first, int last, int machines) const {
        const double syncS = 4.0 * (machines - 1) * inside(states_.parameterBytes, first, last) /
                             (levels_[level].bandwidthBps * machines);
        return (componentS(level, first, last) + syncS) / machines;
    }

    double transferS(std::size_t level, int cut, int last, int machines) const {
        if (!options_.paysTransfers) return 0;
        double bytes = states_.outputBytes[static_cast<std::size_t>(cut)];
        if (last + 1 < states_.count())
            bytes = std::max(bytes, states_.outputBytes[static_cast<std::size_t>(last)]);
        return 2.0 * bytes / (levels_[level].bandwidthBps * machines);
    }

    void solve(std::size_t level) {
        const int machines = levels_[level].components, count = states_.count();
        const bool outermost = level + 1 == levels_.size();
        const int starts = outermost ? 1 : count;
        tables_.emplace_back(starts, count, machines);
        Table& table = tables_.back();
        for (int first = 0; first < starts; ++first) {
            context_.throwIfStopped();
            context_.report((static_cast<double>(level) + static_cast<double>(first) / starts) /
                            static_cast<double>(levels_.size()));
            for (int last = first; last < count; ++last)
                for (int m = 1; m <= machines; ++m)
                    table.at(first, last, m) = {wholeS(level, first, last, m), -1, m};
            for (int last = first + 1; last < count; ++last) {
                if (outermost) context_.throwIfStopped();
                for (int cut = last - 1; cut >= first; --cut)
                    if (states_.isBefore(cut, last) && !(first > 0 && states_.isBefore(cut, first - 1)))
                        tryCut(level, table, first, cut, last);
            }
        }
    }

    void tryCut(std::size_t level, Table& table, int first, int cut, int last) const {
        const int machines = levels_[level].components;
        const int mostLast = options_.straight ? 1 : machines - 1;
        double worst = 0;  // on 2 machines or more, before this cut
        for (int m = 2; m <= machines; ++m) worst = std::max(worst, table.at(first, last, m).periodS);
        for (int q = 1; q <= mostLast; ++q) {
            const double lastS = std::max(stageS(level, cut + 1, last, q), transferS(level, cut, last, q));
            if (!clearlyLess(lastS, worst)) continue;
            for (int m = q + 1; m <= machines; ++m) {
                Table::Choice& best = table.at(first, last, m);
                const double periodS = std::max(table.at(first, cut, m - q).periodS, lastS);
                if (clearlyLess(periodS, best.periodS) && fits(cut + 1, last, q, machines - m))
                    best = {periodS, cut, q};
            }
        }
    }

    /// Splits a block of the level above (or a worker's share, level 0), whose components start at each of
    /// `bases`.
    void assign(std::size_t level, const ReleasedBlock& block, int machines, const std::vector<int>& bases,
                ReleasedPartition& partition) const {
        if (level == 0) {
            partition.stages.push_back({block.first, block.end - 1, bases});
            return;
        }
        int size = 1;  // workers in a component
        for (std::size_t k = 0; k + 1 < level; ++k) size *= levels_[k].components;
        const Table::Choice& choice = tables_[level - 1].at(block.first, block.end - 1, machines);
        ReleasedBlock own{block.first, block.end, choice.machines};
        if (choice.cut >= 0) {
            own.first = choice.cut + 1;
            assign(level, {block.first, own.first, 1}, machines - choice.machines, bases, partition);
        }
        partition.levels[level - 1].push_back(own);
        std::vector<int> replicas;
        for (const int base : bases)
            for (int component = machines - choice.machines; component < machines; ++component)
                replicas.push_back(base + component * size);
        assign(level - 1, own, level >= 2 ? levels_[level - 2].components : 1, replicas, partition);
    }

    const PipeDreamStates& states_;
    const std::vector<PipeDreamLevel>& levels_;
    const ReleasedOptions& options_;
    const WorkContext& context_;
    std::vector<Table> tables_;  // by level
};

}  // namespace

int mostReleasedStates(const std::vector<PipeDreamLevel>& levels) {
    constexpr double mostSteps = 5e9, mostBytes = 1024.0 * 1024 * 1024;
    const auto isTooMuch = [&](double states) {
        double steps = 0, bytes = states * states / 8;  // which state comes before which
        for (std::size_t level = 0; level < levels.size(); ++level) {
            const bool outermost = level + 1 == levels.size();
            const double machines = levels[level].components;
            steps += machines * states * states * (outermost ? 1.0 / 2 : states / 6);
            bytes += Table::bytes(outermost ? 1 : states, states, machines);
        }
        return steps > mostSteps || bytes > mostBytes;
    };
    int fitting = 1, over = 2;
    while (!isTooMuch(over)) over *= 2;
    while (over - fitting > 1) {
        const int middle = fitting + (over - fitting) / 2;
        (isTooMuch(middle) ? over : fitting) = middle;
    }
    return fitting;
}

ReleasedPartition releasedPartition(const PipeDreamStates& states, const std::vector<PipeDreamLevel>& levels,
                                    const ReleasedOptions& options, const WorkContext& context) {
    return StateProgramme(states, levels, options, context).partition();
}

void forEachReleasedCell(const PipeDreamStates& states, const std::vector<PipeDreamLevel>& levels,
                         const ReleasedOptions& options,
                         const std::function<bool(const ReleasedCell&)>& visit, const WorkContext& context) {
    StateProgramme(states, levels, options, context).forEachCell(visit);
}

}  // namespace stagecraft::planners
