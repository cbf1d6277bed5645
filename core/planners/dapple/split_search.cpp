#include "core/planners/dapple/split_search.h"

#include "core/base/units.h"
#include "core/planners/dapple/latency.h"
#include "core/planners/planning.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace stagecraft::planners {

namespace {

/// From one set of devices to another, all of them at a time.
struct SetLink {
    double bytesPerS = 0;
    double latencyS = 0;
};

/// What a number of devices can come to be: the stage's, what is taken with it, and what is left.
struct PlacedDevices {
    int devices = 0;  ///< set
    int taken = 0;
    int left = 0;    ///< set
    SetLink toLeft;  ///< from the stage's to those
};

/// Sets of devices by number, with all that the formulas need of them.
class DeviceSets {
public:
    struct Set {
        const std::vector<int>* devices = nullptr;
        int replicas = 0;
        double rate = 0;    ///< replicas · slowest speed
        double speeds = 0;  ///< their sum
        double allReducePerByteS = 0;
    };

    explicit DeviceSets(const CostModel& costs) : costs_(costs), servers_(costs.problem().cluster) {
        numberOfTaken(servers_.nothing());
    }

    const Set& set(int number) const { return sets_[static_cast<std::size_t>(number)]; }

    int everything() { return numberOfSet(servers_.between(servers_.nothing(), servers_.everything())); }

    const SetLink& link(int from, int to) {
        const auto [found, added] = links_.try_emplace(pairOf(from, to));
        if (added) found->second = linkOf(from, to);
        return found->second;
    }

    /// Different ones only, in the order of the placements.
    const std::vector<PlacedDevices>& place(int taken, int count,
                                            const std::vector<DapplePlacement>& placements) {
        const auto [found, added] = placed_.try_emplace(pairOf(taken, count));
        if (!added) return found->second;
        const DappleServers::Taken before = takenOf_[static_cast<std::size_t>(taken)];
        for (const DapplePlacement placement : placements) {
            const DappleServers::Taken after = servers_.take(before, count, placement);
            PlacedDevices next;
            next.taken = numberOfTaken(after);
            if (std::any_of(found->second.begin(), found->second.end(),
                            [&](const PlacedDevices& known) { return known.taken == next.taken; }))
                continue;
            next.devices = numberOfSet(servers_.between(before, after));
            next.left = numberOfSet(servers_.between(after, servers_.everything()));
            next.toLeft = linkOf(next.devices, next.left);
            found->second.push_back(next);
        }
        return found->second;
    }

    /// What it has stored so far, about.
    double bytes() const {
        constexpr double eachSet = sizeof(Set) + 96, eachTaken = 96,
                         eachPlaced = 64 + 3 * sizeof(PlacedDevices), eachLink = 48;
        return static_cast<double>(sets_.size()) * eachSet + devicesStored_ * sizeof(int) +
               static_cast<double>(takenOf_.size()) * (eachTaken + 2.0 * sizeof(int) * servers_.count()) +
               static_cast<double>(placed_.size()) * eachPlaced +
               static_cast<double>(links_.size()) * eachLink;
    }

private:
    struct NumbersHash {
        std::size_t operator()(const std::vector<int>& numbers) const {
            std::uint64_t hash = numbers.size();
            for (const int number : numbers)
                hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9E3779B97F4A7C15u;
            return static_cast<std::size_t>(hash ^ hash >> 29);
        }
    };

    static std::uint64_t pairOf(int first, int second) {
        return static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint32_t>(second);
    }

    SetLink linkOf(int from, int to) const {
        const std::vector<int>&senders = *set(from).devices, &receivers = *set(to).devices;
        return {static_cast<double>(senders.size() * receivers.size()) *
                    costs_.interconnect().minBandwidthBps(senders, receivers),
                costs_.interconnect().maxLatencyS(senders, receivers)};
    }

    int numberOfTaken(const DappleServers::Taken& taken) {
        const auto [found, added] = taken_.try_emplace(taken, static_cast<int>(taken_.size()));
        if (added) takenOf_.push_back(taken);
        return found->second;
    }

