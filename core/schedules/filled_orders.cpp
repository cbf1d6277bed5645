#include "core/schedules/filled_orders.h"

#include "core/base/indices.h"

#include <algorithm>
#include <utility>

namespace stagecraft::schedules {

namespace {

constexpr std::size_t mostOthers = 8;

}  // namespace

std::optional<PassBoard> followed(const ScheduleShape& shape, const DeviceOrders& orders) {
    PassBoard board(shape);
    std::vector<std::size_t> next(orders.size(), 0);
    for (bool moved = true; moved;) {
        moved = false;
        shape.throwIfStopped();
        for (std::size_t rank = 0; rank < orders.size(); ++rank)
            for (; next[rank] < orders[rank].size(); ++next[rank], moved = true) {
                const Task& pass = orders[rank][next[rank]];
                if (board.arrival(pass.kind, pass.stage) == infinity) break;
                board.put(pass.kind, pass.stage);
            }
    }
    if (!board.isComplete()) return std::nullopt;
    return board;
}

bool isBetter(const PassBoard& board, const PassBoard& than) {
    if (board.makespan() != than.makespan()) return board.makespan() < than.makespan();
    return board.mostIdle() < than.mostIdle();
}

void keepBetter(std::optional<PassBoard>& best, const std::optional<PassBoard>& candidate) {
    if (candidate && (!best || isBetter(*candidate, *best))) best.emplace(*candidate);
}

SearchedOrders::Entry SearchedOrders::entryOf(const PassBoard& board) {
    return {board.makespanS(), board.longestSpan(), board.orders()};
}

bool SearchedOrders::isKnown(const PassBoard& board) const {
    const auto same = [&](const Entry& entry) {
        return entry.makespanS == board.makespanS() && entry.span == board.longestSpan();
    };
    return std::any_of(others_.begin(), others_.end(), same);
}

double makespanOf(const std::optional<PassBoard>& best) { return best ? best->makespan() : infinity; }

double SearchedOrders::withinS() const {
    return others_.size() == mostOthers ? others_.back().makespanS : infinity;
}

void SearchedOrders::keep(const std::optional<PassBoard>& candidate) {
    if (candidate) kept_.push_back(entryOf(*candidate));
}

void SearchedOrders::consider(const std::optional<PassBoard>& candidate) {
    if (!candidate || candidate->makespanS() >= withinS() || isKnown(*candidate)) return;
    Entry entry = entryOf(*candidate);
    const auto after =
        std::upper_bound(others_.begin(), others_.end(), entry,
                         [](const Entry& a, const Entry& b) { return a.makespanS < b.makespanS; });
    others_.insert(after, std::move(entry));
    if (others_.size() > mostOthers) others_.pop_back();
}

std::vector<FoundOrders> SearchedOrders::take(PassBoard best) {
    std::vector<FoundOrders> found;
    const double bestS = best.makespanS();
    found.push_back({best.take(), bestS});
    for (std::vector<Entry>* entries : {&kept_, &others_})
        for (Entry& entry : *entries) found.push_back({std::move(entry.orders), entry.makespanS});
    return found;
}

}  // namespace stagecraft::schedules
