#include "core/planners/madpipe/allocation.h"

#include "core/base/indices.h"
#include "core/planners/madpipe/delay.h"
#include "core/planners/planning.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <set>
#include <tuple>

namespace stagecraft::planners {

namespace {

/// Links 0..l-1 are still to be placed; what was decided for the rest.
struct State {
    double loadS = 0;        // t_P
    double memoryBytes = 0;  // m_P
    double delayS = 0;       // V
    double periodS = 0;      // the longest of normal stages and transfers so far
    std::int32_t parent = -1;
    std::int16_t parentLinks = 0;
    std::int16_t parentNormals = 0;
    std::int32_t loadStep = 0, memoryStep = 0, delayStep = 0;  // on the grid
    bool special = false;
};

/// Whether some state seen earlier is nowhere worse. States come in ascending order of load.
class Dominance {
public:
    virtual ~Dominance() = default;
    virtual void clear(const std::vector<State>& coming) = 0;
    virtual bool covers(const State& state) = 0;  ///< if not, the state joins those that cover
};

/// The least period seen at each memory and delay, or less of both.
class GridDominance final : public Dominance {
public:
    void clear(const std::vector<State>& coming) override {
        memories_ = delays_ = 0;
        for (const State& state : coming) {
            memories_ = std::max(memories_, state.memoryStep + 1);
            delays_ = std::max(delays_, state.delayStep + 1);
        }
        least_.assign(static_cast<std::size_t>(memories_) * static_cast<std::size_t>(delays_), infinity);
    }
    bool covers(const State& state) override {
        if (at(state.memoryStep, state.delayStep) <= state.periodS) return true;
        for (int memory = state.memoryStep; memory < memories_; ++memory) {
            if (at(memory, state.delayStep) <= state.periodS) break;
            for (int delay = state.delayStep; delay < delays_ && at(memory, delay) > state.periodS; ++delay)
                at(memory, delay) = state.periodS;
        }
        return false;
    }

private:
    double& at(int memory, int delay) {
        return least_[static_cast<std::size_t>(memory) * static_cast<std::size_t>(delays_) +
                      static_cast<std::size_t>(delay)];
    }
    std::vector<double> least_;
    int memories_ = 0, delays_ = 0;
};

class ExactDominance final : public Dominance {
public:
    void clear(const std::vector<State>&) override { kept_.clear(); }
    bool covers(const State& state) override {
        for (const State& other : kept_)
            if (other.memoryBytes <= state.memoryBytes && other.delayS <= state.delayS &&
                other.periodS <= state.periodS)
                return true;
        kept_.push_back(state);
        return false;
    }

private:
    std::vector<State> kept_;
};

class AllocationProgramme {
public:
    AllocationProgramme(const MadPipeChain& chain, int processors, double memoryBytes, double targetS,
                        const MadPipeGrid& grid, double belowS, const WorkContext& context)
        : chain_(chain),
          normals_(processors - 1),
          memoryBytes_(memoryBytes),
          targetS_(targetS),
          exact_(grid.exact),
          spared_(grid.special == SpecialMemory::printed ? 1 : 0),
          loadStepS_(chain.totalS() / std::max(1, grid.loads - 1)),
          memoryStepBytes_(memoryBytes / std::max(1, grid.memories - 1)),
          delayStepS_(chain.latestS() / std::max(1, grid.delays - 1)),
          belowS_(belowS),
          context_(context),
          states_(static_cast<std::size_t>(chain.links() + 1) * static_cast<std::size_t>(normals_ + 1)) {
        if (exact_)
            dominance_ = std::make_unique<ExactDominance>();
        else
            dominance_ = std::make_unique<GridDominance>();
    }

    MadPipeAllocation best() {
        states(chain_.links(), normals_).push_back({});
        for (int links = chain_.links(); links >= 0; --links)
            for (int normals = normals_; normals >= 0; --normals) {
                context_.throwIfStopped();
                if (context_.enough.stop_requested()) return bestFound();
                thin(states(links, normals));
                const auto count = static_cast<std::int32_t>(states(links, normals).size());
                for (std::int32_t index = 0; index < count; ++index) visit(links, normals, index);
                context_.report(1 - double(links * (normals_ + 1) + normals) / double(states_.size()));
            }
        return bestFound();
    }

