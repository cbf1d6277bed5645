#include "core/planners/vpipe/migration.h"

#include "core/base/indices.h"
#include "core/cost/state_bytes.h"
#include "core/planners/planning_costs.h"
#include "core/schedules/one_forward_one_backward.h"
#include "core/simulation/event_loop.h"
#include "core/simulation/lane_layout.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace stagecraft::planners::vpipe {

namespace {

using Bounds = MigrationCourse::Bounds;

/// A chain of blocks and moves as an execution graph in which every row has one entry: what a stage runs
/// depends on the microbatch here.
class MigrationBuilder {
public:
    MigrationBuilder(const CostModel& costs, const Plan& from, const Plan& to,
                     const MigrationOptions& options, bool isDisturbed)
        : costs_(costs),
          from_(from),
          to_(to),
          isDisturbed_(isDisturbed),
          course_(costs, from, to, options),
          stages_(course_.stages()),
          perMiniBatch_(course_.perMiniBatch()),
          microbatches_(course_.microbatches()),
          layout_(from, costs.deviceCount(), costs.problem().setup.channel) {}

    Migration run() {
        chooseRanges();
        addRows();
        addTransfers();
        addUpdates();
        addMoves();
        finish();
        Migration result;
        result.timeline = EventLoop(std::move(graph_), {}).run();
        describe(result);
        return result;
    }

private:
    struct Rows {
        int forward = -1, backward = -1, recompute = -1, swapOut = -1, swapIn = -1;
        int firstOfBackward() const { return recompute >= 0 ? recompute : backward; }
    };

    void chooseRanges() {
        forward_.resize(at(stages_));
        backward_.resize(at(stages_));
        for (int i = 0; i < microbatches_; ++i) {
            forwardBounds_.push_back(course_.forwardBounds(i));
            backwardBounds_.push_back(course_.backwardBounds(i));
            for (int s = 0; s < stages_; ++s) {
                forward_[at(s)].push_back(course_.rangeOf(forwardBounds_.back(), s));
                backward_[at(s)].push_back(course_.rangeOf(backwardBounds_.back(), s));
            }
        }
    }

    /// Under which plan's memory policy the microbatch runs: the new one's once all layers are in place.
    LayerMemory memoryOf(int layer, int microbatch) const {
        const bool after =
            course_.migrations() == 0 || microbatch >= course_.forwardSwitch(course_.migrations() - 1, 0);
        return (after ? to_ : from_).layerMemory(layer);
    }

    int deviceOf(int stage) const { return from_.stages[at(stage)].devices.front(); }
    const Device& hardwareOf(int stage) const {
        return costs_.problem().cluster.devices[at(deviceOf(stage))];
    }

    /// Sum over the layers of a range with that policy.
    template <typename Value>
    double sum(LayerRange range, int microbatch, LayerMemory memory, Value value) const {
        double total = 0;
        for (int layer = range.first; layer < range.end; ++layer)
            if (memoryOf(layer, microbatch) == memory) total += value(layer);
        return total;
    }

    int addRow(BlockKind kind, int stage, int microbatch, int lane, double seconds) {
        TaskRow row;
        row.kind = kind;
        row.stage = stage;
        row.firstMicrobatch = microbatch;
        row.variants = {{{lane}, seconds}};
        graph_.rows.push_back(std::move(row));
        return static_cast<int>(graph_.rows.size()) - 1;
    }

    void follow(int earlier, int later) {
        graph_.rows[at(earlier)].next.push_back(later);
        ++graph_.rows[at(later)].dependencies;
    }

    void addRows() {
        rows_.assign(at(stages_), std::vector<Rows>(at(microbatches_)));
        for (int i = 0; i < microbatches_; ++i)
            for (int s = 0; s < stages_; ++s) rows_[at(s)][at(i)] = rowsOf(s, i);
    }

