// V-Half and V-Min: a pattern that repeats, one microbatch after the other, and weight gradients in its gaps.
#include "core/base/indices.h"
#include "core/schedules/filled_orders.h"
#include "core/schedules/fillings.h"
#include "core/schedules/schedule_family.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

namespace stagecraft::schedules {

namespace {

constexpr int period = 6;  ///< slots between two microbatches: two chunks of three passes

/// The slots in which a rank starts the passes of the first microbatch, where all passes take one.
struct PatternSlots {
    int forward0, forward1, gradient1, gradient0;
};

PatternSlots halfSlots(int ranks, int rank) {
    const int shift = ranks % 2 == 0 ? 3 : 0;
    return {2 * rank, 3 * ranks - 2 - rank, 3 * ranks - 1 + shift + 2 * rank, 6 * ranks - 2 + shift - rank};
}

PatternSlots leastSlots(int ranks, int rank) {
    const int shift = ranks % 3 == 0 ? 2 : 0;
    return {rank, 2 * ranks - 1 - rank, 2 * ranks + shift + rank, 4 * ranks + shift - 1 - rank};
}

using SlotsOf = PatternSlots (*)(int ranks, int rank);

/// The forwards and input gradients of each rank in the order of the pattern's slots.
DeviceOrders patternPasses(const ScheduleShape& shape, SlotsOf slotsOf) {
    DeviceOrders passes;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        shape.throwIfStopped();
        const PatternSlots slots = slotsOf(shape.ranks, rank);
        const int down = rank, back = 2 * shape.ranks - 1 - rank;
        std::vector<std::pair<int, Task>> starts;
        for (int microbatch = 0; microbatch < shape.microbatches; ++microbatch) {
            const int begin = period * microbatch;
            starts.push_back({begin + slots.forward0, {TaskKind::forward, down, microbatch}});
            starts.push_back({begin + slots.forward1, {TaskKind::forward, back, microbatch}});
            starts.push_back({begin + slots.gradient1, {TaskKind::inputGradient, back, microbatch}});
            starts.push_back({begin + slots.gradient0, {TaskKind::inputGradient, down, microbatch}});
        }
        std::sort(starts.begin(), starts.end(),
                  [](const auto& a, const auto& b) { return a.first < b.first; });
        std::vector<Task>& order = passes.emplace_back();
        for (const auto& [slot, pass] : starts) order.push_back(pass);
    }
    return passes;
}

/// The shortest where all passes take as long.
DeviceOrders shortestOfEqual(ScheduleShape shape, const DeviceOrders& passes,
                             const std::vector<int>& limits) {
    shape.times.clear();
    Fillings fillings(shape, passes, limits, PassBoard::Frees::none);
    std::optional<PassBoard> best;
    for (const FillRules& rules : fillRules(shape.chunks()))
        keepBetter(best, fillings.filled(rules, makespanOf(best), 0));
    return best->take();
}

/// Those of the last pipelines, which depend on how many ranks and microbatches there are and on nothing
/// else: searches come to the same ones with one cut after the other.
class LastOfEqual {
public:
    using Orders = std::shared_ptr<const DeviceOrders>;

    Orders of(const ScheduleShape& shape, SlotsOf slotsOf, const DeviceOrders& passes,
              const std::vector<int>& limits) {
        const Key key{slotsOf, shape.ranks, shape.microbatches};
        if (Orders known = find(key)) return known;
        const auto made = std::make_shared<const DeviceOrders>(shortestOfEqual(shape, passes, limits));
        if (2LL * shape.ranks * shape.microbatches > mostMicrobatches) return made;
        const std::lock_guard lock(mutex_);
        if (last_.size() == mostKept) last_.pop_front();
        last_.push_back({key, made});
        return made;
    }

private:
    using Key = std::tuple<SlotsOf, int, int>;
    static constexpr std::size_t mostKept = 8;
    static constexpr int mostMicrobatches = 1 << 14;  ///< of all stages, of pipelines that are kept

    Orders find(const Key& key) {
        const std::lock_guard lock(mutex_);
        const auto known = std::ranges::find(last_, key, &std::pair<Key, Orders>::first);
        return known == last_.end() ? nullptr : known->second;
    }

    std::mutex mutex_;
    std::deque<std::pair<Key, Orders>> last_;
};

/// The order of the pattern with the weight gradients where they make it shortest; followed to the letter it
/// would wait at its beginning and end. Which order that is depends on how long passes take: that of equal
/// ones, for which the pattern was made, is among the candidates.
std::vector<FoundOrders> patternOrders(const ScheduleShape& shape, SlotsOf slotsOf, int mostChunks) {
    static LastOfEqual lastOfEqual;
    const DeviceOrders passes = patternPasses(shape, slotsOf);
    const std::vector<int> limits(at(shape.ranks), 2 * mostChunks);
    Fillings fillings(shape, passes, limits, PassBoard::Frees::none);
    std::optional<PassBoard> best;
    SearchedOrders others;
    for (const FillRules& rules : fillRules(shape.chunks())) {
        const std::optional<PassBoard> board = fillings.filled(rules, makespanOf(best), others.withinS());
        keepBetter(best, board);
        others.consider(board);
    }
    const std::optional<PassBoard> plain = followed(shape, *lastOfEqual.of(shape, slotsOf, passes, limits));
    keepBetter(best, plain);
    others.keep(plain);
    return others.take(std::move(*best));
}

std::vector<FoundOrders> halfFound(const ScheduleShape& shape, const ScheduleParameters&) {
    return patternOrders(shape, halfSlots, shape.ranks + (shape.ranks % 2 == 0 ? 2 : 1));
}

std::vector<FoundOrders> leastFound(const ScheduleShape& shape, const ScheduleParameters&) {
    return patternOrders(shape, leastSlots, 2 * ((shape.ranks + 1) / 3 + 1));
}

DeviceOrders halfOrders(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    return std::move(halfFound(shape, parameters).front().orders);
}

DeviceOrders leastOrders(const ScheduleShape& shape, const ScheduleParameters& parameters) {
    return std::move(leastFound(shape, parameters).front().orders);
}

}  // namespace

ScheduleFamily vHalfFamily() {
    return {.id = "v-half",
            .title = "V-Half: two chunks a device in a V, with about half of 1F1B's memory",
            .paper = "Qi et al., NeurIPS 2024, Sec. 3",
            .placement = Placement::vee,
            .backward = BackwardTasks::split,
            .deviceOrders = halfOrders,
            .found = halfFound};
}

ScheduleFamily vMinFamily() {
    return {.id = "v-min",
            .title = "V-Min: two chunks a device in a V, with about a third of 1F1B's memory",
            .paper = "Qi et al., NeurIPS 2024, Sec. 3",
            .placement = Placement::vee,
            .backward = BackwardTasks::split,
            .deviceOrders = leastOrders,
            .found = leastFound};
}

}  // namespace stagecraft::schedules
