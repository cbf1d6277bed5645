#include "views/timeline/chart_data.h"

#include <algorithm>

namespace stagecraft::views::timeline {

ChartData::ChartData(std::shared_ptr<const PlanRun> planRun) : ChartData(std::move(planRun), nullptr) {
    for (const std::uint32_t block : criticalPath())
        criticalByLane[static_cast<std::size_t>(timeline().laneOf(block))].push_back(block);
    for (auto& blocks : criticalByLane) std::sort(blocks.begin(), blocks.end());
    const bool noBarrier = run->costs->problem().setup.mode == TrainingMode::asynchronous;
    if (noBarrier && numbers.severalMiniBatches()) followWeights();
}

ChartData::ChartData(std::shared_ptr<const RecordedRun> recordedRun)
    : ChartData(nullptr, std::move(recordedRun)) {}

ChartData::ChartData(std::shared_ptr<const PlanRun> planRun, std::shared_ptr<const RecordedRun> recordedRun)
    : run(std::move(planRun)),
      recorded(std::move(recordedRun)),
      busy(timeline()),
      saved(run && savesMemory(plan(), timeline())
                ? savedMemory(*run->costs, plan(), evaluation().lowered().edges, timeline(),
                              evaluation().memory)
                : SavedMemories{}),
      memory(memorySeries(shown().memory(), saved)),
      criticalByLane(timeline().lanes.size()),
      endS(timeline().lastEndS()),
      numbers(timeline()),
      firstStage_(cluster().devices.size(), -1) {
    if (run) {
        bytes.emplace(*run->costs, plan(), evaluation().lowered().edges);
        inside = InsideMarks(*run);
    }
    for (int stage = plan().stageCount() - 1; stage >= 0; --stage)
        for (const int device : plan().stages[static_cast<std::size_t>(stage)].devices)
            firstStage_[static_cast<std::size_t>(device)] = stage;
    std::stable_sort(memory.begin(), memory.end(), [this](const MemorySeries& a, const MemorySeries& b) {
        return firstStageOf(a.devices.front()) < firstStageOf(b.devices.front());
    });
    startS = timeline().firstStartS();
    readableStreamsS = readableSpanS();
}

Neighbours ChartData::neighboursOf(std::uint32_t block) const {
    return run ? neighbours(*evaluation().graph, timeline(), block)
               : recordedNeighbours(*recorded->recording, block);
}

double ChartData::readableSpanS() const {
    constexpr double toldApart = 250;  // blocks beside each other
    std::uint32_t most = 0;
    for (const Lane& lane : timeline().lanes)
        if (lane.kind == LaneKind::stream) most = std::max(most, lane.blockCount());
    return most == 0 ? 0 : toldApart * (endS - startS) / most;
}

void ChartData::followWeights() {
    weights.emplace(plan(), timeline());
    findPhases();
    for (const PredictionArrow& arrow : weights->predictions()) {
        if (arrow.ahead <= 0) continue;
        predictions.push_back(arrow);
        longestPredictionS =
            std::max(longestPredictionS, timeline().startS[arrow.toUpdate] - timeline().startS[arrow.from]);
    }
    std::stable_sort(predictions.begin(), predictions.end(),
                     [this](const PredictionArrow& a, const PredictionArrow& b) {
                         return timeline().startS[a.from] < timeline().startS[b.from];
                     });
    markLanes();
}

void ChartData::findPhases() {
    const Timeline& all = timeline();
    steady = steadyState(all);
    const std::vector<double> done = completionsS(all);
    startUpEndS = done.empty() ? 0 : done.front();
    drainStartS = startUpEndS;
    for (std::uint32_t block = 0; block < all.blockCount(); ++block)
        if ((all.kind[block] == BlockKind::forward || all.kind[block] == BlockKind::pair) &&
            all.stage[block] == 0)
            drainStartS = std::max(drainStartS, all.endS[block]);
}

void ChartData::markLanes() {
    const Timeline& all = timeline();
    marks.resize(all.lanes.size());
    updates.resize(plan().stages.size());
    for (std::size_t lane = 0; lane < all.lanes.size(); ++lane)
        for (std::uint32_t block = all.lanes[lane].firstBlock; block < all.lanes[lane].endBlock; ++block) {
            if (all.kind[block] == BlockKind::update) {
                if (all.durationS(block) <= 0) marks[lane].updates.push_back(block);
                updates[static_cast<std::size_t>(all.stage[block])].push_back(block);
            } else if (weights->of(block).bellwether) {
                marks[lane].bellwethers.push_back(block);
            }
        }
    for (std::vector<std::uint32_t>& ofStage : updates) {
        std::stable_sort(ofStage.begin(), ofStage.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return all.endS[a] < all.endS[b]; });
        // A stage on several lanes has the same update on each.
        const auto same = [&](std::uint32_t a, std::uint32_t b) {
            return all.iteration[a] == all.iteration[b];
        };
        ofStage.erase(std::unique(ofStage.begin(), ofStage.end(), same), ofStage.end());
    }
}

