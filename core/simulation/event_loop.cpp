#include "core/simulation/event_loop.h"

#include "core/base/indices.h"
#include "core/base/work_context.h"
#include "core/simulation/instants.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stagecraft::simulation {

namespace {

constexpr std::uint32_t blocksBetweenStopChecks = 1u << 14;

bool isGradientSide(BlockKind kind) {
    return givesGradient(kind) || kind == BlockKind::recompute || kind == BlockKind::transferBackward ||
           kind == BlockKind::swapIn;
}

}  // namespace

bool EventLoop::Ready::after(const Ready& other) const {
    if (sinceS != other.sinceS) return sinceS > other.sinceS;
    if (rank != other.rank) return rank > other.rank;
    if (iteration != other.iteration) return iteration > other.iteration;
    if (microbatch != other.microbatch) return microbatch > other.microbatch;
    if (task.entry != other.task.entry) return task.entry > other.task.entry;  // slices
    if (stage != other.stage) return stage < other.stage;  // the later stage first: it drains the pipeline
    return task.row > other.task.row;  // transfers of a stage to several on the same devices: in their order
}

EventLoop::EventLoop(ExecutionGraph graph, std::stop_token stop)
    : graph_(std::move(graph)), stop_(std::move(stop)) {}

Timeline EventLoop::run() {
    layOutBlocks();
    seed();
    std::uint32_t nextCheck = blocksBetweenStopChecks;
    while (true) {
        while (!dirty_.empty() || !floating_.empty()) {
            if (!floating_.empty()) startFloating();
            starting_.swap(dirty_);
            for (const int lane : starting_) startOn(lane);
            starting_.clear();
        }
        settleFlows();
        if (completions_.empty()) break;
        completeInstant();
        if (started_ >= nextCheck) {
            if (stop_.stop_requested()) throw Cancelled();
            nextCheck = started_ + blocksBetweenStopChecks;
        }
    }
    if (started_ != graph_.taskCount) reportDeadlock();
    std::ranges::sort(timeline_.pairs, {}, &PairedBackward::block);
    std::ranges::sort(timeline_.sharedRuns, {}, &SharedRun::block);
    return std::move(timeline_);
}

void EventLoop::completeInstant() {
    if (completions_.top().moment != Moment::end) return changeFlows();
    if (completions_.top().atS > instantS_ * (1 + rounding_)) instantS_ = completions_.top().atS;
    const double lastS = instantS_ * (1 + rounding_);
    while (!completions_.empty() && completions_.top().atS <= lastS) {
        for (; !completions_.empty() && completions_.top().atS <= lastS; completions_.pop())
            ending_.push_back(completions_.top());
        // What starts first where several things could must not hang on how their sums were rounded.
        if (ending_.size() > 1)
            std::sort(ending_.begin(), ending_.end(), [](const Completion& a, const Completion& b) {
                return a.task.row != b.task.row ? a.task.row < b.task.row : a.task.entry < b.task.entry;
            });
        for (const Completion& completion : ending_) {
            if (!isStale(completion)) reach(completion);
        }
        ending_.clear();
    }
}

void EventLoop::reach(const Completion& completion) {
    now_ = completion.atS;
    switch (completion.moment) {
        case Moment::end:
            return complete(completion.task);
        case Moment::flowBegins:
            return beginFlow(completion.task, now_);
        case Moment::passContinues:
            return continuePass(completion.task, now_);
    }
}

/// Nothing starts by it, and so it begins no instant in which others may.
void EventLoop::changeFlows() {
    const double lastS = completions_.top().atS * (1 + rounding_);
    while (!completions_.empty() && completions_.top().moment != Moment::end &&
           completions_.top().atS <= lastS) {
        const Completion next = completions_.top();
        completions_.pop();
        if (!isStale(next)) reach(next);
    }
}

