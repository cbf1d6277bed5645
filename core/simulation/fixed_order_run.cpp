#include "core/simulation/fixed_order_run.h"

#include "core/base/indices.h"
#include "core/base/work_context.h"
#include "core/simulation/instants.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace stagecraft::simulation {

namespace {

constexpr std::uint32_t orderedBlocksBetweenStopChecks = 1u << 16;

/// Whether sums of the same durations in another order may give the one and the other.
bool isClose(double aS, double bS, double rounding) {
    return std::abs(aS - bS) <= 2 * rounding * std::max(aS, bS);
}

}  // namespace

void FixedOrderRun::Cause::offer(double otherEndS, int otherRow, std::uint32_t otherBlock) {
    if (otherEndS < endS || (otherEndS == endS && otherRow < row)) return;
    *this = {otherEndS, otherRow, otherBlock};
}

/// Of reductions that end at one instant the first row updates first, as in EventLoop.
bool FixedOrderRun::Insertion::operator<(const Insertion& other) const {
    return std::tie(atS, reducer, row) < std::tie(other.atS, other.reducer, other.row);
}

FixedOrderRun::FixedOrderRun(const ExecutionGraph& graph, std::stop_token stop)
    : graph_(graph), stop_(std::move(stop)) {
    applies_ = graph_.flows.empty() && workOutRows() && workOutUpdates() && workOutLanes();
}

// ---- does it apply? ----

bool FixedOrderRun::workOutRows() {
    rows_.resize(graph_.rows.size());
    for (std::size_t index = 0; index < graph_.rows.size(); ++index) {
        const TaskRow& each = graph_.rows[index];
        if (each.kind == BlockKind::reduceScatter || each.kind == BlockKind::allGather) return false;
        if (isOfVocabulary(each.kind)) return false;
        if (each.variants.size() != 1 || each.variants[0].lanes.size() != 1 || each.waitsForVersion ||
            !each.microbatches.empty())
            return false;
        // What takes no time makes several things happen at one instant, and then their order matters.
        if (!each.outOfTurn && !(each.variants[0].durationS > 0)) return false;
        if (each.outOfTurn && each.variants[0].durationS > 0) return false;
        rows_[index].lane = each.variants[0].lanes[0];
        for (const int next : each.next) rows_[at(next)].inputs.push_back(static_cast<int>(index));
    }
    for (std::size_t index = 0; index < graph_.rows.size(); ++index) {
        const TaskRow& each = graph_.rows[index];
        std::vector<int>& wakes = rows_[index].wakes;
        for (const int next : each.next) wakes.push_back(rows_[at(next)].lane);
        if (each.waitsForBarrier) sourceLanes_.push_back(rows_[index].lane);
        std::sort(wakes.begin(), wakes.end());
        wakes.erase(std::unique(wakes.begin(), wakes.end()), wakes.end());
        std::erase(wakes, rows_[index].lane);
    }
    return true;
}

