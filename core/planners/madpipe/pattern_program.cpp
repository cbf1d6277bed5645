#include "core/planners/madpipe/pattern_program.h"

#include "core/planners/madpipe/pattern_search.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>

namespace stagecraft::planners {

namespace {

std::string digits(double number) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", number);
    return text;
}

/// One row: sums of "+ 2 x"; LP lines may not be long.
class Row {
public:
    Row& add(double factor, const std::string& name) {
        text_ << (factor < 0 ? " - " : " + ") << digits(std::abs(factor)) << " " << name;
        if (++terms_ % 8 == 0) text_ << "\n ";
        return *this;
    }
    std::string bounded(const char* sense, double by) const {
        return text_.str() + " " + sense + " " + digits(by) + "\n";
    }

private:
    std::ostringstream text_;
    int terms_ = 0;
};

class ProgramText {
public:
    explicit ProgramText(const PatternProblem& problem)
        : problem_(problem), pairs_(taskPairs(problem)), unitS_(problem.busiestS()) {}

    std::string text(double belowS) {
        std::ostringstream text;
        text << "Maximize\n obj: L\nSubject To\n";
        // Input first, and no wait of a period or more: the task could run a batch earlier.
        for (int task = 0; task + 1 < problem_.tasks(); ++task)
            for (const auto& [sense, wait] : {std::pair(">=", 0), std::pair("<=", 1)})
                text << Row()
                            .add(1, time(task + 1))
                            .add(1, shift(task + 1))
                            .add(-1, time(task))
                            .add(-1, shift(task))
                            .add(-length(task), "L")
                            .bounded(sense, wait);
        for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
            const auto [first, second] = pairs_[pair];
            text << Row()
                        .add(1, time(second))
                        .add(-1, time(first))
                        .add(-length(first), "L")
                        .add(-1, before(pair))
                        .bounded(">=", -1);
            text << Row()
                        .add(1, time(first))
                        .add(-1, time(second))
                        .add(-length(second), "L")
                        .add(1, before(pair))
                        .bounded(">=", 0);
        }
        for (const PatternProblem::Store& store : problem_.stores)
            for (const PatternProblem::Held& instant : store.held) text << memoryRow(store, instant);
        text << "Bounds\n " << digits(unitS_ / std::min(belowS, problem_.sequentialS())) << " <= L <= 1\n";
        for (int task = 0; task < problem_.tasks(); ++task)
            text << " 0 <= " << time(task) << " <= " << (task == 0 ? 0 : 1) << "\n 0 <= " << shift(task)
                 << " <= " << (task == 0 ? 0 : 2 * task) << "\n";
        for (std::size_t pair = 0; pair < pairs_.size(); ++pair)
            text << " 0 <= " << before(pair) << " <= 1\n";
        text << "Generals\n";
        for (int task = 0; task < problem_.tasks(); ++task) text << " " << shift(task) << "\n";
        for (std::size_t pair = 0; pair < pairs_.size(); ++pair) text << " " << before(pair) << "\n";
        text << "End\n";
        return text.str();
    }

private:
    static std::string time(int task) { return "t" + std::to_string(task); }
    static std::string shift(int task) { return "h" + std::to_string(task); }
    static std::string before(std::size_t pair) { return "z" + std::to_string(pair); }
    double length(int task) const { return problem_.path[static_cast<std::size_t>(task)].seconds / unitS_; }

    /// Adds `factor` if `first` starts before `second` in the period; gives what to take off the right side.
    double addBefore(Row& row, double factor, int first, int second) const {
        if (first == second) return factor;
        for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
            if (pairs_[pair] == TaskPair{first, second}) {
                row.add(factor, before(pair));
                return 0;
            }
            if (pairs_[pair] == TaskPair{second, first}) {
                row.add(-factor, before(pair));
                return factor;
            }
        }
        return 0;
    }

    /// When a forward starts, a stage stores as many batches as its forwards have started, its backwards not
    /// ended: h_B - h_F, one more if its own forward of the period has started, one less if its backward has.
    std::string memoryRow(const PatternProblem::Store& store, const PatternProblem::Held& instant) const {
        Row row;
        // A number of batches is exact where a share of the room would round.
        const bool alone = store.held.size() == 1;
        double room = 1 + 1e-9;
        if (alone) {
            // Without activations nothing bounds their number.
            if (!(instant.bytes > 0)) return store.roomBytes < 0 ? impossible() : "";
            room = std::floor(store.roomBytes / instant.bytes);
        } else if (!(store.roomBytes > 0)) {
            return impossible();
        }
        for (const PatternProblem::Held& held : store.held) {
            const double share = alone ? 1 : held.bytes / store.roomBytes;
            if (share == 0) continue;
            row.add(share, shift(held.backward)).add(-share, shift(held.forward));
            room -= addBefore(row, share, held.forward, instant.forward);
            room -= addBefore(row, -share, held.backward, instant.forward);
        }
        return row.bounded("<=", room);
    }

    static std::string impossible() { return Row().add(1, "L").bounded("<=", 0); }

    const PatternProblem& problem_;
    const std::vector<TaskPair> pairs_;
    const double unitS_;
};

int whole(const std::map<std::string, double>& values, const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? 0 : static_cast<int>(std::lround(found->second));
}

}  // namespace

std::string patternProgram(const PatternProblem& problem, double belowS) {
    return ProgramText(problem).text(belowS);
}

double periodOfObjective(const PatternProblem& problem, double objective) {
    return objective > 0 ? problem.busiestS() / objective : std::numeric_limits<double>::infinity();
}

std::optional<TimedPattern> patternOfSolution(const PatternProblem& problem,
                                              const std::map<std::string, double>& values) {
    const std::vector<TaskPair> pairs = taskPairs(problem);
    std::vector<int> numbers;
    for (std::size_t pair = 0; pair < pairs.size(); ++pair)
        numbers.push_back(whole(values, "h" + std::to_string(pairs[pair].second)) -
                          whole(values, "h" + std::to_string(pairs[pair].first)) +
                          whole(values, "z" + std::to_string(pair)) - 1);
    std::optional<TimedPattern> pattern = leastPeriodOf(problem, pairs, numbers);
    if (pattern && !whyNoPattern(problem, *pattern).empty()) return std::nullopt;
    return pattern;
}

}  // namespace stagecraft::planners
