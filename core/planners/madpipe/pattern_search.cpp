#include "core/planners/madpipe/pattern_search.h"

#include "core/base/indices.h"
#include "core/planners/madpipe/least_period.h"
#include "core/planners/planning.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

namespace stagecraft::planners {

namespace {

/// In periods: by how much tasks may overlap for it to be rounding.
constexpr double overlapRounding = 1e-10;
/// Two periods closer than this are one: what a proof is worth.
constexpr double periodRounding = 1e-9;

struct Node {
    NumberRanges ranges;
    double boundS = 0;
    int depth = 0;
    long number = 0;
    int pair = -1, split = 0;  // the pair's numbers up to `split` go one way, those above the other
};

struct Later {
    bool operator()(const Node& a, const Node& b) const {
        return std::tie(b.boundS, a.depth, a.number) < std::tie(a.boundS, b.depth, b.number);
    }
};

/// sum of bytes * (constant + sum of sign * number) <= room, at one instant of one device.
struct MemoryRow {
    double constant = 0;
    std::vector<std::pair<int, double>> terms;  // pair, bytes with sign
    double room = 0;
};

std::vector<MemoryRow> memoryRows(const PatternProblem& problem, const std::vector<TaskPair>& pairs) {
    std::vector<MemoryRow> rows;
    for (const PatternProblem::Store& store : problem.stores)
        for (const PatternProblem::Held& instant : store.held) {
            MemoryRow row;
            row.room = store.roomBytes;
            std::vector<double> bytes(pairs.size(), 0);
            for (const PatternProblem::Held& held : store.held) {
                const BatchCount count = batchesAt(pairs, held, instant.forward);
                row.constant += count.constant * held.bytes;
                for (const auto& [pair, sign] : count.terms)
                    bytes[static_cast<std::size_t>(pair)] += sign * held.bytes;
            }
            for (std::size_t pair = 0; pair < bytes.size(); ++pair)
                if (bytes[pair] != 0) row.terms.emplace_back(static_cast<int>(pair), bytes[pair]);
            rows.push_back(std::move(row));
        }
    return rows;
}

}  // namespace

std::optional<TimedPattern> leastPeriodOf(const PatternProblem& problem, const std::vector<TaskPair>& pairs,
                                          const std::vector<int>& numbers) {
    LeastPeriod least(problem, pairs);
    const double periodS = least.find({numbers, numbers}, problem.busiestS());
    if (periodS == infinity) return std::nullopt;
    return TimedPattern{periodS, least.startsS()};
}

class PatternSearch::Search {
public:
    Search(const PatternProblem& problem, double belowS)
        : problem_(problem),
          pairs_(taskPairs(problem)),
          rows_(memoryRows(problem, pairs_)),
          least_(problem, pairs_),
          belowS_(belowS) {
        Node root;
        for (const TaskPair& pair : pairs_) {
            root.ranges.low.push_back(0);
            // Each task between takes at most a period and waits less than one.
            root.ranges.high.push_back(2 * (pair.second - pair.first));
        }
        root.boundS = problem.busiestS();
        if (settle(root)) next_ = std::move(root);
    }

    bool run(int nodes) {
        for (; nodes > 0 && !done(); --nodes) step();
        return done();
    }

    bool done() const { return !(openBoundS() < limitS()); }
    double openBoundS() const {
        double boundS = next_ ? next_->boundS : infinity;
        if (!open_.empty()) boundS = std::min(boundS, open_.top().boundS);
        return boundS;
    }
    double boundS() const {
        const double knownS = best_ ? best_->periodS : infinity;
        return done() ? knownS : std::min(knownS, openBoundS());
    }
    void offer(const TimedPattern& pattern) {
        if (!best_ || pattern.periodS < best_->periodS) best_ = pattern;
    }

    std::optional<TimedPattern> best_;
    long nodes_ = 0;

private:
    double limitS() const {
        return std::min(belowS_, best_ ? best_->periodS : infinity) * (1 - periodRounding);
    }

    void step() {
        if (!next_ || next_->boundS >= limitS()) {
            next_.reset();
            if (open_.empty()) return;
            next_ = open_.top();
            open_.pop();
        }
        const Node node = *std::move(next_);
        next_.reset();
        std::optional<Node> low = child(node, true), high = child(node, false);
        if (high && (!low || high->boundS < low->boundS)) std::swap(low, high);
        next_ = std::move(low);
        if (high) open_.push(*std::move(high));
    }

