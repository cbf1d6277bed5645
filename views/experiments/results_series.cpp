#include "views/experiments/results_series.h"

#include "core/experiments/printed.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagecraft::views::experiments {

namespace {

double quantile(const std::vector<double>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

class SeriesMaker {
public:
    SeriesMaker(const Grid& grid, const ResultsNumbers& numbers, const ChartChoice& choice)
        : grid_(grid),
          axes_(grid.experiment().axes),
          numbers_(numbers),
          choice_(choice),
          metric_(metricIndex(choice.metric)),
          across_(metricIndex(choice.acrossMetric)) {
        start_ = choice.fixed;
        start_.resize(axes_.size(), 0);
        for (std::size_t axis = axes_.size(); axis-- > 0;) {
            if (axes_[axis].seeds || start_[axis] >= axes_[axis].values.size()) start_[axis] = 0;
            if (axes_[axis].seeds) seeds_.push_back(axis);
        }
        if (!grid.experiment().printed.empty()) printed_ = ResultsNumbers(printedCells(grid));
    }

    std::vector<ResultsSeries> make() {
        const std::size_t panels =
            choice_.panels ? std::min(axes_[*choice_.panels].values.size(), mostPanels) : 1;
        for (std::size_t panel = 0; panel < panels; ++panel) {
            if (choice_.panels) start_[*choice_.panels] = panel;
            const std::size_t first = all_.size();
            if (choice_.kind == ChartKind::heat)
                addRows(panel);
            else
                for (std::size_t planner = 0; planner < grid_.experiment().planners.size(); ++planner)
                    addPlanner(panel, planner);
            if (choice_.kind == ChartKind::pareto) findFront(first);
        }
        return std::move(all_);
    }

private:
    QString label(std::size_t planner) const {
        return QString::fromStdString(grid_.experiment().planners[planner].label);
    }

    void addRows(std::size_t panel) {
        std::vector<std::size_t> at = start_;
        for (std::size_t row = 0; row < axes_[choice_.upright].values.size(); ++row) {
            at[choice_.upright] = row;
            ResultsSeries series{label(choice_.planner), choice_.planner, panel, row, {}, {}};
            for (std::size_t value = 0; value < axes_[choice_.axis].values.size(); ++value) {
                at[choice_.axis] = value;
                ResultsPoint point = pointAt(at, choice_.planner, value);
                point.printed = printedAt(grid_.pointAt(at), series.planner);
                series.points.push_back(std::move(point));
            }
            all_.push_back(std::move(series));
        }
    }

    void addPlanner(std::size_t panel, std::size_t planner) {
        ResultsSeries series{label(planner), planner, panel, 0, {}, {}};
        if (choice_.kind == ChartKind::pareto)
            addEvery(series);
        else
            addAlong(series);
        all_.push_back(std::move(series));
    }

    void addAlong(ResultsSeries& series) {
        const bool hasAxis = choice_.axis < axes_.size();
        std::vector<std::size_t> at = start_;
        for (std::size_t value = 0; value < (hasAxis ? axes_[choice_.axis].values.size() : 1); ++value) {
            if (hasAxis) at[choice_.axis] = value;
            ResultsPoint point = pointAt(at, series.planner, value);
            point.printed = printedAt(grid_.pointAt(at), series.planner);
            if (point.spread.count > 0)
                series.points.push_back(std::move(point));
            else if (point.printed || point.status != CellStatus::open)
                series.without.push_back(std::move(point));
        }
    }

    /// Every point that the axes shown in full span.
    void addEvery(ResultsSeries& series) {
        std::vector<std::size_t> open;
        for (const std::size_t axis : slicedAxes(choice_, grid_.experiment()))
            if (choice_.fixed[axis] == everyValue) open.push_back(axis);
        std::vector<std::size_t> at = start_;
        for (;;) {
            ResultsPoint point = pointAt(at, series.planner, grid_.pointAt(at));
            addPrintedPair(grid_.pointAt(at), series.planner, point);
            if (point.spread.count > 0)
                series.points.push_back(std::move(point));
            else if (point.printed)
                series.without.push_back(std::move(point));
            std::size_t axis = open.size();
            while (axis-- > 0) {
                if (++at[open[axis]] < axes_[open[axis]].values.size()) break;
                at[open[axis]] = 0;
            }
            if (axis >= open.size()) break;
        }
        sortAcross(series.points);
    }

    /// Points are large: each is moved once.
    static void sortAcross(std::vector<ResultsPoint>& points) {
        std::vector<std::pair<double, std::size_t>> places;
        for (std::size_t i = 0; i < points.size(); ++i) places.emplace_back(points[i].across.mean, i);
        std::sort(places.begin(), places.end());
        std::vector<ResultsPoint> sorted;
        sorted.reserve(points.size());
        for (const auto& [mean, i] : places) sorted.push_back(std::move(points[i]));
        points = std::move(sorted);
    }

    ResultsPoint pointAt(std::vector<std::size_t>& at, std::size_t planner, std::size_t value) {
        ResultsPoint point;
        point.value = value;
        upNumbers_.clear();
        acrossNumbers_.clear();
        eachSeed(at, 0, [&](std::size_t place) {
            const std::size_t cell = grid_.cellOf(place, planner);
            double number = numbers_.ofPlan(metric_, cell);
            if (choice_.relativeTo)
                number /= numbers_.ofPlan(metric_, grid_.cellOf(place, *choice_.relativeTo));
            const bool pareto = choice_.kind == ChartKind::pareto;
            const double other = pareto ? numbers_.ofPlan(across_, cell) : 0;
            if (!std::isfinite(number) || !std::isfinite(other)) return;
            upNumbers_.push_back(number);
            if (pareto) acrossNumbers_.push_back(other);
            point.cells.push_back(cell);
        });
        if (!upNumbers_.empty()) point.spread = Spread::of(upNumbers_);
        if (!acrossNumbers_.empty()) point.across = Spread::of(acrossNumbers_);
        if (point.cells.empty()) {
            point.cells.push_back(grid_.cellOf(grid_.pointAt(at), planner));
            point.status = numbers_.status(point.cells.front());
        }
        return point;
    }

    std::optional<double> printedAt(std::size_t place, std::size_t planner) const {
        if (!printed_) return std::nullopt;
        double number = printed_->ofPlan(metric_, grid_.cellOf(place, planner));
        if (choice_.relativeTo) number /= printed_->ofPlan(metric_, grid_.cellOf(place, *choice_.relativeTo));
        return std::isfinite(number) ? std::optional(number) : std::nullopt;
    }

    /// Where the source has a number of both metrics.
    void addPrintedPair(std::size_t place, std::size_t planner, ResultsPoint& point) const {
        if (!printed_) return;
        const double other = printed_->ofPlan(across_, grid_.cellOf(place, planner));
        const std::optional<double> number = printedAt(place, planner);
        if (!number || !std::isfinite(other)) return;
        point.printed = number;
        point.printedAcross = other;
    }

    /// All combinations of the axes that are repetitions, the last fastest.
    template <typename Visit>
    void eachSeed(std::vector<std::size_t>& at, std::size_t depth, const Visit& visit) {
        if (depth == seeds_.size()) return visit(grid_.pointAt(at));
        const std::size_t axis = seeds_[seeds_.size() - 1 - depth];
        for (at[axis] = 0; at[axis] < axes_[axis].values.size(); ++at[axis]) eachSeed(at, depth + 1, visit);
        at[axis] = 0;
    }

    /// Of the panel whose series begin at `first`: who is better the further along the level metric.
    void findFront(std::size_t first) {
        const double level = metricDescriptions()[across_].lessIsBetter ? 1 : -1;
        const double up = metricDescriptions()[metric_].lessIsBetter ? 1 : -1;
        // Keys beside the points, which are far apart.
        std::vector<std::pair<std::pair<double, double>, ResultsPoint*>> points;
        for (std::size_t i = first; i < all_.size(); ++i)
            for (ResultsPoint& point : all_[i].points)
                points.push_back({{level * point.across.mean, up * point.spread.mean}, &point});
        std::sort(points.begin(), points.end(),
                  [](const auto& a, const auto& b) { return a.first < b.first; });
        double least = INFINITY;
        std::pair<double, double> last;
        for (const auto& [place, point] : points) {
            // Equals of a point on the front are on it as well.
            point->best = place.second < least || place == last;
            if (place.second < least) last = place, least = place.second;
        }
    }

    const Grid& grid_;
    const std::vector<Axis>& axes_;
    const ResultsNumbers& numbers_;
    const ChartChoice& choice_;
    const std::size_t metric_, across_;
    std::vector<std::size_t> start_;  ///< by axis, of the panel
    std::vector<std::size_t> seeds_;  ///< axes, the last first
    std::vector<double> upNumbers_, acrossNumbers_;
    std::optional<ResultsNumbers> printed_;  ///< nothing where nothing is printed
    std::vector<ResultsSeries> all_;
};

}  // namespace

Spread Spread::of(std::vector<double>& numbers) {
    std::sort(numbers.begin(), numbers.end());
    const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
    return {sum / static_cast<double>(numbers.size()),
            numbers.front(),
            numbers.back(),
            quantile(numbers, 0.25),
            quantile(numbers, 0.75),
            numbers.size()};
}

std::vector<ResultsSeries> seriesOf(const Grid& grid, const ResultsNumbers& numbers,
                                    const ChartChoice& choice) {
    return SeriesMaker(grid, numbers, choice).make();
}

bool anyPrinted(const std::vector<ResultsSeries>& series) {
    const auto isPrinted = [](const ResultsPoint& point) { return point.printed.has_value(); };
    return std::any_of(series.begin(), series.end(), [&](const ResultsSeries& each) {
        return std::any_of(each.points.begin(), each.points.end(), isPrinted) ||
               std::any_of(each.without.begin(), each.without.end(), isPrinted);
    });
}

std::size_t seedsOf(const std::vector<ResultsSeries>& series) {
    std::size_t most = 0;
    for (const ResultsSeries& each : series)
        for (const ResultsPoint& point : each.points) most = std::max(most, point.spread.count);
    return most;
}

}  // namespace stagecraft::views::experiments