    int numberOfSet(const std::vector<int>& devices) {
        const auto [found, added] = numbers_.try_emplace(devices, static_cast<int>(numbers_.size()));
        if (added) {
            const int replicas = static_cast<int>(devices.size());
            double speeds = 0;
            for (const int device : devices)
                speeds += costs_.problem().cluster.devices[static_cast<std::size_t>(device)].speed;
            sets_.push_back({&found->first, replicas, replicas * costs_.slowestSpeed(devices), speeds,
                             costs_.allReduceS(1, devices)});
            devicesStored_ += static_cast<double>(devices.size());
        }
        return found->second;
    }

    const CostModel& costs_;
    DappleServers servers_;
    double devicesStored_ = 0;
    std::unordered_map<DappleServers::Taken, int, NumbersHash> taken_;
    std::vector<DappleServers::Taken> takenOf_;
    std::unordered_map<std::vector<int>, int, NumbersHash> numbers_;  // sets_ points to its keys
    std::vector<Set> sets_;
    std::unordered_map<std::uint64_t, SetLink> links_;
    std::unordered_map<std::uint64_t, std::vector<PlacedDevices>> placed_;
};

/// T(j, m, g): the stages so far, and how long an iteration is with one more that has the rest.
struct Beginning {
    int layers = 0;   ///< j
    int taken = 0;    ///< g
    int devices = 0;  ///< set of the last of its stages
    int before = -1;  ///< the beginning that it prolongs by a stage
    double lengthS = std::numeric_limits<double>::infinity();
    std::vector<DappleStep> chain;
};

/// The beginnings of so many layers on so many devices, one for each g.
struct BeginningCell {
    struct Kept {
        int number = 0;
        int taken = 0;  ///< g
        double lengthS = 0;
    };
    std::vector<Kept> kept;
    /// What is no shorter is not kept, whatever its g. Until the cell is full everything may be: not a
    /// number, which nothing reaches.
    double longestS = std::numeric_limits<double>::quiet_NaN();
};

class SplitSearch {
public:
    /// @param pipelines what the number of each stage's devices is a multiple of
    SplitSearch(const CostModel& costs, DappleFormula formula, const std::vector<DapplePlacement>& placements,
                int pipelines, double mostBytes)
        : costs_(costs),
          formula_(formula),
          placements_(placements),
          sets_(costs),
          layers_(costs.layerCount()),
          devices_(costs.deviceCount()),
          microbatches_(costs.problem().setup.microbatches),
          pipelines_(pipelines),
          mostBytes_(mostBytes),
          networkS_(formula == DappleFormula::paper ? 0 : dappleNetworkS(costs, pipelines)),
          cells_(static_cast<std::size_t>(layers_) * static_cast<std::size_t>(devices_)) {
        // However the layers are cut: replicas do no less together than one would, unless the profile was
        // measured at their sizes.
        if (!costs.problem().profile.otherSizes.empty()) return;
        for (int first = 0; first < layers_; ++first)
            leftS_.push_back(costs.forwardS(first, layers_ - 1) + costs.backwardS(first, layers_ - 1));
    }

    DappleSplit run(const WorkContext& context) {
        Beginning none;
        chain_ = {stageOf(0, layers_, sets_.everything())};
        none.lengthS = shortestS_ = lengthS();
        beginnings_.push_back(none);
        cell(0, 0).kept.push_back({0, 0, none.lengthS});
        for (int layers = 0; layers < layers_; ++layers) {
            for (int taken = 0; taken < devices_; taken += pipelines_)
                for (const BeginningCell::Kept& kept : cell(layers, taken).kept) {
                    const int number = kept.number;
                    context.throwIfStopped();
                    requireRoom(layers);
                    if (betterObjective(at(number).lengthS, at(best_).lengthS)) best_ = number;
                    prolong(number, taken);
                }
            context.report(static_cast<double>(layers + 1) / layers_);
        }
        return splitOf(best_);
    }

private:
    /// @throws std::runtime_error
    void requireRoom(int layers) const {
        if (sets_.bytes() <= mostBytes_) return;
        std::string smaller = "a cluster of fewer devices";
        if (placements_.size() > 1)
            smaller = "placement = fresh-first, which tries fewer sets, or " + smaller;
        throw std::runtime_error(
            "DAPPLE's search looks at too many sets of devices: those that it met before a stage at layer " +
            std::to_string(layers) + " of " + std::to_string(layers_) + ", with " + std::to_string(devices_) +
            " devices, already take " + formatBytes(mostBytes_) +
            ", which is what they may. What may fit is " + smaller);
    }

