#include "core/experiments/claims.h"

#include "core/base/enum_names.h"
#include "core/experiments/printed.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace stagecraft::experiments {

namespace {

/// Which numbers there are, or why there are none.
struct Numbers {
    std::vector<ClaimNumber> found;
    std::string undecided;     ///< a cell that was not run, or went wrong
    std::string missing;       ///< a cell that has no plan
    bool lacksMetric = false;  ///< a cell with a plan has not what is asked for
};

std::string shortNumber(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", number);
    return text;
}

class Reader {
public:
    Reader(const Grid& grid, const std::vector<CellResult>& cells, const Claim& claim)
        : grid_(grid), cells_(cells), claim_(claim) {}

    Numbers read() {
        const Experiment& experiment = grid_.experiment();
        step_ = resolutionOf(grid_, claim_.metric);
        planner_ = indexOf(claim_.planner);
        along_ = experiment.axes.size();
        for (std::size_t axis = 0; axis < experiment.axes.size(); ++axis)
            if (experiment.axes[axis].name == claim_.along) along_ = axis;
        for (std::size_t point = 0; point < grid_.pointCount(); ++point)
            if (taken(point)) readAt(point);
        return std::move(numbers_);
    }

private:
    std::size_t indexOf(const std::string& label) const {
        const auto& planners = grid_.experiment().planners;
        const auto found = std::find_if(planners.begin(), planners.end(),
                                        [&](const AskedPlanner& asked) { return asked.label == label; });
        return static_cast<std::size_t>(found - planners.begin());
    }

    bool taken(std::size_t point) const {
        const std::vector<std::size_t> at = grid_.coordinates(point);
        for (std::size_t axis = 0; axis < at.size(); ++axis)
            for (const AxisFilter& filter : claim_.where)
                if (filter.axis == grid_.experiment().axes[axis].name &&
                    !filter.takes(grid_.experiment().axes[axis].values[at[axis]]))
                    return false;
        return true;
    }

    std::optional<double> valueAt(std::size_t point, std::size_t planner) {
        return valueAt(point, planner, claim_.metric);
    }

    std::optional<double> valueAt(std::size_t point, std::size_t planner, const std::string& metric) {
        const CellResult& cell = cells_[grid_.cellOf(point, planner)];
        const std::string where = grid_.experiment().planners[planner].label + " at " + grid_.describe(point);
        if (cell.status == CellStatus::open || cell.status == CellStatus::failed) {
            if (numbers_.undecided.empty())
                numbers_.undecided = where + (cell.status == CellStatus::open ? " was not run yet"
                                                                              : " failed: " + cell.reason);
            return std::nullopt;
        }
        const auto value = cell.status == CellStatus::ok ? cell.metric(metric) : std::nullopt;
        if (!value && cell.status == CellStatus::ok) numbers_.lacksMetric = true;
        if (!value && numbers_.missing.empty())
            numbers_.missing =
                where + (cell.status == CellStatus::ok ? " has no " + metric
                                                       : " is " + std::string(statusName(cell.status)));
        return value;
    }

    void add(std::size_t point, std::optional<double> over, std::optional<double> under) {
        if (over && under)
            numbers_.found.push_back({point, *over / *under, stepAt(point) / std::abs(*under)});
    }

    /// By how much one sample or one epoch moves the planner's metric there.
    double stepAt(std::size_t point) const {
        if (claim_.metric != timeToTarget) return step_;
        return cells_[grid_.cellOf(point, planner_)].metric(epochSeconds).value_or(0);
    }

    /// The values along the axis for which a claim is about the run that starts at this point.
    std::vector<std::size_t> runFrom(std::size_t point) const {
        std::vector<std::size_t> at = grid_.coordinates(point), run;
        for (std::size_t i = 0; i < grid_.experiment().axes[along_].values.size(); ++i) {
            at[along_] = i;
            if (taken(grid_.pointAt(at))) run.push_back(grid_.pointAt(at));
        }
        return run;
    }

    void readAt(std::size_t point) {
        switch (claim_.kind) {
            case ClaimKind::value:
                if (const auto value = valueAt(point, planner_))
                    numbers_.found.push_back({point, *value, stepAt(point)});
                return;
            case ClaimKind::ratio:
            case ClaimKind::difference:
                return readComparison(point);
            case ClaimKind::change:
                return readChange(point);
            case ClaimKind::spread:
                return readSpread(point);
            case ClaimKind::step:
                return readStep(point);
        }
    }

    void readComparison(std::size_t point) {
        const auto own = valueAt(point, planner_);
        std::optional<double> least;
        for (const std::string& label : claim_.against) {
            const auto other =
                valueAt(point, indexOf(label), claim_.overMetric.empty() ? claim_.metric : claim_.overMetric);
            if (!other) return;
            least = least ? std::min(*least, *other) : *other;
        }
        if (claim_.kind == ClaimKind::ratio) return add(point, own, least);
        if (own && least) numbers_.found.push_back({point, *own - *least, stepAt(point)});
    }

