#include "views/pattern/pattern_chart.h"

#include "core/schedules/periodic_pattern.h"

#include <QStringList>

#include <cmath>
#include <map>
#include <stdexcept>

namespace stagecraft::views::pattern {

namespace {

/// What sums of durations may be off by, in periods.
constexpr double rounding = 1e-9;

class Builder {
public:
    Builder(const PlanRun& run, const PeriodicSchedule& pattern)
        : run_(run), plan_(run.result.plan), pattern_(pattern) {}

    PatternChart build() {
        chart_.periodS = pattern_.periodS;
        chart_.batches = activeBatches(*run_.costs, plan_.stages, pattern_);
        for (const PatternTask& task : batchPath(*run_.costs, plan_.stages)) add(task);
        countTransfers();
        return std::move(chart_);
    }

private:
    const std::vector<int>& devicesOf(int stage) const {
        return plan_.stages[static_cast<std::size_t>(stage)].devices;
    }
    QString nameOf(int device) const {
        return QString::fromStdString(
            run_.costs->problem().cluster.devices[static_cast<std::size_t>(device)].id);
    }

    int laneOf(const PatternTask& task) {
        const int device = devicesOf(task.stage).front();
        std::pair<int, int> key(device, -1);
        if (isTransfer(task.kind)) {
            const int other = devicesOf(task.stage + 1).front();
            key = {std::min(device, other), std::max(device, other)};
        }
        const auto [found, isNew] = lanes_.try_emplace(key, static_cast<int>(chart_.lanes.size()));
        if (isNew) {
            PatternLane lane;
            lane.link = key.second >= 0;
            lane.name = nameOf(key.first);
            lane.devices = {key.first};
            if (lane.link) lane.devices.push_back(key.second);
            if (lane.link) lane.name += QChar(0x2013) + nameOf(key.second);
            chart_.lanes.push_back(lane);
        }
        PatternLane& lane = chart_.lanes[static_cast<std::size_t>(found->second)];
        if (task.kind == BlockKind::forward || task.kind == BlockKind::transferForward) {
            lane.stages.push_back(task.stage);
            lane.batches.push_back(lane.link ? 0 : chart_.batches[static_cast<std::size_t>(task.stage)]);
        }
        return found->second;
    }

    void add(const PatternTask& task) {
        const int lane = laneOf(task);
        for (const PatternOperation& operation : pattern_.operations) {
            if (operation.kind != task.kind || operation.stage != task.stage) continue;
            PatternBlock block{
                task.kind,        task.stage,   operation.shift,  lane,
                operation.startS, task.seconds, operation.startS, operation.startS + task.seconds};
            const double beyond = block.toS - pattern_.periodS;
            if (beyond > rounding * pattern_.periodS) {
                block.toS = pattern_.periodS;
                chart_.blocks.push_back(block);
                block.fromS = 0;
                block.toS = beyond;
                block.continued = true;
            }
            chart_.blocks.push_back(block);
        }
    }

    /// From the start of the transfer forward to the end of the one backward, in periods.
    void countTransfers() {
        for (std::size_t lane = 0; lane < chart_.lanes.size(); ++lane) {
            PatternLane& it = chart_.lanes[lane];
            if (!it.link) continue;
            for (std::size_t i = 0; i < it.stages.size(); ++i) {
                double beginS = 0, endS = 0;
                for (const PatternBlock& block : chart_.blocks) {
                    if (block.stage != it.stages[i] || !isTransfer(block.kind)) continue;
                    const double at = block.shift * chart_.periodS + block.startS;
                    if (block.kind == BlockKind::transferForward)
                        beginS = at;
                    else
                        endS = at + block.durationS;
                }
                it.batches[i] =
                    std::max(1, static_cast<int>(std::ceil((endS - beginS) / chart_.periodS - rounding)));
            }
        }
    }

    const PlanRun& run_;
    const Plan& plan_;
    const PeriodicSchedule& pattern_;
    PatternChart chart_;
    std::map<std::pair<int, int>, int> lanes_;  ///< by devices; of a processor: it and -1
};

}  // namespace

int PatternLane::group() const {
    for (const int number : batches)
        if (number != batches.front()) return 0;
    return batches.empty() ? 0 : batches.front();
}

QString PatternChart::stagesText(const PatternLane& lane, int firstStage) {
    if (lane.link) return lane.name;
    QStringList numbers;
    for (const int stage : lane.stages) numbers << QString::number(stage + firstStage);
    return (numbers.size() == 1 ? QStringLiteral("stage ") : QStringLiteral("stages ")) +
           numbers.join(QStringLiteral(", "));
}

PatternChart patternChart(const PlanRun& run) {
    const auto* pattern = std::get_if<PeriodicSchedule>(&run.result.plan.schedule.order);
    if (!pattern) throw std::invalid_argument("the plan repeats no pattern");
    return Builder(run, *pattern).build();
}

QString shortName(const PatternBlock& block, int firstStage) {
    const QString stage = QString::number(block.stage + firstStage),
                  next = QString::number(block.stage + firstStage + 1);
    switch (block.kind) {
        case BlockKind::forward:
            return 'F' + stage;
        case BlockKind::backward:
            return 'B' + stage;
        case BlockKind::transferForward:
            return stage + QChar(0x2192) + next;
        case BlockKind::transferBackward:
            return next + QChar(0x2192) + stage;
        default:
            return {};
    }
}

}  // namespace stagecraft::views::pattern
