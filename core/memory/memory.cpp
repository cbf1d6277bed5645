#include "core/memory/memory.h"

#include "core/base/indices.h"
#include "core/base/work_context.h"
#include "core/memory/memory_peaks.h"
#include "core/memory/memory_rules.h"
#include "core/weights/weight_stash.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

namespace stagecraft::memory {

double MemorySteps::totalAt(std::size_t step) const {
    double total = 0;
    for (const std::vector<double>& series : bytes) total += series[step];
    return total;
}

std::size_t MemorySteps::stepAt(double instantS) const {
    const auto after = std::upper_bound(timeS.begin(), timeS.end(), instantS);
    return after == timeS.begin() ? 0 : static_cast<std::size_t>(after - timeS.begin()) - 1;
}

std::size_t MemorySteps::peakStep() const {
    if (timeS.empty()) return 0;
    std::vector<double> totals(timeS.size(), 0);
    for (const std::vector<double>& series : bytes)
        for (std::size_t step = 0; step < totals.size(); ++step) totals[step] += series[step];
    return static_cast<std::size_t>(std::ranges::max_element(totals) - totals.begin());
}

namespace {

/// A change of one series at an instant. Releases of an instant come before what is taken then.
struct Change {
    double atS = 0;
    double bytes = 0;
    std::uint32_t order =
        0;  ///< among all changes, of which those of one instant are added up in their order
    MemoryKind kind = MemoryKind::activations;
};

/// Devices that work together: what they hold from beginning to end, and what changes on all of them.
struct TogetherOn {
    std::vector<int> devices;
    std::vector<int> stages;
    std::vector<Change> changes;
};

class CurveBuilder {
public:
    CurveBuilder(const CostModel& costs, const Plan& plan, const SharedStageEdges& edges,
                 const Timeline& timeline, const std::stop_token& stop)
        : costs_(costs),
          plan_(plan),
          timeline_(timeline),
          stop_(stop),
          rules_(costs, plan, edges),
          byFirst_(at(costs.deviceCount())) {}

    std::vector<MemoryCurve> curves() {
        std::vector<MemoryCurve> all;
        eachDevice<std::shared_ptr<const MemorySteps>>(
            [this](const std::vector<int>& groups) { return stepsOf(groups); },
            [&](int device, double limitBytes, const std::shared_ptr<const MemorySteps>& steps) {
                all.push_back({device, limitBytes, steps});
            });
        return all;
    }

    std::vector<MemoryPeak> peaks() {
        std::vector<MemoryPeak> all;
        eachDevice<MemoryPeak>([this](const std::vector<int>& groups) { return peakOf(groups); },
                               [&](int device, double limitBytes, const MemoryPeak& peak) {
                                   all.push_back({device, limitBytes, peak.bytes, peak.heldBytes});
                               });
        return all;
    }

private:
    using Level = std::array<double, memoryKindCount>;

    void throwIfStopped() const {
        if (stop_.stop_requested()) throw Cancelled();
    }

    void addChanges() {
        for (int stage = 0; stage < plan_.stageCount(); ++stage)
            groupOf(plan_.stages[at(stage)].devices).stages.push_back(stage);
        for (const Lane& lane : timeline_.lanes) {
            throwIfStopped();
            for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) addBlock(lane, block);
        }
        if (rules_.stashes()) addStashes();
    }

    /// Made once for devices that are in the same groups.
    template <typename Made, typename Make, typename Take>
    void eachDevice(Make make, Take take) {
        addChanges();
        std::vector<std::vector<int>> groupsOf(at(costs_.deviceCount()));
        for (int group = 0; group < static_cast<int>(groups_.size()); ++group)
            for (const int device : groups_[at(group)].devices) groupsOf[at(device)].push_back(group);
        std::map<std::vector<int>, Made> made;
        for (int device = 0; device < costs_.deviceCount(); ++device) {
            throwIfStopped();
            auto known = made.find(groupsOf[at(device)]);
            if (known == made.end())
                known = made.emplace(groupsOf[at(device)], make(groupsOf[at(device)])).first;
            take(device, costs_.problem().memoryLimitBytes(device), known->second);
        }
    }

    TogetherOn& groupOf(const std::vector<int>& devices) {
        std::vector<int>& known = byFirst_[at(devices.front())];
        for (const int group : known)
            if (groups_[at(group)].devices == devices) return groups_[at(group)];
        known.push_back(static_cast<int>(groups_.size()));
        return groups_.emplace_back(TogetherOn{devices, {}, {}});
    }

    void addBlock(const Lane& lane, std::uint32_t block) {
        rules_.eachChange(
            timeline_, lane, block,
            [this](const std::vector<int>& devices, double atS, MemoryEffect effect, double bytes) {
                if (effect == MemoryEffect::activations)
                    change(devices, atS, MemoryKind::activations, bytes);
                else if (effect == MemoryEffect::buffers)
                    change(devices, atS, MemoryKind::buffers, bytes);
            });
    }

    void addStashes() {
        for (const StashedVersion& stash : stashedVersions(plan_, timeline_)) {
            const double bytes = rules_.versionBytes(stash.stage);
            change(stash.devices, stash.fromS, MemoryKind::weightVersions, bytes);
            change(stash.devices, stash.untilS, MemoryKind::weightVersions, -bytes);
        }
    }