/// Where an update is among its lane's blocks is known if it comes right after the last backward of its stage
/// in the iteration, or if that is the lane's last and a barrier keeps the next iteration after it. One that
/// waits for an AllReduce while its device may work on other stages is inserted afterwards, by its time.
bool FixedOrderRun::workOutUpdates() {
    lanes_.resize(graph_.lanes.size());
    inserts_.resize(rows_.size());
    const bool barrier = graph_.iterations == 1 || !sourceLanes_.empty();
    for (std::size_t index = 0; index < graph_.rows.size(); ++index) {
        const TaskRow& each = graph_.rows[index];
        if (!each.outOfTurn) continue;
        LaneFacts& lane = lanes_[at(rows_[index].lane)];
        UpdateFacts update{static_cast<int>(index)};
        const std::vector<int>& inputs = rows_[index].inputs;
        if (inputs.size() > 1 || (!inputs.empty() && !barrier)) return false;
        if (!inputs.empty() && graph_.rows[at(inputs.front())].outOfTurn) return false;  // vertical sync
        if (!inputs.empty()) update.reducer = inputs.front();
        for (std::size_t other = 0; other < graph_.rows.size(); ++other)
            if (graph_.rows[other].stage == each.stage && rows_[other].lane == rows_[index].lane &&
                !graph_.rows[other].gatheredBy.empty())
                update.closingRow = static_cast<int>(other);
        if (update.closingRow < 0 || row(update.closingRow).perIteration == 0) return false;
        lane.updates.push_back(update);
    }
    for (LaneFacts& lane : lanes_) {
        const auto reducing = std::count_if(lane.updates.begin(), lane.updates.end(),
                                            [](const UpdateFacts& update) { return update.reducer >= 0; });
        if (lane.updates.size() > 1 && reducing > 0) {
            if (static_cast<std::size_t>(reducing) < lane.updates.size()) return false;
            for (const UpdateFacts& update : lane.updates) inserts_[at(update.reducer)].push_back(update.row);
            lane.updates.clear();
        }
        for (std::size_t i = 0; i < lane.updates.size(); ++i)
            rows_[at(lane.updates[i].closingRow)].closes = static_cast<int>(i);
    }
    return true;
}

bool FixedOrderRun::workOutLanes() {
    if (graph_.slices > 1) return false;
    for (std::size_t index = 0; index < lanes_.size(); ++index) {
        LaneFacts& lane = lanes_[index];
        const LaneProgram& program = graph_.programs[index];
        if (!program.prefetches.empty() || !graph_.pausesHostLinks[index].empty() || !program.fusions.empty())
            return false;
        if (program.discipline == LaneDiscipline::ordered) {
            lane.order = program.order.data();
            lane.length = static_cast<std::uint32_t>(program.order.size());
            for (const UpdateFacts& update : lane.updates)
                if (!closesInOrder(lane, update)) return false;
        } else if (program.discipline == LaneDiscipline::greedy || !lane.updates.empty()) {
            return false;
        }
    }
    for (std::size_t index = 0; index < graph_.rows.size(); ++index) {
        LaneFacts& lane = lanes_[at(rows_[index].lane)];
        if (!lane.order && !graph_.rows[index].outOfTurn) lane.rows.push_back(static_cast<int>(index));
    }
    return std::all_of(lanes_.begin(), lanes_.end(), [&](LaneFacts& lane) {
        return lane.order || lane.rows.empty() || workOutChannel(lane);
    });
}

bool FixedOrderRun::closesInOrder(const LaneFacts& lane, const UpdateFacts& update) const {
    if (graph_.iterations == 1) return true;
    std::uint32_t latest = 0;
    for (std::uint32_t i = 0; i < lane.length; ++i) {
        if (lane.order[i].row != update.closingRow) continue;
        const std::uint32_t iteration = iterationOf(update.closingRow, lane.order[i].entry);
        if (iteration < latest) return false;
        latest = iteration;
    }
    return true;
}

