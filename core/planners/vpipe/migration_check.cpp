// Shares nothing with the simulation of a migration but what it hands over.
#include "core/base/indices.h"
#include "core/planners/vpipe/migration.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace stagecraft::planners::vpipe {

namespace {

class MigrationCheck {
public:
    MigrationCheck(const Problem& problem, const Plan& from, const Plan& to, const Migration& migration)
        : problem_(problem),
          from_(from),
          to_(to),
          migration_(migration),
          timeline_(migration.timeline),
          stages_(from.stageCount()),
          layers_(problem.profile.layerCount()),
          perMiniBatch_(problem.setup.microbatches),
          barrier_(problem.setup.mode == TrainingMode::synchronous),
          microbatches_(static_cast<int>(migration.forward.front().size())) {}

    std::vector<std::string> run() {
        indexBlocks();
        if (!violations_.empty()) return violations_;
        checkLanes();
        checkEnds();
        placeLayers();
        if (!violations_.empty()) return violations_;
        for (int i = 0; i < microbatches_; ++i) {
            checkDurations(i);
            for (int layer = 0; layer < layers_; ++layer) checkLayer(layer, i);
        }
        for (int layer = 0; layer < layers_; ++layer) checkUpdates(layer);
        return violations_;
    }

private:
    struct Span {
        double startS = 0, endS = -1;
    };
    using Key = std::tuple<BlockKind, int, int>;  // kind, stage, microbatch over all mini-batches

    static bool before(double a, double b) { return a < b - 1e-9 * (1 + std::fabs(b)); }

    template <typename... Parts>
    void violate(const Parts&... parts) {
        if (violations_.size() < 20) violations_.push_back((std::string() + ... + parts));
    }
    static std::string number(int value) { return std::to_string(value); }
    static std::string seconds(double value) { return std::to_string(value) + " s"; }

    void indexBlocks() {
        for (std::uint32_t block = 0; block < timeline_.blockCount(); ++block) {
            const BlockKind kind = timeline_.kind[block];
            const int iteration = timeline_.iteration[block];
            if (kind == BlockKind::transferForward || kind == BlockKind::transferBackward) continue;
            const int of = kind == BlockKind::update
                               ? iteration
                               : iteration * perMiniBatch_ + timeline_.microbatch[block];
            const Key key{kind, timeline_.stage[block], of};
            if (!blocks_.emplace(key, Span{timeline_.startS[block], timeline_.endS[block]}).second)
                violate("Stage ", number(timeline_.stage[block]), " has the ", blockKindName(kind),
                        " of microbatch ", number(of), " twice.");
        }
        for (int s = 0; s < stages_; ++s)
            for (int i = 0; i < microbatches_; ++i)
                for (const BlockKind kind : {BlockKind::forward, BlockKind::backward})
                    if (!blocks_.contains({kind, s, i}))
                        violate("Stage ", number(s), " lacks the ", blockKindName(kind), " of microbatch ",
                                number(i), ".");
    }

    Span span(BlockKind kind, int stage, int microbatch) const {
        const auto found = blocks_.find({kind, stage, microbatch});
        return found == blocks_.end() ? Span{} : found->second;
    }

    void checkLanes() {
        for (const Lane& lane : timeline_.lanes) {
            double busyUntilS = 0;
            for (std::uint32_t block = lane.firstBlock; block < lane.endBlock; ++block) {
                if (timeline_.kind[block] == BlockKind::update) continue;
                if (before(timeline_.startS[block], busyUntilS))
                    violate("A lane does two things at once at ", seconds(timeline_.startS[block]), ".");
                busyUntilS = std::max(busyUntilS, timeline_.endS[block]);
            }
        }
    }

    /// It begins as the first plan says and ends as the second does.
    void checkEnds() {
        for (int s = 0; s < stages_; ++s) {
            const LayerRange first = migration_.forward[at(s)].front(),
                             last = migration_.forward[at(s)].back();
            const Stage &old = from_.stages[at(s)], &now = to_.stages[at(s)];
            if (first.first != old.firstLayer || first.end != old.lastLayer + 1)
                violate("Stage ", number(s), " does not begin with the layers of the first plan.");
            if (last.first != now.firstLayer || last.end != now.lastLayer + 1)
                violate("Stage ", number(s), " does not end with the layers of the second plan.");
        }
    }

