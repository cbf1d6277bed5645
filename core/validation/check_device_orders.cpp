#include "core/validation/checks.h"
#include "core/validation/pass_turns.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace stagecraft::validation {

namespace {

/// A family that orders devices and not stages, by what it promises: where stages are, and how many passes of
/// a chunk a device has begun and not finished at any time.
struct Promise {
    /// The device, counted from 0 in the order of the first stages, that holds stage s of all copies
    /// together.
    int (*deviceOf)(int s, int devices) = nullptr;
    int copies = 1;
    /// @param chunks stages a device; @param position of the device
    /// @param set what the plan sets of the family's one parameter that counts, or 0
    int (*inFlight)(int devices, int chunks, int microbatches, int position, int set) = nullptr;
    /// The input gradient counts for one half, the weight gradient for the other.
    bool inHalves = false;
};

constexpr const char* groupName = "group";
constexpr const char* limitName = "limit";
constexpr const char* slicesName = "slices";
constexpr const char* warmUpName = "warm_up";

int inOrder(int s, int) { return s; }
int roundTheRing(int s, int devices) { return s % devices; }
int downAndBack(int s, int devices) { return s < devices ? s : 2 * devices - 1 - s; }

/// Unless set: of the microbatches in as many groups as hold p each, as equally as they can be.
int longestGroup(int devices, int microbatches, int set) {
    const int groups = std::max(1, microbatches / devices);
    return set > 0 ? set : (microbatches + groups - 1) / groups;
}

std::optional<Promise> promiseOf(const std::string& family) {
    if (family == "interleaved")
        return Promise{roundTheRing, 1, [](int p, int chunks, int m, int position, int set) {
                           return std::min(m * chunks, 2 * (p - 1 - position) +
                                                           (chunks - 1) * longestGroup(p, m, set) + 1);
                       }};
    // One more than without overlap: a pair holds both of its microbatches.
    if (family == "1f1b-overlap")
        return Promise{inOrder, 1, [](int p, int, int m, int position, int) {
                           return std::min(m, 2 * (p - 1 - position) + 2);
                       }};
    if (family == "interleaved-overlap")
        return Promise{roundTheRing, 1, [](int p, int chunks, int m, int position, int set) {
                           return std::min(m * chunks,
                                           2 * (p - position) + (chunks - 1) * longestGroup(p, m, set));
                       }};
    // As many on every device: whoever begins fewer ahead keeps more weight gradients back.
    if (family == "interleaved-zb")
        return Promise{roundTheRing, 1, [](int p, int chunks, int m, int, int set) {
                           return std::min(m * chunks, p + (chunks - 1) * longestGroup(p, m, set));
                       }};
    if (family == "breadth-first")
        return Promise{roundTheRing, 1, [](int, int chunks, int m, int, int) { return m * chunks; }};
    if (family == "zb-h1")
        return Promise{inOrder, 1, [](int p, int, int m, int, int) { return std::min(m, p); }};
    if (family == "zb-h2")
        return Promise{inOrder, 1, [](int p, int, int m, int, int set) {
                           return std::min(m, (set > 0 ? set : 2) * (p - 1) + 1);
                       }};
    if (family == "zb-search")
        return Promise{inOrder, 1,
                       [](int p, int, int m, int, int set) { return std::min(m, set > 0 ? set : p); }, true};
    if (family == "zb-v")
        return Promise{downAndBack, 1, [](int p, int, int m, int, int) { return std::min(2 * m, 2 * p); },
                       true};
    if (family == "v-half")
        return Promise{downAndBack, 1, [](int p, int, int m, int, int) {
                           return std::min(2 * m, p % 2 == 0 ? p + 2 : p + 1);
                       }};
    if (family == "v-min")
        return Promise{downAndBack, 1,
                       [](int p, int, int m, int, int) { return std::min(2 * m, (p + 1) / 3 * 2 + 2); }};
    // What it evicts is still in flight.
    if (family == "bpipe")
        return Promise{inOrder, 1,
                       [](int p, int, int m, int position, int) { return std::min(m, p - position); }};
    // In slices.
    if (family == "seq1f1b")
        return Promise{inOrder, 1, [](int p, int, int m, int position, int set) {
                           const int slices = std::max(1, set);
                           return std::min(m * slices, p - 1 - position + slices);
                       }};
    // DualPipe on two copies: each of them has chunks of its own on every device.
    if (family == "dualpipe")
        return Promise{downAndBack, 2, [](int p, int, int, int, int) { return p + 1; }, true};
    if (family == "dualpipe-v")
        return Promise{downAndBack, 1, [](int p, int, int, int, int) { return 2 * p + 1; }, true};
    if (family == "chimera")
        return Promise{downAndBack, 2, [](int p, int, int, int position, int) {
                           return p / 2 + 1 + std::min(position, p - 1 - position);
                       }};
    return std::nullopt;
}

class DeviceOrderCheck {
public:
    DeviceOrderCheck(const Context& context, const FamilySchedule& policy, const Promise& promise)
        : context_(context), policy_(policy), promise_(promise) {}