    void readChange(std::size_t point) {
        const Axis& axis = grid_.experiment().axes[along_];
        std::vector<std::size_t> at = grid_.coordinates(point);
        if (axis.values[at[along_]].label != claim_.to) return;
        for (std::size_t i = 0; i < axis.values.size(); ++i)
            if (axis.values[i].label == claim_.from) at[along_] = i;
        const std::size_t before = claim_.against.empty() ? planner_ : indexOf(claim_.against.front());
        add(point, valueAt(point, planner_), valueAt(grid_.pointAt(at), before));
    }

    void readSpread(std::size_t point) {
        const std::vector<std::size_t> run = runFrom(point);
        if (run.front() != point) return;
        std::optional<double> least, most;
        for (const std::size_t one : run) {
            const auto value = valueAt(one, planner_);
            if (!value) return;
            least = least ? std::min(*least, *value) : *value;
            most = most ? std::max(*most, *value) : *value;
        }
        add(point, most, least);
    }

    void readStep(std::size_t point) {
        const std::vector<std::size_t> run = runFrom(point);
        const auto here = std::find(run.begin(), run.end(), point);
        if (here != run.begin()) add(point, valueAt(point, planner_), valueAt(*std::prev(here), planner_));
    }

    const Grid& grid_;
    const std::vector<CellResult>& cells_;
    const Claim& claim_;
    std::size_t planner_ = 0, along_ = 0;
    double step_ = 0;  // resolutionOf() the metric
    Numbers numbers_;
};

/// By how much a number has to be beyond a bound to be more, or less, than it and not just rounded.
double beyond(double bound) {
    constexpr double rounding = 1e-6, roundingOfNought = 1e-9;
    return bound == 0 ? roundingOfNought : rounding * std::abs(bound);
}

bool within(const Claim& claim, double number) {
    if (!claim.strict) return number >= claim.atLeast && number <= claim.atMost;
    return (std::isinf(claim.atLeast) || number > claim.atLeast + beyond(claim.atLeast)) &&
           (std::isinf(claim.atMost) || number < claim.atMost - beyond(claim.atMost));
}

/// How far the number is outside of the bounds; negative inside.
double excess(const Claim& claim, double number) {
    return std::max(claim.atLeast - number, number - claim.atMost);
}

std::string wanted(const Claim& claim) {
    std::string text;
    if (std::isfinite(claim.atLeast))
        text += (claim.strict ? "above " : "at least ") + shortNumber(claim.atLeast);
    if (std::isfinite(claim.atMost))
        text += (text.empty() ? "" : " and ") + std::string(claim.strict ? "below " : "at most ") +
                shortNumber(claim.atMost);
    return text;
}

/// The number that decides: for every the worst, for some the best, the largest, the least, else the mean or
/// the share.
double aggregate(const Claim& claim, const std::vector<ClaimNumber>& numbers, const ClaimNumber** at) {
    const auto further = [&](const ClaimNumber& a, const ClaimNumber& b) {
        return excess(claim, a.number) < excess(claim, b.number);
    };
    const auto smaller = [](const ClaimNumber& a, const ClaimNumber& b) { return a.number < b.number; };
    double sum = 0;
    switch (claim.aggregate) {
        case ClaimAggregate::every:
            *at = &*std::max_element(numbers.begin(), numbers.end(), further);
            return (*at)->number;
        case ClaimAggregate::some:
            *at = &*std::min_element(numbers.begin(), numbers.end(), further);
            return (*at)->number;
        case ClaimAggregate::largest:
            *at = &*std::max_element(numbers.begin(), numbers.end(), smaller);
            return (*at)->number;
        case ClaimAggregate::least:
            *at = &*std::min_element(numbers.begin(), numbers.end(), smaller);
            return (*at)->number;
        case ClaimAggregate::geometricMean:
            for (const ClaimNumber& one : numbers) sum += std::log(one.number);
            return std::exp(sum / static_cast<double>(numbers.size()));
        case ClaimAggregate::mean: {
            double size = 0;
            for (const ClaimNumber& one : numbers) sum += one.number, size += std::abs(one.number);
            // Differences that cancel out leave their rounding.
            return std::abs(sum) < 1e-12 * size ? 0 : sum / static_cast<double>(numbers.size());
        }
        case ClaimAggregate::share:
            for (const ClaimNumber& one : numbers) sum += one.number <= claim.shareAtMost ? 1 : 0;
            return sum / static_cast<double>(numbers.size());
    }
    return 0;
}

/// So many standard errors a number has to be away from a bound.
constexpr double errorsToDecide = 2;

/// The verdict on a number that is within some range in all likelihood.
Verdict verdictOn(const Claim& claim, double low, double high) {
    if (within(claim, low) && within(claim, high)) return Verdict::holds;
    if (low == high) return Verdict::fails;
    return high < claim.atLeast || low > claim.atMost ? Verdict::fails : Verdict::undecided;
}

/// @param text what the number is, to which it is added how sure it is
void decide(const Claim& claim, const std::optional<Noise>& noise, Judgement& judgement, std::string& text) {
    double low = judgement.number, high = low;
    if (noise) {
        judgement.seeds = noise->seeds;
        if (noise->seeds < 2) {
            text += " from one seed";
            return;
        }
        const double reach = errorsToDecide * noise->standardError;
        const bool logarithmic = claim.aggregate == ClaimAggregate::geometricMean;
        low = logarithmic ? low * std::exp(-reach) : low - reach;
        high = logarithmic ? high * std::exp(reach) : high + reach;
        judgement.standardError = noise->standardError * (logarithmic ? judgement.number : 1);
        text += " (standard error " + shortNumber(*judgement.standardError) + " over " +
                std::to_string(noise->seeds) + " seeds)";
    }
    judgement.verdict = verdictOn(claim, low, high);
}

constexpr EnumName<Verdict> verdictNames[] = {
    {Verdict::holds, "holds"}, {Verdict::fails, "fails"}, {Verdict::undecided, "undecided"}};

Judgement verdictFrom(const Grid& grid, const std::vector<CellResult>& cells, const Claim& claim) {
    Numbers numbers = Reader(grid, cells, claim).read();
    Judgement judgement;
    judgement.numbers = std::move(numbers.found);
    if (!numbers.undecided.empty()) {
        judgement.because = numbers.undecided;
        return judgement;
    }
    if (!numbers.missing.empty() && claim.aggregate == ClaimAggregate::every) {
        judgement.verdict = Verdict::fails;
        judgement.because = numbers.missing;
        return judgement;
    }
    if (judgement.numbers.empty()) {
        judgement.because = numbers.missing.empty() ? "no point is taken" : numbers.missing;
        return judgement;
    }
    const ClaimNumber* at = nullptr;
    judgement.number = aggregate(claim, judgement.numbers, &at);
    const std::string count = std::to_string(judgement.numbers.size());
    const char* kind = claim.aggregate == ClaimAggregate::geometricMean ? "geometric mean "
                       : claim.aggregate == ClaimAggregate::mean        ? "mean "
                       : claim.aggregate == ClaimAggregate::share       ? "share "
                       : claim.aggregate == ClaimAggregate::some        ? "best "
                       : claim.aggregate == ClaimAggregate::largest     ? "largest "
                       : claim.aggregate == ClaimAggregate::least       ? "least "
                                                                        : "worst ";
    judgement.because = kind + shortNumber(judgement.number);
    decide(claim, noiseOf(grid, claim, judgement.numbers, at), judgement, judgement.because);
    judgement.because += " of " + count + (judgement.numbers.size() == 1 ? " point" : " points") + "; the claim: " + wanted(claim);
    if (at && judgement.numbers.size() > 1) judgement.because += ": at " + grid.describe(at->point);
    if (judgement.verdict == Verdict::undecided)
        judgement.because += judgement.seeds < 2 ? "; noise shows only over two seeds or more"
                                                 : "; a bound is nearer than two standard errors";
    if (!numbers.missing.empty()) judgement.because += "; left out: " + numbers.missing;
    return judgement;
}

std::string printedText(const PrintedRange& printed) {
    return shortNumber(printed.least) +
           (printed.most > printed.least ? " to " + shortNumber(printed.most) : "");
}

/// Adds the source's own number. @param printed printedCells() of the grid
void addPrinted(const Grid& grid, const std::vector<CellResult>& printed, const Claim& claim,
                Judgement& judgement) {
    if (claim.printed) {
        judgement.printed = claim.printed;
    } else if (!grid.experiment().printed.empty()) {
        Numbers own = Reader(grid, printed, claim).read();
        // Some of what the claim is about is not printed.
        if (!own.undecided.empty() || own.lacksMetric || own.found.empty()) return;
        const ClaimNumber* at = nullptr;
        const double number = aggregate(claim, own.found, &at);
        judgement.printed = {number, number};
        judgement.printedNumbers = std::move(own.found);
    }
    if (judgement.printed) judgement.because += "; printed " + printedText(*judgement.printed);
}

}  // namespace