std::uint32_t ChartData::running(int lane, double timeS) const {
    const std::uint32_t next = busy.firstFrom(timeline(), lane, timeS + slackS());
    const std::uint32_t last = lastTaking(timeline(), timeline().lanes[static_cast<std::size_t>(lane)], next);
    return last != noBlock && timeline().endS[last] > timeS + slackS() ? last : noBlock;
}

std::uint32_t ChartData::forwardOf(std::uint32_t backward) const {
    const Timeline& all = timeline();
    const Lane& lane = all.lanes[static_cast<std::size_t>(all.laneOf(backward))];
    for (std::uint32_t block = backward; block-- > lane.firstBlock;)
        if ((all.kind[block] == BlockKind::forward || all.kind[block] == BlockKind::pair) &&
            all.stage[block] == all.stage[backward] && all.microbatch[block] == all.microbatch[backward] &&
            all.iteration[block] == all.iteration[backward] && all.sliceOf(block) == all.sliceOf(backward))
            return block;
    return noBlock;
}

std::vector<WeightArrow> ChartData::predictionsBy(std::uint32_t block) const {
    const Timeline& all = timeline();
    const bool update = all.kind[block] == BlockKind::update, forward = all.kind[block] == BlockKind::forward;
    std::vector<WeightArrow> found;
    for (const PredictionArrow& arrow : predictions) {
        const bool same = all.stage[arrow.from] == all.stage[block] &&
                          all.iteration[arrow.from] == all.iteration[block] &&
                          (all.kind[arrow.from] == BlockKind::forward) == forward;
        if (update ? arrow.toUpdate == block : same)
            found.push_back({WeightArrow::Kind::prediction, arrow.from, arrow.toUpdate});
    }
    return found;
}

std::vector<WeightArrow> ChartData::weightArrowsOf(std::uint32_t block) const {
    const BlockWeights own = weights->of(block);
    if (own.version < 0) return {};
    if (plan().weights.kind == WeightPolicyKind::predicted) return predictionsBy(block);
    const Timeline& all = timeline();
    if (all.kind[block] == BlockKind::update) return {};
    std::vector<WeightArrow> found;
    const auto& made = updates[static_cast<std::size_t>(all.stage[block])];
    if (own.version > 0 && static_cast<std::size_t>(own.version) <= made.size())
        found.push_back({WeightArrow::Kind::made, made[static_cast<std::size_t>(own.version) - 1], block});
    if (all.kind[block] == BlockKind::forward) return found;
    const std::uint32_t pass = forwardOf(block);
    if (pass != noBlock && weights->of(pass).version == own.version)
        found.push_back({WeightArrow::Kind::kept, pass, block});
    return found;
}

double ChartData::bytesMoved(std::uint32_t block) const {
    return bytes ? bytes->of(timeline(), timeline().laneOf(block), block) : 0;
}

}  // namespace stagecraft::views::timeline