    void run() {
        if (!isPlaced()) return;
        for (int stage = 0; stage < context_.stageCount(); ++stage)
            for (const BlockKind kind : {BlockKind::forward, BlockKind::backward, BlockKind::weightGradient})
                checkAscending(stage, kind);
        for (const Lane& lane : context_.timeline.lanes)
            if (lane.kind == LaneKind::compute) checkInFlight(lane);
        const auto deviates = policy_.parameters.find("deviate");
        const TurnOf turnOf =
            turnsOf(policy_.name, deviates != policy_.parameters.end() && deviates->second > 0);
        if (!turnOf) return;
        const int groups = promise_.copies > 1 ? 1 : context_.facts.pipelines;
        for (int copy = 0; copy < groups; ++copy) checkTurns(stagesOf(copy), turnOf);
    }

private:
    const StageFacts& facts(int stage) const {
        return context_.facts.stages[static_cast<std::size_t>(stage)];
    }

    /// The stages of copy `copy`, or of all where the family is of several together.
    std::vector<int> stagesOf(int copy) const {
        std::vector<int> stages;
        for (int stage = 0; stage < context_.stageCount(); ++stage)
            if (promise_.copies > 1 || facts(stage).pipeline == copy) stages.push_back(stage);
        return stages;
    }

    bool isPlaced() {
        places_.resize(context_.facts.stages.size());
        const int groups = promise_.copies > 1 ? 1 : context_.facts.pipelines;
        for (int copy = 0; copy < groups; ++copy) {
            const std::vector<int> stages = stagesOf(copy);
            std::map<std::vector<int>, int> positions;  // by devices, in the order of the first stages
            for (const int stage : stages)
                positions.emplace(sorted(facts(stage).devices), static_cast<int>(positions.size()));
            const int devices = static_cast<int>(positions.size());
            for (int s = 0; s < static_cast<int>(stages.size()); ++s) {
                const int stage = stages[static_cast<std::size_t>(s)];
                const int position = positions.at(sorted(facts(stage).devices));
                places_[static_cast<std::size_t>(stage)] = {
                    devices, static_cast<int>(stages.size()) / devices, position};
                const bool ownCopy = promise_.copies == 1 || facts(stage).pipeline == s / devices;
                if (ownCopy && position == promise_.deviceOf(s, devices)) continue;
                context_.report.add(Rule::orderRespected, noBlock, [&] {
                    return "Stage " + std::to_string(stage) + " is not where " + policy_.name +
                           " places it among " + std::to_string(devices) + " devices.";
                });
                return false;
            }
        }
        return true;
    }

    /// The passes of a kind on a stage are counted in the order in which they come, over all iterations: the
    /// slices of a microbatch come back last first.
    std::uint32_t passInTurn(BlockKind kind, int stage, int entry) const {
        const int count = context_.facts.passesOf(stage), slices = context_.facts.slices;
        const int ordinal = entry % count, slice = ordinal % slices;
        return context_.index.block(
            kind, stage, entry / count,
            kind == BlockKind::forward ? ordinal : ordinal - slice + slices - 1 - slice);
    }

    void checkAscending(int stage, BlockKind kind) {
        const int count = context_.facts.passesOf(stage);
        for (int entry = 1; entry < count * context_.index.iterations(); ++entry) {
            const std::uint32_t before = passInTurn(kind, stage, entry - 1),
                                block = passInTurn(kind, stage, entry);
            if (before == noBlock || block == noBlock) continue;
            if (!isBefore(context_.start(block), context_.start(before))) continue;
            context_.report.add(Rule::orderRespected, block, [&] {
                return "The " + context_.name(block) + " starts at " + seconds(context_.start(block)) +
                       ", before the " + context_.name(before) + "; " + policy_.name +
                       " has the passes of a stage in ascending order.";
            });
        }
    }