    Rows rowsOf(int s, int i) {
        const LayerRange ahead = forward_[at(s)][at(i)], back = backward_[at(s)][at(i)];
        const int lane = layout_.computeLanes(s).front();
        const double speed = hardwareOf(s).speed;
        const auto forwardS = [&](int layer) { return costs_.forwardS(layer, layer) / speed; };
        const auto stored = [&](int layer) { return costs_.storedActivationBytes(layer, layer); };
        Rows rows;
        rows.forward =
            addRow(BlockKind::forward, s, i, lane,
                   ahead.end > ahead.first ? costs_.forwardS(ahead.first, ahead.end - 1) / speed : 0);
        rows.backward =
            addRow(BlockKind::backward, s, i, lane,
                   back.end > back.first ? costs_.backwardS(back.first, back.end - 1) / speed : 0);
        follow(rows.forward, rows.backward);
        double seconds = 0;
        for (int layer = back.first; layer < back.end; ++layer)
            seconds +=
                forwardS(layer) * takenAgain(costs_.problem().profile.layers[at(layer)], memoryOf(layer, i));
        if (seconds > 0) {
            rows.recompute = addRow(BlockKind::recompute, s, i, lane, seconds);
            follow(rows.forward, rows.recompute);
            follow(rows.recompute, rows.backward);
        }
        const double out = sum(ahead, i, LayerMemory::swap, stored);
        const double in = sum(back, i, LayerMemory::swap, stored);
        if (out > 0) {
            rows.swapOut = addRow(BlockKind::swapOut, s, i, layout_.hostLink(lane),
                                  out / hardwareOf(s).hostBandwidthBps);
            follow(rows.forward, rows.swapOut);
        }
        if (in > 0) {
            rows.swapIn =
                addRow(BlockKind::swapIn, s, i, layout_.hostLink(lane), in / hardwareOf(s).hostBandwidthBps);
            if (rows.swapOut >= 0) follow(rows.swapOut, rows.swapIn);
            follow(rows.swapIn, rows.backward);
        }
        return rows;
    }

    const std::vector<StageEdge>& edgesOf(const Bounds& bounds) {
        const auto [found, isNew] = edges_.try_emplace(bounds);
        if (isNew) {
            Plan plan = from_;
            for (int s = 0; s < stages_; ++s) {
                plan.stages[at(s)].firstLayer = course_.rangeOf(bounds, s).first;
                plan.stages[at(s)].lastLayer = course_.rangeOf(bounds, s).end - 1;
            }
            found->second = costs_.stageEdges(plan);
        }
        return found->second;
    }

    int channelRow(BlockKind kind, int sender, int receiver, int microbatch, double bytes) {
        const bool gradient = receiver < sender;
        const std::vector<int> low{deviceOf(std::min(sender, receiver))},
            high{deviceOf(std::max(sender, receiver))};
        const int lane =
            layout_.channel(std::min(sender, receiver), std::max(sender, receiver), low, high, gradient);
        const TransferCost cost = costs_.transfer(bytes, bytes, low, high);
        if (kind != BlockKind::allReduce)
            transferBytes_[{kind, std::min(sender, receiver), std::max(sender, receiver), microbatch}] =
                bytes;
        return addRow(kind, sender, microbatch, lane, cost.forwardS);
    }

    void addTransfers() {
        for (int i = 0; i < microbatches_; ++i) {
            for (const StageEdge& edge : edgesOf(forwardBounds_[at(i)])) {
                const int up =
                    channelRow(BlockKind::transferForward, edge.from, edge.to, i, edge.forwardBytes);
                follow(rows_[at(edge.from)][at(i)].forward, up);
                follow(up, rows_[at(edge.to)][at(i)].forward);
            }
            for (const StageEdge& edge : edgesOf(backwardBounds_[at(i)])) {
                const int down =
                    channelRow(BlockKind::transferBackward, edge.to, edge.from, i, edge.backwardBytes);
                const Rows& receiver = rows_[at(edge.from)][at(i)];
                follow(rows_[at(edge.to)][at(i)].backward, down);
                follow(down, receiver.backward);
                if (receiver.recompute >= 0) follow(down, receiver.recompute);
            }
        }
    }

    void addUpdates() {
        const int miniBatches = microbatches_ / perMiniBatch_;
        for (int n = 0; n < miniBatches; ++n) {
            std::vector<int> updates;
            for (int s = 0; s < stages_; ++s) {
                const int update = addRow(BlockKind::update, s, (n + 1) * perMiniBatch_ - 1,
                                          layout_.computeLanes(s).front(), 0);
                graph_.rows[at(update)].outOfTurn = true;
                for (int i = n * perMiniBatch_; i < (n + 1) * perMiniBatch_; ++i)
                    follow(rows_[at(s)][at(i)].backward, update);
                // Two versions are all that there are: what the next but one uses has to be there.
                if (from_.weights.kind == WeightPolicyKind::doubleBuffer && n + 2 < miniBatches)
                    for (int i = (n + 2) * perMiniBatch_; i < (n + 3) * perMiniBatch_; ++i)
                        follow(update, rows_[at(s)][at(i)].forward);
                updates.push_back(update);
            }
            if (!course_.barrier() || n + 1 == miniBatches) continue;
            for (const int update : updates)
                for (int i = (n + 1) * perMiniBatch_; i < (n + 2) * perMiniBatch_; ++i)
                    follow(update, rows_[0][at(i)].forward);
        }
    }