    void placeLayers() {
        forwardStage_.assign(at(layers_), std::vector<int>(at(microbatches_), -1));
        backwardStage_ = forwardStage_;
        for (int s = 0; s < stages_; ++s)
            for (int i = 0; i < microbatches_; ++i) {
                place(migration_.forward[at(s)][at(i)], s, i, forwardStage_, "forward");
                place(migration_.backward[at(s)][at(i)], s, i, backwardStage_, "backward");
            }
        for (int layer = 0; layer < layers_; ++layer)
            for (int i = 0; i < microbatches_; ++i)
                if (forwardStage_[at(layer)][at(i)] < 0 || backwardStage_[at(layer)][at(i)] < 0)
                    violate("Layer ", number(layer), " is left out of microbatch ", number(i), ".");
    }

    void place(LayerRange range, int stage, int microbatch, std::vector<std::vector<int>>& stageOf,
               const char* what) {
        for (int layer = range.first; layer < range.end; ++layer) {
            int& holder = stageOf[at(layer)][at(microbatch)];
            if (holder >= 0)
                violate("The ", what, " of layer ", number(layer), " runs twice for microbatch ",
                        number(microbatch), ".");
            holder = stage;
        }
    }

    void checkDurations(int microbatch) {
        for (int s = 0; s < stages_; ++s) {
            const double speed = problem_.cluster.devices[at(from_.stages[at(s)].devices.front())].speed;
            double forwardS = 0, backwardS = 0;
            for (int layer = 0; layer < layers_; ++layer) {
                const Layer& numbers = problem_.profile.layers[at(layer)];
                if (forwardStage_[at(layer)][at(microbatch)] == s) forwardS += numbers.forwardS / speed;
                if (backwardStage_[at(layer)][at(microbatch)] == s) backwardS += numbers.backwardS / speed;
            }
            const Span ahead = span(BlockKind::forward, s, microbatch);
            const Span back = span(BlockKind::backward, s, microbatch);
            const auto differ = [](Span block, double expected) {
                return std::fabs(block.endS - block.startS - expected) >
                       1e-9 * (expected + std::fabs(block.endS));
            };
            if (differ(ahead, forwardS) || differ(back, backwardS))
                violate("Stage ", number(s), " takes another time for microbatch ", number(microbatch),
                        " than its layers do.");
        }
    }

    const MigrationMove* moveOf(MigrationStep step, int layer, int from, int to, int microbatch) const {
        for (const MigrationMove& move : migration_.moves)
            if (move.step == step && move.firstLayer <= layer && layer <= move.lastLayer &&
                move.fromStage == from && move.toStage == to && move.microbatch == microbatch)
                return &move;
        return nullptr;
    }
    double startOf(const MigrationMove& move) const { return timeline_.startS[move.block]; }
    double endOf(const MigrationMove& move) const { return timeline_.endS[move.block]; }

    void checkLayer(int layer, int microbatch) {
        const int ahead = forwardStage_[at(layer)][at(microbatch)];
        const int back = backwardStage_[at(layer)][at(microbatch)];
        const Span forward = span(BlockKind::forward, ahead, microbatch);
        const Span backward = span(BlockKind::backward, back, microbatch);
        const std::string what = "layer " + number(layer) + " and microbatch " + number(microbatch);
        if (before(backward.startS, forward.endS))
            violate("For ", what, " the backward starts before the forward ends.");
        if (ahead != back) {
            const MigrationMove* move = moveOf(MigrationStep::activations, layer, ahead, back, microbatch);
            if (!move)
                violate("The activations of ", what, " do not move from stage ", number(ahead), " to stage ",
                        number(back), ".");
            else if (before(startOf(*move), forward.endS) || before(backward.startS, endOf(*move)))
                violate("The activations of ", what, " move before they are made or come after their use.");
        }
        checkVersion(layer, microbatch, ahead, forward, what);
        if (layer > 0) checkInputs(layer, microbatch, what);
    }

    /// A forward follows those of the layers before it, a backward those of the layers after it.
    void checkInputs(int layer, int microbatch, const std::string& what) {
        const int here = forwardStage_[at(layer)][at(microbatch)];
        const int there = backwardStage_[at(layer)][at(microbatch)];
        for (const LayerEdge& edge : problem_.profile.dependencies()) {
            if (edge.to != layer) continue;
            const int ahead = forwardStage_[at(edge.from)][at(microbatch)];
            const int back = backwardStage_[at(edge.from)][at(microbatch)];
            if (ahead != here && before(span(BlockKind::forward, here, microbatch).startS,
                                        span(BlockKind::forward, ahead, microbatch).endS))
                violate("The forward of ", what, " starts before its input is there.");
            if (back != there && before(span(BlockKind::backward, back, microbatch).startS,
                                        span(BlockKind::backward, there, microbatch).endS))
                violate("The backward of the layer before ", what, " starts before its gradient is there.");
        }
    }