/// A lane that serves whoever comes first: its order is that in which its input comes, from one lane.
bool FixedOrderRun::workOutChannel(LaneFacts& lane) {
    const std::vector<int>& first = rows_[at(lane.rows.front())].inputs;
    if (first.empty()) {  // AllReduces, whose iterations a barrier keeps apart
        for (const int own : lane.rows) {
            if (!rows_[at(own)].inputs.empty() || row(own).perIteration != 1) return false;
            lane.length += tasksOf(own);
        }
        return true;
    }
    const int senderLane = rows_[at(first.front())].lane;
    const LaneFacts& sender = lanes_[at(senderLane)];
    if (!sender.order) return false;
    std::vector<int> sent(rows_.size(), -1);  // by the sender's row
    for (const int own : lane.rows) {
        const std::vector<int>& inputs = rows_[at(own)].inputs;
        if (inputs.size() != 1 || rows_[at(inputs.front())].lane != senderLane || row(own).waitsForBarrier)
            return false;
        if (sent[at(inputs.front())] >= 0) return false;  // which goes first is not the sender's to say
        sent[at(inputs.front())] = own;
        lane.length += tasksOf(own);
    }
    bool ascending = lane.rows.size() == 1;
    std::uint32_t expected = 0;
    for (std::uint32_t i = 0; i < sender.length && ascending; ++i)
        if (sent[at(sender.order[i].row)] >= 0) ascending = sender.order[i].entry == expected++;
    if (ascending) return true;
    lane.derived.reserve(lane.length);
    for (std::uint32_t i = 0; i < sender.length; ++i)
        if (const int own = sent[at(sender.order[i].row)]; own >= 0)
            lane.derived.push_back({own, sender.order[i].entry});
    lane.order = lane.derived.data();
    lane.length = static_cast<std::uint32_t>(lane.derived.size());
    return true;
}

// ---- the run ----

std::optional<Timeline> FixedOrderRun::run() {
    if (!runTasks()) return std::nullopt;
    describeBlocks();
    undecided_ = !placeInsertions();
    if (undecided_) return std::nullopt;
    return std::move(timeline_);
}

std::optional<double> FixedOrderRun::lastEndS() {
    if (inserts()) {  // which may be undecided
        const std::optional<Timeline> timeline = run();
        return timeline ? std::optional(timeline->lastEndS()) : std::nullopt;
    }
    if (!runTasks()) return std::nullopt;
    double endS = 0;
    for (const LaneFacts& lane : lanes_) endS = std::max(endS, lane.busyUntilS);
    return endS;
}

TimesOrigin FixedOrderRun::origin() const {
    double leastS = infinity;
    for (const Step& step : steps_)
        if (step.durationS > 0) leastS = std::min(leastS, step.durationS);
    // What is inserted comes after the block during which it ends.
    return {.inOrder = !inserts(), .leastLengthS = leastS};
}

bool FixedOrderRun::inserts() const {
    return std::any_of(inserts_.begin(), inserts_.end(),
                       [](const std::vector<int>& updates) { return !updates.empty(); });
}

bool FixedOrderRun::runTasks() {
    layOut();
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) wake(static_cast<int>(lane));
    std::vector<int> round;
    std::uint32_t nextCheck = orderedBlocksBetweenStopChecks;
    while (!queue_.empty()) {
        round.swap(queue_);
        for (const int lane : round) {
            lanes_[at(lane)].queued = false;
            advance(lane);
        }
        round.clear();
        if (emitted_ < nextCheck) continue;
        if (stop_.stop_requested()) throw Cancelled();
        nextCheck = emitted_ + orderedBlocksBetweenStopChecks;
    }
    return !undecided_ && emitted_ == graph_.taskCount;
}

void FixedOrderRun::layOut() {
    timeline_.lanes = graph_.lanes;
    std::uint32_t next = 0;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        timeline_.lanes[lane].firstBlock = lanes_[lane].nextBlock = next;
        next += graph_.programs[lane].taskCount;
        lanes_[lane].nextInsertion = next;
        timeline_.lanes[lane].endBlock = next;
    }
    for (const std::vector<int>& updates : inserts_)
        for (const int update : updates)
            lanes_[at(rows_[at(update)].lane)].nextInsertion -= static_cast<std::uint32_t>(graph_.iterations);
    timeline_.endS.resize(next);
    timeline_.waitedFor.resize(next);
    timeline_.waitReason.resize(next);
    block_.assign(graph_.taskCount, noBlock);
    barriers_.assign(at(graph_.iterations), {static_cast<std::uint32_t>(graph_.stageCount), {}});
    gatherings_.resize(rows_.size());
    for (std::size_t index = 0; index < rows_.size(); ++index)
        for (const int gatherer : graph_.rows[index].gatheredBy) {
            if (row(gatherer).outOfTurn) continue;
            gatherings_[at(gatherer)].resize(at(graph_.iterations));
            for (Gathering& each : gatherings_[at(gatherer)]) each.left += graph_.rows[index].perIteration;
        }
    layOutSteps();
}