    void change(const std::vector<int>& devices, double atS, MemoryKind kind, double bytes) {
        if (bytes == 0 || devices.empty()) return;
        groupOf(devices).changes.push_back({atS, bytes, changeCount_++, kind});
    }

    std::array<double, memoryKindCount> throughout(const std::vector<int>& groups) const {
        std::vector<int> stages;
        for (const int group : groups)
            stages.insert(stages.end(), groups_[at(group)].stages.begin(), groups_[at(group)].stages.end());
        std::sort(stages.begin(), stages.end());
        std::array<double, memoryKindCount> bytes{};
        for (const int stage : stages)
            for (std::size_t kind = 0; kind < memoryKindCount; ++kind)
                bytes[kind] += rules_.throughout(stage)[kind];
        if (!stages.empty()) bytes[static_cast<std::size_t>(MemoryKind::reserved)] = rules_.reservedBytes();
        return bytes;
    }

    /// By time, those of an instant in the order in which they came.
    std::vector<Change> changesOf(const std::vector<int>& groups) const {
        std::vector<Change> changes;
        for (const int group : groups) {
            const std::vector<Change>& own = groups_[at(group)].changes;
            if (own.empty()) continue;
            const auto before = static_cast<std::ptrdiff_t>(changes.size());
            changes.insert(changes.end(), own.begin(), own.end());
            std::inplace_merge(changes.begin(), changes.begin() + before, changes.end(),
                               [](const Change& a, const Change& b) { return a.order < b.order; });
        }
        std::stable_sort(changes.begin(), changes.end(),
                         [](const Change& a, const Change& b) { return a.atS < b.atS; });
        return changes;
    }

    /// What is held from an instant on, for each at which something changes, and for the beginning.
    template <typename Step>
    void eachStep(const std::vector<int>& groups, const std::vector<Change>& changes, Step step) const {
        Level level = throughout(groups);
        if (changes.empty() || changes.front().atS != 0) step(0.0, level);
        for (std::size_t next = 0; next < changes.size();) {
            const double atS = changes[next].atS;
            // All of an instant together: what leaves then makes room for what comes.
            for (; next < changes.size() && changes[next].atS == atS; ++next) {
                double& series = level[static_cast<std::size_t>(changes[next].kind)];
                series += changes[next].bytes;
                if (std::abs(series) < 1e-6 * std::abs(changes[next].bytes))
                    series = 0;  // rounding left over
            }
            step(atS, level);
        }
    }

    std::shared_ptr<const MemorySteps> stepsOf(const std::vector<int>& groups) const {
        const std::vector<Change> changes = changesOf(groups);
        auto steps = std::make_shared<MemorySteps>();
        std::size_t instants = 1;
        for (std::size_t i = 0; i < changes.size(); ++i)
            instants += i == 0 || changes[i].atS != changes[i - 1].atS;
        steps->timeS.reserve(instants);
        for (std::vector<double>& series : steps->bytes) series.reserve(instants);
        eachStep(groups, changes, [&steps](double atS, const Level& level) {
            steps->timeS.push_back(atS);
            for (std::size_t kind = 0; kind < level.size(); ++kind) steps->bytes[kind].push_back(level[kind]);
        });
        return steps;
    }

    MemoryPeak peakOf(const std::vector<int>& groups) const {
        MemoryPeak peak{0, 0, -infinity, -infinity};
        eachStep(groups, changesOf(groups), [&peak](double, const Level& level) {
            // Kinds in turn, as the curves add them up.
            double bytes = 0, heldBytes = 0;
            for (std::size_t kind = 0; kind < level.size(); ++kind) {
                bytes += level[kind];
                if (static_cast<MemoryKind>(kind) != MemoryKind::buffers) heldBytes += level[kind];
            }
            peak.bytes = std::max(peak.bytes, bytes);
            peak.heldBytes = std::max(peak.heldBytes, heldBytes);
        });
        return peak;
    }

    const CostModel& costs_;
    const Plan& plan_;
    const Timeline& timeline_;
    const std::stop_token& stop_;
    MemoryRules rules_;
    std::vector<TogetherOn> groups_;
    std::vector<std::vector<int>> byFirst_;  ///< groups by their first device
    std::uint32_t changeCount_ = 0;
};

}  // namespace

std::vector<MemoryKind> shownKinds(const std::vector<MemoryCurve>& curves) {
    std::vector<MemoryKind> kinds;
    for (int number = 0; number < memoryKindCount; ++number) {
        const MemoryKind kind = static_cast<MemoryKind>(number);
        const auto holds = [number](const MemoryCurve& curve) {
            const std::vector<double>& bytes = curve.bytes()[at(number)];
            return std::ranges::any_of(bytes, [](double held) { return held > 0; });
        };
        if (!isLeftOutWhereNone(kind) || std::ranges::any_of(curves, holds)) kinds.push_back(kind);
    }
    return kinds;
}

std::vector<MemoryCurve> memoryCurves(const CostModel& costs, const Plan& plan, const SharedStageEdges& edges,
                                      const Timeline& timeline, const std::stop_token& stop) {
    return CurveBuilder(costs, plan, edges, timeline, stop).curves();
}

std::vector<MemoryPeak> memoryPeaks(const CostModel& costs, const Plan& plan, const SharedStageEdges& edges,
                                    const Timeline& timeline, const std::stop_token& stop) {
    return CurveBuilder(costs, plan, edges, timeline, stop).peaks();
}

}  // namespace stagecraft::memory
