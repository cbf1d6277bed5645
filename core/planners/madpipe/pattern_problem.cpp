#include "core/planners/madpipe/pattern_problem.h"

#include "core/cost/state_bytes.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stagecraft::planners {

namespace {

constexpr double slack = 1e-9;  // of a period

double weightsAndBuffers(const CostModel& costs, const Stage& stage) {
    const double versions = StateBytes(costs.problem()).withVersions(2);
    double bytes = versions * costs.parameterBytes(stage.firstLayer, stage.lastLayer);
    if (stage.firstLayer > 0) bytes += 2 * costs.cutForwardBytes(stage.firstLayer - 1);
    if (stage.lastLayer + 1 < costs.layerCount()) bytes += 2 * costs.cutForwardBytes(stage.lastLayer);
    return bytes;
}

int pairNumber(const std::vector<TaskPair>& pairs, int first, int second) {
    const auto found = std::find(pairs.begin(), pairs.end(), TaskPair{first, second});
    return static_cast<int>(found - pairs.begin());
}

}  // namespace

double PatternProblem::busiestS() const {
    std::vector<double> loads(static_cast<std::size_t>(resourceCount), 0);
    for (std::size_t task = 0; task < path.size(); ++task)
        loads[static_cast<std::size_t>(resources[task])] += path[task].seconds;
    return loads.empty() ? 0 : *std::max_element(loads.begin(), loads.end());
}

double PatternProblem::sequentialS() const {
    double sum = 0;
    for (const PatternTask& task : path) sum += task.seconds;
    return sum;
}

PatternProblem patternProblem(const CostModel& costs, const std::vector<Stage>& stages) {
    PatternProblem problem;
    problem.path = batchPath(costs, stages);
    std::map<std::pair<int, int>, int> numbers;  // a device twice, or the two ends of a link
    std::map<int, std::size_t> storeOf;
    for (const PatternTask& task : problem.path) {
        const auto stage = static_cast<std::size_t>(task.stage);
        int low = stages[stage].devices.front(), high = low;
        if (task.kind == BlockKind::transferForward || task.kind == BlockKind::transferBackward)
            high = stages[stage + 1].devices.front();
        if (high < low) std::swap(low, high);
        problem.resources.push_back(
            numbers.try_emplace({low, high}, static_cast<int>(numbers.size())).first->second);
    }
    problem.resourceCount = static_cast<int>(numbers.size());
    for (int task = 0; task < problem.tasks(); ++task) {
        const PatternTask& forward = problem.path[static_cast<std::size_t>(task)];
        if (forward.kind != BlockKind::forward) continue;
        const Stage& stage = stages[static_cast<std::size_t>(forward.stage)];
        const int device = stage.devices.front();
        const auto [found, isNew] = storeOf.try_emplace(device, problem.stores.size());
        if (isNew) {
            const double limit = costs.problem().memoryLimitBytes(device);
            problem.stores.push_back({device, {}, limit, limit});
        }
        PatternProblem::Store& store = problem.stores[found->second];
        store.roomBytes -= weightsAndBuffers(costs, stage);
        store.held.push_back({task, problem.tasks() - 1 - task,
                              costs.storedActivationBytes(stage.firstLayer, stage.lastLayer)});
    }
    return problem;
}

std::vector<TaskPair> taskPairs(const PatternProblem& problem) {
    std::vector<TaskPair> pairs;
    for (int first = 0; first < problem.tasks(); ++first)
        for (int second = first + 1; second < problem.tasks(); ++second)
            if (problem.resources[static_cast<std::size_t>(first)] ==
                problem.resources[static_cast<std::size_t>(second)])
                pairs.push_back({first, second});
    return pairs;
}

BatchCount batchesAt(const std::vector<TaskPair>& pairs, const PatternProblem::Held& held, int at) {
    // Forwards that have started by then less backwards that have ended, as E-MP-10 counts. Every forward
    // comes before every backward on the path.
    const int end = pairNumber(pairs, at, held.backward);
    if (at == held.forward) return {1, {{end, 1}}};
    if (held.forward < at) return {1, {{pairNumber(pairs, held.forward, at), 1}, {end, 1}}};
    return {0, {{end, 1}, {pairNumber(pairs, at, held.forward), -1}}};
}

std::vector<double> storedBytes(const PatternProblem& problem, const TimedPattern& timed) {
    const double periodS = timed.periodS;
    std::vector<double> peaks;
    for (const PatternProblem::Store& store : problem.stores) {
        double peak = 0;
        for (const PatternProblem::Held& instant : store.held) {
            const double atS = timed.startsS[static_cast<std::size_t>(instant.forward)];
            double bytes = 0;
            for (const PatternProblem::Held& held : store.held) {
                const double startS = timed.startsS[static_cast<std::size_t>(held.forward)];
                const double endS = timed.startsS[static_cast<std::size_t>(held.backward)] +
                                    problem.path[static_cast<std::size_t>(held.backward)].seconds;
                const double started = std::floor((atS - startS) / periodS + slack);
                const double ended = std::floor((atS - endS) / periodS + slack);
                bytes += (started - ended) * held.bytes;
            }
            peak = std::max(peak, bytes);
        }
        peaks.push_back(peak);
    }
    return peaks;
}

std::string whyNoPattern(const PatternProblem& problem, const TimedPattern& timed) {
    const double periodS = timed.periodS, allowedS = slack * periodS;
    const auto start = [&](int task) { return timed.startsS[static_cast<std::size_t>(task)]; };
    const auto seconds = [&](int task) { return problem.path[static_cast<std::size_t>(task)].seconds; };
    if (!(periodS > 0)) return "the period is not positive";
    for (int task = 0; task + 1 < problem.tasks(); ++task)
        if (start(task + 1) < start(task) + seconds(task) - allowedS)
            return "task " + std::to_string(task + 1) + " starts before its input is there";
    for (const TaskPair& pair : taskPairs(problem)) {
        // What takes no time is in the way of nothing.
        if (seconds(pair.first) == 0 || seconds(pair.second) == 0) continue;
        const double apart = start(pair.second) - start(pair.first);
        const double within = apart - std::floor(apart / periodS + slack) * periodS;
        if (within < seconds(pair.first) - allowedS || within > periodS - seconds(pair.second) + allowedS)
            return "tasks " + std::to_string(pair.first) + " and " + std::to_string(pair.second) + " overlap";
    }
    const std::vector<double> bytes = storedBytes(problem, timed);
    for (std::size_t store = 0; store < bytes.size(); ++store)
        if (bytes[store] > problem.stores[store].roomBytes)
            return "device " + std::to_string(problem.stores[store].device) + " stores too much";
    return {};
}

}  // namespace stagecraft::planners