void FixedOrderRun::layOutSteps() {
    steps_.reserve(rows_.size());
    for (std::size_t index = 0; index < rows_.size(); ++index) {
        const TaskRow& own = graph_.rows[index];
        const RowFacts& facts = rows_[index];
        Step& step = steps_.emplace_back();
        step.durationS = own.variants[0].durationS;
        step.firstBesidesS = own.firstBesidesS;
        step.firstTask = own.firstTask;
        step.perIteration = own.perIteration;
        step.firstInput = static_cast<std::uint32_t>(inputs_.size());
        for (const int input : facts.inputs) inputs_.push_back({input, row(input).firstTask});
        step.endInput = static_cast<std::uint32_t>(inputs_.size());
        step.firstWake = static_cast<std::uint32_t>(wakes_.size());
        wakes_.insert(wakes_.end(), facts.wakes.begin(), facts.wakes.end());
        step.endWake = static_cast<std::uint32_t>(wakes_.size());
        step.closes = facts.closes >= 0;
        step.waitsForBarrier = own.waitsForBarrier;
        step.gathers = !gatherings_[index].empty();
        step.isGathered = std::any_of(own.gatheredBy.begin(), own.gatheredBy.end(),
                                      [&](int gatherer) { return !row(gatherer).outOfTurn; });
        step.reduces = own.kind == BlockKind::allReduce;
    }
    for (LaneFacts& lane : lanes_) {
        if (!lane.order && lane.rows.size() == 1) lane.onlyRow = lane.rows.front();
        lane.derives = !lane.order && lane.rows.size() > 1;
    }
}

void FixedOrderRun::wake(int lane) {
    LaneFacts& facts = lanes_[at(lane)];
    if (facts.queued) return;
    facts.queued = true;
    facts.awaited = noBlock;
    queue_.push_back(lane);
}

void FixedOrderRun::advance(int lane) {
    LaneFacts& facts = lanes_[at(lane)];
    while (facts.due >= 0 ? tryUpdate(facts) : tryTask(facts)) {
    }
}

void FixedOrderRun::close(LaneFacts& lane, int rowIndex) {
    const int closes = rows_[at(rowIndex)].closes;
    if (closes < 0) return;
    UpdateFacts& update = lane.updates[at(closes)];
    if (++update.closed == (update.done + 1) * row(update.closingRow).perIteration) lane.due = closes;
}

bool FixedOrderRun::tryUpdate(LaneFacts& lane) {
    UpdateFacts& update = lane.updates[at(lane.due)];
    Cause cause{lane.busyUntilS, update.closingRow, lane.lastBlock};
    if (update.reducer >= 0) {
        const std::uint32_t reduction = graph_.taskId({update.reducer, update.done}),
                            block = block_[reduction];
        if (block == noBlock) return waitFor(lane, reduction);
        cause = {timeline_.endS[block], update.reducer, block};
    }
    lane.due = -1;
    const std::uint32_t block = lane.nextBlock++;
    timeline_.endS[block] = cause.endS;
    timeline_.waitedFor[block] = cause.block;
    timeline_.waitReason[block] = WaitReason::data;
    passBarrier(update.done++, cause.endS, update.row, block);
    return true;
}

void FixedOrderRun::passBarrier(std::uint32_t iteration, double atS, int updateRow, std::uint32_t block) {
    ++emitted_;
    Gathering& barrier = barriers_[iteration];
    barrier.last.offer(atS, updateRow, block);
    if (--barrier.left == 0)
        for (const int source : sourceLanes_) wake(source);
}