    /// Each device runs its passes in the order of their turns.
    /// @param stages that are ordered together
    void checkTurns(const std::vector<int>& stages, TurnOf turnOf) {
        std::map<int, std::vector<int>> held;  // by position of the device
        for (const int stage : stages)
            held[places_[static_cast<std::size_t>(stage)].position].push_back(stage);
        for (const auto& [position, own] : held) {
            const Place& place = places_[static_cast<std::size_t>(own.front())];
            const int passes = context_.facts.passesOf(own.front()), slices = context_.facts.slices;
            const OrderedDevice device{place.devices,
                                       place.chunks,
                                       promise_.copies > 1 ? context_.facts.microbatches : passes / slices,
                                       position,
                                       slices,
                                       setting()};
            std::vector<std::tuple<Turn, BlockKind, int, int>> turns;  // with kind, stage and number
            for (std::size_t chunk = 0; chunk < own.size(); ++chunk)
                for (int number = 0; number < context_.facts.passesOf(own[chunk]); ++number)
                    for (const BlockKind kind :
                         {BlockKind::forward, BlockKind::backward, BlockKind::weightGradient})
                        turns.emplace_back(turnOf(device, kind, static_cast<int>(chunk), number), kind,
                                           own[chunk], number);
            std::sort(turns.begin(), turns.end());
            std::uint32_t last = noBlock;
            for (int iteration = 0; iteration < context_.index.iterations(); ++iteration)
                for (const auto& [turn, kind, stage, number] : turns) {
                    const std::uint32_t next =
                        passInTurn(kind, stage, iteration * context_.facts.passesOf(stage) + number);
                    if (next == noBlock) continue;
                    context_.requireOrder(policy_.name, last, next);
                    last = next;
                }
        }
    }

    /// What the plan sets of the parameter that a promise counts with.
    int setting() const {
        for (const char* name : {groupName, limitName, slicesName, warmUpName})
            if (const auto found = policy_.parameters.find(name);
                found != policy_.parameters.end() && found->second >= 1)
                return static_cast<int>(std::min(found->second, 1e6));
        return 0;
    }

    /// In halves of a pass.
    int change(BlockKind kind) const {
        if (kind == BlockKind::forward) return 2;
        if (kind == BlockKind::backward) return -2;
        if (kind == BlockKind::weightGradient) return promise_.inHalves ? -1 : -2;
        return kind == BlockKind::inputGradient && promise_.inHalves ? -1 : 0;
    }

    void checkInFlight(const Lane& lane) {
        std::optional<int> most;
        int halves = 0;
        for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
            const BlockKind kind = context_.timeline.kind[block];
            halves += change(kind == BlockKind::pair ? BlockKind::forward : kind);
            if (kind != BlockKind::forward && kind != BlockKind::pair) continue;
            if (!most) {
                const int stage = context_.timeline.stage[block];
                const Place& place = places_[static_cast<std::size_t>(stage)];
                const int microbatches = promise_.copies > 1
                                             ? context_.facts.microbatches
                                             : context_.facts.passesOf(stage) / context_.facts.slices;
                most =
                    promise_.inFlight(place.devices, place.chunks, microbatches, place.position, setting());
            }
            const int held = halves;
            // A pair holds both of its microbatches until its end.
            if (kind == BlockKind::pair) halves += change(BlockKind::backward);
            if (held <= 2 * *most) continue;
            context_.report.add(Rule::orderRespected, block, [&] {
                return "With the " + context_.name(block) + " at " + seconds(context_.start(block)) + " " +
                       deviceNames(context_.problem, lane.devices) + " has " + std::to_string(held / 2) +
                       (held % 2 != 0 ? " and a half" : "") + " passes of a chunk in flight; " +
                       policy_.name + " has " + std::to_string(*most) + " at most there.";
            });
        }
    }

    const Context& context_;
    const FamilySchedule& policy_;
    const Promise& promise_;
    struct Place {
        int devices = 1, chunks = 1;  ///< of its copy; stages on each
        int position = 0;             ///< of its device
    };
    std::vector<Place> places_;  ///< by stage
};

}  // namespace

void checkDeviceOrders(const Context& context, const FamilySchedule& policy) {
    if (const std::optional<Promise> promise = promiseOf(policy.name))
        DeviceOrderCheck(context, policy, *promise).run();
}

}  // namespace stagecraft::validation