    void forEachState(const std::function<bool(const MadPipeState&)>& visit) {
        const std::set<std::tuple<int, int, std::int32_t>> chosen = chosenStates();
        for (int links = chain_.links(); links >= 0; --links)
            for (int normals = normals_; normals >= 0; --normals) {
                context_.throwIfStopped();
                const std::vector<State>& all = states(links, normals);
                for (std::size_t i = 0; i < all.size(); ++i) {
                    const State& state = all[i];
                    if (!visit({links, normals, state.loadS, state.memoryBytes, state.delayS, state.periodS,
                                state.parent < 0 ? -1 : state.parentLinks - 1, state.special,
                                chosen.contains({links, normals, static_cast<std::int32_t>(i)})}))
                        return;
                }
            }
    }

    /// Whether some state was left out because of `belowS`; if not, there is nothing above it either.
    bool boundMattered() const { return boundMattered_; }

private:
    std::vector<State>& states(int links, int normals) {
        return states_[static_cast<std::size_t>(links) * static_cast<std::size_t>(normals_ + 1) +
                       static_cast<std::size_t>(normals)];
    }

    /// Drops what another state is nowhere worse than.
    void thin(std::vector<State>& all) {
        if (exact_)
            std::sort(all.begin(), all.end(), [](const State& a, const State& b) {
                return std::tie(a.loadS, a.memoryBytes, a.delayS) <
                           std::tie(b.loadS, b.memoryBytes, b.delayS) ||
                       (std::tie(a.loadS, a.memoryBytes, a.delayS) ==
                            std::tie(b.loadS, b.memoryBytes, b.delayS) &&
                        isBetter(a, b));
            });
        else
            bestOfEachPlace(all);
        dominance_->clear(all);
        std::erase_if(all, [&](const State& state) { return dominance_->covers(state); });
        // What is left of many is few: the room goes to those that are still to come.
        std::vector<State> kept(all);
        all.clear();
        spare_.push_back(std::move(all));
        all = std::move(kept);
    }

    /// Of states that agree in load, memory and delay.
    static bool isBetter(const State& a, const State& b) {
        return std::tie(a.periodS, a.parentLinks, a.parentNormals, a.parent) <
               std::tie(b.periodS, b.parentLinks, b.parentNormals, b.parent);
    }

    /// Most states share their place on the grid with others: one of each is left, by place. Sorting numbers
    /// moves less than sorting states.
    void bestOfEachPlace(std::vector<State>& all) {
        const auto slots = std::bit_ceil(2 * all.size() + 1);
        slots_.assign(slots, -1);
        places_.clear();
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::uint64_t place = placeOf(all[i]);
            constexpr std::uint64_t mixer = 0x9E3779B97F4A7C15;
            std::size_t slot = (place * mixer >> 32) & (slots - 1);
            while (slots_[slot] >= 0 && places_[at(slots_[slot])].place != place)
                slot = (slot + 1) & (slots - 1);
            if (slots_[slot] < 0) {
                slots_[slot] = static_cast<std::int32_t>(places_.size());
                places_.push_back({place, static_cast<std::uint32_t>(i)});
            } else if (OnGrid& known = places_[at(slots_[slot])]; isBetter(all[i], all[known.index])) {
                known.index = static_cast<std::uint32_t>(i);
            }
        }
        std::sort(places_.begin(), places_.end(),
                  [](const OnGrid& a, const OnGrid& b) { return a.place < b.place; });
        left_.clear();
        for (const OnGrid& each : places_) left_.push_back(all[each.index]);
        all.swap(left_);
    }

    /// Rises as load, memory and delay do, in this order.
    static std::uint64_t placeOf(const State& state) {
        constexpr int bits = 21;
        return (static_cast<std::uint64_t>(state.loadStep) << bits |
                static_cast<std::uint64_t>(state.memoryStep))
                   << bits |
               static_cast<std::uint64_t>(state.delayStep);
    }

    void visit(int links, int normals, std::int32_t index) {
        const State state = states(links, normals)[static_cast<std::size_t>(index)];
        if (links == 0) {
            finish(std::max(state.periodS, state.loadS), {links, normals, index}, false);
            return;
        }
        const int last = links - 1;
        if (normals == 0) {
            // All that is left is one stage of the special processor.
            const double loadS = chain_.loadS(0, last);
            const int batches = groupOf(state.delayS, loadS, targetS_) - spared_;
            if (state.memoryBytes + chain_.memoryBytes(0, last, batches) <= memoryBytes_)
                finish(std::max(state.periodS, state.loadS + loadS), {links, normals, index}, true);
            return;
        }
        if (tooMuchLeft(links, normals, state.loadS)) return;
        const int periods = periodsOf(state.delayS, targetS_);
        for (int first = last; first >= 0; --first)
            if (!extend(state, {links, normals, index, periods}, first)) break;
    }

    struct Place {
        int links = 0, normals = 0;
        std::int32_t index = -1;
        int periods = 0;  // of its delay
    };

