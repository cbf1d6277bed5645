#pragma once

#include "core/planners/automatic/auto_search.h"

#include <functional>
#include <utility>
#include <vector>

namespace stagecraft::planners {

/// What AutoSearch is asked, for the same search within less.
struct AutoQuestion {
    Problem problem;
    ProfileSource source;
    int batch = 0;  ///< samples of an iteration
    AutoLimits limits = {};
    int threads = 0;  ///< 0: one for each core
};

/// The best plan within a part of the GPUs or of their memory. Its plan's problem has the machines as they
/// are: it was found within less memory, and fits into all of it.
struct FrontierPoint {
    int gpus = 0;            ///< that it may use
    double memoryShare = 1;  ///< of each GPU's memory
    AutoAnswer answer;
};

/// How many searches frontierOf() adds to the one that there is.
int frontierSearches(const AutoQuestion& question);

/// Half as many GPUs each time, down to an eighth, and on all of them three quarters, half and a quarter of
/// the memory. Asked for the best so far (WorkContext::enough) it ends with the search that is under way.
/// @param all what the question's own search answered; the first point
/// @param found called with each point as it is known; may be empty @throws Cancelled
std::vector<FrontierPoint> frontierOf(const AutoQuestion& question, const AutoAnswer& all,
                                      const WorkContext& context = {},
                                      const std::function<void(const FrontierPoint&)>& found = {});

/// What time is weighed against.
enum class FrontierAxis { memory, gpus, cost };

/// Bytes of the fullest GPU; GPUs that have a stage; what an iteration costs, in dollars where prices are
/// known (AutoPlan::dollarsPerS), else in GPU seconds.
double frontierValue(const AutoPlan& plan, FrontierAxis axis);
double iterationGpuSeconds(const AutoPlan& plan);
/// 0: not known.
double iterationDollars(const AutoPlan& plan);
/// 0: that is not known, or how many tokens a sample has.
double dollarsPerBillionTokens(const AutoPlan& plan);

/// Indices of the points whose plans no other plan of them beats in time without taking more, from the least
/// that is taken; of equal plans the first.
std::vector<std::size_t> unbeaten(const std::vector<FrontierPoint>& points, FrontierAxis axis);

/// What is proven over an axis, as steps from the least: no plan that takes up to `first` of it is faster
/// than `second` seconds. Each search proves its own within its limits, and those of wider limits hold in
/// narrower ones. Empty: nothing is proven. Of cost what holds for all alone, up to infinity.
std::vector<std::pair<double, double>> provenSteps(const AutoQuestion& question,
                                                   const std::vector<FrontierPoint>& points,
                                                   FrontierAxis axis);

}  // namespace stagecraft::planners
