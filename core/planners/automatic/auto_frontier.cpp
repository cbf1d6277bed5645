#include "core/planners/automatic/auto_frontier.h"

#include "core/base/units.h"

#include <algorithm>

namespace stagecraft::planners {

namespace {

constexpr int gpuHalvings = 3;
constexpr double memoryShares[] = {0.75, 0.5, 0.25};

int gpusAsked(const AutoQuestion& question) {
    const int all = question.problem.cluster.deviceCount();
    return question.limits.mostDevices > 0 ? std::min(question.limits.mostDevices, all) : all;
}

Problem withMemory(Problem problem, double share) {
    if (problem.setup.memoryLimitBytes) *problem.setup.memoryLimitBytes *= share;
    for (Device& device : problem.cluster.devices) device.memoryBytes *= share;
    return problem;
}

AutoAnswer withinShare(const AutoQuestion& question, double share, const WorkContext& context) {
    const Problem problem = withMemory(question.problem, share);
    AutoAnswer answer =
        AutoSearch(problem, question.source, question.batch, question.threads).best(question.limits, context);
    if (answer.best) {
        answer.best->problem.cluster = question.problem.cluster;
        answer.best->problem.setup.memoryLimitBytes = question.problem.setup.memoryLimitBytes;
    }
    return answer;
}

/// Of the GPU with least; 0: there is no limit.
double leastMemoryBytes(const Problem& problem) {
    double least = 0;
    for (int device = 0; device < problem.cluster.deviceCount(); ++device) {
        const double own = problem.memoryLimitBytes(device);
        if (own > 0 && (least == 0 || own < least)) least = own;
    }
    return least;
}

}  // namespace

int frontierSearches(const AutoQuestion& question) {
    int searches = static_cast<int>(std::size(memoryShares));
    for (int part = 1; part <= gpuHalvings; ++part) searches += (gpusAsked(question) >> part) > 0;
    return searches;
}

std::vector<FrontierPoint> frontierOf(const AutoQuestion& question, const AutoAnswer& all,
                                      const WorkContext& context,
                                      const std::function<void(const FrontierPoint&)>& found) {
    const int gpus = gpusAsked(question);
    std::vector<FrontierPoint> points;
    const auto add = [&](int most, double share, AutoAnswer answer) {
        points.push_back({most, share, std::move(answer)});
        if (found) found(points.back());
        context.report(double(points.size() - 1) / frontierSearches(question));
    };
    WorkContext within{context.stop, {}};
    within.enough = context.enough;
    add(gpus, 1, all);
    AutoSearch search(question.problem, question.source, question.batch, question.threads);
    for (int part = 1; part <= gpuHalvings && (gpus >> part) > 0; ++part) {
        if (context.enough.stop_requested()) return points;
        AutoLimits limits = question.limits;
        limits.mostDevices = gpus >> part;
        add(limits.mostDevices, 1, search.best(limits, within));
    }
    for (const double share : memoryShares) {
        if (context.enough.stop_requested()) return points;
        add(gpus, share, withinShare(question, share, within));
    }
    return points;
}

double frontierValue(const AutoPlan& plan, FrontierAxis axis) {
    switch (axis) {
        case FrontierAxis::memory:
            return plan.peakBytes;
        case FrontierAxis::gpus:
            return plan.layout.devices();
        case FrontierAxis::cost:
            break;
    }
    return plan.dollarsPerS > 0 ? iterationDollars(plan) : iterationGpuSeconds(plan);
}

double iterationGpuSeconds(const AutoPlan& plan) { return plan.layout.devices() * plan.iterationS; }

double iterationDollars(const AutoPlan& plan) { return plan.dollarsPerS * plan.iterationS; }

double dollarsPerBillionTokens(const AutoPlan& plan) {
    constexpr double billion = 1e9;
    const double tokens = plan.problem.profile.divisible.tokens * plan.problem.samplesPerIteration();
    return tokens > 0 ? iterationDollars(plan) / tokens * billion : 0;
}

std::vector<std::size_t> unbeaten(const std::vector<FrontierPoint>& points, FrontierAxis axis) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (points[i].answer.best) order.push_back(i);
    const auto placeOf = [&](std::size_t i) {
        const AutoPlan& plan = *points[i].answer.best;
        return std::pair(frontierValue(plan, axis), plan.iterationS);
    };
    std::ranges::stable_sort(order, {}, placeOf);
    std::vector<std::size_t> kept;
    double fastestS = infinity;
    for (const std::size_t i : order)
        if (const double seconds = points[i].answer.best->iterationS; seconds < fastestS) {
            fastestS = seconds;
            kept.push_back(i);
        }
    return kept;
}

std::vector<std::pair<double, double>> provenSteps(const AutoQuestion& question,
                                                   const std::vector<FrontierPoint>& points,
                                                   FrontierAxis axis) {
    std::vector<std::pair<double, double>> steps;
    for (const FrontierPoint& point : points) {
        if (!(point.answer.provenS > 0)) continue;
        const bool isAll = point.gpus == gpusAsked(question) && point.memoryShare == 1;
        if (axis == FrontierAxis::gpus && point.memoryShare == 1)
            steps.emplace_back(point.gpus, point.answer.provenS);
        else if (isAll)
            steps.emplace_back(infinity, point.answer.provenS);
        else if (axis == FrontierAxis::memory && point.memoryShare < 1)
            if (const double most = leastMemoryBytes(withMemory(question.problem, point.memoryShare));
                most > 0)
                steps.emplace_back(most, point.answer.provenS);
    }
    std::ranges::sort(steps);
    // What holds within more holds within less.
    for (std::size_t i = steps.size(); i-- > 1;)
        steps[i - 1].second = std::max(steps[i - 1].second, steps[i].second);
    return steps;
}

}  // namespace stagecraft::planners