void EventLoop::layOutBlocks() {
    states_.resize(graph_.lanes.size());
    std::uint64_t next = 0;
    for (std::size_t lane = 0; lane < graph_.lanes.size(); ++lane) {
        graph_.lanes[lane].firstBlock = states_[lane].nextBlock = static_cast<std::uint32_t>(next);
        next += graph_.programs[lane].taskCount;
        if (next >= noBlock) throw SimulationError("the timeline would have more than 4294967294 blocks");
        graph_.lanes[lane].endBlock = static_cast<std::uint32_t>(next);
    }
    timeline_.lanes = graph_.lanes;
    if (!graph_.flows.empty()) network_.emplace(graph_.flows, graph_.wayBps, graph_.lanes.size());
    rounding_ = relativeRounding(timeline_);
    if (graph_.slices > 1) timeline_.slice.resize(next);
    timeline_.resize(static_cast<std::uint32_t>(next));
    remaining_.resize(graph_.taskCount);
    block_.assign(graph_.taskCount, noBlock);
    done_.assign(graph_.taskCount, false);
    updatesDone_.assign(at(graph_.iterations), 0);
}

void EventLoop::seed() {
    for (const Wait& wait : graph_.waits) ++remaining_[wait.after];
    for (std::size_t index = 0; index < graph_.rows.size(); ++index) {
        const TaskRow& row = graph_.rows[index];
        const std::uint32_t tasks = row.perIteration * static_cast<std::uint32_t>(graph_.iterations);
        for (std::uint32_t entry = 0; entry < tasks; ++entry) {
            const std::uint32_t barrier = row.waitsForBarrier && entry >= row.perIteration ? 1 : 0;
            const std::uint32_t version = row.waitsForVersion && entry >= 2 * row.perIteration ? 1 : 0;
            const std::uint32_t slice = row.sliceBefore(entry) ? 1 : 0;
            std::uint32_t& all = remaining_[row.firstTask + entry];
            all += row.dependencies + barrier + version + slice;
            if (all == 0) becomeReady({static_cast<int>(index), entry});
        }
    }
}

void EventLoop::markDirty(int lane) {
    LaneState& state = states_[at(lane)];
    if (state.dirty || state.running) return;
    state.dirty = true;
    dirty_.push_back(lane);
}

void EventLoop::becomeReady(TaskRef task) {
    const TaskRow& row = rowOf(task);
    if (row.outOfTurn) {
        floating_.push_back(task);
        return;
    }
    const TaskVariant& variant = graph_.variant(row, task.entry);
    const LaneDiscipline discipline = graph_.programs[at(variant.lanes.front())].discipline;
    if (discipline == LaneDiscipline::ordered) {
        for (const int each : variant.lanes) markDirty(each);
        return;
    }
    Ready ready{0, 0, iterationOf(task), microbatchOf(task), row.stage, task};
    if (discipline == LaneDiscipline::fifo) {
        ready.sinceS = instantS_;
        ready.rank = isGradientSide(row.kind) ? 1 : 0;
    } else {
        ready.rank = row.kind == BlockKind::weightGradient ? 2 : row.kind == BlockKind::forward ? 1 : 0;
    }
    for (const int each : variant.lanes) {
        std::vector<Ready>& heap = states_[at(each)].ready;
        heap.push_back(ready);
        std::push_heap(heap.begin(), heap.end(), [](const Ready& a, const Ready& b) { return a.after(b); });
        markDirty(each);
    }
}

void EventLoop::resolve(TaskRef task, std::uint32_t byBlock) {
    const std::uint32_t id = graph_.taskId(task);
    if (endOf(byBlock) >= endOf(block_[id])) block_[id] = byBlock;
    if (--remaining_[id] == 0) becomeReady(task);
}

void EventLoop::complete(TaskRef task) {
    if (!rowOf(task).outOfTurn) {
        const int lane = graph_.variant(rowOf(task), task.entry).lanes.front();
        if (const Fusion* fusion = std::exchange(states_[at(lane)].fused, nullptr)) {
            if (states_[at(lane)].pass.isUnderWay()) endPass(graph_.variant(rowOf(task), task.entry).lanes);
            for (const TaskRef each : tasksOf(*fusion, lane)) completeTask(each);
            return;
        }
    }
    const std::vector<int>& lanes = graph_.variant(rowOf(task), task.entry).lanes;
    if (!rowOf(task).outOfTurn && states_[at(lanes.front())].pass.isUnderWay()) endPass(lanes);
    completeTask(task);
}