const char* verdictName(Verdict verdict) { return nameOf(verdictNames, verdict); }

Judgement judge(const Grid& grid, const std::vector<CellResult>& cells, const Claim& claim) {
    Judgement judgement = verdictFrom(grid, cells, claim);
    addPrinted(grid, printedCells(grid), claim, judgement);
    return judgement;
}

std::vector<Judgement> judgeAll(const Grid& grid, const std::vector<CellResult>& cells) {
    const std::vector<CellResult> printed = printedCells(grid);
    std::vector<Judgement> judgements;
    for (const Claim& claim : grid.experiment().claims) {
        judgements.push_back(verdictFrom(grid, cells, claim));
        addPrinted(grid, printed, claim, judgements.back());
    }
    return judgements;
}

std::string countOfVerdicts(const std::vector<Judgement>& judgements) {
    const auto count = [&](Verdict verdict) {
        return std::count_if(judgements.begin(), judgements.end(),
                             [&](const Judgement& judgement) { return judgement.verdict == verdict; });
    };
    const auto undecided = count(Verdict::undecided);
    return std::to_string(count(Verdict::holds)) + " of " + std::to_string(judgements.size()) +
           " claims hold" + (undecided > 0 ? ", " + std::to_string(undecided) + " undecided" : "");
}

}  // namespace stagecraft::experiments