    /// Both ways to place a stage of links first..last. False: longer stages are hopeless too.
    bool extend(const State& state, const Place& from, int first) {
        const int last = from.links - 1;
        const double loadS = chain_.loadS(first, last);
        // As printed a normal stage may be longer than the target (E-MP-6): the period is then its own.
        const bool fitsNormal = belowLimit(loadS);
        const bool fitsSpecial = belowLimit(state.loadS + loadS);
        if (!fitsNormal && !fitsSpecial) return false;
        const double transferS = first > 0 ? chain_.transferS[static_cast<std::size_t>(first) - 1] : 0;
        if (!belowLimit(transferS)) return true;
        // groupOf(V, U, T) and (V (+) U) (+) C, without dividing the same delays twice.
        const int periods = periodsOf(state.delayS + loadS, targetS_), batches = std::max(1, periods);
        State next;
        next.delayS = periods == from.periods
                          ? joinDelay(state.delayS + loadS, periods, transferS, targetS_)
                          : joinDelay(from.periods * targetS_ + loadS, transferS, targetS_);
        next.delayStep = roundUp(next.delayS, delayStepS_);
        next.parent = from.index;
        next.parentLinks = static_cast<std::int16_t>(from.links);
        next.parentNormals = static_cast<std::int16_t>(from.normals);
        const double bytes = chain_.memoryBytes(first, last, batches);
        if (fitsNormal && bytes <= memoryBytes_) {
            next.loadS = state.loadS;
            next.loadStep = state.loadStep;
            next.memoryBytes = state.memoryBytes;
            next.memoryStep = state.memoryStep;
            next.periodS = std::max({state.periodS, loadS, transferS});
            add(first, from.normals - 1, next);
        }
        if (!fitsSpecial) return true;
        next.special = true;
        next.memoryBytes = state.memoryBytes + chain_.memoryBytes(first, last, batches - spared_);
        if (next.memoryBytes > memoryBytes_) return true;
        next.memoryStep = roundUp(next.memoryBytes, memoryStepBytes_);
        next.loadS = state.loadS + loadS;
        next.loadStep = roundUp(next.loadS, loadStepS_);
        next.periodS = std::max(state.periodS, transferS);
        add(first, from.normals, next);
        return true;
    }

    void add(int links, int normals, const State& state) {
        if (!belowLimit(std::max(state.periodS, state.loadS)) || tooMuchLeft(links, normals, state.loadS))
            return;
        std::vector<State>& all = states(links, normals);
        if (all.capacity() == 0 && !spare_.empty()) {
            all = std::move(spare_.back());
            spare_.pop_back();
        }
        all.push_back(state);
    }

    /// No way to share the rest out keeps every processor below the limit.
    bool tooMuchLeft(int links, int normals, double loadS) {
        const double restS = links == 0 ? 0 : chain_.loadS(0, links - 1);
        return !belowLimit((restS + loadS) / (normals + 1));
    }

    int roundUp(double& value, double step) const {
        if (exact_ || !(step > 0)) return 0;
        const int steps = wholeUp(value / step);
        value = steps * step;
        return steps;
    }

    bool belowLimit(double periodS) {
        if (clearlyLess(periodS, std::min(belowS_, bestS_))) return true;
        boundMattered_ = true;
        return false;
    }

    void finish(double periodS, const Place& at, bool restIsSpecial) {
        if (!belowLimit(periodS)) return;
        bestS_ = periodS;
        bestAt_ = at;
        restIsSpecial_ = restIsSpecial;
    }

    std::set<std::tuple<int, int, std::int32_t>> chosenStates() {
        std::set<std::tuple<int, int, std::int32_t>> chosen;
        for (Place at = bestAt_; bestS_ < infinity && at.index >= 0;) {
            chosen.insert({at.links, at.normals, at.index});
            const State& state = states(at.links, at.normals)[static_cast<std::size_t>(at.index)];
            at = {state.parentLinks, state.parentNormals, state.parent};
        }
        return chosen;
    }

    MadPipeAllocation bestFound() {
        MadPipeAllocation allocation;
        if (bestS_ == infinity) return allocation;
        allocation.periodS = bestS_;
        if (restIsSpecial_) allocation.stages.push_back({0, bestAt_.links - 1, true});
        for (Place at = bestAt_; at.links < chain_.links();) {
            const State& state = states(at.links, at.normals)[static_cast<std::size_t>(at.index)];
            allocation.stages.push_back({at.links, state.parentLinks - 1, state.special});
            at = {state.parentLinks, state.parentNormals, state.parent};
        }
        return allocation;
    }