void EventLoop::completeTask(TaskRef task) {
    const TaskRow& row = rowOf(task);
    const std::uint32_t id = row.firstTask + task.entry, block = block_[id];
    done_[id] = true;
    if (isPaced(task)) endNow(graph_.variant(row, task.entry).lanes);
    if (network_ && flowOf(task) >= 0) endFlow(task);
    if (!row.outOfTurn)
        for (const int lane : graph_.variant(row, task.entry).lanes) {
            states_[at(lane)].running = false;
            markDirty(lane);
            for (const int hostLink : graph_.pausesHostLinks[at(lane)]) resumeSwap(hostLink, block);
        }
    for (const int next : row.next) resolve({next, task.entry}, block);
    if (const auto next = row.nextSlice(task.entry)) resolve({task.row, *next}, block);
    if (!graph_.waits.empty())
        graph_.forEachWaiting(id, [&](std::uint32_t next) { resolve(graph_.taskOf(next), block); });
    if (row.gatheredBy.empty() && !row.outOfTurn) return;
    const std::uint32_t iteration = iterationOf(task);
    for (const int gatherer : row.gatheredBy) resolve({gatherer, iteration}, block);
    for (const int reader : row.readBy) resolveAll(reader, iteration + 2, block);
    if (row.kind == BlockKind::update &&
        ++updatesDone_[iteration] == static_cast<std::uint32_t>(graph_.stageCount))
        releaseBarrier(iteration + 1, block);
}

void EventLoop::resolveAll(int rowIndex, std::uint32_t iteration, std::uint32_t byBlock) {
    if (iteration >= static_cast<std::uint32_t>(graph_.iterations)) return;
    const std::uint32_t perIteration = graph_.rows[at(rowIndex)].perIteration;
    for (std::uint32_t entry = iteration * perIteration; entry < (iteration + 1) * perIteration; ++entry)
        resolve({rowIndex, entry}, byBlock);
}

void EventLoop::releaseBarrier(std::uint32_t iteration, std::uint32_t byBlock) {
    for (std::size_t index = 0; index < graph_.rows.size(); ++index)
        if (graph_.rows[index].waitsForBarrier) resolveAll(static_cast<int>(index), iteration, byBlock);
}

void EventLoop::startOn(int lane) {
    states_[at(lane)].dirty = false;
    if (!isFree(lane)) return;
    if (graph_.programs[at(lane)].discipline == LaneDiscipline::ordered)
        startOrdered(lane);
    else
        startReady(lane);
}

void EventLoop::startOrdered(int lane) {
    const LaneProgram& program = graph_.programs[at(lane)];
    const std::uint32_t position = states_[at(lane)].position;
    if (position == program.order.size()) return;
    const TaskRef task = program.order[position];
    const Fusion* fusion = fusionAt(lane);
    if (fusion ? !isReady(*fusion, lane) : remaining_[graph_.taskId(task)] != 0) return;
    const TaskVariant& variant = graph_.variant(rowOf(task), task.entry);
    for (const int other : variant.lanes) {
        if (other == lane) continue;
        const LaneProgram& theirs = graph_.programs[at(other)];
        const std::uint32_t turn = states_[at(other)].position;
        if (!isFree(other) || turn == theirs.order.size() || theirs.order[turn] != task) return;
    }
    if (fusion)
        startFused(*fusion, lane);
    else
        start(task, variant);
    for (const int each : variant.lanes) {
        states_[at(each)].position += fusion ? fusion->count : 1;
        if (fusion) ++states_[at(each)].nextFusion;
    }
    for (const int each : variant.lanes) prefetch(each);
}

const Fusion* EventLoop::fusionAt(int lane) const {
    const std::vector<Fusion>& fusions = graph_.programs[at(lane)].fusions;
    const LaneState& state = states_[at(lane)];
    const bool isNext =
        state.nextFusion < fusions.size() && fusions[state.nextFusion].position == state.position;
    return isNext ? &fusions[state.nextFusion] : nullptr;
}

std::span<const TaskRef> EventLoop::tasksOf(const Fusion& fusion, int lane) const {
    return std::span(graph_.programs[at(lane)].order).subspan(fusion.position, fusion.count);
}

bool EventLoop::isReady(const Fusion& fusion, int lane) const {
    const std::span<const TaskRef> tasks = tasksOf(fusion, lane);
    for (std::size_t i = 0; i < tasks.size(); ++i)
        if (remaining_[graph_.taskId(tasks[i])] != fusion.within[i]) return false;
    return true;
}

