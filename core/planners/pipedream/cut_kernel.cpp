#include "core/planners/pipedream/cut_kernel.h"

#include "core/planners/clones.h"

#include <limits>

namespace stagecraft::planners {

STAGECRAFT_CLONES
double leastOverCuts(const double* before, const double* last, int count) {
    constexpr int lanes = 8;
    double least[lanes];
    for (double& each : least) each = std::numeric_limits<double>::infinity();
    int i = 0;
    for (; i + lanes <= count; i += lanes)
        for (int k = 0; k < lanes; ++k) {
            const double worst = before[i + k] > last[i + k] ? before[i + k] : last[i + k];
            least[k] = worst < least[k] ? worst : least[k];
        }
    for (; i < count; ++i) {
        const double worst = before[i] > last[i] ? before[i] : last[i];
        least[0] = worst < least[0] ? worst : least[0];
    }
    for (int k = 1; k < lanes; ++k) least[0] = least[k] < least[0] ? least[k] : least[0];
    return least[0];
}

}  // namespace stagecraft::planners