void FixedOrderRun::putUpdate(int updateRow, TaskRef reduction, double atS, std::uint32_t reductionBlock) {
    LaneFacts& lane = lanes_[at(rows_[at(updateRow)].lane)];
    const std::uint32_t block = lane.nextInsertion++;
    timeline_.endS[block] = atS;
    timeline_.waitedFor[block] = reductionBlock;
    timeline_.waitReason[block] = WaitReason::data;
    lane.insertions.push_back({atS, reduction.row, updateRow, reduction.entry, block});
    passBarrier(reduction.entry, atS, updateRow, block);
}

bool FixedOrderRun::waitFor(LaneFacts& lane, std::uint32_t task) {
    lane.awaited = task;
    return false;
}

/// @return false if some input is not there yet
inline bool FixedOrderRun::causeOf(LaneFacts& lane, TaskRef task, const Step& step, Cause& cause) {
    for (std::uint32_t i = step.firstInput; i < step.endInput; ++i) {
        const Input input = inputs_[i];
        const std::uint32_t block = block_[input.firstTask + task.entry];
        if (block == noBlock) return waitFor(lane, input.firstTask + task.entry);
        cause.offer(timeline_.endS[block], input.row, block);
    }
    if (step.waitsForBarrier && task.entry >= step.perIteration) {
        const Gathering& barrier = barriers_[iterationOf(task.row, task.entry) - 1];
        if (barrier.left > 0) return false;
        cause.offer(barrier.last.endS, barrier.last.row, barrier.last.block);
    }
    if (step.gathers) {
        const Gathering& gathered = gathering(task.row, task.entry);
        if (gathered.left > 0) return false;
        cause.offer(gathered.last.endS, gathered.last.row, gathered.last.block);
    }
    return true;
}

TaskRef FixedOrderRun::taskAt(const LaneFacts& lane, std::uint32_t position) const {
    if (lane.order) return lane.order[position];
    return lane.onlyRow >= 0 ? TaskRef{lane.onlyRow, position} : lane.derived[position];
}

/// Of several AllReduces on one lane that goes first whose gradients are there first, of those whose
/// gradients come at one instant that of the latest stage, as in EventLoop.
bool FixedOrderRun::deriveReductions(LaneFacts& lane) {
    const auto iteration = static_cast<std::uint32_t>(lane.derived.size() / lane.rows.size());
    std::vector<std::pair<double, TaskRef>> turns;
    for (const int own : lane.rows) {
        const Gathering& gathered = gathering(own, iteration);
        if (gathered.left > 0) return false;
        turns.push_back({gathered.last.endS, {own, iteration}});
    }
    std::sort(turns.begin(), turns.end(), [this](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : row(a.second.row).stage > row(b.second.row).stage;
    });
    const double rounding = relativeRounding(timeline_);
    for (std::size_t i = 0; i < turns.size(); ++i) {
        if (i > 0 && turns[i - 1].first != turns[i].first &&
            isClose(turns[i - 1].first, turns[i].first, rounding))
            undecided_ = true;
        lane.derived.push_back(turns[i].second);
    }
    return !undecided_;
}

inline void FixedOrderRun::finish(TaskRef task, const Step& step, double endS, std::uint32_t block) {
    const std::uint32_t id = step.firstTask + task.entry;
    block_[id] = block;
    ++emitted_;
    for (std::uint32_t i = step.firstWake; i < step.endWake; ++i)
        if (lanes_[at(wakes_[i])].awaited == id) wake(wakes_[i]);
    if (step.isGathered) finishGathered(task, endS, block);
    if (step.reduces)
        for (const int update : inserts_[at(task.row)]) putUpdate(update, task, endS, block);
}

