#include "core/base/indices.h"
#include "core/schedules/schedule_family.h"

#include <algorithm>

namespace stagecraft::schedules {

namespace {

/// The order of a device that shares the vocabulary's layers with all others, while it is made. Each kind of
/// pass takes the microbatches in ascending order.
class VocabularyOrder {
public:
    VocabularyOrder(int rank, int microbatches) : rank_(rank), microbatches_(microbatches) {}

    int count(TaskKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
    /// The next pass of that kind, if there is one.
    void add(TaskKind kind) {
        int& next = counts_[static_cast<std::size_t>(kind)];
        if (next < microbatches_) order_.push_back({kind, rank_, next++});
    }
    void addAll(TaskKind kind) {
        while (count(kind) < microbatches_) add(kind);
    }
    std::vector<Task> take() { return std::move(order_); }

private:
    int rank_, microbatches_;
    std::array<int, taskKindCount> counts_{};
    std::vector<Task> order_;
};

/// Where S comes beside a rank's backward in the steady state, and how many of them come before the first
/// backward besides those of the last rank.
struct SlotPlace {
    bool rightAfterBackward = true;  ///< else after the forward that follows
    int warmUps = 0;
};

/// All devices get the head's input at once, when the last rank has run its forward; from there up, a rank's
/// backward begins later by one, and the next S falls due that much earlier in its cycle: by a forward, until
/// it would be before the backward.
std::vector<SlotPlace> slotPlaces(const ScheduleShape& shape) {
    double forwardS = 0, backwardS = 0;
    for (int stage = 0; stage < shape.stages(); ++stage) {
        const PassTimes times = shape.timesOf(stage);
        forwardS += times.forwardS;
        backwardS += times.inputGradientS + times.weightGradientS;
    }
    backwardS = std::max(backwardS, forwardS);
    const double slackS = 1e-9 * backwardS;
    std::vector<SlotPlace> upwards{{}};  // from the last rank to the first
    double atS = 0;                      // of S, from the end of the backward on
    while (static_cast<int>(upwards.size()) < shape.ranks) {
        const int before = upwards.back().warmUps;
        if (atS - forwardS >= -backwardS - slackS) {
            atS -= forwardS;
            upwards.push_back({true, before + 1});
            continue;
        }
        atS += backwardS - forwardS;
        upwards.push_back({false, before + 1});
        upwards.push_back({true, before + 1});
    }
    upwards.resize(at(shape.ranks));
    return {upwards.rbegin(), upwards.rend()};
}

/// 1F1B with vocabulary passes (Yeung et al., Fig. 10): a barrier takes a forward more of warm-up.
/// Where T waits for nothing but the barrier of its S, it comes with the S after it: "a slot". Lookups of
/// embeddings come one each before the forwards that they are for, their gradients after the first backward.
class VocabularyParallelOrder {
public:
    VocabularyParallelOrder(const ScheduleShape& shape, const std::vector<SlotPlace>& places, int rank,
                            int barriers)
        : own_(rank, shape.microbatches),
          place_(places[at(rank)]),
          firstWarmUps_(places.front().warmUps),
          microbatches_(shape.microbatches),
          warmUp_(std::min(shape.ranks - rank, shape.microbatches)),
          firstWarmUp_(std::min(shape.ranks, shape.microbatches)),
          barriers_(barriers) {}

    std::vector<Task> build() {
        warmUp();
        // Two barriers: the last T comes before the last backward. One: that T is all that is left.
        const int steady = std::max(0, microbatches_ - warmUp_ - barriers_);
        for (int backward = 0; backward < microbatches_; ++backward) {
            const bool returns = slots_ >= firstWarmUps_ + 1 + barriers_;
            const bool isSteady = backward < steady;
            own_.add(TaskKind::backward);
            if (place_.rightAfterBackward) addSlot(isSteady, returns);
            if (isSteady) own_.add(TaskKind::forward);
            if (!place_.rightAfterBackward) addSlot(isSteady, returns);
        }
        for (const TaskKind kind :
             {TaskKind::embeddingForward, TaskKind::embeddingBackward, TaskKind::headBackward})
            own_.addAll(kind);
        return own_.take();
    }

private:
    void warmUp() {
        for (int lookup = 0; lookup <= firstWarmUp_ - warmUp_; ++lookup) own_.add(TaskKind::embeddingForward);
        for (int forward = 0; forward < warmUp_; ++forward) {
            own_.add(TaskKind::embeddingForward);
            own_.add(TaskKind::forward);
        }
        addSlot();
        if (barriers_ == 2) own_.add(TaskKind::embeddingForward);
        own_.add(TaskKind::forward);
        if (barriers_ == 2) {
            addSlot();
            own_.add(TaskKind::forward);
        }
        for (int slot = 0; slot < place_.warmUps; ++slot)
            if (addSlot() && slot + 1 >= firstWarmUps_) own_.add(TaskKind::embeddingForward);
    }

    /// Whether there is one left: after the last S of two barriers its T alone.
    bool addSlot() {
        if (slots_ >= microbatches_ + (barriers_ == 2 ? 1 : 0)) return false;
        if (slots_ > 0) own_.add(TaskKind::headBackward);
        own_.add(TaskKind::headForward);
        ++slots_;
        return true;
    }

    void addSlot(bool looksUp, bool returns) {
        if (addSlot() && looksUp && slots_ >= firstWarmUps_ + barriers_) own_.add(TaskKind::embeddingForward);
        if (returns) own_.add(TaskKind::embeddingBackward);
    }