void EventLoop::startFused(const Fusion& fusion, int lane) {
    const std::span<const TaskRef> tasks = tasksOf(fusion, lane);
    const TaskRef first = tasks.front();
    const TaskVariant& variant = graph_.variant(rowOf(first), first.entry);
    std::uint32_t& cause = block_[graph_.taskId(first)];
    for (const TaskRef task : tasks)
        if (const std::uint32_t other = block_[graph_.taskId(task)]; endOf(other) > endOf(cause))
            cause = other;
    std::vector<std::uint32_t> blocks;
    for (const int each : variant.lanes) blocks.push_back(states_[at(each)].nextBlock);
    const double startS = startOf(first, variant, true);
    emit(first, variant.lanes, fusion.kind, startS, fusion.durationS, true);
    startPass(first, variant.lanes, fusion.sends, startS, 0, fusion.durationS);
    if (fusion.kind == BlockKind::pair)
        for (const std::uint32_t block : blocks)
            timeline_.pairs.push_back({block, rowOf(tasks[1]).stage, microbatchOf(tasks[1])});
    for (const TaskRef task : tasks) block_[graph_.taskId(task)] = blocks.front();
    started_ += fusion.count - 1;
    // Where it stands in the order of the lane that its completion comes to, which may not be this one.
    states_[at(variant.lanes.front())].fused = fusionAt(variant.lanes.front());
}

/// What has just started on the lane lets swap-ins start; they waited for the same.
void EventLoop::prefetch(int lane) {
    LaneState& state = states_[at(lane)];
    const std::vector<Prefetch>& prefetches = graph_.programs[at(lane)].prefetches;
    for (; state.nextPrefetch < prefetches.size() && prefetches[state.nextPrefetch].position < state.position;
         ++state.nextPrefetch)
        resolve(prefetches[state.nextPrefetch].swapIn, timeline_.waitedFor[state.lastBlock]);
}

void EventLoop::startReady(int lane) {
    const auto later = [](const Ready& a, const Ready& b) { return a.after(b); };
    std::vector<Ready>& heap = states_[at(lane)].ready;
    // One that took several lanes may have been started through another.
    while (!heap.empty() && done_[graph_.taskId(heap.front().task)]) {
        std::pop_heap(heap.begin(), heap.end(), later);
        heap.pop_back();
    }
    if (heap.empty() || states_[at(lane)].crossing > 0) return;
    const TaskRef task = heap.front().task;
    const TaskVariant& variant = graph_.variant(rowOf(task), task.entry);
    if (!std::all_of(variant.lanes.begin(), variant.lanes.end(), [&](int each) { return isFree(each); }))
        return;
    std::pop_heap(heap.begin(), heap.end(), later);
    heap.pop_back();
    start(task, variant);
}

void EventLoop::start(TaskRef task, const TaskVariant& variant) {
    const double startS = startOf(task, variant, true);
    emit(task, variant, startS, true);
    const double seconds = graph_.durationS(rowOf(task), task.entry);
    startPass(task, variant.lanes, variant.sends, startS, seconds - variant.durationS, seconds);
    if (isPaced(task)) states_[at(laneOf(task))].paced = PacedTask(task, startS, variant.durationS);
    if (network_ && variant.flow >= 0) {
        const double delayS = graph_.flows[at(variant.flow)].delayS;
        if (delayS > 0)
            completions_.push({startS + delayS, task, Moment::flowBegins});
        else
            beginFlow(task, startS);
    }
    for (const int lane : variant.lanes)
        for (const int hostLink : graph_.pausesHostLinks[at(lane)]) pause(hostLink, startS);
}

bool EventLoop::isStale(const Completion& completion) const {
    if (completion.moment == Moment::passContinues) {
        const SendingPass& pass = states_[at(laneOf(completion.task))].pass;
        return !pass.isUnderWay() || pass.task() != completion.task || pass.foreseen() != completion.foreseen;
    }
    if (completion.moment == Moment::flowBegins || !isPaced(completion.task)) return false;
    return done_[graph_.taskId(completion.task)] ||
           states_[at(laneOf(completion.task))].paced.endsS() != completion.atS;
}