bool FixedOrderRun::tryTask(LaneFacts& lane) {
    if (lane.position == lane.length) return false;
    if (lane.derives && lane.position == lane.derived.size() && !deriveReductions(lane)) return false;
    const TaskRef task = taskAt(lane, lane.position);
    const Step& step = steps_[at(task.row)];
    Cause cause;
    if (!causeOf(lane, task, step, cause)) return false;
    ++lane.position;
    const std::uint32_t block = lane.nextBlock++;
    const bool laneWasLater = lane.lastBlock != noBlock && lane.busyUntilS > cause.endS;
    const double startS = laneWasLater ? lane.busyUntilS : cause.block == noBlock ? 0 : cause.endS;
    double durationS = step.durationS;
    if (step.firstBesidesS != 0 && task.entry % step.perIteration == 0) durationS += step.firstBesidesS;
    const double endS = startS + durationS;
    timeline_.endS[block] = endS;
    timeline_.waitedFor[block] = laneWasLater ? lane.lastBlock : cause.block;
    timeline_.waitReason[block] = laneWasLater             ? WaitReason::lane
                                  : cause.block != noBlock ? WaitReason::data
                                                           : WaitReason::start;
    lane.lastBlock = block;
    lane.busyUntilS = endS;
    if (step.closes) close(lane, task.row);
    finish(task, step, endS, block);
    return true;
}

void FixedOrderRun::finishGathered(TaskRef task, double endS, std::uint32_t block) {
    for (const int gatherer : row(task.row).gatheredBy) {
        if (row(gatherer).outOfTurn) continue;
        Gathering& gathered = gathering(gatherer, iterationOf(task.row, task.entry));
        gathered.last.offer(endS, task.row, block);
        if (--gathered.left == 0) wake(rows_[at(gatherer)].lane);
    }
}

/// Starts, which are ends of what was waited for, and the columns that follow from the order alone: lane
/// after lane, so that memory is written in sequence.
void FixedOrderRun::describeBlocks() {
    const std::size_t blocks = timeline_.endS.size();
    timeline_.startS.reserve(blocks);
    for (const std::uint32_t before : timeline_.waitedFor)
        timeline_.startS.push_back(before == noBlock ? 0 : timeline_.endS[before]);
    timeline_.kind.reserve(blocks);
    timeline_.stage.reserve(blocks);
    timeline_.microbatch.reserve(blocks);
    timeline_.iteration.reserve(blocks);
    for (LaneFacts& lane : lanes_) {
        lane.due = -1;
        for (UpdateFacts& update : lane.updates) update.closed = update.done = 0;
        if (lane.onlyRow >= 0)
            describeRow(row(lane.onlyRow));
        else
            for (std::uint32_t position = 0; position < lane.length; ++position) {
                const TaskRef task = taskAt(lane, position);
                const std::uint32_t iteration = iterationOf(task.row, task.entry);
                describe(row(task.row), task.entry - iteration * row(task.row).perIteration, iteration);
                if (!steps_[at(task.row)].closes) continue;
                close(lane, task.row);
                if (lane.due < 0) continue;
                UpdateFacts& update = lane.updates[at(std::exchange(lane.due, -1))];
                describe(row(update.row), 0, update.done++);
            }
        for (const Insertion& each : lane.insertions) describe(row(each.row), 0, each.iteration);
    }
}

inline void FixedOrderRun::describe(const TaskRow& own, std::uint32_t inIteration, std::uint32_t iteration) {
    timeline_.kind.push_back(own.kind);
    timeline_.stage.push_back(own.stage);
    timeline_.microbatch.push_back(
        own.firstMicrobatch < 0 ? -1
                                : own.firstMicrobatch + static_cast<int>(inIteration) * own.microbatchStep);
    timeline_.iteration.push_back(static_cast<std::int32_t>(iteration));
}

void FixedOrderRun::describeRow(const TaskRow& own) {
    const auto iterations = static_cast<std::uint32_t>(graph_.iterations);
    const std::size_t blocks = timeline_.kind.size() + std::size_t{own.perIteration} * iterations;
    timeline_.kind.resize(blocks, own.kind);
    timeline_.stage.resize(blocks, own.stage);
    for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
        timeline_.iteration.resize(timeline_.iteration.size() + own.perIteration,
                                   static_cast<int>(iteration));
        for (std::uint32_t entry = 0; entry < own.perIteration; ++entry)
            timeline_.microbatch.push_back(
                own.firstMicrobatch < 0 ? -1
                                        : own.firstMicrobatch + static_cast<int>(entry) * own.microbatchStep);
    }
}

