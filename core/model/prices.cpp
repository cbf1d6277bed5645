#include "core/model/prices.h"

#include "core/base/counted.h"
#include "core/base/indices.h"
#include "core/base/units.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::model {

double pricePerHour(const Problem& problem, int device) {
    const double own = problem.cluster.devices[at(device)].pricePerHour;
    return own > 0 ? own : problem.setup.gpuPricePerHour;
}

double dollarsPerSecond(const Problem& problem, const std::vector<int>& devices) {
    constexpr double secondsPerHour = 3600;
    double perHour = 0;
    for (const int device : devices) {
        const double each = pricePerHour(problem, device);
        if (!(each > 0)) return 0;
        perHour += each;
    }
    return perHour / secondsPerHour;
}

double dollarsPerSecond(const Problem& problem, const Plan& plan) {
    return dollarsPerSecond(problem, usedDevices(plan));
}

bool hasPrices(const Problem& problem) {
    for (int device = 0; device < problem.cluster.deviceCount(); ++device)
        if (!(pricePerHour(problem, device) > 0)) return false;
    return problem.cluster.deviceCount() > 0;
}

int firstWithoutPrice(const Problem& problem) {
    int first = -1;
    bool isAnyKnown = false;
    for (int device = 0; device < problem.cluster.deviceCount(); ++device) {
        const bool isKnown = pricePerHour(problem, device) > 0;
        isAnyKnown = isAnyKnown || isKnown;
        if (!isKnown && first < 0) first = device;
    }
    return isAnyKnown ? first : -1;
}

std::vector<int> usedDevices(const Plan& plan) {
    std::vector<int> used;
    for (const Stage& stage : plan.stages)
        used.insert(used.end(), stage.devices.begin(), stage.devices.end());
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    return used;
}

std::string formatDollars(double dollars) {
    constexpr double most = 1e15;  // whose cents can be told apart
    if (!(dollars >= 1 && dollars < most)) return "$" + formatNumber(dollars);
    const auto cents = static_cast<long long>(std::llround(dollars * 100));
    const std::string rest = std::to_string(cents % 100);
    return "$" + grouped(cents / 100) + (rest.size() < 2 ? ".0" : ".") + rest;
}

}  // namespace stagecraft::model