    /// Eq. (4): the updates of the layer that have happened when a forward starts are those that a pipeline
    /// would have seen in which the layer always was on this stage; and the weights are there.
    void checkVersion(int layer, int microbatch, int stage, Span forward, const std::string& what) {
        int updates = 0;
        for (int n = 0; n < microbatches_ / perMiniBatch_; ++n) {
            const double doneS = updateS(layer, n);
            if (doneS <= forward.startS + 1e-9 * (1 + std::fabs(forward.startS))) ++updates;
        }
        // Without a barrier the backwards of all microbatches but those in flight have been there.
        const int passed = barrier_ ? microbatch : std::max(0, microbatch - stages_ + stage + 1);
        const int expected = passed / perMiniBatch_;
        const bool restarted = !barrier_ && stops();
        if (restarted ? updates < expected : updates != expected)
            violate("The forward of ", what, " uses version ", number(updates), "; without migration it is ",
                    number(expected), ".");
        for (const MigrationMove& move : migration_.moves)
            if (move.step == MigrationStep::parameters && move.firstLayer <= layer &&
                layer <= move.lastLayer) {
                if (stage == move.toStage && before(forward.startS, endOf(move)) &&
                    before(startOf(move), forward.startS))
                    violate("The forward of ", what, " starts before the weights are there.");
                // The sender keeps a copy for those whose backward runs elsewhere.
                const bool staysHere = backwardStage_[at(layer)][at(microbatch)] == stage;
                if (stage == move.fromStage && staysHere && before(endOf(move), forward.startS) &&
                    !returns(layer, move))
                    violate("The forward of ", what, " runs where the weights have left.");
            }
    }

    bool stops() const {
        return std::none_of(migration_.moves.begin(), migration_.moves.end(), [](const MigrationMove& move) {
            return move.step == MigrationStep::activations || move.step == MigrationStep::prepare;
        });
    }
    bool returns(int layer, const MigrationMove& left) const {
        return std::any_of(migration_.moves.begin(), migration_.moves.end(), [&](const MigrationMove& move) {
            return move.step == MigrationStep::parameters && move.firstLayer <= layer &&
                   layer <= move.lastLayer && move.toStage == left.fromStage && startOf(move) > startOf(left);
        });
    }

    /// When mini-batch n's gradients enter the layer's weights: on the stage of its last backward.
    double updateS(int layer, int n) const {
        const int last = (n + 1) * perMiniBatch_ - 1;
        return span(BlockKind::update, backwardStage_[at(layer)][at(last)], n).endS;
    }

    /// No gradient is lost: those that were summed elsewhere have come along before the update.
    void checkUpdates(int layer) {
        for (int n = 0; n < microbatches_ / perMiniBatch_; ++n) {
            const int last = (n + 1) * perMiniBatch_ - 1;
            const int holder = backwardStage_[at(layer)][at(last)];
            const Span update = span(BlockKind::update, holder, n);
            const std::string what = "the update of layer " + number(layer) + " by mini-batch " + number(n);
            if (update.endS < 0) violate("There is no block for ", what, ".");
            for (int i = n * perMiniBatch_; i <= last; ++i) {
                const int stage = backwardStage_[at(layer)][at(i)];
                const Span backward = span(BlockKind::backward, stage, i);
                if (before(update.startS, backward.endS))
                    violate("Microbatch ", number(i), "'s gradient is lost: ", what, " comes before it.");
                if (stage == holder) continue;
                if (!carries(layer, stage, backward.endS, update.startS))
                    violate("Microbatch ", number(i), "'s gradient is lost: it is on stage ", number(stage),
                            " and ", what, " on stage ", number(holder), ".");
            }
        }
    }

    /// Some move takes the layer's weights and gradients away from the stage between two instants.
    bool carries(int layer, int stage, double fromS, double untilS) const {
        return std::any_of(migration_.moves.begin(), migration_.moves.end(), [&](const MigrationMove& move) {
            return move.step == MigrationStep::parameters && move.firstLayer <= layer &&
                   layer <= move.lastLayer && move.fromStage == stage && !before(startOf(move), fromS) &&
                   !before(untilS, endOf(move));
        });
    }

    const Problem& problem_;
    const Plan &from_, &to_;
    const Migration& migration_;
    const Timeline& timeline_;
    int stages_, layers_, perMiniBatch_;
    bool barrier_;
    int microbatches_;
    std::map<Key, Span> blocks_;
    std::vector<std::vector<int>> forwardStage_, backwardStage_;  // by layer, then microbatch
    std::vector<std::string> violations_;
};

}  // namespace

std::vector<std::string> checkMigration(const Problem& problem, const Plan& from, const Plan& to,
                                        const Migration& migration) {
    return MigrationCheck(problem, from, to, migration).run();
}

}  // namespace stagecraft::planners::vpipe
