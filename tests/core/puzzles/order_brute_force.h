#pragma once

#include "core/puzzles/puzzle_board.h"

#include <algorithm>
#include <optional>

namespace puzzle_tests {

struct BruteBest {
    int time = 1'000'000, peakHalves = 1'000'000;
};

/// Tries every order of every device, of all microbatches, and keeps the shortest, of these the one with the
/// least peak. Knows nothing of any bound; for shapes with a handful of passes.
class BruteForce {
public:
    explicit BruteForce(const stagecraft::puzzles::Puzzle& puzzle) : puzzle_(puzzle) {
        for (int device = 0; device < puzzle.devices; ++device) {
            std::vector<stagecraft::model::Task> passes;
            for (int stage = 0; stage < puzzle.stages(); ++stage)
                for (const auto kind : stagecraft::puzzles::passKindsOf(puzzle))
                    for (int microbatch = 0; microbatch < puzzle.microbatches; ++microbatch)
                        if (puzzle.deviceOf(stage) == device) passes.push_back({kind, stage, microbatch});
            choices_.emplace_back();
            permute(passes, {}, choices_.back());
        }
        orders_.resize(choices_.size());
    }
    BruteBest run() {
        choose(0);
        return best_;
    }

private:
    using Order = std::vector<stagecraft::model::Task>;

    /// Orders in which a device's own passes of a microbatch come as they depend on each other.
    void permute(Order left, const Order& taken, std::vector<Order>& all) const {
        if (left.empty()) return all.push_back(taken);
        for (std::size_t i = 0; i < left.size(); ++i) {
            const auto earlier = [&](const stagecraft::model::Task& other) {
                return other.microbatch == left[i].microbatch && other.stage == left[i].stage &&
                       other.kind < left[i].kind;
            };
            if (std::any_of(left.begin(), left.end(), earlier)) continue;
            Order rest = left, next = taken;
            next.push_back(left[i]);
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
            permute(std::move(rest), next, all);
        }
    }

    void choose(std::size_t device) {
        if (device == choices_.size()) return judge();
        for (const Order& order : choices_[device]) {
            orders_[device] = &order;
            choose(device + 1);
        }
    }

    void judge() {
        std::vector<Order> orders;
        for (const Order* order : orders_) orders.push_back(*order);
        stagecraft::puzzles::PuzzleBoard board(puzzle_);
        board.beginStep();
        if (!placeOrders(board, orders).empty()) return;
        const auto score = board.score();
        if (std::pair(score.makespan, score.peakHalves) < std::pair(best_.time, best_.peakHalves))
            best_ = {score.makespan, score.peakHalves};
    }

    stagecraft::puzzles::Puzzle puzzle_;
    std::vector<std::vector<Order>> choices_;
    std::vector<const Order*> orders_;
    BruteBest best_;
};

}  // namespace puzzle_tests
