#include "core/experiments/levels.h"

#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/experiments/printed.h"

#include <algorithm>
#include <set>

namespace stagecraft::experiments {

namespace {

/// "SPP at model vgg-19, iteration_time_s"
std::string cellText(const Grid& grid, std::size_t cell, const std::string& metric) {
    return grid.experiment().planners[grid.plannerOf(cell)].label + " at " +
           grid.describe(grid.pointOf(cell)) + ", " + metric;
}

/// "Data parallelism over SPP, iteration_time_s"
std::string comparisonText(const Claim& claim) {
    std::string others;
    for (const std::string& label : claim.against) others += (others.empty() ? "" : ", ") + label;
    const std::string metrics = claim.metric + (claim.overMetric.empty() ? "" : " over " + claim.overMetric);
    if (claim.kind == ClaimKind::ratio)
        return claim.planner + (claim.overMetric.empty() ? " over " + others : "") + ", " + metrics;
    return claim.planner + (others.empty() ? "" : " over " + others) + ", " + metrics + ", " + claim.along +
           " " + claim.from + " to " + claim.to;
}

/// Whether a claim's numbers are more than the cells that they are formed of.
bool isRelative(const Claim& claim) {
    return claim.kind == ClaimKind::ratio || claim.kind == ClaimKind::change;
}

void addCells(const Grid& grid, const std::vector<CellResult>& cells, std::vector<Level>& levels) {
    const std::vector<CellResult> printed = printedCells(grid);
    for (std::size_t cell = 0; cell < printed.size(); ++cell)
        for (const auto& [metric, number] : printed[cell].metrics)
            levels.push_back(
                {printedTable(grid, cell, metric)->place,
                 cellText(grid, cell, metric),
                 {number, number},
                 cells[cell].status == CellStatus::ok ? cells[cell].metric(metric) : std::nullopt});
}

void addNumbers(const Grid& grid, const Claim& claim, const Judgement& judgement,
                std::set<std::string>& known, std::vector<Level>& levels) {
    for (const ClaimNumber& printed : judgement.printedNumbers) {
        const std::string what = comparisonText(claim) + " at " + grid.describe(printed.point);
        if (!known.insert(what).second) continue;
        Level level{claim.source.place, what, {printed.number, printed.number}, std::nullopt};
        for (const ClaimNumber& found : judgement.numbers)
            if (found.point == printed.point) level.found = found.number;
        levels.push_back(std::move(level));
    }
}

}  // namespace

std::optional<double> Level::ratio() const {
    if (!found || !(*found > 0) || !(printed.least > 0)) return std::nullopt;
    return *found / printed.nearest(*found);
}

std::vector<Level> levelsOf(const Grid& grid, const std::vector<CellResult>& cells,
                            const std::vector<Judgement>& judgements) {
    std::vector<Level> levels;
    addCells(grid, cells, levels);
    std::set<std::string> known;
    for (std::size_t i = 0; i < judgements.size(); ++i) {
        const Claim& claim = grid.experiment().claims[i];
        const Judgement& judgement = judgements[i];
        if (claim.printed)
            levels.push_back({claim.source.place, claim.text, *claim.printed,
                              judgement.numbers.empty() ? std::nullopt : std::optional(judgement.number)});
        else if (isRelative(claim))
            addNumbers(grid, claim, judgement, known, levels);
    }
    return levels;
}

LevelCount countLevels(const std::vector<Level>& levels) {
    LevelCount count;
    count.printed = levels.size();
    std::vector<double> ratios;
    for (const Level& level : levels)
        if (const auto ratio = level.ratio()) ratios.push_back(*ratio);
    count.compared = ratios.size();
    if (ratios.empty()) return count;
    std::sort(ratios.begin(), ratios.end());
    const std::size_t half = ratios.size() / 2;
    count.median = ratios.size() % 2 ? ratios[half] : (ratios[half - 1] + ratios[half]) / 2;
    for (const double ratio : ratios) {
        const double factor = std::max(ratio, 1 / ratio);
        count.within10 += factor <= 1.1 ? 1 : 0;
        count.within25 += factor <= 1.25 ? 1 : 0;
        count.withinTwice += factor <= 2 ? 1 : 0;
    }
    return count;
}

std::string levelsText(const LevelCount& count) {
    const std::string printed = counted(static_cast<long long>(count.printed), "printed number");
    if (count.compared == 0) return printed;
    return "median " + formatNumber(count.median) + " × of " + printed +
           (count.compared < count.printed ? " (" + std::to_string(count.compared) + " compared)" : "") +
           ", " + std::to_string(count.within10) + " within 10 %, " + std::to_string(count.within25) +
           " within 25 %, " + std::to_string(count.withinTwice) + " within a factor of 2";
}

}  // namespace stagecraft::experiments