    BeginningCell& cell(int layers, int taken) {
        return cells_[static_cast<std::size_t>(layers) * static_cast<std::size_t>(devices_) +
                      static_cast<std::size_t>(taken)];
    }
    Beginning& at(int number) { return beginnings_[static_cast<std::size_t>(number)]; }

    /// Layers first..end-1.
    DappleStep stageOf(int first, int end, int set) const {
        const DeviceSets::Set& on = sets_.set(set);
        return {costs_.forwardS(first, end - 1, on.replicas) / on.rate,
                costs_.backwardS(first, end - 1, on.replicas) / on.rate,
                costs_.synchronisedBytes(first, end - 1) * on.allReducePerByteS};
    }

    /// Over the cut below layer `end`.
    DappleStep transferOf(int end, const SetLink& link) const {
        return {costs_.cutForwardBytes(end - 1) / link.bytesPerS + link.latencyS,
                costs_.cutBackwardBytes(end - 1) / link.bytesPerS + link.latencyS, 0};
    }

    double lengthS() const {
        return formula_ == DappleFormula::paper ? dappleLatency(chain_, microbatches_).seconds()
                                                : releasedDappleLatencyS(chain_, microbatches_, networkS_);
    }

    /// What an iteration takes at least with a step as slow as that and transfers that take so long one way,
    /// whatever else there is. Added in the order in which the formula adds, so that rounding leaves it a
    /// bound.
    double leastS(double slowestS, double transfersS) const {
        const double steadyS = (microbatches_ - 1) * slowestS;
        return formula_ == DappleFormula::paper ? steadyS : steadyS + networkS_ + transfersS;
    }

    /// Whether nothing of which that is true is among the shortest.
    bool isHopeless(double slowestS, double transfersS) const {
        constexpr double rounding = 1e-6;
        return leastS(slowestS, transfersS) > shortestS_ * (1 + rounding);
    }

    /// The first end of a stage after which the devices that are left could do the rest in time.
    int firstEnd(int begin, const DeviceSets::Set& left, double transfersS) const {
        if (leftS_.empty()) return begin;
        const auto first = leftS_.begin() + begin;
        return static_cast<int>(
            std::partition_point(first, leftS_.end(),
                                 [&](double restS) { return isHopeless(restS / left.speeds, transfersS); }) -
            leftS_.begin());
    }

    /// By one stage, of every size, on every number of devices that leaves some for the rest.
    void prolong(int number, int taken) {
        const Beginning from = at(number);
        double slowestFromS = 0, transfersFromS = 0;
        for (std::size_t step = 0; step < from.chain.size(); ++step) {
            slowestFromS = std::max(slowestFromS, from.chain[step].bothS());
            if (step % 2 == 1) transfersFromS += from.chain[step].forwardS;
        }
        if (isHopeless(slowestFromS, transfersFromS)) return;
        for (int count = pipelines_; taken + count < devices_; count += pipelines_)
            for (const PlacedDevices& next : sets_.place(from.taken, count, placements_)) {
                chain_ = from.chain;
                if (number > 0)
                    chain_.push_back(transferOf(from.layers, sets_.link(from.devices, next.devices)));
                double slowestS = slowestFromS, transfersS = transfersFromS;
                if (number > 0) {
                    slowestS = std::max(slowestS, chain_.back().bothS());
                    transfersS += chain_.back().forwardS;
                }
                if (isHopeless(slowestS, transfersS)) continue;
                const std::size_t stage = chain_.size();
                chain_.resize(stage + 3);
                for (int end = firstEnd(from.layers + 1, sets_.set(next.left), transfersS); end < layers_;
                     ++end) {
                    BeginningCell& kept = cell(end, taken + count);
                    chain_[stage] = stageOf(from.layers, end, next.devices);
                    const double sofarS = std::max(slowestS, chain_[stage].bothS());
                    if (isHopeless(sofarS, transfersS)) break;
                    if (leastS(sofarS, transfersS) >= kept.longestS) continue;
                    chain_[stage + 1] = transferOf(end, next.toLeft);
                    chain_[stage + 2] = stageOf(end, layers_, next.left);
                    const double boundS =
                        leastS(std::max({sofarS, chain_[stage + 1].bothS(), chain_[stage + 2].bothS()}),
                               transfersS + chain_[stage + 1].forwardS);
                    if (!(boundS >= kept.longestS)) keep(kept, end, next, number, boundS);
                }
            }
    }

