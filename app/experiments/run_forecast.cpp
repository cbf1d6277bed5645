#include "app/experiments/run_forecast.h"

#include "app/experiments/sweep_files.h"
#include "core/experiments/result_cache.h"
#include "core/experiments/runner.h"
#include "core/formats/input_error.h"
#include "views/common/text.h"

#include <QObject>
#include <QSettings>

#include <algorithm>
#include <cmath>
#include <thread>

namespace stagecraft::app::experiments {

namespace {

constexpr std::size_t mostPoints = 400;  // whose problems are made for an estimate
constexpr std::size_t mostLookedUp = 20'000;
constexpr double usualSecondsPerCost = 2.5e-8;  // measured on one machine; a first run corrects it
constexpr char rateKey[] = "experiments/secondsPerCost";

}  // namespace

std::vector<double> roughCosts(const Grid& grid, const std::stop_token& stop) {
    std::vector<double> costs;
    costs.reserve(grid.cellCount());
    const std::size_t stride = (grid.pointCount() + mostPoints - 1) / mostPoints;
    std::optional<Problem> problem;
    for (std::size_t point = 0; point < grid.pointCount(); ++point) {
        if (point % std::max<std::size_t>(stride, 1) == 0 && !stop.stop_requested()) {
            try {
                problem = grid.problem(point);
            } catch (const std::exception&) {  // its cells fail at once
                problem.reset();
            }
        }
        std::vector<double> here(grid.experiment().planners.size(), 0);
        try {
            if (problem) here = costsAt(grid, point, *problem);
        } catch (const std::exception&) {  // likewise
        }
        costs.insert(costs.end(), here.begin(), here.end());
    }
    return costs;
}

RunForecast forecastRun(const Grid& grid, const std::stop_token& stop) {
    RunForecast forecast;
    std::vector<CellResult> known(grid.cellCount());
    if (grid.cellCount() <= mostLookedUp) {
        try {
            ResultCache cache(usualCacheFile(), programRevision());
            SweepOptions options;
            options.stop = stop;
            options.cache = &cache;
            options.knownOnly = true;
            if (cache.size() > 0) known = runCells(grid, allCells(grid), options);
        } catch (const InputError&) {  // without a cache nothing is known
        }
    }
    const bool anyOpen = std::any_of(known.begin(), known.end(),
                                     [](const CellResult& cell) { return cell.status == CellStatus::open; });
    const std::vector<double> costs = anyOpen ? roughCosts(grid, stop) : std::vector<double>(known.size(), 0);
    double cost = 0;
    for (std::size_t cell = 0; cell < known.size(); ++cell) {
        if (known[cell].status == CellStatus::open)
            cost += costs[cell];
        else
            ++forecast.known;
    }
    forecast.seconds = cost * secondsPerCost() / std::max(1u, std::thread::hardware_concurrency());
    return forecast;
}

QString gridText(const Experiment& experiment) {
    std::size_t points = 1;
    for (const Axis& axis : experiment.axes) points *= axis.values.size();
    const std::size_t planners = experiment.planners.size();
    return QObject::tr("%1 × %2: %3")
        .arg(countedText(static_cast<long long>(points), "point"),
             countedText(static_cast<long long>(planners), "planner"),
             countedText(static_cast<long long>(points * planners), "plan"));
}

QString forecastText(const RunForecast& forecast, const Grid& grid) {
    if (forecast.known == grid.cellCount()) return QObject::tr(", all already known");
    QString text;
    if (forecast.known > 0) text += QObject::tr(", %L1 already known").arg(forecast.known);
    return text + QStringLiteral(", ") + roughTime(forecast.seconds);
}

QString roughTime(double seconds) {
    if (seconds < 1.5) return QObject::tr("about a second");
    if (seconds < 55)
        return QObject::tr("about %1 s").arg(seconds < 10 ? std::ceil(seconds) : 5 * std::ceil(seconds / 5));
    if (seconds < 90 * 60) return QObject::tr("about %1 min").arg(std::ceil(seconds / 60));
    return QObject::tr("about %1 h").arg(std::ceil(seconds / 3600));
}

double secondsPerCost() {
    const double kept = QSettings().value(QLatin1String(rateKey)).toDouble();
    return kept > 0 && std::isfinite(kept) ? kept : usualSecondsPerCost;
}

void learnSecondsPerCost(double seconds, double cost) {
    if (!(seconds > 1) || !(cost > 0)) return;
    // Half of what was known before: the mix of planners is another each time.
    QSettings().setValue(QLatin1String(rateKey), (secondsPerCost() + seconds / cost) / 2);
}

}  // namespace stagecraft::app::experiments