bool FixedOrderRun::placeInsertions() {
    double fromS = infinity;
    moves_.resize(lanes_.size());
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        std::optional<Move> found = moveOf(lane);
        if (!found) return false;
        moves_[lane] = *std::move(found);
        for (const Insertion& each : lanes_[lane].insertions) fromS = std::min(fromS, each.atS);
    }
    if (fromS == infinity) return true;
    move(timeline_.startS);
    move(timeline_.endS);
    move(timeline_.kind);
    move(timeline_.stage);
    move(timeline_.microbatch);
    move(timeline_.iteration);
    move(timeline_.waitedFor);
    move(timeline_.waitReason);
    renameMoved(fromS);
    return true;
}

/// An update comes before what starts at its instant.
std::optional<FixedOrderRun::Move> FixedOrderRun::moveOf(std::size_t lane) const {
    std::vector<Insertion> insertions = lanes_[lane].insertions;
    if (insertions.empty()) return Move{};
    std::sort(insertions.begin(), insertions.end());
    const double rounding = relativeRounding(timeline_);
    const auto close = [&](double aS, double bS) { return aS != bS && isClose(aS, bS, rounding); };
    const std::uint32_t begin = timeline_.lanes[lane].firstBlock, end = lanes_[lane].nextBlock;
    const auto startS = timeline_.startS.begin();
    std::uint32_t block = static_cast<std::uint32_t>(
        std::lower_bound(startS + begin, startS + end, insertions.front().atS) - startS);
    Move made{block, std::vector<std::uint32_t>(timeline_.lanes[lane].endBlock - block)};
    std::uint32_t next = block;
    for (std::size_t i = 0; i < insertions.size(); ++i) {
        const double atS = insertions[i].atS;
        for (; block < end && startS[block] < atS; ++block) made.to[block - made.first] = next++;
        if ((block > begin && close(startS[block - 1], atS)) || (block < end && close(startS[block], atS)) ||
            (i > 0 && close(insertions[i - 1].atS, atS)))
            return std::nullopt;
        made.to[insertions[i].block - made.first] = next++;
    }
    for (; block < end; ++block) made.to[block - made.first] = next++;
    return made;
}

template <typename Column>
void FixedOrderRun::move(Column& column) const {
    for (const Move& each : moves_) {
        const auto first = column.begin() + each.first;
        const std::vector before(first, first + static_cast<std::ptrdiff_t>(each.to.size()));
        for (std::size_t i = 0; i < each.to.size(); ++i) column[each.to[i]] = before[i];
    }
}

void FixedOrderRun::renameMoved(double fromS) {
    const auto renamed = [&](std::uint32_t block) {
        const auto after =
            std::upper_bound(timeline_.lanes.begin(), timeline_.lanes.end(), block,
                             [](std::uint32_t id, const Lane& lane) { return id < lane.firstBlock; });
        const Move& moved = moves_[static_cast<std::size_t>(after - timeline_.lanes.begin()) - 1];
        return moved.to.empty() || block < moved.first ? block : moved.to[block - moved.first];
    };
    const auto startS = timeline_.startS.begin();
    for (const Lane& lane : timeline_.lanes) {
        const auto from = std::lower_bound(startS + lane.firstBlock, startS + lane.endBlock, fromS) - startS;
        for (auto block = static_cast<std::uint32_t>(from); block < lane.endBlock; ++block)
            if (std::uint32_t& before = timeline_.waitedFor[block]; before != noBlock)
                before = renamed(before);
    }
}

}  // namespace stagecraft::simulation