    /// The chain in hand, if it is better than what the cell holds in its place.
    /// @param boundS its length is no less
    void keep(BeginningCell& cell, int end, const PlacedDevices& next, int before, double boundS) {
        std::vector<BeginningCell::Kept>& all = cell.kept;
        const auto isFull = [&all] { return static_cast<int>(all.size()) >= dappleSetsKept; };
        const auto isShorter = [](const auto& a, const auto& b) { return a.lengthS < b.lengthS; };
        auto place =
            std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.taken == next.taken; });
        if (place == all.end() && isFull()) place = std::max_element(all.begin(), all.end(), isShorter);
        if (place != all.end() && boundS >= place->lengthS) return;
        const double length = lengthS();
        shortestS_ = std::min(shortestS_, length);
        if (place == all.end()) {
            place = all.insert(place, {static_cast<int>(beginnings_.size()), 0, 0});
            beginnings_.emplace_back();
        } else if (!betterObjective(length, place->lengthS)) {
            return;
        }
        place->taken = next.taken;
        place->lengthS = length;
        if (isFull()) cell.longestS = std::max_element(all.begin(), all.end(), isShorter)->lengthS;
        Beginning& kept = at(place->number);
        kept.layers = end;
        kept.taken = next.taken;
        kept.devices = next.devices;
        kept.before = before;
        kept.lengthS = length;
        kept.chain.assign(chain_.begin(), chain_.end() - 2);
    }

    DappleSplit splitOf(int number) {
        DappleSplit split;
        split.lengthS = at(number).lengthS;
        std::vector<char> taken(static_cast<std::size_t>(devices_), 0);
        const int begun = at(number).layers;
        for (int each = number; each > 0; each = at(each).before) {
            const std::vector<int>& devices = *sets_.set(at(each).devices).devices;
            split.stages.push_back({at(at(each).before).layers, at(each).layers - 1, devices});
            for (const int device : devices) taken[static_cast<std::size_t>(device)] = 1;
        }
        std::reverse(split.stages.begin(), split.stages.end());
        Stage rest{begun, layers_ - 1, {}};
        for (int device = 0; device < devices_; ++device)
            if (!taken[static_cast<std::size_t>(device)]) rest.devices.push_back(device);
        split.stages.push_back(std::move(rest));
        return split;
    }

    const CostModel& costs_;
    DappleFormula formula_;
    const std::vector<DapplePlacement>& placements_;
    DeviceSets sets_;
    int layers_, devices_, microbatches_, pipelines_;
    double mostBytes_, networkS_;
    std::vector<BeginningCell> cells_;   // by (j, m)
    std::vector<Beginning> beginnings_;  // the first is the empty one
    std::vector<DappleStep> chain_;      // the one in hand
    int best_ = 0;
    double shortestS_ = std::numeric_limits<double>::infinity();  // of all that were met
    std::vector<double> leftS_;  // by layer: of it and all after it, at speed 1; empty: not known
};

}  // namespace

DappleSplit dappleSplit(const CostModel& costs, DappleFormula formula,
                        const std::vector<DapplePlacement>& placements, const WorkContext& context,
                        double mostBytes) {
    if (formula == DappleFormula::paper)
        return SplitSearch(costs, formula, placements, 1, mostBytes).run(context);
    DappleSplit best;
    const int devices = costs.deviceCount(), microbatches = costs.problem().setup.microbatches;
    for (int pipelines = devices; pipelines > 0; --pipelines) {
        if (devices % pipelines != 0) continue;
        DappleSplit split = SplitSearch(costs, formula, placements, pipelines, mostBytes)
                                .run(part(context, 1.0 / (pipelines + 1), 1.0 / pipelines));
        split.lengthS = releasedDappleLatencyS(dappleChain(costs, split.stages), microbatches,
                                               dappleNetworkS(costs, dapplePipelines(split.stages)));
        if (best.stages.empty() || betterObjective(split.lengthS, best.lengthS)) best = std::move(split);
    }
    return best;
}

}  // namespace stagecraft::planners