void EventLoop::setSpeed(int lane, double speed, double atS) {
    PacedTask& paced = states_[at(lane)].paced;
    paced.setSpeed(speed, atS);
    if (std::isfinite(paced.endsS())) completions_.push({paced.endsS(), paced.task()});
}

void EventLoop::pause(int hostLink, double fromS) {
    LaneState& state = states_[at(hostLink)];
    if (++state.crossing > 1 || !state.running) return;
    setSpeed(hostLink, 0, fromS);
}

void EventLoop::resumeSwap(int hostLink, std::uint32_t crossedBy) {
    LaneState& state = states_[at(hostLink)];
    if (endOf(crossedBy) >= endOf(state.crossedBy)) state.crossedBy = crossedBy;
    if (--state.crossing > 0) return;
    if (state.running)
        setSpeed(hostLink, 1, now_);
    else
        markDirty(hostLink);
}

void EventLoop::beginFlow(TaskRef task, double atS) {
    states_[at(laneOf(task))].paced.flows(atS);
    network_->begin(laneOf(task), flowOf(task));
    flowsChangedS_ = std::max(flowsChangedS_, atS);
}

/// What was never slower than alone leaves no trace.
void EventLoop::endFlow(TaskRef task) {
    PacedTask& paced = states_[at(laneOf(task))].paced;
    network_->end(laneOf(task));
    flowsChangedS_ = std::max(flowsChangedS_, now_);
    const std::vector<PacedTask::Stretch>& stretches = paced.stretchesUntil(now_);
    if (std::ranges::all_of(stretches, [](const PacedTask::Stretch& each) { return each.speed == 1; }))
        return;
    const double fullBps = graph_.flows[at(flowOf(task))].fullBps;
    std::vector<Pace> paces;
    for (const PacedTask::Stretch& each : stretches)
        paces.push_back({each.fromS, each.toS, each.speed * fullBps, fullBps});
    const TaskVariant& variant = graph_.variant(rowOf(task), task.entry);
    addSharedRuns(variant.lanes, variant.durationS, paces);
}

void EventLoop::addSharedRuns(const std::vector<int>& lanes, double aloneS, std::span<const Pace> paces) {
    const auto first = static_cast<std::uint32_t>(timeline_.paces.size());
    timeline_.paces.insert(timeline_.paces.end(), paces.begin(), paces.end());
    for (const int lane : lanes)
        timeline_.sharedRuns.push_back(
            {states_[at(lane)].lastBlock, aloneS, first, static_cast<std::uint32_t>(paces.size())});
}

void EventLoop::endNow(const std::vector<int>& lanes) {
    for (const int lane : lanes) {
        LaneState& state = states_[at(lane)];
        timeline_.endS[state.lastBlock] = state.busyUntilS = now_;
    }
}

void EventLoop::startPass(TaskRef task, const std::vector<int>& lanes, int sends, double startS,
                          double besidesS, double seconds) {
    if (!network_ || sends < 0 || graph_.sends[at(sends)].all.empty()) {
        completions_.push({startS + seconds, task});
        return;
    }
    states_[at(lanes.front())].pass =
        SendingPass(task, graph_.sends[at(sends)], graph_.flows, startS, besidesS, seconds);
    foreseePass(task);
}

void EventLoop::foreseePass(TaskRef task) {
    const SendingPass& pass = states_[at(laneOf(task))].pass;
    if (!pass.isSending() && pass.isLast())
        completions_.push({pass.nextS(), task});
    else
        completions_.push({pass.nextS(), task, Moment::passContinues, pass.foreseen()});
}

void EventLoop::continuePass(TaskRef task, double atS) {
    const int lane = laneOf(task);
    SendingPass& pass = states_[at(lane)].pass;
    if (pass.isSending()) {
        network_->end(lane);
        pass.endToSend(atS);
    } else {
        pass.beginToSend(atS);
        network_->begin(lane, pass.flow());
    }
    flowsChangedS_ = std::max(flowsChangedS_, atS);
    foreseePass(task);
}

void EventLoop::endPass(const std::vector<int>& lanes) {
    SendingPass& pass = states_[at(lanes.front())].pass;
    endNow(lanes);
    if (!pass.paces().empty()) addSharedRuns(lanes, pass.aloneS(), pass.paces());
    pass = {};
}

