#pragma once

#include "core/planners/vpipe/migration.h"

#include <vector>

namespace stagecraft::planners::vpipe {

/// What goes over the channels and what the devices do during a window of a migration's timeline (vPipe
/// Fig. 15). A transfer's bytes are spread evenly over its time on the channel; all channels together.
struct MigrationRate {
    double startS = 0, endS = 0;
    double trainingBps = 0;   ///< activations and gradients between stages, bytes per second
    double migrationBps = 0;  ///< messages and copies of the migration, bytes per second
    double utilisation = 0;   ///< share of the window in forwards and backwards, mean over devices, 0 to 1
    double repeated = 0;      ///< the same in recomputation
    std::vector<double> computing;  ///< share in any of these, by compute lane as the timeline has them
};
/// Windows of vPipe's Fig. 15 here; the paper does not say which it took.
inline constexpr double peakWindowS = 1, utilisationWindowS = 0.1;

/// Windows one after the other from instant 0; the last may be shorter. @param windowS above 0
/// @throws std::invalid_argument if there would be more than a million
std::vector<MigrationRate> migrationRates(const Migration& migration, double windowS);

/// The most bytes that the migration moves within any window of that length, over its length.
double peakMigrationBps(const Migration& migration, double windowS);
/// The least share of a window of that length that the devices are in forwards and backwards, on average over
/// them, while the pipeline neither fills at the beginning nor drains at the end.
double leastUtilisation(const Migration& migration, double windowS);

}  // namespace stagecraft::planners::vpipe