    VocabularyOrder own_;
    SlotPlace place_;
    int firstWarmUps_;  ///< of the first rank
    int microbatches_, warmUp_, firstWarmUp_, barriers_;
    int slots_ = 0;
};

template <int barriers>
DeviceOrders vocabularyParallelOrders(const ScheduleShape& shape, const ScheduleParameters&) {
    const std::vector<SlotPlace> places = slotPlaces(shape);
    DeviceOrders orders;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        shape.throwIfStopped();
        orders.push_back(VocabularyParallelOrder(shape, places, rank, barriers).build());
    }
    return orders;
}

/// All devices run S and T of a microbatch at once, in a cycle of forward, backward, S and T; in every second
/// rank the backward comes before the forward. So that none waits for its neighbour there are half as many
/// forwards again in the warm-up (nnScaler's pipeline as Yeung et al. run it: sail-sg/VocabularyParallelism).
class InterlacedOrder {
public:
    InterlacedOrder(const ScheduleShape& shape, int rank)
        : own_(rank, shape.microbatches),
          microbatches_(shape.microbatches),
          warmUp_(std::min(shape.ranks * 3 / 2 - rank, shape.microbatches)),
          firstWarmUp_(std::min(shape.ranks * 3 / 2, shape.microbatches)),
          coolDown_(std::min(shape.ranks - rank, shape.microbatches)),
          firstCoolDown_(std::min(shape.ranks, shape.microbatches)),
          waiting_(std::max(0, warmUp_ - coolDown_ - (shape.ranks - rank - 1) / 2)),
          forwardFirst_(rank % 2 == shape.ranks % 2),
          firstIsForwardFirst_(shape.ranks % 2 == 0) {}

    std::vector<Task> build() {
        warmUp();
        for (int backward = 0; backward < waiting_; ++backward) {
            own_.add(TaskKind::backward);
            addVocabulary();
        }
        const TaskKind first = forwardFirst_ ? TaskKind::forward : TaskKind::backward;
        const TaskKind second = forwardFirst_ ? TaskKind::backward : TaskKind::forward;
        for (int cycle = 0; cycle < microbatches_ - warmUp_; ++cycle) {
            own_.add(first);
            own_.add(second);
            addVocabulary();
        }
        while (own_.count(TaskKind::headForward) < microbatches_) {
            own_.add(TaskKind::backward);
            addVocabulary();
        }
        while (own_.count(TaskKind::backward) < microbatches_) {
            own_.add(TaskKind::backward);
            own_.add(TaskKind::embeddingBackward);
        }
        own_.addAll(TaskKind::embeddingBackward);
        return own_.take();
    }

private:
    void warmUp() {
        for (int lookup = 0; lookup <= firstWarmUp_ - warmUp_; ++lookup) own_.add(TaskKind::embeddingForward);
        for (int forward = 0; forward < warmUp_; ++forward) {
            own_.add(TaskKind::embeddingForward);
            own_.add(TaskKind::forward);
        }
        for (int turn = 0; turn < coolDown_; ++turn) {
            addHead();
            if (turn >= firstCoolDown_ - 1) own_.add(TaskKind::embeddingForward);
        }
    }

    void addHead() {
        own_.add(TaskKind::headForward);
        own_.add(TaskKind::headBackward);
    }

    void addVocabulary() {
        const int turn = own_.count(TaskKind::headForward);
        addHead();
        if (turn >= firstCoolDown_ - 1) own_.add(TaskKind::embeddingForward);
        if (turn >= firstCoolDown_ + (firstIsForwardFirst_ ? 1 : 0)) own_.add(TaskKind::embeddingBackward);
    }

    VocabularyOrder own_;
    int microbatches_, warmUp_, firstWarmUp_, coolDown_, firstCoolDown_, waiting_;
    bool forwardFirst_, firstIsForwardFirst_;
};

DeviceOrders interlacedOrders(const ScheduleShape& shape, const ScheduleParameters&) {
    DeviceOrders orders;
    for (int rank = 0; rank < shape.ranks; ++rank) {
        shape.throwIfStopped();
        orders.push_back(InterlacedOrder(shape, rank).build());
    }
    return orders;
}

}  // namespace

ScheduleFamily vocabularyTwoBarriersFamily() {
    return {.id = "vocab-1",
            .title = "Vocabulary parallel, two barriers: 1F1B in which all devices share the output layer",
            .paper = "Yeung et al., MLSys 2025, Alg. 1, Fig. 10 (a)",
            .backward = BackwardTasks::whole,
            .deviceOrders = vocabularyParallelOrders<2>};
}

ScheduleFamily vocabularyOneBarrierFamily() {
    return {.id = "vocab-2",
            .title = "Vocabulary parallel, one barrier: 1F1B in which all devices share the output layer",
            .paper = "Yeung et al., MLSys 2025, Alg. 2, Fig. 10 (b)",
            .backward = BackwardTasks::whole,
            .deviceOrders = vocabularyParallelOrders<1>};
}

ScheduleFamily interlacedFamily() {
    return {.id = "interlaced",
            .title = "Interlaced: 1F1B in which all devices run the output layer at once",
            .paper = "Lin et al., nnScaler, OSDI 2024, as in Yeung et al., MLSys 2025",
            .backward = BackwardTasks::whole,
            .deviceOrders = interlacedOrders};
}

}  // namespace stagecraft::schedules