/// Once all of an instant has begun and ended.
void EventLoop::settleFlows() {
    if (!network_ || network_->isSettled()) return;
    for (const int lane : network_->settle()) {
        LaneState& state = states_[at(lane)];
        if (state.pass.isSending()) {
            if (state.pass.speed() == network_->speed(lane)) continue;
            state.pass.setSpeed(network_->speed(lane), flowsChangedS_);
            foreseePass(state.pass.task());
            continue;
        }
        const PacedTask& paced = state.paced;
        if (paced.speed() != network_->speed(lane)) setSpeed(lane, network_->speed(lane), flowsChangedS_);
    }
}

void EventLoop::startFloating() {
    const std::vector<TaskRef> floating = std::move(floating_);
    floating_.clear();
    for (const TaskRef task : floating) {
        const TaskVariant& variant = graph_.variant(rowOf(task), task.entry);
        const double startS = startOf(task, variant, false);
        emit(task, variant, startS, false);
        completions_.push({startS + variant.durationS, task});
    }
}

double EventLoop::startOf(TaskRef task, const TaskVariant& variant, bool occupies) const {
    double startS = std::max(instantS_, endOf(block_[graph_.taskId(task)]));
    if (!occupies) return startS;
    for (const int lane : variant.lanes) {
        const LaneState& state = states_[at(lane)];
        startS = std::max({startS, state.busyUntilS, endOf(state.crossedBy)});
    }
    return startS;
}

int EventLoop::microbatchOf(TaskRef task) const { return rowOf(task).microbatchOf(task.entry); }

void EventLoop::emit(TaskRef task, const TaskVariant& variant, double startS, bool occupies) {
    emit(task, variant.lanes, rowOf(task).kind, startS, graph_.durationS(rowOf(task), task.entry), occupies);
}

void EventLoop::emit(TaskRef task, const std::vector<int>& lanes, BlockKind kind, double startS,
                     double durationS, bool occupies) {
    const TaskRow& row = rowOf(task);
    const std::uint32_t iteration = iterationOf(task), id = graph_.taskId(task);
    const std::uint32_t cause = block_[id];
    const double causeEndS = cause == noBlock ? -1 : timeline_.endS[cause];
    const int microbatch = microbatchOf(task);
    for (const int lane : lanes) {
        LaneState& state = states_[at(lane)];
        const std::uint32_t block = state.nextBlock++;
        timeline_.startS[block] = startS;
        timeline_.endS[block] = startS + durationS;
        timeline_.kind[block] = kind;
        timeline_.stage[block] = row.stage;
        timeline_.microbatch[block] = microbatch;
        if (graph_.slices > 1) timeline_.slice[block] = row.sliceOf(task.entry);
        timeline_.iteration[block] = static_cast<std::int32_t>(iteration);
        std::uint32_t before = state.lastBlock;
        double busyUntilS = before == noBlock ? -1 : state.busyUntilS;
        if (state.crossedBy != noBlock && timeline_.endS[state.crossedBy] > busyUntilS) {
            before = state.crossedBy;
            busyUntilS = timeline_.endS[before];
        }
        const bool laneWasLater = occupies && before != noBlock && busyUntilS > causeEndS;
        timeline_.waitedFor[block] = laneWasLater ? before : cause;
        timeline_.waitReason[block] = laneWasLater       ? WaitReason::lane
                                      : cause != noBlock ? WaitReason::data
                                                         : WaitReason::start;
        if (occupies) {
            state.running = true;
            state.lastBlock = block;
            state.busyUntilS = startS + durationS;
        }
        if (lane == lanes.front()) block_[id] = block;
    }
    ++started_;
}

// When nothing can start any more: the blocks that wait for each other in a circle.
std::string EventLoop::describe(TaskRef task) const {
    const TaskRow& row = rowOf(task);
    std::string text = blockKindName(row.kind);
    if (row.slices > 1) text += " of slice " + std::to_string(row.sliceOf(task.entry));
    if (row.firstMicrobatch >= 0) text += " of microbatch " + std::to_string(row.microbatchOf(task.entry));
    text += " on stage " + std::to_string(row.stage);
    if (graph_.iterations > 1) text += " in iteration " + std::to_string(task.entry / row.perIteration);
    return text;
}