    // ---- what moves ----

    int addMove(MigrationStep step, int fromStage, int toStage, LayerRange layers, int microbatch,
                double bytes) {
        MigrationMove move{step,    fromStage, toStage, layers.first, layers.end - 1, microbatch, bytes,
                           noBlock, 0,         0};
        // The kind distinguishes these blocks from other transfers until the run is over; the number is the
        // move's.
        const int row = channelRow(BlockKind::allReduce, fromStage, toStage, static_cast<int>(moves_.size()),
                                   isDisturbed_ ? bytes : 0);
        if (!isDisturbed_) {
            graph_.rows[at(row)].outOfTurn = true;
            graph_.rows[at(row)].variants.front().durationS = 0;
        }
        moves_.push_back(move);
        return row;
    }

    double parameterMoveBytes(LayerRange layers, int migration) const {
        const int done = course_.live() ? course_.triggerOf(migration) + 1 : course_.stopAt(migration);
        const bool summed = done % perMiniBatch_ != 0;
        const StateBytes state(costs_.problem());
        return costs_.parameterBytes(layers.first, layers.end - 1) *
               (state.weights + state.master + state.moments + (summed ? state.gradients : 0));
    }

    /// Which version of the weights a microbatch's backward uses, or which mini-batch's; -1: the newest.
    int versionOf(int stage, int microbatch) const {
        switch (from_.weights.kind) {
            case WeightPolicyKind::latest:
                return -1;
            case WeightPolicyKind::predicted:
            case WeightPolicyKind::doubleBuffer:
                return microbatch / perMiniBatch_;
            case WeightPolicyKind::verticalSync:
                return course_.versionAt(0, microbatch);
            default:
                return course_.versionAt(stage, microbatch);
        }
    }

    /// Whether a microbatch brings weights along: no earlier one that moves has brought the same.
    bool bringsWeights(int stage, int microbatch, int firstMoved) const {
        const int version = versionOf(stage, microbatch);
        return !course_.barrier() && version >= 0 &&
               (microbatch == firstMoved || versionOf(stage, microbatch - 1) != version);
    }

    double activationMoveBytes(LayerRange layers, int microbatch, bool withWeights) const {
        double bytes = withWeights ? StateBytes(costs_.problem()).weights *
                                         costs_.parameterBytes(layers.first, layers.end - 1)
                                   : 0;
        bool recomputed = false;
        for (int layer = layers.first; layer < layers.end; ++layer) {
            const LayerMemory memory = memoryOf(layer, microbatch);
            recomputed = recomputed || memory == LayerMemory::recompute;
            bytes += memory == LayerMemory::swap ? costs_.storedActivationBytes(layer, layer)
                                                 : costs_.keptBytes(layer, memory);
        }
        return recomputed && layers.first > 0 ? bytes + costs_.cutForwardBytes(layers.first - 1) : bytes;
    }

    void addMoves() {
        for (int migration = 0; migration < course_.migrations(); ++migration) {
            std::vector<int> last;  // of each bound that moves
            for (int b = 0; b + 1 < stages_; ++b) {
                const int before = course_.steps()[at(migration)][at(b)],
                          after = course_.steps()[at(migration) + 1][at(b)];
                if (before == after) continue;
                const LayerRange layers{std::min(before, after), std::max(before, after)};
                const int sender = after < before ? b : b + 1, receiver = after < before ? b + 1 : b;
                if (course_.live())
                    moveLive(migration, b, sender, receiver, layers);
                else
                    last.push_back(moveStopped(migration, sender, receiver, layers));
            }
            // The stopped pipeline starts again when everything is in place.
            const int resume = course_.stopAt(migration);
            for (const int move : last)
                for (int s = 0; s < stages_ && resume < microbatches_ && isDisturbed_; ++s)
                    follow(move, rows_[at(s)][at(resume)].forward);
        }
    }

    int moveStopped(int migration, int sender, int receiver, LayerRange layers) {
        const int move = addMove(MigrationStep::parameters, sender, receiver, layers, -1,
                                 parameterMoveBytes(layers, migration));
        for (int s = 0; s < stages_; ++s)
            for (int i = course_.stopAt(migration) - 1; i >= 0 && i >= course_.stopAt(migration) - stages_;
                 --i)
                follow(rows_[at(s)][at(i)].backward, move);
        return move;
    }

