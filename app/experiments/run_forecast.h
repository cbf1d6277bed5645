#pragma once

#include "app/rooms.h"
#include "core/experiments/grid.h"

#include <QString>

#include <stop_token>
#include <vector>

namespace stagecraft::app::experiments {

/// What a run of a grid will take.
struct RunForecast {
    std::size_t known = 0;  ///< plans that the cache has
    double seconds = 0;     ///< of what is left, on this machine; 0: unknown
};

/// Costs of all cells, by estimatedCost; of a large grid those of some points are used for their neighbours.
std::vector<double> roughCosts(const Grid& grid, const std::stop_token& stop);
/// Looks into the cache and estimates the rest. For a thread that may be kept waiting.
RunForecast forecastRun(const Grid& grid, const std::stop_token& stop);

/// "105 points × 8 planners: 840 plans"
QString gridText(const Experiment& experiment);
/// ", 312 already known, about 4 min"
QString forecastText(const RunForecast& forecast, const Grid& grid);
/// "about 4 min"
QString roughTime(double seconds);

/// Seconds of one core for a unit of cost, as runs on this machine showed. Kept in the settings.
double secondsPerCost();
/// After a run that took that long on so many cores.
void learnSecondsPerCost(double seconds, double cost);

}  // namespace stagecraft::app::experiments