std::optional<TaskRef> EventLoop::headOf(std::size_t lane) const {
    const LaneProgram& program = graph_.programs[lane];
    const std::uint32_t position = states_[lane].position;
    const bool stuck = program.discipline == LaneDiscipline::ordered && position < program.order.size();
    return stuck ? std::optional(program.order[position]) : std::nullopt;
}

std::optional<TaskRef> EventLoop::unfinishedPredecessor(TaskRef task) const {
    const std::uint32_t iteration = iterationOf(task);
    if (const auto before = rowOf(task).sliceBefore(task.entry))
        if (!done_[graph_.taskId({task.row, *before})]) return TaskRef{task.row, *before};
    for (const Wait& wait : graph_.waits)
        if (wait.after == graph_.taskId(task) && !done_[wait.before]) return graph_.taskOf(wait.before);
    for (std::size_t index = 0; index < graph_.rows.size(); ++index) {
        const TaskRow& row = graph_.rows[index];
        const int own = static_cast<int>(index);
        const bool versionOf =
            iteration >= 2 && std::find(row.readBy.begin(), row.readBy.end(), task.row) != row.readBy.end();
        if (versionOf && !done_[row.firstTask + iteration - 2]) return TaskRef{own, iteration - 2};
        const bool feeds = std::find(row.next.begin(), row.next.end(), task.row) != row.next.end();
        if (feeds && !done_[row.firstTask + task.entry]) return TaskRef{own, task.entry};
        if (std::find(row.gatheredBy.begin(), row.gatheredBy.end(), task.row) == row.gatheredBy.end())
            continue;
        for (std::uint32_t entry = task.entry * row.perIteration; entry < (task.entry + 1) * row.perIteration;
             ++entry)
            if (!done_[row.firstTask + entry]) return TaskRef{own, entry};
    }
    return std::nullopt;
}

std::optional<TaskRef> EventLoop::blockerOf(TaskRef task) const {
    const int lane = graph_.variant(rowOf(task), task.entry).lanes.front();
    const Fusion* fusion = headOf(at(lane)) == task ? fusionAt(lane) : nullptr;
    if (!fusion) return unfinishedPredecessor(task);
    const std::span<const TaskRef> tasks = tasksOf(*fusion, lane);
    for (const TaskRef each : tasks)
        if (const std::optional<TaskRef> blocker = unfinishedPredecessor(each);
            blocker && std::find(tasks.begin(), tasks.end(), *blocker) == tasks.end())
            return blocker;
    return std::nullopt;
}

TaskRef EventLoop::firstUnordered() const {
    for (std::size_t index = 0; index < graph_.rows.size(); ++index)
        for (std::uint32_t entry = 0; entry < graph_.rows[index].perIteration; ++entry) {
            const TaskRef task{static_cast<int>(index), entry};
            if (remaining_[graph_.taskId(task)] == 0 && !done_[graph_.taskId(task)]) return task;
        }
    return {};
}

void EventLoop::reportDeadlock() const {
    // Follow what is waited for from the head of a stuck lane until a task comes up again. A task that is not
    // at the head of its lane waits for that head; one that is waits for the first of its inputs that is not
    // there.
    std::optional<TaskRef> task;
    for (std::size_t lane = 0; lane < graph_.lanes.size() && !task; ++lane) task = headOf(lane);

    std::vector<TaskRef> chain;
    while (task && std::find(chain.begin(), chain.end(), *task) == chain.end()) {
        chain.push_back(*task);
        std::optional<TaskRef> next;
        for (const int lane : graph_.variant(rowOf(*task), task->entry).lanes) {
            const std::optional<TaskRef> head = headOf(static_cast<std::size_t>(lane));
            if (head && *head != *task) next = head;
        }
        task = next ? next : blockerOf(*task);
    }
    if (!task)
        throw SimulationError("the plan cannot finish: " + describe(firstUnordered()) +
                              " is not in the order of its device");
    std::string circle;
    for (auto link = std::find(chain.begin(), chain.end(), *task); link != chain.end(); ++link)
        circle += describe(*link) + " waits for ";
    throw SimulationError("the plan deadlocks: " + circle + describe(*task));
}

}  // namespace stagecraft::simulation