    void moveLive(int migration, int bound, int sender, int receiver, LayerRange layers) {
        const int k = course_.triggerOf(migration);
        const int prepare = addMove(MigrationStep::prepare, sender, receiver, layers, -1, 0);
        if (k > 0) follow(rows_[at(sender)][at(k) - 1].backward, prepare);
        const int ready = addMove(MigrationStep::ready, receiver, sender, layers, -1, 0);
        follow(prepare, ready);
        const int lastBackward = rows_[at(sender)][at(k)].backward;
        int before = ready;
        const auto chain = [&](int move) {
            follow(before, move);
            before = move;
        };
        const auto parameters = [&] {
            const int move = addMove(MigrationStep::parameters, sender, receiver, layers, -1,
                                     parameterMoveBytes(layers, migration));
            chain(move);
            follow(lastBackward, move);
            if (k + 1 < microbatches_) follow(move, rows_[at(receiver)][at(k) + 1].firstOfBackward());
            const int next = course_.forwardSwitch(migration, bound);
            if (next < microbatches_) follow(move, rows_[at(receiver)][at(next)].forward);
            consumers_[moves_.size() - 1] = k + 1;
        };
        for (int i = k + 1; i < std::min(course_.forwardSwitch(migration, bound), microbatches_); ++i) {
            const int move = addMove(MigrationStep::activations, sender, receiver, layers, i,
                                     activationMoveBytes(layers, i, bringsWeights(sender, i, k + 1)));
            consumers_[moves_.size() - 1] = i;
            chain(move);
            follow(lastBackward, move);
            const Rows& sent = rows_[at(sender)][at(i)];
            follow(sent.swapOut >= 0 ? sent.swapOut : sent.forward, move);
            const Rows& received = rows_[at(receiver)][at(i)];
            follow(move, received.firstOfBackward());
            if (received.swapIn >= 0) follow(move, received.swapIn);
            if (i == k + 1) parameters();
        }
        if (course_.forwardSwitch(migration, bound) <= k + 1) parameters();
    }

    // ---- orders ----

    void finish() {
        graph_.lanes = layout_.lanes();
        graph_.programs.resize(graph_.lanes.size());
        graph_.iterations = 1;
        graph_.stageCount = static_cast<int>(graph_.rows.size()) + 1;  // no barrier of the loop's own
        graph_.taskCount = 0;
        for (TaskRow& row : graph_.rows) {
            row.firstTask = graph_.taskCount++;
            ++graph_.programs[at(row.variants.front().lanes.front())].taskCount;
        }
        for (int s = 0; s < stages_; ++s) addOrder(s);
        prioritiseTransfers(graph_, costs_.problem().cluster);
    }

    void addOrder(int s) {
        LaneProgram& program = graph_.programs[at(layout_.computeLanes(s).front())];
        program.discipline = LaneDiscipline::ordered;
        std::optional<std::uint32_t> backwardBefore;
        int begin = 0;
        for (const int end : course_.stretchEnds(isDisturbed_)) {
            for (const StageOp& op : oneForwardOneBackwardOrder(s, stages_, end - begin, {})) {
                const Rows& rows = rows_[at(s)][at(begin + op.microbatch)];
                const auto position = static_cast<std::uint32_t>(program.order.size());
                if (op.kind == TaskKind::forward) {
                    program.order.push_back({rows.forward, 0});
                    continue;
                }
                if (rows.recompute >= 0) program.order.push_back({rows.recompute, 0});
                program.order.push_back({rows.backward, 0});
                if (rows.swapIn >= 0) {
                    ++graph_.rows[at(rows.swapIn)].dependencies;
                    program.prefetches.push_back(
                        {backwardBefore.value_or(position > 0 ? position - 1 : 0), {rows.swapIn, 0}});
                }
                backwardBefore = position;
            }
            begin = end;
        }
    }

    // ---- the result ----