    const MadPipeChain& chain_;
    const int normals_;
    const double memoryBytes_, targetS_;
    const bool exact_;
    const int spared_;  // batches of each special stage that are not counted
    const double loadStepS_, memoryStepBytes_, delayStepS_;
    const double belowS_;
    const WorkContext& context_;
    std::vector<std::vector<State>> states_;  // by links left and normal processors left
    struct OnGrid {
        std::uint64_t place = 0;
        std::uint32_t index = 0;  // of the best state there
    };
    std::vector<OnGrid> places_;
    std::vector<std::int32_t> slots_;  // by hash of a place: which of places_
    std::vector<State> left_;
    std::vector<std::vector<State>> spare_;  // empty, with room
    std::unique_ptr<Dominance> dominance_;
    double bestS_ = infinity;
    Place bestAt_;
    bool restIsSpecial_ = false;
    bool boundMattered_ = false;
};

/// The same with fewer states: looks below a bound that starts at what is known to be too low and grows.
MadPipeAllocation allocateStepwise(const MadPipeChain& chain, int processors, double memoryBytes,
                                   double targetS, const MadPipeGrid& grid, double atLeastS, double belowS,
                                   const WorkContext& context) {
    // A few steps, for what the last one looks through contains the others.
    constexpr double first = 1.1, growth = 1.6;
    for (double boundS = atLeastS * first; boundS * growth < belowS; boundS *= growth) {
        AllocationProgramme programme(chain, processors, memoryBytes, targetS, grid, boundS, context);
        MadPipeAllocation found = programme.best();
        if (found.found() || !programme.boundMattered() || context.enough.stop_requested()) return found;
    }
    return AllocationProgramme(chain, processors, memoryBytes, targetS, grid, belowS, context).best();
}

}  // namespace

bool MadPipeAllocation::contiguous() const {
    return std::count_if(stages.begin(), stages.end(),
                         [](const MadPipeStage& stage) { return stage.special; }) <= 1;
}

MadPipeAllocation madPipeAllocation(const MadPipeChain& chain, int processors, double memoryBytes,
                                    double targetS, const MadPipeGrid& grid, double belowS,
                                    const WorkContext& context) {
    return AllocationProgramme(chain, processors, memoryBytes, targetS, grid, belowS, context).best();
}

void forEachMadPipeState(const MadPipeChain& chain, int processors, double memoryBytes, double targetS,
                         const MadPipeGrid& grid, double periodS,
                         const std::function<bool(const MadPipeState&)>& visit, const WorkContext& context) {
    constexpr double justAbove = 1 + 1e-6;
    AllocationProgramme programme(chain, processors, memoryBytes, targetS, grid, periodS * justAbove,
                                  context);
    programme.best();
    programme.forEachState(visit);
}

PeriodSearch searchPeriod(const MadPipeChain& chain, int processors, double memoryBytes,
                          const MadPipeGrid& grid, int iterations, const WorkContext& context,
                          bool everyPeriod) {
    PeriodSearch search;
    double lowS = chain.totalS() / processors, highS = chain.latestS();
    // The programme's period does not grow with the target.
    std::vector<std::pair<double, double>> known;
    double targetS = lowS;
    for (int i = 0; i < iterations && !context.enough.stop_requested(); ++i) {
        // Programmes with growing bounds follow each other; reported progress does not go back.
        double reported = 0;
        WorkContext part = context;
        part.progress = [&, i](double fraction) {
            reported = std::max(reported, fraction);
            context.report((i + reported) / iterations);
        };
        PeriodSearchStep step;
        step.targetS = targetS;
        double atLeastS = chain.totalS() / processors;
        for (const auto& [otherS, periodS] : known)
            if (otherS >= targetS) atLeastS = std::max(atLeastS, periodS);
        step.allocation = allocateStepwise(chain, processors, memoryBytes, targetS, grid, atLeastS,
                                           everyPeriod ? infinity : search.periodS, part);
        if (context.enough.stop_requested() && !step.allocation.found()) break;
        step.periodS = step.allocation.periodS;
        if (step.allocation.found()) known.emplace_back(targetS, step.periodS);
        const double reachedS = std::max(step.periodS, targetS);
        lowS = std::max(lowS, std::min(step.periodS, targetS));
        highS = std::min(highS, reachedS);
        if (reachedS < search.periodS) {
            search.periodS = reachedS;
            search.allocation = step.allocation;
        }
        search.steps.push_back(std::move(step));
        targetS = (lowS + highS) / 2;
        context.report(double(i + 1) / iterations);
    }
    return search;
}

}  // namespace stagecraft::planners