    std::optional<Node> child(const Node& parent, bool low) {
        Node node = parent;
        const auto pair = static_cast<std::size_t>(parent.pair);
        if (low)
            node.ranges.high[pair] = parent.split;
        else
            node.ranges.low[pair] = parent.split + 1;
        ++node.depth;
        if (!settle(node)) return std::nullopt;
        return node;
    }

    /// Works out the node's bound. False: nothing below it is wanted, or it is a pattern, which is kept.
    bool settle(Node& node) {
        node.number = ++nodes_;
        if (!tighten(node.ranges)) return false;
        node.boundS = least_.find(node.ranges, node.boundS);
        if (!(node.boundS < limitS())) return false;
        const std::vector<double>& startsS = least_.startsS();
        int widest = 0;
        node.pair = -1;
        numbers_.resize(pairs_.size());
        for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
            const auto first = static_cast<std::size_t>(pairs_[pair].first);
            const auto second = static_cast<std::size_t>(pairs_[pair].second);
            const double apart = (startsS[second] - startsS[first]) / node.boundS;
            const double lead = problem_.path[first].seconds / node.boundS;
            const double tail = problem_.path[second].seconds / node.boundS;
            const int number = std::clamp(static_cast<int>(std::floor(apart - lead + overlapRounding)),
                                          node.ranges.low[pair], node.ranges.high[pair]);
            numbers_[pair] = number;
            const double overlap = apart + tail - number - 1;
            const int width = node.ranges.high[pair] - node.ranges.low[pair];
            if (overlap <= overlapRounding || number == node.ranges.high[pair]) continue;
            if (node.pair >= 0 && width >= widest) continue;
            node.pair = static_cast<int>(pair);
            node.split = number;
            widest = width;
        }
        if (node.pair < 0) findExcess(node);
        if (node.pair >= 0) return true;
        keep(node);
        return false;
    }

    /// Memory bounds the numbers that it counts. False: not even the lowest fit.
    bool tighten(NumberRanges& ranges) const {
        for (const MemoryRow& row : rows_) {
            double least = row.constant;
            for (const auto& [pair, bytes] : row.terms) {
                const auto at = static_cast<std::size_t>(pair);
                least += bytes * (bytes > 0 ? ranges.low[at] : ranges.high[at]);
            }
            if (least > row.room) return false;
            for (const auto& [pair, bytes] : row.terms) {
                const auto at = static_cast<std::size_t>(pair);
                const double most = std::floor((row.room - least) / std::abs(bytes));
                if (most >= ranges.high[at] - ranges.low[at]) continue;
                if (bytes > 0)
                    ranges.high[at] = ranges.low[at] + static_cast<int>(most);
                else
                    ranges.low[at] = ranges.high[at] - static_cast<int>(most);
            }
        }
        return true;
    }

    /// The first instant that stores too much, and a number that could be another.
    void findExcess(Node& node) const {
        for (const MemoryRow& row : rows_) {
            double bytesThen = row.constant;
            for (const auto& [pair, bytes] : row.terms)
                bytesThen += bytes * numbers_[static_cast<std::size_t>(pair)];
            if (bytesThen <= row.room) continue;
            for (const auto& [pair, bytes] : row.terms) {
                const auto at = static_cast<std::size_t>(pair);
                const int number = numbers_[at];
                if (bytes > 0 ? number == node.ranges.low[at] : number == node.ranges.high[at]) continue;
                node.pair = pair;
                node.split = bytes > 0 ? number - 1 : number;
                return;
            }
        }
    }

    void keep(const Node& node) {
        TimedPattern pattern{node.boundS, least_.startsS()};
        if (whyNoPattern(problem_, pattern).empty()) offer(pattern);
    }

    const PatternProblem& problem_;
    const std::vector<TaskPair> pairs_;
    const std::vector<MemoryRow> rows_;
    LeastPeriod least_;
    const double belowS_;
    std::optional<Node> next_;
    std::priority_queue<Node, std::vector<Node>, Later> open_;
    std::vector<int> numbers_;  // of the pairs, in the starts last looked at
};

PatternSearch::PatternSearch(const PatternProblem& problem, double belowS)
    : search_(std::make_unique<Search>(problem, belowS)) {}
PatternSearch::~PatternSearch() = default;
bool PatternSearch::run(int nodes) { return search_->run(nodes); }
bool PatternSearch::done() const { return search_->done(); }
const std::optional<TimedPattern>& PatternSearch::best() const { return search_->best_; }
double PatternSearch::boundS() const { return search_->boundS(); }
void PatternSearch::offer(const TimedPattern& pattern) { search_->offer(pattern); }
long PatternSearch::nodes() const { return search_->nodes_; }

}  // namespace stagecraft::planners