    void describe(Migration& result) const {
        Timeline& timeline = result.timeline;
        result.moves = moves_;
        result.blockBytes.assign(timeline.blockCount(), 0);
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
            const int number = timeline.microbatch[block];
            result.blockBytes[block] = transferBytesOf(timeline, block);
            if (timeline.kind[block] == BlockKind::allReduce) {
                MigrationMove& move = result.moves[at(number)];
                result.blockBytes[block] = move.bytes;
                move.block = block;
                timeline.kind[block] =
                    move.toStage > move.fromStage ? BlockKind::transferForward : BlockKind::transferBackward;
                const int of = move.microbatch >= 0 ? move.microbatch : course_.triggerOf(0);
                timeline.iteration[block] = of / perMiniBatch_;
                timeline.microbatch[block] = move.microbatch >= 0 ? of % perMiniBatch_ : -1;
                result.movedBytes += move.bytes;
                continue;
            }
            timeline.iteration[block] = number / perMiniBatch_;
            timeline.microbatch[block] =
                timeline.kind[block] == BlockKind::update ? -1 : number % perMiniBatch_;
        }
        result.forward = forward_;
        result.backward = backward_;
        result.steps = course_.migrations();
        result.endS = timeline.lastEndS();
        std::set<std::uint32_t> moved;
        for (const MigrationMove& move : result.moves) moved.insert(move.block);
        for (const auto& [number, microbatch] : consumers_)
            addNeed(result.moves[number], microbatch, timeline, moved);
    }

    /// Before a block's microbatch is counted within its mini-batch.
    double transferBytesOf(const Timeline& timeline, std::uint32_t block) const {
        const Lane& lane = timeline.lanes[at(timeline.laneOf(block))];
        const auto found = transferBytes_.find(
            {timeline.kind[block], lane.fromStage, lane.toStage, timeline.microbatch[block]});
        return found == transferBytes_.end() ? 0 : found->second;
    }

    /// When the backward that waits for the move could have started without it.
    void addNeed(MigrationMove& move, int microbatch, const Timeline& timeline,
                 const std::set<std::uint32_t>& moved) const {
        if (microbatch >= microbatches_) return;
        const bool recomputes = rows_[at(move.toStage)][at(microbatch)].recompute >= 0;
        const std::uint32_t consumer =
            timeline.find(recomputes ? BlockKind::recompute : BlockKind::backward, move.toStage,
                          microbatch % perMiniBatch_, microbatch / perMiniBatch_);
        if (consumer == noBlock) return;
        const Lane& lane = timeline.lanes[at(timeline.laneOf(consumer))];
        for (std::uint32_t before = consumer; before-- > lane.firstBlock;)
            if (timeline.kind[before] != BlockKind::update) {
                move.neededS = timeline.endS[before];
                break;
            }
        for (std::uint32_t block = 0; block < timeline.blockCount(); ++block) {
            if (timeline.kind[block] != BlockKind::transferBackward ||
                timeline.microbatch[block] != microbatch % perMiniBatch_ ||
                timeline.iteration[block] != microbatch / perMiniBatch_ || moved.contains(block))
                continue;
            if (timeline.lanes[at(timeline.laneOf(block))].fromStage == move.toStage)
                move.neededS = std::max(move.neededS, timeline.endS[block]);
        }
        const bool waited = timeline.waitedFor[consumer] == move.block;
        move.stallS = waited ? std::max(0.0, timeline.endS[move.block] - move.neededS) : 0;
    }

    const CostModel& costs_;
    const Plan &from_, &to_;
    bool isDisturbed_;  ///< false: by no copy and no stop
    MigrationCourse course_;
    int stages_, perMiniBatch_, microbatches_;
    LaneLayout layout_;
    ExecutionGraph graph_;
    std::vector<Bounds> forwardBounds_, backwardBounds_;       // by microbatch
    std::vector<std::vector<LayerRange>> forward_, backward_;  // by stage, then microbatch
    std::vector<std::vector<Rows>> rows_;                      // the same
    std::map<Bounds, std::vector<StageEdge>> edges_;
    /// By kind, lower stage, upper stage, microbatch.
    std::map<std::tuple<BlockKind, int, int, int>, double> transferBytes_;
    std::vector<MigrationMove> moves_;
    std::map<std::size_t, int> consumers_;  // by move: the microbatch whose backward waits for it
};

}  // namespace

Migration simulateMigration(const CostModel& costs, const Plan& from, const Plan& to,
                            const MigrationOptions& options) {
    Migration migration = MigrationBuilder(costs, from, to, options, true).run();
    MigrationOptions undisturbed = options;
    undisturbed.microbatches = static_cast<int>(migration.forward.front().size());
    migration.undisturbedS = infinity;
    for (const MigrationKind kind : {MigrationKind::live, MigrationKind::stopAndCopy}) {
        undisturbed.kind = kind;
        migration.undisturbedS = std::min(migration.undisturbedS,
                                          MigrationBuilder(costs, from, to, undisturbed, false).run().endS);
    }
    return migration;
}

}  // namespace stagecraft::planners::vpipe
